"""Who is inactive (H), and proofs that compressing them would change nothing.

Compression finds nothing if every box of H that has others of its cluster before it in the order is
*stuck*, so that it becomes a unit of its own in the first epoch, and if no box of H is like any
other, so that it finds itself in the second. Each time that a search of the compressor ends with
nothing, it leaves behind what that depended on: the categories that were in the way (`rivals`) and
how active others would have to be to matter (`bar`). So only what has changed since, which the
journal tells, has to be looked at.

All norms change when the range of the data grows, though mostly by little: `drift` adds up by how
much any of them at most. A box that one or two keep from all that it might join has some room for
that.
"""

import math

from ..._jit import TIE, jit, jit_inline
from ..._typing import Floats
from ...icvi.compare import SLACK
from ...icvi.hints import is_anchored
from ...icvi.journal import changed_row, is_move, is_recent, note_change
from ...icvi.sorting import is_before
from ...icvi.state import (
    ACTIVATION,
    CORNERS,
    FIRST,
    HI,
    JOURNAL,
    LIVE,
    LO,
    NORM,
    PER_RANGE,
    RESTING,
    SHARING,
    WANTED,
    WON,
    State,
)
from ..module_a import COARSENESS, coarse_growth, growth_to_hold, joint_norm

# `resting` while others are asked: of a box that has joined another, and of one that has left it
# again. Whatever is odd is a box of H that is there.
GONE, LATE = 2, 3


@jit
def note_activity(s: State, p: int) -> None:
    """Category p has won: it is inactive no more, and when it may be again."""
    if s.label[RESTING, p] == 1:
        s.now[0]["regrouped"] = 1
    s.now[0]["next_rest"] = min(s.now[0]["next_rest"], s.label[WON, p] + s.params[0]["xi"])


@jit
def find_inactive(s: State) -> None:
    """Notes who is in H, and who of it shares its cluster with one before it in the order.

    That holds until a category rests, or wins again, or is in another cluster (`regrouped`).
    """
    now, xi, sharing = s.now[0], s.params[0]["xi"], 0
    next_rest, all_free = now["n"] + xi, s.classes.shape[0] == 0  # then nobody is anchored
    for c in range(s.now[LIVE]["k"]):
        s.each[WANTED, c] = 0
    for place in range(now["categories"]):
        p = s.order[place]
        inactive = 0
        if now["n"] - s.label[WON, p] < xi:
            next_rest = min(next_rest, s.label[WON, p] + xi)
        elif all_free or not is_anchored(s, p):
            inactive = 1
            if s.each[WANTED, s.label[LIVE, p]] == 1:
                s.label[SHARING, sharing] = p
                sharing += 1
            s.each[WANTED, s.label[LIVE, p]] = 1
        if s.label[RESTING, p] != inactive:
            s.label[RESTING, p] = inactive
            note_change(s, p)
    now["sharing"] = sharing
    now["next_rest"] = next_rest
    now["regrouped"] = 0


@jit
def row_bit(p: int) -> int:
    """Its place in `rivals`."""
    return 1 << (p % 63)  # the last bit is the sign


@jit
def other_bit(p: int) -> int:
    """Its place in `also_rivals`: of two that share the other place, few share both."""
    return 1 << (p % 61)


@jit
def may_be_rival(s: State, p: int, j: int) -> bool:
    """Does it depend on category j, as far as bits tell, that stuck box p finds nothing?"""
    cat = s.cat[p]
    return cat["rivals"] & row_bit(j) != 0 and cat["also_rivals"] & other_bit(j) != 0


@jit
def allowed_growth(s: State, j: int, least: float) -> float:
    """A category whose box must grow by more to hold another one is less active by it than so."""
    norm = s.scan[NORM, j]
    return norm - least * (s.params[0]["alpha"] + norm) + TIE * s.feature.shape[1]


@jit
def is_behind_as_it_is(s: State, j: int, p: int, least: float) -> bool:
    """Proof that the activation of category j by box p is below `least`."""
    per_range, allowed = s.feature[PER_RANGE], allowed_growth(s, j, least)
    if s.coarse.shape[2] > 0:
        growth = coarse_growth(s.coarse, j, p)
        if growth > allowed:
            return True
        if growth < allowed - COARSENESS * per_range.shape[0]:
            return False
    growth = growth_to_hold(per_range, s.box[LO, j], s.box[HI, j], s.box[LO, p], s.box[HI, p])
    return growth > allowed


@jit
def is_in_the_way(s: State, of_other: float, of_unit: float) -> bool:
    """MT+: is a unit sure to fail after a more active one of another cluster, by their matches?

    The other either fails itself, and whatever matches no better fails too, then and later; or it
    passes, and vigilance is epsilon above its match.
    """
    if s.params[0]["epsilon"] >= 4.0 * TIE:
        return of_other >= of_unit
    return of_other > of_unit + 2.0 * TIE


@jit
def answer(s: State, j: int, p: int) -> tuple[float, float]:
    """Activation and match of category j by box p."""
    joint = joint_norm(s.feature[PER_RANGE], s.box[LO, j], s.box[HI, j], s.box[LO, p], s.box[HI, p])
    return joint / (s.params[0]["alpha"] + s.scan[NORM, j]), joint / s.feature.shape[1]


@jit
def room_between(s: State, activation: float, match: float, least_norm: float) -> float:
    r"""One category is so much more active than another, and matches so much better, by some box;
    neither norm is less than so much. That stays so while the range drifts by less than this, r.

    Then :math:`|p\wedge w|` and :math:`|w|` have changed by r at most, so a match by r/d, and an
    activation by :math:`2r/(\alpha+|w|)`, where no norm is less than half of what it was.
    """
    room = min(0.5 * least_norm, (activation - 2.0 * TIE) * least_norm / 8.0)
    room = min(room, (match - 2.0 * TIE) * s.feature.shape[1] / 2.0)
    return max(room, 0.0) * (1.0 - SLACK)


@jit
def is_still_kept(s: State, p: int, activation: float, match: float, norm: float) -> bool:
    """Is stuck box p kept by a keeper from one more box that it might join, which answers so?"""
    cat = s.cat[p]
    if cat["keeper"] >= 0 and keeps(s, p, cat["keeper"], activation, match, norm):
        cat["held"] = max(cat["held"], activation)
        cat["held_match"] = max(cat["held_match"], match)
    elif cat["rear_keeper"] >= 0 and keeps(s, p, cat["rear_keeper"], activation, match, norm):
        cat["rear_held"] = max(cat["rear_held"], activation)
        cat["rear_held_match"] = max(cat["rear_held_match"], match)
    else:
        return False
    cat["held_norm"] = min(cat["held_norm"], norm)
    return True


@jit
def keeps(s: State, p: int, keeper: int, activation: float, match: float, norm: float) -> bool:
    """Is a keeper of stuck box p in the way of one that answers so? Then, how much room is left."""
    own_activation, own_match = answer(s, keeper, p)
    if not (own_activation > activation + 2.0 * TIE and is_in_the_way(s, own_match, match)):
        return False
    room = room_between(
        s, own_activation - activation, own_match - match, min(norm, s.scan[NORM, keeper])
    )
    s.cat[p]["room"] = min(s.cat[p]["room"], s.now[0]["drift"] - s.cat[p]["drift"] + room)
    return True


@jit
def may_be_in_the_way(s: State, j: int, p: int) -> bool:
    """Does box p meet category j, and is that of another cluster?"""
    if s.label[LIVE, j] == s.label[LIVE, p] or s.label[RESTING, j] == GONE:
        return False
    return s.label[RESTING, j] == 0 or is_before(s.order, j, p)


@jit
def keeps_all(s: State, p: int, keeper: int) -> bool:
    """A keeper of stuck box p has changed: is it in the way of all others that it was?"""
    cat = s.cat[p]
    if cat["drift"] != s.now[0]["drift"]:
        return False
    if s.cat[keeper]["n"] == 0 or not may_be_in_the_way(s, keeper, p):
        return False
    held, held_match = cat["held"], cat["held_match"]
    if keeper != cat["keeper"]:
        held, held_match = cat["rear_held"], cat["rear_held_match"]
    return keeps(s, p, keeper, held, held_match, cat["held_norm"])


@jit
def is_stuck(s: State, p: int) -> bool:
    """Proof that box p still finds none to join, by what has changed since it did not."""
    since, changes, drift = s.cat[p]["stuck"], s.now[0]["changes"], s.now[0]["drift"]
    if not is_recent(s, since):
        return False
    if drift > s.cat[p]["drift"] and drift - s.cat[p]["drift"] >= s.cat[p]["room"]:
        return False
    if since < s.now[0]["news_since"] or not no_news_matter(s, p):
        for number in range(since, changes):
            if might_matter(s, p, changed_row(s, number)):
                s.cat[p]["stuck"] = -1
                return False
    s.cat[p]["stuck"] = changes
    return True


@jit
def note_stuck(s: State, p: int) -> None:
    """Box p has just been proven to join no other; `rivals`, `bar` and `room` say why."""
    s.cat[p]["stuck"] = s.now[0]["changes"]
    s.cat[p]["drift"] = s.now[0]["drift"]
    depend_on(s, p, p)


@jit
def depend_on(s: State, p: int, j: int) -> None:
    """That box p finds nothing depends on category j."""
    s.cat[p]["rivals"] |= row_bit(j)
    s.cat[p]["also_rivals"] |= other_bit(j)


@jit
def look_for_news(s: State) -> None:
    """What has changed since compression looked last is to be summed up: for all boxes at once."""
    now = s.now[0]
    now["news_since"] = now["digested"] = now["seen"]
    now["news"] = now["other_news"] = now["newly"] = 0
    if now["changes"] - now["seen"] > JOURNAL:  # nothing is known
        now["news_since"] = now["digested"] = now["changes"]
    now["seen"] = now["changes"]
    sum_up_news(s)


@jit
def sum_up_news(s: State) -> None:
    """So that all that has changed until now is in the sum."""
    now = s.now[0]
    for number in range(now["digested"], now["changes"]):
        j = changed_row(s, number)
        now["news"] |= row_bit(j)
        now["other_news"] |= other_bit(j)
        if s.cat[j]["n"] > 0 and s.label[RESTING, j] == 1 and now["newly"] < JOURNAL:
            s.journal[JOURNAL + now["newly"]] = j
            now["newly"] += 1
    now["digested"] = now["changes"]


@jit
def no_news_matter(s: State, p: int) -> bool:
    """Proof by the sum of all news that stuck box p finds nothing. It is mostly enough."""
    now, cat = s.now[0], s.cat[p]
    if now["digested"] != now["changes"] or now["newly"] == JOURNAL or cat["bar"] < math.inf:
        return False
    if cat["rivals"] & now["news"] != 0 and cat["also_rivals"] & now["other_news"] != 0:
        return False
    for i in range(now["newly"]):
        j = s.journal[JOURNAL + i]
        if s.label[LIVE, j] == s.label[LIVE, p] and s.label[RESTING, j] == 1:
            activation, match = answer(s, j, p)
            if not is_still_kept(s, p, activation, match, s.scan[NORM, j]):
                return False
    return True


@jit
def might_matter(s: State, p: int, j: int) -> bool:
    """Category j has changed: might stuck box p find another outcome?"""
    cat = s.cat[p]
    if j == p:
        return True
    only_keepers = cat["bar"] == math.inf and max(cat["keeper"], cat["rear_keeper"]) >= 0
    if only_keepers:
        if j in (cat["keeper"], cat["rear_keeper"]):
            return not keeps_all(s, p, j)
    elif j in (cat["keeper"], cat["rear_keeper"]) or may_be_rival(s, p, j):
        return True
    if s.cat[j]["n"] == 0 or s.label[RESTING, j] == GONE:
        return False
    if s.label[LIVE, j] == s.label[LIVE, p]:
        if s.label[RESTING, j] == 0:
            return False
        activation, match = answer(s, j, p)  # one more that it might join
        return not is_still_kept(s, p, activation, match, s.scan[NORM, j])
    if cat["bar"] == math.inf or is_behind_as_it_is(s, j, p, cat["bar"]):
        return False
    activation, match = answer(s, j, p)
    return not is_passed_over(s, p, activation, match)


@jit
def is_passed_over(s: State, p: int, activation: float, match: float) -> bool:
    """Does a category that answers so to stuck box p come too late, when vigilance is higher?"""
    cat = s.cat[p]
    return activation < cat["lead"] - 2.0 * TIE and match < cat["lead_rho"] - 2.0 * TIE


@jit
def are_all_unlike(s: State) -> bool:
    """Proof that each box of H is most active where it is itself (`finds_itself`).

    By what has changed since that was last so, if all norms are as they were.
    """
    now, near = s.now[0], likeness(s)
    if not is_recent(s, now["unlike"]) or now["drift"] != now["unlike_drift"]:
        return is_none_like_another(s, near)
    for number in range(now["unlike"], now["changes"]):
        j = changed_row(s, number)
        if s.cat[j]["n"] == 0 or s.label[RESTING, j] == GONE or is_move(s, number):
            continue
        resting, norm = s.label[RESTING, j] & 1 == 1, s.scan[NORM, j]
        if resting and may_miss_itself(s, norm):
            return False
        if how_many_between(s.scan[NORM], now["rows"], norm - near, norm + near) == 1:
            continue  # nearly always: it is the only one
        for place in range(now["categories"]):
            p = s.order[place]
            if abs(s.scan[NORM, p] - norm) <= near and p != j and s.label[RESTING, p] != GONE:
                if s.label[RESTING, p] & 1 == 1 and is_like(s, p, j):
                    return False
                if resting and is_like(s, j, p):
                    return False
    note_unlike(s)
    return True


@jit
def may_miss_itself(s: State, norm: float) -> bool:
    """Might a box of this norm not find itself, though no other is like it?

    It may fail vigilance. And one that spans nearly the whole range activates nothing, not even
    itself, so that all others tie with it.
    """
    params = s.params[0]
    return norm / s.feature.shape[1] < params["rho_c"] or norm < params["alpha"]


@jit
def likeness(s: State) -> float:
    """Norms n of like boxes differ by no more, if they are not below alpha (`may_miss_itself`).

    A smaller one is less active than the box itself by the difference of n / (alpha + n), whose
    slope is alpha / (alpha + d)^2 at least. A greater one, of norm m, is less active by
    n (m - n) / (alpha + n) / (alpha + m).
    """
    d, alpha = s.feature.shape[1], s.params[0]["alpha"]
    return 2.0 * TIE * (alpha + d) * (alpha + d) / alpha


@jit
def note_unlike(s: State) -> None:
    """No box of H is like another, as they are now."""
    s.now[0]["unlike"] = s.now[0]["changes"]
    s.now[0]["unlike_drift"] = s.now[0]["drift"]


@jit
def is_none_like_another(s: State, near: float) -> bool:
    """The same by a look at all, nearly all of which differ in their norms."""
    categories, norms = s.now[0]["categories"], s.scan[ACTIVATION]  # which is free to use
    for place in range(categories):
        p = s.order[place]
        norms[place] = s.scan[NORM, p] if s.label[RESTING, p] != GONE else math.inf
    for place in range(categories):
        p = s.order[place]
        if s.label[RESTING, p] & 1 == 0:
            continue
        norm = norms[place]
        if may_miss_itself(s, norm):
            return False
        if how_many_between(norms, categories, norm - near, norm + near) == 1:
            continue
        for other in range(categories):
            if abs(norms[other] - norm) <= near and other != place:
                if is_like(s, p, s.order[other]):
                    return False
    note_unlike(s)
    return True


@jit
def how_many_between(norm: Floats, count: int, smallest: float, greatest: float) -> int:
    found = 0
    for j in range(count):
        # Not "a <= x <= b": without branches, several are compared at once.
        found += int(norm[j] >= smallest) & int(norm[j] <= greatest)
    return found


@jit
def is_like(s: State, p: int, j: int) -> bool:
    """Is category j as active by box p as p itself, or nearly?"""
    alpha, norm, other = s.params[0]["alpha"], s.scan[NORM, p], s.scan[NORM, j]
    least = norm / (alpha + norm) - 2.0 * TIE
    if cannot_reach(other, norm, alpha, least) or not might_be_as_active(s, p, j, least):
        return False
    return answer(s, j, p)[0] >= least


@jit
def cannot_reach(norm: float, norm_of_box: float, alpha: float, least: float) -> bool:
    """Proof by their norms that a box does not activate a category so much.

    That would be min(|w|, |box|) / (alpha + |w|) at most.
    """
    return min(norm, norm_of_box) < least * (alpha + norm)


@jit
def some_might_reach(s: State, p: int, host: int, least: float) -> bool:
    """Might box p activate any category but itself and its host as much as `least`?

    `cannot_reach` and `might_be_as_active` of all rows at once, without branches.
    """
    norms, found, norm = s.scan[NORM], 0, s.scan[NORM, p]
    alpha, slack = s.params[0]["alpha"], TIE * s.feature.shape[1]
    for j in range(s.now[0]["rows"]):
        needed = least * (alpha + norms[j])
        growth = growth_in_first(s, j, p)
        reaches = int(min(norms[j], norm) >= needed) & int(growth <= norms[j] - needed + slack)
        found += reaches & int(j != p) & int(j != host)
    return found > 0


@jit_inline
def growth_in_first(s: State, j: int, p: int) -> float:
    """By how much box j must grow at least to hold box p: in the first features."""
    growth, last = 0.0, s.feature.shape[1] - 1
    for f in range(FIRST):
        g = min(f, last)
        low, high = s.scan[CORNERS + 2 * f, j], s.scan[CORNERS + 2 * f + 1, j]
        outside = max(s.box[HI, p, g] - high, 0.0) + max(low - s.box[LO, p, g], 0.0)
        growth += s.feature[PER_RANGE, g] * outside if f <= last else 0.0
    return growth


@jit
def might_be_as_active(s: State, p: int, j: int, least: float) -> bool:
    """Might the activation of category j by box p reach `least`? By the first features.

    That tells where only a copy of p would reach it.
    """
    norm = s.scan[NORM, j]
    allowed = norm - least * (s.params[0]["alpha"] + norm) + TIE * s.feature.shape[1]
    return growth_in_first(s, j, p) <= allowed
