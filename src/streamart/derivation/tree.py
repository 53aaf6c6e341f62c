"""The tree of a partition: which clusters join, from one for each category on.

Joined are, again and again, the two clusters with the strongest links for their size,
L(I,J) / (n_I n_J); of equals the nearest. Categories that hints hold together are joined before all
others, and those that they keep apart are never joined.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._typing import Floats, Ints
from ..core.self_tuning.silhouette import walk_up
from ..core.self_tuning.tree import grow_tree, measure_contacts
from .geometry import Geometry, PartitionInput

NEARER = 1e-6
"""Weight of closeness, which decides where links are equally strong, or where there are none: far
below the strength of a single link, far above rounding."""


class Nodes(NamedTuple):
    """All clusters of a tree: the categories, then the result of each merger."""

    size: Floats
    born: Ints
    """Mergers before it is there."""
    taken: Ints
    """The merger that takes it; the number of mergers for one that is never taken."""
    children: Ints
    degree: Floats
    """Links of its categories, those inside counted from both ends,"""
    inside: Floats
    """and those inside, counted once."""


def nodes_of(n: Floats, merges: Ints, link: Floats, crossing: Floats) -> Nodes:
    count, done = len(n), len(merges)
    size, degree, inside = n.tolist(), link.sum(axis=1).tolist(), [0.0] * count
    node, children = list(range(count)), []
    for stage, (i, j) in enumerate(merges.tolist()):
        a, b = node[i], node[j]
        children.append((a, b))
        size.append(size[a] + size[b])
        degree.append(degree[a] + degree[b])
        inside.append(inside[a] + inside[b] + float(crossing[stage]))
        node[i] = count + stage
    pairs = np.array(children, dtype=np.int64).reshape(-1, 2)
    taken = np.full(count + done, done)
    taken[pairs.ravel()] = np.repeat(np.arange(done), 2)
    born = np.r_[np.zeros(count, dtype=np.int64), np.arange(1, done + 1)]
    return Nodes(np.array(size), born, taken, pairs, np.array(degree), np.array(inside))


class Tree(NamedTuple):
    """Mergers, and what is known of each."""

    merges: Ints
    """Who stays, who joins it; a cluster is called by the category with the least number."""
    link: Floats
    """L of the categories."""
    crossing: Floats
    """Links between the two."""
    contact: Floats
    """How well the two touch."""
    smaller: Floats
    """Samples of the smaller one."""
    growth: Floats
    """What the scatter within clusters grows by."""
    silhouette: Floats
    """Before each merger, and after the last."""
    nodes: Nodes


def grown_tree(given: PartitionInput, space: Geometry, link: Floats) -> Tree:
    count, coordinates = len(given.n), space.coordinates
    merges = np.empty((count - 1, 2), dtype=np.int64)
    found, room = np.empty((4, count)), np.empty((3, count))
    lists = np.empty((3, count), dtype=np.int64)
    used = link + NEARER / given.n.sum() ** 2 * space.closeness
    done = grow_tree(given.n, given.group, given.apart.copy(), used, lists[0], room[0], merges)
    merges = merges[:done]
    inner = np.zeros((count, coordinates.shape[1], coordinates.shape[1]))
    means, links = coordinates.copy(), link.copy()
    measure_contacts(given.n, merges, means, links, inner, room[0], room[1], room[2], found)
    silhouette, distance = np.empty(done + 1), space.between.copy()
    home, rival, alive = lists
    size, width, growth = room[0], room[1], found[3]
    walk_up(
        given.n, given.cp, merges, distance, home, rival, alive, size, width, growth, silhouette
    )
    crossing, contact, smaller, growth = found[:, :done]
    nodes = nodes_of(given.n, merges, link, crossing)
    return Tree(merges, link, crossing, contact, smaller, growth, silhouette, nodes)


def labels_at(tree: Tree, count: int, k: int) -> Ints:
    """The partition when there are k clusters; each is called by its first category."""
    home = list(range(count))
    for kept, gone in reversed(tree.merges[: count - k].tolist()):  # so that it is known of `kept`
        home[gone] = home[kept]
    return np.array(home, dtype=np.int64)
