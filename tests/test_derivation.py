"""The clusters derived from categories: as defined, and what must not matter does not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import derivation as naive
from naive.indices import MIN_OPTIMAL, sum_of_squares_index
from streamart import StreamART
from streamart.derivation.criterion import CRITERIA
from streamart.derivation.cut import FEATURES, NEIGHBOURS, features_of, weights
from streamart.derivation.derive import derive, forest_of, in_order, index_of_partition
from streamart.derivation.geometry import PartitionInput
from streamart.derivation.islands import missed_by_cut
from streamart.derivation.one_or_several import dip_of
from streamart.derivation.tree import labels_at
from streamart.icvi.registry import BY_NAME
from support import COMPILED

CLOSE = {"rtol": 1e-7, "atol": 1e-7}


def categories(seed, count=None, d=None):
    """Categories of some clusters: sizes, means, compactness and links as streams leave them."""
    rng = np.random.default_rng(seed)
    count = count or int(rng.integers(4, 18 if COMPILED else 12))
    d = d or int(rng.integers(1, 5))
    centres = rng.normal(size=(3, d)) * 8
    mean = centres[rng.integers(3, size=count)] + rng.normal(size=(count, d))
    n = rng.integers(1, 9, size=count).astype(float)
    cp = np.where(n > 1, rng.uniform(0, 1, count) * n, 0.0)
    conn = rng.integers(0, 4, size=(count, count)) * (rng.random((count, count)) < 0.4)
    conn = (np.triu(conn) + np.triu(conn, 1).T).astype(float)
    lost = conn.diagonal().copy()
    free, apart = np.full(count, -1), np.zeros((count, count))
    dimension = float(rng.uniform(1, d + 0.5))
    return PartitionInput(n, mean, cp, conn - np.diag(lost), lost, free, apart, dimension, 2.0)


def hinted(data, seed):
    """The same, with groups and pairs that are kept apart."""
    rng = np.random.default_rng(seed)
    group = np.where(rng.random(len(data.n)) < 0.3, rng.integers(0, 3, len(data.n)), -1)
    apart = np.zeros((len(data.n),) * 2)
    for a, b in [(0, 1), (1, 2)]:
        apart[np.ix_(group == a, group == b)] = 1
        apart[np.ix_(group == b, group == a)] = 1
    return data._replace(group=group, apart=apart)


def as_sets(labels):
    """A partition, whatever its clusters are called."""
    return {frozenset(np.flatnonzero(labels == c).tolist()) for c in np.unique(labels)}


@pytest.mark.parametrize("with_hints", [False, True])
@given(number=st.integers(0, 10**6))
def test_trees_and_features_are_as_defined(with_hints, number):
    data = hinted(categories(number), number) if with_hints else categories(number)
    n, mean, cp = data.n, data.mean, data.cp
    forest = forest_of(data)
    names = list(FEATURES)
    columns = [names.index(name) for name in ("modularity", "silhouette", "smallest", "evenness")]
    for tree, neighbours in zip(forest.trees, NEIGHBOURS, strict=True):
        far, link = naive.links(n, mean, cp, data.conn + np.diag(data.lost), neighbours)
        np.testing.assert_allclose(tree.link, link, **CLOSE)
        joins = list(naive.tree(n, far, link, data.group, data.apart))
        ours = [(one[0], other[0]) for one, other in joins]
        assert [tuple(pair) for pair in tree.merges.tolist()] == [tuple(sorted(p)) for p in ours]
        for at, (one, other) in enumerate(joins):
            expected = naive.contact(n, mean, link, one, other)
            np.testing.assert_allclose([tree.contact[at], tree.smaller[at]], expected, **CLOSE)
        stages = naive.stages(len(n), joins)
        k, features = features_of(data, tree, len(n) - 1)
        likelihood = {}
        for row, number_of_clusters in enumerate(k.tolist()):
            home = stages[number_of_clusters]
            assert as_sets(home) == as_sets(labels_at(tree, len(n), number_of_clusters))
            if number_of_clusters < n.sum():
                q, s, m, smallest, even = naive.criteria(n, mean, cp, link, home, data.dimension)
                np.testing.assert_allclose(features[row, columns], [q, s, smallest, even], **CLOSE)
                likelihood[row] = m
        gain = names.index("likelihood gain")
        if cp.sum() > 0:
            for row, m in likelihood.items():
                np.testing.assert_allclose(features[row, gain], m - likelihood[0], **CLOSE)


@given(number=st.integers(0, 10**6), power=st.integers(-20, 20))
def test_order_scale_and_features_do_not_matter(number, power):
    """Of categories and features; scaling by a power of two is exact."""
    data = categories(number, count=14)
    rng = np.random.default_rng(number)
    at, turn = rng.permutation(len(data.n)), rng.permutation(data.mean.shape[1])
    other = PartitionInput(
        data.n[at],
        np.ascontiguousarray(data.mean[at][:, turn]) * 2.0**power,
        data.cp[at] * 4.0**power,
        data.conn[np.ix_(at, at)],
        data.lost[at],
        data.group[at],
        data.apart[np.ix_(at, at)],
        data.dimension,
        data.unevenness,
    )
    labels, decision = derive(data)
    again, moved = derive(other)
    back = np.empty_like(again)
    back[at] = again
    assert as_sets(back) == as_sets(labels)
    assert (moved.chosen, moved.reason) == (decision.chosen, decision.reason)


@given(number=st.integers(0, 10**6), detail=st.sampled_from([0.3, 0.5, 1.0, 2.0, 5.0]))
def test_hints_are_laws_at_every_detail(number, detail):
    data = hinted(categories(number), number)
    for wanted in (None, 1, 4):
        labels, _ = derive(data, wanted, None, detail)
        for group in range(3):
            assert len(np.unique(labels[data.group == group])) <= 1
        for a, b in np.argwhere(data.apart > 0):
            assert labels[a] != labels[b]
        assert set(labels) == set(range(labels.max() + 1))


@given(number=st.integers(0, 10**6))
def test_coarser_and_finer_clusters_hold_or_are_held(number):
    data = categories(number, count=16)
    labels, decision = derive(data)
    coarse, finer = (derive(data, None, None, detail)[0] for detail in (0.5, 2.0))
    assert coarse.max() <= labels.max()
    assert all(any(part <= whole for whole in as_sets(coarse)) for part in as_sets(labels))
    assert finer.max() + 1 >= min(decision.cut * 2, 1)


@given(number=st.integers(0, 10**6))
def test_a_number_that_is_given_is_found(number):
    data = categories(number)
    count = len(data.n)
    for wanted in (1, 2, count, count + 9):
        labels, decision = derive(data, wanted)
        assert labels.max() + 1 == min(wanted, count)
        assert decision.reason == ("given" if wanted <= count else "hints")


def test_a_number_that_is_hardly_better_is_no_reason_to_change():
    data = categories(3, count=17)
    _, best = derive(data)
    scores = dict(best.candidates)
    near = [k for k in scores if 0 < scores[best.cut] - scores[k] < 0.5]
    far = [k for k in scores if scores[best.cut] - scores[k] > 0.5]
    for k in near:
        kept = derive(data, None, best._replace(cut=k))[1]
        assert (kept.cut, kept.reason) == (k, "kept")
    assert far
    for k in far:
        assert derive(data, None, best._replace(cut=k))[1].cut == best.cut


def test_points_and_few_categories():
    point = categories(0, count=5, d=2)
    same = point._replace(mean=np.zeros((5, 2)), cp=np.zeros(5))
    assert derive(same._replace(unevenness=0.0))[0].tolist() == [0] * 5
    assert derive(categories(1, count=1))[0].tolist() == [0]
    assert derive(categories(1, count=1))[1] is None
    assert len(derive(categories(2, count=2))[0]) == 2


@pytest.mark.skipif(not COMPILED, reason="many samples")
@pytest.mark.parametrize("d", [2, 10])
def test_small_clusters_beside_a_heavy_one_are_islands(d, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(8000, d)), np.repeat([0, 1, 2], [7900, 50, 50])
    away = np.array([1.0, -1.0])[np.arange(d) % 2] * 14 / np.sqrt(d)  # in all features alike
    X[y == 1] += away
    X[y == 2] -= away
    at = rng.permutation(8000)
    model = StreamART().fit(X[at])
    labels = model.predict(X)
    for small in (1, 2):
        found = np.bincount(labels[y == small]).argmax()
        assert np.sum(labels == found) <= 55
        assert np.sum(labels[y == small] == found) >= 45


@pytest.mark.skipif(not COMPILED, reason="many samples")
def test_dip_of_one_mode_and_of_two(seed):
    rng = np.random.default_rng(seed)
    room = np.empty(1000, dtype=np.int64)
    one, two = rng.normal(size=1000), np.r_[rng.normal(size=500), rng.normal(size=500) + 6]
    assert np.sqrt(1000) * dip_of(np.sort(one), room) < 0.6
    assert np.sqrt(1000) * dip_of(np.sort(two), room) > 2


@pytest.mark.parametrize("icvi", CRITERIA[1:])
def test_an_index_decides_the_number_of_clusters(icvi, seed):
    """The cut of all trees with the best value, computed from the samples: two in a category."""
    data = categories(seed, count=18)
    away = np.random.default_rng(seed).normal(size=data.mean.shape)
    X = np.concatenate([data.mean - away, data.mean + away])
    data = data._replace(n=np.full(18, 2.0), cp=2 * np.sum(away**2, axis=1))
    best, sign = {}, -1 if icvi in MIN_OPTIMAL else 1
    forest = forest_of(data)
    for tree, numbers in zip(forest.trees, forest.k, strict=True):
        for k in numbers[numbers > 1].tolist():
            labels = in_order(labels_at(tree, 18, k))
            value = sign * sum_of_squares_index(icvi, X, np.tile(labels, 2), k)
            best[k] = max(value, best.get(k, -np.inf))
    wanted = max(best, key=best.get)
    labels, decision = derive(data, criterion=icvi)
    assert decision.reason == "index"
    assert decision.cut == decision.chosen == labels.max() + 1 == wanted
    found = dict(decision.candidates)
    assert found.keys() == best.keys()
    for k, value in best.items():
        assert sign * found[k] == pytest.approx(value, rel=1e-9, abs=1e-12)
    assert BY_NAME[icvi].title in " ".join(str(decision).split())


@pytest.mark.parametrize("icvi", [name for name in BY_NAME if not BY_NAME[name].by_covariance])
def test_the_index_of_a_partition_is_that_of_its_footprints(icvi, seed):
    data = categories(seed, count=12)
    value = index_of_partition(icvi, data, np.arange(12) % 3)
    assert np.isfinite(value)
    assert np.isnan(index_of_partition(icvi, data, np.zeros(12, dtype=int)))


def test_the_decision_is_said_in_words():
    _, decision = derive(categories(4, count=16))
    text = str(decision)
    assert text.startswith(f"{decision.chosen} clusters")
    assert len(text.splitlines()) <= 15
    assert max(map(len, text.splitlines())) < 200


def test_the_weights_fit_the_features():
    learnt = weights()
    assert learnt["mean"].shape == learnt["deviation"].shape == (len(FEATURES),)
    assert learnt["hidden"].shape[0] == len(FEATURES)


def test_a_present_number_that_is_too_great_now_does_not_matter(seed):
    """Categories merge, so there may be fewer now than clusters were cut before."""
    data = categories(seed, count=8, d=2)
    labels, decision = derive(data)
    for cut in (7, 8, 30):
        before = decision._replace(cut=cut, reason="score")
        assert derive(data, present=before)[0].tolist() == labels.tolist()


def test_what_the_cut_takes_apart_is_no_island():
    """Many small clusters: several of them together are far from the rest, too."""
    islands = np.array([-1, 0, 0, 1, 1, -1, 2])
    labels = np.array([0, 1, 1, 1, 2, 2, 2])
    assert missed_by_cut(islands, labels).tolist() == [-1, 0, 0, -1, -1, -1, 2]
