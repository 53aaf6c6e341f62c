"""What is done before a batch is learnt: samples and labels checked, calls of threads in a row.

Functions on any scikit-learn estimator; a check that fails leaves the estimator as it was.
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
"""Greatest value of a sample: squared distances, times the number of samples, must stay finite."""


def guard(estimator: Any) -> threading.RLock:
    """The lock of an estimator: one call after the other."""
    lock: threading.RLock | None = estimator.__dict__.get("_lock")
    if lock is None:
        lock = estimator.__dict__.setdefault("_lock", threading.RLock())
    return lock


@contextmanager
def checking(estimator: Any) -> Iterator[None]:
    """If a check in here fails, what scikit-learn has noted of the features is as before."""
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
    """Samples as the core wants them; `named`: their features may have names to compare."""
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
                f"X holds values beyond {GREATEST:g}, whose squares overflow a 64-bit float; "
                "scale it down."
            )
    return np.require(checked, requirements=("C", "ALIGNED", "WRITEABLE"))


def is_plain(X: ArrayLike, estimator: Any) -> TypeGuard[Floats]:
    """Is it, at a glance, what all checks would let through as it is?

    They take a quarter of a millisecond, as long as it takes to learn a hundred samples.
    """
    return (
        type(X) is np.ndarray
        and X.dtype == np.float64
        and X.ndim == 2
        and len(X) > 0
        and X.shape[1] == estimator.__dict__.get("n_features_in_")
        and "feature_names_in_" not in estimator.__dict__
        and X.flags.carray
        and bool(np.abs(X).max() <= GREATEST)  # not so if there is a NaN
    )


def checked_labels(y: ArrayLike, n_samples: int) -> Ints:
    """Supervised labels: integers from 0, and -1 for none."""
    labels = np.asarray(y)
    if labels.shape != (n_samples,):
        raise ValueError(
            f"y has shape {labels.shape}; one label per sample, ({n_samples},), is needed."
        )
    if labels.dtype.kind not in "iu":
        raise ValueError(
            f"y has dtype {labels.dtype}; labels are integers from 0, and -1 for a sample "
            "without one."
        )
    if labels.size and labels.min() < -1:
        raise ValueError(f"y holds {labels.min()}; labels are integers from 0, and -1 for none.")
    return labels.astype(np.int64)


@contextmanager
def new_stream(estimator: Any, log: EventLog, model: Model[Any]) -> Iterator[None]:
    """A new stream begins; if not even its first sample is learnt, all is as before."""
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
