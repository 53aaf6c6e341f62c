"""Compress: inactive categories of one cluster become fewer, by a fuzzy ARTMAP trained on them.

The categories inactive for at least xi samples (H) are presented, box and cluster, to a modified
fuzzy ARTMAP in which the active ones (not H) compete but never resonate: one of the same cluster is
passed over, one of another cluster engages match tracking. Epochs go on until each box of H finds
what it found in the epoch before; the result replaces the categories if there are fewer.
"""

from typing import NamedTuple

import numpy as np

from ..._jit import TIE, jit, jit_alloc, jit_entry, jit_part
from ..._typing import Floats, Records
from ...icvi.footprints import assign, merge_into
from ...icvi.links import relabel_links
from ...icvi.partition import rebuild
from ...icvi.state import ACTIVATION, CATEGORY, HI, LIVE, LO, MATCH, MEAN, PER_RANGE, UNKNOWN, State
from ..map_field import tracked
from ..module_a import box_norm, comes_after, joint_norm, learn_box

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
    ]
)
_SHOWN = np.dtype([("category", "i8"), ("chosen", "i8")])


class Compressor(NamedTuple):
    """The modified fuzzy ARTMAP, active categories first, then its own; and room to work."""

    unit: Records
    norm: Floats  # |w| of each
    box: Floats  # lower and upper corner of those that have learnt
    scan: Floats  # how each answers to the present box
    shown: Records  # H, and what each of it chose
    last: Floats  # the box that each of H chose in the epoch before
    cat: Records  # the categories as they were
    kept: Floats  # box and mean of those that are left of H
    row: Floats  # rows of W^ab as they were


@jit
def compression_is_due(s: State) -> bool:
    """Notes who is in H. Due if two of H share a cluster, so that one could go, unless nothing
    that the compressor sees has changed since it last found nothing."""
    categories, shared = s.now[0]["categories"], False
    settled = s.now[0]["settled"] == 1 and s.params[0]["prove"] == 1
    for c in range(s.now[LIVE]["k"]):
        s.clu[LIVE, c]["wanted"] = 0
    for p in range(categories):
        inactive = 1 if s.cat[p]["inactivity"] >= s.params[0]["xi"] else 0
        if inactive == 1:
            cluster = s.clu[LIVE, s.label[LIVE, p]]
            shared = shared or cluster["wanted"] == 1
            cluster["wanted"] = 1
        settled = settled and s.cat[p]["resting"] == inactive
        s.cat[p]["resting"] = inactive
    if shared and settled:
        s.now[0]["compress_proofs"] += 1
    return shared and not settled


@jit_entry
def compress_inactive(s: State) -> None:
    """The strategy. Not part of the main loop: compiled when it is first needed."""
    s.now[0]["compressions"] += 1
    before, inactive = s.now[0]["categories"], 0
    for p in range(before):
        inactive += s.cat[p]["resting"]
    make_room_and_compress(s, inactive)
    s.now[0]["settled"] = 1 if s.now[0]["categories"] == before else 0


@jit_alloc
def make_room_and_compress(s: State, inactive: int) -> None:
    """Makes all arrays, in a function that does nothing else: counting references is much code."""
    categories, d, k = s.now[0]["categories"], s.feature.shape[1], s.now[LIVE]["k"]
    rows = 0 if s.weight is None else categories
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
            np.empty((2, room)),
            np.empty(inactive, dtype=_SHOWN),
            np.empty((2, several, d)),
            np.empty(categories, dtype=CATEGORY),
            np.empty((3, inactive, d)),
            np.empty((rows, k)),
        ),
    ):
        room *= 2


@jit
def count_several(s: State) -> int:
    """How many of H share their cluster with others of H; ``wanted`` = how many of H in each."""
    for c in range(s.now[LIVE]["k"]):
        s.clu[LIVE, c]["wanted"] = 0
    for p in range(s.now[0]["categories"]):
        s.clu[LIVE, s.label[LIVE, p]]["wanted"] += s.cat[p]["resting"]
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
    for p in range(before):
        if s.cat[p]["resting"] == 1:
            net.shown[h]["category"] = p
            h += 1
        else:
            put(s, net, count, p)
            count += 1
    for c in range(s.now[LIVE]["k"]):
        s.clu[LIVE, c]["into_a"] = 0.0  # 1 when one of the compressor's own is for this cluster
    frozen, boxes = count, 0
    for epoch in range(MAX_EPOCHS):
        changed, quiet, several = epoch == 0, True, 0
        for h in range(net.shown.shape[0]):
            p = net.shown[h]["category"]
            cluster = s.clu[LIVE, s.label[LIVE, p]]
            single, j = cluster["wanted"] == 1, -1
            if single and epoch > 0 and finds_itself(s, net, count, net.shown[h]["chosen"], p):
                continue
            if cluster["into_a"] == 1.0 or s.params[0]["prove"] == 0:
                j = choose(s, net, count, frozen, p)
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
    after = place_all(s, net, count, frozen)
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


@jit_part
def take_box(s: State, net: Compressor, j: int, place: int) -> None:
    """The j-th of the compressor gets a box of its own, to learn."""
    net.unit[j]["own"] = place
    assign(net.box[LO, place], s.box[LO, net.unit[j]["creator"]])
    assign(net.box[HI, place], s.box[HI, net.unit[j]["creator"]])


@jit_part
def finds_itself(s: State, net: Compressor, count: int, own: int, p: int) -> bool:
    """Proof that box p, the only one of H in its cluster, resonates with the copy of it.

    No other unit j has a greater activation than min(|w_j|, |p|) / (alpha + |w_j|), so nearly all
    are ruled out by their norm alone.
    """
    alpha, norm = s.params[0]["alpha"], s.cat[p]["norm"]
    if norm / s.feature.shape[1] < s.params[0]["rho_c"] or s.params[0]["prove"] == 0:
        return False
    lowest = norm / (alpha + norm) - 2.0 * TIE  # of those that might come first
    smallest, greatest = lowest * alpha / (1.0 - lowest), norm / lowest - alpha
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
        found += 1 if smallest <= norm[j] <= greatest else 0
    return found


@jit
def activation_and_match(s: State, net: Compressor, j: int, p: int) -> tuple[float, float]:
    """How the j-th of the compressor answers to box p."""
    own, creator = net.unit[j]["own"], net.unit[j]["creator"]
    if own < 0:
        lo, hi = s.box[LO, creator], s.box[HI, creator]
    else:
        lo, hi = net.box[LO, own], net.box[HI, own]
    joint = joint_norm(s.feature[PER_RANGE], lo, hi, s.box[LO, p], s.box[HI, p])
    return joint / (s.params[0]["alpha"] + net.norm[j]), joint / s.feature.shape[1]


@jit_part
def choose(s: State, net: Compressor, count: int, frozen: int, p: int) -> int:
    """The resonant category for box p of H; -1 if a new one is needed."""
    params, label, unit = s.params[0], s.label[LIVE, p], net.unit
    activation, match = net.scan[ACTIVATION], net.scan[MATCH]
    for j in range(count):
        activation[j], match[j] = activation_and_match(s, net, j, p)
    rho, last = params["rho_c"], -1
    while True:
        found = -1
        for j in range(count):
            if (
                match[j] >= rho - TIE
                and not (j < frozen and unit[j]["label"] == label)
                and comes_after(activation, j, last)
                and (found < 0 or activation[j] > activation[found] + TIE)
            ):
                found = j
        if found < 0 or unit[found]["label"] == label:
            break
        rho = tracked(match[found], params["epsilon"], 0)
        last = found
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
def place_all(s: State, net: Compressor, count: int, frozen: int) -> int:
    """Where the compressor's categories go, and (in `mark`) the old ones. Returns how many."""
    after = frozen
    for j in range(count):
        unit = net.unit[j]
        unit["place"] = -1
        if j < frozen:
            unit["place"] = j
            s.cat[unit["creator"]]["mark"] = j
        for h in range(net.shown.shape[0]):
            if net.shown[h]["chosen"] == j:
                if unit["place"] < 0:
                    unit["place"] = after
                    after += 1
                s.cat[net.shown[h]["category"]]["mark"] = unit["place"]
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
    """Replace the categories by the compressor's; old category p goes into the one it is marked.

    The active ones move up, what is left of H comes after them.
    """
    before, k = s.now[0]["categories"], s.now[LIVE]["k"]
    relabel_links(s, before)
    for p in range(before):
        net.cat[p] = s.cat[p]
    merge_footprints(s, net, frozen, after)
    if weight is not None:  # a compressed category has the row of the one it began as
        for p in range(before):
            assign(net.row[p], weight[p])
        for j in range(count):
            if net.unit[j]["place"] >= 0:
                for c in range(k):
                    weight[net.unit[j]["place"], c] = net.row[net.unit[j]["creator"], c]
    save_boxes(s, net, count, frozen)
    for q in range(after):
        p = net.unit[q]["creator"] if q < frozen else net.shown[q - frozen]["chosen"]
        for which in range(3):
            if q >= frozen:
                assign(s.box[which, q], net.kept[which, q - frozen])
            elif p != q:
                assign(s.box[which, q], s.box[which, p])
        head = net.cat[q]["head"]
        s.cat[q] = net.cat[p]
        s.cat[q]["head"] = head
        s.cat[q]["loss"] = UNKNOWN
    for j in range(count):
        q = net.unit[j]["place"]
        if q >= 0:
            s.label[LIVE, q] = net.unit[j]["label"]
            s.cat[q]["norm"] = net.norm[j]
    s.now[0]["categories"] = after
    for c in range(k):
        s.clu[LIVE, c]["changed"] = 1
    if attach is not None:  # footprints of clusters stay, what hangs on CONN does not
        rebuild(s, s.top, attach, LIVE)
    else:
        for c in range(k):
            s.clu[LIVE, c]["size"] = 0
        for q in range(after):
            s.clu[LIVE, s.label[LIVE, q]]["size"] += 1


@jit_part
def merge_footprints(s: State, net: Compressor, frozen: int, after: int) -> None:
    """Those of H that go together, into the first of them, which is noted in `chosen`, by place."""
    for place in range(after - frozen):
        net.shown[place]["chosen"] = -1
    for h in range(net.shown.shape[0]):
        p = net.shown[h]["category"]
        place = net.cat[p]["mark"] - frozen
        first = net.shown[place]["chosen"]
        if first < 0:
            net.shown[place]["chosen"] = p
        else:
            old, merged = net.cat[p], net.cat[first]
            merged["inactivity"] = min(merged["inactivity"], old["inactivity"])
            s.joined[old["slot"]] = merged["slot"]
            merge_into(merged, s.box[MEAN, first], old["n"], old["cp"], s.box[MEAN, p])


@jit_part
def save_boxes(s: State, net: Compressor, count: int, frozen: int) -> None:
    """Boxes and means of what is left of H, before others move to where they are."""
    for j in range(frozen, count):
        place, own, creator = net.unit[j]["place"], net.unit[j]["own"], net.unit[j]["creator"]
        if place < 0:
            continue
        place -= frozen
        for corner in range(2):
            if own < 0:
                assign(net.kept[corner, place], s.box[corner, creator])
            else:
                assign(net.kept[corner, place], net.box[corner, own])
        assign(net.kept[MEAN, place], s.box[MEAN, net.shown[place]["chosen"]])
