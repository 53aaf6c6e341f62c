"""Trees of clusters: compiled loops of `derivation.tree`."""

import math

from ..._jit import jit, jit_entry
from ..._typing import Floats, Ints


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
        if size[i] > 0.0:
            choose_partner(apart, link, size, choice, i)
    # Ends: each round has one cluster less.
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
