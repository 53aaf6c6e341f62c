r"""Footprints: sample count n, mean and compactness CP of a category or a cluster.

.. math:: CP = \sum_i \|x_i - \mu\|^2

Four verbs, as in the paper: add a sample (Eqs. mean_update to freq_update), merge (mean_m1 to
freq_m1), split off (mean_s1 to freq_s1), and the distances they need. The means are written in the
form ``mean += (other - mean) * share``, which leaves a mean of copies exactly where it is.
"""

import numpy as np

from .._jit import jit, jit_sums
from .._typing import Floats, Ints


@jit_sums
def squared_distance(a: Floats, b: Floats) -> float:
    r""":math:`\|a - b\|^2`.

    >>> squared_distance(np.array([0.0, 3.0]), np.array([4.0, 0.0]))
    25.0
    """
    total = 0.0
    for f in range(a.shape[0]):
        difference = a[f] - b[f]
        total += difference * difference
    return total


@jit_sums
def move_towards(mean: Floats, other: Floats, share: float) -> None:
    """``mean += share * (other - mean)``, in place."""
    for f in range(mean.shape[0]):
        mean[f] += share * (other[f] - mean[f])


@jit
def add_sample(n: Ints, mean: Floats, cp: Floats, i: int, x: Floats) -> None:
    r"""Sample `x` joins footprint `i`.

    .. math:: CP \leftarrow CP + \tfrac{n}{n+1}\|x-\mu\|^2,\quad
              \mu \leftarrow \tfrac{n}{n+1}\mu + \tfrac{1}{n+1}x,\quad n \leftarrow n+1

    >>> n, mean, cp = np.array([1]), np.array([[0.0]]), np.array([0.0])
    >>> add_sample(n, mean, cp, 0, np.array([2.0]))
    >>> n[0].item(), mean[0, 0].item(), cp[0].item()
    (2, 1.0, 2.0)
    """
    count = n[i]
    cp[i] += count / (count + 1.0) * squared_distance(x, mean[i])
    move_towards(mean[i], x, 1.0 / (count + 1.0))
    n[i] = count + 1


@jit
def merge_into(
    n: Ints, mean: Floats, cp: Floats, i: int, other_n: int, other_mean: Floats, other_cp: float
) -> None:
    r"""Another footprint joins footprint `i` (means and counts of *before* on the right).

    .. math:: CP_i \leftarrow CP_i + CP_c + \tfrac{n_i n_c}{n_i+n_c}\|\mu_c-\mu_i\|^2

    >>> n, mean, cp = np.array([1]), np.array([[0.0]]), np.array([0.0])
    >>> merge_into(n, mean, cp, 0, 3, np.array([4.0]), 1.0)
    >>> n[0].item(), mean[0, 0].item(), cp[0].item()
    (4, 3.0, 13.0)
    """
    together = n[i] + other_n
    cp[i] += other_cp + n[i] * other_n / together * squared_distance(other_mean, mean[i])
    move_towards(mean[i], other_mean, other_n / together)
    n[i] = together


@jit
def compactness_without(n: int, cp: float, part_n: int, part_cp: float, distance: float) -> float:
    r"""CP of a footprint after a part is split off; `distance` is between the two means before.

    .. math:: CP_i \leftarrow CP_i - CP_c - \tfrac{n_i n_c}{n_i-n_c}\|\mu_c-\mu_i\|^2
    """
    rest = cp - part_cp - n * part_n / (n - part_n) * distance
    return max(rest, 0.0)


@jit_sums
def mean_without(mean: Floats, n: int, part_mean: Floats, part_n: int, out: Floats) -> None:
    r""":math:`\mu_i \leftarrow \frac{n_i}{n_i-n_c}\mu_i - \frac{n_c}{n_i-n_c}\mu_c`, into `out`."""
    share = part_n / (n - part_n)
    for f in range(mean.shape[0]):
        out[f] = mean[f] + share * (mean[f] - part_mean[f])


@jit_sums
def mean_with(mean: Floats, n: int, part_mean: Floats, part_n: int, out: Floats) -> None:
    r""":math:`\mu_j \leftarrow \frac{n_j}{n_j+n_c}\mu_j + \frac{n_c}{n_j+n_c}\mu_c`, into `out`."""
    share = part_n / (n + part_n)
    for f in range(mean.shape[0]):
        out[f] = mean[f] + share * (part_mean[f] - mean[f])


def footprint_of(points: Floats) -> tuple[int, Floats, float]:
    """Footprint of stored samples, from the definition.

    >>> n, mean, cp = footprint_of(np.array([[0.0], [2.0]]))
    >>> n, mean.tolist(), cp
    (2, [1.0], 2.0)
    """
    mean = points.mean(axis=0)
    return len(points), mean, float(np.sum((points - mean) ** 2))
