r"""Repartition: the clusters derived anew from all categories, whatever they were before.

Not the paper's. No decision of the past counts, so order matters little and mistakes heal.

With n samples, mean and spread s = CP/n of each category,

.. math:: E_{pq} = \|\mu_p-\mu_q\|^2 + s_p + s_q,\quad \sigma_p = \min_q E_{pq},\quad
          L_{pq} = (CONN'_{pq} + K_{pq})\,\min(1, \sqrt{\sigma_p\sigma_q}/E_{pq})

where K counts in how many directions the two are among each other's three nearest (0, 1 or 2),
CONN' is CONN with what mergers of categories took from it given back
(`repartition.links_given_back`), and L is how strongly two categories are linked. A tree joins,
again and again, the two clusters with the strongest links for their size,
:math:`L(I,J)/(n_I n_J)`; `cut` says where it ends.

Everything here works on arrays, and needs no network.
"""

import math

from ..._jit import TIE, jit, jit_entry
from ..._typing import Floats, Ints
from ...icvi.footprints import squared_distance


@jit_entry
def measure_links(
    mean: Floats, spread: Floats, conn: Floats, sigma: Floats, far: Floats, link: Floats
) -> None:
    """E into `far`, L into `link`."""
    count = spread.shape[0]
    for i in range(count):
        far[i, i] = math.inf
        link[i, i] = 0.0
        for j in range(i):
            far[i, j] = squared_distance(mean[i], mean[j]) + spread[i] + spread[j]
            far[j, i] = far[i, j]
            link[i, j] = conn[i, j]
            link[j, i] = conn[i, j]
    for i in range(count):
        first = nearest_but(far, i, i, i)
        second = nearest_but(far, i, first, first)
        third = nearest_but(far, i, first, second)
        sigma[i] = far[i, first]
        for near in (first, second, third):
            if near != i:  # there are fewer than three others
                link[i, near] += 1.0
                link[near, i] += 1.0
    for i in range(count):
        for j in range(i):
            if link[i, j] == 0.0:
                continue
            reach = math.sqrt(sigma[i] * sigma[j])
            if reach < far[i, j]:
                link[i, j] *= reach / far[i, j]
            link[j, i] = link[i, j]


@jit
def nearest_but(far: Floats, i: int, one: int, other: int) -> int:
    """The nearest to i that is neither of these two; of equals, beyond rounding, the first."""
    found = i  # which is infinitely far from itself
    for j in range(far.shape[0]):
        if j not in (one, other) and far[i, j] < far[i, found] * (1.0 - TIE):
            found = j
    return found


# ------------------------------------------------------------------ the tree


@jit_entry
def grow_tree(
    n: Floats,
    group: Ints,
    apart: Floats,
    far: Floats,
    link: Floats,
    choice: Ints,
    alive: Ints,
    size: Floats,
    strength: Floats,
    merges: Ints,
) -> int:
    """Joins clusters, at first one for each category; returns how many mergers there are.

    A merger is written into `merges`: who stays, who joins it. `far` and `link` are used up: they
    are kept up to date for clusters, as mean and sum over their samples. Categories of one group
    (not -1) are joined before all others; where `apart` is not 0, clusters may not be joined.
    `choice` is whom each cluster is linked to most strongly, how `strength` says; `alive` lists the
    clusters that there are, in their order.
    """
    count, done = n.shape[0], 0
    for i in range(count):
        size[i] = n[i]
    for i in range(count):
        for j in range(i + 1, count):
            if group[i] >= 0 and group[i] == group[j] and size[i] > 0.0 and size[j] > 0.0:
                merges[done, 0], merges[done, 1] = i, j
                join_clusters(apart, far, link, size, i, j)
                done += 1
    left = 0
    for i in range(count):
        if size[i] > 0.0:
            alive[left] = i
            left += 1
    for at in range(left):
        choose_partner(apart, far, link, size, alive, left, choice, strength, alive[at])
    while left > 1:
        best = -1
        for at in range(left):
            i = alive[at]
            if choice[i] >= 0 and (
                best < 0
                or is_before(
                    strength[i], far[i, choice[i]], strength[best], far[best, choice[best]]
                )
            ):
                best = i
        if best < 0:
            break
        i, j = min(best, choice[best]), max(best, choice[best])
        merges[done, 0], merges[done, 1] = i, j
        join_clusters(apart, far, link, size, i, j)
        done += 1
        left -= 1
        strike_out(alive, left, j)
        for at in range(left):
            other = alive[at]
            if other == i or choice[other] == i or choice[other] == j:
                choose_partner(apart, far, link, size, alive, left, choice, strength, other)
            elif apart[other, i] == 0.0:
                partner, this = choice[other], strength_of(link, size, other, i)
                if partner < 0 or not is_before(
                    strength[other], far[other, partner], this, far[other, i]
                ):
                    choose_partner(apart, far, link, size, alive, left, choice, strength, other)
    return done


@jit
def strength_of(link: Floats, size: Floats, i: int, j: int) -> float:
    """How strongly two clusters are linked."""
    return float(link[i, j] / (size[i] * size[j]))


@jit
def is_before(strength: float, far: float, of_others: float, far_of_others: float) -> bool:
    """Are two clusters linked more strongly than two others, or as strongly and nearer?"""
    if abs(strength - of_others) > TIE * max(strength, of_others):
        return strength > of_others
    return far < far_of_others * (1.0 - TIE)


@jit
def choose_partner(
    apart: Floats,
    far: Floats,
    link: Floats,
    size: Floats,
    alive: Ints,
    left: int,
    choice: Ints,
    strength: Floats,
    i: int,
) -> None:
    found, strongest = -1, 0.0
    for at in range(left):
        j = alive[at]
        if j != i and apart[i, j] == 0.0:
            this = strength_of(link, size, i, j)
            if found < 0 or is_before(this, far[i, j], strongest, far[i, found]):
                found, strongest = j, this
    choice[i] = found
    strength[i] = strongest


@jit
def strike_out(alive: Ints, left: int, gone: int) -> None:
    """Takes a cluster off the list, in which so many are left then."""
    at = 0
    while alive[at] != gone:
        at += 1
    for place in range(at, left):
        alive[place] = alive[place + 1]


@jit
def join_clusters(apart: Floats, far: Floats, link: Floats, size: Floats, i: int, j: int) -> None:
    """Cluster j joins cluster i."""
    share = size[j] / (size[i] + size[j])
    for other in range(size.shape[0]):
        if size[other] > 0.0 and other not in (i, j):
            link[i, other] += link[j, other]
            link[other, i] = link[i, other]
            far[i, other] += share * (far[j, other] - far[i, other])
            far[other, i] = far[i, other]
            apart[i, other] = max(apart[i, other], apart[j, other])
            apart[other, i] = apart[i, other]
    size[i] += size[j]
    size[j] = 0.0
