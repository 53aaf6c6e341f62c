"""XB: a walk of mergers that is followed without making them says no more than the walk itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import operations as op
from streamart import ICVITopoARTMAP
from streamart.icvi.compare import SLACK
from streamart.icvi.state import LIVE
from test_hub_bounds import around_the_middle, index_of

# Below this, two walks may part for rounding alone.
CLOSE = 1e-7


def walk(state):
    """The values of all stages, from footprints; ends where two mergers are about equally good."""
    k = int(state.now[LIVE]["k"])
    groups, values = np.arange(k), []
    for _ in range(k - 2):
        names, found = np.unique(groups), []
        for at, i in enumerate(names):
            for j in names[at + 1 :]:
                merged = np.where(groups == j, i, groups)
                found.append((index_of(state, merged), merged))
        found.sort(key=lambda pair: pair[0])
        if len(found) > 1 and found[1][0] < found[0][0] * (1.0 + CLOSE):
            break
        values.append(found[0][0])
        groups = found[0][1]
    return values


shapes = given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(3, 12))


@shapes
def test_no_stage_is_beyond_the_proof(seed, d, clusters):
    state = around_the_middle(seed, d, clusters)
    if int(state.now[LIVE]["k"]) < 3:
        return
    for value in walk(state):
        if 0.0 < value < np.inf:
            assert not op.foresees_no_better(state, -value * (1.0 + 1e-6))


@shapes
def test_no_grouping_is_beyond_the_outlook(seed, d, clusters):
    state = around_the_middle(seed, d, clusters)
    k, rng = int(state.now[LIVE]["k"]), np.random.default_rng(seed)
    if k < 3:
        return
    for _ in range(30):
        groups = np.arange(k)
        for _ in range(rng.integers(1, k - 1)):
            i, j = rng.choice(np.unique(groups), size=2, replace=False)
            groups = np.where(groups == j, i, groups)
        best = -index_of(state, groups) if len(np.unique(groups)) > 1 else 0.0
        if -np.inf < best < 0.0:
            assert not op.rest_loses(state, best * (1.0 + 4.0 * SLACK))


@pytest.mark.parametrize("d", [2, 20])
def test_the_proof_is_of_use(d):
    """On a stream of many clusters, most walks are not made."""
    rng = np.random.default_rng(0)
    means = rng.normal(scale=6.0, size=(12, d))
    X = means[rng.integers(12, size=600)] + rng.normal(size=(600, d))
    model = ICVITopoARTMAP("xb").partial_fit(X)
    assert model.work_["merge_proofs"] > 4 * model.work_["merge_walks"]
