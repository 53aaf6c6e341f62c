"""Shortcuts on streams that are short enough for the interpreter, too."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exhaustive import assert_same, gaussians
from streamart import ICVITopoARTMAP
from streamart.icvi.packing import packed
from support import COMPILED, has_slow_map


@pytest.mark.parametrize(("icvi", "k", "side"), [("wb", 12, 3.0), ("ch", 9, 5.0)])
def test_coarse_copies(icvi, k, side, seed):
    """With so many features, inactive boxes are compared by coarse copies."""
    X = np.round(gaussians(seed, 20, k, 700 if COMPILED else 150, side), 1)
    model = assert_same(X, icvi=icvi, xi=12)
    assert model.work_["compressions_in_place"] > 0


@pytest.mark.parametrize(("icvi", "xi"), [("pbm", 100), ("xb", 40)])
def test_few_clusters(icvi, xi, seed):
    """PBM, XB: one cluster has most categories; what is split off it comes back."""
    X = gaussians(seed, 16, 40, 1200 if COMPILED else 80, 3.0)
    model = assert_same(X, icvi=icvi, xi=xi if COMPILED else 30)
    assert model.work_["split_proofs"] > 0 or not COMPILED  # so few samples may have none


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["ch", "conn"]),
    st.sampled_from([0.5, 1.0]),
    st.integers(1, 39),
)
def test_packing_changes_nothing(seed, icvi, beta_ab, at):
    """Wherever the rows are, the network goes on in the same way."""
    X = np.round(gaussians(seed, 3, 4, 40, 12.0), 1)
    beta_ab = beta_ab if has_slow_map(icvi) else 1.0
    plain, other = (ICVITopoARTMAP(icvi, xi=8, rho=0.6, beta_ab=beta_ab) for _ in range(2))
    plain.partial_fit(X[:at])
    other.partial_fit(X[:at])
    state = other._state = packed(other._state)
    count = int(state.now[0]["categories"])
    assert state.now[0]["rows"] == count
    assert state.order[:count].tolist() == list(range(count))
    plain.partial_fit(X[at:])
    other.partial_fit(X[at:])
    assert np.array_equal(plain.labels_, other.labels_)
    assert np.array_equal(plain.conn_.toarray(), other.conn_.toarray())
    for mine, theirs in zip(plain.categories_, other.categories_, strict=True):
        assert np.array_equal(mine, theirs)
