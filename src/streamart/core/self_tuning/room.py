r"""Room for more categories: some merge, those without mass go, or the budget grows.

**Merging.** The two categories that are cheapest to merge become one, again and again, until a
quarter of the budget is free. A category counts as at most `HEAVY` samples there: the cost of
merging heavy ones grows with their mass, and where a million samples have come, two heavy
categories of one cluster would seem farther apart than a newcomer from both.

More than `AT_ONCE` categories merge while the stream goes on: after each sample, `SEARCHES` of them
look for their cheapest partner, and when all have, `MERGERS` pairs merge.

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

import numpy as np

from ..._jit import NONE, TIE, jit, jit_entry, jit_part
from ..._typing import Floats, Records
from ...icvi.footprints import assign
from ...icvi.links import drop_links, join_links
from ...icvi.state import DUE_NOTHING, HI, LIVE, LO, MEAN, WAS, State
from ..categories import move_row
from ..module_a import learn_box
from .budget import BEGUN, FINISHED, MAKING, Budget, distance_within
from .scale import compactness, image_of

HEAVY = 64.0
"""Samples that a category counts as at most. With 16, clusters of unequal size are cut badly;
without a limit, a cluster that comes after a million samples is swallowed."""
AT_ONCE, SEARCHES, MERGERS = 512, 32, 4
"""At 5,000 categories, room is then made within 700 samples, each of which takes 25 searches
through all categories more than others."""
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


# ------------------------------------------------------------------ what mergers cost


@jit
def note_mass(b: Budget, p: int) -> None:
    """``rate`` is 1 / mass, in samples of when room began to be made, as far as it counts."""
    b.rate[p] = 1.0 / min(b.mass[p] / b.account[0]["unit"], HEAVY)


@jit
def cost_of(z: Floats, rate: float, image: Floats, other: float, q: int, limit: float) -> float:
    """Of merging a category with this image and rate with q, as far as it is at most the limit;
    otherwise infinite."""
    rates = rate + other
    distance = distance_within(z, image, q, limit * rates)
    return distance / rates if distance <= limit * rates else np.inf


@jit
def may_merge(cat: Records, p: int, q: int) -> bool:
    """Hinted samples of different groups may not."""
    return cat[p]["group"] < 0 or cat[q]["group"] < 0 or cat[p]["group"] == cat[q]["group"]


@jit
def find_cheapest(s: State, b: Budget, p: int) -> None:
    """The cheapest partner of p, the first of equals."""
    found, least, z, image, rate, cat = NONE, np.inf, b.image[p], b.image, b.rate, s.cat
    for q in range(s.now[0]["categories"]):
        if q != p and rate[q] < np.inf and may_merge(cat, p, q):
            cost = cost_of(z, rate[p], image, rate[q], q, least)
            if cost < least * (1.0 - TIE):
                found, least = q, cost
    b.nearest[p] = found
    b.least[p] = least


@jit
def renew_costs(s: State, b: Budget, changed: int, gone: int) -> None:
    """The cheapest partners of all, after one category has changed, and one perhaps has gone."""
    searched, found, least = b.account[0]["searched"], NONE, np.inf
    note_mass(b, changed)
    z, image, rate, cat = b.image[changed], b.image, b.rate, s.cat
    for p in range(s.now[0]["categories"]):
        if p == changed or rate[p] == np.inf:
            continue
        limit = least
        if p < searched:
            limit = max(limit, b.least[p] * (1.0 + 2.0 * TIE))
        cost = np.inf
        if may_merge(cat, p, changed):
            cost = cost_of(z, rate[changed], image, rate[p], p, limit)
        if cost < least * (1.0 - TIE):
            found, least = p, cost
        if p < searched:
            if cost < b.least[p] * (1.0 - TIE):
                b.nearest[p] = changed
                b.least[p] = cost
            elif b.nearest[p] in (changed, gone) or cost < b.least[p] * (1.0 + TIE):
                find_cheapest(s, b, p)
    if changed < searched:
        b.nearest[changed] = found
        b.least[changed] = least


@jit
def distance_from_nearest(b: Budget, p: int) -> float:
    """Squared, from what merging with it costs."""
    return b.least[p] * (b.rate[p] + b.rate[b.nearest[p]])


# ------------------------------------------------------------------ making room


@jit_entry
def make_some_room(s: State, b: Budget) -> None:
    """The next part of it: all at once, or some after each sample. If that was not the last part,
    nothing more is due before the next sample."""
    account, count = b.account[0], s.now[0]["categories"]
    if account["making"] == BEGUN:
        for p in range(count):
            note_mass(b, p)
        account["making"] = MAKING
    else:
        renew_costs(s, b, s.now[0]["winner"], NONE)
    at_once = count <= AT_ONCE
    begin = account["searched"]
    end = count if at_once else min(count, begin + SEARCHES)
    for p in range(begin, end):
        find_cheapest(s, b, p)
    account["searched"] = end
    if end == count:
        if merge_some(s, b, count if at_once else MERGERS):
            account["making"] = FINISHED
        close_gaps(s, b)
        account["searched"] = s.now[0]["categories"]
    if account["making"] == MAKING:
        s.now[0]["due"] = DUE_NOTHING


@jit_part
def merge_some(s: State, b: Budget, most: int) -> bool:
    """At most so many mergers; is there room then, or has the budget grown?"""
    account, left = b.account[0], s.now[0]["categories"]
    greatest, within, mass = GROWTH * account["asked"], 0.0, 0.0
    for p in range(left):
        within += compactness(b.scale, b.spread[p], s.box[MEAN, p])
        mass += b.mass[p] / account["unit"]
    for _ in range(most):
        if left <= (FREE if account["limit"] < greatest else FULL) * account["limit"]:
            return True
        i = cheapest(s, b)
        if i < 0:
            if left > account["limit"]:  # hinted samples keep all of them apart
                account["limit"] = left + max(1, left // 3)
            return True
        if account["limit"] < greatest and within > 0.0:
            own = within / max(mass - left, 1.0)
            few = FEW * account["unit"] if s.now[0]["n"] >= 4 * left else 0.0
            if share_apart(s, b, i, own, few) >= MOST * left:
                account["limit"] = min(greatest, left * 4 // 3 + 1)
                if left <= FULL * account["limit"]:
                    return True
        within += merge_pair(s, b, i)
        left -= 1
    return False


@jit_part
def cheapest(s: State, b: Budget) -> int:
    """The first category of the cheapest pair."""
    found = NONE
    for p in range(s.now[0]["categories"]):
        if b.rate[p] < np.inf and b.nearest[p] >= 0:
            if found < 0 or b.least[p] < b.least[found] * (1.0 - TIE):
                found = p
    return found


@jit_part
def share_apart(s: State, b: Budget, i: int, own: float, few: float) -> int:
    """If i is clearly apart from its nearest: how many categories are; else 0."""
    if not is_apart(s, b, i, own):
        return 0
    found = 0
    for p in range(s.now[0]["categories"]):
        if b.rate[p] < np.inf and b.mass[p] >= few and is_apart(s, b, p, own):
            found += 1
    return found


@jit
def is_apart(s: State, b: Budget, p: int, own: float) -> bool:
    q, mean = b.nearest[p], s.box[MEAN]
    if q < 0:
        return True
    width = (compactness(b.scale, b.spread[p], mean[p]) + own) / b.mass[p]
    width += (compactness(b.scale, b.spread[q], mean[q]) + own) / b.mass[q]
    return distance_from_nearest(b, p) > b.account[0]["touching"] * width


@jit_part
def merge_pair(s: State, b: Budget, i: int) -> float:
    """Category i joins its nearest, or the other way round; returns what WGSS rises by."""
    account, mean = b.account[0], s.box[MEAN]
    kept, gone = min(i, b.nearest[i]), max(i, b.nearest[i])
    larger = max(b.mass[kept], b.mass[gone]) / account["unit"]
    price = larger / (larger + 1.0) * distance_from_nearest(b, i)
    b.price[account["merged"] % b.price.shape[0]] = price
    account["merged"] += 1
    before = compactness(b.scale, b.spread[kept], mean[kept])
    before += compactness(b.scale, b.spread[gone], mean[gone])
    absorb(s, kept, gone)
    s.cat[kept]["cp"] = add_statistics(b, mean, kept, gone)
    renew_costs(s, b, kept, gone)
    return compactness(b.scale, b.spread[kept], mean[kept]) - before


@jit_part
def add_statistics(b: Budget, mean: Floats, kept: int, gone: int) -> float:
    """Returns the sum of squares of both together, in the units of the data."""
    samples, total = b.mass[kept] + b.mass[gone], 0.0
    for f in range(mean.shape[1]):
        n, m = b.seen[kept, f], b.seen[gone, f]
        if n + m > 0.0:
            difference = mean[gone, f] - mean[kept, f] if m > 0.0 else 0.0
            more = b.spread[gone, f] * (m / b.mass[gone])
            more += n * m / (n + m) * difference * difference
            more += b.spread[kept, f] * (n / b.mass[kept])
            b.spread[kept, f] = more * (samples / (n + m))
            mean[kept, f] += m / (n + m) * difference
            b.seen[kept, f] = n + m
        total += b.spread[kept, f]
    b.mass[kept], b.mass[gone], b.rate[gone] = samples, 0.0, np.inf
    if b.account[0]["by_range"] == 1:
        image_of(b.scale, mean[kept], b.image[kept])
    else:
        assign(b.image[kept], mean[kept])
    return total


@jit_part
def absorb(s: State, kept: int, gone: int) -> None:
    """What else is known of two categories that have become one. Of different clusters, the heavier
    has it; if its last category goes that way, it is known where to."""
    join_links(s, kept, gone)
    learn_box(s.box[LO, kept], s.box[HI, kept], s.box[LO, gone], s.box[HI, gone], 1.0)
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
    if s.joined.shape[0] > 0:
        s.joined[old["slot"]] = merged["slot"]
    if s.now[0]["winner"] == gone:
        s.now[0]["winner"] = kept


@jit
def close_gaps(s: State, b: Budget) -> None:
    """Categories without mass go; the others move to the first rows, in their order."""
    count, kept = s.now[0]["categories"], 0
    for p in range(count):
        s.cat[p]["mark"] = kept  # its new row
        if b.mass[p] > 0.0:
            kept += 1
        else:
            drop_links(s, p)
    if b.mass[s.now[0]["winner"]] == 0.0:
        s.now[0]["winner"] = 0
    for p in range(b.account[0]["searched"]):
        if b.mass[p] > 0.0 and b.nearest[p] >= 0:
            b.nearest[p] = s.cat[b.nearest[p]]["mark"]
    for p in range(count):
        target = s.cat[p]["mark"]
        if b.mass[p] > 0.0 and p > target:
            move_row(s, p, target)
            b.mass[target] = b.mass[p]
            assign(b.seen[target], b.seen[p])
            assign(b.spread[target], b.spread[p])
            assign(b.image[target], b.image[p])
            b.nearest[target] = b.nearest[p]
            b.least[target] = b.least[p]
            b.rate[target] = b.rate[p]
            s.order[target] = target
            s.cat[target]["rank"] = target
    s.now[0]["categories"] = kept


@jit_entry
def drop_massless(s: State, b: Budget) -> None:
    b.account[0]["searched"] = 0
    close_gaps(s, b)
