"""What the proofs of compression rest on: coarse copies of boxes, and the journal of changes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from operations import (
    answer_before_and_after,
    grow_coarsely,
    is_reached,
    least_and_greatest_spare,
    note_and_recall,
    passes_for_unlike,
    unlike_until_doubled,
)
from streamart import ICVITopoARTMAP
from streamart.core.module_a import COARSENESS
from streamart.core.strategies.told import MUCH
from streamart.icvi.state import (
    HI,
    INACTIVE,
    JOURNAL,
    LIVE,
    LO,
    PER_RANGE,
    SHARING,
    WON,
    X_MAX,
    X_MIN,
)


@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-3, 1.0, 1e6]), st.sampled_from([0.0, 1e9]))
def test_coarse_copies_are_as_good_as_promised(seed, scale, offset):
    """Wherever the data are, and however long the stream: copies follow boxes and range."""
    X = offset + scale * np.random.default_rng(seed).normal(size=(12, 70))
    state = ICVITopoARTMAP(rho=0.6).partial_fit(X)._state
    rows = state.order[: state.now[0]["categories"]].tolist()
    for p in rows:
        for q in rows:
            above = np.maximum(state.box[HI, q] - state.box[HI, p], 0.0)
            below = np.maximum(state.box[LO, p] - state.box[LO, q], 0.0)
            true = np.sum(state.feature[PER_RANGE] * (above + below))
            missing = true - grow_coarsely(state, p, q)
            assert -1e-12 * X.shape[1] <= missing <= COARSENESS * X.shape[1]


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.003, 0.03]), st.sampled_from([1, 3, 9]))
def test_what_a_box_was_told_stays_a_bound(seed, growth, step):
    """While others learn, join, and come anew in rows that were given up, and the range grows."""
    rng, d, model = np.random.default_rng(seed), 20, ICVITopoARTMAP(rho=0.6, xi=6)
    X = rng.normal(size=(5, d))[rng.integers(5, size=60)] + 0.4 * rng.normal(size=(60, d))
    X *= 1.0 + growth * np.arange(60)[:, None]
    for begin in range(0, 60, step):
        state = model.partial_fit(X[begin : begin + step])._state
        for p in state.order[: state.now[0]["categories"]].tolist():
            least, greatest = least_and_greatest_spare(state, p)
            assert least >= 0.0
            assert greatest <= COARSENESS * d + MUCH + 1e-9


@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 70]), st.sampled_from([0, 1]))
def test_whoever_is_as_active_is_listed(seed, d, digits):
    """With coarse copies and without, also where many boxes hold others."""
    X = np.round(np.random.default_rng(seed).normal(size=(40, d)), digits)
    state = ICVITopoARTMAP(rho=0.5, rho_mt=0.7).partial_fit(X)._state
    rows = state.order[: state.now[0]["categories"]].tolist()
    for p in rows:
        for j in rows:
            assert p == j or is_reached(state, p, j)


@given(st.integers(0, 2**32 - 1), st.floats(-1.2, 1.2), st.sampled_from([0, 1]))
def test_boxes_that_are_alike_are_counted(seed, shift, corner):
    """Of boxes that nearly coincide, one corner is elsewhere by about as much as it may be."""
    X = np.random.default_rng(seed).normal(size=(12, 20))
    state = ICVITopoARTMAP(rho=0.9, rho_mt=0.95).partial_fit(X)._state
    p, j = state.order[:2].tolist()
    near = 2e-12 * (0.001 + 20) ** 2 / 0.001
    for which in (LO, HI):
        state.box[which, j] = state.box[which, p]
    state.box[LO, j, 0] += shift * near / state.feature[PER_RANGE, 0]
    state.box[HI, j, corner] += max(shift, 0.0) * near / state.feature[PER_RANGE, corner]
    assert not passes_for_unlike(state, p, j)


def stretched(state, feature, share):
    """A point that lets the range of a feature grow until its parts have shrunk by this share."""
    x, high = state.feature[X_MIN].copy(), state.feature[X_MAX]
    x[feature] = high[feature] + (high - x)[feature] * share / (1.0 - share)
    return x


@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 3, 20]), st.sampled_from([0.3, 0.99]))
def test_answers_rise_with_the_range_and_by_no_more_than_is_allowed_for(seed, d, part):
    """Of a keeper and another one, while the range drifts by a part of what there is room for."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(4, d))[rng.integers(4, size=30)] + rng.random() * rng.normal(size=(30, d))
    state = ICVITopoARTMAP(rho=0.3, rho_mt=0.6).partial_fit(X)._state
    for _ in range(20):
        p, keeper, j = rng.choice(state.order[: state.now[0]["categories"]], 3)
        _, _, (_, _, room) = answer_before_and_after(state, p, keeper, j, X[0])
        share = min(part * room, 0.5) if room > 0.0 else part / 2
        before, after, (norm, drift, room) = answer_before_and_after(
            state, p, keeper, j, stretched(state, rng.integers(d), share)
        )
        rises = np.subtract(after, before)
        assert rises.min() >= -1e-12
        assert rises[2] <= drift / (0.001 + norm) + 1e-12
        assert rises[3] <= drift / d + 1e-12
        if drift < room:
            assert after[0] > after[2]
            assert after[1] > after[3]


@given(st.integers(0, 2**32 - 1), st.floats(-2.5, 0.5), st.sampled_from([0.0, 0.3, 0.49]))
def test_boxes_that_will_be_alike_are_counted(seed, shift, share):
    """One corner is elsewhere by about as much as it may be when the range has doubled."""
    rng = np.random.default_rng(seed)
    state = ICVITopoARTMAP(rho=0.9, rho_mt=0.95).partial_fit(rng.normal(size=(12, 20)))._state
    p, j = state.order[:2].tolist()
    near = 2e-12 * (0.001 + 20) ** 2 / 0.001
    for which in (LO, HI):
        state.box[which, j] = state.box[which, p]
    passes_for_unlike(state, p, j)
    state.box[LO, j, 0] += shift * near / state.feature[PER_RANGE, 0]
    passes_for_unlike(state, p, j)  # its copies are made anew
    for_long, alike = unlike_until_doubled(state, p, stretched(state, 0, share))
    assert for_long > 1 or not alike


@given(st.integers(0, 2**32 - 1), st.sampled_from([3, 8, 20]), st.sampled_from([0.0, 0.7]))
def test_lists_of_inactive_categories_are_as_if_made_anew(seed, xi, rho):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(6, 2))[rng.integers(6, size=80)] + 0.3 * rng.normal(size=(80, 2))
    model = ICVITopoARTMAP(rho=rho, xi=xi)
    for x in X:
        state = model.partial_fit(x[None])._state
        now = state.now[0]
        if now["regrouped"] == 1:
            continue
        won, home = state.label[WON], state.label[LIVE]
        rows = state.order[: now["categories"]].tolist()
        inactive = [p for p in rows if now["n"] - won[p] >= xi]
        sharing = [p for i, p in enumerate(inactive) if home[p] in home[inactive[:i]]]
        waiting = [won[p] + xi for p in rows if p not in inactive]
        assert state.label[INACTIVE, : now["inactive"]].tolist() == inactive
        assert state.label[SHARING, : now["sharing"]].tolist() == sharing
        assert now["n"] < now["next_rest"] <= min([now["n"] + xi, *waiting])


@given(st.lists(st.integers(0, 9), max_size=3 * JOURNAL), st.integers(0, 3 * JOURNAL))
def test_the_journal_tells_all_that_has_changed_or_that_it_does_not_know(rows, since):
    state = ICVITopoARTMAP().partial_fit([[0.0], [1.0]])._state
    begin = int(state.now[0]["changes"])
    since = min(since, len(rows))
    for row in rows:
        note_and_recall(state, row, -1)
    told = note_and_recall(state, -1, begin + since)
    if len(rows) - since <= JOURNAL:
        assert told == sum((i + 1) * row for i, row in enumerate(rows[since:]))
    else:
        assert told == -1
