r"""Categories under a budget: as fine as memory allows, so that nothing is decided too early.

A sample joins the category where it adds least to the scatter (Ward's cost of joining)

.. math:: \tfrac{n}{n+1}\|x-\mu\|^2 \le R

or opens one. CONN counts how often a category had a sample and another was the nearest beside it.
When there are more categories than the budget allows, `room` merges some and sets R: the budget
sets the vigilance, and nobody else has to.

With a half-life, the sample number t has the weight 2^(t/h), and everything is read as a share of
the weight of a sample now: nothing has to fade in this loop.
"""

from typing import Any, NamedTuple

import numpy as np

from ..._jit import NONE, TIE, ZERO, jit, jit_entry, jit_part, jit_sums
from ..._typing import Floats, Ints, Records
from ...icvi.footprints import assign
from ...icvi.links import add_link
from ...icvi.state import HI, LIVE, LO, MEAN, State
from ..categories import open_category
from ..module_a import learn_box
from .scale import image_of, no_scale

RESERVOIR = 512
"""Samples kept, each as likely as any other: they tell the scale and the dimension. The 1 %
quantile of 512 is known to within a factor of about 1.5 in its share."""
PIECE = 32  # features that are measured before the question whether more need be
SHARPNESS = 4.0  # with 20 % missing, 12 is too sharp: the nearest alone finds too few clusters
BEGUN, MAKING, FINISHED = 1, 2, 3  # room is to be made, is being made, is there
LUCK, NEXT_LUCK = 2147483647, 48271  # of a generator of random numbers (Park & Miller)
MEAN_LIFE = 1.0 / np.log(2.0)  # in half-lives

METRICS = ("auto", "euclidean", "cosine")

_ACCOUNT = np.dtype(
    [
        ("asked", "i8"),  # categories that somebody asked for
        ("limit", "i8"),  # categories allowed now
        ("radius", "f8"),  # R
        ("metric", "i8"),  # what somebody asked for, a place in METRICS
        ("by_range", "i8"),  # 1: features are scaled; 0: samples are unit vectors
        ("decided", "i8"),  # 1: that will not change any more
        ("next_scale", "i8"),  # at so many samples the scale is looked at again
        ("next_extent", "i8"),  # and the dimension
        ("touching", "f8"),  # squared distance of categories side by side, over their widths
        ("opened", "i8"),  # categories opened since room was made last
        ("making", "i8"),  # how far that is, 0 if it is not due (`room`): so many categories know
        ("searched", "i8"),  # their cheapest partner,
        ("merged", "i8"),  # so many mergers were made,
        ("unit", "f8"),  # and this was the weight of a sample when it began
        ("half_life", "f8"),  # 0: nothing is forgotten
        ("weight", "f8"),  # of a sample now
        ("growth", "f8"),  # of that weight from one sample to the next
        ("luck", "i8"),
    ]
)


class Budget(NamedTuple):
    """What is kept beside the network."""

    account: Records  # one row
    scale: Floats  # how features are measured
    reservoir: Floats  # samples as they came; the first ones in their order
    opening: Floats  # costs at which the latest categories were opened
    sample: Floats  # scratch: image of the present sample
    mass: Floats  # of each category: weight of its samples,
    seen: Floats  # of those among them that have a value, by feature,
    spread: Floats  # sums of squares of each feature, as if none were missing, in their units,
    image: Floats  # and of its mean
    nearest: Ints  # while room is made: whom it is cheapest to merge with,
    least: Floats  # what that costs,
    rate: Floats  # and 1 / mass, as far as it counts
    price: Floats  # of each merger: what one sample at that distance would have cost


def make_budget(
    limit: int, by_range: bool, metric: str, half_life: float, seed: int, d: int, rows: int = 0
) -> Budget:
    account = np.zeros(1, dtype=_ACCOUNT)
    account["asked"] = account["limit"] = limit
    account["by_range"], account["metric"] = by_range, METRICS.index(metric)
    account["next_scale"], account["weight"] = 1, 1.0
    account["half_life"] = half_life
    account["growth"] = 2.0 ** (1.0 / half_life) if half_life else 1.0
    account["luck"] = 1 + seed % (LUCK - 1)
    reservoir, opening = np.zeros((RESERVOIR, d)), np.zeros(RESERVOIR)
    return Budget(account, no_scale(d), reservoir, opening, np.zeros(d), *_of_rows(rows, d))


def with_rows(budget: Budget, rows: int) -> Budget:
    """The budget with room for as many categories as the network has."""
    old = len(budget.mass)
    if rows <= old:
        return budget
    arrays = _of_rows(rows, budget.spread.shape[1])
    for known, array in zip(budget[-len(arrays) :], arrays, strict=True):
        array[:old] = known
    return Budget._make((*budget[: -len(arrays)], *arrays))


def _of_rows(rows: int, d: int) -> tuple[Any, ...]:
    """What has a row for each category."""
    seen, spread, image = np.zeros((3, rows, d))
    mass, least, rate, price = np.zeros((4, rows))
    return mass, seen, spread, image, np.zeros(rows, dtype=np.int64), least, rate, price


# ------------------------------------------------------------------ distances


@jit_sums
def part_of_distance(z: Floats, image: Floats, p: int, begin: int, end: int) -> float:
    """Squared distance in some features. (A view of a row would cost as much as two features.)"""
    total = 0.0
    for f in range(begin, end):
        difference = z[f] - image[p, f]
        total += difference * difference
    return total


@jit
def distance_within(z: Floats, image: Floats, p: int, limit: float) -> float:
    """Squared distance, as far as it is at most the limit; otherwise something beyond it."""
    d, total, begin = z.shape[0], 0.0, ZERO
    piece = d if d <= 2 * PIECE else PIECE
    # Ends: each round measures a piece of the features.
    while begin < d and total <= limit:
        end = min(begin + piece, d)
        total += part_of_distance(z, image, p, begin, end)
        begin = end
    return total


@jit
def distance_there(x: Floats, z: Floats, image: Floats, p: int) -> float:
    """Squared distance of an image z in the features that its sample x has."""
    total = 0.0
    for f in range(x.shape[0]):
        if x[f] == x[f]:
            total += (z[f] - image[p, f]) ** 2
    return total


@jit
def measure(s: State, b: Budget, x: Floats) -> None:
    """The image of a sample, in ``b.sample``. Missing values (NaN) of both become the mean of all
    categories by what is there: one that is as far again as the nearest counts e^-SHARPNESS."""
    z, gaps, weights, least = b.sample, 0, 0.0, np.inf
    if b.account[0]["by_range"] == 1:
        image_of(b.scale, x, z)
    else:
        assign(z, x)
    for f in range(x.shape[0]):
        if x[f] != x[f]:
            gaps, z[f] = gaps + 1, 0.0
    if gaps == 0:
        return
    for p in range(s.now[0]["categories"]):
        least = min(least, distance_there(x, z, b.image, p))
    for p in range(s.now[0]["categories"]):
        beyond = (distance_there(x, z, b.image, p) - least) / max(least, 1e-12)
        weight = b.mass[p] * np.exp(-SHARPNESS * beyond)
        weights += weight
        for f in range(x.shape[0]):
            if x[f] != x[f] and weight > 0.0:
                z[f] += weight / weights * (s.box[MEAN, p, f] - z[f])
    for f in range(x.shape[0]):
        if x[f] != x[f]:
            x[f] = z[f]
    image_of(b.scale, x, z)


@jit_entry
def nearest_categories(s: State, b: Budget, X: Floats, winners: Ints, far: Floats) -> None:
    """The category that each sample would add least to, and its squared distance from there."""
    weight = b.account[0]["weight"]
    for t in range(X.shape[0]):
        measure(s, b, X[t])
        winner, least = NONE, 0.0
        for p in range(s.now[0]["categories"]):
            limit = (1.0 + weight / b.mass[p]) * least if winner >= 0 else np.inf
            distance = distance_within(b.sample, b.image, p, limit)
            cost = b.mass[p] / (b.mass[p] + weight) * distance
            if winner < 0 or cost < least * (1.0 - TIE):
                winner, least, far[t] = p, cost, distance
        winners[t] = winner


# ------------------------------------------------------------------ learning


@jit
def is_copy(s: State, b: Budget, p: int, raw: Floats) -> bool:
    """Is this the sample that category p was made for?"""
    for f in range(raw.shape[0]):
        if b.reservoir[s.cat[p]["birth"] - 1, f] != raw[f]:
            return False
    return True


@jit_part
def keep_in_reservoir(s: State, b: Budget, raw: Floats) -> None:
    """Every sample so far is as likely to be there; with a half-life, every recent one."""
    account = b.account[0]
    n, size = s.now[0]["n"], b.reservoir.shape[0]
    place = n - 1
    if n > size:
        account["luck"] = account["luck"] * NEXT_LUCK % LUCK
        among = n
        if account["half_life"] > 0.0:
            among = max(size, min(n, np.int64(account["half_life"] * MEAN_LIFE)))
        place = account["luck"] % among
    if place < size:
        assign(b.reservoir[place], raw)


@jit_part
def take_in(s: State, b: Budget, p: int, x: Floats, raw: Floats) -> None:
    """The statistics of category p with one sample more; what is missing in `raw` tells nothing."""
    weight, total, scatter = b.account[0]["weight"], b.mass[p] + b.account[0]["weight"], 0.0
    for f in range(x.shape[0]):
        n = b.seen[p, f]
        found = b.spread[p, f] * (n / b.mass[p]) if n > 0.0 else 0.0
        if raw[f] == raw[f]:
            difference = x[f] - s.box[MEAN, p, f]
            found += n * weight / (n + weight) * difference * difference
            s.box[MEAN, p, f] += weight / (n + weight) * difference
            b.seen[p, f] = n = n + weight
        b.spread[p, f] = found * (total / n) if n > 0.0 else 0.0
        scatter += b.spread[p, f]
    s.cat[p]["cp"] = scatter
    b.mass[p] = total
    s.cat[p]["n"] += 1
    s.cat[p]["won"] = s.now[0]["n"]
    if b.account[0]["by_range"] == 1:
        image_of(b.scale, s.box[MEAN, p], b.image[p])
    else:
        assign(b.image[p], s.box[MEAN, p])


@jit_part
def learn_sample(s: State, b: Budget, x: Floats, raw: Floats, group: int) -> None:
    """One sample; `raw` is the same as it came, perhaps with gaps, which are filled in `x`.

    A category of hinted samples (`group`) holds those of no other group.
    """
    now, account = s.now[0], b.account[0]
    weight, radius = account["weight"], account["radius"] * (1.0 + TIE)
    measure(s, b, x)
    first, least = NONE, 0.0  # where it may join
    near, near_by, next_near, next_by = NONE, 0.0, NONE, 0.0  # the two nearest
    for p in range(now["categories"]):
        n = b.mass[p]
        # Beyond this, it can neither be joined nor be near.
        limit = np.inf
        if next_near >= 0 and first >= 0:
            limit = max((1.0 + weight / n) * least, next_by)
        distance = distance_within(b.sample, b.image, p, limit)
        if near < 0 or distance < near_by * (1.0 - TIE):
            next_near, next_by = near, near_by
            near, near_by = p, distance
        elif next_near < 0 or distance < next_by * (1.0 - TIE):
            next_near, next_by = p, distance
        cost = n / (n + weight) * distance
        if first < 0 or cost < least * (1.0 - TIE):
            if group < 0 or s.cat[p]["group"] < 0 or s.cat[p]["group"] == group:
                first, least = p, cost
    joins = first >= 0 and least <= radius
    if joins and account["decided"] == 0:  # how samples are measured: only copies join
        joins = is_copy(s, b, first, raw)
    if joins:
        second = next_near if first == near else near
        learn_box(s.box[LO, first], s.box[HI, first], x, x, 1.0)
    else:
        if near >= 0:
            b.opening[account["opened"] % b.opening.shape[0]] = least
            account["opened"] += 1
        first, second = open_category(s, x), near
        b.mass[first] = 0.0
        for f in range(x.shape[0]):
            b.spread[first, f] = b.seen[first, f] = 0.0
            s.box[MEAN, first, f] = x[f]
        s.label[LIVE, first] = s.label[LIVE, near] if near >= 0 else 0
    if second >= 0:
        add_link(s, first, second, weight)
    now["n"] += 1
    take_in(s, b, first, x, raw)
    if group >= 0:
        s.cat[first]["group"] = group
    keep_in_reservoir(s, b, raw)
    now["winner"] = first
    account["weight"] *= account["growth"]
