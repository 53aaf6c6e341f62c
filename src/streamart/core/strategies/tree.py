r"""Repartition: the clusters derived anew from all categories, whatever they were before.

Not the paper's. No decision of the past counts, so order matters little and mistakes heal.

With n samples, mean and spread s = CP/n of each category,

.. math:: E_{pq} = \|\mu_p-\mu_q\|^2 + s_p + s_q,\quad \sigma_p = \min_q E_{pq},\quad
          L_{pq} = (CONN_{pq} + K_{pq})\,\min(1, \sqrt{\sigma_p\sigma_q}/E_{pq})

where K counts in how many directions the two are among each other's three nearest (0, 1 or 2), L is
how strongly two categories are linked. A tree joins, again and again, the two clusters with the
strongest links for their size, :math:`L(I,J)/(n_I n_J)`; `cut` says where it ends.

Everything here works on arrays, and needs no network.
"""

import math

from ..._jit import TIE, jit, jit_entry
from ..._typing import Floats, Ints
from ...icvi.footprints import squared_distance
from ...icvi.state import State

# columns of what is known of each number of clusters
WITHIN, SQUARES, MODULARITY, SILHOUETTE, CROSSING, SIZES = 0, 1, 2, 3, 4, 5


@jit_entry
def table_of_links(s: State, place: Ints, conn: Floats) -> None:
    """CONN as a table, categories in their order, without its diagonal."""
    for i in range(s.now[0]["categories"]):
        place[s.order[i]] = i
    for i in range(s.now[0]["categories"]):
        at = s.cat[s.order[i]]["head"]
        while at >= 0:
            j = place[s.link[at]["to"]]
            if j != i:
                conn[i, j] = s.link[at]["weight"]
            at = s.link[at]["following"]


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
    size: Floats,
    choice: Ints,
    merges: Ints,
) -> int:
    """Joins clusters, at first one for each category; returns how many mergers there are.

    A merger is written into `merges`: who stays, who joins it. `far` and `link` are used up: they
    are kept up to date for clusters, as mean and sum over their samples. Categories of one group
    (not -1) are joined before all others; where `apart` is not 0, clusters may not be joined.
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
    for i in range(count):
        if size[i] > 0.0:
            choose_partner(apart, far, link, size, choice, i)
    while done < count - 1:
        best = -1
        for i in range(count):
            if size[i] > 0.0 and choice[i] >= 0:
                if best < 0 or prefers(far, link, size, i, choice[i], best, choice[best]):
                    best = i
        if best < 0:
            break
        i, j = min(best, choice[best]), max(best, choice[best])
        merges[done, 0], merges[done, 1] = i, j
        join_clusters(apart, far, link, size, i, j)
        done += 1
        for other in range(count):
            if size[other] == 0.0:
                continue
            if other == i or choice[other] == i or choice[other] == j:
                choose_partner(apart, far, link, size, choice, other)
            elif apart[other, i] == 0.0:
                partner = choice[other]
                if partner < 0 or not prefers(far, link, size, other, partner, other, i):
                    choose_partner(apart, far, link, size, choice, other)
    return done


@jit
def prefers(far: Floats, link: Floats, size: Floats, i: int, j: int, a: int, b: int) -> bool:
    """Are i and j linked more strongly than a and b, or as strongly and nearer?"""
    one, two = link[i, j] / (size[i] * size[j]), link[a, b] / (size[a] * size[b])
    if abs(one - two) > TIE * max(one, two):
        return one > two
    return far[i, j] < far[a, b] * (1.0 - TIE)


@jit
def choose_partner(
    apart: Floats, far: Floats, link: Floats, size: Floats, choice: Ints, i: int
) -> None:
    found = -1
    for j in range(size.shape[0]):
        if j != i and size[j] > 0.0 and apart[i, j] == 0.0:
            if found < 0 or prefers(far, link, size, i, j, i, found):
                found = j
    choice[i] = found


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


# ------------------------------------------------------------------ what each stage is like


@jit_entry
def walk_up(
    n: Floats,
    cp: Floats,
    merges: Ints,
    distance: Floats,
    link: Floats,
    home: Ints,
    rival: Ints,
    size: Floats,
    degree: Floats,
    curve: Floats,
) -> None:
    r"""Fills the row k of `curve` when there are k clusters, from the last stage on.

    Columns are WITHIN, the scatter within clusters W; SQUARES, :math:`\sum n_i^2`; MODULARITY;
    SILHOUETTE; SURPRISE, of the merger that led there (not for the first stage):
    :math:`\lograc{L_{IJ}+1}{d_I d_J/2m+1}`. `distance` (squared, from each category to each
    cluster's mean) begins as that between categories and is used up, as is `link`. Sizes are
    written from column SIZES on.
    """
    count, most = n.shape[0], curve.shape[0] - 1
    samples, within, total, modularity, inside = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(count):
        home[i] = i
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
        find_rival(distance, home, size, rival, p)
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
            for p in range(count):
                old = rival[p]
                if old in (i, j) or (home[p] != i and distance[p, i] < distance[p, old]):
                    find_rival(distance, home, size, rival, p)
        if k <= most:
            squares = 0.0
            for i in range(count):
                squares += size[i] * size[i]
            curve[k, WITHIN] = within
            curve[k, SQUARES] = squares
            curve[k, MODULARITY] = modularity
            curve[k, CROSSING] = 1.0 - inside / total if total > 0.0 else 0.0
            curve[k, SILHOUETTE] = silhouette(n, cp, distance, home, rival, size) / samples
            write_sizes(curve[k], size)


@jit
def write_sizes(row: Floats, size: Floats) -> None:
    at = SIZES
    for i in range(size.shape[0]):
        if size[i] > 0.0:
            row[at] = size[i]
            at += 1


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
def find_rival(distance: Floats, home: Ints, size: Floats, rival: Ints, p: int) -> None:
    """The nearest cluster to category p that is not its own; its own if there is none."""
    found, least = home[p], math.inf
    for c in range(size.shape[0]):
        if size[c] > 0.0 and c != home[p] and distance[p, c] < least:
            found, least = c, distance[p, c]
    rival[p] = found


@jit
def silhouette(
    n: Floats, cp: Floats, distance: Floats, home: Ints, rival: Ints, size: Floats
) -> float:
    r"""Of samples against means of clusters, :math:`\sum n_p\frac{b_p-a_p}{\max(a_p,b_p)}`.

    a is the root mean squared distance of a category's samples from the mean of their cluster, b
    from the nearest other one. A cluster of one sample adds 0.
    """
    total = 0.0
    for p in range(n.shape[0]):
        own = cp[p] / n[p]
        a, b = math.sqrt(distance[p, home[p]] + own), math.sqrt(distance[p, rival[p]] + own)
        if size[home[p]] > 1.0 and max(a, b) > 0.0:
            total += n[p] * (b - a) / max(a, b)
    return total


# ------------------------------------------------------------------ how well two clusters touch


@jit_entry
def measure_contacts(
    n: Floats,
    merges: Ints,
    distance: Floats,
    link: Floats,
    home: Ints,
    member: Ints,
    size: Floats,
    inside: Floats,
    away: Floats,
    contact: Floats,
) -> None:
    r"""For each merger, how well the two touch, and the samples of the smaller one.

    .. math:: v = \log\frac{L_{IJ}+1}{\min(L_{II}+n_I, L_{JJ}+n_J)+1} + \frac{\log m}{r}

    of the side with the minimum m is the number of categories and r the participation ratio of
    their means, the number of dimensions that it fills: a border grows more slowly than what is
    inside it, by just that. So v is on one scale for clusters of all sizes and shapes. `link` is
    used up.
    """
    count = n.shape[0]
    for i in range(count):
        home[i] = i
        size[i] = n[i]
        inside[i] = 0.0
    for stage in range(merges.shape[0]):
        i, j = merges[stage, 0], merges[stage, 1]
        side = i if inside[i] + size[i] < inside[j] + size[j] else j
        members = 0
        for p in range(count):
            if home[p] == side:
                member[members] = p
                members += 1
        touching = math.log((link[i, j] + 1.0) / (inside[side] + size[side] + 1.0))
        border = math.log(float(members)) / dimensions_of(n, distance, member, members, away)
        contact[stage, 0] = touching + border
        contact[stage, 1] = min(size[i], size[j])
        inside[i] += inside[j] + link[i, j]
        size[i] += size[j]
        for other in range(count):
            link[i, other] += link[j, other]
            link[other, i] = link[i, other]
            if home[other] == j:
                home[other] = i


@jit
def dimensions_of(n: Floats, distance: Floats, member: Ints, members: int, away: Floats) -> float:
    """The participation ratio of the means of some categories, from their squared distances."""
    samples, scatter = 0.0, 0.0
    for i in range(members):
        samples += n[member[i]]
        away[i] = 0.0
        for j in range(members):
            away[i] += n[member[j]] * distance[member[i], member[j]]
    for i in range(members):
        scatter += 0.5 * n[member[i]] * away[i] / samples
    squares = 0.0
    for i in range(members):  # `away` becomes the squared distance from the common mean
        away[i] = (away[i] - scatter) / samples
    for i in range(members):
        for j in range(members):
            product = 0.5 * (away[i] + away[j] - distance[member[i], member[j]])
            squares += n[member[i]] * n[member[j]] * product * product
    return scatter * scatter / squares if squares > 0.0 else 1.0


@jit_entry
def contacts_at(contact: Floats, crumb: float, touched: Floats, touching: Floats) -> None:
    """For each number of clusters: of mergers done, the median of the last three; of those to come,
    the best.

    Only mergers whose smaller side has at least ``crumb / k`` samples count; where there is none,
    what was there stays.
    """
    count = contact.shape[0] + 1
    for k in range(2, min(touched.shape[0], count + 1)):
        stage, found = count - k, 0
        first, second, third = 0.0, 0.0, 0.0
        for at in range(stage, contact.shape[0]):
            if contact[at, 1] * k >= crumb:
                touching[k] = max(touching[k], contact[at, 0])
        for back in range(stage):
            if contact[stage - 1 - back, 1] * k >= crumb and found < 3:
                first, second, third = contact[stage - 1 - back, 0], first, second
                found += 1
        if found == 1:
            touched[k] = first
        elif found == 2:
            touched[k] = 0.5 * (first + second)
        elif found == 3:
            touched[k] = max(min(first, second), min(max(first, second), third))


# ------------------------------------------------------------------ polish


@jit_entry
def move_all(
    n: Floats,
    mean: Floats,
    link: Floats,
    group: Ints,
    centre: Floats,
    size: Floats,
    ties: Floats,
    home: Ints,
    target: Ints,
    least: float,
) -> None:
    """The cluster of least Ward cost for each category, all others staying where they are.

    Only where its links are at least `least` times those at home, and only if no hint holds it; the
    last category of a cluster stays.
    """
    for p in range(n.shape[0]):
        old = home[p]
        target[p] = old
        m = size[old]
        if group[p] >= 0 or m <= n[p]:
            continue
        for c in range(size.shape[0]):
            ties[c] = 0.0
        for q in range(n.shape[0]):
            ties[home[q]] += link[p, q]
        cost = n[p] * m / (m - n[p]) * squared_distance(mean[p], centre[old])
        for c in range(size.shape[0]):
            if c != old and ties[c] > 0.0 and ties[c] >= least * ties[old]:
                share = n[p] * size[c] / (n[p] + size[c])
                other = share * squared_distance(mean[p], centre[c])
                if other < cost * (1.0 - TIE):
                    target[p], cost = c, other
