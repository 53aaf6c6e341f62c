r"""Prune-and-reassign: long inactive categories of small clusters join the nearest other cluster.

Pruned are the categories inactive for more than xi samples whose cluster has fewer than phi; each
goes to the cluster of the category j, not pruned itself, with the greatest

.. math:: T_j = \frac{|w_i\wedge w_j|}{\alpha + |w_j|}
"""

import math

from ..._jit import TIE, jit
from ...icvi.compare import SLACK
from ...icvi.hints import is_anchored
from ...icvi.state import FREE, HI, LIVE, LO, NORM, PER_RANGE, WON, State
from .. import map_field
from ..module_a import joint_norm
from .told import joints_as_told


@jit
def is_to_be_pruned(s: State, p: int) -> bool:
    return (
        s.now[0]["n"] - s.label[WON, p] > s.params[0]["xi"]
        and s.clu[LIVE, s.label[LIVE, p]]["n"] < s.params[0]["phi"]
        and not is_anchored(s, p)
    )


@jit
def nearest_kept(s: State, p: int) -> int:
    """The kept category (mark -1) that box p activates most.

    Those that the most active one by coarse copies is clearly ahead of need not be asked.
    """
    nearest, greatest, least, bounds = -1, 0.0, -math.inf, s.scan[FREE]
    glances = s.coarse.shape[2] > 0 and s.params[0]["prove"] == 1
    if glances:
        least = activation_by(s, p, most_active(s, p)) - SLACK
    for place in range(s.now[0]["categories"]):
        j = s.order[place]
        if s.cat[j]["mark"] == -1 and not (glances and bounds[j] < least):
            activation = activation_by(s, p, j)
            if nearest < 0 or activation > greatest + TIE:
                nearest, greatest = j, activation
    return nearest


@jit
def activation_by(s: State, p: int, j: int) -> float:
    """How active box p makes category j."""
    per_range, lo, hi = s.feature[PER_RANGE], s.box[LO], s.box[HI]
    return joint_norm(per_range, lo[j], hi[j], lo[p], hi[p]) / (
        s.params[0]["alpha"] + s.scan[NORM, j]
    )


@jit
def most_active(s: State, p: int) -> int:
    """The kept category that box p may activate most, by coarse copies.

    Leaves in ``scan[FREE]`` how active it makes each at most.
    """
    joints_as_told(s, p)
    alpha, bounds, norms, most = s.params[0]["alpha"], s.scan[FREE], s.scan[NORM], -1
    for j in range(s.now[0]["rows"]):
        bounds[j] /= alpha + norms[j]
    for place in range(s.now[0]["categories"]):
        j = s.order[place]
        if s.cat[j]["mark"] == -1 and (most < 0 or bounds[j] > bounds[most]):
            most = j
    return most


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
