"""The clusters derived from categories: as defined, and what must not matter does not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import run_both
from naive import repartition as naive
from random_streams import blobs
from streamart import ICVITopoARTMAP
from streamart.core.strategies import cut
from streamart.core.strategies.repartition import (
    Matter,
    decide,
    derive,
    index_of_partition,
    labels_at,
    tree_of,
)
from streamart.data import make_stream
from streamart.icvi.registry import BY_NAME
from support import COMPILED

CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def free_matter(n, mean, cp, conn, dimension):
    """Matter of which nobody has said anything."""
    count = len(n)
    lost = conn.diagonal().copy()
    conn = conn - np.diag(lost)
    group, apart = np.full(count, -1), np.zeros((count, count))
    return Matter(n, mean, cp, conn, lost, group, apart, dimension, 0.0)


def matter_of(seed, count=None, d=None, grid=False):
    """Categories of some clusters: sizes, means, compactness and links as streams leave them."""
    rng = np.random.default_rng(seed)
    count = count or int(rng.integers(4, 18 if COMPILED else 12))
    d = d or int(rng.integers(1, 5))
    centres = rng.normal(size=(3, d)) * 8
    mean = centres[rng.integers(3, size=count)] + rng.normal(size=(count, d))
    n = rng.integers(1, 9, size=count).astype(float)
    cp = np.where(n > 1, rng.uniform(0, 1, count) * n, 0.0)
    conn = rng.integers(0, 4, size=(count, count)) * (rng.random((count, count)) < 0.4)
    conn = np.triu(conn) + np.triu(conn, 1).T
    if grid:  # ties everywhere, exact in binary
        mean, cp, n = np.round(mean), np.zeros(count), np.ones(count)
    return free_matter(n, mean, cp, conn.astype(float), float(rng.uniform(1, d + 0.5)))


def hinted(matter, seed):
    """The same, with groups and pairs that are kept apart."""
    rng = np.random.default_rng(seed)
    group = np.where(rng.random(len(matter.n)) < 0.3, rng.integers(0, 3, len(matter.n)), -1)
    apart = np.zeros((len(matter.n),) * 2)
    for a, b in [(0, 1), (1, 2)]:
        apart[np.ix_(group == a, group == b)] = 1
        apart[np.ix_(group == b, group == a)] = 1
    return matter._replace(group=group, apart=apart)


@pytest.mark.parametrize("with_hints", [False, True])
@pytest.mark.parametrize("grid", [False, True])
@given(number=st.integers(0, 10**6))
def test_tree_and_criteria_are_as_defined(grid, with_hints, number):
    matter = matter_of(number, grid=grid)
    if with_hints:
        matter = hinted(matter, number)
    n, mean, cp = matter.n, matter.mean, matter.cp
    tree = tree_of(matter)
    far, link = naive.links(n, mean, cp, matter.conn + np.diag(matter.lost))
    np.testing.assert_allclose(tree.link, link, **CLOSE)
    joins = list(naive.tree(n, far, link, matter.group, matter.apart))
    ours = [(one[0], other[0]) for one, other in joins]
    assert [tuple(pair) for pair in tree.merges.tolist()] == [tuple(sorted(p)) for p in ours]
    for at, (one, other) in enumerate(joins):
        expected = naive.contact(n, mean, link, one, other)
        np.testing.assert_allclose(tree.contact[at], expected, rtol=1e-7, atol=1e-7)
    middle = n @ mean / n.sum()
    scatter = cp.sum() + n @ np.sum((mean - middle) ** 2, axis=1)
    if scatter == 0:
        return
    found = cut.criteria_of(tree.curve, tree.contact, matter.dimension, scatter)
    for k, home in naive.stages(len(n), joins).items():
        if k >= len(tree.curve):
            continue
        assert naive_names(home) == naive_names(labels_at(tree, len(n), k))
        if tree.curve[k, 0] > 1e-9 * scatter and k < n.sum():
            expected = naive.criteria(n, mean, cp, link, home, matter.dimension)
            ours = [found[name][k - 1] for name in cut.CRITERIA[:4]]
            np.testing.assert_allclose(ours, expected, rtol=1e-7, atol=1e-7)


def naive_names(home):
    """A partition, whatever its clusters are called."""
    return [sorted(np.flatnonzero(home == c).tolist()) for c in dict.fromkeys(home.tolist())]


@given(number=st.integers(0, 10**6))
def test_neither_scale_nor_place_nor_order_of_categories_matters(number):
    matter = matter_of(number, count=25 if COMPILED else 12, d=3)
    labels, decision = derive(matter, "auto", None)
    rng = np.random.default_rng(number)
    order = rng.permutation(len(labels))
    moved = matter._replace(
        n=matter.n[order],
        mean=np.ascontiguousarray(4.0 * matter.mean[order] + [1.0, -2.0, 8.0]),
        cp=16.0 * matter.cp[order],
        conn=np.ascontiguousarray(matter.conn[np.ix_(order, order)]),
        lost=matter.lost[order],
    )
    again, other = derive(moved, "auto", None)
    assert other.chosen == decision.chosen
    assert sorted(map(sorted, naive_names(labels))) == sorted(
        sorted(order[members].tolist()) for members in naive_names(again)
    )


@given(number=st.integers(0, 10**6))
def test_hints_hold_in_every_partition(number):
    matter = hinted(matter_of(number, count=15), number)
    for criterion in ("auto", "modularity", "wb"):
        for n_clusters in (None, 1, 3):
            labels, _ = derive(matter, criterion, n_clusters)
            for g in range(3):
                assert len(set(labels[matter.group == g])) <= 1
            assert not np.any(matter.apart * (labels[:, None] == labels))


@pytest.mark.parametrize("criterion", ["auto", *cut.CRITERIA, *BY_NAME])
def test_every_criterion_finds_what_is_plain(criterion):
    """Four far apart clusters of ten categories each, all of which touch."""
    rng = np.random.default_rng(0)
    home = np.repeat(np.arange(4), 10)
    mean = np.array([[0, 0], [60, 0], [0, 60], [60, 60]])[home] + rng.normal(size=(40, 2))
    conn = np.where(home[:, None] == home, 2.0, 0.0) * (1 - np.eye(40))
    matter = free_matter(np.full(40, 5.0), mean, np.full(40, 1.0), conn, 2.0)
    labels, decision = derive(matter, criterion, None)
    if criterion in ("compactness", "contact", "wb", "pbm", "db"):  # alone, these see more
        assert decision.chosen >= 2
    else:
        assert labels.tolist() == home.tolist()
    assert len(decision.score) == len(decision.k)


def test_an_index_as_criterion_is_the_best_of_all_stages(seed):
    matter = matter_of(seed, count=20, d=2)
    tree = tree_of(matter)
    for icvi, index in BY_NAME.items():
        decision = decide(matter, tree, icvi, None)
        values = []
        for k in decision.k:
            names = np.unique(labels_at(tree, 20, k), return_inverse=True)[1]
            values.append(index_of_partition(icvi, matter, names))
        values = np.where(
            np.isnan(values), -np.inf, np.array(values) * (1, -1)[index.smaller_is_better]
        )
        np.testing.assert_allclose(decision.score, values, rtol=1e-9)
        assert decision.chosen == decision.k[cut.last_greatest(decision.score)]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_categories(count):
    matter = matter_of(0, count=count)
    labels, decision = derive(matter, "auto", None)
    assert len(labels) == count
    assert (decision is None) == (count == 1)
    assert derive(matter, "auto", 1)[0].tolist() == [0] * count
    assert derive(matter, "auto", 99)[0].tolist() == list(range(count))


def test_copies_of_one_point_are_one_cluster():
    ones = np.ones(5)
    matter = free_matter(ones, np.zeros((5, 2)), 0 * ones, np.zeros((5, 5)), 1.0)
    assert derive(matter, "auto", None)[0].tolist() == [0] * 5


@pytest.mark.parametrize("criterion", ["modularity", "silhouette"])
@pytest.mark.parametrize(("icvi", "beta_ab"), [("ch", 1.0), ("ch", 0.7), ("conn", 1.0)])
def test_the_network_with_repartition_agrees_step_by_step(icvi, beta_ab, criterion, seed):
    rng = np.random.default_rng(seed)
    X = blobs(rng, 40 if COMPILED else 24, 2)[rng.permutation(40 if COMPILED else 24)]
    labels = np.where(rng.random(len(X)) < 0.1, rng.integers(0, 3, len(X)), -1)
    params = {"repartition": criterion, "xi": 6, "beta_ab": beta_ab, "rho": 0.8, "rho_c": 0.8}
    run_both(X, labels, icvi=icvi, **params)


def test_a_merger_of_the_network_survives_repartition(seed):
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.normal(size=(25, 2)) + c for c in ([0, 0], [12, 0], [0, 12], [12, 12])])
    model = ICVITopoARTMAP(rho=0.85, rho_c=0.85, repartition="modularity", xi=20)
    model.partial_fit(X[rng.permutation(100)])
    first, second = model.cluster_ids_[:2].tolist()
    held = np.isin(model.cluster_ids_[model.predict(X)], (first, second))
    model.merge(first, second)
    heard = []
    model.set_params(record_events=True)
    model.partial_fit(X[:1])
    model.on_event(heard.append)
    model.explain([500.0, -500.0])
    model.partial_fit(X[rng.permutation(100)])
    assert [event.number for event in heard] == [e.number for e in model.events_][-len(heard) :]
    assert len(set(model.predict(X)[held])) == 1


def test_repartition_in_the_network_keeps_hints_and_ids(seed):
    X, _ = make_stream("random", 300 if COMPILED else 80, seed)
    model = ICVITopoARTMAP(rho=0.85, rho_c=0.85, repartition="auto", xi=20, record_events=True)
    model.partial_fit(X, hints={"names": {0: "here", 1: "there"}, "together": [(2, 3)]})
    assert set(model.names_.values()) == {"here", "there"}
    assert model.resolve("here") != model.resolve("there")
    assert model.clusters_.n.sum() == len(X)
    numbers = [event.number for event in model.events_]
    assert numbers == sorted(numbers)
