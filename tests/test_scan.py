"""The scan by coarse copies of the boxes: its bounds hold, and searches find the same."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from operations import find_resonant, scan_both_ways
from streamart import ICVITopoARTMAP
from streamart.icvi.state import COARSE_FROM, EXACT, NORM, STEPS

streams = st.tuples(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1e-3, 1.0, 1e6]),
    st.sampled_from([0.0, 1e9]),
    st.sampled_from([0, 1, 6]),  # decimals: with few, there are ties
)


def learnt(stream):
    """A model of a short stream, and a sample that it has not seen, within or beyond its range."""
    seed, scale, offset, decimals = stream
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(25, COARSE_FROM)), decimals)
    X[10:20] += X[:10]
    x = X[seed % 25] + rng.choice([0.0, 0.1, 2.0]) * rng.normal(size=COARSE_FROM)
    X, x = offset + scale * X, offset + scale * x
    return ICVITopoARTMAP(rho=0.6).partial_fit(X)._state, x


@given(streams)
def test_no_category_answers_more_than_its_bound(stream):
    state, x = learnt(stream)
    bounds, truth = (np.empty((EXACT, len(state.cat))) for _ in range(2))
    scan_both_ways(state, x, bounds, truth)
    rows = state.order[: state.now[0]["categories"]]
    assert (bounds[:, rows] >= truth[:, rows]).all()
    # and not much less: two coordinates of each feature are off by a step
    activation, match = bounds[:, rows] - truth[:, rows]
    assert (match <= 2.0 / STEPS + 1e-12).all()
    norms = state.scan[NORM, rows] / len(x)
    assert (activation * norms <= 2.0 / STEPS + 1e-12).all()


@given(streams, st.sampled_from([0.0, 0.6, 0.8, 0.9, 0.95]))
def test_the_same_categories_are_found_in_the_same_order(stream, rho):
    state, x = learnt(stream)
    bounds, truth = (np.empty((EXACT, len(state.cat))) for _ in range(2))
    scan_both_ways(state, x, bounds, truth)
    last = -1
    for _ in range(state.now[0]["categories"] + 1):
        found = find_resonant(state, x, rho, last, True)
        assert found == find_resonant(state, x, rho, last, False)
        if found < 0:
            break
        last = found
    assert found < 0


@given(streams, st.sampled_from([0.8, 0.9, 0.95]), st.sampled_from([0.0, 0.6]))
def test_the_same_second_winner_is_found_with_less_vigilance(stream, rho, later):
    state, x = learnt(stream)
    bounds, truth = (np.empty((EXACT, len(state.cat))) for _ in range(2))
    scan_both_ways(state, x, bounds, truth)
    first = find_resonant(state, x, rho, -1, True)
    assert first == find_resonant(state, x, rho, -1, False)
    assert find_resonant(state, x, later, first, True) == find_resonant(
        state, x, later, first, False
    )
