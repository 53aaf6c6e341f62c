"""What is done by WGSS alone (`by_scatter`) gives the same result as asking for every value."""

import numpy as np
import pytest

from by_value import ByValue
from streamart import ICVITopoARTMAP
from streamart.data import ORDERS, make_stream
from support import COMPILED, own_program

pytestmark = own_program


def gaussians(seed, d, k, n, side):
    rng = np.random.default_rng(seed)
    means = rng.uniform(0, side, size=(k, d))
    return means[rng.integers(k, size=n)] + rng.normal(size=(n, d))


def assert_same(X, **params):
    """Both learn the same, step by step."""
    params |= {"record_history": True, "record_events": True}
    quick, exact = ICVITopoARTMAP(**params).partial_fit(X), ByValue(**params).partial_fit(X)
    for name, values in exact.history_.items():
        np.testing.assert_allclose(quick.history_[name], values, rtol=1e-9, err_msg=name)
    assert np.array_equal(quick.labels_, exact.labels_)
    assert [event[:5] for event in quick.events_] == [event[:5] for event in exact.events_]


LENGTH = 800 if COMPILED else 30
INDICES = ["ch", "wb"]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("icvi", INDICES)
def test_built_in_stream(icvi, order):
    assert_same(make_stream(order, LENGTH, 5)[0], icvi=icvi)


@pytest.mark.parametrize(("d", "k", "side"), [(2, 9, 12.0), (16, 9, 3.0), (20, 12, 20.0)])
@pytest.mark.parametrize("icvi", INDICES)
def test_gaussians(icvi, d, k, side, seed):
    assert_same(gaussians(seed, d, k, LENGTH, side), icvi=icvi, xi=60)


def test_ties(seed):
    """Samples on a grid: many mergers and moves are equally good."""
    X = np.random.default_rng(seed).integers(0, 6, size=(LENGTH // 2, 2)).astype(float)
    assert_same(X, icvi="ch", xi=20)
