"""The silhouette of every stage of a tree, from the means of categories and clusters."""

import math

from ..._jit import jit, jit_entry, jit_part
from ..._typing import Floats, Ints


@jit_entry
def walk_up(
    n: Floats,
    cp: Floats,
    merges: Ints,
    distance: Floats,
    alive: Ints,
    home: Ints,
    partner: Ints,
    size: Floats,
    nearest: Floats,
    width: Floats,
    growth: Floats,
    silhouette: Floats,
) -> None:
    """Fills `silhouette` at each stage, and `growth` of the scatter within clusters by each merger.

    `distance` (squared, from each category to each cluster's mean) begins as that between
    categories and is used up. `alive` lists the clusters that there are, in their order, `partner`
    is the one that is `nearest` to each category except its own, and `width` what each category
    adds to the silhouette.
    """
    count, samples, total = n.shape[0], 0.0, 0.0
    for p in range(count):
        home[p], alive[p], size[p] = p, p, n[p]
        samples += n[p]
    for p in range(count):
        find_partner(distance, home, alive, count, partner, nearest, p)
        width[p] = width_of(n, cp, distance, home, nearest, size, p)
        total += width[p]
    silhouette[0] = total / samples
    for stage in range(merges.shape[0]):
        i, j = merges[stage, 0], merges[stage, 1]
        between = join_members(n, distance, home, size, i, j)
        share, left = size[j] / (size[i] + size[j]), count - stage - 1
        growth[stage] = size[i] * share * between
        size[i] += size[j]
        strike_out(alive, left, j)
        for p in range(count):
            moved = (1.0 - share) * distance[p, i] + share * distance[p, j]
            moved = max(moved - share * (1.0 - share) * between, 0.0)
            distance[p, i] = moved
            if home[p] != i and moved < nearest[p]:
                partner[p], nearest[p] = i, moved
            elif partner[p] == i or partner[p] == j:
                find_partner(distance, home, alive, left, partner, nearest, p)
            elif home[p] != i:
                continue
            before = width[p]
            width[p] = width_of(n, cp, distance, home, nearest, size, p)
            total += width[p] - before
        silhouette[stage + 1] = total / samples


@jit
def strike_out(alive: Ints, left: int, gone: int) -> None:
    """Takes a cluster off the list, in which so many are left then."""
    at = 0
    # Ends: the cluster is on the list.
    while alive[at] != gone:
        at += 1
    for place in range(at, left):
        alive[place] = alive[place + 1]


@jit_part
def join_members(n: Floats, distance: Floats, home: Ints, size: Floats, i: int, j: int) -> float:
    """The categories of cluster j join i; returns the squared distance of the two means."""
    found = 0.0
    for p in range(n.shape[0]):
        if home[p] == j:
            found += n[p] * (distance[p, i] - distance[p, j])
            home[p] = i
    return max(found / size[j], 0.0)


@jit
def find_partner(
    distance: Floats, home: Ints, alive: Ints, k: int, partner: Ints, nearest: Floats, p: int
) -> None:
    """The nearest of k clusters to category p that is not its own; its own if there is none."""
    found, least = home[p], math.inf
    for at in range(k):
        c = alive[at]
        if c != home[p] and distance[p, c] < least:
            found, least = c, distance[p, c]
    partner[p], nearest[p] = found, distance[p, found]


@jit
def width_of(
    n: Floats, cp: Floats, distance: Floats, home: Ints, nearest: Floats, size: Floats, p: int
) -> float:
    r"""Of category p in the silhouette, of samples against means: :math:`n\frac{b-a}{\max(a,b)}`.

    a is the root mean squared distance of a category's samples from the mean of their cluster, b
    from the nearest other one. A cluster of one sample adds 0.
    """
    own = cp[p] / n[p]
    a, b = math.sqrt(distance[p, home[p]] + own), math.sqrt(nearest[p] + own)
    if size[home[p]] > 1.0 and max(a, b) > 0.0:
        return float(n[p] * (b - a) / max(a, b))
    return 0.0
