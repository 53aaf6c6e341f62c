r"""Prune-and-reassign: long inactive categories of small clusters join the nearest other cluster.

Pruned are the categories inactive for more than xi samples whose cluster has fewer than phi; each
goes to the cluster of the category j, not pruned itself, with the greatest

.. math:: T_j = \frac{|w_i\wedge w_j|}{\alpha + |w_j|}
"""

from ..._jit import NONE, TIE, jit, jit_part
from ...icvi.hints import is_anchored
from ...icvi.state import HI, LIVE, LO, PER_RANGE, State
from .. import map_field
from ..module_a import activate


@jit
def is_to_be_pruned(s: State, p: int) -> bool:
    return (
        s.now[0]["n"] - s.cat[p]["won"] > s.params[0]["xi"]
        and s.clu[LIVE, s.label[LIVE, p]]["n"] < s.params[0]["phi"]
        and not is_anchored(s, p)
    )


@jit_part
def nearest_kept(s: State, p: int) -> int:
    """The kept category that box p activates most."""
    count, alpha = s.now[0]["categories"], s.params[0]["alpha"]
    activate(s.cat, s.box, s.feature[PER_RANGE], s.box[LO, p], s.box[HI, p], count, alpha)
    nearest, greatest = NONE, 0.0
    for place in range(count):
        j = s.order[place]
        if s.cat[j]["mark"] == 0:
            if nearest < 0 or s.cat[j]["activation"] > greatest + TIE:
                nearest, greatest = j, s.cat[j]["activation"]
    return nearest


@jit_part
def prune_strategy(s: State) -> None:
    categories, pruned = s.now[0]["categories"], 0
    for p in range(categories):
        s.cat[p]["mark"] = 1 if is_to_be_pruned(s, p) else 0
        pruned += s.cat[p]["mark"]
    if pruned == 0 or pruned == categories:
        return
    for place in range(categories):
        p = s.order[place]
        if s.cat[p]["mark"] == 1:
            target = s.label[LIVE, nearest_kept(s, p)]
            if target != s.label[LIVE, p]:
                map_field.move(s, p, target)
            else:
                map_field.write_row(s, p, target, 0.0)
