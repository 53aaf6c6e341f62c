"""A bound of how good any grouping of clusters can be, by a cluster in the middle of the others."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import operations as op
from streamart import ICVITopoARTMAP
from streamart.icvi.compare import SLACK
from streamart.icvi.state import DISTANCE, LIVE


def around_the_middle(seed, d, clusters):
    """The state of a network that has learnt a large cluster and others around it."""
    rng = np.random.default_rng(seed)
    means = rng.normal(scale=8.0, size=(clusters, d))
    means[0] = 0.0
    which = rng.choice(clusters, p=[0.4] + [0.6 / (clusters - 1)] * (clusters - 1), size=150)
    X = means[which] + rng.normal(size=(len(which), d))
    return ICVITopoARTMAP("xb", rho=0.8).partial_fit(X)._state


def grouped(state, groups):
    """WGSS and least squared distance of the clusters in groups, from their footprints."""
    k = int(state.now[LIVE]["k"])
    n, mean = state.clu[LIVE]["n"][:k].astype(float), state.mean[LIVE][:k]
    within, means = float(state.now[LIVE]["within"]), []
    for group in np.unique(groups):
        these = groups == group
        means.append(np.average(mean[these], axis=0, weights=n[these]))
        within += n[these] @ np.sum((mean[these] - means[-1]) ** 2, axis=1)
    squares = np.sum((np.array(means)[:, None] - np.array(means)) ** 2, axis=2)
    return within, squares[np.triu_indices(len(means), 1)].min()


def index_of(state, groups):
    """XB of the clusters in groups."""
    within, nearest = grouped(state, groups)
    return within / int(state.now[0]["n"]) / nearest


def farthest(state):
    k = int(state.now[LIVE]["k"])
    return float(state.matrix[LIVE, DISTANCE, :k, :k].max() * (1.0 + SLACK))


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(3, 14))
def test_no_grouping_is_beyond_the_bound(seed, d, clusters):
    state = around_the_middle(seed, d, clusters)
    k, rng = int(state.now[LIVE]["k"]), np.random.default_rng(seed)
    if k < 3:
        return
    for _ in range(30):
        groups = rng.integers(rng.integers(2, k + 1), size=k)
        if len(np.unique(groups)) > 1:
            best = -index_of(state, groups)
            if -np.inf < best < 0.0:
                assert not op.stays_in_the_middle(state, best * (1.0 + SLACK), farthest(state))


def test_the_bound_is_of_use():
    """What is much better than the present partition is proven to be out of reach."""
    proven = 0
    for seed in range(10):
        state = around_the_middle(seed, 8, 12)
        good = float(state.now[LIVE]["goodness"])
        proven += op.stays_in_the_middle(state, good / 4.0, farthest(state))
    assert proven > 5


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.floats(0.0, 100.0))
def test_two_clusters_of_the_same_size_beside_the_hub(seed, d, wide):
    """In three clusters, and as wide as can be."""
    rng = np.random.default_rng(seed)
    means = rng.normal(scale=30.0, size=(3, d))
    means[0], means[2] = 0.0, -means[1]
    X = means[[0] * 40 + [1] * 15 + [2] * 15] + 0.1 * rng.normal(size=(70, d))
    state = ICVITopoARTMAP("xb", merge=False, rho=0.8).partial_fit(rng.permutation(X))._state
    for scatter in ("within", "cp"):
        state.now[scatter] += wide * np.sum(means[1] ** 2)
    if int(state.now[LIVE]["k"]) == 3:
        for groups in ([0, 0, 1], [0, 1, 0], [1, 0, 0]):
            best = -index_of(state, np.array(groups))
            assert not op.stays_in_the_middle(state, best * (1.0 + SLACK), farthest(state))
