"""XB: what following a walk of mergers proves is what the walk itself shows."""

import numpy as np

import operations as op
from streamart import ICVITopoARTMAP
from streamart.icvi.state import LIVE, copied
from support import COMPILED

# features, standard deviation of the means, samples of clusters in the middle
SHAPES = (
    ((20, 3.0, 0), (20, 3.0, 60), (50, 6.0, 30), (128, 3.0, 100), (8, 6.0, 40), (3, 9.0, 0))
    if COMPILED
    else ((20, 3.0, 30),)
)
CLUSTERS, STEPS = (24, 30) if COMPILED else (14, 3)


def states(seed):
    """Of networks, some of which never merge; some clusters are in the middle of others."""
    rng = np.random.default_rng(seed)
    for d, spread, middle in SHAPES:
        means = rng.normal(scale=spread, size=(CLUSTERS, d))
        count = 6 * CLUSTERS
        X = means[rng.integers(CLUSTERS, size=count)] + rng.normal(size=(count, d))
        if middle:
            wide = rng.normal(scale=rng.choice([2.0, spread]), size=(middle, d))
            X = rng.permutation(np.vstack([X, wide]))
        merge = bool(rng.integers(2)) or not COMPILED
        model = ICVITopoARTMAP("xb", rho=0.7, merge=merge).partial_fit(X[:-STEPS])
        for x in X[-STEPS:]:
            model.partial_fit(x[None])
            yield model._state


def test_no_stage_wins(seed):
    known, merged = 0, 0
    for state in states(seed):
        k, proven = int(state.now[LIVE]["k"]), op.walk_is_known_to_lose(copied(state))
        exact = copied(state)
        exact.params[0]["prove"] = 0
        exact.now[0]["tracker"] = 0
        op.operate(exact, op.MERGE_STRATEGY, 0, 0)
        assert not proven or exact.now[LIVE]["k"] == k
        known += proven
        merged += exact.now[LIVE]["k"] < k
    assert (known > 20 and merged > 20) or not COMPILED
