r"""Footprints: sample count n, mean and compactness CP of a category or a cluster.

.. math:: CP = \sum_i \|x_i - \mu\|^2

Four verbs, as in the paper: add a sample (Eqs. mean_update to freq_update), merge (mean_m1 to
freq_m1), split off (mean_s1 to freq_s1), and the distances they need. The means are written in the
form ``mean += (other - mean) * share``, which leaves a mean of copies exactly where it is.
"""

import math

from .._jit import jit, jit_sums
from .._typing import Floats, Record

# Below this share of its terms, what is left of a difference has lost too many digits.
CANCELS = 0.05


@jit
def assign(target: Floats, source: Floats) -> None:
    """``target[:] = source``, without the temporary that a compiled slice assignment makes."""
    for f in range(target.shape[0]):
        target[f] = source[f]


@jit_sums
def squared_distance(a: Floats, b: Floats) -> float:
    r""":math:`\|a - b\|^2`."""
    total = 0.0
    for f in range(a.shape[0]):
        difference = a[f] - b[f]
        total += difference * difference
    return total


@jit
def on_the_line(share: float, near: float, far: float, length: float) -> float:
    """Squared distance to the point at `share` of the way between two points (Stewart's theorem).

    A negative share is a point before the first one.

    `near`, `far` are the squared distances to the two points, `length` the one between them. NaN
    where the formula cancels.

    >>> on_the_line(0.5, 1.0, 9.0, 4.0)
    4.0
    """
    result = (1.0 - share) * near + share * far - share * (1.0 - share) * length
    if result < CANCELS * ((1.0 - share) * near + abs(share) * far):
        return math.nan
    return result


@jit_sums
def move_towards(mean: Floats, other: Floats, share: float) -> None:
    """``mean += share * (other - mean)``, in place."""
    for f in range(mean.shape[0]):
        mean[f] += share * (other[f] - mean[f])


@jit
def add_sample(foot: Record, mean: Floats, x: Floats) -> None:
    r"""Sample `x` joins a footprint, which may be empty; `foot` has the fields n and cp.

    .. math:: CP \leftarrow CP + \tfrac{n}{n+1}\|x-\mu\|^2,\quad
              \mu \leftarrow \tfrac{n}{n+1}\mu + \tfrac{1}{n+1}x,\quad n \leftarrow n+1
    """
    n = foot["n"]
    foot["n"] = n + 1
    if n == 0:
        foot["cp"] = 0.0
        assign(mean, x)
        return
    foot["cp"] += n / (n + 1.0) * squared_distance(x, mean)
    move_towards(mean, x, 1.0 / (n + 1.0))


@jit
def merge_into(
    foot: Record, mean: Floats, other_n: int, other_cp: float, other_mean: Floats
) -> None:
    r"""Another footprint joins this one, which may be empty (all of *before* on the right).

    .. math:: CP_i \leftarrow CP_i + CP_c + \tfrac{n_i n_c}{n_i+n_c}\|\mu_c-\mu_i\|^2
    """
    n = foot["n"]
    foot["n"] = n + other_n
    if n == 0:
        foot["cp"] = other_cp
        assign(mean, other_mean)
        return
    share = other_n / (n + other_n)
    foot["cp"] += other_cp + n * share * squared_distance(other_mean, mean)
    move_towards(mean, other_mean, share)


@jit
def ward_cost(n: int, m: int, distance: float) -> float:
    """What WGSS rises by if footprints of n and m samples merge, at this squared distance.

    >>> ward_cost(1, 3, 4.0)
    3.0
    """
    return float(n) * float(m) / float(n + m) * distance


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
