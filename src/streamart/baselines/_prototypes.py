"""Compiled parts of the k-means rivals: the nearest prototype, and the step towards a sample."""

from .._jit import TIE, jit, jit_entry
from .._typing import Floats, Ints
from ..icvi.footprints import move_towards, squared_distance


@jit
def nearest(centres: Floats, k: int, x: Floats) -> int:
    """Of the first k prototypes, the nearest to x; the first of equals."""
    best, least = 0, squared_distance(centres[0], x)
    for j in range(1, k):
        distance = squared_distance(centres[j], x)
        if distance < least * (1.0 - TIE):
            best, least = j, distance
    return best


@jit
def step_to(centres: Floats, counts: Ints, k: int, x: Floats) -> int:
    r"""Sequential k-means: the nearest prototype learns x; returns which.

    .. math:: n_j \leftarrow n_j + 1,\quad v_j \leftarrow v_j + \frac{1}{n_j}(x - v_j)
    """
    j = nearest(centres, k, x)
    counts[j] += 1
    move_towards(centres[j], x, 1.0 / counts[j])
    return j


@jit_entry
def nearest_of_all(centres: Floats, k: int, X: Floats, labels: Ints) -> None:
    """The nearest prototype of each sample."""
    for t in range(X.shape[0]):
        labels[t] = nearest(centres, k, X[t])
