"""Numbers of columns: measurements as they are, categories one-hot with a weight.

A category column is learnt as one feature for each value, 0 or 1. Its features have the weight
:math:`w = \\sqrt{1/12}`, beside 1 for a measurement, whose range is scaled to 1. So the variance of
the whole column, :math:`w^2(1-\\sum_v p_v^2)`, is never more than 1/12: that of a measurement that
fills its range evenly. Yes/no is one feature of weight :math:`\\sqrt{1/6}`, which is the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .._typing import Floats
from .columns import NO, NOTHING_SAID, YES, Asked, Column, _as_text, decided
from .numbers import as_numbers

WEIGHT = (1 / 12) ** 0.5
"""Of a feature that stands for one value of a category."""
OTHER = "(other)"
"""What values are called for which there is no room any more."""


class Columns(Sequence[Column]):
    """The columns of a table, as a model has learnt to read them. Printed, it is a table.

    >>> table = {"a": pa.array([1.0, 3.0]), "b": pa.array(["x", "y"])}
    >>> columns = Columns.of(table)
    >>> X, columns = columns.encoded(table)
    >>> X[:, :3].tolist(), columns.features[:3]
    ([[1.0, 1.0, 0.0], [3.0, 0.0, 1.0]], ['a', 'b=x', 'b=y'])
    """

    def __init__(
        self, columns: Sequence[Column], are_given: bool = False, are_named: bool = True
    ) -> None:
        self.columns = list(columns)
        self.are_named = are_named
        """The names are the table's own."""
        self.are_given = are_given
        """Somebody has decided them, and encodes rows by them: the command line."""

    @classmethod
    def of(
        cls, table: Mapping[str, Any], asked: Asked = NOTHING_SAID, decimal: str = "."
    ) -> Columns:
        """Decided by the first rows of a table: Arrow arrays by name."""
        return cls(decided(table, asked, decimal))

    @classmethod
    def of_model(cls, model: Any) -> Columns:
        """What a fitted model has learnt: `columns_`, or the features of an array."""
        known: Columns | None = model.__dict__.get("columns_")
        if known is not None and len(known.share) == model.n_features_in_:
            return known
        names = model.__dict__.get("feature_names_in_")
        found = names if names is not None else [f"x{i + 1}" for i in range(model.n_features_in_)]
        columns = [Column(str(name), "measurement", "learnt", True) for name in found]
        return cls(columns, True, names is not None)

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, place: Any) -> Any:
        return self.columns[place]

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    @property
    def used(self) -> list[Column]:
        return [column for column in self.columns if column.used]

    @property
    def are_numbers(self) -> bool:
        """Is a table of these the same as its array?"""
        return all(column.kind == "measurement" for column in self.columns)

    @property
    def features(self) -> list[str]:
        """What each feature of the model is."""
        found = []
        for column in self.used:
            if column.kind != "category":
                found.append(column.name)
                continue
            names = [*column.values, *[""] * column.slots][: column.slots]
            found += [f"{column.name}={name or '?'}" for name in names]
        return found

    @property
    def learnt_names(self) -> list[str]:
        """Names of the features that do not change when a category gets a new value."""
        found = []
        for column in self.used:
            several = column.kind == "category"
            found += (
                [f"{column.name}[{i + 1}]" for i in range(column.slots)]
                if several
                else [column.name]
            )
        return found

    @property
    def places(self) -> list[slice]:
        """Of each used column, its features."""
        ends = np.cumsum([0, *(column.slots for column in self.used)]).tolist()
        return [slice(a, b) for a, b in pairwise(ends)]

    @property
    def weights(self) -> Floats:
        weight = {"category": WEIGHT, "yes/no": 2**0.5 * WEIGHT, "measurement": 1.0}
        return np.concatenate([np.full(c.slots, weight[c.kind]) for c in self.used])

    @property
    def share(self) -> Floats:
        """What each feature counts in the question whether enough of a row is there."""
        return np.concatenate([np.full(c.slots, 1 / c.slots) for c in self.used])

    def encoded(self, table: Mapping[str, Any], learning: bool = True) -> tuple[Floats, Columns]:
        """The features of these rows, NaN where a value is missing or no number, and the columns,
        which know new values now if the rows are to be learnt."""
        known, parts = list(self.columns), []
        for at, column in enumerate(self.columns):
            if not column.used:
                continue
            values = table[column.name]
            if column.kind == "category":
                part, known[at] = _one_hot(values, column, learning)
            else:
                part = numbers_of(values, column)[:, None]
            parts.append(part)
        X = np.concatenate(parts, axis=1) if parts else np.empty((0, 0))
        return np.ascontiguousarray(X), Columns(known, self.are_given, self.are_named)

    def unreadable(self, table: Mapping[str, Any], X: Floats) -> list[str]:
        """What these rows hold that is no number, nor yes or no; `X`: their features.

        >>> table = {"a": pa.array(["1", "2", "x", None])}
        >>> columns = Columns.of(table)
        >>> columns.unreadable(table, columns.encoded(table)[0])
        ["a is not a number in 1 row ('x')"]
        """
        found = []
        for column, at in zip(self.used, self.places, strict=True):
            lost = np.isnan(X[:, at.start])
            if column.kind == "category" or not lost.any():
                continue
            text = _as_text(table[column.name])
            strange = lost & text.is_valid().to_numpy(zero_copy_only=False)
            count = int(strange.sum())
            if count:
                wanted = "a number" if column.takes_numbers else "yes or no"
                rows = "1 row" if count == 1 else f"{count:,} rows"
                first = text[int(strange.argmax())].as_py()
                found.append(f"{column.name} is not {wanted} in {rows} ({first!r})")
        return found

    def __repr__(self) -> str:
        width = max([len(column.name) for column in self.columns], default=0)
        lines = [
            f"{column.name:{width}}  {column.kind:12}  "
            f"{'' if column.used or column.kind == 'left out' else 'left out: '}{column.reason}"
            for column in self.columns
        ]
        return "\n".join(lines)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "columns": [list(column) for column in self.columns]}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        columns = [Column(*fields) for fields in kept["columns"]]
        self.__init__(columns, kept["are_given"], kept["are_named"])  # type: ignore[misc]


def numbers_of(values: Any, column: Column) -> Floats:
    """Measurements or yes and no, as numbers."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    kind = values.type
    if column.kind == "yes/no" and not pa.types.is_floating(kind):
        text = values.cast(pa.string())
        small = pc.utf8_lower(pc.utf8_trim_whitespace(text))
        yes = pc.is_in(small, pa.array(YES))
        known = pc.or_(yes, pc.is_in(small, pa.array(NO)))
        nothing = pa.scalar(None, pa.float64())
        others = as_numbers(text, column.decimal) if column.takes_numbers else nothing
        values = pc.if_else(known, yes.cast(pa.float64()), others)
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        values = as_numbers(values.cast(pa.string()), column.decimal)
    elif pa.types.is_null(kind):
        values = pa.nulls(len(values), pa.float64())
    try:
        found: Floats = values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    except pa.ArrowNotImplementedError as error:
        raise ValueError(
            f"Column {column.name!r} holds {kind} now, and was learnt as {column.kind}."
        ) from error
    return found


def _one_hot(values: Any, column: Column, learning: bool) -> tuple[Floats, Column]:
    codes = _as_text(values).dictionary_encode()
    names = codes.dictionary.to_pylist()
    known = list(column.values)
    if learning:
        for name in names:
            if name is not None and name not in known and len(known) < column.slots - 1:
                known.append(name)
    place = {name: at for at, name in enumerate(known)}
    last = column.slots - 1  # for all that there is no room for
    if learning and len(known) == last and any(name not in place for name in names if name):
        known.append(OTHER)
    elsewhere = last if len(known) > last else -1
    of_code = np.array([*(place.get(name, elsewhere) for name in names), -2], dtype=np.int64)
    at = of_code[codes.indices.fill_null(len(names)).to_numpy(zero_copy_only=False)]
    found = np.zeros((len(at), column.slots))
    rows = np.flatnonzero(at >= 0)
    found[rows, at[rows]] = 1.0
    found[at == -2] = np.nan
    return found, column._replace(values=tuple(known))
