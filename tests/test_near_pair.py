"""XB: what is proven of moves from and to the nearest two clusters, and of their mergers, holds."""

import numpy as np
import pytest

import operations as op
from streamart import ICVITopoARTMAP
from streamart.icvi.compare import SLACK
from streamart.icvi.state import LIVE, MEAN, WITH_A
from support import COMPILED
from test_move_bounds import connected_clusters, learnt, moves, streams


def proofs_of_moves(state):
    """How often each proof is found, with a limit that is worse than the present."""
    good, counts = float(state.now[LIVE]["goodness"]), np.zeros(4, dtype=int)
    if not np.isfinite(good):
        return counts
    for p, target, alone in moves(state):
        if alone:
            continue
        value = op.ask(state, op.MOVE, p, target)
        if not -np.inf < value < 0.0:
            continue
        for cautious in (False, True):
            assert op.proofs_at_pair(state, p, target, value * (1.0 + SLACK), cautious) == 0
        proofs = op.proofs_at_pair(state, p, target, good, False)
        counts += [proofs >> bit & 1 for bit in range(4)]
    return counts


@streams
def test_moves(seed, d, clusters, wide):
    proofs_of_moves(learnt("xb", seed, d, clusters, wide))


def core_and_others():
    """A large category with small ones around it, and clusters of few categories."""
    rng = np.random.default_rng(3)
    means = rng.normal(scale=10.0, size=(11, 20))
    means[0] = 0.0
    which = np.repeat(np.arange(11), [320] + 10 * [10])
    off = rng.normal(size=(len(which), 20))
    off *= np.where(np.arange(len(which)) % 15 == 0, 6.0, 0.1)[:, None] / np.linalg.norm(
        off, axis=1, keepdims=True
    )
    return means[which] + off, which


def test_proofs_are_of_use():
    model = ICVITopoARTMAP("xb", rho=0.99, merge=False, split=False, swap=False, compress=False)
    counts = proofs_of_moves(model.partial_fit(*core_and_others())._state)
    assert (counts > 0).all(), counts


@streams
def test_mergers(seed, d, clusters, wide):
    rng = np.random.default_rng(seed)
    means = rng.normal(scale=4.0, size=(clusters, d))
    X = means[rng.integers(clusters, size=60)] + wide * rng.normal(size=(60, d))
    model = ICVITopoARTMAP("xb", rho=0.8, merge=False, swap=False).partial_fit(X)
    state, helped = model._state, 0
    k, good = int(state.now[LIVE]["k"]), float(state.now[LIVE]["goodness"])
    if k < 3 or not -np.inf < good < 0.0:
        return
    one, other, lone_helps = op.near_mergers(state)
    hopeful, size = state.each[WITH_A, :k].copy(), state.clu[LIVE]["size"]
    for i in (one, other):
        for c in range(k):
            if c == i or (size[i] > 1 and size[c] > 1):
                continue
            if op.ask(state, op.MERGE, min(i, c), max(i, c)) > good * (1.0 - 4.0 * SLACK):
                helped += 1
                assert lone_helps or size[i] > 1
                assert c in (one, other) or hopeful[c] == 1.0


@pytest.mark.parametrize("seed", range(4 if COMPILED else 1))
def test_what_is_remembered(seed):
    """How far aside categories are, the nearest mean, what moves would cost, and footprints."""
    rng = np.random.default_rng(seed)
    d, gone = (2, 3, 8, 30)[seed], 0
    means = rng.normal(scale=(5.0, 4.0, 3.0, 2.0)[seed], size=(16, d))
    which = np.where(rng.random(900) < 0.4, 0, rng.integers(16, size=900))
    X = means[which] + rng.normal(size=(900, d))
    model = ICVITopoARTMAP("xb", rho=0.8, xi=60).partial_fit(X[:300])
    for x in X[300 : 900 if COMPILED else 380]:
        model.partial_fit(x[None])
        state = model._state
        clu, mean, k = state.clu[LIVE], state.mean[LIVE], int(state.now[LIVE]["k"])
        rows = state.order[: state.now[0]["categories"]]
        versions = {int(clu[c]["version"]): c for c in range(k)}
        for p in rows:
            home, cat, own = clu[state.label[LIVE, p]], state.cat[p], state.box[MEAN, p]
            if int(cat["off_from"]) in versions and cat["off"] >= 0.0:
                exact = np.sum((own - mean[versions[int(cat["off_from"])]]) ** 2)
                assert cat["off"] == pytest.approx(exact, rel=1e-9, abs=1e-12)
            if home["size"] == 1:
                continue
            if home["weighed"] == 1:
                gone += home["shift"] > 0.0
                aside = np.linalg.norm(own - mean[state.label[LIVE, p]])
                assert aside <= (cat["aside"] + home["shift"]) * (1.0 + SLACK)
            for c in connected_clusters(state, p):
                if home["changed"] != 1 and clu[c]["changed"] != 1 and cat["loss"] >= 0.0:
                    n = cat["n"] * clu[c]["n"] / (cat["n"] + clu[c]["n"])
                    assert n * np.sum((own - mean[c]) ** 2) >= cat["loss"] * (1.0 - SLACK)
        for c in range(k):
            mine = rows[state.label[LIVE, rows] == c]
            n, centres = state.cat["n"][mine].astype(float), state.box[MEAN, mine]
            centre = n @ centres / n.sum()
            cp = state.cat["cp"][mine].sum() + n @ np.sum((centres - centre) ** 2, axis=1)
            assert np.allclose(mean[c], centre, rtol=1e-12, atol=1e-12)
            assert clu[c]["cp"] == pytest.approx(cp, rel=1e-11, abs=1e-11)
    assert gone > 0
