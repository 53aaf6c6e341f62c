"""XB: what is proven of all groupings of clusters holds of each."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import operations as op
from streamart import ICVITopoARTMAP
from streamart.icvi.compare import SLACK
from streamart.icvi.state import DISTANCE, LIVE, MEAN, Room, allocate
from test_hub_bounds import grouped, index_of


def arranged(seed, d, k):
    """A state of k clusters, of one category each, around one that is in the middle."""
    rng = np.random.default_rng(seed)
    state = allocate(ICVITopoARTMAP("xb")._checked_params(), d, Room(clusters=32))
    ways = rng.normal(size=(k, d))
    lengths = rng.uniform(rng.choice([0.5, 0.9]), 1.0, size=k)
    means = ways / np.linalg.norm(ways, axis=1, keepdims=True) * lengths[:, None]
    means[0] *= rng.choice([0.0, 0.3])
    sizes = rng.integers(rng.choice([1, 20, 29]), 30, size=k)
    sizes[0] *= rng.choice([1, 4, 30])
    state.order[:k] = state.label[LIVE, :k] = np.arange(k)
    state.cat["head"] = -1
    state.cat["n"][:k], state.box[MEAN, :k] = sizes, means
    state.cat["cp"][:k] = sizes * rng.choice([0.02, 0.2, 1.0])
    middle = np.average(means, axis=0, weights=sizes)
    state.now[0]["categories"], state.now[LIVE]["k"], state.now[0]["n"] = k, k, sizes.sum()
    between = sizes @ np.sum((means - middle) ** 2, axis=1)
    state.now[0]["cp"] = state.cat["cp"][:k].sum() + between
    op.measure_live(state)
    return state


def groupings(state, rng):
    """Clusters join the one in the middle, the nearest or the smallest first; some join others."""
    k = int(state.now[LIVE]["k"])
    near, sizes = state.matrix[LIVE, DISTANCE, 0, :k], state.clu[LIVE]["n"][:k]
    for order in (near, near * sizes, rng.random(k)):
        joining = [c for c in np.argsort(order) if c != 0]
        for count in range(k - 1):
            groups = np.arange(k)
            groups[joining[:count]] = 0
            yield groups.copy()
            some = rng.choice(k, size=rng.integers(1, 5), replace=False)
            groups[some] = groups[rng.choice(k, size=len(some))]
            yield groups


def values(state, rng):
    """How many clusters each grouping has, and its index."""
    for groups in groupings(state, rng):
        left = len(np.unique(groups))
        if left > 1:
            yield left, index_of(state, groups)


@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 6, 20, 60]), st.integers(17, 30))
def test_no_grouping_is_beyond_what_is_proven(seed, d, k):
    """Of a partition that is a little worse than some grouping, nothing may be proven."""
    state, known = arranged(seed, d, k), list(values_of(seed, d, k))
    for most, proves in ((k - 1, op.no_groups_are_better), (k - 2, op.no_two_mergers_are_better)):
        best = min(value for left, value in known if left <= most)
        state.now[LIVE]["goodness"] = -best * (1.0 + SLACK)
        assert not proves(state)


def values_of(seed, d, k):
    return values(arranged(seed, d, k), np.random.default_rng(seed))


def star_groupings(state, hub, rng):
    """Few mergers: some clusters join the hub, and those near to it hide in others.

    Yields how many join the hub, how many mergers there are in all, and the groups.
    """
    k = int(state.now[LIVE]["k"])
    near = [c for c in np.argsort(state.matrix[LIVE, DISTANCE, hub, :k]) if c != hub]
    for with_hub in range(1, 5):
        for others in range(4 - with_hub % 2):
            groups, free = np.arange(k), list(near)
            joining = rng.choice(free[: rng.choice([6, k])], size=with_hub, replace=False)
            groups[joining] = hub
            free = [c for c in free if c not in joining]
            for _ in range(others):
                groups[free.pop(0)] = free.pop(rng.choice([0, -1]))
            yield with_hub, with_hub + others, groups


@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 6, 60]), st.integers(24, 30))
def test_what_the_star_rules_out_is_no_better(seed, d, k):
    """Of a partition that is a little worse than a grouping, nothing may be proven of such ones."""
    state, rng = arranged(seed, d, k), np.random.default_rng(seed)
    for with_hub, mergers, groups in star_groupings(state, op.hub_of(state), rng):
        state.now[LIVE]["goodness"] = -index_of(state, groups) * (1.0 + SLACK)
        loses, cost = op.star_loses(state, with_hub, mergers)
        assert not loses
        assert grouped(state, groups)[0] >= (state.now[LIVE]["within"] + cost) * (1.0 - SLACK)


def test_the_proofs_are_of_use():
    """What is much better than the best that is known is proven to be out of reach."""
    by_hub, by_mergers = 0, 0
    for seed in range(20):
        state = arranged(seed, 60, 30)
        state.now[LIVE]["goodness"] = -min(value for _, value in values_of(seed, 60, 30)) / 1.5
        by_hub += op.no_groups_are_better(state)
        by_mergers += op.no_two_mergers_are_better(state)
    assert by_hub > 4
    assert by_mergers > 4
