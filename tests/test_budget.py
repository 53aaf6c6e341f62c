"""StreamART's categories under a budget, against their transcription."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import budget as naive_budget
from naive.budget import NaiveBudget
from streamart import StreamART
from streamart.core.self_tuning import room
from streamart.icvi.state import MEAN
from streamart.views import rows_of, table_of_links
from support import COMPILED


@given(number=st.integers(0, 10**6))
@pytest.mark.parametrize("kind", ["euclidean", "cosine", "gaps"])
def test_categories_are_those_of_the_transcription(kind, number):
    """After every sample: means, sizes, links, the radius and the limit."""
    compare(kind, number)


@pytest.mark.skipif(COMPILED, reason="compiled code has its constants inside")
@given(number=st.integers(0, 10**6), searches=st.integers(1, 5), mergers=st.integers(1, 3))
@pytest.mark.parametrize("kind", ["euclidean", "cosine", "gaps"])
def test_room_that_is_made_after_several_samples(kind, number, searches, mergers):
    """Categories change, open and merge meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (room, naive_budget):
            patch.setattr(module, "AT_ONCE", 4)
            patch.setattr(module, "SEARCHES", searches)
            patch.setattr(module, "MERGERS", mergers)
        compare(kind, number)


def compare(kind, number):
    rng = np.random.default_rng(number)
    metric = "cosine" if kind == "cosine" else "euclidean"
    d, limit = int(rng.integers(1 if metric == "euclidean" else 2, 5)), int(rng.integers(8, 16))
    n = int(rng.integers(30, 120 if COMPILED else 70))
    centres = rng.normal(size=(int(rng.integers(1, 30)), d)) * rng.uniform(2, 30)
    X = centres[rng.integers(len(centres), size=n)] + rng.normal(size=(n, d))
    X[rng.random(n) < 0.02] *= 40.0
    if kind == "gaps":  # at most one in a row, or most of it would be missing
        X = np.hstack([X, X[:, :1] + rng.normal(size=(n, 2))])
        X[rng.random(n) < 0.5, rng.integers(X.shape[1])] = np.nan
        X[rng.random(n) < 0.3, rng.integers(X.shape[1])] = np.nan
        X = X[np.isnan(X).sum(axis=1) < X.shape[1] / 2]
        n = len(X)
    naive = NaiveBudget(limit, metric == "euclidean")
    model = StreamART(limit, metric=metric)
    units = X if metric == "euclidean" else X / np.linalg.norm(X, axis=1, keepdims=True)
    for t in range(n):
        model.learn_one(X[t])
        engine = model._model.engine
        state, account = engine.state, engine.budget.account[0]
        naive.learn(units[t], float(account["touching"]))
        rows = rows_of(state)
        assert len(rows) == len(naive.categories), t
        assert state.cat["n"][rows].tolist() == [len(members) for members in naive.categories]
        means = [naive.mean(p) for p in range(len(rows))]
        np.testing.assert_allclose(state.box[MEAN, rows], means, rtol=1e-9, atol=1e-9)
        assert np.array_equal(table_of_links(state), naive.conn)
        assert account["limit"] == naive.limit
        np.testing.assert_allclose(account["radius"], naive.radius, rtol=1e-7, atol=1e-12)
