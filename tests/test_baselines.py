"""The rivals as a user meets them."""

import copy
import pickle
import warnings

import joblib
import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.cluster import kmeans_plusplus
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from streamart import baselines
from streamart.baselines import (
    DRN,
    WSDVFA,
    ETopoFA,
    IncrementalSequentialKMeans,
    NearestNeighbour,
    SequentialKMeans,
    WSTopoFA,
)
from streamart.data import make_stream
from streamart.icvi.state import Room
from support import COMPILED, learn_in_threads
from test_model import BAD

N = 400 if COMPILED else 60
CLUSTERERS = [
    SequentialKMeans(3),
    SequentialKMeans(3, init="k-means++", buffer_size=20, random_state=0),
    IncrementalSequentialKMeans(0.9),
    DRN(0.8),
    WSDVFA(0.9, 0.8),
    WSTopoFA(tau=50),
    ETopoFA(),
]
ALL = [*CLUSTERERS, NearestNeighbour(), NearestNeighbour("cosine")]


def fails(model):
    """iskm in random order finds few clusters: that is the method, and what the paper reports."""
    if not isinstance(model, IncrementalSequentialKMeans):
        return {}
    names = ("check_clustering", "check_clustering(readonly_memmap=True)")
    return dict.fromkeys(names, "the method finds few clusters in random order")


@parametrize_with_checks(ALL if COMPILED else ALL[::3], expected_failed_checks=fails)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_every_rival_is_tested():
    assert {type(model).__name__ for model in ALL} == set(baselines.__all__)


def in_use(model):
    """What two models share if they have learnt the same (room may differ)."""
    if isinstance(model, NearestNeighbour):
        arrays = list(model._state)
    elif hasattr(model, "categories_"):
        arrays = list(model.categories_)
        arrays += [model.global_weight_] if isinstance(model, DRN) else []
        arrays += [model.links_.toarray()] if isinstance(model, WSTopoFA) else []
    else:
        arrays = [model.cluster_centers_, model.counts_]
    return [array.tobytes() for array in arrays] + [model.n_samples_seen_, model.labels_.tobytes()]


def stream(seed=0, n=N):
    return make_stream("mixed", n, seed)


def learnt(model):
    X, y = stream()
    return clone(model).partial_fit(X, y)


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_in_one_go_and_sample_by_sample_are_bit_identical(model, seed):
    n = 60 if is_classifier(model) else N  # it looks through all that it has stored, at each call
    X, y = stream(seed, n)
    whole, single, chunks = clone(model).partial_fit(X, y), clone(model), clone(model)
    for t in range(n):
        single.partial_fit(X[t : t + 1], y[t : t + 1])
    for at in range(0, n, 37):
        chunks.partial_fit(X[at : at + 37], y[at : at + 37])
    fitted = clone(model).partial_fit(X[:5] + 100.0, y[:5]).fit(X, y)
    for other in (single, chunks, fitted):
        assert in_use(other)[:-1] == in_use(whole)[:-1]
    assert np.array_equal(whole.labels_, whole.predict(X))
    assert np.array_equal(single.labels_, single.predict(X[-1:]))
    assert np.array_equal(chunks.labels_, chunks.predict(X[-len(chunks.labels_) :]))


@pytest.mark.parametrize("model", CLUSTERERS, ids=repr)
def test_labels_are_consecutive_and_predict_changes_nothing(model, seed):
    X, _ = stream(seed)
    fitted = clone(model).fit(X)
    before = in_use(fitted)
    labels = fitted.predict(X)
    assert labels.min() >= 0
    assert labels.max() < fitted.n_clusters_ <= fitted.n_categories_
    assert in_use(fitted) == before
    if hasattr(fitted, "categories_"):
        assert set(fitted.categories_.cluster) - {-1} == set(range(fitted.n_clusters_))
        assert fitted.n_categories_ == len(fitted.categories_.n)


@pytest.mark.parametrize("model", ALL, ids=repr)
@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_refused_and_changes_nothing(model, what):
    bad, message = BAD[what]
    y = np.zeros(bad.shape[0])
    fitted = learnt(model)
    before = in_use(fitted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for method in ("partial_fit", "fit", "predict"):
            if method == "fit" and what == "too wide":
                continue  # fit starts anew, with any width
            arguments = (bad,) if method == "predict" else (bad, y)
            with pytest.raises((ValueError, TypeError), match=message):
                getattr(fitted, method)(*arguments)
    assert in_use(fitted) == before
    assert fitted.n_features_in_ == 2
    fresh = clone(model)
    if what != "too wide":
        with pytest.raises((ValueError, TypeError)):
            fresh.partial_fit(bad, y)
        assert not hasattr(fresh, "n_features_in_")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (SequentialKMeans(0), r"n_clusters.*\[1"),
        (SequentialKMeans(init="random"), "init.*'first'"),
        (SequentialKMeans(9, init="k-means++", buffer_size=8), "buffer_size.*at least.*9.*8"),
        (SequentialKMeans(random_state=-1), "random_state"),
        (IncrementalSequentialKMeans(1.1), r"forgetting.*\[0"),
        (IncrementalSequentialKMeans(forgetting_moments=-1), "forgetting_moments"),
        (DRN(1.0), r"rho.*\[0"),
        (DRN(eta=0), r"eta.*\(0"),
        (DRN(eta_g=2), "eta_g"),
        (DRN(nu=0), r"nu.*\[1"),
        (DRN(alpha=0), "alpha"),
        (WSDVFA(0.5, 0.6), r"rho_lower.*\[0, 0.5\].*0.6"),
        (WSDVFA(beta=0), r"beta.*\(0"),
        (WSTopoFA(beta1=0.5, beta2=0.6), r"beta2.*\[0, 0.5\]"),
        (WSTopoFA(phi=-1), "phi"),
        (WSTopoFA(tau=1.5), "tau"),
        (ETopoFA(1.5), r"rho.*\[0, 1\]"),
        (ETopoFA(match="euclidean"), "match.*'cosine'"),
        (NearestNeighbour("manhattan"), "metric.*'cosine'"),
    ],
    ids=repr,
)
def test_a_parameter_out_of_range_is_refused_by_name(model, message):
    for method in ("fit", "partial_fit"):
        with pytest.raises(ValueError, match=rf"(?s){message}"):
            getattr(model, method)(np.eye(3), [0, 1, 2])
        assert not hasattr(model, "n_features_in_")


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_parameters_may_not_change_while_learning(model):
    fitted = learnt(model)
    before = in_use(fitted)
    other = {
        SequentialKMeans: {"n_clusters": 4},
        IncrementalSequentialKMeans: {"forgetting": 0.5},
        NearestNeighbour: {
            "metric": "cosine" if fitted.get_params().get("metric") == "euclidean" else "euclidean"
        },
    }.get(type(model), {"rho": 0.85})
    fitted.set_params(**other)
    (name,) = other
    X, y = stream()
    with pytest.raises(ValueError, match=rf"changed.*{name}"):
        fitted.partial_fit(X, y)
    assert in_use(fitted) == before
    fitted.fit(X, y)


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_copies_go_on_alike_and_share_nothing(model, tmp_path):
    X, y = stream()
    half = N // 2
    fitted = clone(model).partial_fit(X[:half], y[:half])
    before = in_use(fitted)
    joblib.dump(fitted, tmp_path / "model")
    twins = [
        copy.deepcopy(fitted),
        copy.copy(fitted),
        pickle.loads(pickle.dumps(fitted)),
        joblib.load(tmp_path / "model", mmap_mode="r"),  # memory that cannot be written
    ]
    for twin in twins:
        twin.partial_fit(X[half:], y[half:])
    assert in_use(fitted) == before
    fitted.partial_fit(X[half:], y[half:])
    assert all(in_use(twin) == in_use(fitted) for twin in twins)


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_input_is_not_kept(model):
    X, y = stream()
    fitted = clone(model).partial_fit(X, y)
    before = in_use(fitted)
    X[:], y[:] = 1e9, 0
    assert in_use(fitted) == before


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_nothing_can_be_read_before_learning(model):
    names = ["n_categories_", "n_samples_seen_"]
    names += [] if is_classifier(model) else ["n_clusters_"]
    for name in names:
        with pytest.raises(NotFittedError):
            getattr(clone(model), name)


@pytest.mark.parametrize("model", CLUSTERERS, ids=repr)
def test_threads_on_one_model_do_not_corrupt_it(model):
    X, _ = stream()
    shared = clone(model)
    learn_in_threads(shared, X)
    assert shared.n_samples_seen_ == N


@pytest.mark.parametrize("model", CLUSTERERS, ids=repr)
@pytest.mark.parametrize("change", ["shift", "scale"])
def test_shift_and_scale_change_no_label(model, change, seed):
    """By powers of two, of samples on a grid that survives it: no bit is lost."""
    X, _ = stream(seed)
    X = np.round(X * 2**10) / 2**10
    other = X + 2**20 if change == "shift" else X * 2.0**40
    if isinstance(model, SequentialKMeans) and model.init == "k-means++":
        return  # scikit-learn's sums decide
    assert np.array_equal(clone(model).fit(X).labels_, clone(model).fit(other).labels_)


# ---------------------------------------------------------------------- room


@pytest.mark.parametrize(
    "model",
    [DRN(0.99, nu=5), WSDVFA(0.99, 0.98), WSTopoFA(0.95)],
    ids=repr,
)
def test_more_categories_than_there_was_room_for(model):
    """The same when the arrays had to grow on the way, in one go and in pieces."""
    rng = np.random.default_rng(0)
    X = 1000.0 * rng.uniform(size=(150 if COMPILED else 80, 3)) ** 3
    whole, pieces = clone(model).partial_fit(X), clone(model)
    for x in X:
        pieces.partial_fit(x[None])
    assert in_use(whole)[:-1] == in_use(pieces)[:-1]
    assert whole.n_samples_seen_ == len(X)
    assert len(whole._state.cat) > Room().categories  # the room at the beginning


# ---------------------------------------------------------------------- one by one


def test_k_means_plus_plus_takes_its_seeds_from_the_buffer():
    X, _ = make_stream("random", 200, 0)
    model = SequentialKMeans(4, init="k-means++", buffer_size=50, random_state=3).fit(X)
    seeds, chosen = kmeans_plusplus(X[:50], 4, random_state=3)
    by_hand = SequentialKMeans(4).fit(np.concatenate([seeds, np.delete(X, chosen, axis=0)]))
    assert np.array_equal(model.cluster_centers_, by_hand.cluster_centers_)
    assert model.counts_.sum() == 200


def test_k_means_plus_plus_answers_before_its_buffer_is_full():
    X, _ = make_stream("random", 30, 0)
    model = SequentialKMeans(4, init="k-means++", buffer_size=50, random_state=3)
    for n in (2, 3, 30):
        model.partial_fit(X[model.n_samples_seen_ if hasattr(model, "labels_") else 0 : n])
        whole = SequentialKMeans(4, init="k-means++", buffer_size=n, random_state=3)
        if n >= 4:
            assert np.array_equal(model.cluster_centers_, whole.fit(X).cluster_centers_)
        assert model.n_clusters_ == min(n, 4)
        assert model.counts_.sum() == n


def test_fewer_samples_than_prototypes():
    model = SequentialKMeans(5).partial_fit([[0.0], [4.0]])
    assert model.n_clusters_ == 2
    assert model.partial_fit([[9.0]]).labels_.tolist() == [2]


def test_a_constant_stream_is_one_cluster():
    X = np.full((40, 2), 3.7)
    for model in CLUSTERERS[2:]:
        fitted = clone(model).fit(X)
        assert fitted.n_clusters_ == 1
        assert fitted.labels_.tolist() == [0] * 40
    assert SequentialKMeans(3).fit(X).labels_.tolist() == [0] * 40


def test_topofa_counts_only_permanent_categories_as_clusters():
    X = np.array([[0.0], [10.0], [0.1], [0.2], [0.1], [9.9], [0.0], [5.0]])
    model = WSTopoFA(0.9, phi=3, tau=0).fit(X)
    assert (model.n_categories_, model.n_clusters_) == (3, 1)
    assert model.categories_.cluster.tolist() == [0, -1, -1]
    assert model.labels_.tolist() == [0] * 8
    pruned = WSTopoFA(0.9, phi=3, tau=8).fit(X)
    assert (pruned.n_categories_, pruned.n_clusters_) == (1, 1)
    unpruned = WSTopoFA(0.9, phi=100, tau=2).fit(X)  # a pruning that would leave nothing
    assert (unpruned.n_categories_, unpruned.n_clusters_) == (3, 3)


def test_dvfa_opens_categories_within_a_cluster():
    model = WSDVFA(0.95, 0.6).fit([[0.0], [10.0], [2.0], [8.0]])
    assert (model.n_categories_, model.n_clusters_) == (4, 2)
    assert model.labels_.tolist() == [0, 1, 0, 1]


def test_drn_groups_nodes_when_the_global_weight_grows():
    model = DRN(0.5).partial_fit([[0.0], [1.0], [0.6]])
    assert model.n_clusters_ == 2
    strength = model.strengths_.toarray()
    np.testing.assert_allclose(strength[0, 1], np.exp(-0.8))
    model.partial_fit([[10.0]])
    assert model.n_clusters_ == 2
    assert model.categories_.lower.tolist() == [[0.0], [10.0]]
    assert model.categories_.upper.tolist() == [[1.0], [10.0]]


def test_drn_draws_the_order_of_grouping():
    X, _ = make_stream("class-incremental", 60, 0)
    found = {DRN(0.9, random_state=s).fit(X).labels_.tobytes() for s in range(6)}
    assert len(found) > 1
    assert len({DRN(0.9, random_state=7).fit(X).labels_.tobytes() for _ in range(2)}) == 1


def test_nearest_neighbour_needs_labels_and_learns_new_classes():
    model = NearestNeighbour()
    with pytest.raises(ValueError, match="requires y"):
        model.fit([[0.0]], None)
    with pytest.raises(ValueError, match="2 samples, y has 1"):
        model.fit([[0.0], [1.0]], [0])
    assert not hasattr(model, "n_features_in_")
    model.partial_fit([[0.0]], ["a"]).partial_fit([[5.0]], ["b"])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.labels_.tolist() == ["b"]
