"""Tables with columns of all kinds, for StreamART, read by the rules of `data.columns`."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.metrics import homogeneity_score, normalized_mutual_info_score

from .._typing import Floats
from ..data.columns import ENOUGH, LABELS
from ..data.encoding import Columns
from ..data.tables import as_arrow

FIRST_ROWS = 2000
"""Number of rows from which the kinds of the columns are decided."""
LIKE_LABELS = 0.9
"""Normalized mutual information with the clusters above which a column may be a label."""
UNMIXED = 0.98
"""Homogeneity of the clusters in the values of a column above which no cluster mixes them."""


class ColumnsWarning(UserWarning):
    """Says how the columns of a table are read, and which values cannot be read."""


def numbers_of_table(estimator: Any, X: Any, reset: bool, learning: bool) -> Any:
    """Encode a table as numbers by `columns_`. An array is returned as it is.

    With `reset` a stream begins, so the kinds of the columns are decided, unless `X` is already
    encoded by `columns_` that were set beforehand. With `learning`, new values of categorical
    columns are added.
    """
    table = as_arrow(X)
    known: Columns | None = estimator.__dict__.get("columns_")
    if table is None:
        if reset:
            estimator.__dict__.pop("columns_", None)
        return X
    if known is not None and not reset and not set(table) & set(known.names):
        return X  # scikit-learn reports the error
    if known is not None and not known.are_numbers and _is_encoded(table, known):
        return _table_of(known.learnt_names, [table[name] for name in known.learnt_names])
    if known is None and not reset:
        return X
    if known is None or (reset and not (known.are_given and _is_encoded(table, known))):
        known = Columns.of({name: values[:FIRST_ROWS] for name, values in table.items()})
        if not known.used:
            raise ValueError(f"X has no column to learn from:\n{known}")
        if not known.are_numbers:
            message = f"How the columns of X are read (columns_):\n{known}"
            warnings.warn(message, ColumnsWarning, stacklevel=outside())
    missing = [column.name for column in known.used if column.name not in table]
    if missing:
        raise ValueError(f"X has no column {missing[0]!r}, which the model has learnt.")
    numbers, known = known.encoded(table, learning)
    unreadable = known.unreadable(table, numbers)
    if unreadable:
        message = f"Values of X that cannot be read count as missing: {'; '.join(unreadable)}."
        warnings.warn(message, ColumnsWarning, stacklevel=outside())
    if learning:
        estimator.columns_ = known
    if not all(isinstance(name, str) for name in getattr(X, "columns", ())) and known.are_numbers:
        return numbers
    return _table_of(known.learnt_names, list(numbers.T))


def _is_encoded(table: Mapping[str, Any], columns: Columns) -> bool:
    """Whether a table holds the features that `Columns.encoded` returns."""
    floating = all(str(values.type) == "double" for values in table.values())
    return floating and list(table) == columns.learnt_names


def outside() -> int:
    """The stack level of the code that called this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals["__name__"].startswith(
        ("streamart", "contextlib", "sklearn")
    ):
        frame, level = frame.f_back, level + 1
    return level


def _table_of(names: list[str], columns: list[Any]) -> Any:
    import pyarrow as pa

    return pa.table(dict(zip(names, columns, strict=True)))


def takes_gaps(estimator: Any) -> bool:
    """Whether values may be missing. They may not if only the direction of a sample matters."""
    if not hasattr(estimator, "_model"):
        return bool(estimator.metric != "cosine")
    engine = estimator._model.engine
    undecided = estimator.metric == "auto" and not engine.metric_is_final
    return bool(engine.metric == "euclidean" or undecided)


def warn_if_all_set_aside(engine: Any, before: int, count: int) -> None:
    """Warn if all samples of a batch were set aside; `before` is the number set aside earlier."""
    if count > 1 and engine.set_aside - before == count:
        message = (
            f"No sample of this batch was learnt: all {count:,} lack half of their values or more "
            "(n_set_aside_ counts them)."
        )
        warnings.warn(message, UserWarning, stacklevel=outside())


def metric_for(columns: Columns | None, metric: str) -> str:
    """The metric to use. Categorical columns have no direction, so they need "euclidean"."""
    if columns is None or not any(column.kind != "measurement" for column in columns.used):
        return metric
    if metric == "cosine":
        raise ValueError(
            "metric='cosine' compares directions, which categories and yes/no columns do not have. "
            "Leave them out, or use metric='auto'."
        )
    return "euclidean"


def label_like(model: Any) -> list[str]:
    """Columns that may be class labels: few different values, which nearly agree with the
    clusters."""
    return [name for name, score, _ in _columns_of_few_values(model) if score > LIKE_LABELS]


def code_like(model: Any) -> list[str]:
    """Columns of few whole numbers that no cluster mixes, although there are more clusters than
    values. Codes that were learnt as numbers look like this."""
    return [
        name
        for name, score, homogeneity in _columns_of_few_values(model)
        if score <= LIKE_LABELS and homogeneity > UNMIXED
    ]


def doubts_of_columns(model: Any) -> list[str]:
    """Sentences about columns that may be no features."""
    found = [
        f"{column} looks like class labels: it has few values, and the clusters nearly repeat "
        f"them. Leave it out with --exclude {column}, and compare with --truth {column}."
        for column in label_like(model)
    ]
    for column in code_like(model):
        found.append(
            f"{column} has few values, and no cluster mixes them. If they are codes, leave it out "
            f"with --exclude {column}."
        )
    return found


def _columns_of_few_values(model: Any) -> Iterator[tuple[str, float, float]]:
    """Name, agreement with the clusters (NMI), and homogeneity of the clusters. Homogeneity is 0
    for fractions and for categories, which may set clusters apart without being labels."""
    columns: Columns | None = model.__dict__.get("columns_")
    if columns is None or model.n_clusters_ < 2:
        return
    known = model._model.engine.sample_of_stream()
    ids = model._model.ids_at(model._model.nearest(known, outliers=False))
    for column, at in zip(columns.used, columns.places, strict=True):
        values = known[:, at]
        there = ~np.isnan(values[:, 0]) & (ids >= 0)
        values, codes = values[there], ids[there]
        if column.kind == "category":
            kinds = values.argmax(axis=1)
        else:
            kinds = np.unique(values[:, 0], return_inverse=True)[1]
        if len(kinds) < ENOUGH or not 2 <= len(np.unique(kinds)) <= LABELS:
            continue
        coded = column.kind == "measurement" and bool(np.all(values % 1 == 0))
        homogeneity = float(homogeneity_score(kinds, codes)) if coded else 0.0
        yield column.name, float(normalized_mutual_info_score(kinds, codes)), homogeneity


def deciding_columns(model: Any, features: Floats) -> tuple[tuple[str, float], ...]:
    """Columns with their shares of a difference of squared distances, greatest first."""
    columns, total = Columns.of_model(model), float(np.abs(features).sum())
    if total == 0:
        return ()
    shares = [float(features[at].sum()) / total for at in columns.places]
    names = [column.name for column in columns.used]
    return tuple(sorted(zip(names, shares, strict=True), key=lambda pair: -abs(pair[1])))
