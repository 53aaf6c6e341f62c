"""What each stage of a tree is like: what the criteria need to know of every number of clusters."""

import math

from ..._jit import jit, jit_entry
from ..._typing import Floats, Ints
from .tree import strike_out

# columns of what is known of each number of clusters
WITHIN, SQUARES, MODULARITY, SILHOUETTE, CROSSING, SIZES = 0, 1, 2, 3, 4, 5


@jit_entry
def walk_up(
    n: Floats,
    cp: Floats,
    merges: Ints,
    distance: Floats,
    link: Floats,
    home: Ints,
    rival: Ints,
    alive: Ints,
    size: Floats,
    degree: Floats,
    width: Floats,
    curve: Floats,
) -> None:
    r"""Fills the row k of `curve` when there are k clusters, from the last stage on.

    Columns are WITHIN, the scatter within clusters W; SQUARES, :math:`\sum n_i^2`; MODULARITY;
    SILHOUETTE; CROSSING, the share of CONN that is between clusters. `distance` (squared, from each
    category to each cluster's mean) begins as that between categories and is used up, as is `link`.
    Sizes are written from column SIZES on. `alive` lists the clusters that there are, in their
    order, and `width` what each category adds to the silhouette.
    """
    count, most = n.shape[0], curve.shape[0] - 1
    samples, within, total, modularity, inside = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(count):
        home[i] = i
        alive[i] = i
        size[i] = n[i]
        samples += n[i]
        within += cp[i]
        degree[i] = 0.0
        for j in range(count):
            degree[i] += link[i, j]
        total += degree[i]
    for i in range(count):
        if total > 0.0:
            modularity -= degree[i] / total * (degree[i] / total)
    for p in range(count):
        find_rival(distance, home, alive, count, rival, p)
        width[p] = width_of(n, cp, distance, home, rival, size, p)
    for stage in range(merges.shape[0] + 1):
        k = count - stage
        if stage > 0:
            i, j = merges[stage - 1, 0], merges[stage - 1, 1]
            inside += 2.0 * link[i, j]
            if total > 0.0:
                modularity += 2.0 * (link[i, j] - degree[i] * degree[j] / total) / total
            within += join_means(n, distance, home, size, i, j)
            for other in range(count):
                link[i, other] += link[j, other]
                link[other, i] = link[i, other]
            degree[i] += degree[j]
            size[i] += size[j]
            size[j] = 0.0
            strike_out(alive, k, j)
            for p in range(count):
                old, anew = rival[p], home[p] == i
                if old in (i, j) or (not anew and distance[p, i] < distance[p, old]):
                    find_rival(distance, home, alive, k, rival, p)
                    anew = True
                if anew:
                    width[p] = width_of(n, cp, distance, home, rival, size, p)
        if k <= most:
            squares, silhouette = 0.0, 0.0
            for at in range(k):
                squares += size[alive[at]] * size[alive[at]]
            for p in range(count):
                silhouette += width[p]
            curve[k, WITHIN] = within
            curve[k, SQUARES] = squares
            curve[k, MODULARITY] = modularity
            curve[k, CROSSING] = 1.0 - inside / total if total > 0.0 else 0.0
            curve[k, SILHOUETTE] = silhouette / samples
            for at in range(k):
                curve[k, SIZES + at] = size[alive[at]]


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
def find_rival(distance: Floats, home: Ints, alive: Ints, k: int, rival: Ints, p: int) -> None:
    """The nearest of k clusters to category p that is not its own; its own if there is none."""
    found, least = home[p], math.inf
    for at in range(k):
        c = alive[at]
        if c != home[p] and distance[p, c] < least:
            found, least = c, distance[p, c]
    rival[p] = found


@jit
def width_of(
    n: Floats, cp: Floats, distance: Floats, home: Ints, rival: Ints, size: Floats, p: int
) -> float:
    r"""Of category p in the silhouette, of samples against means: :math:`n\frac{b-a}{\max(a,b)}`.

    a is the root mean squared distance of a category's samples from the mean of their cluster, b
    from the nearest other one. A cluster of one sample adds 0.
    """
    own = cp[p] / n[p]
    a, b = math.sqrt(distance[p, home[p]] + own), math.sqrt(distance[p, rival[p]] + own)
    if size[home[p]] > 1.0 and max(a, b) > 0.0:
        return float(n[p] * (b - a) / max(a, b))
    return 0.0
