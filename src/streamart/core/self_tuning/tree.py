"""Trees of clusters: compiled loops of `derivation.tree`."""

import math

from ..._jit import jit, jit_entry, jit_part
from ..._typing import Floats, Ints
from .silhouette import strike_out


@jit_entry
def grow_tree(
    n: Floats,
    link: Floats,
    alive: Ints,
    node: Ints,
    choice: Ints,
    size: Floats,
    strength: Floats,
    merges: Ints,
    children: Ints,
) -> int:
    """Returns how many mergers there are.

    `link` is infinite for those that must merge, and minus infinity for those that must not and on
    the diagonal. It is used up: it is kept up to date for clusters. `alive` lists the clusters that
    there are, in their order, `choice` is whom each is linked to most strongly, and `node` its
    number among all clusters of the tree, as in `children`.
    """
    left, done = n.shape[0], 0
    for i in range(left):
        alive[i], node[i], size[i] = i, i, n[i]
    for i in range(left):
        choose_partner(link, size, alive, left, choice, strength, i)
    # Ends: each round has one cluster less.
    while True:
        i, strongest = -1, -math.inf
        for at in range(left):
            if strength[alive[at]] > strongest:
                i = alive[at]
                strongest = strength[i]
        if i < 0:
            return done
        i, j = min(i, choice[i]), max(i, choice[i])
        merges[done, 0], merges[done, 1] = i, j
        children[done, 0], children[done, 1] = node[i], node[j]
        node[i] = n.shape[0] + done
        done += 1
        left -= 1
        strike_out(alive, left, j)
        size[i] += size[j]
        for at in range(left):
            other = alive[at]
            if other != i:
                link[i, other] += link[j, other]
                link[other, i] = link[i, other]
        for at in range(left):
            other = alive[at]
            joint = link[i, other] / (size[i] * size[other])
            if other == i or choice[other] == i or choice[other] == j:
                choose_partner(link, size, alive, left, choice, strength, other)
            elif joint > strength[other]:
                choice[other], strength[other] = i, joint


@jit
def choose_partner(
    link: Floats, size: Floats, alive: Ints, left: int, choice: Ints, strength: Floats, i: int
) -> None:
    found, strongest = -1, -math.inf
    for at in range(left):
        j = alive[at]
        joint = link[i, j] / (size[i] * size[j])
        if joint > strongest:
            found, strongest = j, joint
    choice[i], strength[i] = found, strongest


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
    degree: Floats,
    found: Floats,
) -> None:
    r"""For each merger: links between the two, how well they touch, samples of the smaller one;
    samples, links, and links inside of the cluster that results.

    .. math:: v = \log\frac{L_{IJ}+1}{\min(L_{II}+n_I, L_{JJ}+n_J)+1} + \frac{\log m}{r}

    of the side with the minimum m is the number of categories and r the participation ratio of
    their means, the number of dimensions that it fills: a border grows more slowly than what is
    inside it, by just that. So v is on one scale for clusters of all sizes and shapes. `mean`,
    `link`, `scatter` (of the means in each cluster) and `degree` (the links of each) begin as those
    of categories and are kept up to date for clusters.
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
        degree[i] += degree[j]
        found[3, stage], found[4, stage], found[5, stage] = size[i], degree[i], inside[i]
        for other in range(n.shape[0]):
            link[i, other] += link[j, other]
            link[other, i] = link[i, other]


@jit_part
def participation(scatter: Floats) -> float:
    """Over how many dimensions some means are spread; 1 for a single one."""
    trace, squares = 0.0, 0.0
    for f in range(scatter.shape[0]):
        trace += scatter[f, f]
        for g in range(scatter.shape[0]):
            squares += scatter[f, g] * scatter[f, g]
    return trace * trace / squares if squares > 0.0 else 1.0


@jit_part
def join_scatters(mean: Floats, scatter: Floats, size: Floats, i: int, j: int) -> None:
    part = size[j] / (size[i] + size[j])
    share = size[i] * part
    for f in range(mean.shape[1]):
        for g in range(mean.shape[1]):
            more = share * (mean[j, f] - mean[i, f]) * (mean[j, g] - mean[i, g])
            scatter[i, f, g] += scatter[j, f, g] + more
    for f in range(mean.shape[1]):
        mean[i, f] += part * (mean[j, f] - mean[i, f])
