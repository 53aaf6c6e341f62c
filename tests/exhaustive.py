"""Comparison of the network with itself, every proof and every shortcut left out."""

import numpy as np

from streamart import ICVITopoARTMAP


class Exhaustive(ICVITopoARTMAP):
    """The same network with every proof and every shortcut left out."""

    def _checked_params(self):
        params = super()._checked_params()
        params["prove"] = 0
        return params


def gaussians(seed, d, k, n, side):
    rng = np.random.default_rng(seed)
    means = rng.uniform(0, side, size=(k, d))
    return means[rng.integers(k, size=n)] + rng.normal(size=(n, d))


def assert_same(X, **params):
    """Both learn the same, step by step; returns the one with shortcuts."""
    params |= {"record_history": True, "record_events": True}
    quick, exact = ICVITopoARTMAP(**params).partial_fit(X), Exhaustive(**params).partial_fit(X)
    for name, values in exact.history_.items():
        if values.dtype.kind == "i":
            assert np.array_equal(quick.history_[name], values), name
        else:
            # Distances by Stewart's theorem are off by 1e-13 at most, an index by little more.
            np.testing.assert_allclose(quick.history_[name], values, rtol=1e-9, err_msg=name)
    assert np.array_equal(quick.labels_, exact.labels_)
    # All but the index at the time of the change, which depends on what was done on the way.
    assert [event[:5] for event in quick.events_] == [event[:5] for event in exact.events_]
    for mine, theirs in zip(quick.categories_, exact.categories_, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9)
    return quick
