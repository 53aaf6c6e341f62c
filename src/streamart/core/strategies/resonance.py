"""What a box of H finds when it is presented to the compressor for the first time.

Of those that it might join, its guards may be in the way of some or all; coarse copies of the boxes
say mostly what becomes of the rest; otherwise others are asked exactly, in the order in which they
come. If it finds nothing, it is noted what that depends on (`standstill`).
"""

import math

from ..._jit import TIE, jit
from ...icvi.state import (
    ACTIVATION,
    ACTIVATION_LISTED,
    FREE,
    INACTIVE,
    LISTED,
    LIVE,
    MATCH,
    MATCH_LISTED,
    NORM,
    PLACE,
    RESTING,
    TRIAL,
    State,
)
from ..map_field import tracked
from ..module_a import comes_after
from .standstill import (
    answer,
    depend_on,
    is_behind_as_it_is,
    is_in_the_way,
    is_met,
    may_be_in_the_way,
    other_bit,
    room_between,
    row_bit,
)
from .told import joints_as_told, tell_exactly

# What a box joins is not known yet
ASKED = -2
# Two are equally active
TIED = -2


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
    found, rivals, also_rivals = find_rivals(s, p, low - 2.0 * TIE), 0, 0
    if s.coarse.shape[2] > 0 and epsilon >= 0.0:
        joins, units = at_a_glance(s, p, units, found, high, best_match)
        if joins != ASKED:
            return joins
        low, high, best_match = how_open_ones_answer(s, units)
    least, guard, guard_match = low - 2.0 * TIE, -1, -math.inf
    lead, lead_rho, stop, stop_rho = -math.inf, -math.inf, -math.inf, -math.inf
    count, is_sorted = list_rivals(s, p, units, found), False
    while True:
        if not is_sorted:
            last = next_clear(s, p, count, rho)
            if last == TIED:
                sort_listed(s, count)
                is_sorted, last = True, -1  # whoever came before does not pass vigilance now
        if is_sorted:
            last = next_listed(s, p, count, rho, last)
        if last < 0:
            break
        j, activation = ~s.label[LISTED, last], s.scan[ACTIVATION_LISTED, last]
        match = s.scan[MATCH_LISTED, last]
        if not is_sorted:
            s.scan[MATCH_LISTED, last] = -math.inf  # it has had its turn
        if s.label[LIVE, j] == s.label[LIVE, p]:
            return j
        rivals |= row_bit(j)
        also_rivals |= other_bit(j)
        if match > guard_match:
            guard, guard_match = j, match
        rho = tracked(match, epsilon, 0)
        if epsilon >= 4.0 * TIE:  # so that vigilance never falls
            stop, stop_rho = activation, rho
            if lead == -math.inf:
                lead, lead_rho = stop, stop_rho
        if rho > best_match + 4.0 * TIE and epsilon >= 0.0:
            if activation > high + 4.0 * TIE:  # all fail, whatever comes between
                least = activation - 2.0 * TIE
                break
    list_units_again(s, units, found)
    if put_guard(s, p, units, guard) > 0:  # guards are not enough
        s.cat[p]["rivals"] |= rivals
        s.cat[p]["also_rivals"] |= also_rivals
        s.cat[p]["bar"], s.cat[p]["lead"], s.cat[p]["lead_rho"] = least, lead, lead_rho
        s.cat[p]["stop"], s.cat[p]["stop_rho"] = stop, stop_rho
        s.cat[p]["open"], s.cat[p]["open_match"] = high, best_match
        s.cat[p]["room"] = 0.0
    return -1


@jit
def find_rivals(s: State, p: int, least: float) -> int:
    """Those of other clusters that may matter to box p, and how many.

    That is, those that the compressor has when p is presented, and that are not less active than
    `least`. Their rows are written into the room of the trial partition's labels. With coarse
    copies, upper bounds of how all rows answer, not yet divided, are in ``scan[FREE]``.
    """
    if s.coarse.shape[2] > 0:
        return list_active(s, p, least)
    count = 0
    for place in range(s.now[0]["categories"]):
        j = s.order[place]
        if s.label[LIVE, j] != s.label[LIVE, p] and is_met(s, j, p):
            if not is_behind_as_it_is(s, j, p, least):
                s.label[TRIAL, count] = j
                count += 1
    return count


@jit
def list_active(s: State, p: int, least: float) -> int:
    """The same by coarse copies.

    Without branches: nobody knows which they are, and a wrong guess takes longer than all of it.
    """
    joints, norms, alpha = s.scan[FREE], s.scan[NORM], s.params[0]["alpha"]
    listed, label, resting, places = s.label[TRIAL], s.label[LIVE], s.label[RESTING], s.label[PLACE]
    home, place, found, count = label[p], places[p], 0, 0
    joints_as_told(s, p)
    for j in range(s.now[0]["rows"]):
        listed[found] = j
        met = int(resting[j] == 0) | (int(resting[j] == 1) & int(places[j] < place))
        met &= int(label[j] != home)
        found += met & int(joints[j] >= least * (alpha + norms[j]))
    if least * alpha > 2.0 * TIE * s.feature.shape[1]:
        return found  # more than nobody's rows reach, whose norm is 0
    for i in range(found):
        j = listed[i]
        if s.cat[j]["n"] > 0:
            listed[count] = j
            count += 1
    return count


@jit
def at_a_glance(
    s: State, p: int, units: int, found: int, high: float, best_match: float
) -> tuple[int, int]:
    """The same by coarse copies, for MT+, if they tell; `ASKED` otherwise.

    Of those that it might join, which are at most so active and match so well, the most active one
    is joined if it matches better than all others that may be more active. Of those that may be
    more active, and match better than all that it might join, one is tried as a guard. The second
    answer is how many are listed then.
    """
    norms, joints, d, guard = s.scan[NORM], s.scan[FREE], float(s.feature.shape[1]), -1
    alpha, greatest = s.params[0]["alpha"], -math.inf
    for i in range(found):
        j = s.label[TRIAL, i]
        if joints[j] > greatest and joints[j] > (high - 4.0 * TIE) * (alpha + norms[j]):
            guard, greatest = j, joints[j]
    vigilance = max(s.params[0]["rho_c"], greatest / d + s.params[0]["epsilon"])
    unit, as_active = -1, 0
    for i in range(units):
        j = s.label[LISTED, i]
        if s.scan[ACTIVATION, j] > high - 4.0 * TIE:
            unit, as_active = j, as_active + 1
    if as_active == 1 and s.scan[MATCH, unit] > vigilance + 4.0 * TIE:
        return unit, units
    if guard >= 0 and greatest / d > best_match + 2.0 * TIE:
        units = put_guard(s, p, units, guard)
    return (-1 if units == 0 else ASKED), units


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
    how well they match, and the least of their norms. Notes how much room there is.
    """
    high, best_match, least_norm, left = -math.inf, -math.inf, math.inf, 0
    if guard < 0 or s.cat[guard]["n"] == 0 or not s.params[0]["epsilon"] >= 0.0:
        return units, high, best_match, least_norm
    if units == 0 or not may_be_in_the_way(s, guard, p):
        return units, high, best_match, least_norm
    own_activation, own_match = answer(s, guard, p)
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
def list_rivals(s: State, p: int, units: int, found: int) -> int:
    """List those that box p might join, then the rivals that have been found; how many they are.

    Those that p might join are kept after the rivals as well.
    """
    for i in range(units):
        j = s.label[LISTED, i]
        s.label[TRIAL, found + i] = j
        s.label[LISTED, i] = ~j
        s.scan[ACTIVATION_LISTED, i] = s.scan[ACTIVATION, j]
        s.scan[MATCH_LISTED, i] = s.scan[MATCH, j]
    for i in range(found):
        put_in_list(s, p, units + i, s.label[TRIAL, i])
    return units + found


@jit
def list_units_again(s: State, units: int, found: int) -> None:
    for i in range(units):
        s.label[LISTED, i] = s.label[TRIAL, found + i]


@jit
def put_in_list(s: State, p: int, i: int, j: int) -> None:
    """Category j is the i-th of the list; how it answers to box p, beside it.

    With coarse copies, that is upper bounds (`coarse_joints`). What is exact is marked by ``~j``
    instead of j.
    """
    s.label[LISTED, i] = j
    if s.coarse.shape[2] > 0:
        joint = s.scan[FREE, j]
        s.scan[ACTIVATION_LISTED, i] = joint / (s.params[0]["alpha"] + s.scan[NORM, j])
        s.scan[MATCH_LISTED, i] = joint / s.feature.shape[1]
    else:
        answer_listed(s, p, i)


@jit
def answer_listed(s: State, p: int, i: int) -> None:
    """How the i-th of the list answers to box p, exactly."""
    j = s.label[LISTED, i]
    s.scan[ACTIVATION_LISTED, i], s.scan[MATCH_LISTED, i] = answer(s, j, p)
    s.label[LISTED, i] = ~j
    if s.coarse.shape[2] > 0:
        tell_exactly(s, p, j, s.scan[MATCH_LISTED, i] * s.feature.shape[1])


@jit
def sort_listed(s: State, count: int) -> None:
    """In the order in which the compressor has them."""
    listed, activation, match = s.label[LISTED], s.scan[ACTIVATION_LISTED], s.scan[MATCH_LISTED]
    for i in range(1, count):
        at = i
        while at > 0 and turn_of(s, listed[at - 1]) > turn_of(s, listed[at]):
            for column in (activation, match):
                column[at - 1], column[at] = column[at], column[at - 1]
            listed[at - 1], listed[at] = listed[at], listed[at - 1]
            at -= 1


@jit
def turn_of(s: State, marked: int) -> int:
    """Active ones come first, then those of H."""
    j = marked if marked >= 0 else ~marked
    return s.label[PLACE, j] + s.label[RESTING, j] * s.now[0]["categories"]


@jit
def next_clear(s: State, p: int, count: int, rho: float) -> int:
    """The place in the list of the most active one that passes vigilance, or -1, or `TIED`.

    For MT+: whoever came before, or failed, does not pass now, and who comes first in the order
    matters only in a tie. Those whose upper bounds do not rule them out are asked: the highest
    first, then all that might still be as active.
    """
    activation, match, listed = s.scan[ACTIVATION_LISTED], s.scan[MATCH_LISTED], s.label[LISTED]
    if not s.params[0]["epsilon"] >= 4.0 * TIE:
        return TIED
    while True:
        first, most, second, asked = -1, -math.inf, -math.inf, False
        for i in range(count):
            if activation[i] > second and match[i] >= rho - TIE:
                second = activation[i]
                if second > most:
                    first, most, second = i, second, most
        if first < 0:
            return -1
        if listed[first] < 0 and most - second > 4.0 * TIE:
            return first
        least = second - 4.0 * TIE
        if listed[first] >= 0:
            answer_listed(s, p, first)
            asked = True
            if match[first] >= rho - TIE:
                least = activation[first] - 4.0 * TIE
        for i in range(count):
            if activation[i] >= least and match[i] >= rho - TIE and listed[i] >= 0:
                answer_listed(s, p, i)
                asked = True
                if match[i] >= rho - TIE:
                    least = max(least, activation[i] - 4.0 * TIE)
        if not asked:
            return TIED


@jit
def next_listed(s: State, p: int, count: int, rho: float, last: int) -> int:
    """The place in the list of the most active one after `last` that passes vigilance, or -1.

    The list is in order. Who is asked: as in `next_clear`.
    """
    activation, match = s.scan[ACTIVATION_LISTED], s.scan[MATCH_LISTED]
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
