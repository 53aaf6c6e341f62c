r"""Small clusters beside heavy ones.

The cut weights clusters by their samples, so 200 new samples beside a million hardly count.
Therefore every cluster J of the tree with 10 samples or more, but less than a twentieth of all, is
tested by two measures:

- its distance from the nearest category outside, with J as one category, relative to that of
  neighbouring cells of a cloud, :math:`w = \min_q \frac{\|\mu_J-\mu_q\|^2}{S_J+s_q} / (1 + 12/d)`;
- its contact v with everything outside (`tree.measure_contacts`).

J is an island, a separate cluster, if w - v/2 is at least `EVIDENCE` and w is at least
`LEAST_DISTANCE`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._typing import Floats, Ints
from .geometry import PartitionInput, squared_distances
from .one_or_several import LEAST_SHARE
from .tree import Tree

LEAST_SAMPLES = 10
"""Least number of samples; fewer are outliers. With 10, the probability that an equally dense place
nearer to the rest stays empty by chance is 2 to the power -10."""
EVIDENCE = 2.0
"""Least value of w - v/2. Among 45,000 parts of 120 single clouds, the greatest was 1.76. Parts of
rings, arcs and trails reach 2.5, but with that threshold, one in six of 200 separate clusters in
a plane is missed when the budget is 100."""
LEAST_DISTANCE = 0.3
"""Least value of w, whatever the links. Parts of clusters that arrived one after the other have few
links and w below 0.2."""


def islands_of(given: PartitionInput, tree: Tree) -> Ints:
    """Number of the island of each category, or -1."""
    count, home = len(given.n), np.full(len(given.n), -1)
    nodes = tree.nodes
    inside = np.zeros((count + len(tree.merges), count), dtype=bool)
    inside[np.arange(count), np.arange(count)] = True
    for at, (a, b) in enumerate(nodes.children.tolist()):
        inside[count + at] = inside[a] | inside[b]
    small = (nodes.size >= LEAST_SAMPLES) & (nodes.size < LEAST_SHARE * given.n.sum())
    which = np.flatnonzero(small & ~_separates_groups(given.group, inside))
    found = inside[which[_evidence(given, tree, which, inside[which])]]
    for number, part in enumerate(sorted(found, key=np.sum)):
        new, old = part & (home < 0), part & (home >= 0)
        if not old.any() or given.n[new].sum() >= LEAST_SAMPLES:
            home[new] = number
        else:  # a few samples around an island
            home[new] = np.bincount(home[old], weights=given.n[old]).argmax()
    return home


def missed_by_cut(islands: Ints, labels: Ints) -> Ints:
    """Keep only islands within one cluster of the cut, so that islands do not join clusters again.

    If all clusters are small, several of them together may look like an island.
    """
    found = islands.copy()
    for number in np.unique(islands[islands >= 0]):
        if len(np.unique(labels[islands == number])) > 1:
            found[islands == number] = -1
    return found


def _separates_groups(group: Ints, inside: Any) -> Any:
    """Whether each part contains categories that hints keep together with others outside of it."""
    torn = np.zeros(len(inside), dtype=bool)
    for g in np.unique(group[group >= 0]):
        some = inside[:, group == g]
        torn |= some.any(axis=1) & ~some.all(axis=1)
    return torn


def _evidence(given: PartitionInput, tree: Tree, which: Ints, parts: Any) -> Any:
    """Which clusters of the tree are islands; `parts` has their categories."""
    if not len(which):
        return np.zeros(0, dtype=bool)
    n, samples = given.n, parts * given.n
    size = samples.sum(axis=1)
    centre = samples @ given.mean / size[:, None]
    away = squared_distances(centre, given.mean)
    width = (parts @ given.cp + np.einsum("ij,ij->i", samples, away)) / size
    relative = away / (width[:, None] + given.cp / n + 1e-300)
    w = np.where(parts, np.inf, relative).min(axis=1) / (1.0 + 12.0 / given.dimension)
    inside = tree.nodes.inside[which]
    v = np.log((tree.nodes.degree[which] - 2.0 * inside + 1.0) / (inside + size + 1.0))
    found = (w >= LEAST_DISTANCE) & (w - v / 2.0 >= EVIDENCE)
    for at in np.flatnonzero(found):
        part = np.flatnonzero(parts[at])
        v[at] += np.log(len(part)) / _filled(given, part, centre[at])
    return found & (w - v / 2.0 >= EVIDENCE)


def _filled(given: PartitionInput, part: Ints, centre: Floats) -> float:
    """Number of dimensions that the means of these categories fill (participation ratio)."""
    x = (given.mean[part] - centre) * np.sqrt(given.n[part])[:, None]
    gram = x @ x.T
    squares = np.sum(gram**2)
    return float(np.trace(gram) ** 2 / squares) if squares > 0 else 1.0
