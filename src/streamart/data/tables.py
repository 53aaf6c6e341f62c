"""Data frames and tables of pandas, polars and pyarrow, made ready for scikit-learn.

scikit-learn reads them by itself and keeps the names of the columns. What it does not do: it loses
the names of a RecordBatch, takes digits in strings and dates for numbers, and when it refuses a
table it does not say which column is to blame.

Nothing is imported here that the caller has not imported: a table comes from its library.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from decimal import Decimal
from importlib import import_module
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

_LISTED = 5  # so many columns are named in an error, of perhaps thousands


class _Column(NamedTuple):
    name: Hashable
    kind: str
    numeric: bool
    missing: int


def as_table(X: Any) -> Any:
    """A table that scikit-learn can read, with the same names; anything else as it is.

    Raises
    ------
    ValueError
        If columns are not numeric (integers, floats, decimals, booleans), hold NaN or null, or
        have the same name. The error names them.

    Examples
    --------
    >>> from streamart.data.tables import as_table
    >>> as_table([[1, 2], [3, 4]])
    [[1, 2], [3, 4]]
    """
    for ancestor in type(X).__mro__:
        library = ancestor.__module__.partition(".")[0]
        reader = _READERS.get((library, ancestor.__name__))
        if reader is not None:
            return reader(X)
    return X


def as_arrow(X: Any) -> dict[str, Any] | None:
    """Columns of a table of any of these libraries as Arrow arrays, by name; None of anything else.

    Examples
    --------
    >>> import pandas as pd
    >>> from streamart.data.tables import as_arrow
    >>> {name: str(values.type) for name, values in as_arrow(pd.DataFrame({"a": [1]})).items()}
    {'a': 'int64'}
    """
    for ancestor in type(X).__mro__:
        library = ancestor.__module__.partition(".")[0]
        kind = ancestor.__name__
        if (library, kind) not in _READERS:
            continue
        if kind == "LazyFrame":
            _from_lazy(X)
        pa = import_module("pyarrow")
        if library == "pandas":
            names = [str(name) for name in X.columns]
            columns = [_arrow_of(pa, X.iloc[:, i]) for i in range(len(names))]
        else:
            table = X.to_arrow() if library == "polars" else X
            names, columns = list(table.schema.names), list(table.columns)
        counts = Counter(names)
        twice = [repr(name) for name, count in counts.items() if count > 1]
        if twice:
            raise ValueError(f"X has several columns of one name: {_listed(twice)}. Rename them.")
        return dict(zip(names, columns, strict=True))
    return None


def row_as_table(x: Any) -> Any | None:
    """One row as a table of one row: a dict, a Series of pandas, or a frame; None of others.

    Examples
    --------
    >>> from streamart.data.tables import row_as_table
    >>> row_as_table({"a": 1.5, "b": "x"}).column_names, row_as_table([1.5])
    (['a', 'b'], None)
    """
    kinds = {(kind.__module__.partition(".")[0], kind.__name__) for kind in type(x).__mro__}
    if ("pandas", "Series") in kinds:
        x = {str(name): value for name, value in x.items()}
    if isinstance(x, Mapping):
        columns = {name: [_plain(value)] for name, value in x.items()}
        return import_module("pyarrow").table(columns)
    if not kinds & _READERS.keys():
        return None
    if len(x) != 1:
        raise ValueError(f"One row is explained at a time, and this table has {len(x):,}.")
    return x


def _plain(value: Any) -> Any:
    """A number of numpy as one of Python."""
    return value.item() if isinstance(value, np.generic) else value


def frame_of_profiles(profiles: list[Any]) -> Any:
    """Profiles of clusters as a data frame of pandas."""
    try:
        frame = import_module("pandas").DataFrame
    except ImportError as error:
        raise ImportError(
            "profile() gives a DataFrame of pandas: pip install pandas. Without it, profiles() "
            "gives the same as a list."
        ) from error
    rows = []
    for profile in profiles:
        row = {
            "id": profile.id,
            "name": profile.name,
            "suggested_name": profile.suggested,
            "size": profile.size,
            "share": profile.share,
            "first_seen": profile.first,
            "last_seen": profile.last,
            "tells_apart": profile.words,
            "typical": list(profile.typical),
            "unusual": list(profile.unusual),
        }
        for feature in sorted(profile.features, key=lambda feature: str(feature.name)):
            row[feature.name], row[f"{feature.name} spread"] = _shown_feature(feature)
        rows.append(row)
    return frame(rows)


def _shown_feature(feature: Any) -> tuple[float | str, float]:
    """Median and spread; of a category its most frequent value, and the share of all others; of
    yes/no the share of yes, and its standard deviation."""
    shares = dict(feature.shares)
    if not shares:
        return feature.middle, feature.spread
    if set(shares) == {"yes", "no"}:
        return shares["yes"], feature.spread
    value, share = max(shares.items(), key=lambda pair: pair[1])
    return value, 1 - share


def _arrow_of(pa: Any, column: Any) -> Any:
    """A column of pandas; what is no one type becomes text."""
    if hasattr(column, "sparse"):
        column = column.sparse.to_dense()
    try:
        return pa.array(column, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError):
        missing = column.isna().to_numpy()
        texts = [None if gone else str(v) for v, gone in zip(column, missing, strict=True)]
        return pa.array(texts, pa.string())


def _from_pandas(X: Any) -> Any:
    kinds = list(X.dtypes)
    missing = X.isna().to_numpy().sum(axis=0).tolist()
    columns = [
        _Column(name, str(kind), kind.kind in "biufc" or _holds_numbers(X.iloc[:, i]), missing[i])
        for i, (name, kind) in enumerate(zip(X.columns, kinds, strict=True))
    ]
    _check(columns, len(X))
    plain = all(isinstance(kind, np.dtype) and kind.kind in "biufc" for kind in kinds)
    return X if plain else X.astype(np.float64)  # sparse and nullable columns among others


def _holds_numbers(column: Any) -> bool:
    """Of a column of objects, such as numbers that were read one by one, or decimals."""
    if column.dtype.kind != "O" or str(column.dtype) == "category":
        return False
    return all(isinstance(value, Real | Decimal | np.bool_) for value in column.dropna())


def _from_polars(X: Any) -> Any:
    columns = []
    for column in X.iter_columns():
        kind = str(column.dtype)
        missing = column.null_count()
        if column.dtype.is_float():
            missing += int(column.is_nan().sum())
        numeric = column.dtype.is_numeric() or kind in ("Boolean", "Null")
        columns.append(_Column(column.name, kind, numeric, missing))
    _check(columns, len(X))
    return X


def _from_lazy(X: Any) -> Any:
    raise ValueError("X is a LazyFrame, which holds no data yet. Give X.collect().")


def _from_arrow(X: Any) -> Any:
    types = import_module("pyarrow").types
    checks = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    columns = []
    for field, column in zip(X.schema, X.columns, strict=True):
        missing = column.null_count
        if types.is_floating(field.type):
            missing = int(np.sum(column.is_null(nan_is_null=True).to_numpy(zero_copy_only=False)))
        numeric = types.is_null(field.type) or any(check(field.type) for check in checks)
        columns.append(_Column(field.name, str(field.type), numeric, missing))
    _check(columns, X.num_rows)
    return X


def _from_batch(X: Any) -> Any:
    """A RecordBatch becomes a table of one, whose names scikit-learn sees."""
    return _from_arrow(import_module("pyarrow").Table.from_batches([X]))


_READERS: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("pandas", "DataFrame"): _from_pandas,
    ("polars", "DataFrame"): _from_polars,
    ("polars", "LazyFrame"): _from_lazy,
    ("pyarrow", "Table"): _from_arrow,
    ("pyarrow", "RecordBatch"): _from_batch,
}


def _check(columns: list[_Column], n_rows: int) -> None:
    strange = [f"{column.name!r} ({column.kind})" for column in columns if not column.numeric]
    if strange:
        raise ValueError(
            f"X has columns that are not numeric: {_listed(strange)}. "
            "Turn them into numbers, or leave them out."
        )
    holes = [f"{column.name!r} ({column.missing})" for column in columns if column.missing]
    if holes:
        raise ValueError(
            f"Input X contains NaN or null in columns: {_listed(holes)}; of {n_rows} rows. "
            "Fill them, or leave these rows or columns out."
        )
    counts = Counter(column.name for column in columns)
    twice = [repr(name) for name, count in counts.items() if count > 1]
    if twice:
        raise ValueError(f"X has several columns of one name: {_listed(twice)}. Rename them.")


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    more = [f"and {len(names) - _LISTED} more"] if len(names) > _LISTED else []
    return ", ".join(names[:_LISTED] + more)
