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
- contact V: did the clusters that were merged last touch each other (see the module `contact`), and
  do those to come not? Mergers with a crumb, a tenth of the mean size at most, do not count.

Each is scaled to 0..1 over all k from 2 on; their sum without the least (so that none has a veto)
is the score, smoothed a little. Two questions come before and after it, on scales of their own: is
there more than one cluster at all (M is greater for some k than for one, or neighbours are unevenly
far)? And, where the criteria disagree, are there clusters that are not round, which only contact
can tell (`shapes`)?
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._jit import TIE
from ..._typing import Floats, Ints
from .contact import contacts_at
from .stages import CROSSING, MODULARITY, SILHOUETTE, SIZES, SQUARES, WITHIN

CRITERIA = ("modularity", "silhouette", "likelihood", "compactness", "contact")

CRUMB = 0.1
"""Share of the mean size of a cluster below which one is a crumb."""
EVEN = 5.0
"""Distances of nearest neighbours vary by this at most, times the dimension, in one cluster: in
single clouds of many kinds 0.8 to 4.6, in small groups 4.2 to 20. Groups of one or two samples are
too small for the likelihood."""
GAP = -2.1
"""In one cluster, all parts of a twentieth of the samples or more touch at least so much."""
NO_CONTACT = -9.0
# What counts of a contact: more than the first is no better inside, less than the second no worse.
TOUCHING, PARTED = -0.5, -2.0


class Decision(NamedTuple):
    """How the number of clusters was found: every number that was looked at, and its score."""

    k: Ints
    """Numbers of clusters."""
    criteria: dict[str, Floats]
    """Each criterion at each k, scaled to 0..1."""
    score: Floats
    chosen: int
    """The number of clusters chosen."""
    reason: str
    """"score": it has the greatest; "one": more than one cluster is no likelier than one; "shapes":
    clusters of that score touch each other; "given": somebody said it; "hints": they leave no
    choice."""


class ShapeRule(NamedTuple):
    """When the question for shapes is asked, and what is an answer.

    Chosen on public data sets (docs/self-tuning.md), where little changes within the ranges given.
    """

    agreed: float = 0.95
    """Not where all criteria but contact are at least so great: then they agree (0.9 to 1)."""
    linked: float = 0.5
    """Modularity must be at least so great: there is something to link (0.4 to 0.6)."""
    dimensions: float = 10.0
    """The samples fill at most so many: in more, hardly any of them lies near a border."""
    fewer: float = 2.0
    """At least so many times fewer clusters: it is about shapes, not about one cluster more."""
    most: float = -2.0
    """Three quarters of the mergers on the way touch at least so much (-2.1 to -1.9),"""
    gap: float = 0.5
    """and all of them more than any to come by so much (0.4 to 0.6);"""
    crossing: float = 0.0045
    """and of all links at most this share is between the clusters (0.004 to 0.009)."""


def criteria_of(
    curve: Floats, contact: Floats, dimension: float, scatter: float
) -> dict[str, Floats]:
    """The five criteria for k = 1 .. len(curve) - 1, as they are defined.

    Where the tree has no such stage, they are NaN.
    """
    rows = curve[1:]
    k, sizes = np.arange(1, len(curve)), rows[:, SIZES:]
    known = sizes.any(axis=1)
    samples = sizes[known][0].sum()
    within = np.maximum(rows[:, WITHIN], 1e-12 * scatter)
    s2 = within / (dimension * np.maximum(samples - k, 1.0))
    shared = samples - rows[:, SQUARES] / samples
    between = (scatter - within) / dimension - (k - 1) * s2
    t2 = np.maximum(0.0, np.divide(between, shared, out=np.zeros(len(k)), where=shared > 0.5))
    used = sizes > 0
    spread = np.log(np.where(used, s2[:, None] + sizes * t2[:, None], 1.0)).sum(axis=1)
    mixture = (sizes * np.log(np.where(used, sizes, samples) / samples)).sum(axis=1)
    likelihood = (
        -dimension / 2 * (samples - k) * np.log(s2)
        - dimension / 2 * spread
        + mixture
        - k / 2 * np.log(samples)
    ) * (2 / (dimension * samples))
    found = {
        "modularity": rows[:, MODULARITY],
        "silhouette": rows[:, SILHOUETTE],
        "likelihood": likelihood,
        "compactness": -np.log(within) - 2 / dimension * np.log(k),
        "contact": contacts(contact, k, samples),
    }
    return {name: np.where(known, values, np.nan) for name, values in found.items()}


def contacts(contact: Floats, k: Ints, samples: float) -> Floats:
    """V: the median of the last three mergers done, less the best of those to come."""
    touched, touching = np.zeros(len(k) + 1), np.full(len(k) + 1, NO_CONTACT)
    contacts_at(contact, CRUMB * samples, touched, touching)
    found = np.minimum(touched, TOUCHING) + np.minimum(-touching, -PARTED)
    return np.asarray(found[1:])


def split_at(contact: Floats, stage: int, size: float) -> tuple[Floats, Floats]:
    """Contacts of mergers done and to come, without crumbs beside clusters of this mean size."""
    value = np.where(contact[:, 1] >= CRUMB * size, contact[:, 0], np.nan)
    done, to_come = value[:stage], value[stage:]
    return done[~np.isnan(done)], to_come[~np.isnan(to_come)]


def scaled(values: Floats) -> Floats:
    """To 0..1; a criterion that cannot tell is 0 everywhere."""
    low, span = values.min(), np.ptp(values)
    return (values - low) / span if span > 0 else np.zeros(len(values))


def score(criteria: dict[str, Floats], k: Ints) -> Floats:
    """The sum of the five, without the least at each k; the mean of all within k/50 of it."""
    table = np.array([criteria[name] for name in CRITERIA])
    total = np.concatenate([[0.0], np.cumsum(table.sum(axis=0) - table.min(axis=0))])
    at, reach = np.arange(len(k)), k // 50
    low, high = np.maximum(at - reach, 0), np.minimum(at + reach + 1, len(k))
    return np.asarray((total[high] - total[low]) / (high - low))


def is_one(likelihood: Floats, contact: Floats, unevenness: float, samples: float) -> bool:
    """Is one cluster at least as likely as any other number, with neither groups nor gaps in it?

    Where one is much likelier, a gap is no reason.
    """
    gain = likelihood[1:].max() - likelihood[0]
    if unevenness > EVEN or not gain <= 0:
        return False
    parts = contact[contact[:, 1] >= 0.05 * samples, 0]
    return bool(gain <= -0.1 or len(parts) == 0 or parts.min() >= GAP)


def shapes(
    contact: Floats, curve: Floats, decision: Decision, samples: float, dimension: float
) -> int | None:
    """Fewer clusters that do not touch, if those decided on do; None if there is nothing like that.

    Asked where the criteria other than contact disagree.
    """
    rule, at = ShapeRule(), int(decision.chosen - decision.k[0])
    agreement = min(decision.criteria[name][at] for name in CRITERIA if name != "contact")
    linked = decision.criteria["modularity"][at] >= rule.linked
    if agreement >= rule.agreed or not linked or dimension > rule.dimensions:
        return None
    count, best, widest = len(contact) + 1, None, 0.0
    for k in range(int(decision.k[0]), int(decision.chosen / rule.fewer) + 1):
        _, later = split_at(contact, count - decision.chosen, samples / k)
        _, to_come = split_at(contact, count - k, samples / k)
        path = later[: len(later) - len(to_come)]
        if len(path) == 0 or len(to_come) == 0 or curve[k, CROSSING] > rule.crossing:
            continue
        gap = path.min() - to_come.max()
        if gap >= max(rule.gap, widest + TIE) and np.quantile(path, 0.25) >= rule.most:
            best, widest = k, gap
    return best


def last_greatest(values: Floats) -> int:
    """Where the greatest is; of equals, beyond rounding, the last."""
    return int(np.flatnonzero(values >= values.max() - 1e-12)[-1])
