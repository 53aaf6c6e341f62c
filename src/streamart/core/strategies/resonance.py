"""What a box of H finds when it is presented to the compressor for the first time.

Of those that it might join, its guards may be in the way of some or all; coarse copies of the boxes
say mostly what becomes of the rest; otherwise others are asked exactly, in the order in which they
come. If it finds nothing, it is noted what that depends on (`standstill`).
"""

import math

from ..._jit import TIE, jit
from ...icvi.state import (
    ACTIVATION,
    FREE,
    INACTIVE,
    LISTED,
    LIVE,
    MATCH,
    NORM,
    PLACE,
    RESTING,
    STEPS,
    TRIAL,
    State,
)
from ..map_field import tracked
from ..module_a import (
    coarse_growths,
    comes_after,
)
from .standstill import (
    answer,
    depend_on,
    is_behind_as_it_is,
    is_in_the_way,
    may_be_in_the_way,
    other_bit,
    room_between,
    row_bit,
)

# What a box joins is not known yet
ASKED = -2


@jit
def resonant(s: State, p: int) -> int:
    """What box p resonates with when it is presented for the first time, -1 for nothing.

    That can be one of H before it in its own cluster. Those that its guards are still in the way of
    are out. Of other clusters, those that are less active than all that are left do not matter. If
    there is nothing, notes what that depends on.
    """
    units = meet_and_block(s, p)
    if units == 0:
        return -1
    low, high, best_match = how_open_ones_answer(s, units)
    epsilon, rho, last = s.params[0]["epsilon"], s.params[0]["rho_c"], -1
    least, rivals, also_rivals = low - 2.0 * TIE, 0, 0
    guard, guard_match, lead, lead_rho = -1, -math.inf, -math.inf, -math.inf
    stop, stop_rho = -math.inf, -math.inf
    count = find_rivals(s, p, least)
    if s.coarse.shape[2] > 0 and epsilon >= 0.0:
        joins = at_a_glance(s, p, units, count, high, best_match)
        if joins != ASKED:
            return joins
    count = list_rivals(s, p, count)
    while True:
        last = next_listed(s, p, count, rho, last)
        if last < 0:
            break
        j, match = ~s.label[LISTED, last], s.scan[MATCH, last]
        if s.label[LIVE, j] == s.label[LIVE, p]:
            return j
        rivals |= row_bit(j)
        also_rivals |= other_bit(j)
        if match > guard_match:
            guard, guard_match = j, match
        rho = tracked(match, epsilon, 0)
        if epsilon >= 4.0 * TIE:  # so that vigilance never falls
            stop, stop_rho = s.scan[ACTIVATION, last], rho
            if lead == -math.inf:
                lead, lead_rho = stop, stop_rho
        if rho > best_match + 4.0 * TIE and epsilon >= 0.0:
            if s.scan[ACTIVATION, last] > high + 4.0 * TIE:  # all fail, whatever comes between
                least = s.scan[ACTIVATION, last] - 2.0 * TIE
                break
    if put_guard(s, p, meet_and_block(s, p), guard) > 0:  # guards are not enough
        s.cat[p]["rivals"] |= rivals
        s.cat[p]["also_rivals"] |= also_rivals
        s.cat[p]["bar"], s.cat[p]["lead"], s.cat[p]["lead_rho"] = least, lead, lead_rho
        s.cat[p]["stop"], s.cat[p]["stop_rho"] = stop, stop_rho
        s.cat[p]["open"], s.cat[p]["open_match"] = high, best_match
        s.cat[p]["room"] = 0.0
    return -1


@jit
def find_rivals(s: State, p: int, least: float) -> int:
    """Who may matter to box p, as the compressor has them when it is presented, and how many.

    That is, those that it might join, and of other clusters those that are not less active than
    `least`. Their rows are written into the room of the trial partition's labels. With coarse
    copies, upper bounds of how all rows answer, not yet divided, are in ``scan[FREE]``.
    """
    rivals, found, count = s.label[TRIAL], s.now[0]["categories"], 0
    home, place_of_p, is_coarse = s.label[LIVE, p], s.label[PLACE, p], s.coarse.shape[2] > 0
    if is_coarse:
        found = list_active(s, p, least)
    for i in range(found):
        j = rivals[i] if is_coarse else s.order[i]
        resting = s.label[RESTING, j]
        if resting > 1 or (resting == 1 and s.label[PLACE, j] >= place_of_p):
            continue  # the others of H have not been presented yet
        if s.label[LIVE, j] == home:
            if resting == 0:
                continue  # never resonates
        elif not is_coarse and is_behind_as_it_is(s, j, p, least):
            continue
        rivals[count] = j
        count += 1
    return count


@jit
def list_active(s: State, p: int, least: float) -> int:
    """List those that box p may activate as much as `least`, by coarse copies, in their order.

    Without branches: nobody knows which they are, and a wrong guess takes longer than all of it.
    """
    joints, norms, alpha = s.scan[FREE], s.scan[NORM], s.params[0]["alpha"]
    rivals, order, count = s.label[TRIAL], s.order, 0
    coarse_joints(s, p)
    for place in range(s.now[0]["categories"]):
        j = order[place]
        rivals[count] = j
        count += int(joints[j] >= least * (alpha + norms[j]))
    return count


@jit
def coarse_joints(s: State, p: int) -> None:
    r"""Upper bounds of :math:`|p\wedge w|` for all rows, by coarse copies, in ``scan[FREE]``."""
    joints, norms, slack = s.scan[FREE], s.scan[NORM], TIE * s.feature.shape[1]
    coarse_growths(s.coarse, p, s.now[0]["rows"], joints)
    for j in range(s.now[0]["rows"]):
        joints[j] = norms[j] - joints[j] * (1.0 / STEPS) + slack


@jit
def at_a_glance(s: State, p: int, units: int, count: int, high: float, best_match: float) -> int:
    """The same by coarse copies, for MT+, if they tell; `ASKED` otherwise.

    Of those that it might join, which are at most so active and match so well, the most active one
    is joined if it matches better than all others that may be more active. Of those that may be
    more active, and match better than all that it might join, one is tried as a guard.
    """
    norms, joints, d, guard = s.scan[NORM], s.scan[FREE], float(s.feature.shape[1]), -1
    alpha, home, greatest = s.params[0]["alpha"], s.label[LIVE, p], -math.inf
    for i in range(count):
        j = s.label[TRIAL, i]
        if joints[j] > greatest and s.label[LIVE, j] != home:
            if joints[j] > (high - 4.0 * TIE) * (alpha + norms[j]):
                guard, greatest = j, joints[j]
    vigilance = max(s.params[0]["rho_c"], greatest / d + s.params[0]["epsilon"])
    if greatest / d <= best_match + 2.0 * TIE:
        guard = -1
    unit, as_active = -1, 0
    for i in range(units):
        j = s.label[LISTED, i]
        if s.scan[ACTIVATION, j] > high - 4.0 * TIE:
            unit, as_active = j, as_active + 1
    if as_active == 1 and s.scan[MATCH, unit] > vigilance + 4.0 * TIE:
        return unit
    return -1 if guard >= 0 and put_guard(s, p, units, guard) == 0 else ASKED


@jit
def put_guard(s: State, p: int, units: int, guard: int) -> int:
    """Give box p one more guard, if it has less than two that keep it from others.

    Returns how many of those that it might join are still listed.
    """
    if s.cat[p]["keeper"] < 0:
        s.cat[p]["guard"] = guard
        return block_in_front(s, p, units)
    if s.cat[p]["rear_keeper"] < 0:
        s.cat[p]["rear_guard"] = guard
        return block_in_rear(s, p, units)
    return units


@jit
def block_in_front(s: State, p: int, units: int) -> int:
    cat = s.cat[p]
    left, cat["held"], cat["held_match"], cat["held_norm"] = block(s, p, units, cat["guard"])
    cat["keeper"] = cat["guard"] if left < units else -1
    return left


@jit
def block_in_rear(s: State, p: int, units: int) -> int:
    cat = s.cat[p]
    left, high, best_match, least_norm = block(s, p, units, cat["rear_guard"])
    cat["rear_held"], cat["rear_held_match"] = high, best_match
    cat["rear_held_norm"] = least_norm
    cat["rear_keeper"] = cat["rear_guard"] if left < units else -1
    return left


@jit
def meet_and_block(s: State, p: int) -> int:
    """How those answer to box p that it might join: others of H before it in its own cluster.

    Those that its guards are in the way of are out. The rest is `LISTED`; returns how many.
    """
    cat, units, at, home = s.cat[p], 0, 0, s.label[LIVE, p]
    while s.label[INACTIVE, at] != p:
        j = s.label[INACTIVE, at]
        at += 1
        if s.label[LIVE, j] == home and s.label[RESTING, j] == 1:
            s.scan[ACTIVATION, j], s.scan[MATCH, j] = answer(s, j, p)
            s.label[LISTED, units] = j
            units += 1
    cat["stuck"] = -1
    cat["rivals"] = 0
    cat["also_rivals"] = 0
    cat["lead"] = -math.inf
    cat["stop"] = -math.inf
    cat["open"] = math.inf
    cat["bar"] = math.inf
    cat["room"] = math.inf
    return block_in_rear(s, p, block_in_front(s, p, units))


@jit
def how_open_ones_answer(s: State, units: int) -> tuple[float, float, float]:
    """The least and greatest activation, and the greatest match, of those that are listed."""
    low, high, best_match = math.inf, -math.inf, -math.inf
    for i in range(units):
        j = s.label[LISTED, i]
        activation, match = s.scan[ACTIVATION, j], s.scan[MATCH, j]
        low, high, best_match = min(low, activation), max(high, activation), max(best_match, match)
    return low, high, best_match


@jit
def block(s: State, p: int, units: int, guard: int) -> tuple[int, float, float, float]:
    """A guard may keep box p from some that it might join, whatever others do. Others stay listed.

    Returns how many these are; and of those that are out (match -inf), how active they are at most,
    how well they match, and the least of their norms and the guard's. Notes how much room there is.
    """
    high, best_match, least_norm, left = -math.inf, -math.inf, math.inf, 0
    if guard < 0 or s.cat[guard]["n"] == 0 or not s.params[0]["epsilon"] >= 0.0:
        return units, high, best_match, least_norm
    if units == 0 or not may_be_in_the_way(s, guard, p):
        return units, high, best_match, least_norm
    own_activation, own_match = answer(s, guard, p)
    least_norm = s.scan[NORM, guard]
    for i in range(units):
        j = s.label[LISTED, i]
        activation, match = s.scan[ACTIVATION, j], s.scan[MATCH, j]
        if own_activation > activation + 2.0 * TIE and is_in_the_way(s, own_match, match):
            high, best_match = max(high, activation), max(best_match, match)
            least_norm = min(least_norm, s.scan[NORM, j])
            s.scan[MATCH, j] = -math.inf
        else:
            s.label[LISTED, left] = j
            left += 1
    if left < units:
        depend_on(s, p, guard)
        room = room_between(s, own_activation - high, own_match - best_match, least_norm)
        s.cat[p]["room"] = min(s.cat[p]["room"], room)
    return left, high, best_match, least_norm


@jit
def list_rivals(s: State, p: int, found: int) -> int:
    """List the rivals that have been found, but for those that guards are in the way of.

    They are `LISTED`, active ones first; how they answer, or upper bounds, in `scan`. What is exact
    is marked by ``~j`` instead of j.
    """
    count = 0
    for resting in range(2):
        for i in range(found):
            j = s.label[TRIAL, i]
            if s.label[RESTING, j] == resting:
                if s.label[LIVE, j] != s.label[LIVE, p] or s.scan[MATCH, j] > -math.inf:
                    s.label[LISTED, count] = j
                    count += 1
    answer_all(s, p, count)
    return count


@jit
def answer_all(s: State, p: int, count: int) -> None:
    """How all of the list answer to box p; with coarse copies, upper bounds (`coarse_joints`)."""
    for i in range(count):
        j = s.label[LISTED, i]
        if s.coarse.shape[2] > 0:
            joint = s.scan[FREE, j]
            s.scan[ACTIVATION, i] = joint / (s.params[0]["alpha"] + s.scan[NORM, j])
            s.scan[MATCH, i] = joint / s.feature.shape[1]
        else:
            answer_listed(s, p, i)


@jit
def answer_listed(s: State, p: int, i: int) -> None:
    """How the i-th of the list answers to box p, exactly."""
    j = s.label[LISTED, i]
    s.scan[ACTIVATION, i], s.scan[MATCH, i] = answer(s, j, p)
    s.label[LISTED, i] = ~j


@jit
def next_listed(s: State, p: int, count: int, rho: float, last: int) -> int:
    """The place in the list of the most active one after `last` that passes vigilance, or -1.

    Those whose upper bounds do not rule them out are asked: the highest first, then all that might
    still be as active.
    """
    activation, match = s.scan[ACTIVATION], s.scan[MATCH]
    while True:
        found, bound = -1, -1
        for i in range(count):
            if match[i] < rho - TIE:
                continue
            if s.label[LISTED, i] >= 0:
                if bound < 0 or activation[i] > activation[bound]:
                    bound = i
            elif comes_after(activation, i, last):
                if found < 0 or activation[i] > activation[found] + TIE:
                    found = i
        least = activation[found] - 2.0 * TIE if found >= 0 else -math.inf
        if bound < 0 or activation[bound] < least:
            return found
        answer_listed(s, p, bound)
        if match[bound] >= rho - TIE and comes_after(activation, bound, last):
            least = max(least, activation[bound] - 2.0 * TIE)
        if least == -math.inf:
            continue
        for i in range(count):
            if s.label[LISTED, i] >= 0 and match[i] >= rho - TIE and activation[i] >= least:
                answer_listed(s, p, i)
                if match[i] >= rho - TIE and comes_after(activation, i, last):
                    least = max(least, activation[i] - 2.0 * TIE)
