"""The tree of mergers, which begins with one cluster for each category.

Each step merges the two clusters with the strongest links for their size, L(I,J) / (n_I n_J); of
equals, the nearest. Categories that hints keep together are merged before all others, and those
that hints keep apart are never merged.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._typing import Floats, Ints
from ..core.self_tuning.silhouette import walk_up
from ..core.self_tuning.tree import grow_tree, measure_contacts
from .geometry import Geometry, PartitionInput


class Nodes(NamedTuple):
    """All clusters of a tree: the categories, then the result of each merger."""

    size: Floats
    born: Ints
    """Number of mergers before the cluster exists."""
    taken: Ints
    """The merger that takes in the cluster; the number of mergers if there is none."""
    children: Ints
    degree: Floats
    """Links of its categories; those inside are counted from both ends."""
    inside: Floats
    """Links inside, counted once."""


class Tree(NamedTuple):
    """The mergers and their properties."""

    merges: Ints
    """The cluster that stays and the one that joins it. A cluster has the number of its first
    category."""
    link: Floats
    """L of the categories."""
    crossing: Floats
    """Links between the two clusters."""
    contact: Floats
    """Contact of the two clusters."""
    smaller: Floats
    """Number of samples of the smaller cluster."""
    growth: Floats
    """Growth of the scatter within clusters."""
    silhouette: Floats
    """Silhouette before each merger, and after the last."""
    nodes: Nodes


def grown_tree(given: PartitionInput, space: Geometry, link: Floats) -> Tree:
    n, (count, d) = given.n, space.coordinates.shape
    alive, first, second = np.empty((3, count), dtype=np.int64)  # scratch, as are these:
    one, two, three = np.empty((3, count))
    merges, children = np.empty((2, count - 1, 2), dtype=np.int64)
    table = _strengths(given, space, link)  # each of the three functions uses it up
    done = grow_tree(n, table, alive, first, second, one, two, merges, children)
    merges, children = merges[:done], children[:done]
    table[:], mean, scatter = link, space.coordinates.copy(), np.zeros((count, d, d))
    degree, found = link.sum(axis=1), np.empty((6, done))
    measure_contacts(n, merges, mean, table, scatter, one, two, three, degree.copy(), found)
    table[:], silhouette, growth = space.between, np.empty(done + 1), np.empty(done)
    walk_up(n, given.cp, merges, table, alive, first, second, one, two, three, growth, silhouette)
    crossing, contact, smaller = found[:3]
    size, degree, inside = np.hstack([[n, degree, np.zeros(count)], found[3:]])
    taken = np.full(count + done, done)
    taken[children] = np.arange(done)[:, None]
    born = np.maximum(np.arange(1 - count, done + 1), 0)
    nodes = Nodes(size, born, taken, children, degree, inside)
    return Tree(merges, link, crossing, contact, smaller, growth, silhouette, nodes)


def _strengths(given: PartitionInput, space: Geometry, link: Floats) -> Floats:
    """Links plus closeness; infinite where hints keep two together, minus infinity where they keep
    them apart, and on the diagonal."""
    found = link + space.closeness
    held = given.group >= 0
    if held.any():
        found[given.apart > 0] = -np.inf
        found[held & (given.group == given.group[:, None])] = np.inf
    np.fill_diagonal(found, -np.inf)
    return found


def labels_at(tree: Tree, count: int, k: int) -> Ints:
    """The partition into k clusters; each has the number of its first category."""
    home = list(range(count))
    for kept, gone in reversed(tree.merges[: count - k].tolist()):  # the cluster of `kept` is known
        home[gone] = home[kept]
    return np.array(home, dtype=np.int64)
