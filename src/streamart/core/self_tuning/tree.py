"""The tree of a partition: which clusters join, from one for each category on.

Joined are, again and again, the two clusters with the strongest links for their size,
L(I,J) / (n_I n_J); of equals the nearest. Categories that hints hold together are joined before all
others, and those that they keep apart are never joined.
"""

import math
from typing import NamedTuple

import numpy as np

from ..._jit import jit, jit_entry
from ..._typing import Floats, Ints
from .links import PartitionInput, squared_distances
from .silhouette import strike_out, walk_up


NEARER = 1e-6
"""Weight of closeness, which decides where links are equally strong, or where there are none: far
below the strength of a single link, far above rounding."""


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


def grown_tree(given: PartitionInput, far: Floats, link: Floats, coordinates: Floats) -> Tree:
    count = len(given.n)
    merges = np.empty((count - 1, 2), dtype=np.int64)
    found, room = np.empty((4, count)), np.empty((3, count))
    lists = np.empty((3, count), dtype=np.int64)
    used = link + NEARER / given.n.sum() ** 2 * closeness(given.n, far)
    done = grow_tree(given.n, given.group, given.apart.copy(), used, lists[0], room[0], merges)
    merges = merges[:done]
    inner = np.zeros((count, coordinates.shape[1], coordinates.shape[1]))
    measure_contacts(given.n, merges, coordinates.copy(), link.copy(), inner, *room, found)
    silhouette = np.empty(done + 1)
    distance = squared_distances(given.mean, given.mean)
    np.fill_diagonal(distance, 0.0)
    walk_up(given.n, given.cp, merges, distance, *lists, *room[:2], found[3], silhouette)
    crossing, contact, smaller, growth = found[:, :done]
    return Tree(merges, link, crossing, contact, smaller, growth, silhouette)


def closeness(n: Floats, far: Floats) -> Floats:
    """For each pair of categories, n m (1 - E / greatest E): its mean decides between equals."""
    finite = np.where(np.isfinite(far), far, 0.0)
    return np.asarray(np.outer(n, n) * (1.0 - finite / max(finite.max(), 1e-300)))


def labels_at(tree: Tree, count: int, k: int) -> Ints:
    """The partition when there are k clusters; each is called by its first category."""
    home = list(range(count))
    for kept, gone in reversed(tree.merges[: count - k].tolist()):  # so that it is known of `kept`
        home[gone] = home[kept]
    return np.array(home, dtype=np.int64)


@jit_entry
def grow_tree(
    n: Floats, group: Ints, apart: Floats, link: Floats, choice: Ints, size: Floats, merges: Ints
) -> int:
    """Returns how many mergers there are.

    `link` and `apart` are used up: they are kept up to date for clusters. `choice` is whom each
    cluster is linked to most strongly.
    """
    count, done = n.shape[0], 0
    for i in range(count):
        size[i] = n[i]
    for i in range(count):
        for j in range(i + 1, count):
            if group[i] >= 0 and group[i] == group[j] and size[i] > 0.0 and size[j] > 0.0:
                merges[done, 0], merges[done, 1] = i, j
                join_clusters(apart, link, size, i, j)
                done += 1
    for i in range(count):
        choose_partner(apart, link, size, choice, i)
    while True:
        best, strongest = -1, 0.0
        for i in range(count):
            if size[i] > 0.0 and choice[i] >= 0:
                strength = strength_of(link, size, i, choice[i])
                if best < 0 or strength > strongest:
                    best, strongest = i, strength
        if best < 0:
            return done
        i, j = min(best, choice[best]), max(best, choice[best])
        merges[done, 0], merges[done, 1] = i, j
        join_clusters(apart, link, size, i, j)
        done += 1
        for other in range(count):
            if size[other] > 0.0 and other != i:
                if choice[other] == i or choice[other] == j:
                    choose_partner(apart, link, size, choice, other)
                elif apart[other, i] == 0.0:
                    partner, strength = choice[other], strength_of(link, size, other, i)
                    if partner < 0 or strength > strength_of(link, size, other, partner):
                        choice[other] = i
        choose_partner(apart, link, size, choice, i)


@jit
def strength_of(link: Floats, size: Floats, i: int, j: int) -> float:
    return float(link[i, j] / (size[i] * size[j]))


@jit
def choose_partner(apart: Floats, link: Floats, size: Floats, choice: Ints, i: int) -> None:
    found, strongest = -1, 0.0
    for j in range(size.shape[0]):
        if j != i and size[j] > 0.0 and apart[i, j] == 0.0:
            strength = strength_of(link, size, i, j)
            if found < 0 or strength > strongest:
                found, strongest = j, strength
    choice[i] = found


@jit
def join_clusters(apart: Floats, link: Floats, size: Floats, i: int, j: int) -> None:
    """Cluster j joins cluster i."""
    for other in range(size.shape[0]):
        if size[other] > 0.0 and other not in (i, j):
            link[i, other] += link[j, other]
            link[other, i] = link[i, other]
            apart[i, other] = max(apart[i, other], apart[j, other])
            apart[other, i] = apart[i, other]
    size[i] += size[j]
    size[j] = 0.0


# ------------------------------------------------------------------ what each merger is like


@jit_entry
def measure_contacts(
    n: Floats,
    merges: Ints,
    mean: Floats,
    link: Floats,
    scatter: Floats,
    size: Floats,
    inside: Floats,
    members: Floats,
    found: Floats,
) -> None:
    r"""For each merger: links between the two, how well they touch, samples of the smaller one.

    .. math:: v = \log\frac{L_{IJ}+1}{\min(L_{II}+n_I, L_{JJ}+n_J)+1} + \frac{\log m}{r}

    of the side with the minimum m is the number of categories and r the participation ratio of
    their means, the number of dimensions that it fills: a border grows more slowly than what is
    inside it, by just that. So v is on one scale for clusters of all sizes and shapes. `mean`,
    `link` and `scatter` (of the means in each cluster) are kept up to date for clusters.
    """
    for i in range(n.shape[0]):
        size[i], inside[i], members[i] = n[i], 0.0, 1.0
    for stage in range(merges.shape[0]):
        i, j = merges[stage, 0], merges[stage, 1]
        side = i if inside[i] + size[i] < inside[j] + size[j] else j
        touching = math.log((link[i, j] + 1.0) / (inside[side] + size[side] + 1.0))
        found[0, stage] = link[i, j]
        found[1, stage] = touching + math.log(members[side]) / participation(scatter[side])
        found[2, stage] = min(size[i], size[j])
        inside[i] += inside[j] + link[i, j]
        members[i] += members[j]
        join_scatters(mean, scatter, size, i, j)
        size[i] += size[j]
        for other in range(n.shape[0]):
            link[i, other] += link[j, other]
            link[other, i] = link[i, other]


@jit
def participation(scatter: Floats) -> float:
    """Over how many dimensions some means are spread; 1 for a single one."""
    trace, squares = 0.0, 0.0
    for f in range(scatter.shape[0]):
        trace += scatter[f, f]
        for g in range(scatter.shape[0]):
            squares += scatter[f, g] * scatter[f, g]
    return trace * trace / squares if squares > 0.0 else 1.0


@jit
def join_scatters(mean: Floats, scatter: Floats, size: Floats, i: int, j: int) -> None:
    part = size[j] / (size[i] + size[j])
    share = size[i] * part
    for f in range(mean.shape[1]):
        for g in range(mean.shape[1]):
            more = share * (mean[j, f] - mean[i, f]) * (mean[j, g] - mean[i, g])
            scatter[i, f, g] += scatter[j, f, g] + more
    for f in range(mean.shape[1]):
        mean[i, f] += part * (mean[j, f] - mean[i, f])
