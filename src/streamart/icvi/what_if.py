"""What would the index be if ...: the questions that module B and the strategies ask.

A sample added to a cluster; two clusters merged; a category moved; a category split off. Nothing is
changed; the cost is that of what would change. All answers are `goodness`: larger is better.

Every question changes at most two clusters, here called a and b (-1 for none). Distances of a mean
that moves on a line between two others follow Stewart's theorem; where that formula cancels, the
distance is computed from the means instead, so that an answer is as good as a fresh computation.
"""

import math
from typing import NamedTuple

import numpy as np

from .._jit import jit
from .._typing import Floats
from . import conn
from .conn import Supposition
from .footprints import compactness_without, mean_with, mean_without, squared_distance
from .partition import GOODNESS, TOPS, WITHIN, Ground, Partition, spread
from .registry import CH, CONN, WB, goodness, pair_quantity

# Below this share of its terms, what is left of a difference has lost too many digits.
_CANCELS = 1e-4


class Bench(NamedTuple):
    """Room for the answers: means and pair quantities of the clusters that would change."""

    mean_a: Floats
    mean_b: Floats
    into_a: Floats  # pair quantity of every other cluster with a, seen from the other cluster
    into_b: Floats
    sample_distance: Floats  # from the sample to every cluster mean


def allocate_bench(clusters: int, d: int) -> Bench:
    return Bench(
        np.zeros(d), np.zeros(d), np.zeros(clusters), np.zeros(clusters), np.zeros(clusters)
    )


@jit
def survey(
    part: Partition,
    bench: Bench,
    a: int,
    b: int,
    peak_a: float,
    peak_b: float,
) -> tuple[float, float]:
    """Greatest pair quantity, and sum over clusters of each one's greatest, if a and b changed.

    `peak_a` is the greatest quantity of a itself, NaN if a would no longer be there.
    """
    peak, total = -math.inf, 0.0
    a_lives, b_lives = not math.isnan(peak_a), not math.isnan(peak_b)
    for c in range(part.k[0]):
        if c == a or c == b:
            continue
        own = -math.inf
        for s in range(TOPS):
            rival = part.top_cluster[c, s]
            if rival >= 0 and rival != a and rival != b:
                own = part.top_value[c, s]
                break
        if a_lives:
            own = max(own, bench.into_a[c])
        if b_lives:
            own = max(own, bench.into_b[c])
        peak = max(peak, own)
        total += own
    if a_lives:
        peak = max(peak, peak_a)
        total += peak_a
    if b_lives:
        peak = max(peak, peak_b)
        total += peak_b
    return peak, total


@jit
def on_the_line(share: float, near: float, far: float, length: float) -> float:
    """Squared distance to the point at `share` of the way between two points (Stewart).

    `near`, `far` are the squared distances to the two points, `length` the one between them. NaN
    where the formula cancels.

    >>> on_the_line(0.5, 4.0, 16.0, 4.0)  # from 0 to the middle of 2 and 4
    9.0
    """
    terms = (1.0 - share) * near + share * far
    result = terms - share * (1.0 - share) * length
    if result < _CANCELS * terms:
        return math.nan
    return result


# ------------------------------------------------------------------ a sample joins a cluster


@jit
def if_sample_added(code: int, part: Partition, ground: Ground, bench: Bench, x: Floats) -> Floats:
    """For every cluster, how good the partition would be if x were in it (SS indices).

    CH and WB answer with minus the growth of WGSS, which orders clusters the same way and keeps
    its digits however long the stream is.
    """
    k = part.k[0]
    foot, all_data = part.foot, ground.all_data
    answer = np.empty(k)
    for c in range(k):
        bench.sample_distance[c] = squared_distance(x, foot.mean[c])
    if code == CH or code == WB:
        for c in range(k):
            answer[c] = -(foot.n[c] / (foot.n[c] + 1.0)) * bench.sample_distance[c]
        return answer
    n_all = all_data.n[0]
    samples = n_all + 1.0
    scatter = all_data.cp[0] + n_all / samples * squared_distance(x, all_data.mean[0])
    for c in range(k):
        share = 1.0 / (foot.n[c] + 1.0)
        growth = foot.n[c] * share * bench.sample_distance[c]
        own = spread(foot.n[c] + 1, foot.cp[c] + growth, scatter)
        peak = -math.inf
        moved = False
        for other in range(k):
            if other == c:
                continue
            distance = on_the_line(
                share,
                part.distance[c, other],
                bench.sample_distance[other],
                bench.sample_distance[c],
            )
            if math.isnan(distance):
                if not moved:
                    mean_with(foot.mean[c], foot.n[c], x, 1, bench.mean_a)
                    moved = True
                distance = squared_distance(bench.mean_a, foot.mean[other])
            theirs = spread(foot.n[other], foot.cp[other], scatter)
            quantity = pair_quantity(code, distance, own, theirs, scatter, samples)
            bench.into_a[other] = quantity
            peak = max(peak, quantity)
        peak, total = survey(part, bench, c, -1, peak, math.nan)
        within = part.stats[WITHIN] + growth
        answer[c] = goodness(code, k, samples, within, scatter, peak, total, 0.0)
    return answer


# ------------------------------------------------------------------ two clusters merge


@jit
def if_merged(code: int, part: Partition, ground: Ground, bench: Bench, i: int, j: int) -> float:
    """How good the partition would be with clusters i and j as one."""
    if code == CONN:
        return _if_merged_conn(part, ground, bench, i, j)
    k = part.k[0]
    foot = part.foot
    samples, scatter = float(ground.all_data.n[0]), ground.all_data.cp[0]
    together = foot.n[i] + foot.n[j]
    share = foot.n[j] / together
    cost = foot.n[i] * share * part.distance[i, j]
    within = part.stats[WITHIN] + cost
    if code == CH or code == WB:
        return goodness(code, k - 1, samples, within, scatter, 0.0, 0.0, 0.0)
    own = spread(together, foot.cp[i] + foot.cp[j] + cost, scatter)
    peak = -math.inf
    moved = False
    for other in range(k):
        if other == i or other == j:
            continue
        distance = on_the_line(
            share, part.distance[i, other], part.distance[j, other], part.distance[i, j]
        )
        if math.isnan(distance):
            if not moved:
                mean_with(foot.mean[i], foot.n[i], foot.mean[j], foot.n[j], bench.mean_a)
                moved = True
            distance = squared_distance(bench.mean_a, foot.mean[other])
        theirs = spread(foot.n[other], foot.cp[other], scatter)
        quantity = pair_quantity(code, distance, own, theirs, scatter, samples)
        bench.into_a[other] = quantity
        peak = max(peak, quantity)
    peak, total = survey(part, bench, i, j, peak, math.nan)
    return goodness(code, k - 1, samples, within, scatter, peak, total, 0.0)


# ------------------------------------------------------------------ a category changes cluster


@jit
def if_moved(
    code: int, part: Partition, ground: Ground, bench: Bench, p: int, target: int
) -> float:
    """How good the partition would be with category p in cluster `target`.

    ``target == k`` asks for a new cluster of its own (split off); a cluster that would lose its
    only category would be gone.
    """
    if code == CONN:
        return _if_moved_conn(part, ground, bench, p, target)
    k = part.k[0]
    foot, cats = part.foot, ground.cats
    samples, scatter = float(ground.all_data.n[0]), ground.all_data.cp[0]
    home = part.label[p]
    alone = part.size[home] == 1
    fresh = target == k
    within = part.stats[WITHIN]

    cp_home = 0.0
    if not alone:
        offset = squared_distance(cats.mean[p], foot.mean[home])
        cp_home = compactness_without(foot.n[home], foot.cp[home], cats.n[p], cats.cp[p], offset)
        if cp_home < _CANCELS * foot.cp[home]:
            cp_home = _gather_without(part, ground, bench, p)
    within += cp_home - foot.cp[home]
    cp_target = cats.cp[p]
    if not fresh:
        offset = squared_distance(cats.mean[p], foot.mean[target])
        together = foot.n[target] + cats.n[p]
        cp_target += foot.cp[target] + foot.n[target] * cats.n[p] / together * offset
        within -= foot.cp[target]
    within += cp_target
    clusters = k - (1 if alone else 0) + (1 if fresh else 0)
    if code == CH or code == WB:
        return goodness(code, clusters, samples, within, scatter, 0.0, 0.0, 0.0)

    n_home, n_target = foot.n[home] - cats.n[p], cats.n[p]
    if not alone:
        mean_without(foot.mean[home], foot.n[home], cats.mean[p], cats.n[p], bench.mean_a)
    if fresh:
        bench.mean_b[:] = cats.mean[p]
    else:
        n_target += foot.n[target]
        mean_with(foot.mean[target], foot.n[target], cats.mean[p], cats.n[p], bench.mean_b)
    spread_home = 0.0
    if not alone:
        spread_home = spread(n_home, cp_home, scatter)
    spread_target = spread(n_target, cp_target, scatter)
    peak_a, peak_b = -math.inf, -math.inf
    for other in range(k):
        if other == home or other == target:
            continue
        theirs = spread(foot.n[other], foot.cp[other], scatter)
        if not alone:
            distance = squared_distance(bench.mean_a, foot.mean[other])
            quantity = pair_quantity(code, distance, spread_home, theirs, scatter, samples)
            bench.into_a[other] = quantity
            peak_a = max(peak_a, quantity)
        distance = squared_distance(bench.mean_b, foot.mean[other])
        quantity = pair_quantity(code, distance, spread_target, theirs, scatter, samples)
        bench.into_b[other] = quantity
        peak_b = max(peak_b, quantity)
    if alone:
        peak_a = math.nan
    else:
        distance = squared_distance(bench.mean_a, bench.mean_b)
        quantity = pair_quantity(code, distance, spread_home, spread_target, scatter, samples)
        peak_a, peak_b = max(peak_a, quantity), max(peak_b, quantity)
    peak, total = survey(part, bench, home, target, peak_a, peak_b)
    return goodness(code, clusters, samples, within, scatter, peak, total, 0.0)


@jit
def _gather_without(part: Partition, ground: Ground, bench: Bench, p: int) -> float:
    """CP of p's cluster without p, added up from the other categories."""
    home = part.label[p]
    foot, cats = part.foot, ground.cats
    mean_without(foot.mean[home], foot.n[home], cats.mean[p], cats.n[p], bench.mean_a)
    total = 0.0
    for q in range(ground.count[0]):
        if q != p and part.label[q] == home:
            total += cats.cp[q] + cats.n[q] * squared_distance(cats.mean[q], bench.mean_a)
    return total


# ------------------------------------------------------------------ the same for the conn_index


@jit
def _inter(part: Partition, ground: Ground, suppose: Supposition, c: int, other: int) -> float:
    return conn.inter(
        ground.links,
        part.label,
        part.attach,
        ground.between,
        ground.count[0],
        suppose,
        c,
        other,
    )


@jit
def _intra(part: Partition, c: int, d_inside: float, d_n: int) -> float:
    """Intra-connectivity of cluster c with so much more inside and so many more samples."""
    return 0.5 * (part.inside[c] + d_inside) / (part.foot.n[c] + d_n)


@jit
def _if_merged_conn(part: Partition, ground: Ground, bench: Bench, i: int, j: int) -> float:
    k = part.k[0]
    suppose = Supposition(-1, -1, i, j, -1, -1)
    across = 0.0
    for p in range(ground.count[0]):
        if part.label[p] == i:
            across += part.attach[p, j]
    peak = 0.0
    together = part.foot.n[i] + part.foot.n[j]
    intra = 0.5 * (part.inside[i] + part.inside[j] + 2.0 * across) / together
    for other in range(k):
        if other == i or other == j:
            continue
        intra += _intra(part, other, 0.0, 0)
        bench.into_a[other] = _inter(part, ground, suppose, other, i)
        peak = max(peak, _inter(part, ground, suppose, i, other))
    peak, total = survey(part, bench, i, j, peak, math.nan)
    return goodness(CONN, k - 1, 0.0, 0.0, 0.0, peak, total, intra)


@jit
def _if_moved_conn(part: Partition, ground: Ground, bench: Bench, p: int, target: int) -> float:
    k = part.k[0]
    links, cats, foot = ground.links, ground.cats, part.foot
    home = part.label[p]
    alone = part.size[home] == 1
    fresh = target == k
    if fresh:
        for q in range(ground.count[0]):
            part.attach[q, k] = 0.0  # the column of the next cluster, free to use
    at = links.head[p]
    while at >= 0:
        if links.to[at] != p:
            ground.between[links.to[at]] = links.weight[at]
        at = links.following[at]
    suppose = Supposition(p, target, -1, -1, -1, -1)
    peak_a, peak_b, intra = 0.0, 0.0, 0.0
    for other in range(k):
        if other == home or other == target:
            continue
        intra += _intra(part, other, 0.0, 0)
        if not alone:
            bench.into_a[other] = _inter(part, ground, suppose, other, home)
            peak_a = max(peak_a, _inter(part, ground, suppose, home, other))
        bench.into_b[other] = _inter(part, ground, suppose, other, target)
        peak_b = max(peak_b, _inter(part, ground, suppose, target, other))
    if alone:
        peak_a = math.nan
    else:
        intra += _intra(part, home, -2.0 * part.attach[p, home], -cats.n[p])
        peak_a = max(peak_a, _inter(part, ground, suppose, home, target))
        peak_b = max(peak_b, _inter(part, ground, suppose, target, home))
    if not fresh:
        intra += (
            0.5
            * (part.inside[target] + 2.0 * part.attach[p, target])
            / (foot.n[target] + cats.n[p])
        )
    at = links.head[p]
    while at >= 0:
        ground.between[links.to[at]] = 0.0
        at = links.following[at]
    peak, total = survey(part, bench, home, target, peak_a, peak_b)
    clusters = k - (1 if alone else 0) + (1 if fresh else 0)
    return goodness(CONN, clusters, 0.0, 0.0, 0.0, peak, total, intra)


@jit
def if_winners(
    part: Partition, ground: Ground, bench: Bench, first: int, second: int, cluster: int
) -> float:
    """conn_index if a sample had these winners (-1 for no second one), counted in `cluster`.

    ``first == count`` is a new category, ``cluster == k`` a new cluster that it opens.
    """
    k = part.k[0]
    categories = ground.count[0]
    foot = part.foot
    fresh = cluster == k
    if first == categories:  # stands in the arrays for the time of the question
        ground.count[0] = categories + 1
        part.label[first] = cluster
        ground.links.head[first] = -1
        for c in range(k + (1 if fresh else 0)):
            part.attach[first, c] = 0.0
    if fresh:
        for q in range(categories):
            part.attach[q, k] = 0.0
    rival = part.label[second] if second >= 0 else cluster
    inside = 2.0 if second >= 0 and rival == cluster else 0.0
    intra = 0.5 * inside if fresh else _intra(part, cluster, inside, 1)
    for other in range(k):
        if other != cluster:
            intra += _intra(part, other, 0.0, 0)
    suppose = conn.as_it_is()
    if second >= 0:
        suppose = Supposition(-1, -1, -1, -1, first, second)
    peak_a, peak_b = 0.0, math.nan
    for other in range(k):
        if other != cluster:
            bench.into_a[other] = _inter(part, ground, suppose, other, cluster)
            peak_a = max(peak_a, _inter(part, ground, suppose, cluster, other))
    b = -1
    if rival != cluster:
        b, peak_b = rival, 0.0
        for other in range(k):
            if other != cluster and other != rival:
                bench.into_b[other] = _inter(part, ground, suppose, other, rival)
                peak_b = max(peak_b, _inter(part, ground, suppose, rival, other))
        peak_b = max(peak_b, bench.into_a[rival])
    ground.count[0] = categories
    peak, total = survey(part, bench, cluster, b, peak_a, peak_b)
    clusters = k + (1 if fresh else 0)
    return goodness(CONN, clusters, 0.0, 0.0, 0.0, peak, total, intra)


@jit
def value_now(part: Partition) -> float:
    """Goodness of the partition as it is."""
    return part.stats[GOODNESS]
