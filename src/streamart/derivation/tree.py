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

CLOSENESS_WEIGHT = 1e-6
"""Weight of closeness, which decides if links are equally strong or absent. It is far below the
strength of a single link and far above rounding."""


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
    count, coordinates = len(given.n), space.coordinates
    merges = np.empty((count - 1, 2), dtype=np.int64)
    found, room = np.empty((4, count)), np.empty((3, count))
    lists = np.empty((3, count), dtype=np.int64)
    used = link + CLOSENESS_WEIGHT / given.n.sum() ** 2 * space.closeness
    done = grow_tree(given.n, given.group, given.apart.copy(), used, lists[0], room[0], merges)
    merges = merges[:done]
    inner = np.zeros((count, coordinates.shape[1], coordinates.shape[1]))
    means, links = coordinates.copy(), link.copy()
    measure_contacts(given.n, merges, means, links, inner, room[0], room[1], room[2], found)
    silhouette, distance = np.empty(done + 1), space.between.copy()
    home, partner, alive = lists
    size, width, growth = room[0], room[1], found[3]
    walk_up(
        given.n, given.cp, merges, distance, home, partner, alive, size, width, growth, silhouette
    )
    crossing, contact, smaller, growth = found[:, :done]
    nodes = nodes_of(given.n, merges, link, crossing)
    return Tree(merges, link, crossing, contact, smaller, growth, silhouette, nodes)


def labels_at(tree: Tree, count: int, k: int) -> Ints:
    """The partition into k clusters; each has the number of its first category."""
    home = list(range(count))
    for kept, gone in reversed(tree.merges[: count - k].tolist()):  # the cluster of `kept` is known
        home[gone] = home[kept]
    return np.array(home, dtype=np.int64)
