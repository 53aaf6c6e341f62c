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
    count, d = space.coordinates.shape
    lists, room = np.empty((3, count), dtype=np.int64), np.empty((3, count))
    merges, children = np.empty((2, count - 1, 2), dtype=np.int64)
    table = _strengths(given, space, link)  # all three functions use it up
    done = grow_tree(given.n, table, *lists, room[0], room[1], merges, children)
    merges, children = merges[:done], children[:done]
    degree, of_mergers = link.sum(axis=1), np.empty((6, done))
    scatter = np.zeros((count, d, d))
    table[:] = link
    mean = space.coordinates.copy()
    measure_contacts(given.n, merges, mean, table, scatter, *room, degree.copy(), of_mergers)
    silhouette, growth = np.empty(done + 1), np.empty(done)
    table[:] = space.between
    walk_up(given.n, given.cp, merges, table, *lists, *room, growth, silhouette)
    crossing, contact, smaller, *of_results = of_mergers
    size, degree, inside = np.hstack([[given.n, degree, np.zeros(count)], of_results])
    taken = np.full(count + done, done)
    taken[children] = np.arange(done)[:, None]
    born = np.maximum(np.arange(1 - count, done + 1), 0)
    nodes = Nodes(size, born, taken, children, degree, inside)
    return Tree(merges, link, crossing, contact, smaller, growth, silhouette, nodes)


def _strengths(given: PartitionInput, space: Geometry, link: Floats) -> Floats:
    """Links as `grow_tree` needs them, which also say what hints ask for."""
    found = link + space.closeness
    held = given.group >= 0
    if held.any():
        found[held & (given.group == given.group[:, None])] = np.inf
        found[given.apart > 0] = -np.inf
    np.fill_diagonal(found, -np.inf)
    return found


def labels_at(tree: Tree, count: int, k: int) -> Ints:
    """The partition into k clusters; each has the number of its first category."""
    home = list(range(count))
    for kept, gone in reversed(tree.merges[: count - k].tolist()):  # the cluster of `kept` is known
        home[gone] = home[kept]
    return np.array(home, dtype=np.int64)
