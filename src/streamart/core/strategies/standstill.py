"""Who is inactive (H), and proofs that compressing them would change nothing.

Compression finds nothing if every box of H that has others of its cluster before it in the order is
*stuck*, so that it becomes a unit of its own in the first epoch, and if no box of H is like any
other, so that it finds itself in the second. Each time that a search of the compressor ends with
nothing, it leaves behind what that depended on: the categories that were in the way (`rivals`) and
how active others would have to be to matter (`bar`). So only what has changed since, which the
journal tells, has to be looked at.
"""

import math

from ..._jit import TIE, jit
from ...icvi.hints import is_anchored
from ...icvi.journal import changed_row, is_recent, note_change
from ...icvi.state import HI, LIVE, LO, PER_RANGE, State
from ..module_a import COARSENESS, coarse_growth, growth_to_hold


@jit
def note_activity(s: State, p: int) -> None:
    """Category p has won: it is inactive no more, and when it may be again."""
    if s.cat[p]["resting"] == 1:
        s.now[0]["regrouped"] = 1
    s.now[0]["next_rest"] = min(s.now[0]["next_rest"], s.cat[p]["won"] + s.params[0]["xi"])


@jit
def find_inactive(s: State) -> None:
    """Notes who is in H, and whether two of it share a cluster."""
    now, xi, shared = s.now[0], s.params[0]["xi"], 0
    next_rest = now["n"] + xi
    for c in range(s.now[LIVE]["k"]):
        s.clu[LIVE, c]["wanted"] = 0
    for place in range(now["categories"]):
        p = s.order[place]
        inactive = 0
        if not is_anchored(s, p):
            if now["n"] - s.cat[p]["won"] >= xi:
                inactive = 1
                cluster = s.clu[LIVE, s.label[LIVE, p]]
                cluster["wanted"] += 1
                if cluster["wanted"] > 1:
                    shared = 1
            else:
                next_rest = min(next_rest, s.cat[p]["won"] + xi)
        if s.cat[p]["resting"] != inactive:
            s.cat[p]["resting"] = inactive
            note_change(s, p)
    now["shared"] = shared
    now["next_rest"] = next_rest
    now["regrouped"] = 0


@jit
def row_bit(p: int) -> int:
    """Its place in `rivals`."""
    return 1 << (p % 63)  # the last bit is the sign


@jit
def is_behind_as_it_is(s: State, j: int, p: int, least: float) -> bool:
    """Proof that the activation of category j by box p is below `least`."""
    per_range, norm, coarse = s.feature[PER_RANGE], s.cat[j]["norm"], s.coarse
    allowed = norm - least * (s.params[0]["alpha"] + norm) + TIE * per_range.shape[0]
    if coarse.shape[2] > 0:
        growth = coarse_growth(coarse[LO, j], coarse[HI, j], coarse[LO, p], coarse[HI, p])
        if growth > allowed + 2.0 * COARSENESS * per_range.shape[0]:
            return True
        if growth < allowed - 2.0 * COARSENESS * per_range.shape[0]:
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
def is_stuck(s: State, p: int) -> bool:
    """Proof that box p still finds none to join, by what has changed since it did not."""
    since, changes = s.cat[p]["stuck"], s.now[0]["changes"]
    if not is_recent(s, since):
        return False
    for number in range(since, changes):
        if might_matter(s, p, changed_row(s, number)):
            s.cat[p]["stuck"] = -1
            return False
    s.cat[p]["stuck"] = changes
    return True


@jit
def might_matter(s: State, p: int, j: int) -> bool:
    """Category j has changed: might stuck box p find another outcome?"""
    if j == p or s.cat[p]["rivals"] & row_bit(j) != 0:
        return True
    if s.cat[j]["n"] == 0:
        return False
    if s.label[LIVE, j] == s.label[LIVE, p]:  # one more that it might join
        return s.cat[j]["resting"] == 1
    bar = s.cat[p]["bar"]
    return bar < math.inf and not is_behind_as_it_is(s, j, p, bar)


@jit
def are_all_unlike(s: State) -> bool:
    """Proof that each box of H is most active where it is itself (`finds_itself`).

    By what has changed since that was last so.
    """
    now, d, alpha = s.now[0], s.feature.shape[1], s.params[0]["alpha"]
    # Norms n of like boxes have nearly the same n / (alpha + n), whose slope is this at least.
    near = 2.0 * TIE * (alpha + d) * (alpha + d) / alpha
    if not is_recent(s, now["unlike"]):
        return False
    for number in range(now["unlike"], now["changes"]):
        j = changed_row(s, number)
        if s.cat[j]["n"] == 0:
            continue
        resting, norm = s.cat[j]["resting"] == 1, s.cat[j]["norm"]
        if resting and norm / d < s.params[0]["rho_c"]:
            return False
        for place in range(now["categories"]):
            p = s.order[place]
            if abs(s.cat[p]["norm"] - norm) <= near and p != j:
                if s.cat[p]["resting"] == 1 and is_like(s, p, j):
                    return False
                if resting and is_like(s, j, p):
                    return False
    now["unlike"] = now["changes"]
    return True


@jit
def is_like(s: State, p: int, j: int) -> bool:
    """Might category j be as active by box p as p itself?"""
    alpha, norm, other = s.params[0]["alpha"], s.cat[p]["norm"], s.cat[j]["norm"]
    least = norm / (alpha + norm) - 2.0 * TIE
    if cannot_reach(other, norm, alpha, least):
        return False
    return might_be_as_active(s, p, j, least)


@jit
def cannot_reach(norm: float, norm_of_box: float, alpha: float, least: float) -> bool:
    """Proof by their norms that a box does not activate a category so much.

    That would be min(|w|, |box|) / (alpha + |w|) at most.
    """
    return min(norm, norm_of_box) < least * (alpha + norm)


@jit
def might_be_as_active(s: State, p: int, j: int, least: float) -> bool:
    """Might the activation of category j by box p reach `least`? By the first feature.

    That tells where only a copy of p would reach it.
    """
    norm = s.cat[j]["norm"]
    growth = max(s.box[HI, p, 0] - s.box[HI, j, 0], 0.0)
    growth += max(s.box[LO, j, 0] - s.box[LO, p, 0], 0.0)
    allowed = norm - least * (s.params[0]["alpha"] + norm) + TIE * s.feature.shape[1]
    return s.feature[PER_RANGE, 0] * growth <= allowed
