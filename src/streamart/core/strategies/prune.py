r"""Prune-and-reassign: long inactive categories of small clusters join the nearest other cluster.

Pruned are the categories inactive for more than xi samples whose cluster has fewer than phi; each
goes to the cluster of the category j, not pruned itself, with the greatest

.. math:: T_j = \frac{|w_i\wedge w_j|}{\alpha + |w_j|}
"""

from ..._jit import TIE, jit
from ...icvi.hints import is_anchored
from ...icvi.state import HI, LIVE, LO, NORM, PER_RANGE, WON, State
from .. import map_field
from ..module_a import joint_norm


@jit
def is_to_be_pruned(s: State, p: int) -> bool:
    return (
        s.now[0]["n"] - s.label[WON, p] > s.params[0]["xi"]
        and s.clu[LIVE, s.label[LIVE, p]]["n"] < s.params[0]["phi"]
        and not is_anchored(s, p)
    )


@jit
def nearest_kept(s: State, p: int) -> int:
    """The kept category (mark -1) that box p activates most."""
    nearest, greatest = -1, 0.0
    for place in range(s.now[0]["categories"]):
        j = s.order[place]
        if s.cat[j]["mark"] == -1:
            joint = joint_norm(
                s.feature[PER_RANGE], s.box[LO, j], s.box[HI, j], s.box[LO, p], s.box[HI, p]
            )
            activation = joint / (s.params[0]["alpha"] + s.scan[NORM, j])
            if nearest < 0 or activation > greatest + TIE:
                nearest, greatest = j, activation
    return nearest


@jit
def prune_strategy(s: State) -> None:
    categories = s.now[0]["categories"]
    pruned = 0
    smallest = s.clu[LIVE, 0]["n"]
    for c in range(s.now[LIVE]["k"]):
        smallest = min(smallest, s.clu[LIVE, c]["n"])
    if smallest >= s.params[0]["phi"]:
        return
    for place in range(categories):
        p = s.order[place]
        s.cat[p]["mark"] = -1
        if is_to_be_pruned(s, p):
            s.cat[p]["mark"] = 0
            pruned += 1
    if pruned == 0 or pruned == categories:
        return
    for place in range(categories):
        p = s.order[place]
        if s.cat[p]["mark"] >= 0:
            target = s.label[LIVE, nearest_kept(s, p)]
            if target != s.label[LIVE, p]:
                map_field.move(s, p, target)
            else:
                map_field.write_row(s, s.weight, p, target, 0.0)
