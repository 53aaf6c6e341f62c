r"""Decide whether there is more than one cluster, before the number of clusters is chosen.

There is one cluster if there is no evidence for several:

- no number of clusters is much likelier than one (`log_likelihood`): the gain is at most
  `MAX_GAIN`, or at most `MAX_GAIN_WITH_GAP` if the parts show any gap at all. (A small gain alone
  is no evidence, because a single long thin cloud has one, too.)
- distances between neighbours do not vary more than in a cloud (`MAX_UNEVENNESS`), as they do in
  small groups;
- all parts of a twentieth of the samples touch the rest (`LEAST_CONTACT`);
- in no merger of such parts, the samples have two modes when they are projected on the line between
  the parts (Fisher's direction), by Hartigan's dip test. Its statistic is :math:`\sqrt m` times the
  distance between the distribution and the nearest one with a single mode.

For the dip test, the categories are replaced by m = 1024 points in all: normal quantiles around
their means.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from .._jit import jit, jit_entry
from .._typing import Floats, Ints
from .geometry import Geometry, PartitionInput
from .tree import Tree

LEAST_SHARE = 0.05
"""Least share of the samples of a part. Smaller parts are left to `islands`."""
TESTED_MERGERS = 8
"""Number of mergers that are tested, the last ones. With 12, more single clouds are split."""
POINTS = 1024
MAX_DIP = 0.56
"""Greatest dip of one cluster. The .999 quantile for uniform samples is .58."""
MAX_GAIN_WITH_GAP = 0.05
"""Greatest gain of likelihood, per sample and dimension, if there is a gap."""
MAX_GAIN = 0.5
"""Greatest gain if there is no gap. Single clouds of many kinds have at most .41. Above twelve
dimensions, the threshold falls in proportion to 12/d."""
DIP_OF_GAP = 0.25
"""Dip above which there may be a gap: a little above the median for samples with one mode."""
LEAST_CONTACT = -2.7
"""Least contact of parts in one cluster. In single clouds of many kinds it is greater."""
MAX_UNEVENNESS = 10.0
"""Greatest unevenness of one cluster: .8 to 4.6 in single clouds, up to 20 in small groups."""
TRIED_MODES = 40
"""Number of places tried for the mode. With 40, the dip is at most 1/80 too great."""


def why_several(given: PartitionInput, space: Geometry, tree: Tree, gain: float) -> str:
    """The evidence for several clusters, in words; empty if there is none."""
    large = tree.smaller >= LEAST_SHARE * given.n.sum()
    contact = tree.contact[large].min() if large.any() else 0.0
    if given.unevenness > MAX_UNEVENNESS:
        return "neighbours are unevenly far apart, as in small groups"
    if contact < LEAST_CONTACT:
        return f"two large parts hardly touch (contact {contact:.1f})"
    dip = greatest_dip(given, space.coordinates, tree)
    if dip > MAX_DIP:
        return f"there is a gap between two large parts (dip {dip:.2f})"
    without_gap = MAX_GAIN * min(1.0, 12.0 / given.dimension)
    if gain > (MAX_GAIN_WITH_GAP if dip > DIP_OF_GAP else without_gap):
        return f"several are likelier than one by {gain:.2f} per value"
    return ""


def greatest_dip(given: PartitionInput, at: Floats, tree: Tree) -> float:
    """The greatest dip of the last mergers of large parts; stops at the first above MAX_DIP."""
    n, done = given.n, len(tree.merges)
    spread = given.cp / n / max(1.0, min(given.dimension, at.shape[1]))
    home, sides = np.arange(len(n)), []
    for stage, (i, j) in enumerate(tree.merges.tolist()):
        if stage >= done - TESTED_MERGERS and tree.smaller[stage] >= LEAST_SHARE * n.sum():
            sides.append((home == i, home == j))
        home[home == j] = i
    greatest = 0.0
    for one, other in reversed(sides):
        greatest = max(greatest, dip_between(n, at, spread, one, other))
        if greatest > MAX_DIP:
            break
    return greatest


def dip_between(n: Floats, at: Floats, spread: Floats, one: Ints, other: Ints) -> float:
    r"""The dip of two parts, projected on :math:`w = (S_w + \lambda I)^{-1}(\mu_2 - \mu_1)`."""
    d, both = at.shape[1], one | other
    within, means = np.zeros((d, d)), []
    for side in (one, other):
        means.append(n[side] @ at[side] / n[side].sum())
        away = at[side] - means[-1]
        within += (away.T * n[side]) @ away
    samples = n[both].sum()
    within = within / samples + np.eye(d) * (spread[both] @ n[both]) / samples
    difference = means[1] - means[0]
    points = min(samples, POINTS * samples / max(n.sum(), POINTS))
    ridge = (0.05 + 2.0 * min(1.0, d / points)) * np.trace(within) / d
    ridge += 1e-9 * (difference @ difference) + 1e-300
    line = np.linalg.solve(within + ridge * np.eye(d), difference)
    line /= max(np.linalg.norm(line), 1e-300)
    each = np.maximum(1, np.round(n[both] * points / samples).astype(np.int64))
    first = np.repeat(np.cumsum(each) - each, each)
    quantile = ndtri((np.arange(len(first)) - first + 0.5) / np.repeat(each, each))
    x = np.repeat(at[both] @ line, each) + quantile * np.repeat(np.sqrt(spread[both]), each)
    return float(np.sqrt(len(x)) * dip_of(np.sort(x), np.empty(len(x), dtype=np.int64)))


@jit_entry
def dip_of(x: Floats, hull: Ints) -> float:
    """Half the distance to the nearest distribution that is convex up to a mode, then concave."""
    count, best = x.shape[0], 1.0
    for split in range(1, TRIED_MODES):
        mode = count * split // TRIED_MODES
        if mode >= 2 and count - mode >= 2:
            left = distance_from_hull(x, hull, 0, mode + 1, 1.0)
            right = distance_from_hull(x, hull, mode, count, -1.0)
            best = min(best, max(left, right))
    return best / 2.0


@jit
def distance_from_hull(x: Floats, hull: Ints, begin: int, end: int, sign: float) -> float:
    """Distance of the distribution function from its convex (1) or concave (-1) hull on a range."""
    corners, count = 0, x.shape[0]
    for i in range(begin, end):
        # Ends: each round has one corner less.
        while corners >= 2:
            a, b = hull[corners - 2], hull[corners - 1]
            if sign * ((b - a) * (x[i] - x[b]) - (i - b) * (x[b] - x[a])) < 0.0:
                break
            corners -= 1
        hull[corners] = i
        corners += 1
    greatest = 0.0
    for at in range(corners - 1):
        a, b = hull[at], hull[at + 1]
        for i in range(a + 1, b):
            part = (x[i] - x[a]) / (x[b] - x[a]) if x[b] > x[a] else 0.0
            greatest = max(greatest, abs(i - (a + part * (b - a))))
    return float(greatest / count)
