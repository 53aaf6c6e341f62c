"""Repartition: the clusters derived anew from all categories, whatever they were before.

Not the paper's. No decision of the past counts, so order matters little and mistakes heal. A tree
of the categories (`tree`) is cut where it is best (`cut`), and the result polished.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._jit import jit_entry
from ..._typing import Floats, Ints
from ...icvi.batch import conn_index, index_of_footprints
from ...icvi.partition import rebuild
from ...icvi.registry import BY_NAME
from ...icvi.state import LIVE, State
from .. import map_field
from ..corrections import relabel
from ..events import MERGED
from ..identity import settle_ids
from .contact import measure_contacts
from .cut import CRITERIA, Decision, criteria_of, is_one, last_greatest, scaled, score, shapes
from .index_curve import index_curve
from .polish import move_all
from .stages import SIZES, walk_up
from .tree import grow_tree, measure_links

MOVED_TOO_MUCH = 0.05
"""Polishing that moves a greater share of the samples finds clusters that are not round."""
MOST_GIVEN = 1.1
"""Links of a category count at most so many times what was counted, or that share of it: more makes
old clusters safer still, and changes what is found in data without clear clusters."""
ROUNDS = 3
"""Of polishing, at most."""


class Matter(NamedTuple):
    """What a partition is derived from: one row for each category."""

    n: Floats
    mean: Floats
    """As distances are measured."""
    cp: Floats
    conn: Floats
    """How often two were first and second winner together, as a table; 0 on its diagonal."""
    lost: Floats
    """Links between categories that have become one."""
    group: Ints
    """Of hinted samples that are together; -1 for none."""
    apart: Floats
    """1 where a person keeps two categories apart."""
    dimension: float
    """How many dimensions the samples fill."""
    unevenness: float
    """How much distances between neighbours vary; more than in a cloud if there are groups."""


class Tree(NamedTuple):
    """Mergers from one cluster per category on, and what each stage is like."""

    merges: Ints
    link: Floats
    curve: Floats
    """A row for each number of clusters (`stages.walk_up`); 0 where the tree has no such stage."""
    contact: Floats
    """Of each merger: how well the two touch, and the samples of the smaller one."""


def derive(matter: Matter, criterion: str, n_clusters: int | None) -> tuple[Ints, Decision | None]:
    """Cluster of each category, numbered in the order of their first categories.

    The decision is None where there is nothing to decide: fewer than two categories.
    """
    count = len(matter.n)
    if count < 2:
        return np.zeros(count, dtype=np.int64), None
    tree = tree_of(matter)
    decision = decide(matter, tree, criterion, n_clusters)
    labels = labels_at(tree, count, decision.chosen)
    if decision.reason != "shapes":  # the nearest mean says nothing of clusters that are not round
        labels = polished(matter, tree, labels)
    return in_order(labels), decision


def tree_of(matter: Matter) -> Tree:
    n, mean, cp = matter.n, np.ascontiguousarray(matter.mean), matter.cp
    count = len(n)
    far, link = np.empty((count, count)), np.empty((count, count))
    a, b, c = np.empty((3, count))  # room to work, as are these
    i, j, k = np.empty((3, count), dtype=np.int64)
    spread, used = cp / n, np.empty((count, count))  # a new array of this size is dear
    measure_links(mean, spread, links_given_back(matter), a, far, link)
    distance = far - spread[:, None]
    distance -= spread
    np.maximum(distance, 0.0, out=distance)
    np.fill_diagonal(distance, 0.0)
    merges = np.empty((count - 1, 2), dtype=np.int64)
    np.copyto(used, link)
    done = grow_tree(n, matter.group, matter.apart.copy(), far, used, i, j, a, b, merges)
    merges = merges[:done]
    contact, curve = np.empty((done, 2)), np.zeros((_most(matter) + 1, SIZES + count))
    np.copyto(used, link)
    measure_contacts(n, merges, distance, used, i, j, a, b, c, contact)
    np.copyto(used, link)
    walk_up(n, cp, merges, distance, used, i, j, k, a, b, c, curve)
    return Tree(merges, link, curve, contact)


def links_given_back(matter: Matter) -> Floats:
    r"""CONN as if all categories had lost the same share of their links when they merged.

    .. math:: g_p = 1 + \frac{lost_p}{\sum_q CONN_{pq}},\quad h_p = g_p N / \sum_q n_q g_q
              \text{ within } [\tfrac1{1.1}, 1.1],\quad CONN'_{pq} = \sqrt{h_p h_q}\,CONN_{pq}

    What came first was merged most often. Without this it would seem loosely linked, and a cluster
    that came first would be taken apart before two that came later.
    """
    linked = matter.conn.sum(axis=1)
    loss = 1.0 + np.divide(matter.lost, linked, out=np.zeros_like(linked), where=linked > 0.0)
    share = np.clip(loss * (matter.n.sum() / (matter.n @ loss)), 1 / MOST_GIVEN, MOST_GIVEN)
    root = np.sqrt(share)
    given: Floats = matter.conn * root[:, None]
    given *= root
    return given


def _most(matter: Matter) -> int:
    """Clusters are many samples, and several categories."""
    count, samples = len(matter.n), matter.n.sum()
    return int(max(2, min(samples / 3, 3 * count / 4)))


def finest_of(matter: Matter) -> int:
    """The greatest number of clusters: what hints hold together is one."""
    held = matter.group[matter.group >= 0]
    return len(matter.n) - len(held) + len(np.unique(held))


def decide(matter: Matter, tree: Tree, criterion: str, n_clusters: int | None) -> Decision:
    """How many clusters there are."""
    samples = matter.n.sum()
    fewest, finest = len(matter.n) - len(tree.merges), finest_of(matter)
    most = min(len(tree.curve) - 1, finest)
    if n_clusters is not None or fewest > most or finest == 1:
        chosen = fewest if n_clusters is None else max(fewest, min(n_clusters, finest))
        reason = "given" if chosen == n_clusters else "hints"
        return Decision(np.empty(0, dtype=np.int64), {}, np.empty(0), chosen, reason)
    least = max(2, fewest)
    centre = matter.n @ matter.mean / samples
    scatter = matter.cp.sum() + matter.n @ np.sum((matter.mean - centre) ** 2, axis=1)
    if scatter == 0.0:  # all samples are one point
        return Decision(np.empty(0, dtype=np.int64), {}, np.empty(0), fewest, "one")
    raw = criteria_of(tree.curve, tree.contact, matter.dimension, scatter)
    criteria = {name: scaled(values[least - 1 : most]) for name, values in raw.items()}
    ks = np.arange(least, most + 1)
    if criterion == "auto":
        total = score(criteria, ks)
    elif criterion in CRITERIA:
        total = criteria[criterion]
    else:
        footprints = matter.n, matter.mean, matter.cp
        total = index_curve(criterion, *footprints, matter.conn, tree.merges, least, most)
    decision = Decision(ks, criteria, total, least + last_greatest(total), "score")
    if criterion == "auto":
        if fewest == 1 and is_one(raw["likelihood"], tree.contact, matter.unevenness, samples):
            return decision._replace(chosen=1, reason="one")
        fewer = shapes(tree.contact, tree.curve, decision, samples, matter.dimension)
        if fewer is not None:
            return decision._replace(chosen=fewer, reason="shapes")
    return decision


def labels_at(tree: Tree, count: int, k: int) -> Ints:
    """The partition when there are k clusters; each is called by its first category."""
    home = list(range(count))
    for kept, gone in reversed(tree.merges[: count - k].tolist()):  # so that it is known of `kept`
        home[gone] = home[kept]
    return np.array(home, dtype=np.int64)


def in_order(home: Ints) -> Ints:
    """Clusters numbered from 0, in the order in which they first appear."""
    _, first, place = np.unique(home, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[place])


def polished(matter: Matter, tree: Tree, home: Ints) -> Ints:
    """Categories move to where they add least; cautiously if that would move many."""
    before = in_order(home)
    for least in (0.1, 0.5):
        after, k = before, int(before.max()) + 1
        for _ in range(ROUNDS):
            now, after = after, np.empty_like(before)
            centre, size = centres_of(matter, now, k)
            move_all(
                matter.n, matter.mean, tree.link, matter.group, centre, size, np.empty(k), now,
                after, np.bincount(now, minlength=k), least,
            )  # fmt: skip
            if np.array_equal(now, after):
                break
        if matter.n[before != after].sum() <= MOVED_TOO_MUCH * matter.n.sum():
            break
    return after


def centres_of(matter: Matter, labels: Ints, k: int) -> tuple[Floats, Floats]:
    """Mean and number of samples of each of k clusters."""
    size = np.bincount(labels, weights=matter.n, minlength=k).astype(float)
    centre = np.zeros((k, matter.mean.shape[1]))
    np.add.at(centre, labels, matter.n[:, None] * matter.mean)
    return centre / size[:, None], size


def index_of_partition(icvi: str, matter: Matter, labels: Ints) -> float:
    """A validity index, in its own direction; NaN with fewer than two clusters."""
    if BY_NAME[icvi].by_winners:
        return conn_index(matter.conn, labels, matter.n)
    k = int(labels.max()) + 1
    centre, size = centres_of(matter, labels, k)
    away = matter.cp + matter.n * np.sum((matter.mean - centre[labels]) ** 2, axis=1)
    return index_of_footprints(icvi, size, centre, np.bincount(labels, weights=away, minlength=k))


@jit_entry
def adopt_partition(s: State, labels: Ints) -> None:
    """The clusters of the network become these."""
    relabel(s, labels)
    for p in range(s.now[0]["categories"]):
        map_field.write_row(s, p, s.label[LIVE, p], 0.0)
    rebuild(s, LIVE)
    s.now[0]["boxes_changed"] = 1
    settle_ids(s, MERGED)
