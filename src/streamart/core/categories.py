"""A category comes into being: what is the same for the network, the budget and the rivals."""

from .._jit import jit
from .._typing import Floats
from ..icvi.footprints import assign
from ..icvi.state import HI, LO, State
from .module_a import write_front


@jit
def open_category(s: State, x: Floats) -> int:
    """A category at x that has learnt nothing yet (Eqs. weight_new to comp_new); which cluster it
    belongs to is left to the caller."""
    p, slot = s.order[s.now[0]["categories"]], s.now[0]["slots"]
    cat = s.cat[p]
    cat["n"] = 0
    cat["cp"] = 0.0
    cat["head"] = -1
    cat["between"] = 0.0
    cat["slot"] = slot
    if s.joined.shape[0] > 0:
        s.joined[slot] = slot
    cat["resting"] = 0
    cat["guard"] = -1
    cat["rear_guard"] = -1
    cat["stuck"] = -1
    cat["group"] = -1
    cat["was"] = -1
    cat["birth"] = s.now[0]["n"] + 1
    cat["norm"] = float(x.shape[0])  # of a point
    assign(s.box[LO, p], x)
    assign(s.box[HI, p], x)
    write_front(s, p)
    s.now[0]["slots"] = slot + 1
    s.now[0]["categories"] += 1
    s.now[0]["rows"] = max(s.now[0]["rows"], p + 1)
    return p
