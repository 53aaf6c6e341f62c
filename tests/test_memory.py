"""What memory and single steps cost when there are many categories."""

import numpy as np
import pytest

from streamart import ICVITopoARTMAP, StreamART
from streamart.core.self_tuning.room import AT_ONCE, MERGERS
from streamart.icvi.state import moved, room_of
from support import COMPILED

RECIPE = {"match": "cosine", "rho": 0.3, "strategies": ("swap", "prune")}


def bytes_at(model, count):
    """Bytes of all arrays with room for these numbers of categories, clusters and links."""
    room = room_of(model._state)._replace(
        categories=count, clusters=count, links=2 * count, ids=2 * count
    )
    state = moved(model._state, room)
    return sum(array.nbytes for array in state if isinstance(array, np.ndarray))


@pytest.mark.parametrize("icvi", ["ch", "wb"])
def test_without_merge_memory_grows_with_the_number_of_clusters(icvi, seed):
    """README's recipe for embeddings: room for 32,768 clusters."""
    X = np.random.default_rng(seed).normal(size=(5, 128))
    model = ICVITopoARTMAP(icvi, **RECIPE, icvi_match_tracking=False).partial_fit(X)
    assert bytes_at(model, 32_768) < 0.3e9
    assert bytes_at(model, 32_768) < 4.1 * bytes_at(model, 8_192)


def test_memory_with_merge_is_what_is_promised(seed):
    """Two tables of clusters × clusters."""
    model = ICVITopoARTMAP().partial_fit(np.random.default_rng(seed).normal(size=(5, 2)))
    assert 0.26e9 < bytes_at(model, 4_096) < 0.28e9


@pytest.mark.skipif(not COMPILED, reason="the interpreter tries it with smaller numbers")
def test_a_large_budget_makes_room_little_by_little(seed):
    """So no sample takes long; and there is room in the end."""
    budget = AT_ONCE + 100
    X = np.random.default_rng(seed).normal(size=(2 * budget, 8))
    model, counts = StreamART(budget).partial_fit(X[:1]), []
    engine = model._model.engine
    for x in X[1:]:
        engine.learn_one(x[None], lambda state: None)
        counts.append(int(engine.state.now[0]["categories"]))
    assert max(counts) > budget
    # (What is left at AT_ONCE categories merges at once, as with smaller budgets.)
    before, after = np.array(counts[:-1]), np.array(counts[1:])
    assert (after - before)[before > AT_ONCE].min() >= -MERGERS
    assert any(count <= 0.75 * budget + 1 for count in counts[counts.index(max(counts)) :])
