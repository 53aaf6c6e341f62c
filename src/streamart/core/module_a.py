r"""Module A, enhanced topological fuzzy ART: activation, match, search order, learning.

With a box [lo, hi] in raw coordinates, ``per_range`` = 1/(x_max - x_min) and d features,

.. math:: |x\wedge w| = d - \sum_f \text{per\_range}_f\,(\max(x_f, hi_f) - \min(x_f, lo_f)),\quad
          |w| = d - \sum_f \text{per\_range}_f\,(hi_f - lo_f)

so nothing needs re-scaling when the range of the data grows. A feature without range yet has
``per_range`` 0 and so adds exactly 1 to both.
"""

import math

from .._jit import TIE, jit, jit_sums
from .._jit.vectors import sum_outside
from .._typing import Bytes, Floats
from ..icvi.journal import note_change
from ..icvi.state import (
    ACTIVATION,
    CORNERS,
    EXACT,
    FIRST,
    HI,
    INNER_HI,
    INNER_LO,
    LO,
    MATCH,
    MEAN,
    NORM,
    PER_RANGE,
    STEPS,
    X_MAX,
    X_MIN,
    State,
)

# `likeliest` compares activations up to 1 in such steps, and has so many bits for rows.
DIGITS, ROW_BITS = 1 << 30, 32
# By so much, for each feature, a growth may be more than its coarse copies say: on each side of the
# box two coordinates are rounded, each by less than a step.
COARSENESS = 4.0 / STEPS
# No value is so great (but it is finite: a feature without range makes 0 of it).
FAR = 1e150


@jit
def widen_range(s: State, x: Floats) -> bool:
    """Minimum and maximum of each feature (Section "Online normalization"); has one changed?

    The part of a feature in a norm is at most 1, and shrinks as its range grows: `drift` adds up by
    how much.
    """
    x_min, x_max, per_range = s.feature[X_MIN], s.feature[X_MAX], s.feature[PER_RANGE]
    first, outside = s.now[0]["n"] == 0, 0
    for f in range(x.shape[0]):  # without branches, several features are done at once
        outside += int(x[f] < x_min[f]) | int(x[f] > x_max[f])
    if outside == 0 and not first:
        return False
    for f in range(x.shape[0]):
        if first or x[f] < x_min[f] or x[f] > x_max[f]:
            before = x_max[f] - x_min[f]
            x_min[f] = x[f] if first else min(x[f], x_min[f])
            x_max[f] = x[f] if first else max(x[f], x_max[f])
            span = x_max[f] - x_min[f]
            per_range[f] = 1.0 / span if span > 0.0 else 0.0
            s.now[0]["drift"] += 1.0 - before / span if before > 0.0 else 1.0
    return True


@jit
def stretch_range(s: State, x: Floats) -> None:
    """The range of the data, and the norms of the boxes, which depend on it."""
    if widen_range(s, x):
        s.now[0]["settled"] = 0
        for place in range(s.now[0]["categories"]):
            j = s.order[place]
            s.scan[NORM, j] = box_norm(s.feature[PER_RANGE], s.box[LO, j], s.box[HI, j])
        if s.coarse.shape[2] > 0:
            for f in range(x.shape[0]):
                if x[f] in (s.feature[X_MIN, f], s.feature[X_MAX, f]):  # others have not changed
                    for place in range(s.now[0]["categories"]):
                        write_coarse_features(s, s.order[place], f, f + 1)


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


@jit
def coarse_growth(coarse: Bytes, j: int, p: int) -> float:
    """How much box j must grow at least to hold box p, by coarse copies of both.

    Those of j are rounded outwards, those of p inwards. It is less than the true growth by no more
    than `COARSENESS` for each feature (and by the rounding of 1e-16 of a feature).
    """
    growth = sum_outside(coarse[LO, j], coarse[HI, j], coarse[INNER_LO, p], coarse[INNER_HI, p])
    return float(growth) / STEPS


@jit
def coarse_growths(coarse: Bytes, p: int, rows: int, growths: Floats) -> None:
    """The same of the boxes in all these rows, in steps."""
    lo, hi = coarse[INNER_LO, p], coarse[INNER_HI, p]
    for j in range(rows):
        growths[j] = sum_outside(coarse[LO, j], coarse[HI, j], lo, hi)


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
    for j in range(s.now[0]["rows"]):  # as they are in memory, which is faster than in their order
        if s.cat[j]["n"] > 0:
            answer_exactly(s, x, j)


@jit
def answer_exactly(s: State, x: Floats, j: int) -> None:
    """Activation and match of category j by x."""
    joint = joint_norm(s.feature[PER_RANGE], s.box[LO, j], s.box[HI, j], x, x)
    s.scan[ACTIVATION, j] = joint / (s.params[0]["alpha"] + s.scan[NORM, j])
    s.scan[MATCH, j] = joint / float(x.shape[0])
    if s.params[0]["cosine"]:
        s.scan[MATCH, j] = cosine_distance(x, s.box[MEAN, j])
    s.scan[EXACT, j] = 1.0


@jit
def glance(s: State, x: Floats) -> None:
    """Upper bounds of activation and match of every category, by coarse copies of the boxes.

    These take a quarter of the memory, and most of a scan is waiting for memory. The search
    (`next_resonant`) answers exactly for the few whose bounds do not rule them out. Where there are
    no copies, or they do not tell (a cosine match), everything is exact at once.
    """
    if s.coarse.shape[2] == 0 or s.params[0]["cosine"] or s.params[0]["prove"] == 0:
        present(s, x)
        note_leaders(s)
        return
    alpha, d, rows = s.params[0]["alpha"], float(x.shape[0]), s.now[0]["rows"]
    free = s.order[s.now[0]["categories"]]  # nobody's row, where a category at x would be
    for f in range(x.shape[0]):
        s.coarse[INNER_HI, free, f], s.coarse[INNER_LO, free, f] = steps_around(s, f, x[f])
    coarse_growths(s.coarse, free, rows, s.scan[MATCH])
    activation, match, norms = s.scan[ACTIVATION], s.scan[MATCH], s.scan[NORM]
    for j in range(rows):
        joint = norms[j] - match[j] * (1.0 / STEPS) + TIE * d
        activation[j] = joint / (alpha + norms[j])
        match[j] = joint * (1.0 / d)
        s.scan[EXACT, j] = 0.0
    note_leaders(s)


@jit
def note_leaders(s: State) -> None:
    """The two that are most active, or may be, and how active the second and third are at most.

    The search begins with them: after every scan they have to be noted.
    """
    activation, ahead, runner_up = s.scan[ACTIVATION], -1, -1
    first, second, third = -math.inf, -math.inf, -math.inf
    for j in range(s.now[0]["rows"]):
        if activation[j] > third and s.cat[j]["n"] > 0:
            third = activation[j]
            if third > second:
                runner_up, second, third = j, third, second
            if second > first:
                ahead, runner_up, first, second = runner_up, ahead, second, first
    s.now[0]["ahead"] = ahead
    s.now[0]["runner_up"] = runner_up
    s.now[0]["second_most"] = second
    s.now[0]["third_most"] = third


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
def next_resonant(s: State, x: Floats, rho: float, last: int) -> int:
    """The most active category after `last` that passes T^u and vigilance; -1 if there is none.

    ``last = -1`` starts at the top. Among equals, the earlier in the order comes first. Categories
    that fail vigilance change nothing, so they are not visited. Nor are those that are ruled out by
    an upper bound of how they answer to x (`glance`).
    """
    found, bar, cosine = -1, uncommitted(s) + TIE, s.params[0]["cosine"]
    activation, match, passed = s.scan[ACTIVATION], s.scan[MATCH], last < 0
    highest, lowest = math.inf if passed else activation[last] + TIE, bar
    ahead, others = s.now[0]["ahead"], s.now[0]["second_most"]
    clear = last in (-1, ahead) and s.params[0]["prove"] == 1
    for j in (ahead, s.now[0]["runner_up"]):
        if j >= 0 and j != last and vigilant(match[j], rho, cosine):
            if s.scan[EXACT, j] == 0.0:
                answer_exactly(s, x, j)
            if bar < activation[j] < highest - 2.0 * TIE and vigilant(match[j], rho, cosine):
                if clear and activation[j] > others + 2.0 * TIE:
                    return int(j)
                bar, clear = activation[j] - 2.0 * TIE, False  # none less active is chosen
        others = s.now[0]["third_most"]
    if bar == lowest and not cosine and s.params[0]["prove"] == 1:  # neither will do
        j = likeliest(s, rho, last, bar, highest)
        if j < 0 and last < 0:
            return -1
        if j >= 0 and s.cat[j]["n"] == 0:  # nobody's row: where nobody else has many to ask
            j = -1
        if j >= 0 and s.scan[EXACT, j] == 0.0:
            answer_exactly(s, x, j)
        if j >= 0 and bar < activation[j] < highest - 2.0 * TIE and vigilant(match[j], rho, cosine):
            bar = activation[j] - 2.0 * TIE
    for place in range(s.now[0]["categories"]):
        j = s.order[place]
        if j == last:
            passed = True
        elif activation[j] > bar:  # as few are, once a good one is found
            if s.scan[EXACT, j] == 0.0:
                if not vigilant(match[j], rho, cosine):
                    continue
                answer_exactly(s, x, j)
            if (
                bar < activation[j] <= highest
                and vigilant(match[j], rho, cosine)
                and (passed or activation[j] < activation[last] - TIE)
            ):
                found, bar = j, activation[j] + TIE
    return found


@jit
def likeliest(s: State, rho: float, last: int, bar: float, highest: float) -> int:
    """The row that may be most active, of those but `last` that may pass vigilance; -1: none.

    Only those count that are more active than `bar` and no more than `highest`, by their bounds. To
    ask this one first leaves few others to be asked, so which of nearly equal ones it is does not
    matter. (Whole numbers, and no branches: several are compared at once.)
    """
    activation, match, best, least = s.scan[ACTIVATION], s.scan[MATCH], -1, rho - TIE
    for j in range(s.now[0]["rows"]):
        counts = int(activation[j] > bar) & int(activation[j] <= highest)
        counts &= int(match[j] >= least) & int(j != last)
        within = activation[j] if activation[j] < 1.0 else 1.0
        key = (int(within * DIGITS) << ROW_BITS) + j
        best = max(best, key * counts + counts - 1)
    return best & (1 << ROW_BITS) - 1 if best >= 0 else -1


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
def steps_around(s: State, f: int, value: float) -> tuple[int, int]:
    """Where a value of feature f is within the range of the data: the steps below and above it."""
    place = (value - s.feature[X_MIN, f]) * s.feature[PER_RANGE, f] * STEPS
    below = int(place)
    return min(below, STEPS), min(below + int(place > below), STEPS)


@jit
def copy_first_corners(s: State, j: int) -> None:
    for f in range(min(FIRST, s.feature.shape[1])):
        s.scan[CORNERS + 2 * f, j] = s.box[LO, j, f]
        s.scan[CORNERS + 2 * f + 1, j] = s.box[HI, j, f]


@jit
def hide_box(s: State, j: int) -> None:
    """Others do not see box j any more, as if its row were nobody's."""
    s.scan[NORM, j] = 0.0
    s.scan[CORNERS, j] = FAR


@jit
def copy_box(s: State, j: int) -> None:
    """Box j has changed: its coarse copies, and its corners in the first features."""
    copy_first_corners(s, j)
    if s.coarse.shape[2] > 0:
        write_coarse_features(s, j, 0, s.feature.shape[1])


@jit
def write_coarse_features(s: State, j: int, begin: int, end: int) -> None:
    """The same for some features, whose range has changed."""
    for f in range(begin, end):
        s.coarse[LO, j, f], s.coarse[INNER_LO, j, f] = steps_around(s, f, s.box[LO, j, f])
        s.coarse[INNER_HI, j, f], s.coarse[HI, j, f] = steps_around(s, f, s.box[HI, j, f])


@jit
def learn_category(s: State, j: int, x: Floats, beta: float) -> None:
    """Category j learns x."""
    if beta > 0.0 and learn_box(s.box[LO, j], s.box[HI, j], x, x, beta):
        s.scan[NORM, j] = box_norm(s.feature[PER_RANGE], s.box[LO, j], s.box[HI, j])
        note_change(s, j)
        copy_box(s, j)
