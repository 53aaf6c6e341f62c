"""The silhouette of every stage of a tree, from the means of categories and clusters."""

import math

from ..._jit import jit, jit_entry
from ..._typing import Floats, Ints


@jit_entry
def walk_up(
    n: Floats,
    cp: Floats,
    merges: Ints,
    distance: Floats,
    home: Ints,
    partner: Ints,
    alive: Ints,
    size: Floats,
    width: Floats,
    growth: Floats,
    silhouette: Floats,
) -> None:
    """Fills `silhouette` at each stage, and `growth` of the scatter within clusters by each merger.

    `distance` (squared, from each category to each cluster's mean) begins as that between
    categories and is used up. `alive` lists the clusters that there are, in their order, and
    `width` what each category adds to the silhouette.
    """
    count, samples = n.shape[0], 0.0
    for p in range(count):
        home[p] = p
        alive[p] = p
        size[p] = n[p]
        samples += n[p]
    for p in range(count):
        find_partner(distance, home, alive, count, partner, p)
        width[p] = width_of(n, cp, distance, home, partner, size, p)
    for stage in range(merges.shape[0] + 1):
        k = count - stage
        if stage > 0:
            i, j = merges[stage - 1, 0], merges[stage - 1, 1]
            growth[stage - 1] = join_means(n, distance, home, size, i, j)
            size[i] += size[j]
            size[j] = 0.0
            strike_out(alive, k, j)
            for p in range(count):
                old, anew = partner[p], home[p] == i
                if old in (i, j) or (not anew and distance[p, i] < distance[p, old]):
                    find_partner(distance, home, alive, k, partner, p)
                    anew = True
                if anew:
                    width[p] = width_of(n, cp, distance, home, partner, size, p)
        total = 0.0
        for p in range(count):
            total += width[p]
        silhouette[stage] = total / samples


@jit
def strike_out(alive: Ints, left: int, gone: int) -> None:
    """Takes a cluster off the list, in which so many are left then."""
    at = 0
    # Ends: the cluster is on the list.
    while alive[at] != gone:
        at += 1
    for place in range(at, left):
        alive[place] = alive[place + 1]


@jit
def join_means(n: Floats, distance: Floats, home: Ints, size: Floats, i: int, j: int) -> float:
    """Cluster j joins i: distances from the common mean; returns what the scatter grows by."""
    between = 0.0
    for p in range(n.shape[0]):
        if home[p] == j:
            between += n[p] * (distance[p, i] - distance[p, j])
            home[p] = i
    between = max(between / size[j], 0.0)
    share = size[j] / (size[i] + size[j])
    for p in range(n.shape[0]):
        moved = (1.0 - share) * distance[p, i] + share * distance[p, j]
        distance[p, i] = max(moved - share * (1.0 - share) * between, 0.0)
    return size[i] * share * between


@jit
def find_partner(distance: Floats, home: Ints, alive: Ints, k: int, partner: Ints, p: int) -> None:
    """The nearest of k clusters to category p that is not its own; its own if there is none."""
    found, least = home[p], math.inf
    for at in range(k):
        c = alive[at]
        if c != home[p] and distance[p, c] < least:
            found, least = c, distance[p, c]
    partner[p] = found


@jit
def width_of(
    n: Floats, cp: Floats, distance: Floats, home: Ints, partner: Ints, size: Floats, p: int
) -> float:
    r"""Of category p in the silhouette, of samples against means: :math:`n\frac{b-a}{\max(a,b)}`.

    a is the root mean squared distance of a category's samples from the mean of their cluster, b
    from the nearest other one. A cluster of one sample adds 0.
    """
    own = cp[p] / n[p]
    a, b = math.sqrt(distance[p, home[p]] + own), math.sqrt(distance[p, partner[p]] + own)
    if size[home[p]] > 1.0 and max(a, b) > 0.0:
        return float(n[p] * (b - a) / max(a, b))
    return 0.0
