r"""Prune-and-reassign: long inactive categories of small clusters join the nearest other cluster.

Pruned are the categories inactive for more than xi samples whose cluster has fewer than phi; each
goes to the cluster of the category j, not pruned itself, with the greatest

.. math:: T_j = \frac{|w_i\wedge w_j|}{\alpha + |w_j|}
"""

import numpy as np

from ..._jit import TIE, jit
from .. import map_field
from ..module_a import norm_with_box
from ..state import Params, State


@jit
def prune_strategy(state: State, params: Params) -> None:
    a, part = state.a, state.part
    categories = state.ground.count[0]
    found = 0
    for p in range(categories):
        if a.inactivity[p] > params.xi and part.foot.n[part.label[p]] < params.phi:
            found += 1
    if found == 0 or found == categories:
        return
    # The nearest category of each is found before any moves.
    heir = np.full(categories, -1, dtype=np.int64)
    for p in range(categories):
        if not (a.inactivity[p] > params.xi and part.foot.n[part.label[p]] < params.phi):
            continue
        best = -1.0
        for j in range(categories):
            if a.inactivity[j] > params.xi and part.foot.n[part.label[j]] < params.phi:
                continue
            joint, own = norm_with_box(a.per_range, a.lo[j], a.hi[j], a.lo[p], a.hi[p])
            activation = joint / (params.alpha + own)
            if heir[p] < 0 or activation > best + TIE:
                best, heir[p] = activation, j
    for p in range(categories):
        if heir[p] < 0:
            continue
        target = part.label[heir[p]]
        if part.label[p] != target:
            map_field.move(state, params, p, target)
        else:
            map_field.write_row(state.field, part.k[0], p, target)
