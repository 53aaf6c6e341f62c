"""Rows of categories that are gone are closed up."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .state import JOURNAL, State, copied


def packed(state: State) -> State:
    """The same network, its categories in the first rows, in their order.

    What is remembered of single rows by a bit is forgotten.
    """
    fresh, count = copied(state), int(state.now[0]["categories"])
    place = np.argsort(state.order)  # of each row, from now on

    def follow(rows: NDArray[Any]) -> NDArray[Any]:
        return np.where(rows >= 0, place[rows], rows)

    fresh.cat[:] = state.cat[state.order]
    fresh.order[:] = np.arange(len(state.order))
    for old, new in (
        (state.box, fresh.box),
        (state.coarse, fresh.coarse),
        (state.scan, fresh.scan),
    ):
        new[:] = old[:, state.order]
    fresh.label[:] = state.label[:, state.order]
    if state.attach is not None and fresh.attach is not None:
        fresh.attach[:] = state.attach[:, state.order]
    if state.weight is not None and fresh.weight is not None:
        fresh.weight[:] = state.weight[state.order]
    fresh.link["to"] = place[state.link["to"]]
    for field in ("guard", "rear_guard", "keeper", "rear_keeper"):
        fresh.cat[field][:count] = follow(fresh.cat[field][:count])
    for field in ("winner", "away", "restless", "beside"):
        fresh.now[field][0] = follow(fresh.now[field][:1])[0]
    fresh.cat["stuck"] = -1
    fresh.now["rows"][0] = count
    fresh.now["changes"][0] += JOURNAL + 1  # as `journal.note_all` does
    fresh.now["settled"][0], fresh.now["regrouped"][0] = 0, 1
    return fresh
