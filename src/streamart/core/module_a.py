r"""Module A, enhanced topological fuzzy ART: activation, match, search order, learning.

With a box [lo, hi] in raw coordinates, ``per_range`` = 1/(x_max - x_min) and d features,

.. math:: |x\wedge w| = d - \sum_f \text{per\_range}_f\,(\max(x_f, hi_f) - \min(x_f, lo_f)),\quad
          |w| = d - \sum_f \text{per\_range}_f\,(hi_f - lo_f)

so nothing needs re-scaling when the range of the data grows. A feature without range yet has
``per_range`` 0 and so adds exactly 1 to both.
"""

import math

import numpy as np

from .._jit import TIE, jit, jit_sums
from .._typing import Floats, Floats32
from ..icvi.journal import note_all, note_change
from ..icvi.state import ACTIVATION, HI, LO, MATCH, MEAN, PER_RANGE, X_MAX, X_MIN, State

# By so much, for each feature, a growth computed from coarse copies of boxes may be off.
COARSENESS = 1e-5


@jit
def widen_range(s: State, x: Floats) -> bool:
    """Minimum and maximum of each feature (Section "Online normalization"); has one changed?"""
    x_min, x_max, per_range = s.feature[X_MIN], s.feature[X_MAX], s.feature[PER_RANGE]
    first, widened = s.now[0]["n"] == 0, False
    for f in range(x.shape[0]):
        if first or x[f] < x_min[f] or x[f] > x_max[f]:
            x_min[f] = x[f] if first else min(x[f], x_min[f])
            x_max[f] = x[f] if first else max(x[f], x_max[f])
            span = x_max[f] - x_min[f]
            per_range[f] = 1.0 / span if span > 0.0 else 0.0
            widened = True
    return widened


@jit
def stretch_range(s: State, x: Floats) -> None:
    """The range of the data, and the norms of the boxes, which depend on it."""
    if widen_range(s, x):
        note_all(s)
        for place in range(s.now[0]["categories"]):
            j = s.order[place]
            s.cat[j]["norm"] = box_norm(s.feature[PER_RANGE], s.box[LO, j], s.box[HI, j])
            write_coarse(s, j)


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
def growth_to_hold(
    per_range: Floats, lo: Floats, hi: Floats, other_lo: Floats, other_hi: Floats
) -> float:
    r"""How much a box must grow to hold another one, g: :math:`|v\wedge w| = |w| - g`."""
    growth = 0.0
    for f in range(lo.shape[0]):
        above, below = other_hi[f] - hi[f], lo[f] - other_lo[f]
        growth += per_range[f] * ((above if above > 0.0 else 0.0) + (below if below > 0.0 else 0.0))
    return growth


@jit_sums
def coarse_growth(lo: Floats32, hi: Floats32, other_lo: Floats32, other_hi: Floats32) -> float:
    """The same by coarse copies; off by `COARSENESS` for each feature at most.

    Eight roundings of numbers up to 1, and the sum: each adds 6e-8 at most, the sum as much for
    each of its eight steps or more.
    """
    nothing = np.float32(0.0)
    growth = nothing
    for f in range(lo.shape[0]):
        above, below = other_hi[f] - hi[f], lo[f] - other_lo[f]
        growth += (above if above > nothing else nothing) + (below if below > nothing else nothing)
    return float(growth)


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
def present(s: State, x: Floats) -> None:
    r"""Activation and match of every category (Eqs. activation, res_2, cosine_vigilance).

    .. math:: T_j = \frac{|x\wedge w_j|}{\alpha + |w_j|},\quad M_j = \frac{|x\wedge w_j|}{d}
    """
    d, alpha, cosine = float(x.shape[0]), s.params[0]["alpha"], s.params[0]["cosine"]
    per_range = s.feature[PER_RANGE]
    for j in range(s.now[0]["rows"]):  # as they are in memory, which is faster than in their order
        if s.cat[j]["n"] == 0:
            continue
        joint = joint_norm(per_range, s.box[LO, j], s.box[HI, j], x, x)
        s.scan[ACTIVATION, j] = joint / (alpha + s.cat[j]["norm"])
        s.scan[MATCH, j] = cosine_distance(x, s.box[MEAN, j]) if cosine else joint / d


@jit
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
def comes_after(activation: Floats, j: int, last: int) -> bool:
    """Is j after `last` in falling order of activation, the lower index first among equals?"""
    if last < 0:
        return True
    lead = activation[last] - activation[j]
    return lead > TIE or (lead >= -TIE and j > last)


@jit
def next_resonant(s: State, rho: float, last: int) -> int:
    """The most active category after `last` that passes T^u and vigilance; -1 if there is none.

    ``last = -1`` starts at the top. Among equals, the earlier in the order comes first. Categories
    that fail vigilance change nothing, so they are not visited.
    """
    found, bar, cosine = -1, uncommitted(s) + TIE, s.params[0]["cosine"]
    activation, match, passed = s.scan[ACTIVATION], s.scan[MATCH], last < 0
    highest = math.inf if passed else activation[last] + TIE
    for place in range(s.now[0]["categories"]):
        j = s.order[place]
        if j == last:
            passed = True
        elif activation[j] > bar:  # as few are, once a good one is found
            if (
                activation[j] <= highest
                and vigilant(match[j], rho, cosine)
                and (passed or activation[j] < activation[last] - TIE)
            ):
                found, bar = j, activation[j] + TIE
    return found


@jit
def learn_box(lo: Floats, hi: Floats, other_lo: Floats, other_hi: Floats, beta: float) -> bool:
    r""":math:`w \leftarrow (1-\beta)w + \beta(v\wedge w)`, on boxes; a sample has equal corners.

    Returns whether the box has changed. (Without branches, several features are done at once.)
    """
    outside = 0
    for f in range(lo.shape[0]):
        outside += int(other_lo[f] < lo[f]) + int(other_hi[f] > hi[f])
    if outside == 0:
        return False
    if beta == 1.0:
        for f in range(lo.shape[0]):
            lo[f] = other_lo[f] if other_lo[f] < lo[f] else lo[f]
            hi[f] = other_hi[f] if other_hi[f] > hi[f] else hi[f]
    else:
        for f in range(lo.shape[0]):
            below, above = other_lo[f] - lo[f], other_hi[f] - hi[f]
            lo[f] += beta * (below if below < 0.0 else 0.0)
            hi[f] += beta * (above if above > 0.0 else 0.0)
    return True


@jit
def write_coarse(s: State, j: int) -> None:
    """Box j, or the range of the data, has changed: the coarse copy of the box."""
    x_min, per_range = s.feature[X_MIN], s.feature[PER_RANGE]
    for f in range(s.coarse.shape[2]):
        s.coarse[LO, j, f] = (s.box[LO, j, f] - x_min[f]) * per_range[f]
        s.coarse[HI, j, f] = (s.box[HI, j, f] - x_min[f]) * per_range[f]


@jit
def learn_category(s: State, j: int, x: Floats, beta: float) -> None:
    """Category j learns x."""
    if beta > 0.0 and learn_box(s.box[LO, j], s.box[HI, j], x, x, beta):
        s.cat[j]["norm"] = box_norm(s.feature[PER_RANGE], s.box[LO, j], s.box[HI, j])
        note_change(s, j)
        write_coarse(s, j)
