"""Compression where few boxes join others: what the compressor would do, in place.

Mostly one category has become inactive since compression last found nothing; all others of H become
units of their own again. So neither units nor epochs are needed. The boxes of H are gone through in
their order, as the compressor would: each is stuck still, or is asked anew, and may join another
one of its cluster, whose box grows for those that follow. In the second epoch, nothing is different
if no box is like any other, and if those that have joined choose the same again. One that finds
nothing now becomes a unit of its own, the last one. Where it cannot be proven that this is all,
everything is taken back, and the compressor has to be asked.
"""

from ..._jit import TIE, jit
from ..._typing import Floats
from ...icvi.footprints import assign
from ...icvi.journal import note_change, note_move
from ...icvi.state import (
    HI,
    LISTED,
    LIVE,
    LO,
    MATCH_LISTED,
    NORM,
    PER_RANGE,
    RESTING,
    SHARING,
    TRIAL,
    State,
)
from ...icvi.weighing import unsettle
from ..categories import free_rows, join_categories
from ..events import COMPRESSED, note_event
from ..map_field import tracked
from ..module_a import (
    box_norm,
    copy_box,
    copy_first_corners,
    hide_box,
    learn_box,
)
from .hopeful import settle_joined
from .likeness import are_all_unlike, list_reached
from .resonance import ASKED, next_listed, put_in_list, resonant
from .standstill import (
    GONE,
    LATE,
    answer,
    is_behind_as_it_is,
    is_stuck,
    look_for_news,
    note_stuck,
    sum_up_news,
)
from .told import coarse_joints

# What compression comes to
NOTHING, DONE, ASK = 0, 1, 2
# So many are tried in place at most
MOST_JOINS = 32


@jit
def settle_newcomers(s: State, attach: Floats | None, weight: Floats | None) -> int:
    """`NOTHING` changes, or what compression does is `DONE`, or the compressor must be asked."""
    joins = 0
    look_for_news(s)
    for i in range(s.now[0]["sharing"]):
        p = s.label[SHARING, i]
        if is_stuck(s, p):
            continue
        host = resonant(s, p)
        if host < 0:
            note_stuck(s, p)
        elif attach is None and weight is None and has_room_for(s, joins):
            suppose_joined(s, joins, p, host)
            sum_up_news(s)
            joins += 1
        else:
            take_back(s, joins)
            return ASK
    late = how_many_leave_again(s, joins)
    if late == ASKED or not are_all_unlike(s):
        take_back(s, joins)
        return ASK
    if joins == late:
        take_back(s, joins)
        return NOTHING
    join_hosts(s, joins)
    return DONE


# ------------------------------------------------------------------ as if they had joined


@jit
def has_room_for(s: State, joins: int) -> bool:
    """May one more join, after so many, in place? A box that is growing is kept in a free row."""
    room = s.now[0]["categories"] + joins < s.order.shape[0]
    return joins < MOST_JOINS and room and s.params[0]["beta1"] == 1.0


@jit
def row_kept(s: State, join: int) -> int:
    """Where the host's box is as it was before the join of this number.

    There, `keeper` is the host and `rear_keeper` the one that joins it. Their norms are `held_norm`
    and `rear_held_norm`: in `scan`, those of this row and of the one that joins are 0, so that
    others do not see them.
    """
    return s.order[s.now[0]["categories"] + join]


@jit
def suppose_joined(s: State, join: int, p: int, host: int) -> None:
    """From now on, others meet the host with the box of both, and p no more."""
    kept = row_kept(s, join)
    assign(s.box[LO, kept], s.box[LO, host])
    assign(s.box[HI, kept], s.box[HI, host])
    s.cat[kept]["held_norm"] = s.scan[NORM, host]
    s.cat[kept]["rear_held_norm"] = s.scan[NORM, p]
    hide_box(s, p)
    assign_coarse(s, kept, host)
    s.cat[kept]["keeper"] = host
    s.cat[kept]["rear_keeper"] = p
    learn_box(s.box[LO, host], s.box[HI, host], s.box[LO, p], s.box[HI, p], 1.0)
    s.scan[NORM, host] = box_norm(s.feature[PER_RANGE], s.box[LO, host], s.box[HI, host])
    copy_box(s, host)
    s.label[RESTING, p] = GONE
    note_change(s, host)
    note_move(s, p)


@jit
def assign_coarse(s: State, row: int, other: int) -> None:
    """One box is another now: its coarse copies too."""
    for which in range(s.coarse.shape[0]):
        for f in range(s.coarse.shape[2]):
            s.coarse[which, row, f] = s.coarse[which, other, f]


@jit
def show_box(s: State, p: int, norm: float) -> None:
    """Others see box p again."""
    s.scan[NORM, p] = norm
    copy_first_corners(s, p)


@jit
def take_back(s: State, joins: int) -> None:
    """All is as it was before so many joins."""
    for join in range(joins - 1, -1, -1):
        kept = row_kept(s, join)
        host, p = s.cat[kept]["keeper"], s.cat[kept]["rear_keeper"]
        assign(s.box[LO, host], s.box[LO, kept])
        assign(s.box[HI, host], s.box[HI, kept])
        s.scan[NORM, host] = s.cat[kept]["held_norm"]
        assign_coarse(s, host, kept)
        copy_first_corners(s, host)
        show_box(s, p, s.cat[kept]["rear_held_norm"])
        s.label[RESTING, p] = 1
        note_change(s, host)
        note_change(s, p)


@jit
def how_many_leave_again(s: State, joins: int) -> int:
    """Of those that joined, so many find nothing in the second epoch; `ASKED` if that is not known.

    Hosts and the others are proven to choose the same again, then and in the third.
    """
    late = 0
    for epoch in (1, 2):
        for join in range(joins):
            kept = row_kept(s, join)
            host, p = s.cat[kept]["keeper"], s.cat[kept]["rear_keeper"]
            norm, norm_of_p = s.cat[kept]["held_norm"], s.cat[kept]["rear_held_norm"]
            if not chooses_again(s, host, kept, norm):
                return ASKED
            if s.label[RESTING, p] == LATE or chooses_again(s, host, p, norm_of_p):
                continue
            choice = second_choice(s, p)
            if choice == host:
                continue
            if choice >= 0 or epoch == 2:
                return ASKED
            s.label[RESTING, p] = LATE
            show_box(s, p, norm_of_p)
            note_change(s, p)
            late += 1
        if late == 0:
            break
    return late


@jit
def chooses_again(s: State, host: int, box: int, own_norm: float) -> bool:
    """Proof that a box of this norm chooses its host, which holds it: that is most active, as
    nobody else is."""
    alpha, norm = s.params[0]["alpha"], s.scan[NORM, host]
    least = norm / (alpha + norm) - 4.0 * TIE
    if norm / s.feature.shape[1] < s.params[0]["rho_c"] + TIE:
        return False
    for i in range(list_reached(s, box, own_norm, host, least)):
        j = s.label[TRIAL, i]
        if s.cat[j]["n"] > 0 and s.label[RESTING, j] != GONE:
            if not is_behind_as_it_is(s, j, box, least) and answer(s, j, box)[0] >= least:
                return False
    return True


@jit
def second_choice(s: State, p: int) -> int:
    """What box p, which has joined another, resonates with when all others are there; or -1."""
    count, rho, last = 0, s.params[0]["rho_c"], -1
    if s.coarse.shape[2] > 0:
        coarse_joints(s, p)
    for resting in (0, 1, LATE):
        for place in range(s.now[0]["categories"]):
            j = s.order[place]
            if s.label[RESTING, j] == resting:
                if resting != 0 or s.label[LIVE, j] != s.label[LIVE, p]:
                    put_in_list(s, p, count, j)
                    count += 1
    while True:
        last = next_listed(s, p, count, rho, last)
        if last < 0:
            return -1
        j = ~s.label[LISTED, last]
        if s.label[LIVE, j] == s.label[LIVE, p]:
            return j
        rho = tracked(s.scan[MATCH_LISTED, last], s.params[0]["epsilon"], 0)


@jit
def join_hosts(s: State, joins: int) -> None:
    """All that has been supposed.

    In the order, active ones come first, then what is left of H, those that came late at its end.
    """
    s.now[0]["compressions_in_place"] += 1
    joined, told = joins, s.event.shape[0] > 0
    for c in range(s.now[LIVE]["k"] if told else 0):
        s.clu[LIVE, c]["kin"] = 0
    for join in range(joins):
        kept = row_kept(s, join)
        host, p = s.cat[kept]["keeper"], s.cat[kept]["rear_keeper"]
        if s.label[RESTING, p] == LATE:
            joined -= 1
            continue
        join_categories(s, host, p)
        s.clu[LIVE, s.label[LIVE, host]]["kin"] += 1
        if not settle_joined(s, s.top, host):
            unsettle(s, LIVE, s.label[LIVE, host])
    put_in_order(s)
    s.now[0]["categories"] -= joined
    free_rows(s, joined)
    for c in range(s.now[LIVE]["k"] if told else 0):
        if s.clu[LIVE, c]["kin"] > 0:
            note_event(s, COMPRESSED, s.clu[LIVE, c]["id"], -1, float(s.clu[LIVE, c]["kin"]))


@jit
def put_in_order(s: State) -> None:
    """Active ones, then what is left of H, then those that came late, then those that are gone."""
    count, resting, others, listed = 0, 0, 0, s.label[LISTED]
    categories = s.now[0]["categories"]
    for place in range(categories):
        j = s.order[place]
        if s.label[RESTING, j] == 0:
            s.order[count] = j
            count += 1
        elif s.label[RESTING, j] == 1:
            listed[resting] = j
            resting += 1
        else:  # from the end on
            others += 1
            listed[categories - others] = j
    for i in range(resting):
        s.order[count + i] = listed[i]
    count += resting
    for which in (LATE, GONE):
        for i in range(others):
            j = listed[categories - 1 - i]
            if s.label[RESTING, j] == which:
                s.order[count] = j
                count += 1
                if which == LATE:
                    s.label[RESTING, j] = 1
