"""How samples are measured: which scaling suits a stream, and how many dimensions it fills."""

from __future__ import annotations

import numpy as np

from ._typing import Floats


def unit_vectors(X: Floats) -> Floats:
    """Samples scaled to length 1; the null vector stays what it is.

    >>> unit_vectors(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    # By the greatest value first, whose square might be too large or too small.
    greatest = np.abs(X).max(axis=1, keepdims=True)
    X = X / np.where(greatest > 0, greatest, 1.0)
    length = np.sqrt(np.sum(X**2, axis=1, keepdims=True))
    return np.asarray(X / np.where(length > 0, length, 1.0))


def are_embeddings(X: Floats) -> bool:
    """Do these samples look like embeddings, of which only the direction counts?"""
    return bool(X.shape[1] >= 64)


def participation_ratio(centred: Floats) -> float:
    r"""Of the eigenvalues of a scatter matrix, :math:`(\sum\lambda)^2/\sum\lambda^2`: 1 to d.

    >>> participation_ratio(np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]]))
    2.0
    """
    few = centred.shape[0] < centred.shape[1]
    product = centred @ centred.T if few else centred.T @ centred
    trace = float(np.trace(product))
    return trace**2 / float(np.sum(product**2)) if trace > 0 else 1.0


def effective_dimension(X: Floats) -> float:
    r"""How many dimensions samples fill: :math:`\max(1, PR, \sqrt{PR\cdot TwoNN})`.

    PR is the participation ratio of the eigenvalues of their covariance,
    :math:`(\sum\lambda)^2/\sum\lambda^2`; TwoNN the estimate from the distances of the nearest and
    the second nearest neighbour (Facco et al. 2017), left out where fewer than ten samples have
    two different ones.

    >>> line = np.linspace(0, 1, 50)[:, None] ** 2
    >>> round(effective_dimension(line * [1.0, 2.0, 3.0]), 1)
    1.0
    """
    if len(X) < 3:
        return 1.0
    centred = X - X.mean(axis=0)
    ratio, gram = participation_ratio(centred), centred @ centred.T
    squares = np.diag(gram)
    trace = squares.sum()
    far = squares[:, None] + squares - 2 * gram
    np.fill_diagonal(far, np.inf)
    first, second = np.partition(far, 1, axis=1)[:, :2].T
    distinct = first > 1e-9 * trace / len(X)
    logs = 0.5 * np.log(second[distinct] / first[distinct])
    logs = logs[logs > 0]
    if len(logs) < 10:
        return max(1.0, ratio)
    return max(1.0, ratio, float(np.sqrt(ratio * len(logs) / logs.sum())))
