"""Distances that are measured for several samples at once are those that each would have."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exhaustive import gaussians
from streamart import ICVITopoARTMAP
from streamart._jit import jit_entry
from streamart._jit.vectors import AT_ONCE, squared_distance_from, squared_distances
from streamart.icvi.alignment import zeros
from streamart.icvi.foreseen import LEAST_CLUSTERS
from support import COMPILED


@jit_entry
def measure_at_once(samples: np.ndarray, means: np.ndarray, out: np.ndarray) -> None:
    distances = squared_distances(samples, means[0], means[1])
    for at in range(2 * AT_ONCE):
        out[at] = distances[at]


@jit_entry
def measure_one_by_one(samples: np.ndarray, means: np.ndarray, out: np.ndarray) -> None:
    for at in range(2 * AT_ONCE):
        out[at] = squared_distance_from(samples[at % AT_ONCE], means[at // AT_ONCE])


@given(st.integers(1, 70), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1e9]))
def test_same_bits(d, seed, offset):
    rng = np.random.default_rng(seed)
    samples, means, together, alone = zeros((AT_ONCE, d)), zeros((2, d)), zeros((8,)), zeros((8,))
    samples[:], means[:] = (offset + rng.normal(size=array.shape) for array in (samples, means))
    measure_at_once(samples, means, together)
    measure_one_by_one(samples, means, alone)
    assert np.array_equal(together, alone)
    expected = ((means[:, None] - samples) ** 2).sum(axis=-1).ravel()
    np.testing.assert_allclose(together, expected, rtol=1e-13)  # some 1e-16 for each feature


@pytest.mark.parametrize("d", [16, 21, 128])
@pytest.mark.parametrize("icvi", ["wb", "pbm", "xb", "db"])
def test_batches_and_single_samples_give_the_same_bits(icvi, d, seed):
    """Clusters come, go, merge and change places while samples are foreseen."""
    if not COMPILED and (icvi, d) != ("wb", 16):
        pytest.skip("takes the interpreter too long")
    n = 600 if COMPILED else 80
    X = gaussians(seed, d, 40, n, 9.0)
    X[n // 2 :] += gaussians(seed + 1, d, 10, n - n // 2, 9.0)
    batch, single = (ICVITopoARTMAP(icvi, xi=40, record_history=True) for _ in range(2))
    reached = 0
    for size in np.random.default_rng(seed).integers(1, 40, size=n):
        if reached < n:
            batch.partial_fit(X[reached : reached + size])
        reached += size
    for x in X:
        single.partial_fit(x[None])
    assert max(batch.history_["n_clusters"]) >= LEAST_CLUSTERS
    for name in ("icvi_value", "n_clusters", "n_categories"):
        assert batch.history_[name].tobytes() == single.history_[name].tobytes(), name
    assert batch.clusters_.mean.tobytes() == single.clusters_.mean.tobytes()
    assert batch.clusters_.cp.tobytes() == single.clusters_.cp.tobytes()
