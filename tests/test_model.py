"""ICVITopoARTMAP as a user meets it."""

import copy
import pickle
import warnings

import joblib
import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from streamart import ICVITopoARTMAP
from streamart.data import make_stream
from support import COMPILED, arrays_of, learn_in_threads

N = 700 if COMPILED else 50
INDICES = ["ch", "wb", "pbm", "xb", "db", "conn", *(() if COMPILED else ("csil",))]


# The interpreter takes long over these, and sees the same lines.
CONTRACT = [ICVITopoARTMAP(), ICVITopoARTMAP("conn", rho=0.8, rho_c=0.8)][: 2 if COMPILED else 1]


@parametrize_with_checks(CONTRACT)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def fingerprint(model):
    """All bytes that make up the model, as they are in use."""
    state = arrays_of(model._state)
    arrays = [*model.categories_, *model.clusters_, model.conn_.toarray(), *state]
    scalars = (model.n_clusters_, model.n_categories_, model.tracker_, model.n_samples_seen_)
    known = {name: model.__dict__.get(name) for name in ("n_features_in_", "labels_")}
    return pickle.dumps(([a.tobytes() for a in arrays], scalars, known))


def in_use(model):
    """What two models share if they have learnt the same (room may differ)."""
    arrays = [*model.categories_, *model.clusters_, model.conn_.toarray()]
    numbers = np.array([model.icvi_value_, model.rho_, model.tracker_])
    return [a.tobytes() for a in [*arrays, numbers]]


@pytest.mark.parametrize("icvi", INDICES)
def test_in_one_go_and_sample_by_sample_are_bit_identical(icvi, seed):
    X, _y = make_stream("mixed", n_samples=N, random_state=seed)
    params = {"rho": 0.8, "rho_c": 0.8} if icvi == "conn" else {}
    whole = ICVITopoARTMAP(icvi, record_history=True, **params).partial_fit(X)
    single = ICVITopoARTMAP(icvi, record_history=True, **params)
    for x in X:
        single.partial_fit(x[None])
    chunks = ICVITopoARTMAP(icvi, **params)
    for at in range(0, N, 97):
        chunks.partial_fit(X[at : at + 97])
    assert in_use(whole) == in_use(single) == in_use(chunks)
    for name, column in whole.history_.items():
        assert column.tobytes() == single.history_[name].tobytes(), name
    fitted = ICVITopoARTMAP(icvi, **params).fit(X)
    assert in_use(whole) == in_use(fitted)
    assert np.array_equal(fitted.labels_, fitted.predict(X))


def test_learn_one_is_partial_fit(seed):
    X, y = make_stream("mixed", N // 2, seed)
    one, many = ICVITopoARTMAP(xi=40), ICVITopoARTMAP(xi=40)
    for t, x in enumerate(X):
        label = int(y[t]) if t % 50 == 7 else None
        many.partial_fit(x[None], None if label is None else [label])
        assert one.learn_one(x, label) == many.labels_[0]
    assert in_use(one) == in_use(many)


@pytest.mark.parametrize(
    "x", [[np.nan, 0], [np.inf, 0], [1.0], [[1.0, 2.0]], ["a", "b"], [1e200, 0], 3.0, []]
)
def test_learn_one_refuses_bad_input_and_changes_nothing(x):
    X, _ = make_stream("random", 60, 0)
    model = ICVITopoARTMAP().partial_fit(X)
    before = fingerprint(model)
    with pytest.raises(ValueError, match=r"NaN|infinity|features|dim|convert|beyond|minimum"):
        model.learn_one(x)
    assert fingerprint(model) == before


def test_labels_of_a_batch_survive_compression(seed):
    """labels_ after partial_fit name the cluster whose categories hold the samples."""
    X, _ = make_stream("class-incremental", n_samples=N, random_state=seed)
    model = ICVITopoARTMAP(xi=50).partial_fit(X)
    assert np.bincount(model.labels_, minlength=model.n_clusters_).tolist() == (
        model.clusters_.n.tolist()
    )
    for c in range(model.n_clusters_):
        np.testing.assert_allclose(X[model.labels_ == c].mean(axis=0), model.clusters_.mean[c])


def test_attributes(seed):
    X, _ = make_stream("random", n_samples=N, random_state=seed)
    model = ICVITopoARTMAP(record_history=True).partial_fit(X)
    k, p = model.n_clusters_, model.n_categories_
    assert model.n_samples_seen_ == N == model.clusters_.n.sum() == model.categories_.n.sum()
    assert model.categories_.lower.shape == model.categories_.upper.shape == (p, 2)
    assert np.all(model.categories_.lower <= model.categories_.upper)
    assert set(model.categories_.cluster) == set(range(k))
    assert model.conn_.shape == (p, p)
    assert isinstance(model.conn_, csr_array)
    history = model.history_
    assert set(history) == {"icvi_value", "tracker", "rho", "n_categories", "n_clusters"}
    assert all(len(column) == N for column in history.values())
    assert np.isnan(history["icvi_value"][0])
    assert history["icvi_value"][-1] == model.icvi_value_
    assert history["tracker"][-1] == model.tracker_
    assert history["n_clusters"][-1] == k
    assert not hasattr(ICVITopoARTMAP().partial_fit(X), "history_")


def test_supervised_labels_decide(seed):
    X, y = make_stream("random", n_samples=N, random_state=seed)
    rng = np.random.default_rng(seed)
    named = np.where(rng.random(N) < 0.2, y, -1)
    fixed = ICVITopoARTMAP("ch", map_learning="fixed", strategies=("compress",))
    fixed.partial_fit(X, named)
    assert sorted(fixed.class_ids_) == sorted(set(named) - {-1})
    for label, cluster in fixed.class_ids_.items():
        assert np.all(fixed.ids_[named == label] == cluster)


def test_a_label_for_an_unseen_class_opens_a_cluster():
    X = np.array([[0.0, 0.0], [0.1, 0.0], [0.0, 0.1], [0.05, 0.05]])
    model = ICVITopoARTMAP(map_learning="fixed", strategies=("compress",)).partial_fit(
        X, [4, -1, 9, 9]
    )
    assert model.class_ids_ == {4: 0, 9: 1}
    assert model.labels_.tolist()[2:] == [1, 1]


# ---------------------------------------------------------------------- bad input

BAD = {
    "nan": (np.array([[1.0, np.nan]]), "NaN"),
    "infinity": (np.array([[1.0, np.inf]]), "infinity"),
    "minus infinity": (np.array([[-np.inf, 1.0]]), "infinity"),
    "too wide": (np.ones((1, 3)), "3 features"),
    "one dimension": (np.ones(2), "2D array"),
    "three dimensions": (np.ones((1, 2, 2)), "dim 3"),
    "empty": (np.empty((0, 2)), "0 sample"),
    "no features": (np.empty((3, 0)), "0 feature"),
    "words": (np.array([["a", "b"]]), "could not convert|dtype"),
    "objects": (np.array([[{}, []]], dtype=object), "must be|number|convert"),
    "sparse": (csr_array(np.eye(2)), "[Ss]parse"),
    "complex": (np.array([[1 + 2j, 0]]), "[Cc]omplex"),
    "too large": (np.array([[1e200, 0.0]]), "overflow"),
}


@pytest.mark.parametrize("what", BAD)
@pytest.mark.parametrize("method", ["partial_fit", "fit", "predict"])
def test_bad_input_is_refused_and_changes_nothing(what, method):
    X, _ = make_stream("random", n_samples=60, random_state=0)
    model = ICVITopoARTMAP().partial_fit(X)
    before = fingerprint(model)
    bad, message = BAD[what]
    if method == "fit" and what == "too wide":
        return  # fit starts anew, with any width
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises((ValueError, TypeError), match=message):
            getattr(model, method)(bad)
    assert fingerprint(model) == before
    model.partial_fit(X[:1])
    assert model.n_samples_seen_ == 61


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1], "one label per sample"),
        ([0.5, 1.5], "integers from 0"),
        (["a", "b"], "integers from 0"),
        ([-2, 1], "-2"),
        ([[1], [2]], "one label per sample"),
    ],
)
def test_bad_labels_are_refused_and_change_nothing(y, message):
    X, _ = make_stream("random", n_samples=60, random_state=0)
    model = ICVITopoARTMAP().partial_fit(X)
    before = fingerprint(model)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(X[:2], y)
    assert fingerprint(model) == before
    fresh = ICVITopoARTMAP()
    with pytest.raises(ValueError, match=message):
        fresh.partial_fit(X[:2], y)
    assert not hasattr(fresh, "n_features_in_")


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("icvi", "silhouette", "'wb'"),
        ("rho", -0.1, r"\[0.0, 2.0\]|\[0, 2\]"),
        ("rho", 1.5, r"\[0, 1\]"),
        ("rho_mt", 1.5, r"\[0, 1\]"),
        ("beta1", 0.0, r"\(0.0, 1.0\]|\(0, 1\]"),
        ("beta2", 1.5, r"\[0"),
        ("alpha", 0.0, r"\(0"),
        ("match", "euclidean", "'cosine'"),
        ("epsilon", 2, r"\[-1"),
        ("rho_ab", 1.1, r"\[0"),
        ("beta_ab", 0, r"\(0"),
        ("map_learning", "both", "'fixed'"),
        ("epsilon_icvi", 0.0, r"\(0"),
        ("split_type", "none", "'activity'"),
        ("rho_c", -1, r"\[0"),
        ("tau", -1, r"\[0"),
        ("tau", 1.5, "int"),
        ("phi", -1, r"\[0"),
        ("xi", 0, r"\[1"),
        ("strategies", "merge", "tuple"),
        ("strategies", ["joining"], "'merge'"),
        ("second_winner_vigilance", "mine", "'raised'"),
    ],
)
def test_a_parameter_out_of_range_is_refused_by_name(name, value, allowed):
    for method in ("fit", "partial_fit"):
        with pytest.raises(ValueError, match=rf"(?s){name}.*({allowed})"):
            getattr(ICVITopoARTMAP(**{name: value}), method)(np.eye(3))


def test_beta2_may_not_exceed_beta1():
    with pytest.raises(ValueError, match=r"'beta2'.*\[0, 0.5\]"):
        ICVITopoARTMAP(beta1=0.5, beta2=0.6).fit(np.eye(3))


def test_parameters_may_not_change_while_learning():
    model = ICVITopoARTMAP().partial_fit(np.eye(3))
    model.set_params(rho=0.5)
    before = fingerprint(model)
    with pytest.raises(ValueError, match=r"changed.*rho"):
        model.partial_fit(np.eye(3))
    assert fingerprint(model) == before
    model.fit(np.eye(3))


def test_reading_before_learning():
    from sklearn.exceptions import NotFittedError

    for name in ("n_clusters_", "categories_", "conn_", "icvi_value_", "class_ids_"):
        with pytest.raises(NotFittedError):
            getattr(ICVITopoARTMAP(), name)


# ---------------------------------------------------------------------- copies and threads


def test_copies_go_on_alike_and_share_nothing(seed):
    X, _ = make_stream("random", n_samples=300, random_state=seed)
    model = ICVITopoARTMAP().partial_fit(X[:150])
    twins = [copy.deepcopy(model), copy.copy(model), pickle.loads(pickle.dumps(model))]
    before = in_use(model)
    for twin in twins:
        twin.partial_fit(X[150:])
    assert in_use(model) == before
    model.partial_fit(X[150:])
    assert all(in_use(twin) == in_use(model) for twin in twins)
    assert not hasattr(clone(model), "_state")


def test_goes_on_after_being_read_into_memory_that_cannot_be_written(tmp_path):
    X, _ = make_stream("random", 300, 1)
    model = ICVITopoARTMAP().partial_fit(X[:200])
    joblib.dump(model, tmp_path / "model")
    twin = joblib.load(tmp_path / "model", mmap_mode="r")
    assert twin.partial_fit(X[200:]).labels_.tolist() == model.partial_fit(X[200:]).labels_.tolist()


def test_input_is_not_kept(seed):
    X, _ = make_stream("random", n_samples=100, random_state=seed)
    model = ICVITopoARTMAP().partial_fit(X)
    before = in_use(model)
    X[:] = 1e9
    assert in_use(model) == before


def test_threads_on_one_model_do_not_corrupt_it(seed):
    X, _ = make_stream("random", n_samples=400, random_state=seed)
    model = ICVITopoARTMAP()
    learn_in_threads(model, X)
    assert model.n_samples_seen_ == 400 == model.categories_.n.sum() == model.clusters_.n.sum()
    np.testing.assert_allclose(
        np.average(model.clusters_.mean, axis=0, weights=model.clusters_.n), X.mean(axis=0)
    )
    conn = model.conn_.toarray()
    assert np.array_equal(conn, conn.T)


# ---------------------------------------------------------------------- numerics


@pytest.mark.parametrize("icvi", ["ch", "wb", "pbm", "xb", "db", "conn"])
@pytest.mark.parametrize("change", ["shift 1e8", "scale 1e-6", "scale 1e6", "scale 2**40"])
def test_shift_and_scale_change_no_label(icvi, change, seed):
    """A power of two changes no bit of the arithmetic; 1e6 rounds every sample at 1e-16.

    A shift by 1e8 rounds every sample at 1.5e-8, a billionth of the spread of the clusters here; a
    decision would have to be that close to be taken otherwise.
    """
    X, _ = make_stream("mixed", n_samples=N, random_state=seed)
    kind, amount = change.split()
    changed = X + float(amount) if kind == "shift" else X * float(eval(amount))
    params = {"rho": 0.8, "rho_c": 0.8} if icvi == "conn" else {}
    original = ICVITopoARTMAP(icvi, **params).partial_fit(X)
    other = ICVITopoARTMAP(icvi, **params).partial_fit(changed)
    assert np.array_equal(original.labels_, other.labels_)
    assert np.array_equal(original.predict(X), other.predict(changed))


def test_an_exact_shift_changes_no_label(seed):
    """Samples on a grid of 2**-20 survive a shift by 2**27 without rounding."""
    X, _ = make_stream("mixed", n_samples=N, random_state=seed)
    X = np.round(X * 2**20) / 2**20
    original = ICVITopoARTMAP().partial_fit(X)
    other = ICVITopoARTMAP().partial_fit(X + 2**27)
    assert np.array_equal(original.labels_, other.labels_)


def test_a_far_outlier_first_does_not_blind_the_model(seed):
    X, _y = make_stream("random", n_samples=N, random_state=seed)
    model = ICVITopoARTMAP().partial_fit(np.array([[1e12, -1e12]])).partial_fit(X)
    assert np.isfinite(model.clusters_.mean).all()
    assert model.n_samples_seen_ == N + 1


def test_the_one_cluster_trap():
    """Many equal features: without the escape one category swallows everything."""
    rng = np.random.default_rng(0)
    X = np.zeros((300, 64))
    X[:, :8] = rng.normal(size=(300, 8)) + 5 * rng.integers(0, 3, size=(300, 1))
    assert ICVITopoARTMAP(escape_single_cluster=False).fit(X).n_clusters_ == 1
    assert ICVITopoARTMAP().fit(X).n_clusters_ > 1


def test_a_model_that_grows_says_so_once(monkeypatch, seed):
    monkeypatch.setattr("streamart.engines.network.LARGE", 60_000)
    X = np.random.default_rng(seed).normal(size=(120, 2))
    model = ICVITopoARTMAP(rho=0.99, strategies=(), icvi_match_tracking=False)
    with pytest.warns(RuntimeWarning, match="categories in") as said:
        model.partial_fit(X)
    assert len(said) == 1
    assert "lower rho" in str(said[0].message)
