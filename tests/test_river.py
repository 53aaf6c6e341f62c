"""StreamART and the paper's network as clusterers for river."""

import copy
import pickle
import random
import subprocess
import sys
from fractions import Fraction

import joblib
import numpy as np
import pytest
from river import checks, compose, datasets, evaluate, metrics, preprocessing, stream
from river.checks import common

from streamart import ICVITopoARTMAP, StreamART
from streamart.adapters.river import ICVITopoARTMAPClusterer, StreamARTClusterer
from streamart.data import make_stream
from support import COMPILED

pd = pytest.importorskip("pandas")

N = 600 if COMPILED else 60
ALL_PARAMS = list(ICVITopoARTMAPClusterer._unit_test_params())


def samples(n=N, seed=0):
    X, y = make_stream("mixed", n_samples=n, random_state=seed)
    return [{"a": a, "b": b} for a, b in X.tolist()], y


def learnt(n=N, **params):
    model = ICVITopoARTMAPClusterer(**params)
    for x in samples(N)[0][:n]:
        model.learn_one(x)
    return model


def in_use(model):
    """What two models share if they have learnt the same."""
    return [array.tobytes() for array in (*model.model.categories_, *model.model.clusters_)]


def everything(model):
    """What a refused sample must leave as it was."""
    kept = {name: value for name, value in vars(model.model).items() if name != "_lock"}
    return joblib.hash([model._known, kept])


# ---------------------------------------------------------------------- river's own checks


@pytest.mark.parametrize("params", ALL_PARAMS, ids=str)
def test_river_s_checks(params):
    model = ICVITopoARTMAPClusterer(**params)
    assert model._unit_test_skips() == set()
    ran = [check.__name__ for check in checks.yield_checks(model)]
    assert {"check_doc", "check_pickling_supports_roundtrip"} <= set(ran)
    checks.check_estimator(model)


# river runs these on estimators that it has data for; for clusterers it has none
DATA_CHECKS = [
    "check_learn_one",
    "check_pickling",
    "check_shuffle_features_no_impact",
    "check_no_state_aliasing_with_input",
    "check_clone_is_independent",
    "check_seeding_is_idempotent",
    "check_bounded_memory_growth",
]
# and these only make sense for a model that takes samples with other features
FEATURE_CHECKS = [
    "check_emerging_features",
    "check_disappearing_features",
    "check_radically_disappearing_features",
    "check_learn_many_matches_learn_one",
]


@pytest.mark.parametrize(
    ("name", "missing"),
    [(name, missing) for name in DATA_CHECKS for missing in ("error", "zero")]
    + [(name, "zero") for name in FEATURE_CHECKS],
)
def test_river_s_checks_with_data(name, missing):
    n = (1000 if name == "check_bounded_memory_growth" else 120) if COMPILED else 60
    data = list(datasets.Phishing().take(n))
    random.seed(0)
    getattr(common, name)(ICVITopoARTMAPClusterer(missing=missing), data)


def test_predicting_does_not_touch_the_sample_or_the_model():
    # river's check_predict_one_pure passes over clusterers
    model = learnt(60)
    x = {"a": 0.25, "b": 0.5}
    before = everything(model)
    assert model.predict_one(x) == model.predict_one(x)
    assert x == {"a": 0.25, "b": 0.5}
    assert everything(model) == before


# ---------------------------------------------------------------------- the same network


def test_parameters_are_those_of_the_network():
    model = ICVITopoARTMAPClusterer(icvi="wb", rho=0.3, missing="zero")
    assert model.model.get_params() == ICVITopoARTMAP("wb", rho=0.3).get_params()
    assert model.clone({"rho": 0.5}).model.rho == 0.5
    assert model.clone().missing == "zero"
    with pytest.raises(TypeError, match="unknown"):
        ICVITopoARTMAPClusterer(unknown=1)


def test_it_learns_and_predicts_as_the_network_does(seed):
    dicts, _ = samples(seed=seed)
    X = np.array([[x["a"], x["b"]] for x in dicts])
    model, network = ICVITopoARTMAPClusterer(), ICVITopoARTMAP().partial_fit(X)
    for x in dicts:
        model.learn_one(x)
    assert model.n_clusters == network.n_clusters_ > 1
    expected = network.cluster_ids_[network.predict(X)].tolist()
    assert [model.predict_one(x) for x in dicts] == expected
    assert all(type(model.predict_one(x)) is int for x in dicts[:3])
    means = dict(zip(network.cluster_ids_.tolist(), network.clusters_.mean.tolist(), strict=True))
    assert {k: list(c.values()) for k, c in model.centers.items()} == means
    assert all(list(c) == ["a", "b"] for c in model.centers.values())


def test_numbers_of_clusters_last():
    """What river's users see: positions shift, numbers do not."""
    dicts, _ = samples()
    model, before, seen = ICVITopoARTMAPClusterer(), {}, set()
    for x in dicts:
        model.learn_one(x)
        now = set(model.centers)
        assert len(now) == model.n_clusters
        assert model.predict_one(x) in now
        assert not now & set(model.aliases), "a number that ended lives again"
        assert set(model.aliases.values()) <= now
        assert set(before) <= now | set(model.aliases), "a number vanished without a successor"
        assert before.keys() - now == before.keys() & model.aliases.keys()
        seen |= now
        before = model.centers
    if COMPILED:
        assert model.aliases, "the stream has no mergers: the test shows nothing"
        assert max(seen) >= model.n_clusters, "no number was ever passed over"


def test_before_anything_is_learnt():
    model = ICVITopoARTMAPClusterer()
    assert model.predict_one({"a": 1.0}) == 0
    assert (model.n_clusters, model.centers, model.aliases) == (0, {}, {})
    assert model.predict_many(pd.DataFrame({"a": [1.0, 2.0]})).tolist() == [0, 0]
    model.learn_one({"z": 1.0})  # asking fixed no features
    assert model.n_clusters == 1


def test_pickle_and_copy_go_on_alike():
    dicts, _ = samples()
    half = len(dicts) // 2
    model = ICVITopoARTMAPClusterer()
    for x in dicts[:half]:
        model.learn_one(x)
    others = [pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    for x in dicts[half:]:
        for each in (model, *others):
            each.learn_one(x)
    for other in others:
        assert in_use(other) == in_use(model)
        assert other.centers == model.centers
        assert other.aliases == model.aliases
    assert model.clone().n_clusters == 0


# ---------------------------------------------------------------------- samples


def test_order_of_keys_does_not_matter():
    rng = np.random.default_rng(0)
    # values whose sums depend on the order of adding
    rows = rng.normal(size=(N, 5)) * [1e-8, 1, 1e3, 1e-3, 7]
    names = ["e", "d", 3, ("c", 1), "a"]  # of several types
    straight, mixed = ICVITopoARTMAPClusterer(), ICVITopoARTMAPClusterer()
    for row in rows.tolist():
        x = dict(zip(names, row, strict=True))
        straight.learn_one(x)
        keys = [names[i] for i in rng.permutation(5)]
        mixed.learn_one({key: x[key] for key in keys})
    assert in_use(straight) == in_use(mixed)


@pytest.mark.parametrize(
    "value", [1, True, np.float32(1), np.int8(1), np.bool_(True), Fraction(2, 2), 10**25 // 10**25]
)
def test_all_kinds_of_numbers(value):
    model, plain = learnt(30), learnt(30)
    model.learn_one({"a": value, "b": Fraction(1, 2)})
    plain.learn_one({"a": 1.0, "b": 0.5})
    assert in_use(model) == in_use(plain)
    model.learn_one({"a": value, "b": value})
    plain.learn_one({"a": 1.0, "b": 1.0})
    assert in_use(model) == in_use(plain)


@pytest.mark.parametrize("count", [0, 30])
@pytest.mark.parametrize(
    ("x", "error", "says"),
    [
        ({"a": "1", "b": 0.0}, TypeError, "'a' must be a number"),
        ({"a": 0.0, "b": None}, TypeError, "'b' must be a number"),
        ({"a": 0.0, "b": [1.0]}, TypeError, "'b' must be a number"),
        ({"a": [0.0], "b": [1.0]}, TypeError, "'a' must be a number"),
        ({"a": 1j, "b": 0.0}, TypeError, "'a' must be a number"),
        ({"a": 0.0, "b": np.datetime64("2020-01-01")}, TypeError, "'b' must be a number"),
        ({"a": float("nan"), "b": 0.0}, ValueError, "'a' must be finite"),
        ({"a": 0.0, "b": -np.inf}, ValueError, "'b' must be finite"),
        ({"a": 1e200, "b": 0.0}, ValueError, "beyond 1e"),
        ({}, ValueError, r"no features|missing \['a', 'b'\]"),
    ],
    ids=str,
)
@pytest.mark.parametrize("call", ["learn_one", "predict_one", "learn_many", "predict_many"])
def test_refused_samples_change_nothing(call, x, error, says, count):
    if "beyond" in says and "predict" in call and not count:
        return  # nothing is learnt, so nothing can overflow
    argument = x
    if call.endswith("many"):
        if not x:
            return  # a frame without columns has no rows either
        argument = pd.DataFrame([{"a": 0.0, "b": 0.0}, x])
        if None in x.values():  # pandas makes NaN of it
            error, says = ValueError, "'b' must be finite"
    model = learnt(count)
    before = everything(model)
    with pytest.raises(error, match=says):
        getattr(model, call)(argument)
    assert everything(model) == before
    model.learn_one({"a": 0.0, "b": 0.0})  # and it goes on


@pytest.mark.parametrize(
    "x",
    [{"a": 1.0}, {"a": 1.0, "c": 1.0}, {"a": 1.0, "b": 1.0, "c": 1.0}, {"a": "1", "c": None}],
    ids=str,
)
@pytest.mark.parametrize("call", ["learn_one", "predict_one", "learn_many", "predict_many"])
def test_other_features_are_refused(call, x):
    model = learnt(30)
    before = everything(model)
    with pytest.raises(ValueError, match="missing='zero'") as caught:
        getattr(model, call)(pd.DataFrame([x]) if call.endswith("many") else x)
    assert ("missing ['b']" in str(caught.value)) == ("b" not in x)
    assert ("unknown ['c']" in str(caught.value)) == ("c" in x)
    assert everything(model) == before


def test_other_features_by_rule():
    model, plain = learnt(30, missing="zero"), learnt(30)
    model.learn_one({"a": 1.0, "c": 99.0})
    plain.learn_one({"a": 1.0, "b": 0.0})
    assert in_use(model) == in_use(plain)
    assert model.predict_one({"b": 1.0}) == plain.predict_one({"a": 0.0, "b": 1.0})
    model.learn_many(pd.DataFrame({"c": [5.0], "b": [2.0]}))
    plain.learn_one({"a": 0.0, "b": 2.0})
    assert in_use(model) == in_use(plain)


def test_features_named_beforehand():
    model = ICVITopoARTMAPClusterer(features=("b", "a"), missing="zero")
    plain = ICVITopoARTMAPClusterer()
    for sparse, x in [({"b": 1}, {"a": 0, "b": 1}), ({"a": 2}, {"a": 2, "b": 0})]:
        model.learn_one(sparse)
        plain.learn_one(x)
    assert in_use(model) == in_use(plain)
    assert model.centers == plain.centers
    with pytest.raises(ValueError, match=r"missing \['b'\]"):
        ICVITopoARTMAPClusterer(features=("b", "a")).learn_one({"a": 1})


def test_wrong_parameters():
    with pytest.raises(ValueError, match="missing must be"):
        ICVITopoARTMAPClusterer(missing="drop")
    for features in ("ab", ("a", "a")):
        with pytest.raises(ValueError, match="features must be"):
            ICVITopoARTMAPClusterer(features=features)
    with pytest.raises(ValueError, match="'rho'"):
        ICVITopoARTMAPClusterer(rho=7).learn_one({"a": 1})


# ---------------------------------------------------------------------- mini-batches


def test_mini_batches_give_the_same_model():
    dicts, _ = samples()
    one, many = ICVITopoARTMAPClusterer(), ICVITopoARTMAPClusterer()
    for x in dicts:
        one.learn_one(x)
    frame = pd.DataFrame(dicts, index=[f"row {i}" for i in range(len(dicts))])
    for at in range(0, len(dicts), 77):
        part = frame.iloc[at : at + 77]
        many.learn_many(part[["b", "a"]] if at % 2 else part)
    many.learn_many(frame.iloc[:0])
    assert in_use(one) == in_use(many)
    assert one.centers == many.centers
    labels = many.predict_many(frame[["b", "a"]])
    assert labels.tolist() == [one.predict_one(x) for x in dicts]
    assert labels.index.equals(frame.index)
    assert labels.dtype == np.int64


def test_mini_batches_of_polars():
    pl = pytest.importorskip("polars")
    dicts, _ = samples()
    one, many = learnt(), ICVITopoARTMAPClusterer()
    many.learn_many(pl.DataFrame(dicts))
    assert in_use(one) == in_use(many)
    labels = many.predict_many(pl.DataFrame(dicts))
    assert isinstance(labels, pl.Series)
    assert labels.to_list() == [one.predict_one(x) for x in dicts]


def test_mini_batches_of_all_kinds_of_columns():
    frame = pd.DataFrame(
        {
            "a": pd.Series([True, False, True]),
            "b": pd.Series([1, 2, 3], dtype="Int8"),
            "c": pd.Series([1, 2.5, True], dtype=object),
        }
    )
    one, many = ICVITopoARTMAPClusterer(), ICVITopoARTMAPClusterer()
    many.learn_many(frame)
    for a, b, c in zip([1, 0, 1], [1, 2, 3], [1, 2.5, 1], strict=True):
        one.learn_one({"a": a, "b": b, "c": c})
    assert in_use(one) == in_use(many)


# ---------------------------------------------------------------------- with the rest of river


def test_in_a_pipeline():
    dicts, _ = samples()
    pipeline = preprocessing.StandardScaler() | ICVITopoARTMAPClusterer()
    scaler, model = preprocessing.StandardScaler(), ICVITopoARTMAPClusterer()
    for x in dicts:
        pipeline.learn_one(x)
        scaler.learn_one(x)
        model.learn_one(scaler.transform_one(x))
    assert isinstance(pipeline, compose.Pipeline)
    assert pipeline["ICVITopoARTMAPClusterer"].n_clusters == model.n_clusters
    ours = [pipeline.predict_one(x) for x in dicts]
    assert ours == [model.predict_one(scaler.transform_one(x)) for x in dicts]
    frame = pd.DataFrame(dicts)
    assert pipeline.predict_many(frame).tolist() == ours
    assert pipeline.clone()["ICVITopoARTMAPClusterer"].n_clusters == 0


@pytest.mark.parametrize("piped", [False, True])
def test_in_progressive_evaluation(piped):
    dicts, y = samples()
    model = ICVITopoARTMAPClusterer()
    if piped:
        model = preprocessing.StandardScaler() | model
    score = evaluate.progressive_val_score(
        zip(dicts, y.tolist(), strict=True), model, metrics.Silhouette()
    )
    assert 0 < score.get() < 1
    n_clusters = (model["ICVITopoARTMAPClusterer"] if piped else model).n_clusters
    assert n_clusters > 1


def test_iter_array_and_metrics():
    X, y = make_stream("mixed", n_samples=N, random_state=0)
    model, metric = ICVITopoARTMAPClusterer(), metrics.AdjustedRand()
    for x, label in stream.iter_array(X, y):
        model.learn_one(x)
        metric.update(int(label), model.predict_one(x))
    assert metric.get() > (0.5 if COMPILED else 0)


def test_without_river_the_error_says_what_to_do():
    code = (
        "import sys; sys.modules['river'] = None\n"
        "import streamart, streamart.adapters\n"
        "try:\n    import streamart.adapters.river\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'streamart[river]'" in done.stdout


# ---------------------------------------------------------------------- StreamART


@pytest.mark.parametrize("params", [{}, {"max_categories": 20, "missing": "zero"}], ids=str)
def test_streamart_passes_the_checks_of_river(params):
    checks.check_estimator(StreamARTClusterer(**params))


@pytest.mark.parametrize("name", DATA_CHECKS)
def test_streamart_passes_the_checks_with_data(name):
    n = (600 if name == "check_bounded_memory_growth" else 120) if COMPILED else 40
    data = list(datasets.Phishing().take(n))
    random.seed(0)
    getattr(common, name)(StreamARTClusterer(max_categories=40), data)


def test_streamart_clusterer_is_streamart(seed):
    X, _ = make_stream("random", 300 if COMPILED else 60, seed)
    samples = [dict(zip("ab", row, strict=True)) for row in X.tolist()]
    one, plain = StreamARTClusterer(max_categories=60), StreamART(60).partial_fit(X)
    assert one.n_clusters == 0
    for x in samples:
        one.learn_one(x)
        assert one.predict_one(x) in one.model._state.clu[0]["id"]
    assert one.n_clusters == plain.n_clusters_
    assert one.model.predict(X).tolist() == plain.predict(X).tolist()
    assert one.clone().model.max_categories == 60
    centers = np.array([list(center.values()) for center in one.centers.values()])
    np.testing.assert_allclose(centers, plain.clusters_.mean)
