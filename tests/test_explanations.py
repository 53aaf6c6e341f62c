"""What the model says of itself is what it does."""

import copy

import numpy as np
import pandas as pd
import pytest

from streamart import ICVITopoARTMAP, validity_score, validity_scorer
from streamart.data import make_stream
from streamart.estimators.parameters import STRATEGIES
from streamart.icvi.state import LIVE
from streamart.validity.evaluation import conn_index, index_of_footprints
from support import COMPILED, has_slow_map
from test_model import fingerprint

INDICES = ["ch", "wb", "pbm", "xb", "db", "conn"]
SETTINGS = [
    {},
    {"match": "cosine", "rho": 0.5, "rho_mt": 0.05},
    {"map_learning": "fixed", "rho": 0.6},
    {"beta_ab": 0.7, "rho_ab": 0.6},
    {"use_uncommitted": False, "epsilon": -0.01, "tau": 3, "rho": 0.5},
]


def model_of(icvi, **params):
    conn = {"rho": 0.7, "rho_c": 0.7} if icvi == "conn" and "rho" not in params else {}
    return ICVITopoARTMAP(icvi, xi=40, **conn, **params)


@pytest.mark.parametrize("params", SETTINGS, ids=lambda params: "-".join(params) or "default")
@pytest.mark.parametrize("icvi", INDICES)
def test_explain_says_what_learning_does(icvi, params, seed):
    if "beta_ab" in params and not has_slow_map(icvi):
        pytest.skip("a compilation of its own")
    X, _ = make_stream("mixed", 160 if COMPILED else 40, seed)
    model = model_of(icvi, **params).partial_fit(X[:30])
    for x in X[30:]:
        before = fingerprint(model)
        found = model.explain(x)
        assert fingerprint(model) == before
        bare = copy.deepcopy(model)
        for strategy in STRATEGIES:
            bare._state.params[strategy] = 0
        bare.learn_one(x)
        winner = bare._state.now[0]["winner"]
        rows = bare._state.order[: bare.n_categories_]
        if found.category is None:
            assert bare.n_categories_ == model.n_categories_ + 1
        else:
            assert rows[found.category] == winner
        place = bare._state.label[LIVE, winner]
        if found.cluster is None:
            assert place == model.n_clusters_
        elif "beta_ab" not in params:  # there, learning may move the category
            assert model.cluster_ids_[place] == found.cluster
        assert found.vigilance == bare.rho_
        # The first that passes all tests is the one that learns.
        passing = [
            v.category
            for v in found.categories
            if v.passes_uncommitted and v.passes_vigilance and v.passes_map_field
        ]
        assert (passing[0] if passing else None) == found.category
        activations = [v.activation for v in found.categories]
        assert np.all(np.diff(activations) <= 1e-12)
        assert found.runner_up != found.cluster
        assert found.predicted == model.cluster_ids_[model.predict(x[None])[0]]
        assert {v.cluster for v in found.categories} == set(model.cluster_ids_.tolist())
        assert str(found).startswith("goes to ")
        model.learn_one(x)


@pytest.mark.parametrize("icvi", INDICES[:-1])
def test_index_if_joined_is_the_index_afterwards(icvi, seed):
    X, _ = make_stream("random", 120 if COMPILED else 50, seed)
    model = model_of(icvi).partial_fit(X[:-1])
    found = model.explain(X[-1])
    bare = copy.deepcopy(model)
    for strategy in STRATEGIES:
        bare._state.params[strategy] = 0
    bare.learn_one(X[-1])
    if found.cluster is not None:
        np.testing.assert_allclose(
            found.index_if_joined[found.cluster], bare.icvi_value_, rtol=1e-9
        )
    best = max(found.index_if_joined.values(), key=lambda v: model._model.engine.sign * v)
    for i in found.wanted:
        np.testing.assert_allclose(found.index_if_joined[i], best, rtol=1e-9)


def test_one_cluster_has_no_index():
    model = ICVITopoARTMAP().partial_fit([[0.0, 0.0]])
    found = model.explain([0.0, 0.0])
    assert found.index_if_joined == {}
    assert found.wanted == ()
    assert found.runner_up is None
    assert "index" not in str(found)
    assert model.merge_suggestions() == []


@pytest.mark.parametrize("icvi", [*INDICES, *(() if COMPILED else ("ni", "rcip"))])
def test_merge_suggestions_are_true(icvi, seed):
    X, _ = make_stream("random", 200 if COMPILED else 60, seed)
    if icvi in ("ni", "rcip"):
        X = 0.01 * X[:16]
    model = model_of(icvi).partial_fit(X)
    k = model.n_clusters_
    found = model.merge_suggestions(None)
    assert len(found) == k * (k - 1) // 2
    assert [s.cost for s in found] == sorted(s.cost for s in found)
    if k > 2:
        for pair in found[:3]:
            other = copy.deepcopy(model)
            before = other.icvi_value_
            other.merge(pair.first, pair.second)
            np.testing.assert_allclose(pair.index_after, other.icvi_value_, rtol=1e-9)
            np.testing.assert_allclose(
                pair.cost, model._model.engine.sign * (before - other.icvi_value_), rtol=1e-6
            )
    assert len(model.merge_suggestions(2)) == min(2, len(found))


def test_novelty_grows_with_distance(seed):
    X, _ = make_stream("random", 150 if COMPILED else 60, seed)
    model = ICVITopoARTMAP(xi=40).partial_fit(X)
    np.testing.assert_array_equal(model.novelty(X), 0.0)  # beta1 = 1: boxes hold all
    centre = X.mean(axis=0)
    away = centre + np.arange(1, 9)[:, None] * np.ptp(X, axis=0)
    novelty = model.novelty(away)
    assert np.all(np.diff(novelty) > 0)
    np.testing.assert_allclose(np.diff(novelty), 1.0)  # a range of the data in every feature
    labels = model.predict(np.r_[X, away], outliers=True)
    assert np.array_equal(labels[: len(X)], model.predict(X))
    assert np.all(labels[len(X) :] == -1)


def test_novelty_with_cosine():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 0.1], [0.1, 2.0]])
    model = ICVITopoARTMAP(match="cosine", rho=0.3, rho_mt=0.1).partial_fit(X)
    novelty = model.novelty([[5.0, 0.0], [1.0, 1.0], [-1.0, -1.0]])
    assert novelty[0] < 0.01 < novelty[1] < 0.3 < 1.0 < novelty[2]
    assert model.predict([[5.0, 0.0], [-1.0, -1.0]], outliers=True).tolist()[1] == -1


@pytest.mark.parametrize("bad", [[np.nan, 0], [1.0], ["a", "b"], [[1.0, 2.0]], 3.0])
def test_bad_questions(bad):
    model = ICVITopoARTMAP().partial_fit([[0.0, 0], [9, 9], [0, 1], [8, 9]])
    before = fingerprint(model)
    with pytest.raises(ValueError, match=r"NaN|features|dim|convert|array|scalar"):
        model.explain(bad)
    assert fingerprint(model) == before


@pytest.mark.parametrize("icvi", INDICES)
def test_indices_by_definition(icvi, seed):
    X, _ = make_stream("random", 200 if COMPILED else 60, seed)
    model = model_of(icvi).partial_fit(X)
    if icvi == "conn":
        value = conn_index(model.conn_.toarray(), model.categories_.cluster, model.categories_.n)
    else:
        n, mean, cp, _ = model.clusters_
        value = index_of_footprints(icvi, n, mean, cp)
    np.testing.assert_allclose(value, model.icvi_value_, rtol=1e-9)


def test_undefined_indices():
    assert np.isnan(index_of_footprints("ch", [3], [[0.0]], [1.0]))
    assert np.isnan(conn_index(np.zeros((2, 2)), [0, 0], [1, 1]))
    assert validity_score([[0.0], [1.0]], [0, 0]) == -np.inf
    assert validity_score([[0.0], [1.0]], [-1, -1]) == -np.inf
    with pytest.raises(ValueError, match="icvi must be one of"):
        validity_score([[0.0], [1.0]], [0, 1], "conn")
    with pytest.raises(ValueError, match="2 samples, but there are 3 labels"):
        validity_score([[0.0], [1.0]], [0, 1, 1])


@pytest.mark.parametrize("icvi", INDICES[:-1])
def test_scorer_prefers_the_better_partition(icvi):
    X, y = make_stream("random", 200, 3)
    rng = np.random.default_rng(0)
    assert validity_score(X, y, icvi) > validity_score(X, rng.permutation(y), icvi)
    model = ICVITopoARTMAP().fit(X)
    assert validity_scorer(icvi)(model, X) == validity_score(X, model.labels_, icvi)


def test_tables_and_single_rows(recwarn):
    table = pd.DataFrame([[0.0, 0], [9, 9], [0, 1], [8, 9]], columns=["a", "b"])
    model = ICVITopoARTMAP().partial_fit(table)
    model.explain(table.iloc[0])
    model.explain([1.0, 1.0])
    model.learn_one([1.0, 1.0])
    model.learn_one([1.0, 1.0], 0)
    assert not recwarn.list
