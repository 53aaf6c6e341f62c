r"""CH and WB: a proof by floors that no merger helps, which holds for many samples.

In `left` groups, CH and WB are better than they are only if WGSS is below

.. math:: CP_0\,\frac{g}{left - o + g},\qquad
          \text{WB: } g = WB,\ o = 0,\qquad \text{CH: } g = \frac{N-left}{CH},\ o = 1

As samples come, this grows by no more than :math:`CP_0'/CP_0\cdot\max(1, g'/g)` times, where the g
of the greatest `left` grows most, while floors stay and lose no more than the debt. So where all
floors were at least R times what was needed, one comparison says whether they still do. Stages near
the present one follow from the least cost c of a merger: whether t mergers help, if each costs c,
is a linear question in t (divided by t), so the first and the last of these stages answer for all
between.
"""

import math

from .._jit import jit
from .bounds import value_of
from .compare import SLACK
from .debts import floor_of
from .registry import CH
from .state import LIVE, State

# Below this, a price is next to what counts as no WGSS at all.
LEAST_PRICE = 1e-12
# Costs may fall by so much before a proof that needs them is gone.
TO_SPARE = 0.95


@jit
def price_of_group(s: State, left: int, best: float) -> float:
    """g of the formula above; 0 where it is of no use."""
    if s.params[0]["code"] == CH:
        return (s.now[0]["n"] - left) / best if best > 0.0 else 0.0
    return max(-best, 0.0)


@jit
def within_needed(s: State, left: int, best: float) -> float:
    """Only below this WGSS, `left` groups are better."""
    price = price_of_group(s, left, best)
    divisor = left + price - (1.0 if s.params[0]["code"] == CH else 0.0)
    return s.now[0]["cp"] * price / divisor * (1.0 + 2.0 * SLACK)


@jit
def costs_suffice(s: State, left: int, best: float, cost: float) -> bool:
    """Does no number of mergers help down to `left`, if each costs so much?"""
    k, within = s.now[LIVE]["k"], s.now[LIVE]["within"]
    if left >= k:
        return True
    if value_of(s, k - 1, within + cost, 0.0) > best:
        return False
    return value_of(s, left, within + (k - left) * cost, 0.0) <= best


@jit
def proof_stands(s: State, best: float, cost: float) -> bool:
    """Does the last proof still hold?"""
    now, price = s.now[0], price_of_group(s, s.now[0]["sure_below"], best)
    if now["sure_ratio"] < 1.0 or price < LEAST_PRICE:
        return False
    growth = now["cp"] / now["sure_cp"] * max(1.0, price / now["sure_price"])
    loss = max(now["debt"] - now["sure_debt"], 0.0) / now["sure_within"]
    if growth * (1.0 + 2.0 * SLACK) + loss > now["sure_ratio"]:
        return False
    return costs_suffice(s, now["sure_below"], best, cost)


@jit
def prove_by_floors(s: State, best: float, cost: float) -> bool:
    """Look for a new proof, by costs wherever these do with some to spare: floors get old."""
    now, k, within = s.now[0], s.now[LIVE]["k"], s.now[LIVE]["within"]
    now["sure_ratio"] = 0.0
    if price_of_group(s, k, best) < LEAST_PRICE or not within > 0.0:
        return False
    ratio, below = math.inf, 2
    while below < k:
        needed = within_needed(s, below, best)
        if within + (k - below) * cost * TO_SPARE >= needed:
            break
        floor = floor_of(s, below)
        if floor < needed:
            break
        if floor / needed < ratio:
            ratio, now["tightest"] = floor / needed, below
        below += 1
    if not costs_suffice(s, below, best, cost):
        return False
    now["sure_ratio"], now["sure_below"] = ratio, below
    now["sure_cp"], now["sure_price"] = now["cp"], price_of_group(s, below, best)
    now["sure_debt"], now["sure_within"] = now["debt"], within
    return True
