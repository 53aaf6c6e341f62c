"""StreamART on streams that break a fixed scale or threshold, on drift, and at other details."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from streamart import StreamART
from streamart.core.self_tuning.room import GROWTH
from streamart.core.self_tuning.scale import FLOOR, images_of, no_scale
from streamart.data import make_stream
from streamart.engines.scaling import fitted_scale
from support import COMPILED

long = pytest.mark.skipif(not COMPILED, reason="long streams")
N = 400 if COMPILED else 90
P = 60 if COMPILED else 20


def four_clusters(rng, n=3000):
    y = rng.integers(0, 4, n)
    centres = np.array([[0, 0], [10, 0], [0, 10], [10, 10.0]])
    return centres[y] + rng.normal(size=(n, 2)), y


def grid(rng, k):
    side = int(np.ceil(np.sqrt(k)))
    centres = np.array([[i, j] for i in range(side) for j in range(side)][:k]) * 10.0
    y = rng.integers(0, k, 30 * k)
    return centres[y] + rng.normal(size=(30 * k, 2)), y


# ---------------------------------------------------------------------- outliers


@long
@pytest.mark.parametrize(("count", "sd"), [(3, 300.0), (15, 50.0), (15, 300.0)])
def test_outliers_do_not_set_the_scale(count, sd, seed):
    rng = np.random.default_rng(seed)
    X, y = four_clusters(rng)
    at = rng.choice(len(X), count, replace=False)
    X[at] = rng.normal(0, sd, (count, 2))
    others = ~np.isin(np.arange(len(X)), at)
    model = StreamART().fit(X)
    assert adjusted_rand_score(y[others], model.labels_[others]) >= 0.97
    marked = model.predict(X, outliers=True) == -1
    assert marked[at].all()  # though the model has learnt them
    assert marked[others].mean() < 0.01


@long
@pytest.mark.parametrize("draw", range(4))
def test_an_error_code_in_one_feature_does_not_set_the_scale(draw, seed):
    rng = np.random.default_rng([seed, draw])
    X, y = four_clusters(rng)
    at = rng.choice(len(X), 30, replace=False)
    X[at, rng.integers(0, 2, 30)] = -9999
    others = ~np.isin(np.arange(len(X)), at)
    model = StreamART().fit(X)
    assert adjusted_rand_score(y[others], model.labels_[others]) >= 0.97
    assert not set(model.labels_[at]) & set(model.labels_[others])


@long
def test_an_error_code_in_all_features_is_a_cluster_of_its_own(seed):
    rng = np.random.default_rng(seed)
    X, y = four_clusters(rng)
    at = rng.choice(len(X), 30, replace=False)
    X[at] = -9999
    others = ~np.isin(np.arange(len(X)), at)
    model = StreamART().fit(X)
    assert adjusted_rand_score(y[others], model.labels_[others]) >= 0.97
    assert not set(model.labels_[at]) & set(model.labels_[others])


@pytest.mark.parametrize("forgets", [False, True])
def test_the_scale_is_monotone_bounded_and_linear_where_most_are(forgets, seed):
    rng = np.random.default_rng(seed)
    known = np.c_[rng.normal(size=400), np.exp(2 * rng.normal(size=400)), np.full(400, 3.0)]
    known[0, 0] = 1e6
    scale = fitted_scale(known, no_scale(3), forgets)
    assert scale[FLOOR, 1] > 0
    assert not scale[FLOOR, [0, 2]].any()
    line = np.linspace(-1e3, 1e3, 201)
    X = np.c_[line, np.abs(line) + 0.1, line]
    Z = np.empty_like(X)
    images_of(scale, X, Z)
    assert np.all(np.diff(Z[:, 0]) >= 0)
    assert np.ptp(Z[:, 0]) < 3  # however far
    assert not Z[:, 2].any()  # it has never varied
    near = np.linspace(-2, 2, 9)
    some = np.c_[near, np.ones(9), near]
    images_of(scale, some, Z[:9])
    np.testing.assert_allclose(np.diff(Z[:9, 0], n=2), 0.0, atol=1e-12)


def test_features_may_come_in_any_order_and_unit(seed):
    X, _ = make_stream("mixed", N, seed)
    plain, turned = StreamART(P).fit(X), StreamART(P).fit(X[:, ::-1] * [2.0**9, 2.0**-5])
    assert adjusted_rand_score(plain.labels_, turned.labels_) == 1.0


# ---------------------------------------------------------------------- many clusters, newcomers


@long
def test_the_budget_grows_where_clusters_need_it_up_to_its_limit(seed):
    X, y = grid(np.random.default_rng(seed), 200)
    model = StreamART(100).fit(X)
    assert adjusted_rand_score(y, model.labels_) >= 0.97
    assert model.n_categories_ <= GROWTH * 100
    crowded = StreamART(20).fit(X)
    assert crowded.n_categories_ <= GROWTH * 20


@long
def test_newcomers_after_a_long_stream_are_found(seed):
    rng = np.random.default_rng(seed)
    X, _ = four_clusters(rng, 40_000)
    new = rng.normal(size=(200, 2)) + np.array([22, 5])
    model = StreamART().partial_fit(X)
    radius = model.rho_
    model.partial_fit(X)
    assert model.rho_ <= 3 * radius  # it does not grow with the mass of categories
    labels = model.partial_fit(new).predict(np.vstack([X[:2000], new]))
    found = np.bincount(labels[2000:]).argmax()
    assert np.mean(labels[2000:] == found) > 0.9
    assert not np.any(labels[:2000] == found)


@long
def test_counts_of_words_are_directions(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 5, 500)
    topics = rng.dirichlet(np.full(300, 0.02), 5)
    X = [rng.multinomial(int(rng.lognormal(4, 1.3)) + 5, topics[i]) for i in y]
    model = StreamART().fit(np.array(X, dtype=float))
    assert model.metric_ == "cosine"
    assert adjusted_rand_score(y, model.labels_) >= 0.95


# ---------------------------------------------------------------------- forgetting


@long
def test_what_fades_away_ends_with_an_event(seed):
    rng = np.random.default_rng(seed)
    old, new = rng.normal(size=(1500, 2)), rng.normal(size=(6000, 2)) + np.array([30, 0])
    new[::2] += [0, 30]
    old[::2] += [0, 30]
    model = StreamART(half_life=200, record_events=True).partial_fit(old)
    before = set(model.cluster_ids_.tolist())
    for at in range(0, len(new), 500):
        model.partial_fit(new[at : at + 500])
        model.n_clusters_  # noqa: B018
    now = set(model.cluster_ids_.tolist())
    faded = {event.ids[0] for event in model.events_ if event.kind == "faded"}
    assert faded & before
    assert not faded & now
    assert all("faded away" in str(event) for event in model.events_ if event.kind == "faded")
    with pytest.raises(KeyError, match="has faded"):
        model.resolve(min(faded & before))
    assert model.predict(new[-2:]).tolist() == model.labels_[-2:].tolist()


@long
def test_a_cluster_that_returns_while_it_is_remembered_has_its_id(seed):
    rng = np.random.default_rng(seed)
    X, y = four_clusters(rng, 1200)
    model = StreamART(half_life=800).partial_fit(X)
    there = int(model.cluster_ids_[model.predict_one([10.0, 10.0])])
    model.partial_fit(X[y != 3][:600])
    model.partial_fit(X[:200])
    assert int(model.cluster_ids_[model.predict_one([10.0, 10.0])]) == there


def test_without_a_half_life_nothing_is_weighed(seed):
    X, _ = make_stream("mixed", N, seed)
    model = StreamART(P).partial_fit(X)
    budget = model._model.engine.budget
    assert budget.account[0]["weight"] == 1.0
    rows = model._state.order[: model.n_categories_]
    assert budget.mass[rows].tolist() == model.categories_.n.tolist()


def test_a_half_life_is_the_same_by_batch_and_one_by_one(seed):
    X, _ = make_stream("mixed", N, seed)
    whole, single = StreamART(P, half_life=50).partial_fit(X), StreamART(P, half_life=50)
    for x in X:
        single.learn_one(x)
    # All but the image of the latest sample, which is scratch.
    assert [a.tobytes() for a in whole._model.engine.budget._replace(sample=np.empty(0))] == [
        a.tobytes() for a in single._model.engine.budget._replace(sample=np.empty(0))
    ]
    np.testing.assert_array_equal(whole.categories_.mean, single.categories_.mean)


# ---------------------------------------------------------------------- detail


def test_detail_changes_without_learning(seed):
    X, _ = make_stream("random", N, seed)
    model = StreamART(P).partial_fit(X)
    found, numbers = model.n_clusters_, model.n_clusters_at_detail_
    assert numbers[0.5] <= numbers[1.0] == found <= numbers[2.0]
    for detail, k in numbers.items():
        labels = model.predict(X, detail=detail)
        assert len(np.unique(labels)) <= k
        assert model.n_clusters_ == found
    ids = set(model.cluster_ids_.tolist())
    assert model.set_params(detail=2.0).n_clusters_ == numbers[2.0]
    assert ids <= set(model.cluster_ids_.tolist())
    assert model.set_params(detail=1.0).n_clusters_ == found
    with pytest.raises(ValueError, match="detail"):
        model.predict(X, detail=0.0)
