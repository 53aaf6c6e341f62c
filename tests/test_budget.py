"""Fine categories under a budget agree with the transcription at every step."""

import numpy as np
import pytest

from naive.budget import NaiveBudget
from random_streams import STREAMS
from streamart import StreamART
from streamart.core.budget import RESERVOIR
from streamart.engines.measure import unit_vectors
from support import COMPILED

LENGTH = 60 if COMPILED else 30


def assert_same(model, naive, at):
    where = f"at sample {at}"
    known = model.categories_
    X = np.array(naive.X)
    assert known.n.tolist() == [len(members) for members in naive.categories], where
    for p, members in enumerate(naive.categories):
        points = X[members]
        np.testing.assert_allclose(known.mean[p], points.mean(axis=0), rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(known.lower[p], points.min(axis=0))
        np.testing.assert_array_equal(known.upper[p], points.max(axis=0))
        cp = np.sum((points - points.mean(axis=0)) ** 2)
        np.testing.assert_allclose(known.cp[p], cp, rtol=1e-9, atol=1e-9)
    assert np.array_equal(model.conn_.toarray(), naive.conn), where
    scale = naive.scale()
    rows = model._state.order[: model.n_categories_]
    spread = model._model.engine.budget.spread[rows] @ model._model.engine.budget.weight
    exact = [
        np.sum((naive.points(p, scale) - naive.points(p, scale).mean(axis=0)) ** 2)
        for p in range(len(naive.categories))
    ]
    np.testing.assert_allclose(spread, exact, rtol=1e-9, atol=1e-9, err_msg=where)
    np.testing.assert_allclose(
        model._model.engine.budget.account[0]["radius"],
        naive.radius,
        rtol=1e-9,
        atol=1e-12,
        err_msg=where,
    )


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.__name__)
def test_every_step(stream, d, metric, seed):
    rng = np.random.default_rng(seed)
    X = stream(rng, LENGTH, d)
    limit = int(rng.integers(8, 14))
    model = StreamART(limit, metric=metric)
    naive = NaiveBudget(limit, by_range=metric == "euclidean")
    for at, x in enumerate(X):
        model.partial_fit(x[None])
        naive.learn(x if metric == "euclidean" else unit_vectors(x[None])[0])
        assert_same(model, naive, at)
        assert model.n_categories_ <= limit


def test_hinted_samples_share_no_category_with_others(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(LENGTH, 2))
    names = {int(i): "abc"[i % 3] for i in rng.choice(LENGTH, LENGTH // 3, replace=False)}
    model, naive = StreamART(10, metric="euclidean"), NaiveBudget(10)
    model.partial_fit(X, hints={"names": names})
    order = list(dict.fromkeys(names[i] for i in names))
    for i, x in enumerate(X):
        naive.learn(x, order.index(names[i]) if i in names else -1)
    assert_same(model, naive, "the end")
    assert model._state.cat["group"][model._state.order[: model.n_categories_]].tolist() == (
        naive.groups
    )


def test_the_reservoir_is_a_fair_sample():
    """Of 20 times as many samples as it holds, each tenth of the stream has its share in it."""
    n = 20 * RESERVOIR if COMPILED else 4 * RESERVOIR
    X = np.arange(float(n))[:, None]
    shares = []
    for seed in range(5):
        model = StreamART(8, random_state=seed).partial_fit(X)
        kept = model._model.engine.budget.reservoir[:, 0]
        assert len(set(kept.tolist())) == RESERVOIR
        shares.append(np.histogram(kept, bins=10, range=(0, n))[0] / RESERVOIR)
    # 1280 draws: a tenth of them has a standard deviation of 0.0084; four of these
    np.testing.assert_allclose(np.mean(shares, axis=0), 0.1, atol=0.034)
