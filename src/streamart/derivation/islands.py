r"""Small clusters beside heavy ones.

The cut weighs by mass, so 200 newcomers beside a million samples do not count. Every cluster J of
the tree with 10 samples or more and less than a twentieth of all is looked at once more, by two
measures:

- its distance from the nearest category outside, J taken as one category, over that of neighbouring
  cells of a cloud, :math:`w = \min_q \frac{\|\mu_J-\mu_q\|^2}{S_J+s_q} / (1 + 12/d)`;
- its contact v with everything outside (`tree.measure_contacts`).

It is an island, a cluster of its own, if w - v/2 is at least `EVIDENCE` and w at least `NEAREST`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._typing import Floats, Ints
from .geometry import PartitionInput, squared_distances
from .one_or_several import PART
from .tree import Tree

LEAST = 10
"""Samples: fewer are outliers. The probability that a place nearer to the rest, equally dense,
stays empty by chance is 2 to the minus 10."""
EVIDENCE = 2.0
"""Among 45,000 parts of 120 single clouds, the greatest was 1.76. w = 2 alone is twice the squared
distance of what is clearly apart. Parts of rings, arcs and trails have up to 2.5; but with that,
every sixth of 200 separate clusters in a plane is missed when the budget is 100."""
NEAREST = 0.3
"""A part that is nearer is none, however few its links: parts of clusters that came one after the
other have few, and w below 0.2."""


def islands_of(given: PartitionInput, tree: Tree) -> Ints:
    """Of each category the number of its island, or -1."""
    count, home = len(given.n), np.full(len(given.n), -1)
    nodes = tree.nodes
    inside = np.zeros((count + len(tree.merges), count), dtype=bool)
    inside[np.arange(count), np.arange(count)] = True
    for at, (a, b) in enumerate(nodes.children.tolist()):
        inside[count + at] = inside[a] | inside[b]
    small = (nodes.size >= LEAST) & (nodes.size < PART * given.n.sum())
    which = np.flatnonzero(small & ~_tears_groups(given.group, inside))
    found = inside[which[_evidence(given, tree, which, inside[which])]]
    for number, part in enumerate(sorted(found, key=np.sum)):
        new, old = part & (home < 0), part & (home >= 0)
        if not old.any() or given.n[new].sum() >= LEAST:
            home[new] = number
        else:  # a few samples around an island
            home[new] = np.bincount(home[old], weights=given.n[old]).argmax()
    return home


def missed_by_cut(islands: Ints, labels: Ints) -> Ints:
    """Only islands inside one cluster of the cut: what the cut takes apart is not joined again.

    Where all clusters are small, several of them together may look like an island.
    """
    found = islands.copy()
    for number in np.unique(islands[islands >= 0]):
        if len(np.unique(labels[islands == number])) > 1:
            found[islands == number] = -1
    return found


def _tears_groups(group: Ints, inside: Any) -> Any:
    """Does a part hold some categories that hints keep together with others outside?"""
    torn = np.zeros(len(inside), dtype=bool)
    for g in np.unique(group[group >= 0]):
        some = inside[:, group == g]
        torn |= some.any(axis=1) & ~some.all(axis=1)
    return torn


def _evidence(given: PartitionInput, tree: Tree, which: Ints, parts: Any) -> Any:
    """Which of these clusters of the tree, whose categories are `parts`, are islands."""
    if not len(which):
        return np.zeros(0, dtype=bool)
    n, member = given.n, parts.astype(float)
    size = member @ n
    centre = (member * n) @ given.mean / size[:, None]
    away = squared_distances(given.mean, centre).T
    width = (member @ given.cp + np.sum(member * n * away, axis=1)) / size
    relative = away / (width[:, None] + given.cp / n + 1e-300)
    w = np.where(parts, np.inf, relative).min(axis=1) / (1.0 + 12.0 / given.dimension)
    inside = tree.nodes.inside[which]
    v = np.log((tree.nodes.degree[which] - 2.0 * inside + 1.0) / (inside + size + 1.0))
    found = (w >= NEAREST) & (w - v / 2.0 >= EVIDENCE)
    for at in np.flatnonzero(found):
        part = np.flatnonzero(parts[at])
        v[at] += np.log(len(part)) / _filled(given, part, centre[at])
    return found & (w - v / 2.0 >= EVIDENCE)


def _filled(given: PartitionInput, part: Ints, centre: Floats) -> float:
    """How many dimensions the means of these categories fill (participation ratio)."""
    x = (given.mean[part] - centre) * np.sqrt(given.n[part])[:, None]
    gram = x @ x.T
    squares = np.sum(gram**2)
    return float(np.trace(gram) ** 2 / squares) if squares > 0 else 1.0
