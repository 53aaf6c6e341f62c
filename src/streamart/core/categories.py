"""Categories open, join and leave: the same for the network, StreamART and the rivals."""

from .._jit import jit, jit_part
from .._typing import Floats
from ..icvi.footprints import assign, merge_into
from ..icvi.links import join_links, rename_links
from ..icvi.registry import join_matrices
from ..icvi.state import HI, LIVE, LO, MEAN, WAS, State


@jit
def open_category(s: State, x: Floats) -> int:
    """A category at x that has learnt nothing yet (Eqs. weight_new to comp_new); which cluster it
    belongs to is left to the caller."""
    p, slot = s.now[0]["categories"], s.now[0]["slots"]
    cat = s.cat[p]
    cat["n"] = 0
    cat["cp"] = 0.0
    cat["norm"] = float(x.shape[0])  # of a point
    cat["rank"] = p
    cat["birth"] = s.now[0]["n"] + 1
    cat["slot"] = slot
    cat["group"] = -1
    cat["links"] = -1
    s.order[p] = p
    s.label[WAS, p] = -1
    if s.joined.shape[0] > 0:
        s.joined[slot] = slot
    assign(s.box[LO, p], x)
    assign(s.box[HI, p], x)
    s.now[0]["slots"] = slot + 1
    s.now[0]["categories"] = p + 1
    s.now[0]["boxes_changed"] = 1
    return p


@jit_part
def join_categories(s: State, kept: int, gone: int) -> None:
    """Footprint, CONN, what was won last, and where its samples are; all but the box.

    The row of `gone` is free then; it is removed by `remove_others`.
    """
    old, merged = s.cat[gone], s.cat[kept]
    join_matrices(s, kept, gone)
    merge_into(merged, s.box[MEAN, kept], old["n"], old["cp"], s.box[MEAN, gone])
    join_links(s, kept, gone)
    merged["won"] = max(merged["won"], old["won"])
    if s.joined.shape[0] > 0:
        s.joined[old["slot"]] = merged["slot"]
    if s.now[0]["winner"] == gone:
        s.now[0]["winner"] = kept
    s.clu[LIVE, s.label[LIVE, kept]]["size"] -= 1


@jit_part
def remove_others(s: State, kept: int) -> None:
    """Only the first so many categories in the order stay; the last rows fill the free ones.

    A row that goes has ``mark`` 1, the others 0.
    """
    for place in range(kept):
        s.cat[s.order[place]]["rank"] = place
    for p in range(s.now[0]["categories"] - 1, -1, -1):
        if s.cat[p]["mark"] == 1:
            last = s.now[0]["categories"] - 1
            s.now[0]["categories"] = last
            if p != last:
                move_row(s, last, p)


@jit
def move_row(s: State, source: int, target: int) -> None:
    """Everything that is known of a category moves to a free row."""
    for row in range(s.box.shape[0]):
        assign(s.box[row, target], s.box[row, source])
    for kind in range(s.label.shape[0]):
        s.label[kind, target] = s.label[kind, source]
    rename_links(s, source, target)
    if s.weight.shape[0] > 0:
        assign(s.weight[target], s.weight[source])
    s.cat[target] = s.cat[source]
    s.order[s.cat[target]["rank"]] = target
    if s.now[0]["winner"] == source:
        s.now[0]["winner"] = target
