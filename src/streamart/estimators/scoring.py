"""Validity indices as scores for scikit-learn's model selection."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from ..validity import batch
from ..validity.catalogue import available


def validity_score(X: ArrayLike, labels: ArrayLike, icvi: str = "ch") -> float:
    """Validity index of a partition, as a score of which larger is better.

    `icvi` is any name in `streamart.icvi.available()` except "conn". An index of which smaller is
    better is negated. The score is minus infinity if the index is undefined, for example with fewer
    than two clusters. Samples with a negative label are left out.

    >>> validity_score([[0.0], [1.0], [9.0], [8.0]], [0, 0, 1, 1], "db") < 0
    True
    """
    known = [name for name in available() if name != "conn"]
    if icvi not in known:
        raise ValueError(f"icvi must be one of {sorted(known)}. Got {icvi!r} instead.")
    samples, given = np.asarray(X, dtype=float), np.asarray(labels)
    if len(given) != len(samples):
        raise ValueError(f"X has {len(samples)} samples, but there are {len(given)} labels.")
    used = given >= 0
    if not used.any():
        return -math.inf
    value: float = getattr(batch, icvi)(samples[used], given[used])
    if math.isnan(value):
        return -math.inf
    return value if available()[icvi].bigger_is_better else -value


class Predictor(Protocol):
    """An estimator with `predict`."""

    def predict(self, X: ArrayLike) -> ArrayLike: ...


def validity_scorer(icvi: str = "ch") -> Callable[[Predictor, ArrayLike, object], float]:
    """A scorer for scikit-learn's model selection: `validity_score` of the predicted labels."""
    return partial(_score, icvi=icvi)


def _score(estimator: Predictor, X: ArrayLike, y: object = None, *, icvi: str) -> float:
    return validity_score(X, estimator.predict(X), icvi)
