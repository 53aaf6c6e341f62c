r"""Where the tree of a repartition is cut: how many clusters there are.

Five criteria look at every number of clusters k. With N samples of effective dimension d, total
scatter T, scatter within clusters W, sizes n_i:

- modularity Q of the links: are there more links inside than by chance?
- silhouette S: are samples nearer to their own mean than to the next one?
- likelihood M: the marginal likelihood of spherical clusters whose means are random, too,

  .. math:: s^2 = \frac{W}{d(N-k)},\quad
            t^2 = \max\Bigl(0, \frac{(T-W)/d-(k-1)s^2}{N-\sum n_i^2/N}\Bigr)

  .. math:: M = \frac{2}{dN}\Bigl[-\frac d2(N-k)\log s^2 - \frac d2\sum\log(s^2+n_it^2)
            + \sum n_i\log\frac{n_i}{N} - \frac k2\log N\Bigr]

- compactness :math:`G = -\log W - \frac2d\log k`: is W less than k points in d dimensions explain?
- surprise J: were the last mergers natural (more links than by chance), and those to come not?

Each is scaled to 0..1 over all k.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._typing import Floats, Ints
from .tree import MODULARITY, SILHOUETTE, SIZES, SQUARES, WITHIN

CRITERIA = ("modularity", "silhouette", "likelihood", "compactness", "surprise")


class Decision(NamedTuple):
    """How the number of clusters was found: every number that was looked at, and its score."""

    k: Ints
    """Numbers of clusters."""
    criteria: dict[str, Floats]
    """Each criterion at each k, scaled to 0..1."""
    score: Floats
    chosen: int
    """The number of clusters chosen: one with the greatest score, unless somebody said it."""


def criteria_of(
    curve: Floats, ratio: Floats, least: int, dimension: float, scatter: float
) -> dict[str, Floats]:
    """The five criteria for k = least .. len(curve) - 1, as they are defined."""
    k = np.arange(least, len(curve))
    rows = curve[least:]
    sizes = rows[:, SIZES:]
    samples = sizes[0].sum()
    floor = 1e-12 * scatter
    within = np.maximum(rows[:, WITHIN], floor)
    s2 = within / (dimension * np.maximum(samples - k, 1.0))
    shared = np.maximum(samples - rows[:, SQUARES] / samples, 1e-300)
    t2 = np.maximum(0.0, ((scatter - within) / dimension - (k - 1) * s2) / shared)
    used = sizes > 0
    spread = np.log(np.where(used, s2[:, None] + sizes * t2[:, None], 1.0)).sum(axis=1)
    mixture = (sizes * np.log(np.where(used, sizes, samples) / samples)).sum(axis=1)
    likelihood = (
        -dimension / 2 * (samples - k) * np.log(s2)
        - dimension / 2 * spread
        + mixture
        - k / 2 * np.log(samples)
    ) * (2 / (dimension * samples))
    return {
        "modularity": rows[:, MODULARITY],
        "silhouette": rows[:, SILHOUETTE],
        "likelihood": likelihood,
        "compactness": -np.log(within) - 2 / dimension * np.log(k),
        "surprise": surprise(ratio, k),
    }


def surprise(ratio: Floats, k: Ints) -> Floats:
    """J: the median of the last three mergers done, less the greatest of those to come.

    Each counts as 2 at most. The ratio of the merger that led to k clusters is ``ratio[k]``; NaN
    where no merger did.
    """
    to_come = np.maximum.accumulate(np.where(np.isnan(ratio), -np.inf, ratio))[k - 1]
    done = np.array([_median(ratio[stage : stage + 3]) for stage in k])
    return np.minimum(done, 2.0) + np.minimum(-to_come, 2.0)


def _median(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else 0.0


def scaled(values: Floats) -> Floats:
    """To 0..1; a criterion that cannot tell is 0 everywhere."""
    low, span = values.min(), np.ptp(values)
    return (values - low) / span if span > 0 else np.zeros(len(values))


def score(criteria: dict[str, Floats]) -> Floats:
    """The sum of the five, scaled, without the worst at each k: none has a veto."""
    table = np.array([criteria[name] for name in CRITERIA])
    return np.asarray(table.sum(axis=0) - table.min(axis=0))


def last_greatest(values: Floats) -> int:
    """Where the greatest is; of equals, beyond rounding, the last."""
    return int(np.flatnonzero(values >= values.max() - 1e-12)[-1])
