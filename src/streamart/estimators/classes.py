"""Class labels of the classifier: which values are labels, and which classes are known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_consistent_length, column_or_1d

from .._typing import Floats


def checked_classes(y: ArrayLike, X: Floats, minus_one_is_class: bool) -> list[Any]:
    """A class for each sample, None for one without."""
    if isinstance(y, list) and any(label is None for label in y):
        y = np.array(y, dtype=object)
    labels = column_or_1d(y, warn=True)
    check_consistent_length(X, labels)
    plain = [label.item() if isinstance(label, np.generic) else label for label in labels.tolist()]
    found = [None if _is_missing(label, minus_one_is_class) else label for label in plain]
    given = [label for label in found if label is not None]
    if len({isinstance(label, str) for label in given}) > 1:
        raise ValueError("y mixes strings with other labels.")
    for label in given:
        if isinstance(label, float) and not label.is_integer():
            raise ValueError(
                f"Unknown label type: y contains {label!r}, but classes are strings or integers."
            )
        if not isinstance(label, (str, int, float)):
            raise ValueError(f"Unknown label type: y contains {label!r}.")
    return found


def _is_missing(label: Any, minus_one_is_class: bool) -> bool:
    if label is None or (isinstance(label, float) and np.isnan(label)):
        return True
    if type(label).__name__ == "NAType":  # of pandas, which may not be installed
        return True
    return not isinstance(label, str) and label == -1 and not minus_one_is_class


def are_signs(y: Any) -> bool:
    """Whether y holds -1 and 1 only: these are two classes, not one class and "no label"."""
    labels = np.asarray(y)
    return labels.dtype.kind in "iuf" and set(np.unique(labels).tolist()) == {-1, 1}


def require_class(classes: Any) -> None:
    if len(classes) == 0:
        raise ValueError("No sample has a label, and no class is known yet. Label at least one.")


def sorted_classes(labels: list[Any]) -> Any:
    return np.unique([label for label in labels if label is not None])


def united(known: Any, given: Any) -> Any:
    if "U" in (known.dtype.kind, given.dtype.kind) and known.dtype.kind != given.dtype.kind:
        raise ValueError(f"y contains {given[0]!r}, but the classes so far are {known!r}.")
    return np.union1d(known, given)
