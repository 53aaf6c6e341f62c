r"""Categories under a budget: as fine as memory allows, so that nothing is decided too early.

A sample joins the category where it adds least to the scatter (Ward's cost of joining)

.. math:: \tfrac{n}{n+1}\|x-\mu\|^2 \le R

or opens one. CONN counts how often a category had a sample and another was the nearest beside it.
When there are more categories than the budget allows, `room` merges some and sets R: the budget
sets the vigilance, and nobody else has to.

With a half-life, the sample number t has the weight 2^(t/h), and everything is read as a share of
the weight of a sample now: nothing has to fade in this loop.
"""

import numpy as np

from ..._jit import NONE, ONE, TIE, jit, jit_entry
from ..._typing import Floats, Ints
from ...icvi.footprints import assign
from ...icvi.links import add_link, has_room_for_links
from ...icvi.state import DUE_BUDGET, DUE_NOTHING, DUE_ROOM, DUE_SCALE, HI, LIVE, LO, MEAN, State
from ..categories import open_category
from ..module_a import learn_box
from .budget import BEGUN, FINISHED, LUCK, MAKING, MEAN_LIFE, NEXT_LUCK, Budget, distance_within
from .room import make_some_room, renew_costs
from .scale import image_of


@jit
def is_copy(s: State, b: Budget, p: int, raw: Floats) -> bool:
    """Is this the sample that category p was made for?"""
    for f in range(raw.shape[0]):
        if b.reservoir[s.cat[p]["birth"] - 1, f] != raw[f]:
            return False
    return True


@jit
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


@jit
def take_in(s: State, b: Budget, p: int, x: Floats) -> None:
    """The statistics of category p with one sample more."""
    weight, n = b.account[0]["weight"], b.mass[p]
    share, part, more = n * weight / (n + weight), weight / (n + weight), 0.0
    for f in range(x.shape[0]):
        difference = x[f] - s.box[MEAN, p, f]
        b.spread[p, f] += share * difference * difference
        s.box[MEAN, p, f] += part * difference
        more += share * difference * difference
    s.cat[p]["cp"] += more
    b.mass[p] = n + weight
    s.cat[p]["n"] += 1
    s.cat[p]["won"] = s.now[0]["n"]
    if b.account[0]["by_range"] == 1:
        image_of(b.scale, s.box[MEAN, p], b.image[p])
    else:
        assign(b.image[p], s.box[MEAN, p])


@jit
def learn_sample(s: State, b: Budget, x: Floats, raw: Floats, group: int) -> None:
    """One sample; `raw` is the same as it came.

    A category of hinted samples (`group`) holds those of no other group.
    """
    now, account = s.now[0], b.account[0]
    weight, radius = account["weight"], account["radius"] * (1.0 + TIE)
    if account["by_range"] == 1:
        image_of(b.scale, x, b.sample)
    else:
        assign(b.sample, x)
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
            b.spread[first, f] = 0.0
            s.box[MEAN, first, f] = x[f]
        s.label[LIVE, first] = s.label[LIVE, near] if near >= 0 else 0
    if second >= 0:
        add_link(s, first, second, weight)
    now["n"] += 1
    take_in(s, b, first, x)
    if group >= 0:
        s.cat[first]["group"] = group
    keep_in_reservoir(s, b, raw)
    now["winner"] = first
    account["weight"] *= account["growth"]


@jit_entry
def run_under_budget(
    s: State, b: Budget, X: Floats, raw: Floats, groups: Ints, slots: Ints, begin: int
) -> int:
    """Learn ``X[begin:]``; returns how far it came.

    Stops early when the arrays are full, or something is `due`: room for more categories, or a
    look at the scale.
    """
    now = s.now[0]
    now["due"] = DUE_NOTHING
    if b.account[0]["making"] == BEGUN:
        make_some_room(s, b)
    for t in range(begin, X.shape[0]):
        if now["n"] >= b.account[0]["next_scale"] and b.account[0]["making"] == 0:
            now["due"] = DUE_SCALE
            return t
        if now["categories"] + 1 > s.cat.shape[0] or not has_room_for_links(s, ONE):
            now["due"] = DUE_ROOM
            return t
        learn_sample(s, b, X[t], raw[t], groups[t] if groups.shape[0] > 0 else NONE)
        slots[t] = s.cat[now["winner"]]["slot"]
        if s.joined.shape[0] == 0:
            slots[t] = s.label[LIVE, now["winner"]]
        if b.account[0]["making"] == MAKING:
            renew_costs(s, b, now["winner"], NONE)
            make_some_room(s, b)
        making, limit = b.account[0]["making"], b.account[0]["limit"]
        if making == FINISHED or (making == 0 and now["categories"] > limit):
            now["due"] = DUE_BUDGET
            return t + 1
    return X.shape[0]
