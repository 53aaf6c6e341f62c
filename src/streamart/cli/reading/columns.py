"""Which columns of a table are features, and which one is carried along."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import NamedTuple

from ...data.columns import Asked, Column
from ...data.encoding import Columns
from ..errors import MISUSED, UserError
from .parts import Layout
from .times import time_format

_LISTED = 12


class Choice(NamedTuple):
    """What the user asked for: names, or numbers from 1."""

    columns: str | None = None
    ids: Sequence[str] = ()
    label: str | None = None
    truth: str | None = None
    exclude: str | None = None
    categories: str | None = None
    time: str | None = None
    keep: bool = False
    """Every column is carried along."""
    label_option: str = "--label"
    """By which option the label was chosen, for messages."""
    needs_times: bool = False
    """A row without a time cannot be used."""


class Wanted(NamedTuple):
    """Places of columns in a table, from 0."""

    features: tuple[int, ...] = ()
    text: tuple[int, ...] = ()
    """Features that are no measurements: they are read as they are."""
    decimals: tuple[str, ...] = ()
    """Of each feature, its decimal sign where it is written in text."""
    ids: tuple[int, ...] = ()
    label: int | None = None
    truth: int | None = None
    time: int | None = None
    kept: tuple[int, ...] = ()
    time_format: str | None = None
    """How its times are written, where neither a number nor ISO 8601."""

    @property
    def numbers(self) -> dict[int, str]:
        """Of each measurement, its decimal sign."""
        text, signs = set(self.text), self.decimals or ["."] * len(self.features)
        return {i: sign for i, sign in zip(self.features, signs, strict=True) if i not in text}

    def carried(self) -> list[int]:
        """Columns that are not features, each once."""
        special = (*self.ids, self.label, self.truth, self.time, *self.kept)
        found, features = dict.fromkeys(i for i in special if i is not None), set(self.features)
        return [i for i in found if i not in features]

    def all(self) -> list[int]:
        return [*self.features, *self.carried()]


def chosen(
    layout: Layout, choice: Choice, name: str, only_numbers: bool = False
) -> tuple[Wanted, Columns]:
    """What the columns are, and which of them are read.

    `only_numbers`: for a model that cannot learn categories.

    >>> import pyarrow as pa
    >>> layout = Layout(["id", "a", "b"], [pa.array([1.0, 2.5])] * 3, True, "")
    >>> chosen(layout, Choice(ids=["id"]), "x.csv")[0][:4]
    ((1, 2), (), ('.', '.'), (0,))
    >>> chosen(layout, Choice(columns="2-3"), "x.csv")[0].features
    (1, 2)
    """

    def place(asked: str | None, option: str) -> int | None:
        return None if asked is None else place_of(asked, layout, name, option)

    def names_of(asked: str | None, option: str) -> list[str]:
        return (
            [] if asked is None else [layout.names[i] for i in _places(asked, layout, name, option)]
        )

    ids = tuple(place_of(asked, layout, name, "--id") for asked in choice.ids)
    label, truth = place(choice.label, choice.label_option), place(choice.truth, "--truth")
    time = place(choice.time, "--time")
    listed = None if choice.columns is None else names_of(choice.columns, "--columns")
    said = [*((i, "--id") for i in ids), (label, choice.label_option), (truth, "--truth")]
    special = {layout.names[i]: option for i, option in said if i is not None}
    asked = Asked(
        listed,
        names_of(choice.exclude, "--exclude")
        + [n for n in layout.apart if n not in (listed or ())],
        names_of(choice.categories, "--categories"),
        {n: option for n, option in special.items() if n not in (listed or ())},
        None if time is None else layout.names[time],
    )
    columns = Columns.of(dict(zip(layout.names, layout.first, strict=True)), asked, layout.decimal)
    if only_numbers:
        columns = Columns([_without_categories(column) for column in columns])
    if time is None:
        times = [at for at, column in enumerate(columns) if column.kind == "time"]
        time = times[0] if times else None
    if not columns.used:
        raise UserError(
            f"{name} has no numeric column to cluster, nor categories.\n{columns}",
            "Choose some with --columns, or check --delimiter and --decimal.",
        )
    if listed is not None:  # in the order in which they are listed
        order = {n: at for at, n in enumerate(listed)}
        columns = Columns(sorted(columns, key=lambda c: order.get(c.name, len(order))))
    columns = Columns(columns.columns, True, layout.named)
    used = columns.used
    place_of_name = _places_of_names(layout.names)
    features = tuple(place_of_name[column.name] for column in used)
    text = tuple(
        at for at, column in zip(features, used, strict=True) if column.kind != "measurement"
    )
    decimals = tuple(column.decimal for column in used)
    kept = tuple(range(len(layout.names))) if choice.keep else ()
    written = time_format(layout.first[time]) if choice.needs_times and time is not None else None
    return Wanted(features, text, decimals, ids, label, truth, time, kept, written), columns


def _without_categories(column: Column) -> Column:
    if column.kind != "category":
        return column
    reason = "the paper's network learns numbers only"
    return column._replace(kind="left out", reason=reason, used=False)


def learnt(layout: Layout, choice: Choice, name: str, columns: Columns) -> tuple[Wanted, Columns]:
    """The columns that a model has learnt, in another table; by place where they have no names."""
    asked, there = [column.name for column in columns.used], _places_of_names(layout.names)
    if choice.columns is not None:
        other, _ = chosen(layout, choice, name)
        here = list(other.features)
    elif layout.named and columns.are_named:
        missing = [n for n in asked if n not in there]
        if missing:
            raise UserError(
                f"{name} has no column {_listed(missing)} (it has: {_listed(layout.names)}).",
                "The model has learnt it. Choose the right ones with --columns.",
            )
        here = [there[n] for n in asked]
    elif columns.names == layout.names:
        here = [there[n] for n in asked]
    else:
        other, _ = chosen(layout, choice, name)
        here = list(other.features)
    if len(here) != len(asked):
        shown = ", ".join(layout.names[i] for i in here[:_LISTED])
        raise UserError(
            f"{name}: {len(here)} columns would be used ({shown}); the model has learnt "
            f"{len(asked)}.",
            "Choose the right ones with --columns.",
        )
    rest, _ = chosen(layout, choice._replace(columns=None), name)
    kinds = [column.kind for column in columns.used]
    text = tuple(i for i, kind in zip(here, kinds, strict=True) if kind != "measurement")
    decimals = tuple(column.decimal for column in columns.used)
    return rest._replace(features=tuple(here), text=text, decimals=decimals), columns


def same_columns(layout: Layout, names: Sequence[str], wanted: Wanted, name: str) -> Wanted:
    """The same columns in another file: by name, or where it has none, by place."""
    if not layout.named:
        if max(wanted.all()) >= len(layout.names):
            raise UserError(
                f"{name} has {len(layout.names)} columns, fewer than the files before it.",
                "Give files of one shape.",
            )
        return wanted
    there = _places_of_names(layout.names)
    missing = [names[i] for i in wanted.all() if names[i] not in there]
    if missing:
        raise UserError(
            f"{name} has no column {_listed(missing)} (it has: {_listed(layout.names)}).",
            "The files before it have; give files of one shape, or choose --columns.",
        )

    def places(old: Sequence[int]) -> tuple[int, ...]:
        return tuple(there[names[i]] for i in old)

    def place(i: int | None) -> int | None:
        return None if i is None else there[names[i]]

    return Wanted(
        places(wanted.features),
        places(wanted.text),
        wanted.decimals,
        places(wanted.ids),
        place(wanted.label),
        place(wanted.truth),
        place(wanted.time),
        places(wanted.kept),
        wanted.time_format,
    )


def _places_of_names(names: Sequence[str]) -> dict[str, int]:
    """Where each name stands first."""
    found: dict[str, int] = {}
    for at, name in enumerate(names):
        found.setdefault(name, at)
    return found


def place_of(asked: str, layout: Layout, name: str, option: str) -> int:
    asked = asked.strip()
    if asked in layout.names:
        return layout.names.index(asked)
    if asked.isdecimal() and 1 <= int(asked) <= len(layout.names):
        return int(asked) - 1
    close = get_close_matches(asked, layout.names, 1)
    meant = f"Did you mean {close[0]!r}? " if close else ""
    raise UserError(
        f"{option}: {name} has no column {asked!r}.",
        f"{meant}It has: {_listed(layout.names)}; numbers count from 1.",
        MISUSED,
    )


def _places(asked: str, layout: Layout, name: str, option: str) -> list[int]:
    places: list[int] = []
    for item in asked.split(","):
        first, dash, last = item.strip().partition("-")
        is_range = dash and first.isdecimal() and last.isdecimal()
        if is_range and item.strip() not in layout.names:
            begin = place_of(first, layout, name, option)
            end = place_of(last, layout, name, option)
            places.extend(range(begin, end + 1))
        else:
            places.append(place_of(item, layout, name, option))
    return list(dict.fromkeys(places))


def _listed(names: Sequence[str]) -> str:
    more = f", and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def unique(names: Sequence[str]) -> list[str]:
    """Names that were given twice get a number.

    >>> unique(["a", "a", ""])
    ['a', 'a_2', 'x3']
    """
    found: dict[str, None] = {}
    next_number: dict[str, int] = {}  # of each name: no smaller one is free
    for i, given in enumerate(names):
        base = name = given or f"x{i + 1}"
        again = next_number.get(base, 2)
        while name in found:
            name, again = f"{base}_{again}", again + 1
        next_number[base] = again
        found[name] = None
    return list(found)
