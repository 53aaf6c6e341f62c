"""A partition of categories into clusters, with every variable of the index cached.

What is cached, for k clusters:

- footprints (n, mean, CP) of each cluster and the squared distances between their means;
- the *pair quantities* that the index takes maxima of (`registry.pair_quantity`, or I(c, l) of the
  conn_index) and, for each cluster, its three greatest ones: enough to know the maximum when any
  one or two other clusters change;
- for the conn_index, `attach[p, c]`, the sum of CONN from category p into cluster c, and `inside`,
  the same from a cluster into itself.

CH and WB need no pairs, the conn_index no distances: what is not needed has length 0.
"""

import math
from typing import NamedTuple

import numpy as np

from .._jit import jit
from .._typing import Floats, Ints
from . import conn
from .compare import without_noise
from .footprints import merge_into, squared_distance
from .links import Links
from .registry import CH, CONN, WB, goodness, pair_quantity


class Footprints(NamedTuple):
    """n, mean and CP of several things: categories, clusters, or (one row) all data."""

    n: Ints
    mean: Floats
    cp: Floats


class Ground(NamedTuple):
    """What a partition stands on: the categories and how they are connected."""

    cats: Footprints
    links: Links
    all_data: Footprints  # one row
    count: Ints  # one element: number of categories
    between: Floats  # room for CONN(p, q) of one category q


class Partition(NamedTuple):
    """Which category belongs to which cluster, and what follows from that."""

    label: Ints  # cluster of each category
    size: Ints  # categories of each cluster
    foot: Footprints  # of each cluster
    distance: Floats
    pair: Floats
    top_value: Floats
    top_cluster: Ints
    attach: Floats
    inside: Floats
    k: Ints  # one element
    stats: Floats  # WITHIN, GOODNESS


WITHIN, GOODNESS = 0, 1
TOPS = 3


def allocate_footprints(rows: int, d: int) -> Footprints:
    return Footprints(np.zeros(rows, dtype=np.int64), np.zeros((rows, d)), np.zeros(rows))


def allocate_partition(code: int, clusters: int, categories: int, d: int) -> Partition:
    """Room for so many clusters and categories, nothing in it."""
    pairs = 0 if code in (CH, WB) else clusters
    graph = code == CONN
    distances = 0 if graph else clusters
    return Partition(
        label=np.zeros(categories, dtype=np.int64),
        size=np.zeros(clusters, dtype=np.int64),
        foot=allocate_footprints(clusters, d),
        distance=np.zeros((distances, distances)),
        pair=np.zeros((pairs, pairs)),
        top_value=np.zeros((pairs, TOPS)),
        top_cluster=np.zeros((pairs, TOPS), dtype=np.int64),
        attach=np.zeros((categories if graph else 0, clusters if graph else 0)),
        inside=np.zeros(clusters if graph else 0),
        k=np.zeros(1, dtype=np.int64),
        stats=np.full(2, math.nan),
    )


@jit
def copy_partition(code: int, source: Partition, target: Partition, categories: int) -> None:
    """Copy what is in use; both must have room for it."""
    k = source.k[0]
    target.k[0] = k
    target.stats[:] = source.stats
    for p in range(categories):
        target.label[p] = source.label[p]
    for c in range(k):
        target.size[c] = source.size[c]
        target.foot.n[c] = source.foot.n[c]
        target.foot.cp[c] = source.foot.cp[c]
        target.foot.mean[c] = source.foot.mean[c]
        if code == CONN:
            target.inside[c] = source.inside[c]
            for p in range(categories):
                target.attach[p, c] = source.attach[p, c]
        else:
            for other in range(k):
                target.distance[c, other] = source.distance[c, other]
        if code != CH and code != WB:
            for other in range(k):
                target.pair[c, other] = source.pair[c, other]
            for s in range(TOPS):
                target.top_value[c, s] = source.top_value[c, s]
                target.top_cluster[c, s] = source.top_cluster[c, s]


@jit
def spread(n: int, cp: float, scatter: float) -> float:
    """CP/n of a cluster, exactly 0 for a cluster of copies."""
    return without_noise(cp, scatter) / n


# ------------------------------------------------------------------ caches, one cluster at a time


@jit
def find_tops(part: Partition, c: int) -> None:
    """The three greatest pair quantities of cluster c, anew."""
    k = part.k[0]
    value, cluster = part.top_value[c], part.top_cluster[c]
    for s in range(TOPS):
        value[s] = -math.inf
        cluster[s] = -1
    for other in range(k):
        if other != c:
            insert_top(value, cluster, part.pair[c, other], other)


@jit
def insert_top(value: Floats, cluster: Ints, candidate: float, other: int) -> None:
    at = TOPS
    while at > 0 and (cluster[at - 1] < 0 or candidate > value[at - 1]):
        at -= 1
    if at == TOPS:
        return
    for s in range(TOPS - 1, at, -1):
        value[s] = value[s - 1]
        cluster[s] = cluster[s - 1]
    value[at] = candidate
    cluster[at] = other


@jit
def measure_cluster(
    code: int,
    part: Partition,
    ground: Ground,
    c: int,
) -> None:
    """Bring everything cached about cluster c and its pairs up to date, exactly."""
    k = part.k[0]
    if code == CONN:
        total = 0.0
        for p in range(ground.count[0]):
            if part.label[p] == c:
                total += part.attach[p, c]
        part.inside[c] = total
    else:
        for other in range(k):
            if other != c:
                distance = squared_distance(part.foot.mean[c], part.foot.mean[other])
                part.distance[c, other] = distance
                part.distance[other, c] = distance
    if code == CH or code == WB:
        return
    scatter, samples = ground.all_data.cp[0], float(ground.all_data.n[0])
    suppose = conn.as_it_is()
    own = 0.0
    if code != CONN:
        own = spread(part.foot.n[c], part.foot.cp[c], scatter)
    for other in range(k):
        if other == c:
            continue
        if code == CONN:
            part.pair[c, other] = conn.inter(
                ground.links,
                part.label,
                part.attach,
                ground.between,
                ground.count[0],
                suppose,
                c,
                other,
            )
            part.pair[other, c] = conn.inter(
                ground.links,
                part.label,
                part.attach,
                ground.between,
                ground.count[0],
                suppose,
                other,
                c,
            )
        else:
            theirs = spread(part.foot.n[other], part.foot.cp[other], scatter)
            quantity = pair_quantity(code, part.distance[c, other], own, theirs, scatter, samples)
            part.pair[c, other] = quantity
            part.pair[other, c] = quantity
        replace_top(part, other, c)
    find_tops(part, c)


@jit
def replace_top(part: Partition, row: int, changed: int) -> None:
    """The pair (row, changed) has a new quantity: keep the tops of `row` right."""
    value, cluster = part.top_value[row], part.top_cluster[row]
    for s in range(TOPS):
        if cluster[s] == changed:
            find_tops(part, row)
            return
    insert_top(value, cluster, part.pair[row, changed], changed)


@jit
def sum_up(code: int, part: Partition, ground: Ground) -> None:
    """WGSS and the index value of the partition, from the caches."""
    k = part.k[0]
    within = 0.0
    for c in range(k):
        within += part.foot.cp[c]
    peak, total, intra = -math.inf, 0.0, 0.0
    if code != CH and code != WB and k > 1:
        for c in range(k):
            peak = max(peak, part.top_value[c, 0])
            total += part.top_value[c, 0]
    if code == CONN:
        for c in range(k):
            intra += 0.5 * part.inside[c] / part.foot.n[c]
    all_data = ground.all_data
    part.stats[WITHIN] = within
    part.stats[GOODNESS] = goodness(
        code, k, float(all_data.n[0]), within, all_data.cp[0], peak, total, intra
    )


# ------------------------------------------------------------------ changes of the partition


@jit
def gather_footprint(part: Partition, ground: Ground, c: int) -> None:
    """Footprint of cluster c as the merger of its categories'.

    Taking a part away by the formula would leave the rounding errors of the larger cluster in the
    smaller one; adding up does not.
    """
    cats, foot = ground.cats, part.foot
    foot.n[c] = 0
    for p in range(ground.count[0]):
        if part.label[p] != c:
            continue
        if foot.n[c] == 0:
            foot.n[c] = cats.n[p]
            foot.cp[c] = cats.cp[p]
            foot.mean[c] = cats.mean[p]
        else:
            merge_into(foot.n, foot.mean, foot.cp, c, cats.n[p], cats.mean[p], cats.cp[p])


@jit
def relabel_category(code: int, part: Partition, ground: Ground, p: int, target: int) -> None:
    """Category p belongs to `target` from now on: label, sizes and attachments."""
    home = part.label[p]
    part.label[p] = target
    part.size[home] -= 1
    part.size[target] += 1
    links = ground.links
    if code == CONN:
        at = links.head[p]
        while at >= 0:
            q = links.to[at]
            if q != p:
                part.attach[q, home] -= links.weight[at]
                part.attach[q, target] += links.weight[at]
            at = links.following[at]


@jit
def open_cluster(code: int, part: Partition, ground: Ground) -> int:
    """A new, empty cluster in the last place."""
    c = part.k[0]
    part.k[0] = c + 1
    part.size[c] = 0
    part.foot.n[c] = 0
    part.foot.cp[c] = 0.0
    part.foot.mean[c] = 0.0
    if code == CONN:
        part.inside[c] = 0.0
        for p in range(ground.count[0]):
            part.attach[p, c] = 0.0
    return c


@jit
def close_cluster(code: int, part: Partition, ground: Ground, gone: int) -> None:
    """Cluster `gone` has no category left: later clusters move up by one place."""
    last = part.k[0] - 1
    part.k[0] = last
    for p in range(ground.count[0]):
        if part.label[p] > gone:
            part.label[p] -= 1
        if code == CONN:
            for c in range(gone, last):
                part.attach[p, c] = part.attach[p, c + 1]
    for c in range(gone, last):
        part.size[c] = part.size[c + 1]
        part.foot.n[c] = part.foot.n[c + 1]
        part.foot.cp[c] = part.foot.cp[c + 1]
        part.foot.mean[c] = part.foot.mean[c + 1]
        if code == CONN:
            part.inside[c] = part.inside[c + 1]
    if code != CONN:
        remove_row_and_column(part.distance, gone, last)
    if code != CH and code != WB:
        remove_row_and_column(part.pair, gone, last)
        for c in range(last):
            find_tops(part, c)


@jit
def remove_row_and_column(matrix: Floats, gone: int, last: int) -> None:
    for row in range(last):
        source = row + 1 if row >= gone else row
        for column in range(gone):
            matrix[row, column] = matrix[source, column]
        for column in range(gone, last):
            matrix[row, column] = matrix[source, column + 1]


@jit
def merge_clusters(
    code: int,
    part: Partition,
    ground: Ground,
    i: int,
    j: int,
) -> None:
    """Cluster j joins cluster i < j, which keeps its place."""
    foot = part.foot
    merge_into(foot.n, foot.mean, foot.cp, i, foot.n[j], foot.mean[j], foot.cp[j])
    part.size[i] += part.size[j]
    part.size[j] = 0
    for p in range(ground.count[0]):
        if part.label[p] == j:
            part.label[p] = i
        if code == CONN:
            part.attach[p, i] += part.attach[p, j]
    close_cluster(code, part, ground, j)
    measure_cluster(code, part, ground, i)
    sum_up(code, part, ground)


@jit
def move_category(
    code: int,
    part: Partition,
    ground: Ground,
    p: int,
    target: int,
) -> int:
    """Category p goes to cluster `target`; returns where `target` stands afterwards."""
    home = part.label[p]
    relabel_category(code, part, ground, p, target)
    gather_footprint(part, ground, target)
    if part.size[home] == 0:
        close_cluster(code, part, ground, home)
        if target > home:
            target -= 1
    else:
        gather_footprint(part, ground, home)
        measure_cluster(code, part, ground, home)
    measure_cluster(code, part, ground, target)
    sum_up(code, part, ground)
    return target


@jit
def split_category_off(
    code: int,
    part: Partition,
    ground: Ground,
    p: int,
) -> int:
    """Category p becomes a cluster of its own, in the last place; returns that place."""
    target = open_cluster(code, part, ground)
    return move_category(code, part, ground, p, target)


@jit
def rebuild(
    code: int,
    part: Partition,
    ground: Ground,
    k: int,
) -> None:
    """Everything from the labels alone."""
    part.k[0] = k
    for c in range(k):
        part.size[c] = 0
    for p in range(ground.count[0]):
        part.size[part.label[p]] += 1
    if code == CONN:
        for p in range(ground.count[0]):
            for c in range(k):
                part.attach[p, c] = 0.0
            links = ground.links
            at = links.head[p]
            while at >= 0:
                if links.to[at] != p:
                    part.attach[p, part.label[links.to[at]]] += links.weight[at]
                at = links.following[at]
    for c in range(k):
        gather_footprint(part, ground, c)
    for c in range(k):
        measure_cluster(code, part, ground, c)
    if code != CH and code != WB:
        for c in range(k):
            find_tops(part, c)
    sum_up(code, part, ground)
