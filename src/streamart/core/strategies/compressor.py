"""The compressor: a modified fuzzy ARTMAP in which active categories compete but never resonate.

Its units are the active categories, then those that it makes of inactive ones (H). What a box of H
chooses, and proofs that spare the search: that it finds itself, that it chooses what it chose
before, that what was in the way still is, that a unit comes too late to matter.
"""

import math
from typing import NamedTuple

import numpy as np

from ..._jit import TIE, jit
from ..._typing import Floats, Ints, Records
from ...icvi.footprints import assign
from ...icvi.state import ACTIVATION, HI, LIVE, LO, MATCH, NORM, PER_RANGE, State
from ..map_field import tracked
from ..module_a import comes_after, growth_to_hold, joint_norm
from .standstill import (
    is_behind_as_it_is,
    is_in_the_way,
    is_stuck,
    row_bit,
)

UNIT = np.dtype(
    [
        ("label", "i8"),
        ("creator", "i8"),  # category whose box it was first, or which it is
        ("own", "i8"),  # where its own box is, -1 while it has that of its creator
        ("place", "i8"),  # where it goes in the end, -1 for one that nobody chose
        ("heir", "i8"),  # the category that it becomes: the first that chose it
    ]
)
SHOWN = np.dtype(
    [
        ("category", "i8"),
        ("chosen", "i8"),
        ("clear", "f8"),  # no unit of another cluster was as active as this, when it chose,
        ("seen", "i8"),  # of as many as there were then
    ]
)


class Compressor(NamedTuple):
    """The modified fuzzy ARTMAP, active categories first, then its own; and room to work."""

    unit: Records
    norm: Floats  # |w| of each
    box: Floats  # lower and upper corner of those that have learnt
    owner: Ints  # whose box each of these is
    scan: Floats  # how each answers to the present box
    shown: Records  # H, and what each of it chose
    last: Floats  # the box that each of H chose in the epoch before
    order: Ints  # the categories in their new order
    row: Floats  # rows of W^ab as they were


@jit
def put(s: State, net: Compressor, j: int, p: int) -> None:
    """The j-th of the compressor begins as category p."""
    net.unit[j]["label"] = s.label[LIVE, p]
    net.unit[j]["creator"] = p
    net.unit[j]["own"] = -1
    net.norm[j] = s.scan[NORM, p]
    s.cat[p]["mark"] = j


@jit
def take_box(s: State, net: Compressor, j: int, place: int) -> None:
    """The j-th of the compressor gets a box of its own, to learn."""
    net.unit[j]["own"] = place
    net.owner[place] = j
    assign(net.box[LO, place], s.box[LO, net.unit[j]["creator"]])
    assign(net.box[HI, place], s.box[HI, net.unit[j]["creator"]])


@jit
def finds_itself(
    s: State, net: Compressor, count: int, boxes: int, thorough: bool, own: int, p: int
) -> bool:
    """Proof that box p resonates with the unit `own`, which holds it (to 1 TIE).

    So its activation is |own| / (alpha + |own|). No other unit j has a greater one
    than min(|w_j|, |p|) / (alpha + |w_j|), so nearly all are ruled out by their norm alone. Unless
    `thorough`, those with a box of their own are all that may have changed since this was last
    proven.
    """
    alpha, norm = s.params[0]["alpha"], net.norm[own]
    if norm / s.feature.shape[1] < s.params[0]["rho_c"] or s.params[0]["prove"] == 0:
        return False
    lowest = norm / (alpha + norm) - 3.0 * TIE  # of those that might come first
    if lowest <= 0.0:
        return False
    smallest, greatest = lowest * alpha / (1.0 - lowest), s.scan[NORM, p] / lowest - alpha
    if not thorough:
        for place in range(boxes):
            j = net.owner[place]
            if j == own:
                continue
            if smallest <= net.norm[j] <= greatest and not is_elsewhere(s, net, j, p, lowest):
                if activation_and_match(s, net, j, p)[0] >= lowest:
                    return False
        return True
    if how_many_between(net.norm, count, smallest, greatest) == 1:
        return True
    for j in range(count):
        if j != own and smallest <= net.norm[j] <= greatest:
            if is_elsewhere(s, net, j, p, lowest):
                continue
            if activation_and_match(s, net, j, p)[0] >= lowest:
                return False
    return True


@jit
def how_many_between(norm: Floats, count: int, smallest: float, greatest: float) -> int:
    found = 0
    for j in range(count):
        # Not "a <= x <= b": without branches, several are compared at once.
        found += int(norm[j] >= smallest) & int(norm[j] <= greatest)
    return found


@jit
def is_elsewhere(s: State, net: Compressor, j: int, p: int, least: float) -> bool:
    """Proof by the first feature that the activation of unit j by box p is below `least`.

    That does where only a copy of p would reach it.
    """
    norm, at, own = net.norm[j], net.unit[j]["creator"], net.unit[j]["own"]
    lo, hi = s.box[LO, at, 0], s.box[HI, at, 0]
    if own >= 0:
        lo, hi = net.box[LO, own, 0], net.box[HI, own, 0]
    growth = max(s.box[HI, p, 0] - hi, 0.0) + max(lo - s.box[LO, p, 0], 0.0)
    allowed = norm - least * (s.params[0]["alpha"] + norm) + TIE * s.feature.shape[1]
    return s.feature[PER_RANGE, 0] * growth > allowed


@jit
def activation_and_match(s: State, net: Compressor, j: int, p: int) -> tuple[float, float]:
    """How the j-th of the compressor answers to box p."""
    at, own = net.unit[j]["creator"], net.unit[j]["own"]
    lo, hi = s.box[LO, at], s.box[HI, at]
    if own >= 0:
        lo, hi = net.box[LO, own], net.box[HI, own]
    joint = joint_norm(s.feature[PER_RANGE], lo, hi, s.box[LO, p], s.box[HI, p])
    return joint / (s.params[0]["alpha"] + net.norm[j]), joint / s.feature.shape[1]


@jit
def is_behind(s: State, net: Compressor, j: int, p: int, least: float) -> bool:
    """Proof that the activation of unit j by box p is below `least`."""
    own = net.unit[j]["own"]
    if own < 0:
        return is_behind_as_it_is(s, net.unit[j]["creator"], p, least)
    per_range, norm = s.feature[PER_RANGE], net.norm[j]
    allowed = norm - least * (s.params[0]["alpha"] + norm) + TIE * per_range.shape[0]
    lo, hi = net.box[LO, own], net.box[HI, own]
    return growth_to_hold(per_range, lo, hi, s.box[LO, p], s.box[HI, p]) > allowed


@jit
def chooses_again(
    s: State, net: Compressor, count: int, boxes: int, thorough: bool, h: int
) -> bool:
    """Proof that the h-th of H chooses what it chose in the epoch before.

    Only units with a box of their own have changed, and others may have been added.
    """
    p, chosen = net.shown[h]["category"], net.shown[h]["chosen"]
    if net.unit[chosen]["creator"] == p and net.norm[chosen] == s.scan[NORM, p]:
        return finds_itself(s, net, count, boxes, thorough, chosen, p)
    activation, match = activation_and_match(s, net, chosen, p)
    if activation >= net.norm[chosen] / (s.params[0]["alpha"] + net.norm[chosen]) - TIE:
        return finds_itself(s, net, count, boxes, True, chosen, p)
    if not activation >= net.shown[h]["clear"] or match < s.params[0]["rho_c"]:
        return False
    for place in range(boxes):
        if might_come_before(s, net, net.owner[place], chosen, p, activation):
            return False
    for j in range(net.shown[h]["seen"], count):
        if might_come_before(s, net, j, chosen, p, activation):
            return False
    return True


@jit
def might_come_before(
    s: State, net: Compressor, j: int, chosen: int, p: int, activation: float
) -> bool:
    """Might box p be asked about unit j before the one it chose, which is so active?"""
    if j == chosen:
        return False
    if net.unit[j]["label"] == net.unit[chosen]["label"]:
        return True
    return not is_behind(s, net, j, p, activation - 2.0 * TIE)


@jit
def remains_stuck(s: State, net: Compressor, boxes: int, gone: int, p: int) -> bool:
    """`is_stuck`, and no unit that has learnt matters, nor one that would be there had not its box
    joined another (`gone`, a bit for each row)."""
    if s.params[0]["prove"] == 0 or not is_stuck(s, p) or s.cat[p]["rivals"] & gone != 0:
        return False
    for place in range(boxes):
        j = net.owner[place]
        if net.unit[j]["label"] == s.label[LIVE, p]:
            return False
        if s.cat[p]["rivals"] & row_bit(net.unit[j]["creator"]) != 0:
            return False
        bar = s.cat[p]["bar"]
        if bar < math.inf and not is_behind(s, net, j, p, bar):
            return False
    return True


@jit
def choose(s: State, net: Compressor, count: int, frozen: int, h: int) -> int:
    """The resonant category for the h-th box of H; -1 if a new one is needed.

    Only the compressor's own of the same cluster can be it. Those that something is still in the
    way of are out. The most active of the others is searched for, then all that are left at once.
    """
    p = net.shown[h]["category"]
    label, unit, first, found = s.label[LIVE, p], net.unit, -1, -1
    activation, match = net.scan[ACTIVATION], net.scan[MATCH]
    for j in range(frozen, count):
        if unit[j]["label"] == label:
            activation[j], match[j] = activation_and_match(s, net, j, p)
            if first < 0 or activation[j] > activation[first] + TIE:
                first = j
    searched = s.params[0]["prove"] == 0
    s.cat[p]["stuck"] = -1
    s.cat[p]["keeper"] = -1
    s.cat[p]["rear_keeper"] = -1
    s.cat[p]["rivals"] = 0
    s.cat[p]["also_rivals"] = -1  # all
    s.cat[p]["lead"] = -math.inf
    s.cat[p]["stop"] = -math.inf
    s.cat[p]["open"] = math.inf
    s.cat[p]["bar"] = math.inf
    s.cat[p]["room"] = 0.0
    least_guard = math.inf  # activation of what is in the way
    while True:
        least_guard = min(least_guard, block(s, net, count, frozen, p, s.cat[p]["guard"]))
        least_guard = min(least_guard, block(s, net, count, frozen, p, s.cat[p]["rear_guard"]))
        candidate, last = first_and_last_open(net, count, frozen, label)
        if candidate < 0:
            break
        if searched:
            candidate = last
        found, guard = search_down_to(s, net, count, frozen, h, candidate, not searched)
        if found >= 0:
            break
        if guard >= 0:
            s.cat[p]["rivals"] |= row_bit(guard)
            least_guard = min(least_guard, activation[s.cat[guard]["mark"]])
            if candidate == first:
                s.cat[p]["guard"] = guard
            else:
                s.cat[p]["rear_guard"] = guard
        if candidate == last:
            break
        match[candidate] = -math.inf
        searched = True
    if s.cat[p]["bar"] < math.inf:  # all rivals are as active as the bar says
        s.cat[p]["bar"] = min(s.cat[p]["bar"], least_guard)
    return found


@jit
def block(s: State, net: Compressor, count: int, frozen: int, p: int, guard: int) -> float:
    """What was in the way last time may still be: then units fail vigilance (match -inf).

    Returns how active it is; infinite if it is nothing.
    """
    if guard < 0 or s.cat[guard]["n"] == 0 or not s.params[0]["epsilon"] >= 0.0:
        return math.inf
    at, label = s.cat[guard]["mark"], s.label[LIVE, p]
    if at < 0 or net.unit[at]["label"] == label or s.params[0]["prove"] == 0:
        return math.inf
    s.cat[p]["rivals"] |= row_bit(guard)
    activation, match = activation_and_match(s, net, at, p)
    for j in range(frozen, count):
        if net.unit[j]["label"] == label:
            if activation > net.scan[ACTIVATION, j] + 2.0 * TIE:
                if is_in_the_way(s, match, net.scan[MATCH, j]):
                    net.scan[MATCH, j] = -math.inf
    return activation


@jit
def first_and_last_open(net: Compressor, count: int, frozen: int, label: int) -> tuple[int, int]:
    """The most and the least active of the compressor's own units that may resonate, or -1, -1."""
    first, last, activation = -1, -1, net.scan[ACTIVATION]
    for j in range(frozen, count):
        if net.unit[j]["label"] == label and net.scan[MATCH, j] > -math.inf:
            if first < 0 or activation[j] > activation[first] + TIE:
                first = j
            if last < 0 or not comes_after(activation, last, j):
                last = j
    return first, last


@jit
def search_down_to(
    s: State, net: Compressor, count: int, frozen: int, h: int, candidate: int, only: bool
) -> tuple[int, int]:
    """The resonant unit among those that are at least as active as this candidate, or -1.

    Of the units of other clusters, only such need be looked at closely. The second answer is the
    category that is most in the way, -1 for none. `only`: no other unit is in question.
    """
    p = net.shown[h]["category"]
    params, label, unit = s.params[0], s.label[LIVE, p], net.unit
    activation, match = net.scan[ACTIVATION], net.scan[MATCH]
    least, clear, guard = activation[candidate] - 2.0 * TIE, True, -1
    # With few features it is as quick to look at everything.
    prove = params["prove"] == 1 and s.coarse.shape[2] > 0
    known = params["prove"] == 1 and not (prove or only)  # by the search for the first
    most, best_match = -math.inf, -math.inf  # of those in question
    for j in range(count):
        if unit[j]["label"] != label:
            if prove and is_behind(s, net, j, p, least):
                match[j] = -math.inf
            else:
                if not known:
                    activation[j], match[j] = activation_and_match(s, net, j, p)
                clear = clear and activation[j] < least
                if activation[j] > least + 4.0 * TIE and (guard < 0 or match[j] > match[guard]):
                    guard = j
        elif j < frozen:
            match[j] = -math.inf  # never resonates
        elif not comes_after(activation, j, candidate):
            most, best_match = max(most, activation[j]), max(best_match, match[j])
    if clear:
        net.shown[h]["clear"] = least
        net.shown[h]["seen"] = count
    if only and guard >= 0 and params["epsilon"] >= 0.0:
        if is_in_the_way(s, match[guard], match[candidate]):
            return -1, unit[guard]["creator"]
    rho, last = params["rho_c"], -1
    while True:
        found = -1
        for j in range(count):
            if (
                match[j] >= rho - TIE
                and comes_after(activation, j, last)
                and (found < 0 or activation[j] > activation[found] + TIE)
                and not (unit[j]["label"] == label and comes_after(activation, j, candidate))
            ):
                found = j
        if found < 0 or unit[found]["label"] == label:
            break
        rho = tracked(match[found], params["epsilon"], 0)
        last = found
        if rho > best_match + 4.0 * TIE and params["epsilon"] >= 0.0 and params["prove"] == 1:
            if activation[found] > most + 4.0 * TIE:  # nothing in question will pass, or has
                least, found = activation[found] - 2.0 * TIE, -1
                break
    if found < 0:
        depend_on(s, net, count, p, least)
    return found, unit[guard]["creator"] if guard >= 0 else -1


@jit
def depend_on(s: State, net: Compressor, count: int, p: int, least: float) -> None:
    """Box p has found nothing, whatever units of other clusters do that are less active than so."""
    for j in range(count):
        if net.unit[j]["label"] != s.label[LIVE, p] and net.scan[MATCH, j] > -math.inf:
            if net.scan[ACTIVATION, j] >= least:
                s.cat[p]["rivals"] |= row_bit(net.unit[j]["creator"])
    s.cat[p]["bar"] = min(s.cat[p]["bar"], least)
