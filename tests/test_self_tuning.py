"""StreamART as a user meets it."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from streamart import HintError, Hints, StreamART, load
from streamart.core.self_tuning.room import GROWTH
from streamart.data import ORDERS, make_stream
from streamart.engines.measure import are_embeddings, extent_of, unit_vectors
from streamart.engines.measuring import WARM_UP
from support import COMPILED, arrays_of, read_data

N = 500 if COMPILED else 90
P = 60 if COMPILED else 20


@parametrize_with_checks([StreamART(8), StreamART()][: 2 if COMPILED else 1])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def embeddings(rng, k=6, n=200, d=128):
    """Directions with noise; lengths mean nothing."""
    centres = unit_vectors(rng.normal(size=(k, d)))
    y = rng.integers(k, size=n)
    X = unit_vectors(centres[y] + 0.05 * rng.normal(size=(n, d)))
    return X * rng.uniform(0.8, 1.2, size=(n, 1)), y


def learnt(model):
    """All that was learnt, whoever asked for clusters in between."""
    arrays = [
        *model.categories_[:6],
        model.conn_.toarray(),
        *model._model.engine.budget,
        model.labels_,
    ]
    return [a.tobytes() for a in arrays]


def fingerprint(model):
    arrays = (*arrays_of(model._state), *model._model.engine.budget)
    return pickle.dumps(([a.tobytes() for a in arrays], model.__dict__.get("n_features_in_")))


# ---------------------------------------------------------------------- learning


@pytest.mark.parametrize("metric", ["auto", "cosine"])
def test_in_one_go_in_chunks_and_one_by_one_is_the_same(metric, seed):
    X, _ = make_stream("mixed", N, seed)
    whole = StreamART(P, metric=metric).partial_fit(X)
    chunks = StreamART(P, metric=metric)
    for at in range(0, N, 97):
        chunks.partial_fit(X[at : at + 97])
        chunks.n_clusters_  # noqa: B018  (asking changes nothing)
    single = StreamART(P, metric=metric)
    for x in X:
        single.learn_one(x)
    assert whole.predict(X).tolist() == chunks.predict(X).tolist() == single.predict(X).tolist()
    assert learnt(whole)[:-1] == learnt(chunks)[:-1] == learnt(single)[:-1]
    assert whole.n_categories_ <= GROWTH * P


def test_labels_are_where_the_samples_are(seed):
    X, _ = make_stream("class-incremental", N, seed)
    model = StreamART(P).fit(X)
    assert np.bincount(model.labels_).tolist() == model.clusters_.n.tolist()
    for c in range(model.n_clusters_):
        np.testing.assert_allclose(X[model.labels_ == c].mean(axis=0), model.clusters_.mean[c])
    assert model.n_samples_seen_ == N == model.categories_.n.sum()
    assert set(model.categories_.cluster) == set(range(model.n_clusters_))


@pytest.mark.parametrize("X", [[[np.inf, 0]], [[1.0]], [], [["a", "b"]], [[1e200, 0]], 3.0])
@pytest.mark.parametrize("call", ["partial_fit", "predict", "learn_one"])
def test_bad_input_is_refused_and_changes_nothing(call, X):
    model = StreamART().partial_fit(make_stream("random", 60, 0)[0])
    model.n_clusters_  # noqa: B018
    before = fingerprint(model)
    given_ = X[0] if call == "learn_one" and isinstance(X, list) and X else X
    with pytest.raises(
        ValueError, match=r"NaN|infinity|features|dim|convert|beyond|minimum|2D array"
    ):
        getattr(model, call)(given_)
    assert fingerprint(model) == before


def test_labels_and_hints_must_fit():
    X, y = make_stream("random", 60, 0)
    model = StreamART().fit(X)
    model.n_clusters_  # noqa: B018
    before = fingerprint(model)
    with pytest.raises(ValueError, match="one label per sample"):
        model.partial_fit(X, y[:-1])
    with pytest.raises(HintError, match="cannot be together"):
        model.partial_fit(X[:2], hints=Hints(names={0: "a", 1: "b"}, together=[(0, 1)]))
    assert fingerprint(model) == before


@pytest.mark.parametrize(
    "params",
    [
        {"max_categories": 3},
        {"detail": 0},
        {"half_life": 0.5},
        {"n_clusters": 0},
        {"metric": "l1"},
        {"criterion": "ni"},
    ],
)
def test_parameters_are_checked(params):
    with pytest.raises(ValueError, match=next(iter(params))):
        StreamART(**params).fit([[0.0, 0.0], [1.0, 1.0]])


def test_the_budget_may_change_and_the_metric_may_not(seed):
    X, _ = make_stream("random", N, seed)
    model = StreamART(P).partial_fit(X)
    model.set_params(max_categories=P // 2).partial_fit(X)
    assert model.n_categories_ <= GROWTH * (P // 2)
    with pytest.raises(ValueError, match="differs from the fitted metric"):
        model.set_params(metric="cosine").partial_fit(X)


def test_memory_does_not_grow_with_the_stream(seed):
    X, _ = make_stream("random", N, seed)
    model = StreamART(P)
    sizes = []
    for _ in range(6):
        model.partial_fit(X)
        sizes.append(sum(a.nbytes for a in (*arrays_of(model._state), *model._model.engine.budget)))
    assert sizes[-1] == sizes[2]


# ---------------------------------------------------------------------- how samples are measured


def test_units_of_features_do_not_matter(seed):
    X, _ = make_stream("mixed", N, seed)
    plain = StreamART(P).fit(X)
    scaled = StreamART(P).fit(X * [2.0**10, 2.0**-7] + [2.0**12, 0])
    assert scaled.labels_.tolist() == plain.labels_.tolist()
    assert scaled.decision_.chosen == plain.decision_.chosen


def test_a_feature_that_never_varies_does_no_harm(seed):
    X, _ = make_stream("mixed", N, seed)
    plain = StreamART(P).fit(X)
    model = StreamART(P).fit(np.column_stack([X, np.full(N, 3.7)]))
    assert model.labels_.tolist() == plain.labels_.tolist()


def test_embeddings_are_taken_as_directions(seed):
    X, y = embeddings(np.random.default_rng(seed), n=200 if COMPILED else 60)
    model = StreamART().fit(X)
    assert model.metric_ == "cosine"
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert model.predict(100 * X).tolist() == model.labels_.tolist()
    by_range = StreamART(metric="euclidean").fit(X)
    assert by_range.metric_ == "euclidean"


@pytest.mark.skipif(not COMPILED, reason="long streams")
def test_the_decision_can_be_taken_back_until_it_is_final(seed):
    """The first samples are hardly embeddings: as unequal in length as in direction."""
    rng = np.random.default_rng(seed)
    X, _ = embeddings(rng, n=WARM_UP + 40)
    X[:10] *= rng.choice([1e-3, 1.0], size=(10, 1), p=[0.7, 0.3])
    X[20:25] = 2 * X[10:15]  # the same directions
    model = StreamART().partial_fit(X[:12])
    assert model.metric_ == "euclidean"
    assert model.partial_fit(X[12:140]).metric_ == "cosine"
    straight, single = StreamART().partial_fit(X), StreamART()
    for x in X:
        single.learn_one(x)
    model.partial_fit(X[140:])
    assert learnt(model)[:-1] == learnt(straight)[:-1] == learnt(single)[:-1]
    assert straight._model.engine.budget.account[0]["decided"]


def test_a_metric_found_late_is_as_one_given_from_the_start(seed):
    X, _ = embeddings(np.random.default_rng(seed), n=90)
    X[:10] *= np.array([1e-3, 1.0])[np.arange(10) % 2, None]
    X[50] = X[3]
    found, given_ = StreamART().partial_fit(X[:12]), StreamART(metric="cosine").partial_fit(X)
    assert found.metric_ == "euclidean"
    found.partial_fit(X[12:])
    assert found.metric_ == "cosine"
    np.testing.assert_array_equal(found.conn_.toarray(), given_.conn_.toarray())
    np.testing.assert_array_equal(found.categories_.mean, given_.categories_.mean)
    assert found.labels_.tolist() == given_.predict(X[12:]).tolist()


def test_the_metric_can_be_said_until_it_is_decided(seed):
    X, _ = embeddings(np.random.default_rng(seed), k=3, n=60)
    model = StreamART().partial_fit(X[:40])
    assert model.metric_ == "cosine"
    model.set_params(metric="euclidean").partial_fit(X[40:])
    assert model.metric_ == "euclidean"
    assert model.predict(X).tolist() == StreamART(metric="euclidean").fit(X).predict(X).tolist()


def test_rule_for_embeddings():
    rng = np.random.default_rng(0)
    assert are_embeddings(np.maximum(rng.normal(size=(60, 512)), 0))  # after ReLU
    counts = rng.poisson(0.05, size=(80, 1000)).astype(float)
    assert are_embeddings(counts)
    units = rng.normal(size=(80, 200)) * 10.0 ** rng.uniform(-3, 3, 200)
    assert not are_embeddings(units)
    curves = np.cumsum(rng.normal(size=(80, 300)), axis=1)
    assert not are_embeddings(curves)
    assert not are_embeddings(np.zeros((5, 200)))
    assert not are_embeddings(rng.normal(size=(60, 20)))


def test_extent():
    rng = np.random.default_rng(0)
    for d in (2, 10, 40):
        cloud = extent_of(rng.normal(size=(256, d)))
        assert 0.6 * d < cloud.dimension < 1.3 * d
        assert cloud.unevenness < 5
    pairs = np.repeat(rng.normal(size=(40, 30)), 2, axis=0) + 0.05 * rng.normal(size=(80, 30))
    pairs[60:] = rng.normal(size=(20, 30))
    assert extent_of(pairs).unevenness > 5
    assert extent_of(np.zeros((9, 3))) == (1.0, np.inf)
    assert extent_of(np.ones((2, 3))) == (1.0, np.inf)


# ---------------------------------------------------------------------- the partition


@pytest.mark.skipif(not COMPILED, reason="long streams")
@pytest.mark.parametrize("order", ORDERS)
def test_the_built_in_stream_in_any_order(order, seed):
    X, y = make_stream(order, random_state=seed)
    model = StreamART().fit(X)
    assert model.n_clusters_ == 7
    assert adjusted_rand_score(y, model.labels_) > 0.97


@pytest.mark.skipif(not COMPILED, reason="long streams")
@pytest.mark.parametrize(
    ("name", "by_class", "shuffled"),
    [
        ("exp1.csv", 0.98, 0.98),
        ("exp2.csv", 0.98, 0.98),
        ("faces106x14_128d.npz", 0.955, 0.96),
        ("faces40x10_1024d.npz", 0.98, 0.98),
        ("outdoor_stream.npz", 0.35, 0.28),
        ("digits", 0.75, 0.78),
    ],
)
def test_real_data_as_it_is_stored(name, by_class, shuffled):
    """Class after class, and the mean of ten shuffles (of three, where one takes long)."""
    if name == "digits":
        from sklearn.datasets import load_digits

        X, y = load_digits(return_X_y=True)
    else:
        X, y = read_data(name)

    def quality(order):
        model = StreamART().fit(X[order])
        if name.startswith("exp"):
            assert model.n_clusters_ == 7
        return adjusted_rand_score(y[order], model.labels_)

    rng = np.random.default_rng(0)
    assert quality(np.argsort(y, kind="stable")) >= by_class
    assert np.mean([quality(rng.permutation(len(y))) for _ in range(10)]) >= shuffled
    if name == "outdoor_stream.npz":
        assert quality(np.arange(len(y))) >= 0.39
    if name == "faces106x14_128d.npz":
        order = rng.permutation(len(y))[: len(y) // 4]
        assert quality(order) >= 0.88


@pytest.mark.parametrize("d", [2, 8])
def test_one_cluster_is_one(d, seed):
    X = np.random.default_rng(seed).normal(size=(N, d))
    model = StreamART(P if not COMPILED else 300).fit(X)
    assert model.n_clusters_ == 1
    assert model.decision_.reason == "one"
    assert np.isnan(model.icvi_value_)


@pytest.mark.skipif(not COMPILED, reason="long streams")
@pytest.mark.parametrize("k", [2, 3])
def test_rings_are_kept_whole(k, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=1500)
    angle, radius = rng.uniform(0, 2 * np.pi, 1500), 1.0 + y + rng.normal(scale=0.05, size=1500)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    model = StreamART().fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.99


def test_the_number_can_be_given_without_learning(seed):
    X, _ = make_stream("random", N, seed)
    model = StreamART(P).partial_fit(X)
    for k in (1, 3, 11):
        assert model.set_params(n_clusters=k).n_clusters_ == k
        assert model.decision_.reason == "given"
    with pytest.raises(ValueError, match="n_clusters"):
        model.set_params(n_clusters=0).n_clusters_  # noqa: B018


def test_the_criterion_may_change_and_is_kept(seed, tmp_path):
    X, _ = make_stream("random", N, seed)
    model = StreamART(P).partial_fit(X)
    learned = model.labels_.tolist()
    model.set_params(criterion="db")
    decision = model.decision_
    assert decision.reason == "index"
    assert decision.chosen == model.n_clusters_
    assert "Davies-Bouldin" in " ".join(str(decision).split())
    model.save(tmp_path / "model")
    assert load(tmp_path / "model").decision_ == decision
    assert StreamART(P, criterion="db").fit(X).n_clusters_ == model.n_clusters_
    assert model.set_params(criterion="learned").labels_.tolist() == learned


def test_the_decision_is_said_in_a_few_lines(seed):
    X, _ = make_stream("random", N, seed)
    model = StreamART(P).partial_fit(X)
    for detail in (1.0, 0.5, 2.0):
        model.set_params(detail=detail)
        said = str(model.decision_)
        assert said.count("\n") < 15
        assert max(map(len, said.splitlines())) <= 80
        assert said.startswith(f"{model.decision_.cut} cluster")
        assert (f"makes {model.n_clusters_} cluster" in said) == (detail != 1.0)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_few_samples(count):
    X = np.arange(2.0 * count).reshape(count, 2) ** 2
    model = StreamART().fit(X)
    assert 1 <= model.n_clusters_ <= count
    assert model.predict(X).tolist() == model.labels_.tolist()
    assert StreamART().fit(np.zeros((count, 2))).n_clusters_ == 1


def test_learn_one_says_the_cluster_as_far_as_it_is_known(seed):
    X, _ = make_stream("random", N, seed)
    model = StreamART(P)
    said = [model.learn_one(x) for x in X]
    assert all(0 <= place < model.n_clusters_ + 20 for place in said)
    last = model.predict_one(X[-1])
    assert last == model.predict(X[-1:])[0]


# ---------------------------------------------------------------------- ids, events, files


def test_ids_follow_the_clusters(seed):
    X, _ = make_stream("class-incremental", N, seed)
    model = StreamART(P, record_events=True)
    known = {}
    for at in range(0, N, N // 10):
        model.partial_fit(X[at : at + N // 10])
        ids = model.cluster_ids_
        assert len(set(ids.tolist())) == model.n_clusters_
        known |= {int(i): model.resolve(int(i)) for i in ids}
    assert all(model.resolve(i) in model.cluster_ids_ for i in known)
    kinds = {event.kind for event in model.events_}
    assert "created" in kinds
    assert kinds <= {"created", "merged", "split", "moved"}


def test_listeners_hear_of_changes_after_each_batch(seed):
    X, _ = make_stream("class-incremental", N, seed)
    model, heard = StreamART(P, record_events=8), []
    end = model.on_event(heard.append)
    for at in range(0, N, N // 10):
        model.partial_fit(X[at : at + N // 10])
    numbers = [event.number for event in heard]
    assert numbers == list(range(len(numbers)))
    assert heard
    end()
    model.partial_fit(X[:5]).n_clusters_  # noqa: B018
    assert len(heard) == len(numbers)


def test_saved_copied_and_pickled_models_go_on_alike(seed, tmp_path):
    X, y = make_stream("mixed", N, seed)
    for metric in ("auto", "cosine"):
        model = StreamART(P, metric=metric, record_events=True).partial_fit(
            X[: N // 2], np.where(np.arange(N // 2) < 5, y[: N // 2], -1)
        )
        model.save(tmp_path / "model")
        twins = [load(tmp_path / "model"), copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
        for each in (model, *twins):
            each.partial_fit(X[N // 2 :])
        for twin in twins:
            assert learnt(twin) == learnt(model)
            assert twin.cluster_ids_.tolist() == model.cluster_ids_.tolist()
            assert twin.names_ == model.names_
            assert twin.decision_.chosen == model.decision_.chosen
    assert clone(model).get_params() == model.get_params()
