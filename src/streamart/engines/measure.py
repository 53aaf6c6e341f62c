"""Statistics of samples: whether only their directions matter, and how they fill their space."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._typing import Floats
from ..derivation.threads import single_threaded


def unit_vectors(X: Floats) -> Floats:
    """Samples scaled to length 1; the null vector is unchanged.

    >>> unit_vectors(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    # Divide by the greatest value first: its square might overflow or underflow.
    greatest = np.abs(X).max(axis=1, keepdims=True)
    X = X / np.where(greatest > 0, greatest, 1.0)
    length = np.sqrt(np.sum(X**2, axis=1, keepdims=True))
    return np.asarray(X / np.where(length > 0, length, 1.0))


def are_embeddings(X: Floats) -> bool:
    """Whether samples look like embeddings or word counts, of which only the direction matters.

    They do if they have at least 100 features and are

    - counts or similar: not negative, at least 80 % zeros, and the standard deviation of their
      lengths is at most the mean length;
    - or embeddings: energy and variance are spread over at least a tenth of the features
      (participation ratio), the standard deviation of lengths is at most half the mean, and
      neighbouring features are not more correlated than others. (They are in curves and spectra, in
      which the size matters, too.)

    Otherwise features are scaled to their range, which is the safer choice.

    >>> rng = np.random.default_rng(0)
    >>> are_embeddings(rng.normal(size=(50, 384))), are_embeddings(rng.normal(size=(50, 12)))
    (True, False)
    """
    greatest = np.abs(X).max()
    if X.shape[0] < 2 or X.shape[1] < 100 or not greatest > 0:
        return False
    X = X / greatest
    length = np.sqrt(np.sum(X**2, axis=1))
    varies = length.std() / length.mean()
    if X.min() >= 0 and np.mean(X == 0) >= 0.8 and varies <= 1:
        return True
    away = X - X.mean(axis=0)
    shared = min(_spread_over(np.mean(X**2, axis=0)), _spread_over(np.mean(away**2, axis=0)))
    if shared < X.shape[1] / 10 or varies > 0.5:
        return False
    beside, elsewhere = _likeness(away, 1), _likeness(away, X.shape[1] // 2)
    return bool(beside - elsewhere <= 0.06)


def are_directions(X: Floats) -> bool:
    """Whether only the direction of samples matters: for embeddings, and for integer counts of at
    least 100 features of which 80 % are zero, however much their lengths vary."""
    counts = X.shape[1] >= 100 and X.min() >= 0 and np.mean(X == 0) >= 0.8
    whole = bool(counts and len(X) > 1 and X.any() and np.all(X % 1 == 0))
    return whole or are_embeddings(X)


def _spread_over(energy: Floats) -> float:
    """Number of features over which the energy is spread (participation ratio)."""
    return float(energy.sum() ** 2 / np.sum(energy**2)) if energy.any() else 0.0


def _likeness(away: Floats, step: int) -> float:
    """Mean absolute correlation of features that are `step` places apart."""
    size = np.sqrt(np.mean(away**2, axis=0))
    both = size[:-step] * size[step:]
    product = np.mean(away[:, :-step] * away[:, step:], axis=0)
    return float(np.mean(np.abs(product[both > 0] / both[both > 0]))) if both.any() else 0.0


def participation_ratio(centred: Floats) -> float:
    r"""Participation ratio of the scatter matrix, :math:`(\sum\lambda)^2/\sum\lambda^2`: 1 to d.

    >>> participation_ratio(np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]]))
    2.0
    """
    few = centred.shape[0] < centred.shape[1]
    product = centred @ centred.T if few else centred.T @ centred
    trace = float(np.trace(product))
    return trace**2 / float(np.sum(product**2)) if trace > 0 else 1.0


class Extent(NamedTuple):
    """How samples fill their space."""

    dimension: float
    """Estimated number of dimensions."""
    unevenness: float
    """Interquartile range of the distances to nearest neighbours over their median, times the
    dimension. About 2 for a cloud of any dimension, more if there are groups, infinite if
    unknown."""


@single_threaded
def extent_of(X: Floats) -> Extent:
    r"""The dimension of samples, :math:`\max(1, PR, \sqrt{PR\cdot TwoNN})`, and their unevenness.

    PR is the participation ratio of their covariance. TwoNN is the estimate from the distances to
    the two nearest neighbours (Facco et al. 2017); it is left out if for fewer than ten samples
    these distances differ.

    >>> line = np.random.default_rng(0).normal(size=(200, 1))
    >>> round(extent_of(line * [1.0, 2.0, 3.0]).dimension, 1)
    1.0
    """
    if len(X) < 3:
        return Extent(1.0, np.inf)
    centred = X - X.mean(axis=0)
    ratio, gram = participation_ratio(centred), centred @ centred.T
    squares = np.diag(gram).copy()
    far = squares[:, None] + squares
    gram *= 2.0
    far -= gram
    np.fill_diagonal(far, np.inf)
    first, second = np.partition(far, 1, axis=1)[:, :2].T
    distinct = first > 1e-9 * squares.sum() / len(X)
    first, second = first[distinct], second[distinct]
    logs = 0.5 * np.log(second / first)
    logs = logs[logs > 0]
    if len(logs) < 10:
        return Extent(max(1.0, ratio), np.inf)
    dimension = max(1.0, ratio, float(np.sqrt(ratio * len(logs) / logs.sum())))
    low, middle, high = np.quantile(np.sqrt(first), (0.25, 0.5, 0.75))
    return Extent(dimension, dimension * float((high - low) / middle))
