"""Which columns of a table are features, and which one is carried along."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import NamedTuple

from ..errors import MISUSED, UserError
from .parts import Layout

_LISTED = 12


class Choice(NamedTuple):
    """What the user asked for: names, or numbers from 1."""

    columns: str | list[str] | None = None
    """A list is of names, as they are."""
    id: str | None = None
    label: str | None = None
    truth: str | None = None
    time: str | None = None


class Wanted(NamedTuple):
    """Places of columns in a table, from 0."""

    features: tuple[int, ...]
    id: int | None = None
    label: int | None = None
    truth: int | None = None
    time: int | None = None

    def carried(self) -> list[int]:
        """Columns that are not features, each once."""
        special = (self.id, self.label, self.truth, self.time)
        found = dict.fromkeys(i for i in special if i is not None)
        return [i for i in found if i not in self.features]

    def all(self) -> list[int]:
        return [*self.features, *self.carried()]


def chosen(layout: Layout, choice: Choice, name: str) -> Wanted:
    """Look up what was asked for; numeric columns, where nothing was.

    >>> layout = Layout(["id", "a", "b"], [True, True, True], True, "")
    >>> chosen(layout, Choice(id="id"), "x.csv")
    Wanted(features=(1, 2), id=0, label=None, truth=None, time=None)
    >>> chosen(layout, Choice(columns="2-3"), "x.csv").features
    (1, 2)
    """
    special = [
        None if asked is None else place_of(asked, layout, name, option)
        for option, asked in (
            ("--id", choice.id),
            ("--label", choice.label),
            ("--truth", choice.truth),
            ("--time", choice.time),
        )
    ]
    if choice.columns is not None:
        features = _places(choice.columns, layout, name)
    else:
        features = [i for i, yes in enumerate(layout.numeric) if yes and i not in special]
    if not features:
        raise UserError(
            f"{name} has no numeric column to cluster (columns: {_listed(layout.names)}).",
            "Choose some with --columns, or check --delimiter and --decimal.",
        )
    return Wanted(tuple(features), *special)


def same_columns(layout: Layout, names: Sequence[str], wanted: Wanted, name: str) -> Wanted:
    """The same columns in another file: by name, or where it has none, by place."""
    if not layout.named:
        if max(wanted.all()) >= len(layout.names):
            raise UserError(
                f"{name} has {len(layout.names)} columns, fewer than the files before it.",
                "Give files of one shape.",
            )
        return wanted
    there: dict[str, int] = {}
    for at, other in enumerate(layout.names):
        there.setdefault(other, at)
    missing = [names[i] for i in wanted.all() if names[i] not in there]
    if missing:
        raise UserError(
            f"{name} has no column {_listed(missing)} (it has: {_listed(layout.names)}).",
            "The files before it have; give files of one shape, or choose --columns.",
        )

    def place(i: int | None) -> int | None:
        return None if i is None else there[names[i]]

    features = tuple(there[names[i]] for i in wanted.features)
    special = (wanted.id, wanted.label, wanted.truth, wanted.time)
    return Wanted(features, *(place(i) for i in special))


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


def _places(asked: str | list[str], layout: Layout, name: str) -> list[int]:
    if isinstance(asked, list):
        return [place_of(item, layout, name, "--model") for item in asked]
    places: list[int] = []
    for item in asked.split(","):
        first, dash, last = item.strip().partition("-")
        is_range = dash and first.isdecimal() and last.isdecimal()
        if is_range and item.strip() not in layout.names:
            begin = place_of(first, layout, name, "--columns")
            end = place_of(last, layout, name, "--columns")
            places.extend(range(begin, end + 1))
        else:
            places.append(place_of(item, layout, name, "--columns"))
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
