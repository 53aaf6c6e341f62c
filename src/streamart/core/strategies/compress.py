"""Compress: inactive categories of one cluster become fewer, by a fuzzy ARTMAP trained on them.

The categories inactive for at least xi samples (H) are presented, box and cluster, to a modified
fuzzy ARTMAP in which the active ones (not H) compete but never resonate: one of the same cluster is
passed over, one of another cluster engages match tracking. Epochs go on until each box of H finds
what it found in the epoch before; the result replaces the categories if there are fewer.
"""

import math
from typing import NamedTuple

import numpy as np

from ..._jit import TIE, jit, jit_alloc, jit_entry, jit_part
from ..._typing import Floats, Ints, Records
from ...icvi.footprints import assign, merge_into
from ...icvi.links import join_links
from ...icvi.partition import rebuild
from ...icvi.state import ACTIVATION, HI, LIVE, LO, MATCH, MEAN, PER_RANGE, UNKNOWN, State
from ..map_field import tracked
from ..module_a import (
    box_norm,
    comes_after,
    growth_to_hold,
    joint_norm,
    learn_box,
    write_front,
)

# A box that moved by less than this share of the range did not move (beta1 < 1 only creeps).
STILL = 1e-9
# Epochs at most; with beta1 = 1 a handful is enough.
MAX_EPOCHS = 100
_UNIT = np.dtype(
    [
        ("label", "i8"),
        ("creator", "i8"),  # category whose box it was first, or which it is
        ("own", "i8"),  # where its own box is, -1 while it has that of its creator
        ("place", "i8"),  # where it goes in the end, -1 for one that nobody chose
        ("heir", "i8"),  # the category that it becomes: the first that chose it
    ]
)
_SHOWN = np.dtype(
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
def compression_is_due(s: State) -> bool:
    """Notes who is in H. Due if two of H share a cluster, so that one could go, unless nothing
    that the compressor sees has changed since it last found nothing."""
    categories, shared = s.now[0]["categories"], False
    settled = s.now[0]["settled"] == 1 and s.params[0]["prove"] == 1
    for c in range(s.now[LIVE]["k"]):
        s.clu[LIVE, c]["wanted"] = 0
    for place in range(categories):
        p = s.order[place]
        inactive = 1 if s.now[0]["n"] - s.cat[p]["won"] >= s.params[0]["xi"] else 0
        if inactive == 1:
            cluster = s.clu[LIVE, s.label[LIVE, p]]
            cluster["wanted"] += 1
            shared = shared or cluster["wanted"] > 1
        if s.cat[p]["resting"] != inactive:
            settled = False
            s.cat[p]["resting"] = inactive
    if shared and settled:
        s.now[0]["compress_proofs"] += 1
    return shared and not settled


@jit_entry
def compress_inactive(s: State) -> None:
    """The strategy. Not part of the main loop: compiled when it is first needed."""
    s.now[0]["compressions"] += 1
    before, inactive = s.now[0]["categories"], 0
    for place in range(before):
        inactive += s.cat[s.order[place]]["resting"]
    make_room_and_compress(s, inactive)
    s.now[0]["settled"] = 1 if s.now[0]["categories"] == before else 0


@jit_alloc
def make_room_and_compress(s: State, inactive: int) -> None:
    """Makes all arrays, in a function that does nothing else: counting references is much code."""
    categories, d, k = s.now[0]["categories"], s.feature.shape[1], s.now[LIVE]["k"]
    rows = 0 if s.weight is None else s.cat.shape[0]
    room = categories + inactive
    several = count_several(s)
    while not compress(
        s,
        s.attach,
        s.weight,
        Compressor(
            np.empty(room, dtype=_UNIT),
            np.empty(room),
            np.empty((2, several + room - categories - inactive, d)),
            np.empty(several + room - categories - inactive, dtype=np.int64),
            np.empty((2, room)),
            np.empty(inactive, dtype=_SHOWN),
            np.empty((2, several, d)),
            np.empty(categories, dtype=np.int64),
            np.empty((rows, k)),
        ),
    ):
        room *= 2


@jit
def count_several(s: State) -> int:
    """How many of H share their cluster with others of H."""
    several = 0
    for c in range(s.now[LIVE]["k"]):
        if s.clu[LIVE, c]["wanted"] > 1:
            several += s.clu[LIVE, c]["wanted"]
    return several


@jit
def compress(s: State, attach: Floats | None, weight: Floats | None, net: Compressor) -> bool:
    """Train the compressor, adopt its categories if they are fewer; False: too little room."""
    before = s.now[0]["categories"]
    count, h = 0, 0
    for place in range(before):
        p = s.order[place]
        if s.cat[p]["resting"] == 1:
            net.shown[h]["category"] = p
            s.cat[p]["mark"] = -1  # where it is among the units: not yet
            h += 1
        else:
            put(s, net, count, p)
            count += 1
    for c in range(s.now[LIVE]["k"]):
        s.clu[LIVE, c]["into_a"] = 0.0  # 1 when one of the compressor's own is for this cluster
    frozen, boxes, thorough, strays = count, 0, True, False
    for epoch in range(MAX_EPOCHS):
        changed, quiet, several, count_before = epoch == 0, True, 0, count
        for h in range(net.shown.shape[0]):
            p = net.shown[h]["category"]
            cluster = s.clu[LIVE, s.label[LIVE, p]]
            single, j = cluster["wanted"] == 1, -1
            if single and epoch > 0:
                if finds_itself(s, net, count, boxes, thorough, net.shown[h]["chosen"], p):
                    continue
                quiet, strays = False, True
            if not single and epoch > 0 and not strays and chooses_again(s, net, count, boxes, h):
                j = net.shown[h]["chosen"]
            else:
                net.shown[h]["clear"] = math.inf
                if cluster["into_a"] == 1.0 or s.params[0]["prove"] == 0:
                    j = choose(s, net, count, frozen, h)
            if j < 0:
                if count == net.unit.shape[0]:
                    return False
                j = count
                put(s, net, j, p)
                cluster["into_a"] = 1.0
                count += 1
                quiet = False
            if not single:
                if net.unit[j]["own"] < 0:
                    if boxes == net.box.shape[1]:
                        return False
                    take_box(s, net, j, boxes)
                    boxes += 1
                own = net.unit[j]["own"]
                lo, hi = net.box[LO, own], net.box[HI, own]
                if learn_box(lo, hi, s.box[LO, p], s.box[HI, p], s.params[0]["beta1"]):
                    net.norm[j] = box_norm(s.feature[PER_RANGE], lo, hi)
                    quiet = False
                if epoch > 0 and moved_since(s, net, own, several):
                    changed = True
                assign(net.last[LO, several], lo)
                assign(net.last[HI, several], hi)
                several += 1
            net.shown[h]["chosen"] = j
        if (
            quiet and s.params[0]["prove"] == 1
        ) or not changed:  # the next epoch would be like this one
            break
        # Of what was the same for a whole epoch, nothing need be proven again.
        thorough = epoch == 0 or count > count_before
    after = place_all(net, count, frozen)
    if after < before:
        adopt(s, attach, weight, net, count, frozen, after)
    return True


@jit
def put(s: State, net: Compressor, j: int, p: int) -> None:
    """The j-th of the compressor begins as category p."""
    net.unit[j]["label"] = s.label[LIVE, p]
    net.unit[j]["creator"] = p
    net.unit[j]["own"] = -1
    net.norm[j] = s.cat[p]["norm"]
    s.cat[p]["mark"] = j


@jit_part
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
    """Proof that box p resonates with the unit `own`, which is a copy of it.

    No other unit j has a greater activation than min(|w_j|, |p|) / (alpha + |w_j|), so nearly all
    are ruled out by their norm alone. Unless `thorough`, those with a box of their own are all that
    may have changed since this was last proven.
    """
    alpha, norm = s.params[0]["alpha"], s.cat[p]["norm"]
    if norm / s.feature.shape[1] < s.params[0]["rho_c"] or s.params[0]["prove"] == 0:
        return False
    lowest = norm / (alpha + norm) - 2.0 * TIE  # of those that might come first
    smallest, greatest = lowest * alpha / (1.0 - lowest), norm / lowest - alpha
    if not thorough:
        for place in range(boxes):
            j = net.owner[place]
            if smallest <= net.norm[j] <= greatest:
                if activation_and_match(s, net, j, p)[0] >= lowest:
                    return False
        return True
    if how_many_between(net.norm, count, smallest, greatest) == 1:
        return True
    for j in range(count):
        if j != own and smallest <= net.norm[j] <= greatest:
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


@jit_part
def lower_corner(s: State, net: Compressor, j: int) -> Floats:
    own = net.unit[j]["own"]
    return s.box[LO, net.unit[j]["creator"]] if own < 0 else net.box[LO, own]


@jit_part
def upper_corner(s: State, net: Compressor, j: int) -> Floats:
    own = net.unit[j]["own"]
    return s.box[HI, net.unit[j]["creator"]] if own < 0 else net.box[HI, own]


@jit
def activation_and_match(s: State, net: Compressor, j: int, p: int) -> tuple[float, float]:
    """How the j-th of the compressor answers to box p."""
    lo, hi = lower_corner(s, net, j), upper_corner(s, net, j)
    joint = joint_norm(s.feature[PER_RANGE], lo, hi, s.box[LO, p], s.box[HI, p])
    return joint / (s.params[0]["alpha"] + net.norm[j]), joint / s.feature.shape[1]


@jit
def is_behind(s: State, net: Compressor, j: int, p: int, least: float) -> bool:
    """Proof that the activation of unit j by box p is below `least`.

    A box of another cluster is mostly ruled out by the first few features.
    """
    per_range, norm = s.feature[PER_RANGE], net.norm[j]
    allowed = norm - least * (s.params[0]["alpha"] + norm) + TIE * per_range.shape[0]
    if net.unit[j]["own"] < 0:
        q = net.unit[j]["creator"]
        growth = growth_to_hold(
            per_range, s.front[LO, q], s.front[HI, q], s.front[LO, p], s.front[HI, p]
        )
        if growth > allowed:
            return True
    lo, hi = lower_corner(s, net, j), upper_corner(s, net, j)
    return growth_to_hold(per_range, lo, hi, s.box[LO, p], s.box[HI, p]) > allowed


@jit_part
def chooses_again(s: State, net: Compressor, count: int, boxes: int, h: int) -> bool:
    """Proof that the h-th of H chooses what it chose in the epoch before.

    Only units with a box of their own have changed, and others may have been added.
    """
    p, chosen = net.shown[h]["category"], net.shown[h]["chosen"]
    if net.norm[chosen] == s.cat[p]["norm"] and net.unit[chosen]["creator"] == p:
        return finds_itself(s, net, count, boxes, True, chosen, p)
    activation, match = activation_and_match(s, net, chosen, p)
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


@jit_part
def choose(s: State, net: Compressor, count: int, frozen: int, h: int) -> int:
    """The resonant category for the h-th box of H; -1 if a new one is needed.

    Only the compressor's own of the same cluster can be it: they are asked about one by one, the
    most active first.
    """
    p = net.shown[h]["category"]
    label, unit, activation, match = (
        s.label[LIVE, p],
        net.unit,
        net.scan[ACTIVATION],
        net.scan[MATCH],
    )
    last = -1
    for j in range(frozen, count):
        if unit[j]["label"] == label:
            activation[j], match[j] = activation_and_match(s, net, j, p)
            if last < 0 or not comes_after(activation, last, j):
                last = j
    found, candidate, searched = -1, -1, s.params[0]["prove"] == 0
    while found < 0 and candidate != last:
        following = -1
        for j in range(frozen, count):
            if (
                unit[j]["label"] == label
                and comes_after(activation, j, candidate)
                and (following < 0 or activation[j] > activation[following] + TIE)
            ):
                following = j
        candidate = following
        if not is_blocked(s, net, p, candidate):
            if searched:  # a second search answers for all that are left
                candidate = last
            found = search_down_to(s, net, count, frozen, h, candidate)
            searched = True
    return found


@jit
def is_blocked(s: State, net: Compressor, p: int, candidate: int) -> bool:
    """Proof that a unit fails vigilance: the one that was in the way last time still is.

    With MT+, once a unit of another cluster has been passed, only greater matches do.
    """
    guard = s.cat[p]["guard"]
    if guard < 0 or s.cat[guard]["n"] == 0 or not s.params[0]["epsilon"] >= 0.0:
        return False
    j = s.cat[guard]["mark"]
    if j < 0 or net.unit[j]["label"] == s.label[LIVE, p] or s.params[0]["prove"] == 0:
        return False
    activation, match = activation_and_match(s, net, j, p)
    return (
        activation > net.scan[ACTIVATION, candidate] + 2.0 * TIE
        and match > net.scan[MATCH, candidate] + 2.0 * TIE
    )


@jit
def search_down_to(
    s: State, net: Compressor, count: int, frozen: int, h: int, candidate: int
) -> int:
    """The resonant unit among those that are at least as active as this candidate, or -1.

    Of the units of other clusters, only such need be looked at closely.
    """
    p = net.shown[h]["category"]
    params, label, unit = s.params[0], s.label[LIVE, p], net.unit
    activation, match = net.scan[ACTIVATION], net.scan[MATCH]
    least, clear, guard = activation[candidate] - 2.0 * TIE, True, -1
    # With few features it is as quick to look at everything.
    prove = params["prove"] == 1 and s.front.shape[2] > 0
    for j in range(count):
        if unit[j]["label"] != label:
            if prove and is_behind(s, net, j, p, least):
                match[j] = -math.inf
            else:
                activation[j], match[j] = activation_and_match(s, net, j, p)
                clear = clear and activation[j] < least
                if activation[j] > least + 4.0 * TIE and (guard < 0 or match[j] > match[guard]):
                    guard = j
        elif j < frozen:
            match[j] = -math.inf  # never resonates
    if clear:
        net.shown[h]["clear"] = least
        net.shown[h]["seen"] = count
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
    if found < 0 and guard >= 0:
        s.cat[p]["guard"] = unit[guard]["creator"]
    return found


@jit_part
def moved_since(s: State, net: Compressor, own: int, place: int) -> bool:
    """Is this box another than the one that was chosen in the same place in the epoch before?"""
    for f in range(s.feature.shape[1]):
        step = max(
            abs(net.box[LO, own, f] - net.last[LO, place, f]),
            abs(net.box[HI, own, f] - net.last[HI, place, f]),
        )
        if s.feature[PER_RANGE, f] * step > STILL:
            return True
    return False


@jit_part
def place_all(net: Compressor, count: int, frozen: int) -> int:
    """Where the compressor's categories go in the new order. Returns how many there are."""
    unit, after = net.unit, frozen
    for j in range(count):
        unit[j]["place"] = j if j < frozen else -1
        unit[j]["heir"] = -1
    for h in range(net.shown.shape[0]):
        chosen = unit[net.shown[h]["chosen"]]
        if chosen["heir"] < 0:
            chosen["heir"] = net.shown[h]["category"]
    for j in range(frozen, count):
        if unit[j]["heir"] >= 0:
            unit[j]["place"] = after
            after += 1
    return after


@jit_part
def adopt(
    s: State,
    attach: Floats | None,
    weight: Floats | None,
    net: Compressor,
    count: int,
    frozen: int,
    after: int,
) -> None:
    """Replace the categories of H by the compressor's.

    Those that chose the same become one: the first of them, with the box that was learnt. In the
    order, the active ones come first, then what is left of H.
    """
    before, unit, gone = s.now[0]["categories"], net.unit, after
    if weight is not None:  # a compressed category has the row of the one it began as
        for row in range(net.row.shape[0]):
            assign(net.row[row], weight[row, : net.row.shape[1]])
    for j in range(count):
        if unit[j]["place"] >= 0:
            net.order[unit[j]["place"]] = unit[j]["creator"] if j < frozen else unit[j]["heir"]
    for h in range(net.shown.shape[0]):
        p, j = net.shown[h]["category"], net.shown[h]["chosen"]
        heir, own = unit[j]["heir"], unit[j]["own"]
        if p == heir:
            s.cat[p]["norm"] = net.norm[j]
            if own >= 0:
                assign(s.box[LO, p], net.box[LO, own])
                assign(s.box[HI, p], net.box[HI, own])
                write_front(s, p)
            if weight is not None:
                for c in range(net.row.shape[1]):
                    weight[p, c] = net.row[unit[j]["creator"], c]
        else:
            join_categories(s, heir, p)
            net.order[gone] = p
            gone += 1
    for place in range(before):
        s.order[place] = net.order[place]
    s.now[0]["categories"] = after
    if attach is not None:  # footprints of clusters stay, what hangs on CONN does not
        rebuild(s, s.top, attach, LIVE)


@jit_part
def join_categories(s: State, kept: int, gone: int) -> None:
    """All but the box: footprint, links, what was won last, and where its samples are."""
    old, merged, cluster = s.cat[gone], s.cat[kept], s.clu[LIVE, s.label[LIVE, kept]]
    merge_into(merged, s.box[MEAN, kept], old["n"], old["cp"], s.box[MEAN, gone])
    join_links(s, kept, gone)
    old["n"] = 0
    merged["won"] = max(merged["won"], old["won"])
    merged["loss"] = UNKNOWN
    if s.joined.shape[0] > 0:
        s.joined[old["slot"]] = merged["slot"]
    if s.now[0]["winner"] == gone:
        s.now[0]["winner"] = kept
    if s.now[0]["away"] in (kept, gone):
        s.now[0]["away"] = -1
    cluster["size"] -= 1
    cluster["changed"] = 1
