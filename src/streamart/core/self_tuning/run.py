"""StreamART's loop over a batch. Room for more categories is made between samples (`room`)."""

from ..._jit import NONE, ONE, jit_entry
from ..._typing import Floats, Ints
from ...icvi.links import has_room_for_links
from ...icvi.state import DUE_BUDGET, DUE_NOTHING, DUE_ROOM, DUE_SCALE, LIVE, State
from .budget import Budget, learn_sample


@jit_entry
def run_under_budget(
    s: State, b: Budget, X: Floats, raw: Floats, groups: Ints, slots: Ints, begin: int
) -> int:
    """Learn ``X[begin:]``; returns how far it came.

    Stops early when the arrays are full, or something is `due`: room for more categories, which may
    take several samples, or a look at the scale.
    """
    now = s.now[0]
    now["due"] = DUE_NOTHING
    for t in range(begin, X.shape[0]):
        if now["n"] >= b.account[0]["next_scale"] and b.account[0]["making"] == 0:
            now["due"] = DUE_SCALE
            return t
        if now["categories"] + 1 > s.cat.shape[0] or not has_room_for_links(s, ONE):
            now["due"] = DUE_ROOM
            return t
        learn_sample(s, b, X[t], raw[t], groups[t] if groups.shape[0] > 0 else NONE)
        slots[t] = s.cat[now["winner"]]["slot"]
        if s.joined.shape[0] == 0:
            slots[t] = s.label[LIVE, now["winner"]]
        if b.account[0]["making"] != 0 or now["categories"] > b.account[0]["limit"]:
            now["due"] = DUE_BUDGET
            return t + 1
    return X.shape[0]
