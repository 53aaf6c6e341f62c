"""The rivals and their naive transcriptions agree at every step, whatever the setting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier

from naive import NaiveDRN, NaiveDVFA, NaiveETopoFA, NaiveISKM, NaiveSequentialKMeans, NaiveTopoFA
from random_streams import STREAMS, blobs, walk
from streamart.baselines import (
    DRN,
    WSDVFA,
    ETopoFA,
    IncrementalSequentialKMeans,
    NearestNeighbour,
    SequentialKMeans,
    WSTopoFA,
)
from support import COMPILED, read_data

CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def boxes_agree(model, naive, where):
    boxes = model.categories_
    corners = [naive.box(p) for p in range(len(naive.categories))]
    span = np.maximum(naive.x_max - naive.x_min, 1e-300)
    low, high = np.array(corners).transpose(1, 0, 2)
    np.testing.assert_allclose((boxes.lower - low) / span, 0, atol=1e-9, err_msg=where)
    np.testing.assert_allclose((boxes.upper - high) / span, 0, atol=1e-9, err_msg=where)
    assert boxes.n.tolist() == [len(c.samples) for c in naive.categories], where
    assert boxes.cluster.tolist() == naive.clusters(), where
    assert model.n_clusters_ == max(naive.clusters()) + 1, where


def linked_boxes_agree(model, naive, where):
    boxes_agree(model, naive, where)
    linked = {
        frozenset((naive.name(i), naive.name(j)))
        for i, j in zip(*model.links_.nonzero(), strict=True)
    }
    assert linked == naive.edges, where


def prototypes_agree(model, naive, where):
    np.testing.assert_allclose(model.cluster_centers_, naive.centres, err_msg=where, **CLOSE)
    assert model.counts_.tolist() == [len(samples) for samples in naive.members], where


def controlled_prototypes_agree(model, naive, where):
    assert (model.n_added_, model.n_removed_) == (naive.added, naive.removed), where
    prototypes_agree(model, naive.current.skm, where)
    if len(naive.control.skm.members) < 2:
        return
    state, sides = model._state, (naive.current, naive.control)
    indices = [side.index for side in sides]
    moments = [naive.current.moments, naive.control.moments, naive.difference]
    compactness = [naive.compactness(i) for i in range(model.n_clusters_)]
    scale = max(map(abs, indices)) or 1.0
    for found, right in (
        (state.side["index"][:2] / scale, np.array(indices) / scale),
        (state.side["mean"] / scale, [each.mean / scale for each in moments]),
        (state.side["variance"] / scale**2, [each.variance / scale**2 for each in moments]),
        (state.near[0, : model.n_clusters_], compactness),
    ):
        np.testing.assert_allclose(found, right, rtol=1e-7, atol=1e-9, err_msg=where)


def nodes_agree(model, naive, where):
    low, high = [n.low for n in naive.nodes], [n.high for n in naive.nodes]
    np.testing.assert_allclose(model.categories_.lower, low, err_msg=where, **CLOSE)
    np.testing.assert_allclose(model.categories_.upper, high, err_msg=where, **CLOSE)
    assert model.categories_.n.tolist() == [n.n for n in naive.nodes], where
    corners = [naive.whole.low, naive.whole.high] if hasattr(naive, "whole") else [low[0], high[0]]
    np.testing.assert_allclose(model.global_weight_, corners, err_msg=where, **CLOSE)
    places = {node: place for place, node in enumerate(naive.nodes)}
    edges = {frozenset(places[node] for node in edge) for edge in naive.edges}
    found = {frozenset(pair) for pair in zip(*model.strengths_.nonzero(), strict=True)}
    assert found == edges, where


def run_both(model, naive, X, agree):
    """Learn a stream with both, comparing after every sample."""
    for at, x in enumerate(X):
        model.partial_fit(x[None])
        naive.learn(x)
        agree(model, naive, f"after sample {at}")
        assert model.labels_.tolist() == [naive.predict_one(x)], f"label of sample {at}"
    assert model.predict(X).tolist() == [naive.predict_one(x) for x in X]
    assert model.n_samples_seen_ == len(X)


def skm(k):
    return SequentialKMeans(k), NaiveSequentialKMeans(k), prototypes_agree


def iskm(**params):
    return (
        IncrementalSequentialKMeans(**params),
        NaiveISKM(**params),
        controlled_prototypes_agree,
    )


def drn(**params):
    return DRN(**params), NaiveDRN(**params), nodes_agree


def ws_dvfa(**params):
    return WSDVFA(**params), NaiveDVFA(**params), boxes_agree


def ws_topofa(**params):
    return WSTopoFA(**params), NaiveTopoFA(**params), linked_boxes_agree


def e_topofa(**params):
    return ETopoFA(**params), NaiveETopoFA(**params), boxes_agree


LEVEL = st.floats(0, 1) | st.sampled_from([0.0, 0.5, 0.8, 0.9])
RATE = st.sampled_from([1.0, 0.5, 0.9])


@st.composite
def rivals(draw):
    kind = draw(st.sampled_from([skm, iskm, drn, ws_dvfa, ws_topofa, e_topofa]))
    beta1 = draw(RATE)
    both = {
        "rho": draw(LEVEL),
        "alpha": draw(st.sampled_from([0.001, 0.1, 2.0])),
        "beta1": beta1,
        "beta2": draw(st.sampled_from([0.0, 0.4, beta1])),
    }
    if kind is skm:
        return skm(draw(st.integers(1, 6)))
    if kind is iskm:
        return iskm(forgetting=draw(LEVEL), forgetting_moments=draw(st.none() | LEVEL))
    if kind is drn:
        return drn(
            rho=min(both["rho"], 0.99),
            eta=beta1,
            eta_g=draw(RATE),
            nu=draw(st.integers(1, 4)),
            random_state=draw(st.none() | st.integers(0, 2**40)),
        )
    if kind is ws_dvfa:
        lower = both["rho"] * draw(LEVEL)
        return ws_dvfa(rho=both["rho"], rho_lower=lower, alpha=both["alpha"], beta=beta1)
    if kind is ws_topofa:
        return ws_topofa(phi=draw(st.integers(0, 4)), tau=draw(st.integers(0, 12)), **both)
    both["use_uncommitted"] = draw(st.booleans())
    if draw(st.booleans()):
        both |= {"match": "cosine", "rho": 2 * both["rho"]}
    return e_topofa(**both)


@st.composite
def streams(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    stream = draw(st.sampled_from(STREAMS))
    return stream(rng, draw(st.integers(1, 50 if COMPILED else 25)), draw(st.integers(1, 8)))


@given(rivals(), streams())
def test_any_setting(rival, X):
    model, naive, agree = rival
    run_both(model, naive, X, agree)


@pytest.mark.parametrize(
    "rival",
    [
        skm(7),
        iskm(forgetting=0.46),
        iskm(forgetting=0.99),
        drn(rho=0.8, random_state=3),
        drn(rho=0.7, nu=3),
        ws_dvfa(rho=0.9, rho_lower=0.82),
        ws_topofa(rho=0.9, beta2=0.6, tau=20, phi=3),
        e_topofa(rho=0.8, beta2=0.3),
    ],
    ids=lambda rival: repr(rival[0]),
)
def test_the_papers_data(rival):
    X, _ = read_data("exp2.csv")
    n = 120 if COMPILED else 40
    model, naive, agree = rival
    run_both(model, naive, X[540 : 540 + n], agree)


@pytest.mark.parametrize("number", range(24 if COMPILED else 12))
def test_iskm_decides_alike(number):
    """On streams where prototypes come and go."""
    rng = np.random.default_rng(number)
    X = (walk if number % 2 else blobs)(rng, 45, 2)
    run_both_iskm(X, (0.2, 0.5, 0.8, 0.95)[number % 4])


def run_both_iskm(X, forgetting):
    model, naive, agree = iskm(forgetting=forgetting)
    run_both(model, naive, X, agree)
    return model


@pytest.mark.parametrize(("walks", "number", "forgetting"), [(True, 235, 0.5), (False, 38, 0.8)])
def test_iskm_removes_prototypes_in_the_middle(walks, number, forgetting):
    """Two streams, out of 400, that make it do so most."""
    rng = np.random.default_rng(number)
    X = walk(rng, 50, 2) if walks else blobs(rng, 50, 2)
    assert run_both_iskm(X, forgetting).n_removed_ >= 2


def test_iskm_waits_for_ten_samples_to_add_and_fifteen_to_remove():
    near = np.array([[t % 3, t % 2] for t in range(10)], dtype=float)
    far = [[90.0, 90.0]]
    assert run_both_iskm(np.vstack([near[:9], far]), 0.9).n_added_ == 0
    assert run_both_iskm(np.vstack([near, far]), 0.9).n_added_ == 1
    # One of 3000 streams on which it would remove a prototype at the fifteenth sample, if it might.
    assert run_both_iskm(walk(np.random.default_rng(2257), 16, 2), 0.5).n_removed_ == 0


def test_iskm_with_a_sample_where_a_prototype_is():
    run_both_iskm(np.array([[0.0], [1.0], [0.5], [0.5], [1.0], [0.25]]), 0.5)


def test_iskm_with_more_prototypes_than_there_was_room_for():
    cluster = np.repeat(np.arange(24), 4)
    noise = np.random.default_rng(0).normal(size=(len(cluster), 2))
    X = np.column_stack([100.0 * cluster, 50.0 * cluster * (cluster % 3)]) + noise
    model = run_both_iskm(X, 0.3)
    assert model.n_clusters_ > 16
    assert model.n_clusters_ == IncrementalSequentialKMeans(0.3).fit(X).n_clusters_


def test_faces():
    X, _ = read_data("faces106x14_128d.npz")
    n = 40 if COMPILED else 15
    for model, naive, agree in (e_topofa(rho=0.06, match="cosine"), skm(5), drn(rho=0.6)):
        run_both(model, naive, X[:n], agree)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_nearest_neighbour_by_hand(metric, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 3)), rng.integers(4, size=30)
    model = NearestNeighbour(metric)
    for at in range(0, 20, 5):
        model.partial_fit(X[at : at + 5], y[at : at + 5])
    known = X[:20]
    for x, said in zip(X[20:], model.predict(X[20:]), strict=True):
        if metric == "euclidean":
            away = ((known - x) ** 2).sum(axis=1)
        else:
            away = -(known @ x) / np.linalg.norm(known, axis=1)
        assert said == y[np.argmin(away)]
    twin = KNeighborsClassifier(1, metric=metric).fit(known, y[:20])
    assert model.predict(X).tolist() == twin.predict(X).tolist()
    assert (model.n_categories_, model.n_samples_seen_) == (20, 20)
