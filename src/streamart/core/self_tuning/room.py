r"""Room for more categories: some merge, those without mass go, or the budget grows.

**Merging.** The two categories that are cheapest to merge become one, again and again, until a
quarter of the budget is free. A category counts as at most `HEAVY` samples there: the cost of
merging heavy ones grows with their mass, and where a million samples have come, two heavy
categories of one cluster would seem farther apart than a newcomer from both.

**The radius** R never falls. It becomes the greatest of what it was, the lower quartile of the
costs at which categories were opened since, and the median of :math:`\frac{N}{N+1}d^2` over the
merged pairs (N: the larger mass): what one sample would cost that is as far away as these were.

**Growing.** Where the pairs to be merged are clearly apart, there are more clusters than
categories. Two are clearly apart if

.. math:: \|\mu_p-\mu_q\|^2 > (1 + 12/d)\Bigl(\frac{CP_p+s^2}{n_p} + \frac{CP_q+s^2}{n_q}\Bigr)

where d is the dimension of the stream and s^2 the mean scatter of a sample in its category: twice
what neighbouring cells of a uniform cloud have (6/d). If that holds for half of all categories and
their nearest, the budget grows by a third, at most to `GROWTH` times what was asked for.
"""

from typing import Any

import numpy as np

from ..._jit import NONE, TIE, jit, jit_entry
from ..._typing import Floats, Ints
from ...icvi.footprints import assign
from ...icvi.state import HI, LIVE, LO, MEAN, WAS, State
from .budget import Budget, part_of_distance, squared_distances
from .scale import compactness, compactnesses_of, image_of

HEAVY = 64.0
"""Samples that a category counts as at most. With 16, clusters of unequal size are cut badly;
without a limit, a cluster that comes after a million samples is swallowed."""
GROWTH = 4
"""The budget grows at most to so many times what was asked for."""
FULL = 0.9
"""Share of the greatest budget that is used after room was made."""
FREE = 0.75
"""The same while it may still grow."""
MOST = 0.5
"""Share of the categories that must be clearly apart from their nearest before the budget grows.
The first pair alone would do so on every stream with noise."""
FEW = 2.5
"""Lighter categories say nothing of clusters, once there are four samples for each category."""


@jit_entry
def merge_cheapest(
    b: Budget,
    mean: Floats,
    group: Ints,
    samples: int,
    cost: Floats,
    cp: Floats,
    price: Floats,
    nearest: Ints,
    alive: Ints,
    merges: Ints,
) -> int:
    """Merge until there is room, or the budget has grown; returns how many mergers there were.

    `merges` says who took whom, and `price` what one sample at that distance would have cost.
    `cost` of all pairs and `cp` are kept up to date.
    """
    account, count, left = b.account[0], cost.shape[0], cost.shape[0]
    greatest, within, mass = GROWTH * account["asked"], 0.0, 0.0
    for p in range(count):
        alive[p] = 1
        within += cp[p]
        mass += b.mass[p] / account["weight"]
    for p in range(count):
        find_cheapest(cost, alive, nearest, p)
    account["limit"] = account["asked"]
    # Ends: each round has one category less.
    while left > (FREE if account["limit"] < greatest else FULL) * account["limit"]:
        i = NONE
        for p in range(count):
            if alive[p] == 1 and nearest[p] >= 0:
                if i < 0 or cost[p, nearest[p]] < cost[i, nearest[i]] * (1.0 - TIE):
                    i = p
        if i < 0 or not cost[i, nearest[i]] < np.inf:
            break
        i, j = min(i, nearest[i]), max(i, nearest[i])
        if account["limit"] < greatest and within > 0.0:
            own = within / max(mass - left, 1.0)
            few = FEW * account["weight"] if samples >= 4 * left else 0.0
            if share_apart(b, cost, cp, alive, nearest, i, own, few) >= MOST * left:
                account["limit"] = min(greatest, left * 4 // 3 + 1)
                if left <= FULL * account["limit"]:
                    break
        larger = max(b.mass[i], b.mass[j]) / account["weight"]
        price[count - left] = larger / (larger + 1.0) * distance_of(b, cost, i, j)
        merges[count - left, 0], merges[count - left, 1] = i, j
        within -= cp[i] + cp[j]
        add_statistics(b, mean, group, i, j)
        cp[i] = compactness(b.scale, b.spread[i], mean[i])
        within += cp[i]
        alive[j] = 0
        left -= 1
        renew_costs(b, group, cost, alive, nearest, i, j)
    if left > account["limit"]:  # hinted samples keep all of them apart
        account["limit"] = left + max(1, left // 3)
    return count - left


@jit
def limited(b: Budget, p: int) -> float:
    """The mass of a category in samples of now, as far as it counts."""
    return min(b.mass[p] / b.account[0]["weight"], HEAVY)


@jit
def distance_of(b: Budget, cost: Floats, p: int, q: int) -> float:
    """Squared, from what joining them costs."""
    return cost[p, q] * (1.0 / limited(b, p) + 1.0 / limited(b, q))


@jit
def find_cheapest(cost: Floats, alive: Ints, nearest: Ints, i: int) -> None:
    """The cheapest partner of i, the first of equals."""
    found = NONE
    for j in range(cost.shape[0]):
        if j != i and alive[j] == 1:
            if found < 0 or cost[i, j] < cost[i, found] * (1.0 - TIE):
                found = j
    nearest[i] = found


@jit
def share_apart(
    b: Budget, cost: Floats, cp: Floats, alive: Ints, nearest: Ints, i: int, own: float, few: float
) -> int:
    """If i is clearly apart from its nearest: how many categories are; else 0."""
    found = 0
    for at in range(-1, alive.shape[0]):
        p = i if at < 0 else at
        if nearest[p] >= 0 and (at < 0 or (alive[p] == 1 and b.mass[p] >= few)):
            q = nearest[p]
            width = (cp[p] + own) / b.mass[p] + (cp[q] + own) / b.mass[q]
            apart = distance_of(b, cost, p, q) > b.account[0]["touching"] * width
            if at < 0 and not apart:
                return 0
            if at >= 0 and apart:
                found += 1
    return found


@jit
def add_statistics(b: Budget, mean: Floats, group: Ints, kept: int, gone: int) -> None:
    total = b.mass[kept] + b.mass[gone]
    for f in range(mean.shape[1]):
        n, m = b.seen[kept, f], b.seen[gone, f]
        if m > 0.0:
            difference = mean[gone, f] - mean[kept, f]
            more = b.spread[gone, f] * (m / b.mass[gone])
            more += n * m / (n + m) * difference * difference
            more += b.spread[kept, f] * (n / b.mass[kept])
            b.spread[kept, f] = more * (total / (n + m))
            mean[kept, f] += m / (n + m) * difference
            b.seen[kept, f] = n + m
        elif n > 0.0:
            b.spread[kept, f] *= total / b.mass[kept]
    b.mass[kept] = total
    group[kept] = max(group[kept], group[gone])
    if b.account[0]["by_range"] == 1:
        image_of(b.scale, mean[kept], b.image[kept])
    else:
        assign(b.image[kept], mean[kept])


@jit
def renew_costs(
    b: Budget, group: Ints, cost: Floats, alive: Ints, nearest: Ints, kept: int, gone: int
) -> None:
    """After a merger: what others would cost with the result."""
    for p in range(alive.shape[0]):
        if p != kept and alive[p] == 1:
            cost[kept, p] = np.inf
            if group[p] < 0 or group[kept] < 0 or group[p] == group[kept]:
                distance = part_of_distance(b.image[kept], b.image, p, 0, b.image.shape[1])
                one, two = limited(b, kept), limited(b, p)
                cost[kept, p] = one * two / (one + two) * distance
            cost[p, kept] = cost[kept, p]
    for p in range(alive.shape[0]):
        if alive[p] == 1:
            partner = nearest[p]
            changed = p == kept or partner in (kept, gone)
            if changed or cost[p, kept] < cost[p, partner] * (1.0 + TIE):
                find_cheapest(cost, alive, nearest, p)


def make_room(s: State, b: Budget) -> None:
    """Merge categories until there is room, and set the radius."""
    account, count = b.account[0], int(s.now[0]["categories"])
    weights = np.minimum(b.mass[:count] / account["weight"], HEAVY)
    share = weights[:, None] * weights / (weights[:, None] + weights)
    cost = share * squared_distances(b.image[:count], b.image[:count])
    group = s.cat["group"][:count].copy()
    hinted = group >= 0
    cost[(hinted[:, None] & hinted) & (group[:, None] != group)] = np.inf
    cp, price = np.empty((2, count))
    compactnesses_of(b.scale, b.spread, s.box[MEAN], cp)
    nearest, alive = np.empty((2, count), dtype=np.int64)
    merges = np.empty((count, 2), dtype=np.int64)
    done = merge_cheapest(
        b, s.box[MEAN], group, int(s.now[0]["n"]), cost, cp, price, nearest, alive, merges
    )
    s.cat["cp"][:count] = b.spread[:count].sum(axis=1)
    for kept, gone in merges[:done].tolist():
        absorb(s, kept, gone, count)
    keep_rows(s, b, alive > 0)
    if done:
        account["radius"] = max(account["radius"], np.median(price[:done]))
        opened = b.opening[: min(int(account["opened"]), len(b.opening))]
        if len(opened) and account["limit"] <= account["asked"]:
            account["radius"] = max(account["radius"], np.quantile(opened, 0.25))
    account["opened"] = 0


def absorb(s: State, kept: int, gone: int, count: int) -> None:
    """What else is known of two categories that have become one. Of different clusters, the heavier
    has it; if its last category goes that way, it is known where to."""
    s.conn[kept, :count] += s.conn[gone, :count]
    s.conn[:count, kept] += s.conn[:count, gone]
    s.conn[gone, :count] = s.conn[:count, gone] = 0.0  # what was between them is on the diagonal
    np.minimum(s.box[LO, kept], s.box[LO, gone], out=s.box[LO, kept])
    np.maximum(s.box[HI, kept], s.box[HI, gone], out=s.box[HI, kept])
    merged, old = s.cat[kept], s.cat[gone]
    was, was_kept = s.label[WAS, gone], s.label[WAS, kept]
    lighter = old["n"] <= merged["n"]
    if was >= 0 and was_kept >= 0 and was != was_kept:
        s.clu[LIVE, was if lighter else was_kept]["into"] = was_kept if lighter else was
    if was >= 0 and (was_kept < 0 or not lighter):
        s.label[WAS, kept] = was
        s.label[LIVE, kept] = s.label[LIVE, gone]
    merged["n"] += old["n"]
    merged["group"] = max(merged["group"], old["group"])
    merged["won"] = max(merged["won"], old["won"])
    if len(s.joined):
        s.joined[old["slot"]] = merged["slot"]
    if s.now[0]["winner"] == gone:
        s.now[0]["winner"] = kept


def keep_rows(s: State, b: Budget, alive: Any) -> None:
    """Only these categories stay; they move to the first rows, in their order."""
    order = s.order[: len(alive)]
    rows = order[alive[order]]
    count = len(rows)
    for table in (s.cat, b.mass, b.seen, b.spread, b.image):
        table[:count] = table[rows]
    s.box[:, :count], s.label[:, :count] = s.box[:, rows], s.label[:, rows]
    s.conn[:count, :count] = s.conn[np.ix_(rows, rows)]
    s.order[:count] = s.cat["rank"][:count] = np.arange(count)
    found = np.flatnonzero(rows == s.now[0]["winner"])
    s.now[0]["winner"] = found[0] if len(found) else 0
    s.now[0]["categories"] = count


def drop_faded(s: State, b: Budget) -> None:
    """Categories go of which less than one sample is left, and that won none for a half-life."""
    account, count = b.account[0], int(s.now[0]["categories"])
    recent = s.cat["won"][:count] >= s.now[0]["n"] - account["half_life"]
    alive = recent | (b.mass[:count] >= account["weight"])
    if not alive.all():
        keep_rows(s, b, alive)


def renew_weights(s: State, b: Budget) -> None:
    """A sample of now has weight 1 again, before weights overflow."""
    weight = float(b.account[0]["weight"])
    if weight > 1e60:
        for kept in (b.mass, b.seen, b.spread, s.conn):
            kept /= weight
        b.account["weight"] = 1.0
