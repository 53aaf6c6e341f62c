"""Compression where one box alone may join another: what the compressor would do, in place.

Mostly one category has become inactive since compression last found nothing. If its cluster has one
other box of H, before it in the order, then that is all it can join; all others become units of
their own again. So neither units nor epochs are needed: it joins that one, or is stuck; and a proof
that nobody would choose otherwise, then and in the second epoch, with the box of the other grown.
Where that proof fails, nothing has been changed, and the compressor has to be asked.
"""

import math

from ..._jit import TIE, jit
from ..._typing import Floats
from ...icvi.journal import note_change, note_move
from ...icvi.state import ACTIVATION, HI, LIVE, LO, MATCH, PER_RANGE, State
from ..categories import join_categories
from ..events import COMPRESSED, note_event
from ..map_field import tracked
from ..module_a import box_norm, comes_after, joint_norm, learn_box, write_coarse
from .standstill import (
    are_all_unlike,
    cannot_reach,
    is_behind_as_it_is,
    is_in_the_way,
    is_stuck,
    might_be_as_active,
    row_bit,
)

# What compression comes to
NOTHING, DONE, ASK = 0, 1, 2


@jit
def settle_newcomer(s: State, attach: Floats | None, weight: Floats | None) -> int:
    """`NOTHING` changes, or what compression does is `DONE`, or the compressor must be asked."""
    newcomer, host = -1, -1
    for c in range(s.now[LIVE]["k"]):
        s.clu[LIVE, c]["wanted"] = 0  # how many of H have been seen in it,
        s.clu[LIVE, c]["kin"] = -1  # and the first of them
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if s.cat[p]["resting"] == 1:
            cluster = s.clu[LIVE, s.label[LIVE, p]]
            if cluster["wanted"] == 0:
                cluster["kin"] = p
            elif not is_stuck(s, p):
                if cluster["wanted"] > 1:
                    return ASK
                if not resonates(s, p, cluster["kin"]):
                    s.cat[p]["stuck"] = s.now[0]["changes"]
                elif newcomer >= 0:
                    return ASK
                else:
                    newcomer, host = p, cluster["kin"]
            cluster["wanted"] += 1
    if not are_all_unlike(s):
        return ASK
    if newcomer < 0:
        return NOTHING
    if s.clu[LIVE, s.label[LIVE, newcomer]]["wanted"] > 2:
        return ASK
    if attach is not None or weight is not None:
        return ASK
    if s.params[0]["beta1"] != 1.0 or not others_stay(s, newcomer, host):
        return ASK
    join_host(s, newcomer, host)
    return DONE


@jit
def answer(s: State, j: int, p: int) -> tuple[float, float]:
    """Activation and match of category j by box p."""
    joint = joint_norm(s.feature[PER_RANGE], s.box[LO, j], s.box[HI, j], s.box[LO, p], s.box[HI, p])
    return joint / (s.params[0]["alpha"] + s.cat[j]["norm"]), joint / s.feature.shape[1]


@jit
def resonates(s: State, p: int, host: int) -> bool:
    """Does box p, presented for the first time, resonate with `host`?

    Those that are less active than it are left out; the few others are listed, active ones first,
    in `scan` and `mark`. If it does not, notes what that depends on.
    """
    activation, match = s.scan[ACTIVATION], s.scan[MATCH]
    at_host, match_host = answer(s, host, p)
    if is_guarded(s, p, at_host, match_host):
        return False
    least, count, hosts_place = at_host - 2.0 * TIE, 0, -1
    for resting in range(2):
        for place in range(s.now[0]["categories"]):
            j = s.order[place]
            if s.cat[j]["resting"] != resting:
                continue
            if j == p:
                break  # the others of H have not been presented yet
            if j == host:
                hosts_place = count
                activation[count], match[count] = at_host, match_host
            elif s.label[LIVE, j] != s.label[LIVE, p] and not is_behind_as_it_is(s, j, p, least):
                activation[count], match[count] = answer(s, j, p)
            else:
                continue
            s.cat[count]["mark"] = j
            count += 1
    rho, last = s.params[0]["rho_c"], -1
    while True:
        found = -1
        for i in range(count):
            if match[i] >= rho - TIE and comes_after(activation, i, last):
                if found < 0 or activation[i] > activation[found] + TIE:
                    found = i
        if found == hosts_place:
            return True
        if found < 0:
            break
        rho = tracked(match[found], s.params[0]["epsilon"], 0)
        last = found
        if rho > match_host + 4.0 * TIE and s.params[0]["epsilon"] >= 0.0:
            if activation[found] > at_host + 4.0 * TIE:  # it will fail, whatever comes between
                least = activation[found] - 2.0 * TIE
                break
    s.cat[p]["rivals"] = 0
    s.cat[p]["bar"] = least
    guard, best_match = -1, -math.inf
    for i in range(count):
        if i != hosts_place and activation[i] >= least:
            s.cat[p]["rivals"] |= row_bit(s.cat[i]["mark"])
            if match[i] > best_match:
                guard, best_match = s.cat[i]["mark"], match[i]
    s.cat[p]["guard"] = guard
    is_guarded(s, p, at_host, match_host)
    return False


@jit
def is_guarded(s: State, p: int, at_host: float, match_host: float) -> bool:
    """Proof that one category alone keeps box p from its host: then nothing else matters."""
    guard = s.cat[p]["guard"]
    if guard < 0 or s.cat[guard]["n"] == 0 or not s.params[0]["epsilon"] >= 0.0:
        return False
    if s.cat[guard]["resting"] == 1 or s.label[LIVE, guard] == s.label[LIVE, p]:
        return False
    activation, match = answer(s, guard, p)
    if activation <= at_host + 2.0 * TIE or not is_in_the_way(s, match, match_host):
        return False
    s.cat[p]["rivals"] = row_bit(guard)
    s.cat[p]["bar"] = math.inf
    return True


@jit
def others_stay(s: State, p: int, host: int) -> bool:
    """Proof that with the box of `host` grown by p, all choose as they have chosen.

    Those stuck that are presented after p; then, in the second epoch, each box of H itself, and p
    and the host what holds them both.
    """
    alpha, after = s.params[0]["alpha"], False
    norm = joint_norm(
        s.feature[PER_RANGE], s.box[LO, host], s.box[HI, host], s.box[LO, p], s.box[HI, p]
    )
    if norm / s.feature.shape[1] < s.params[0]["rho_c"] + TIE:
        return False
    least = norm / (alpha + norm) - 4.0 * TIE
    lo = min(s.box[LO, host, 0], s.box[LO, p, 0])
    hi = max(s.box[HI, host, 0], s.box[HI, p, 0])
    for place in range(s.now[0]["categories"]):
        j = s.order[place]
        if j == p:
            after = True
        if j in (p, host):
            continue
        if not cannot_reach(s.cat[j]["norm"], s.cat[host]["norm"], alpha, least):
            if might_be_as_active(s, host, j, least) and answer(s, j, host)[0] >= least:
                return False
        if not cannot_reach(s.cat[j]["norm"], s.cat[p]["norm"], alpha, least):
            if might_be_as_active(s, p, j, least) and answer(s, j, p)[0] >= least:
                return False
        if s.cat[j]["resting"] == 0:
            continue
        own = s.cat[j]["norm"] / (alpha + s.cat[j]["norm"]) - 4.0 * TIE
        if not cannot_reach(norm, s.cat[j]["norm"], alpha, own):
            growth = max(s.box[HI, j, 0] - hi, 0.0) + max(lo - s.box[LO, j, 0], 0.0)
            allowed = norm - own * (alpha + norm) + TIE * s.feature.shape[1]
            if s.feature[PER_RANGE, 0] * growth <= allowed:
                return False
        if after and s.cat[j]["stuck"] == s.now[0]["changes"]:
            if s.cat[j]["rivals"] & (row_bit(p) | row_bit(host)) != 0:
                return False
            bar = s.cat[j]["bar"]
            if bar < math.inf:  # what has grown holds the host: its joint norm is at most that one
                joint = answer(s, host, j)[1] * s.feature.shape[1]
                if joint / (alpha + norm) >= bar - 2.0 * TIE:
                    return False
    return True


@jit
def join_host(s: State, p: int, host: int) -> None:
    """Category p joins `host`. In the order, active ones come first, then H, p no more."""
    s.now[0]["compressions_in_place"] += 1
    s.now[0]["unlike"] = s.now[0]["changes"]
    learn_box(s.box[LO, host], s.box[HI, host], s.box[LO, p], s.box[HI, p], 1.0)
    s.cat[host]["norm"] = box_norm(s.feature[PER_RANGE], s.box[LO, host], s.box[HI, host])
    write_coarse(s, host)
    join_categories(s, host, p)
    count, inactive = 0, 0
    for place in range(s.now[0]["categories"]):
        j = s.order[place]
        if j == p:
            continue
        if s.cat[j]["resting"] == 1:
            s.cat[inactive]["mark"] = j  # a list, kept where there is room
            inactive += 1
        else:
            s.order[count] = j
            count += 1
    for i in range(inactive):
        s.order[count + i] = s.cat[i]["mark"]
    s.now[0]["categories"] -= 1
    s.order[s.now[0]["categories"]] = p
    note_change(s, host)
    note_move(s, p)
    note_event(s, COMPRESSED, s.clu[LIVE, s.label[LIVE, host]]["id"], -1, 1.0)
