"""A validity index as a score for model selection, where nobody knows the classes.

Works on samples and labels; any estimator with `predict` will do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from ..validity.evaluation import footprints, index_of_footprints
from ..validity.registration import BY_NAME


def validity_score(X: ArrayLike, labels: ArrayLike, icvi: str = "ch") -> float:
    """How good a partition of samples is, larger being better: a score for model selection.

    The index of the labelled samples, negated where a small one is good; minus infinity with fewer
    than two clusters or where it is undefined.

    >>> validity_score([[0.0], [1.0], [9.0], [8.0]], [0, 0, 1, 1], "xb") < 0
    True
    """
    if icvi not in BY_NAME or BY_NAME[icvi].by_winners:
        known = sorted(name for name in BY_NAME if not BY_NAME[name].by_winners)
        raise ValueError(f"icvi must be one of {known}. Got {icvi!r} instead.")
    samples, given = np.asarray(X, dtype=float), np.asarray(labels)
    if len(given) != len(samples):
        raise ValueError(f"X has {len(samples)} samples, labels {len(given)}.")
    if not (given >= 0).any():
        return -math.inf
    value = float(index_of_footprints(icvi, *footprints(samples, given)))
    if math.isnan(value):
        return -math.inf
    return -value if BY_NAME[icvi].smaller_is_better else value


class Predictor(Protocol):
    """An estimator that puts samples into clusters."""

    def predict(self, X: ArrayLike) -> ArrayLike: ...


def validity_scorer(icvi: str = "ch") -> Callable[[Predictor, ArrayLike, object], float]:
    """A scorer for scikit-learn's model selection: `validity_score` of what `predict` says."""
    return partial(_score, icvi=icvi)


def _score(estimator: Predictor, X: ArrayLike, y: object = None, *, icvi: str) -> float:
    return validity_score(X, estimator.predict(X), icvi)
