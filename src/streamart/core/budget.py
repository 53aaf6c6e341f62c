r"""Categories under a budget: as fine as memory allows, so that nothing is decided too early.

A sample joins the category where it adds least to the scatter (Ward's cost of joining)

.. math:: \tfrac{n}{n+1}\|x-\mu\|^2 \le R

or opens one. When there are more than the budget allows, the two that are cheapest to merge become
one, again and again, until a quarter of the room is free; the cost of the last merger is the new R.
So the budget sets the vigilance, and nobody else has to. CONN counts how often a category had a
sample and another was the nearest beside it.

Everything is kept in the coordinates of the data; distances are measured with a weight for each
feature. If these are 1 / range^2 (features scaled to 0..1), they change whenever the range grows,
and nothing needs re-scaling: sums of squares are kept for each feature by itself. R, which is one
number for all features, is scaled as the scatter within categories is.
"""

from typing import NamedTuple

import numpy as np

from .._jit import NONE, TIE, jit, jit_entry, jit_sums
from .._typing import Floats, Ints, Records
from ..icvi.footprints import add_sample, assign
from ..icvi.state import (
    DUE_BUDGET,
    DUE_METRIC,
    DUE_NOTHING,
    DUE_ROOM,
    HI,
    LIVE,
    LO,
    MEAN,
    MEAN_ALL,
    PER_RANGE,
    WAS,
    State,
)
from .categories import add_link, join_categories, open_category, remove_others
from .module_a import learn_box, widen_range

RESERVOIR = 256
"""Samples kept, each as likely as any other: they tell the effective dimension."""
FIRST_QUESTION = 8  # how samples are measured is asked at so many, and twice as many, and so on
STEEPEST = 1e150  # greatest scale of a feature: the square of a smaller range would be 0
PIECE = 32  # features that are measured before the question whether more need be
LUCK = 2147483647  # modulus and multiplier of a generator of random numbers (Park & Miller)
NEXT_LUCK = 48271

_ACCOUNT = np.dtype(
    [
        ("limit", "i8"),  # categories allowed
        ("radius", "f8"),  # R
        ("by_range", "i8"),  # 1: features are scaled to 0..1; 0: taken as they are
        ("decided", "i8"),  # 1: that will not change any more
        ("question", "i8"),  # while it may: at so many samples it is asked again
        ("asked", "i8"),  # categories that somebody asked for
        ("luck", "i8"),
    ]
)


class Budget(NamedTuple):
    """What is kept beside the network."""

    account: Records  # one row
    weight: Floats  # of each feature, in squared distances
    within: Floats  # of each feature: sum of squares within categories
    spread: Floats  # the same, for each category
    reservoir: Floats  # of samples as they came; the first ones in their order


def make_budget(limit: int, by_range: bool, decided: bool, seed: int, d: int, rows: int) -> Budget:
    account = np.zeros(1, dtype=_ACCOUNT)
    account["limit"], account["by_range"], account["decided"] = limit, by_range, decided
    account["asked"], account["question"] = limit, FIRST_QUESTION
    account["luck"] = 1 + seed % (LUCK - 1)
    weight = np.zeros(d) if by_range else np.ones(d)
    return Budget(account, weight, np.zeros(d), np.zeros((rows, d)), np.zeros((RESERVOIR, d)))


def with_rows(budget: Budget, rows: int) -> Budget:
    """The budget with room for as many categories as the network has."""
    if rows <= len(budget.spread):
        return budget
    spread = np.zeros((rows, budget.spread.shape[1]))
    spread[: len(budget.spread)] = budget.spread
    return budget._replace(spread=spread)


@jit_sums
def weighted_distance(weight: Floats, a: Floats, b: Floats) -> float:
    r""":math:`\sum_f w_f (a_f - b_f)^2`."""
    total = 0.0
    for f in range(a.shape[0]):
        difference = a[f] - b[f]
        total += weight[f] * difference * difference
    return total


@jit
def distance_within(weight: Floats, a: Floats, b: Floats, limit: float) -> float:
    """The same, as far as it is at most the limit; otherwise something beyond it."""
    d, total, begin = a.shape[0], 0.0, 0
    if d <= 2 * PIECE:
        return weighted_distance(weight, a, b)
    while begin < d and total <= limit:
        end = min(begin + PIECE, d)
        total += weighted_distance(weight[begin:end], a[begin:end], b[begin:end])
        begin = end
    return total


@jit
def weigh_features(s: State, b: Budget) -> None:
    """The range of the data has grown: weights, and R with them."""
    account = b.account[0]
    if account["by_range"] == 0:
        return
    before, after = 0.0, 0.0
    for f in range(b.weight.shape[0]):
        before += b.weight[f] * b.within[f]
        scale = s.feature[PER_RANGE, f] if s.feature[PER_RANGE, f] < STEEPEST else 0.0
        b.weight[f] = scale * scale
        after += b.weight[f] * b.within[f]
    if before > 0.0:
        account["radius"] *= after / before


@jit
def add_fine_category(s: State, b: Budget, x: Floats, nearest: int) -> int:
    """A new category at x; until the partition is derived, it is where the nearest one is."""
    p = open_category(s, x)
    for f in range(x.shape[0]):
        b.spread[p, f] = 0.0
    s.label[LIVE, p] = s.label[LIVE, nearest] if nearest >= 0 else 0
    return p


@jit_sums
def add_squares(spread: Floats, within: Floats, mean: Floats, x: Floats, share: float) -> None:
    """Sums of squares of a category, and of all, before its mean moves."""
    for f in range(x.shape[0]):
        more = share * (x[f] - mean[f]) * (x[f] - mean[f])
        spread[f] += more
        within[f] += more


@jit
def keep_in_reservoir(s: State, b: Budget, x: Floats) -> None:
    """Every sample so far is as likely to be there as any other."""
    n, size = s.now[0]["n"], b.reservoir.shape[0]
    place = n - 1
    if n > size:
        b.account[0]["luck"] = b.account[0]["luck"] * NEXT_LUCK % LUCK
        place = b.account[0]["luck"] % n
    if place < size:
        assign(b.reservoir[place], x)


@jit
def equal_sample(s: State, b: Budget, raw: Floats, group: int) -> int:
    """While it is not decided how samples are measured, only copies share a category."""
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if group < 0 or s.cat[p]["group"] < 0 or s.cat[p]["group"] == group:
            same, f = True, 0
            while same and f < raw.shape[0]:
                same = b.reservoir[s.cat[p]["birth"] - 1, f] == raw[f]
                f += 1
            if same:
                return p
    return NONE


@jit
def learn_under_budget(s: State, b: Budget, x: Floats, raw: Floats, group: int) -> None:
    """One sample; `raw` is the same as it came.

    A category of hinted samples (`group`) holds those of no other group.
    """
    now, account = s.now[0], b.account[0]
    if widen_range(s, x):
        weigh_features(s, b)
    first, least = NONE, 0.0  # where it may join
    near, near_by, next_near, next_by = NONE, 0.0, NONE, 0.0  # the two nearest
    for place in range(now["categories"]):
        p = s.order[place]
        n = float(s.cat[p]["n"])
        # Beyond this, it can neither be joined (a cost is half the distance at least) nor be near.
        limit = max(2.0 * least, next_by) if next_near >= 0 and first >= 0 else np.inf
        distance = distance_within(b.weight, x, s.box[MEAN, p], limit)
        if near < 0 or distance < near_by * (1.0 - TIE):
            next_near, next_by = near, near_by
            near, near_by = p, distance
        elif next_near < 0 or distance < next_by * (1.0 - TIE):
            next_near, next_by = p, distance
        cost = n / (n + 1.0) * distance
        if first < 0 or cost < least * (1.0 - TIE):
            if group < 0 or s.cat[p]["group"] < 0 or s.cat[p]["group"] == group:
                first, least = p, cost
    second, joins = first, first >= 0 and least <= account["radius"] * (1.0 + TIE)
    if account["decided"] == 0:
        first = equal_sample(s, b, raw, group)
        joins = first >= 0
    if joins:
        second = next_near if first == near else near
        learn_box(s.box[LO, first], s.box[HI, first], x, x, 1.0)
    else:
        first = add_fine_category(s, b, x, near)
    if second >= 0:
        add_link(s, first, second)
    n = float(s.cat[first]["n"])
    add_squares(b.spread[first], b.within, s.box[MEAN, first], x, n / (n + 1.0))
    add_sample(s.cat[first], s.box[MEAN, first], x)
    add_sample(now, s.feature[MEAN_ALL], x)
    s.cat[first]["won"] = now["n"]
    if group >= 0:
        s.cat[first]["group"] = group
    keep_in_reservoir(s, b, raw)
    now["winner"] = first


@jit_entry
def run_under_budget(
    s: State, b: Budget, X: Floats, raw: Floats, groups: Ints, slots: Ints, begin: int
) -> int:
    """Learn ``X[begin:]``; returns how far it came.

    Stops early when the arrays are full, or something is `due`: room for more categories, or the
    decision how features are measured.
    """
    now = s.now[0]
    now["due"] = DUE_NOTHING
    for t in range(begin, X.shape[0]):
        if b.account[0]["decided"] == 0 and now["n"] >= b.account[0]["question"]:
            now["due"] = DUE_METRIC
            return t
        if now["categories"] + 1 > s.cat.shape[0]:
            now["due"] = DUE_ROOM
            return t
        learn_under_budget(s, b, X[t], raw[t], groups[t] if groups.shape[0] > 0 else NONE)
        slots[t] = s.cat[now["winner"]]["slot"]
        if s.joined.shape[0] == 0:
            slots[t] = s.label[LIVE, now["winner"]]
        if now["categories"] > b.account[0]["limit"]:
            now["due"] = DUE_BUDGET
            return t + 1
    return X.shape[0]


@jit_entry
def link_again(s: State, first: Ints, second: Ints) -> None:
    """CONN anew: of each sample, the category that has it and the one beside it, -1 for none."""
    for p in range(s.now[0]["categories"]):
        for q in range(s.now[0]["categories"]):
            s.conn[p, q] = 0.0
    for t in range(first.shape[0]):
        if second[t] >= 0:
            add_link(s, first[t], second[t])


# ------------------------------------------------------------------ making room


@jit
def cost_of_joining(s: State, b: Budget, p: int, q: int) -> float:
    """What the scatter grows by; infinite for categories of different groups of hinted samples."""
    one, two = s.cat[p], s.cat[q]
    if one["group"] >= 0 and two["group"] >= 0 and one["group"] != two["group"]:
        return np.inf
    n, m = float(one["n"]), float(two["n"])
    return n * m / (n + m) * weighted_distance(b.weight, s.box[MEAN, p], s.box[MEAN, q])


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
def absorb(s: State, b: Budget, kept: int, gone: int) -> None:
    """Two categories become one."""
    old, merged = s.cat[gone], s.cat[kept]
    n, m = float(merged["n"]), float(old["n"])
    share = n * m / (n + m)
    for f in range(b.weight.shape[0]):
        difference = s.box[MEAN, gone, f] - s.box[MEAN, kept, f]
        more = share * difference * difference
        b.spread[kept, f] += b.spread[gone, f] + more
        b.within[f] += more
    learn_box(s.box[LO, kept], s.box[HI, kept], s.box[LO, gone], s.box[HI, gone], 1.0)
    was, was_kept = s.label[WAS, gone], s.label[WAS, kept]
    if was >= 0 and was_kept >= 0 and was != was_kept:
        fewer, others = (was, was_kept) if old["n"] <= merged["n"] else (was_kept, was)
        s.clu[LIVE, fewer]["into"] = others
    if was >= 0 and (was_kept < 0 or old["n"] > merged["n"]):
        s.label[WAS, kept] = was
        s.label[LIVE, kept] = s.label[LIVE, gone]
    merged["group"] = max(merged["group"], old["group"])
    join_categories(s, kept, gone)


@jit_entry
def make_room(s: State, b: Budget, cost: Floats, nearest: Ints, alive: Ints) -> None:
    """Merge the cheapest pairs until a quarter of the budget is free.

    Places of categories in their order are their numbers here; `cost` is a table of these.
    """
    account, count = b.account[0], s.now[0]["categories"]
    for i in range(count):
        alive[i] = 1
        for j in range(i):
            cost[i, j] = cost_of_joining(s, b, s.order[i], s.order[j])
            cost[j, i] = cost[i, j]
    for i in range(count):
        find_cheapest(cost, alive, nearest, i)
    left = count
    while left > max(1, account["limit"] * 3 // 4):
        i = NONE
        for candidate in range(count):
            if alive[candidate] == 1 and nearest[candidate] >= 0:
                if i < 0 or cost[candidate, nearest[candidate]] < cost[i, nearest[i]] * (1.0 - TIE):
                    i = candidate
        j = nearest[i]
        if not cost[i, j] < np.inf:
            break
        account["radius"] = cost[i, j]
        i, j = min(i, j), max(i, j)
        absorb(s, b, s.order[i], s.order[j])
        alive[j] = 0
        left -= 1
        for other in range(count):
            if other != i and alive[other] == 1:
                cost[i, other] = cost_of_joining(s, b, s.order[i], s.order[other])
                cost[other, i] = cost[i, other]
        for other in range(count):
            if alive[other] == 1:
                partner = nearest[other]
                changed = other == i or partner in (i, j)
                if changed or cost[other, i] < cost[other, partner] * (1.0 + TIE):
                    find_cheapest(cost, alive, nearest, other)
    if left > account["limit"]:  # hinted samples keep all of them apart
        account["limit"] = left + max(1, left // 3)
    close_ranks(s, b, alive, left)


@jit
def close_ranks(s: State, b: Budget, alive: Ints, left: int) -> None:
    """Those that are left keep their order; the last rows fill the free ones."""
    count, place = s.now[0]["categories"], 0
    for i in range(count):
        p = s.order[i]
        s.cat[p]["mark"] = 1 - alive[i]
        if alive[i] == 1:
            s.order[place] = p
            place += 1
    last = count
    for p in range(count - 1, -1, -1):  # `remove_others` moves rows in the same way
        if s.cat[p]["mark"] == 1:
            last -= 1
            assign(b.spread[p], b.spread[last])
    remove_others(s, left)


@jit_entry
def nearest_fine(s: State, b: Budget, X: Floats, winners: Ints, far: Floats) -> None:
    """The category that each sample would add least to, and its squared distance from the mean."""
    for t in range(X.shape[0]):
        winner, least = NONE, 0.0
        for place in range(s.now[0]["categories"]):
            p = s.order[place]
            n = float(s.cat[p]["n"])
            limit = 2.0 * least if winner >= 0 else np.inf
            distance = distance_within(b.weight, X[t], s.box[MEAN, p], limit)
            if winner < 0 or n / (n + 1.0) * distance < least * (1.0 - TIE):
                winner, least, far[t] = p, n / (n + 1.0) * distance, distance
        winners[t] = winner
