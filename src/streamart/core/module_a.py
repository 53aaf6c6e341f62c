r"""Module A, enhanced topological fuzzy ART: activation, match, search order, learning.

With a box [lo, hi] in raw coordinates, ``per_range`` = 1/(x_max - x_min) and d features,

.. math:: |x\wedge w| = d - \sum_f \text{per\_range}_f\,(\max(x_f, hi_f) - \min(x_f, lo_f)),\quad
          |w| = d - \sum_f \text{per\_range}_f\,(hi_f - lo_f)

A feature without range yet has ``per_range`` 0 and so adds exactly 1 to both.
"""

import math

from .._jit import TIE, jit, jit_sums
from .._typing import Floats
from .state import ModuleA


@jit
def stretch_range(a: ModuleA, x: Floats, first: bool) -> None:
    """Minimum and maximum of each feature (Section "Online normalization")."""
    for f in range(x.shape[0]):
        if first or x[f] < a.x_min[f]:
            a.x_min[f] = x[f]
        if first or x[f] > a.x_max[f]:
            a.x_max[f] = x[f]
        span = a.x_max[f] - a.x_min[f]
        a.per_range[f] = 1.0 / span if span > 0.0 else 0.0


@jit_sums
def norm_with_box(
    per_range: Floats, lo: Floats, hi: Floats, other_lo: Floats, other_hi: Floats
) -> tuple[float, float]:
    r""":math:`|v\wedge w|` and :math:`|w|` of two boxes; a sample is a box without extent."""
    d = float(per_range.shape[0])
    joint, own = 0.0, 0.0
    for f in range(per_range.shape[0]):
        top = hi[f] if hi[f] > other_hi[f] else other_hi[f]
        bottom = lo[f] if lo[f] < other_lo[f] else other_lo[f]
        joint += per_range[f] * (top - bottom)
        own += per_range[f] * (hi[f] - lo[f])
    return d - joint, d - own


@jit
def activate(
    per_range: Floats,
    lo: Floats,
    hi: Floats,
    categories: int,
    x: Floats,
    alpha: float,
    activation: Floats,
    match: Floats,
) -> None:
    r"""Activation and fuzzy match of every category (Eqs. activation and res_2).

    .. math:: T_j = \frac{|x\wedge w_j|}{\alpha + |w_j|},\quad M_j = \frac{|x\wedge w_j|}{d}
    """
    d = float(x.shape[0])
    for j in range(categories):
        joint, own = norm_with_box(per_range, lo[j], hi[j], x, x)
        activation[j] = joint / (alpha + own)
        match[j] = joint / d


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
def match_by_cosine(mean: Floats, categories: int, x: Floats, match: Floats) -> None:
    for j in range(categories):
        match[j] = cosine_distance(x, mean[j])


@jit
def uncommitted(d: int, alpha: float, in_use: bool) -> float:
    r"""Activation of an uncommitted category, :math:`T^u = d/(\alpha+2d)`: all ones, norm 2d."""
    if in_use:
        return d / (alpha + 2.0 * d)
    return -1.0


@jit
def vigilant(match: float, rho: float, cosine: bool) -> bool:
    """The vigilance test: similar enough (fuzzy), or near enough (cosine)."""
    if cosine:
        return match <= rho + TIE
    return match >= rho - TIE


@jit
def next_resonant(
    activation: Floats,
    match: Floats,
    categories: int,
    threshold: float,
    rho: float,
    cosine: bool,
    last: int,
) -> int:
    """The most active category after `last` that passes T^u and vigilance; -1 if there is none.

    "After" is in falling order of activation, the lower index first among equals; ``last = -1``
    starts at the top. Categories that fail vigilance change nothing, so they are not visited.
    """
    found = -1
    for j in range(categories):
        t = activation[j]
        if t <= threshold + TIE or not vigilant(match[j], rho, cosine):
            continue
        if last >= 0:
            lead = activation[last] - t
            if lead < -TIE or (lead <= TIE and j <= last):
                continue
        if found < 0 or t > activation[found] + TIE:
            found = j
    return found


@jit
def learn_box(lo: Floats, hi: Floats, x: Floats, beta: float) -> None:
    r""":math:`w \leftarrow (1-\beta)w + \beta(x\wedge w)`, on the box."""
    for f in range(x.shape[0]):
        if x[f] < lo[f]:
            lo[f] = x[f] if beta == 1.0 else lo[f] + beta * (x[f] - lo[f])
        if x[f] > hi[f]:
            hi[f] = x[f] if beta == 1.0 else hi[f] + beta * (x[f] - hi[f])
