r"""Module A, enhanced topological fuzzy ART: activation, match, search order, learning.

With a box [lo, hi] in raw coordinates, ``per_range`` = 1/(x_max - x_min) and d features,

.. math:: |x\wedge w| = d - \sum_f \text{per\_range}_f\,(\max(x_f, hi_f) - \min(x_f, lo_f)),\quad
          |w| = d - \sum_f \text{per\_range}_f\,(hi_f - lo_f)

so nothing needs re-scaling when the range of the data grows. A feature without range yet has
``per_range`` 0 and so adds exactly 1 to both.
"""

import math

from .._jit import NONE, TIE, jit, jit_part, jit_sums
from .._typing import Floats, Records
from ..icvi.state import HI, LO, MEAN, PER_RANGE, X_MAX, X_MIN, State


@jit_part
def widen_range(s: State, x: Floats) -> bool:
    """Minimum and maximum of each feature (Section "Online normalization"); has one changed?"""
    x_min, x_max, per_range = s.feature[X_MIN], s.feature[X_MAX], s.feature[PER_RANGE]
    first, outside = s.now[0]["n"] == 0, 0
    for f in range(x.shape[0]):  # without branches, several features are done at once
        outside += int(x[f] < x_min[f]) | int(x[f] > x_max[f])
    if outside == 0 and not first:
        return False
    for f in range(x.shape[0]):
        if first or x[f] < x_min[f] or x[f] > x_max[f]:
            x_min[f] = x[f] if first else min(x[f], x_min[f])
            x_max[f] = x[f] if first else max(x[f], x_max[f])
            span = x_max[f] - x_min[f]
            per_range[f] = 1.0 / span if span > 0.0 else 0.0
    return True


@jit
def stretch_range(s: State, x: Floats) -> None:
    """The range of the data, and the norms of the boxes, which depend on it."""
    if widen_range(s, x):
        s.now[0]["boxes_changed"] = 1
        for p in range(s.now[0]["categories"]):
            s.cat[p]["norm"] = box_norm(s.feature[PER_RANGE], s.box[LO, p], s.box[HI, p])


@jit_sums
def box_norm(per_range: Floats, lo: Floats, hi: Floats) -> float:
    """|w| of a box."""
    extent = 0.0
    for f in range(per_range.shape[0]):
        extent += per_range[f] * (hi[f] - lo[f])
    return float(per_range.shape[0]) - extent


@jit_sums
def joint_norm(
    per_range: Floats, lo: Floats, hi: Floats, other_lo: Floats, other_hi: Floats
) -> float:
    r""":math:`|v\wedge w|` of two boxes; a sample is a box without extent."""
    extent = 0.0
    for f in range(per_range.shape[0]):
        top = hi[f] if hi[f] > other_hi[f] else other_hi[f]
        bottom = lo[f] if lo[f] < other_lo[f] else other_lo[f]
        extent += per_range[f] * (top - bottom)
    return float(per_range.shape[0]) - extent


@jit_sums
def cosine_distance(x: Floats, mean: Floats) -> float:
    r"""Eq. cosine_vigilance: :math:`1 - \langle x,\mu\rangle / (\|x\|\|\mu\|)`.

    The zero vector has no direction: it is at distance 1 from all others and 0 from itself.
    """
    dot, square_x, square_m = 0.0, 0.0, 0.0
    for f in range(x.shape[0]):
        dot += x[f] * mean[f]
        square_x += x[f] * x[f]
        square_m += mean[f] * mean[f]
    if square_x == 0.0 or square_m == 0.0:
        return 0.0 if square_x == square_m else 1.0
    return 1.0 - dot / (math.sqrt(square_x) * math.sqrt(square_m))


@jit
def activate(
    cat: Records, box: Floats, per_range: Floats, lo: Floats, hi: Floats, count: int, alpha: float
) -> None:
    r"""What a box (of a sample: twice the same corner) makes of every category (Eq. activation).

    .. math:: T_j = \frac{|x\wedge w_j|}{\alpha + |w_j|}
    """
    for p in range(count):
        joint = joint_norm(per_range, box[LO, p], box[HI, p], lo, hi)
        cat[p]["joint"] = joint
        cat[p]["activation"] = joint / (alpha + cat[p]["norm"])


@jit
def present(s: State, x: Floats) -> None:
    r"""Activation and match of every category (Eqs. res_2, cosine_vigilance).

    .. math:: M_j = \frac{|x\wedge w_j|}{d}
    """
    count = s.now[0]["categories"]
    activate(s.cat, s.box, s.feature[PER_RANGE], x, x, count, s.params[0]["alpha"])
    for p in range(count):
        if s.params[0]["cosine"]:
            s.cat[p]["match"] = cosine_distance(x, s.box[MEAN, p])
        else:
            s.cat[p]["match"] = s.cat[p]["joint"] / x.shape[0]


@jit_part
def uncommitted(s: State) -> float:
    r"""Activation of an uncommitted category, :math:`T^u = d/(\alpha+2d)`: all ones, norm 2d."""
    if s.params[0]["use_uncommitted"]:
        d = float(s.feature.shape[1])
        return d / (s.params[0]["alpha"] + 2.0 * d)
    return -1.0


@jit
def vigilant(match: float, rho: float, cosine: int) -> bool:
    """The vigilance test: similar enough (fuzzy), or near enough (cosine)."""
    if cosine:
        return match <= rho + TIE
    return match >= rho - TIE


@jit
def is_ahead(cat: Records, i: int, j: int) -> bool:
    """Is category i before j in falling order of activation, the lower rank first among equals?"""
    lead = cat[i]["activation"] - cat[j]["activation"]
    return lead > TIE or (lead >= -TIE and cat[i]["rank"] < cat[j]["rank"])


@jit
def next_resonant(s: State, rho: float, last: int) -> int:
    """The most active category after `last` that passes T^u and vigilance; -1 if there is none.

    ``last = -1`` starts at the top. Among equals, the earlier in the order comes first. Categories
    that fail vigilance change nothing, so they are not visited; those that were visited in this
    search (`mark`) are not visited again.
    """
    cat, found, least, cosine = s.cat, NONE, uncommitted(s) + TIE, s.params[0]["cosine"]
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if cat[p]["activation"] > least and vigilant(cat[p]["match"], rho, cosine):
            if cat[p]["mark"] == 0 and (last < 0 or is_ahead(cat, last, p)):
                found, least = p, cat[p]["activation"] + TIE
    return found


@jit
def learn_box(lo: Floats, hi: Floats, other_lo: Floats, other_hi: Floats, beta: float) -> bool:
    r""":math:`w \leftarrow (1-\beta)w + \beta(v\wedge w)`, on boxes; a sample has equal corners.

    Returns whether the box has changed.
    """
    outside = 0
    for f in range(lo.shape[0]):  # without branches, several features are done at once
        outside += int(other_lo[f] < lo[f]) + int(other_hi[f] > hi[f])
    if outside == 0:
        return False
    for f in range(lo.shape[0]):
        if beta == 1.0:
            lo[f] = other_lo[f] if other_lo[f] < lo[f] else lo[f]
            hi[f] = other_hi[f] if other_hi[f] > hi[f] else hi[f]
        else:
            below, above = other_lo[f] - lo[f], other_hi[f] - hi[f]
            lo[f] += beta * (below if below < 0.0 else 0.0)
            hi[f] += beta * (above if above > 0.0 else 0.0)
    return True


@jit
def learn_category(s: State, p: int, x: Floats, beta: float) -> None:
    """Category p learns x."""
    if beta > 0.0 and learn_box(s.box[LO, p], s.box[HI, p], x, x, beta):
        s.cat[p]["norm"] = box_norm(s.feature[PER_RANGE], s.box[LO, p], s.box[HI, p])
        s.now[0]["boxes_changed"] = 1
