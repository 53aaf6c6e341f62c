"""Checks of samples and labels before they are learnt, and the lock of an estimator.

They work on any scikit-learn estimator. A check that fails leaves the estimator unchanged.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import _check_n_features, check_array, validate_data

from .._typing import Floats, Ints
from ..data.tables import as_table
from ..engines.model import Model
from ..history.events import EventLog

GREATEST = 1e140
"""Greatest allowed absolute value, so that sums of squared distances stay finite."""


def guard(estimator: Any) -> threading.RLock:
    """The lock of an estimator, which lets threads use it one at a time."""
    lock: threading.RLock | None = estimator.__dict__.get("_lock")
    if lock is None:
        lock = estimator.__dict__.setdefault("_lock", threading.RLock())
    return lock


@contextmanager
def checking(estimator: Any) -> Iterator[None]:
    """Restore the attributes about the features if a check inside fails."""
    remembered = ("n_features_in_", "feature_names_in_", "columns_")
    before = {name: estimator.__dict__[name] for name in remembered if name in estimator.__dict__}
    try:
        yield
    except Exception:
        for name in remembered:
            estimator.__dict__.pop(name, None)
        estimator.__dict__.update(before)
        raise


def checked_samples(
    estimator: Any, X: ArrayLike, reset: bool, named: bool = True, learning: bool = False
) -> Floats:
    """Samples as contiguous floats. `named` is False if X cannot have feature names."""
    if not reset and is_plain(X, estimator):
        return X
    form: dict[str, Any] = {"dtype": np.float64, "order": "C"}
    gaps = bool(getattr(estimator, "_takes_gaps", False))
    if gaps:
        form["ensure_all_finite"] = "allow-nan"
    tabulated = getattr(estimator, "_tabulated", None)
    with checking(estimator):
        if named or reset:
            table = tabulated(X, reset, learning) if tabulated is not None else as_table(X)
            checked: Floats = validate_data(estimator, table, reset=reset, **form)
        else:
            checked = check_array(X, estimator=estimator, **form)
            _check_n_features(estimator, checked, reset=False)
        if np.abs(checked).max(initial=0.0, where=~np.isnan(checked)) > GREATEST:
            raise ValueError(
                f"X contains values beyond {GREATEST:g}, whose squares overflow a 64-bit float. "
                "Scale it down."
            )
    return np.require(checked, requirements=("C", "ALIGNED", "WRITEABLE"))


def is_plain(X: ArrayLike, estimator: Any) -> TypeGuard[Floats]:
    """Whether X would pass all checks unchanged.

    This avoids scikit-learn's checks, which take as long as learning a hundred samples.
    """
    return (
        type(X) is np.ndarray
        and X.dtype == np.float64
        and X.ndim == 2
        and len(X) > 0
        and X.shape[1] == estimator.__dict__.get("n_features_in_")
        and "feature_names_in_" not in estimator.__dict__
        and X.flags.carray
        and bool(np.abs(X).max() <= GREATEST)  # False if there is a NaN
    )


def checked_labels(y: ArrayLike, n_samples: int) -> Ints:
    """Supervised labels: integers from 0, and -1 for none."""
    labels = np.asarray(y)
    if labels.shape != (n_samples,):
        raise ValueError(
            f"y has shape {labels.shape}, but it must hold one label per sample, ({n_samples},)."
        )
    if labels.dtype.kind not in "iu":
        raise ValueError(
            f"y has dtype {labels.dtype}, but labels are integers from 0, or -1 for a sample "
            "without one."
        )
    if labels.size and labels.min() < -1:
        raise ValueError(f"y contains {labels.min()}; labels must be at least 0, or -1 for none.")
    return labels.astype(np.int64)


@contextmanager
def new_stream(estimator: Any, log: EventLog, model: Model[Any]) -> Iterator[None]:
    """Begin a new stream; restore the old model if not even one sample is learnt."""
    names, seen = ("_model", "history_", "notes_"), log.seen
    before = {name: vars(estimator).pop(name) for name in names if name in vars(estimator)}
    log.restart()
    estimator._model = model
    try:
        yield
    except BaseException:
        if model.n_samples() == 0:
            for name in names:
                vars(estimator).pop(name, None)
            vars(estimator).update(before)
            log.seen = seen
        raise
