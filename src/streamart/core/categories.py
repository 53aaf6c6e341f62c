"""Categories come into being, and join: the same for the network, the budget and the rivals."""

from .._jit import jit
from .._typing import Floats
from ..icvi.footprints import assign, merge_into
from ..icvi.links import join_links
from ..icvi.state import HI, LIVE, LO, MEAN, NORM, PLACE, RESTING, UNKNOWN, WAS, WON, State
from ..icvi.weighing import forget_moves
from .module_a import copy_box, hide_box


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
    s.label[RESTING, p] = 0
    s.label[PLACE, p] = s.now[0]["categories"]
    cat["guard"] = -1
    cat["rear_guard"] = -1
    cat["stuck"] = -1
    cat["told"] = -1
    cat["group"] = -1
    s.label[WAS, p] = -1
    cat["birth"] = s.now[0]["n"] + 1
    s.scan[NORM, p] = float(x.shape[0])  # of a point
    assign(s.box[LO, p], x)
    assign(s.box[HI, p], x)
    copy_box(s, p)
    s.now[0]["slots"] = slot + 1
    s.now[0]["categories"] += 1
    s.now[0]["rows"] = max(s.now[0]["rows"], p + 1)
    return p


@jit
def join_categories(s: State, kept: int, gone: int) -> None:
    """All but the box: footprint, links, what was won last, and where its samples are.

    To `unsettle` their cluster is left to the caller.
    """
    old, merged, cluster = s.cat[gone], s.cat[kept], s.clu[LIVE, s.label[LIVE, kept]]
    merge_into(merged, s.box[MEAN, kept], old["n"], old["cp"], s.box[MEAN, gone])
    join_links(s, kept, gone)
    old["n"] = 0
    hide_box(s, gone)
    s.label[WON, kept] = max(s.label[WON, kept], s.label[WON, gone])
    merged["loss"] = UNKNOWN
    merged["off"] = UNKNOWN
    merged["rest"] = UNKNOWN
    forget_moves(s, kept)
    if s.joined.shape[0] > 0:
        s.joined[old["slot"]] = merged["slot"]
    if s.now[0]["winner"] == gone:
        s.now[0]["winner"] = kept
    if s.now[0]["away"] in (kept, gone):
        s.now[0]["away"] = -1
    cluster["size"] -= 1


@jit
def free_rows(s: State, count: int) -> None:
    """So many rows, the first after the categories in the order, are nobody's from now on.

    The lowest of all that are nobody's is taken next, so that the last ones are soon left over, and
    need not be passed over any more.
    """
    now, order, first = s.now[0], s.order, s.now[0]["categories"]
    for begin in range(first + count - 1, first - 1, -1):
        row, at = order[begin], begin
        while at + 1 < now["rows"] and order[at + 1] < row:
            order[at] = order[at + 1]
            at += 1
        order[at] = row
    while now["rows"] > first and order[now["rows"] - 1] == now["rows"] - 1:
        now["rows"] -= 1
