"""Compression where few boxes join others: what the compressor would do, in place.

Mostly one category has become inactive since compression last found nothing; all others of H become
units of their own again. So neither units nor epochs are needed. The boxes of H are gone through in
their order, as the compressor would: each is stuck still, or is asked anew, and may join another
one of its cluster, whose box grows for those that follow. In the second epoch, nothing is different
if no box is like any other, and if those that have joined choose the same again. Where that cannot
be proven, everything is taken back, and the compressor has to be asked.
"""

import math

from ..._jit import TIE, jit
from ..._typing import Floats
from ...icvi.footprints import assign
from ...icvi.journal import note_change, note_move
from ...icvi.state import (
    ACTIVATION,
    FREE,
    HI,
    LIVE,
    LO,
    MATCH,
    NORM,
    PER_RANGE,
    STEPS,
    State,
)
from ...icvi.weighing import unsettle
from ..categories import join_categories
from ..events import COMPRESSED, note_event
from ..map_field import tracked
from ..module_a import (
    COARSENESS,
    box_norm,
    coarse_growths,
    comes_after,
    learn_box,
    write_coarse,
)
from .hopeful import settle_joined
from .standstill import (
    GONE,
    allowed_growth,
    answer,
    are_all_unlike,
    cannot_reach,
    is_behind_as_it_is,
    is_in_the_way,
    is_stuck,
    might_be_as_active,
    note_stuck,
    note_unlike,
    other_bit,
    room_between,
    row_bit,
)

# What compression comes to
NOTHING, DONE, ASK = 0, 1, 2
# What a box joins is not known yet
ASKED = -2
# So many are tried in place at most
MOST_JOINS = 32


@jit
def settle_newcomers(s: State, attach: Floats | None, weight: Floats | None) -> int:
    """`NOTHING` changes, or what compression does is `DONE`, or the compressor must be asked."""
    joins = 0
    for c in range(s.now[LIVE]["k"]):
        s.clu[LIVE, c]["wanted"] = 0  # 1 when one of H has been seen in it
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if s.cat[p]["resting"] == 0:
            continue
        cluster = s.clu[LIVE, s.label[LIVE, p]]
        if cluster["wanted"] == 0:
            cluster["wanted"] = 1
            continue
        if is_stuck(s, p):
            continue
        host = resonant(s, p)
        if host < 0:
            note_stuck(s, p)
        elif attach is None and weight is None and has_room_for(s, joins):
            suppose_joined(s, joins, p, host)
            joins += 1
        else:
            take_back(s, joins)
            return ASK
    if not are_all_unlike(s) or not all_choose_again(s, joins):
        take_back(s, joins)
        return ASK
    if joins == 0:
        return NOTHING
    join_hosts(s, joins)
    return DONE


@jit
def resonant(s: State, p: int) -> int:
    """What box p resonates with when it is presented for the first time, -1 for nothing.

    That can be one of H before it in its own cluster. Those that its guards are still in the way of
    are out. Of other clusters, those that are less active than all that are left do not matter. If
    there is nothing, notes what that depends on.
    """
    low, high, best_match = meet_and_block(s, p)
    if high == -math.inf:
        return -1
    epsilon, rho, last = s.params[0]["epsilon"], s.params[0]["rho_c"], -1
    if s.coarse.shape[2] > 0:
        coarse_growths(s.coarse[LO], s.coarse[HI], p, s.now[0]["rows"], s.scan[FREE])
        if epsilon >= 0.0:
            joins = at_a_glance(s, p, high, best_match)
            if joins != ASKED:
                return joins
    least, rivals, also_rivals = low - 2.0 * TIE, 0, 0
    guard, guard_match, lead, lead_rho = -1, -math.inf, -math.inf, -math.inf
    count = list_rivals(s, p, least)
    while True:
        last = next_listed(s, p, count, rho, last)
        if last < 0:
            break
        j, match = ~s.cat[last]["mark"], s.scan[MATCH, last]
        if s.label[LIVE, j] == s.label[LIVE, p]:
            return j
        rivals |= row_bit(j)
        also_rivals |= other_bit(j)
        if match > guard_match:
            guard, guard_match = j, match
        rho = tracked(match, epsilon, 0)
        if lead == -math.inf and epsilon >= 4.0 * TIE:  # so that vigilance never falls
            lead, lead_rho = s.scan[ACTIVATION, last], rho
        if rho > best_match + 4.0 * TIE and epsilon >= 0.0:
            if s.scan[ACTIVATION, last] > high + 4.0 * TIE:  # all fail, whatever comes between
                least = s.scan[ACTIVATION, last] - 2.0 * TIE
                break
    put_guard(s, p, guard)
    if meet_and_block(s, p)[1] > -math.inf:  # guards are not enough
        s.cat[p]["rivals"] |= rivals
        s.cat[p]["also_rivals"] |= also_rivals
        s.cat[p]["bar"], s.cat[p]["lead"], s.cat[p]["lead_rho"] = least, lead, lead_rho
        s.cat[p]["room"] = 0.0
    return -1


@jit
def at_a_glance(s: State, p: int, high: float, best_match: float) -> int:
    """The same by coarse copies (growths are known), for MT+, if they tell; `ASKED` otherwise.

    Of those that it might join, which are at most so active and match so well, the most active one
    is joined if it matches better than all others that may be more active. If one that is more
    active matches better than all that it might join, it is a guard from now on.
    """
    norms, growths, d = s.scan[NORM], s.scan[FREE], float(s.coarse.shape[2])
    alpha, epsilon, off = s.params[0]["alpha"], s.params[0]["epsilon"], COARSENESS * d
    unit, units, guard, after = -1, 0, -1, False
    vigilance, least = s.params[0]["rho_c"], best_match + 2.0 * TIE
    for place in range(s.now[0]["categories"]):
        j = s.order[place]
        after = after or j == p
        if s.cat[j]["resting"] != 0 and (after or s.cat[j]["resting"] == GONE):
            continue
        if s.label[LIVE, j] == s.label[LIVE, p]:
            if is_open(s, j, p) and s.scan[ACTIVATION, j] > high - 4.0 * TIE:
                unit, units = j, units + 1
            continue
        joint, divisor = norms[j] - growths[j] * (1.0 / STEPS), alpha + norms[j]
        if joint + off > (high - 4.0 * TIE) * divisor:
            vigilance = max(vigilance, (joint + off) / d + epsilon)
            if joint - off > max(least * d, (high + 4.0 * TIE) * divisor):
                guard, least = j, (joint - off) / d
    if units == 1 and s.scan[MATCH, unit] > vigilance + 4.0 * TIE:
        return unit
    if guard >= 0 and put_guard(s, p, guard) and meet_and_block(s, p)[1] == -math.inf:
        return -1
    return ASKED


@jit
def put_guard(s: State, p: int, guard: int) -> bool:
    """Give box p one more guard, if it has less than two that keep it from others."""
    if s.cat[p]["keeper"] < 0:
        s.cat[p]["guard"] = guard
    elif s.cat[p]["rear_keeper"] < 0:
        s.cat[p]["rear_guard"] = guard
    else:
        return False
    return True


@jit
def meet_and_block(s: State, p: int) -> tuple[float, float, float]:
    """How those answer to box p that it might join, and which of them its guards leave.

    Of these: the least and greatest activation (infinite if there are none), the greatest match.
    """
    cat, activation, match = s.cat[p], s.scan[ACTIVATION], s.scan[MATCH]
    low, high, best_match, at = math.inf, -math.inf, -math.inf, 0
    while s.order[at] != p:
        j = s.order[at]
        at += 1
        if s.cat[j]["resting"] == 1 and s.label[LIVE, j] == s.label[LIVE, p]:
            activation[j], match[j] = answer(s, j, p)
    cat["stuck"] = -1
    cat["rivals"] = 0
    cat["also_rivals"] = 0
    cat["lead"] = -math.inf
    cat["bar"] = math.inf
    cat["room"] = math.inf
    cat["keeper"] = cat["guard"] if block(s, p, cat["guard"]) else -1
    cat["rear_keeper"] = cat["rear_guard"] if block(s, p, cat["rear_guard"]) else -1
    at = 0
    while s.order[at] != p:
        j = s.order[at]
        at += 1
        if is_open(s, j, p):
            low, high = min(low, activation[j]), max(high, activation[j])
            best_match = max(best_match, match[j])
    return low, high, best_match


@jit
def is_open(s: State, j: int, p: int) -> bool:
    """Is j one of H in the cluster of box p, and is nothing known to be in the way?"""
    return (
        s.cat[j]["resting"] == 1
        and s.label[LIVE, j] == s.label[LIVE, p]
        and s.scan[MATCH, j] > -math.inf
    )


@jit
def block(s: State, p: int, guard: int) -> bool:
    """A guard may keep box p from some that it might join, whatever others do (their match: -inf).

    If so, notes that, and how much room there is.
    """
    if guard < 0 or s.cat[guard]["n"] == 0 or not s.params[0]["epsilon"] >= 0.0:
        return False
    resting = s.cat[guard]["resting"] == 1
    if s.cat[guard]["resting"] == GONE:
        return False
    if s.label[LIVE, guard] == s.label[LIVE, p] or (resting and not is_before(s, guard, p)):
        return False
    own_activation, own_match = answer(s, guard, p)
    high, best_match, least_norm, at = -math.inf, -math.inf, s.scan[NORM, guard], 0
    while s.order[at] != p:
        j = s.order[at]
        at += 1
        if is_open(s, j, p) and own_activation > s.scan[ACTIVATION, j] + 2.0 * TIE:
            if is_in_the_way(s, own_match, s.scan[MATCH, j]):
                high = max(high, s.scan[ACTIVATION, j])
                best_match = max(best_match, s.scan[MATCH, j])
                least_norm = min(least_norm, s.scan[NORM, j])
                s.scan[MATCH, j] = -math.inf
    if high == -math.inf:
        return False
    room = room_between(s, own_activation - high, own_match - best_match, least_norm)
    s.cat[p]["room"] = min(s.cat[p]["room"], room)
    if resting:  # it might join another itself, which is looked for
        s.cat[p]["rivals"] |= row_bit(guard)
        s.cat[p]["also_rivals"] |= other_bit(guard)
    return True


@jit
def is_before(s: State, p: int, other: int) -> bool:
    """Does category p come before another one in the order?"""
    at = 0
    while s.order[at] not in (p, other):
        at += 1
    return s.order[at] == p


@jit
def list_rivals(s: State, p: int, least: float) -> int:
    """Who may matter to box p, as the compressor would have them when it is presented.

    A list in `mark`, active ones first; how they answer, or upper bounds, in `scan`. What is exact
    is marked by ``~j`` instead of j.
    """
    count, growths, d = 0, s.scan[FREE], s.feature.shape[1]
    is_coarse, off = s.coarse.shape[2] > 0, COARSENESS * d
    for resting in range(2):
        for place in range(s.now[0]["categories"]):
            j = s.order[place]
            if s.cat[j]["resting"] != resting:
                continue
            if j == p:
                break  # the others of H have not been presented yet
            if s.label[LIVE, j] == s.label[LIVE, p]:
                if resting == 0 or not is_open(s, j, p):
                    continue
            elif not is_coarse:
                if is_behind_as_it_is(s, j, p, least):
                    continue
            elif growths[j] / STEPS > allowed_growth(s, j, least) + off:
                continue
            s.cat[count]["mark"] = j
            count += 1
    for i in range(count):
        j = s.cat[i]["mark"]
        if is_coarse:
            joint = s.scan[NORM, j] - growths[j] / STEPS + off
            s.scan[ACTIVATION, i] = joint / (s.params[0]["alpha"] + s.scan[NORM, j])
            s.scan[MATCH, i] = joint / d
        else:
            answer_listed(s, p, i)
    return count


@jit
def answer_listed(s: State, p: int, i: int) -> None:
    """How the i-th of the list answers to box p, exactly."""
    j = s.cat[i]["mark"]
    s.scan[ACTIVATION, i], s.scan[MATCH, i] = answer(s, j, p)
    s.cat[i]["mark"] = ~j


@jit
def next_listed(s: State, p: int, count: int, rho: float, last: int) -> int:
    """The place in the list of the most active one after `last` that passes vigilance, or -1.

    Those whose upper bounds do not rule them out are asked.
    """
    activation, match = s.scan[ACTIVATION], s.scan[MATCH]
    while True:
        found, bound = -1, -1
        for i in range(count):
            if match[i] < rho - TIE:
                continue
            if s.cat[i]["mark"] >= 0:
                if bound < 0 or activation[i] > activation[bound]:
                    bound = i
            elif comes_after(activation, i, last):
                if found < 0 or activation[i] > activation[found] + TIE:
                    found = i
        if bound < 0 or (found >= 0 and activation[bound] < activation[found] - 2.0 * TIE):
            return found
        answer_listed(s, p, bound)


# ------------------------------------------------------------------ as if they had joined


@jit
def has_room_for(s: State, joins: int) -> bool:
    """May one more join, after so many, in place? A box that is growing is kept in a free row."""
    room = s.now[0]["categories"] + joins < s.order.shape[0]
    return joins < MOST_JOINS and room and s.params[0]["beta1"] == 1.0


@jit
def row_kept(s: State, join: int) -> int:
    """Where the host's box is as it was before the join of this number.

    There, `keeper` is the host, and `rear_keeper` the one that joins it.
    """
    return s.order[s.now[0]["categories"] + join]


@jit
def suppose_joined(s: State, join: int, p: int, host: int) -> None:
    """From now on, others meet the host with the box of both, and p no more."""
    kept = row_kept(s, join)
    assign(s.box[LO, kept], s.box[LO, host])
    assign(s.box[HI, kept], s.box[HI, host])
    s.scan[NORM, kept] = s.scan[NORM, host]
    s.cat[kept]["keeper"] = host
    s.cat[kept]["rear_keeper"] = p
    learn_box(s.box[LO, host], s.box[HI, host], s.box[LO, p], s.box[HI, p], 1.0)
    s.scan[NORM, host] = box_norm(s.feature[PER_RANGE], s.box[LO, host], s.box[HI, host])
    write_coarse(s, host, 0, s.coarse.shape[2])
    s.cat[p]["resting"] = GONE
    note_change(s, host)
    note_move(s, p)


@jit
def take_back(s: State, joins: int) -> None:
    """All is as it was before so many joins."""
    for join in range(joins - 1, -1, -1):
        kept = row_kept(s, join)
        host, p = s.cat[kept]["keeper"], s.cat[kept]["rear_keeper"]
        assign(s.box[LO, host], s.box[LO, kept])
        assign(s.box[HI, host], s.box[HI, kept])
        s.scan[NORM, host] = s.scan[NORM, kept]
        write_coarse(s, host, 0, s.coarse.shape[2])
        s.cat[p]["resting"] = 1
        note_change(s, host)
        note_change(s, p)


@jit
def all_choose_again(s: State, joins: int) -> bool:
    """Proof that in the second epoch those that joined, and their hosts, choose what holds both.

    That is most active, as nobody else is.
    """
    alpha = s.params[0]["alpha"]
    for join in range(joins):
        kept = row_kept(s, join)
        host, p = s.cat[kept]["keeper"], s.cat[kept]["rear_keeper"]
        norm = s.scan[NORM, host]
        least = norm / (alpha + norm) - 4.0 * TIE
        if norm / s.feature.shape[1] < s.params[0]["rho_c"] + TIE:
            return False
        for place in range(s.now[0]["categories"]):
            j = s.order[place]
            if j == host or s.cat[j]["resting"] == GONE:
                continue
            for box in (kept, p):
                if not cannot_reach(s.scan[NORM, j], s.scan[NORM, box], alpha, least):
                    if might_be_as_active(s, box, j, least) and answer(s, j, box)[0] >= least:
                        return False
    return True


@jit
def join_hosts(s: State, joins: int) -> None:
    """All that has been supposed. In the order, active ones come first, then what is left of H."""
    s.now[0]["compressions_in_place"] += 1
    note_unlike(s)
    for c in range(s.now[LIVE]["k"]):
        s.clu[LIVE, c]["kin"] = 0
    for join in range(joins):
        kept = row_kept(s, join)
        host, p = s.cat[kept]["keeper"], s.cat[kept]["rear_keeper"]
        join_categories(s, host, p)
        s.clu[LIVE, s.label[LIVE, host]]["kin"] += 1
        if not settle_joined(s, s.top, host):
            unsettle(s, LIVE, s.label[LIVE, host])
    count, listed = 0, 0
    for place in range(s.now[0]["categories"]):
        j = s.order[place]
        if s.cat[j]["resting"] == 0:
            s.order[count] = j
            count += 1
        else:
            s.cat[listed]["mark"] = j  # a list, kept where there is room
            listed += 1
    for resting in (1, GONE):
        for i in range(listed):
            if s.cat[s.cat[i]["mark"]]["resting"] == resting:
                s.order[count] = s.cat[i]["mark"]
                count += 1
    s.now[0]["categories"] -= joins
    for c in range(s.now[LIVE]["k"]):
        if s.clu[LIVE, c]["kin"] > 0:
            note_event(s, COMPRESSED, s.clu[LIVE, c]["id"], -1, float(s.clu[LIVE, c]["kin"]))
