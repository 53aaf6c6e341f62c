"""What a person says to StreamART, and asks it."""

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamart import HintError, Hints, StreamART, cluster
from streamart.data import make_stream
from support import COMPILED, read_data
from test_self_tuning import N, P, embeddings

# ---------------------------------------------------------------------- what a person says


@given(number=st.integers(0, 10**6))
def test_hints_hold_for_ever(number):
    rng = np.random.default_rng(number)
    X = rng.normal(size=(40, 2)) + 4 * rng.integers(0, 2, size=(40, 1))
    i = rng.choice(20, 6, replace=False).tolist()
    hints = Hints({i[0]: "a", i[1]: "b", i[2]: "a"}, together=[(i[3], i[4])], apart=[(i[4], i[5])])
    model = StreamART(12)
    model.partial_fit(X[:20], hints=hints)
    for _ in range(3):
        labels = model.predict(X[:20]) if model.n_samples_seen_ > 20 else model.labels_
        if model.n_samples_seen_ == 20:
            assert labels[i[0]] == labels[i[2]] != labels[i[1]]
            assert labels[i[3]] == labels[i[4]] != labels[i[5]]
        assert {"a", "b"} == set(model.names_.values())
        assert model.resolve("a") != model.resolve("b")
        model.partial_fit(rng.permutation(X))


def test_labels_are_names(seed):
    X, y = make_stream("random", N, seed)
    some = np.where(np.arange(N) < N // 5, y, -1)
    model = StreamART(P).partial_fit(X, some)
    found = model.class_ids_
    assert set(found) == set(some[some >= 0].tolist())
    assert len(set(found.values())) == len(found)
    for label, i in found.items():
        assert set(model.ids_[some == label]) == {i}
    place = model.learn_one(X[0], int(y[0]))
    assert model.cluster_ids_[place] == model.class_ids_[int(y[0])]


def test_merging_splitting_and_taking_it_back(seed):
    X, _ = make_stream("random", N, seed)
    model = StreamART(P).partial_fit(X)
    model.set_params(n_clusters=6)
    before = model.predict(X)
    ids = model.cluster_ids_.copy()
    together = np.isin(before, (0, 1))
    kept = model.merge(int(ids[0]), int(ids[1]))
    assert kept in ids[:2]
    assert len(set(model.predict(X)[together])) == 1
    model.partial_fit(X)
    assert len(set(model.predict(X)[together])) == 1, "it is for good"
    assert model.undo() == "merge"
    assert {int(ids[0]), int(ids[1])} <= set(model.cluster_ids_.tolist())
    model.set_params(n_clusters=None)
    largest = int(model.cluster_ids_[np.argmax(model.clusters_.n)])
    inside = model.cluster_ids_[model.predict(X)] == largest
    fresh = model.split(largest)
    parts = model.cluster_ids_[model.predict(X)][inside]
    assert fresh in parts
    assert len(set(parts)) == 2
    model.partial_fit(X)
    assert len(set(model.cluster_ids_[model.predict(X)][inside])) >= 2
    assert model.undo() == "split"
    with pytest.raises(ValueError, match="nothing to undo"):
        model.undo()


def test_what_cannot_be_split_or_merged():
    model = StreamART().partial_fit([[0.0, 0.0]] * 3 + [[9.0, 9.0]] * 3)
    model.set_params(n_clusters=2)
    one, other = model.cluster_ids_.tolist()
    with pytest.raises(ValueError, match="cannot be split"):
        model.split(one)
    model.partial_fit([[0.0, 0.0], [9.0, 9.0]], hints=Hints(apart=[(cluster(one), cluster(other))]))
    with pytest.raises(HintError, match="cannot be together"):
        model.merge(one, other)


def test_what_hints_hold_together_no_number_of_clusters_takes_apart():
    X = np.arange(12.0)[:, None]
    model = StreamART(n_clusters=10).partial_fit(X, hints=Hints(together=[(0, 1, 2, 3, 4, 5)]))
    assert len(set(model.labels_[:6])) == 1
    assert model.n_clusters_ == 7
    model = StreamART().partial_fit([[0.0, 0], [1, 0], [9, 9], [9, 8]])
    model.set_params(n_clusters=4)
    model.merge(*model.cluster_ids_[:2].tolist())
    assert model.labels_.tolist() == [0, 0, 1, 2]


def test_a_merger_holds_all_groups_and_undo_frees_them(seed):
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.normal(size=(30, 2)) + c for c in ([0, 0], [4, 0], [40, 40], [80, 0])])
    hints = Hints(names={0: "a"}, together=[(1, 2), (31, 32)])
    plain = StreamART(n_clusters=3).partial_fit(X, hints=hints)
    model = copy.deepcopy(plain)
    i, j = model.cluster_ids_[model.labels_[[0, 65]]].tolist()
    held = np.isin(model.cluster_ids_[model.labels_], (i, j))
    model.merge(i, j)
    model.set_params(n_clusters=20)
    assert len(set(model.labels_[held])) == 1
    model.undo()
    plain.set_params(n_clusters=20)
    assert model.labels_.tolist() == plain.labels_.tolist()


def test_hints_after_many_clusters_have_opened_unread(seed):
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.uniform(0, 100, (30, 2)), 6, axis=0) + rng.normal(scale=0.05, size=(180, 2))
    model = StreamART().partial_fit(X[:6])
    model.n_clusters_  # noqa: B018
    model.partial_fit(X)
    last = int(copy.deepcopy(model).cluster_ids_[-1])
    model.partial_fit(X[:2], hints=Hints(apart=[(0, cluster(last))]))
    assert model.n_samples_seen_ == 188


def test_a_cluster_that_was_swallowed_has_a_successor(seed):
    rng = np.random.default_rng(seed)
    model = StreamART(8, n_clusters=8, record_events=True).partial_fit(rng.normal(size=(8, 2)))
    known = model.cluster_ids_.tolist()
    model.partial_fit(100 * rng.normal(size=(60, 2)))
    assert {model.resolve(i) for i in known} <= set(model.cluster_ids_.tolist())
    assert set(model.aliases_.values()) <= set(model.cluster_ids_.tolist())


# ---------------------------------------------------------------------- questions


def test_outliers_and_small_clusters_are_marked(seed):
    X, _ = make_stream("random", N, seed)
    model = StreamART(P).fit(X)
    assert np.mean(model.predict(X, outliers=True) == -1) < 0.02
    far = [[500.0, 500.0], [-500.0, 0.0]]
    assert model.predict(far, outliers=True).tolist() == [-1, -1]
    assert model.predict(far).min() >= 0
    assert model.novelty(far).min() > 4 > 1 > np.median(model.novelty(X))
    assert len(model.small_clusters_) == 0
    model.partial_fit(far[:1])
    model.set_params(n_clusters=8)
    small = model.small_clusters_
    assert small.tolist() == model.cluster_ids_[model.predict(far[:1])].tolist()


@pytest.mark.skipif(not COMPILED, reason="long streams")
def test_a_stranger_among_faces_is_an_outlier():
    X, y = read_data("faces106x14_128d.npz")
    known = y < 75
    asked = known & (np.arange(len(y)) % 14 == 0)
    model = StreamART().fit(X[known & ~asked])
    assert np.mean(model.predict(X[asked], outliers=True) == -1) < 0.1
    assert np.mean(model.predict(X[~known], outliers=True) == -1) > 0.8


def test_explanations_tell_what_would_happen(seed):
    X, _ = make_stream("random", N, seed)
    model = StreamART(P).partial_fit(X[: N // 2])
    for x in X[N // 2 : N // 2 + 15]:
        explanation = model.explain(x)
        assert explanation.predicted == model.cluster_ids_[model.predict(x[None])[0]]
        costs = [verdict.match for verdict in explanation.categories]
        assert costs == sorted(costs)
        assert len(costs) == model.n_categories_
        if explanation.category is not None:
            assert explanation.category == explanation.categories[0].category
            n = model.categories_.n[explanation.category]
            assert model.partial_fit(x[None]).categories_.n[explanation.category] == n + 1
        else:
            assert costs[0] > explanation.vigilance
        assert "goes to" in str(explanation)


def test_merge_suggestions_are_by_the_index_as_it_is_measured(seed):
    X, _ = make_stream("random", N, seed)
    model = StreamART(P, n_clusters=5).fit(X * [1000.0, 1.0])
    best = model.merge_suggestions()[0]
    model.merge(best.first, best.second)
    model.set_params(n_clusters=4)
    np.testing.assert_allclose(model.icvi_value_, best.index_after)


def test_questions_to_a_model_with_one_cluster():
    model = StreamART().fit(np.random.default_rng(0).normal(size=(60, 2)))
    assert model.n_clusters_ == 1
    explanation = model.explain([0.0, 0.0])
    assert explanation.index_if_joined == {}
    assert explanation.runner_up is None
    assert model.merge_suggestions() == []
    assert StreamART().fit([[0.0, 0.0]]).predict([[5.0, 5.0]], outliers=True).tolist() == [-1]


@pytest.mark.parametrize("scale", [1e-160, 1e-90, 1e60, 1e120])
def test_any_scale(scale):
    rng = np.random.default_rng(0)
    X, _ = embeddings(rng, n=60)
    assert StreamART().fit(scale * X).metric_ == "cosine"
    small = rng.normal(size=(60, 3)) + 9 * rng.integers(0, 2, size=(60, 1))
    model = StreamART().fit(scale * small)
    assert model.predict(scale * small).tolist() == model.labels_.tolist()


def test_a_file_mapped_into_memory_goes_on(tmp_path):
    import joblib

    X, _ = make_stream("random", 60, 0)
    joblib.dump(StreamART().fit(X), tmp_path / "model")
    assert joblib.load(tmp_path / "model", mmap_mode="r").partial_fit(X).n_samples_seen_ == 120
