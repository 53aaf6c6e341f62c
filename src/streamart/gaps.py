"""Samples with missing values (NaN): which have enough values, and estimates for the others.

This is used where many samples are processed together. While a stream is learnt, the core skips
missing values (`core.self_tuning.budget`).
"""

from __future__ import annotations

import numpy as np

from ._typing import Bools, Floats

NEIGHBOURS = 5
"""Number of samples from which a missing value is estimated."""
LEAST_PRESENT = 0.5
"""A row is set aside unless it has more than this share of its values."""


def has_gaps(X: Floats) -> bool:
    return bool(np.isnan(X.min())) if X.size else False


def enough(X: Floats, share: Floats) -> Bools:
    """Which rows have more than half of their values. `share` is the weight of each feature: a
    categorical column has several features.

    >>> enough(np.array([[1.0, 2.0, np.nan], [1.0, np.nan, np.nan]]), np.ones(3) / 3).tolist()
    [True, False]
    """
    return np.asarray(~np.isnan(X) @ share > LEAST_PRESENT * share.sum() * (1 + 1e-12))


def filled(X: Floats) -> Floats:
    """Samples with each missing value replaced by the mean over the nearest samples that have it.

    Distances are in units of standard deviations, over the features that both samples have.

    >>> filled(np.array([[0.0, 1.0], [0.1, np.nan], [9.0, 5.0]]))[1].round(1).tolist()
    [0.1, 3.0]
    """
    if not has_gaps(X):
        return X
    there = ~np.isnan(X)
    counts = np.maximum(there.sum(axis=0), 1)
    mean = np.where(there, X, 0.0).sum(axis=0) / counts
    away = np.where(there, X - mean, 0.0)
    deviation = np.sqrt((away**2).sum(axis=0) / counts)
    away /= np.where(deviation > 0, deviation, 1.0)
    square = away**2 @ there.T
    shared = there.astype(float) @ there.T
    far = (square + square.T - 2.0 * (away @ away.T)) / np.maximum(shared, 0.5)
    far[shared == 0] = np.inf
    np.fill_diagonal(far, np.inf)
    found = np.where(there, X, mean)
    for f in np.flatnonzero(~there.all(axis=0)):
        givers, gaps = np.flatnonzero(there[:, f]), np.flatnonzero(~there[:, f])
        if not len(givers):
            continue
        near = np.argsort(far[np.ix_(gaps, givers)], axis=1, kind="stable")[:, :NEIGHBOURS]
        found[gaps, f] = X[givers[near], f].mean(axis=1)
    return np.ascontiguousarray(found)
