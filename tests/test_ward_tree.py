"""The tree of Ward's mergers, followed from sample to sample, is that of a path computed afresh."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import operations as op
from streamart import ICVITopoARTMAP
from streamart.icvi.state import LIVE, PAIR, TRIAL, copied

OFF = dict.fromkeys(("merge", "split", "swap", "compress", "prune"), False)


def learnt(seed, d, clusters, rounded):
    """A network with many clusters that no strategy touches, and samples to go on with.

    It has opened a cluster for every centre; samples of the stream are near to these.
    """
    rng = np.random.default_rng(seed)
    centres = rng.normal(scale=4.0, size=(clusters, d))
    X = centres[rng.integers(clusters, size=160)] + rng.normal(scale=0.5, size=(160, d))
    if rounded:
        centres, X = np.round(centres), np.round(X)
    model = ICVITopoARTMAP("wb", rho=0.9, icvi_match_tracking=False, **OFF).partial_fit(centres)
    return model.partial_fit(X[:80]), X[80:]


def costs_of_path(state):
    mergers = op.path(state)
    return state.matrix[TRIAL, PAIR, 0, :mergers].copy()


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(4, 40), st.booleans())
def test_a_tree_that_is_followed_is_that_of_a_new_path(seed, d, clusters, rounded):
    model, X = learnt(seed, d, clusters, rounded)
    for at in range(0, len(X), 2):
        model.partial_fit(X[at : at + 1 + seed % 2])  # one or two clusters change
        state = model._state
        if state.now[LIVE]["k"] < 3:
            continue
        afresh = copied(state)
        afresh.now[0]["leaves"] = 0
        followed, expected = costs_of_path(state), costs_of_path(afresh)
        if len(followed) and len(expected):  # no ties
            scale = float(state.now[0]["cp"])
            np.testing.assert_allclose(followed, expected, rtol=1e-9, atol=1e-12 * scale)


def test_most_trees_are_followed():
    asked, paths = 0, 0
    for seed in range(5):
        model, X = learnt(seed, 4, 30, False)
        before = model.work_["merge_paths"]
        for x in X:
            model.partial_fit(x[None])
            asked += op.path(model._state) > 0
        paths += model.work_["merge_paths"] - before
    assert asked > 300
    assert paths < asked / 2
