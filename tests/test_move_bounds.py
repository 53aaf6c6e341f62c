"""Bounds of what a move of a category does are never beyond what it does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import operations as op
from streamart import ICVITopoARTMAP
from streamart.icvi.compare import SLACK
from streamart.icvi.merger_sums import LEAST_CLUSTERS
from streamart.icvi.state import LIVE, MEAN, TOPS, VALUE
from support import COMPILED


def learnt(icvi, seed, d, clusters, wide):
    """The state of a network that has learnt some clusters, one of them wider and in the middle."""
    rng = np.random.default_rng(seed)
    means = rng.normal(scale=6.0, size=(clusters, d))
    means[0] = 0.0
    which = rng.integers(clusters, size=120)
    noise = rng.normal(size=(len(which), d)) * np.where(which == 0, wide, 1.0)[:, None]
    model = ICVITopoARTMAP(icvi, rho=0.8).partial_fit(means[which] + noise)
    return model._state


def moves(state):
    """All moves of categories: of one to its cluster's neighbours, and whether it is alone."""
    now = state.now[0]
    for p in state.order[: now["categories"]]:
        home = state.label[LIVE, p]
        alone = state.clu[LIVE, home]["size"] == 1
        for target in range(state.now[LIVE]["k"]):
            if target != home and not (alone and state.now[LIVE]["k"] == 2):
                yield int(p), target, alone


streams = given(
    st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(2, 12), st.sampled_from([1.0, 4.0])
)


@streams
def test_sum_of_maxima(seed, d, clusters, wide):
    state = learnt("db", seed, d, clusters, wide)
    k, good = int(state.now[LIVE]["k"]), float(state.now[LIVE]["goodness"])
    if k < 2 or not np.isfinite(good):
        return
    for p, target, alone in moves(state):
        value = op.ask(state, op.MOVE, p, target)
        grows = k * good - (k - alone) * value
        for exactly in (False, True):
            bound = op.least_change_of_sum(state, p, target, exactly)
            assert not bound > grows - SLACK * k * good


@pytest.mark.parametrize("seed", range(4 if COMPILED else 1))  # minutes, without the compiler
def test_hub_proof(seed):
    """Moves from and to the hub do what was proven of them, however much has changed since."""
    rng = np.random.default_rng(seed)
    d, clusters = (2, 3, 8, 30)[seed], 14
    means = rng.normal(scale=8.0, size=(clusters, d))
    which = rng.integers(clusters, size=1200)
    noise = rng.normal(size=(len(which), d)) * np.where(which < 2, 5.0, 1.0)[:, None]
    X, model, stood = means[which] + noise, ICVITopoARTMAP("db", rho=0.8), 0
    model.partial_fit(X[:300])
    for x in X[300:]:
        model.partial_fit(x[None])
        state = model._state
        now, clu, k = state.now[0], state.clu[LIVE], int(state.now[LIVE]["k"])
        hub, grows = int(now["proof_hub"]), now["proof_margin"] - now["proof_spent"]
        if hub < 0 or not np.isfinite(grows) or clu[hub]["changed"] > 0:
            continue
        stood += now["proof_spent"] > 0.0
        for p, target, alone in moves(state):
            home = state.label[LIVE, p]
            if alone or hub not in (home, target) or state.cat[p]["loss"] < 0.0:
                continue
            if op.is_linked_to(state, p, target) and not clu[[home, target]]["changed"].any():
                change = k * (now["goodness"] - op.ask(state, op.MOVE, p, target))
                assert change >= grows - SLACK * k
    assert stood > 0


@pytest.mark.parametrize("icvi", ["pbm", "xb", "db"])
@streams
def test_labels(icvi, seed, d, clusters, wide):
    """No cluster is given less than how good the partition would be with a sample in it."""
    state = learnt(icvi, seed, d, clusters, wide)
    k, rng = int(state.now[LIVE]["k"]), np.random.default_rng(seed)
    if k < 2 or not np.isfinite(state.now[LIVE]["goodness"]):
        return
    for x in rng.normal(scale=6.0, size=(5, d)):
        best = op.ask_for_labels(state, x)
        bounds = state.each[VALUE, :k].copy()
        state.params[0]["prove"] = 0
        assert op.ask_for_labels(state, x) == pytest.approx(best, rel=1e-12)
        values = state.each[VALUE, :k]
        assert not np.any(bounds < values - SLACK * np.abs(values))
        state.params[0]["prove"] = 1


def mergers_proven_worse(state):
    """How many of the mergers are proven to be as bad as they nearly are, and of how many what
    others have with the result says more. DB."""
    k, good, proven, rise = int(state.now[LIVE]["k"]), float(state.now[LIVE]["goodness"]), 0, 0
    if k < LEAST_CLUSTERS or not np.isfinite(good):
        return 0, 0
    for i in range(k):
        for j in range(i + 1, k):
            total = (1 - k) * op.ask(state, op.MERGE, i, j)
            plain, raised = op.bound_of_merger(state, i, j), op.raised_bound_of_merger(state, i, j)
            assert not plain > total
            assert not raised > total
            rise += raised > plain
            for at_once in (False, True):
                assert not op.merger_exceeds(state, i, j, total, at_once)
                proven += op.merger_exceeds(state, i, j, 0.99 * total, at_once)
            fall = -k * good - total
            for one, two in ((i, j), (j, i)):
                assert not op.merger_is_known_to_lose(state, one, two, fall - SLACK * total)
    return proven, rise


@streams
def test_sum_of_maxima_after_a_merger(seed, d, clusters, wide):
    mergers_proven_worse(learnt("db", seed, d, clusters, wide))


def test_mergers_are_proven_worse():
    proven, rise = mergers_proven_worse(learnt("db", 1, 6, 12, 4.0))
    assert proven > 0
    assert rise > 0


def test_many_rise():
    """Where all are about as far from each other, but for two, the bound is nearly exact."""
    rng = np.random.default_rng(0)
    means = rng.normal(scale=6.0, size=(20, 60))
    means[1] = means[0] + 1.0
    which = np.repeat(np.arange(20), 6)
    X = means[which] + rng.normal(size=(len(which), 60))
    state = ICVITopoARTMAP("db", merge=False, split=False, swap=False).partial_fit(X, which)._state
    assert state.now[LIVE]["k"] == 20
    near = 0
    for i in range(2, 20):
        for j in range(i + 1, 20):
            total = -19 * op.ask(state, op.MERGE, i, j)
            bound = op.raised_bound_of_merger(state, i, j)
            assert not bound > total
            near += bound > 0.9 * total
    assert near > 100


@streams
def test_least_distance(seed, d, clusters, wide):
    state = learnt("xb", seed, d, clusters, wide)
    good = float(state.now[LIVE]["goodness"])
    if not np.isfinite(good):
        return
    for p, target, alone in moves(state):
        if not alone:
            value = op.ask(state, op.MOVE, p, target)
            limit = value * (1.0 + SLACK)  # worse than that
            for exactly in (False, True):
                assert not op.is_ruled_out(state, p, target, limit, exactly)
            if target != state.top[LIVE, state.label[LIVE, p], TOPS]:
                assert not op.rest_is_known_to_be_near(state, p, limit)


@streams
def test_greatest_distance(seed, d, clusters, wide):
    state = learnt("pbm", seed, d, clusters, wide)
    if not np.isfinite(state.now[LIVE]["goodness"]):
        return
    best = {}
    for p, target, alone in moves(state):
        if not alone:
            value = op.ask(state, op.MOVE, p, target)
            best[p] = max(best.get(p, 0.0), value)
            if 0.0 < value < np.inf:
                assert not op.is_ruled_out(state, p, target, value * (1.0 - SLACK), True)
    for p, value in best.items():
        if 0.0 < value < np.inf:
            assert not op.is_at_home(state, p, value * (1.0 - SLACK))


@streams
def test_remembered_distances(seed, d, clusters, wide):
    """No mean that has not moved since is farther than what is remembered."""
    state = learnt("pbm", seed, d, clusters, wide)
    k, clu, mean = int(state.now[LIVE]["k"]), state.clu[LIVE], state.mean[LIVE]
    still = [c for c in range(k) if clu[c]["moved"] == 0]
    for p in state.order[: state.now[0]["categories"]]:
        home, cat, own = int(state.label[LIVE, p]), state.cat[p], state.box[MEAN, p]
        if home not in still or clu[home]["size"] == 1:
            continue
        away = cat["n"] / (clu[home]["n"] - cat["n"])
        for known, point in (
            (cat["off"], own),
            (cat["rest"], mean[home] * (1 + away) - own * away),
        ):
            for c in still:
                if known >= 0.0 and c != home:
                    assert np.sum((point - mean[c]) ** 2) <= known * (1.0 + SLACK)


@pytest.mark.parametrize("icvi", ["db", "xb"])
def test_bounds_are_of_use(icvi):
    """Most moves of a partition that is good already are proven to be of no use."""
    state = learnt(icvi, 1, 4, 10, 4.0)
    good, useful, count = float(state.now[LIVE]["goodness"]), 0, 0
    for p, target, alone in moves(state):
        if not alone:
            count += 1
            if icvi == "xb":
                useful += op.is_ruled_out(state, p, target, good, True)
            else:
                useful += op.least_change_of_sum(state, p, target, True) >= 0.0
    assert useful > 0.7 * count


def connected_clusters(state, p):
    """The clusters of all categories that category p is connected to."""
    at, found = state.cat[p]["head"], set()
    while at >= 0:
        found.add(int(state.label[LIVE, state.link[at]["to"]]))
        at = state.link[at]["following"]
    return found - {int(state.label[LIVE, p])}


@pytest.mark.parametrize("icvi", ["ch", "wb"])
@pytest.mark.parametrize("seed", range(4 if COMPILED else 1))
def test_calm_clusters(icvi, seed):
    """As long as a cluster is calm, nothing should leave it or come to it, and bounds hold."""
    rng = np.random.default_rng(seed)
    d, calm = (2, 3, 8, 70)[seed], 0
    means = rng.normal(scale=(3.0, 3.0, 2.0, 0.6)[seed], size=(9, d))
    X = means[rng.integers(9, size=900)] + rng.normal(size=(900, d))
    model = ICVITopoARTMAP(icvi, xi=60).partial_fit(X[:300])
    for x in X[300 : 900 if COMPILED else 400]:
        model.partial_fit(x[None])
        state = model._state
        clu, mean = state.clu[LIVE], state.mean[LIVE]
        assert state.now[0]["restless"] < 0 or not state.now[LIVE]["calm"]
        for p in state.order[: state.now[0]["categories"]]:
            home, cat = clu[state.label[LIVE, p]], state.cat[p]
            if home["changed"] or home["size"] == 1:
                continue
            calm += home["shift"] > 0.0
            aside = np.linalg.norm(state.box[MEAN, p] - mean[state.label[LIVE, p]])
            gain = cat["n"] * home["n"] / (home["n"] - cat["n"]) * aside**2
            assert aside <= (cat["aside"] + home["shift"]) * (1.0 + SLACK)
            assert np.sqrt(gain) <= (home["most"] + home["heaviest"] * home["shift"]) * (1 + SLACK)
            for c in connected_clusters(state, p):
                if not clu[c]["changed"]:
                    n = cat["n"] * clu[c]["n"] / (cat["n"] + clu[c]["n"])
                    loss = n * np.sum((state.box[MEAN, p] - mean[c]) ** 2)
                    assert loss >= max(cat["loss"], gain) * (1.0 - SLACK)
    assert calm > 0
