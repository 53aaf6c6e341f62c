"""Proofs that a box of H finds itself, or the host that it joined, in the second epoch.

Whatever is as active as that must hold the box, or nearly. Few boxes do, which norms and a few of
the features mostly tell.
"""

from ..._jit import TIE, jit, jit_inline
from ..._jit.vectors import LANES, sum_outside
from ...icvi.journal import changed_row, is_move, is_recent
from ...icvi.state import (
    CORNERS,
    FIRST,
    FREE,
    HI,
    INNER_HI,
    INNER_LO,
    LO,
    NORM,
    PER_RANGE,
    RESTING,
    STEPS,
    TRIAL,
    State,
)
from .standstill import GONE, answer

# So many features are compared first, of coarse copies.
SOME = LANES
# By so much, the range may drift before boxes are compared again that are clearly unlike.
HALF = 0.5


@jit
def are_all_unlike(s: State) -> bool:
    """Proof that each box of H is most active where it is itself (`finds_itself`).

    By what has changed since that was last so, if the range has not drifted by too much.
    """
    now, near = s.now[0], likeness(s)
    drift = now["drift"] - now["unlike_drift"]
    if not is_recent(s, now["unlike"]) or (drift > 0.0 and drift >= now["unlike_room"]):
        return is_none_like_another(s, near)
    for number in range(now["unlike"], now["changes"]):
        j = changed_row(s, number)
        if s.cat[j]["n"] == 0 or s.label[RESTING, j] == GONE or is_move(s, number):
            continue
        resting, norm = s.label[RESTING, j] & 1 == 1, s.scan[NORM, j]
        if resting and may_miss_itself(s, norm):
            return False
        if is_the_only_one(s, j, near):
            continue  # nearly always
        for place in range(now["categories"]):
            p = s.order[place]
            if abs(s.scan[NORM, p] - norm) <= near and p != j and s.label[RESTING, p] != GONE:
                if s.label[RESTING, p] & 1 == 1 and is_like(s, p, j):
                    return False
                if resting and is_like(s, j, p):
                    return False
    now["unlike"] = now["changes"]
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
    s.now[0]["unlike_room"] = 0.0


@jit
def is_none_like_another(s: State, near: float) -> bool:
    """The same by a look at all, nearly all of which differ in their norms."""
    categories = s.now[0]["categories"]
    note_unlike(s)
    s.now[0]["unlike_room"] = HALF
    for place in range(categories):
        p = s.order[place]
        if s.label[RESTING, p] & 1 == 0:
            continue
        if may_miss_itself(s, s.scan[NORM, p]):
            s.now[0]["unlike"] = -1
            return False
        if is_the_only_one(s, p, near):
            continue
        for other in range(categories):
            j = s.order[other]
            if abs(s.scan[NORM, j] - s.scan[NORM, p]) <= near and j != p:
                if s.label[RESTING, j] != GONE and is_like(s, p, j):
                    s.now[0]["unlike"] = -1
                    return False
    return True


@jit
def is_the_only_one(s: State, p: int, near: float) -> bool:
    """Proof that no box is like box p; if that may not hold when the range drifts, it is noted.

    Norms do not fall when the range grows (`room_between`), so that of one that finds itself stays
    as great as it must be. And a range that has not drifted by `HALF` has not doubled.
    """
    for_long, now = how_many_coincide(s, p, near)
    if for_long > 1:
        s.now[0]["unlike_room"] = 0.0
    return now == 1


@jit
def how_many_coincide(s: State, p: int, near: float) -> tuple[int, int]:
    r"""How many rows might be like box p, with p itself: when ranges have doubled, or before; now.

    By corners in the first features, or norm and first corner. Say box j must grow by g to hold p.
    If it is as active as p itself, :math:`g \le \alpha(|j|-|p|)/(\alpha+|p|)` and the slack for
    ties, which is less than `near` and four times `TIE` :math:`(\alpha+d)`, so less than three
    times `near`. No corner of p is farther outside j than g, and none of j is farther outside p
    than :math:`|p|-|j|+g`. The same holds the other way round. So corners that are twice as far
    apart say the same when ranges have doubled.
    """
    norms, found, for_long, apart, last = s.scan[NORM], 0, 0, 6.0 * near, s.feature.shape[1] - 1
    first, second, third = s.scan[CORNERS], s.scan[CORNERS + 2], s.scan[CORNERS + 4]
    norm, corner, other, another = norms[p], first[p], second[p], third[p]
    per_range, near_first = s.feature[PER_RANGE, 0], 0
    for j in range(s.now[0]["rows"]):  # without branches, several are compared at once
        near_first += int(per_range * abs(first[j] - corner) <= 2.0 * apart)
    if near_first == 1:  # mostly
        return 1, 1
    of_second, of_third = s.feature[PER_RANGE, min(1, last)], s.feature[PER_RANGE, min(2, last)]
    for j in range(s.now[0]["rows"]):
        distance = per_range * abs(first[j] - corner)
        found += int(abs(norms[j] - norm) <= near) & int(distance <= apart)
        more = of_second * abs(second[j] - other)
        distance = distance if distance > more else more
        more = of_third * abs(third[j] - another)
        distance = distance if distance > more else more
        for_long += int(distance <= 2.0 * apart)
    return for_long, found


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
def list_reached(s: State, p: int, norm: float, host: int, least: float) -> int:
    """Whom might box p, of this norm, activate as much as `least`, but for itself and its host?

    `cannot_reach` and `might_be_as_active` of all rows at once, without branches. With coarse
    copies, the latter by some more features, in which few hold the box. Their rows are written into
    the room of the trial partition's labels; returns how many there are, mostly none.
    """
    norms, found, growths = s.scan[NORM], 0, s.scan[FREE]
    alpha, slack = s.params[0]["alpha"], TIE * s.feature.shape[1]
    if s.coarse.shape[2] > 0:
        lo, hi = s.coarse[INNER_LO, p, :SOME], s.coarse[INNER_HI, p, :SOME]
        for j in range(s.now[0]["rows"]):
            growths[j] = sum_outside(s.coarse[LO, j, :SOME], s.coarse[HI, j, :SOME], lo, hi)
        for j in range(s.now[0]["rows"]):
            growths[j] *= 1.0 / STEPS
    else:
        for j in range(s.now[0]["rows"]):
            growths[j] = growth_in_first(s, j, p)
    for j in range(s.now[0]["rows"]):
        needed = least * (alpha + norms[j])
        less = norms[j] if norms[j] < norm else norm
        reaches = int(less >= needed) & int(growths[j] <= norms[j] - needed + slack)
        found += reaches & int(j != p) & int(j != host)
    if found == 0:
        return 0
    found = 0
    for j in range(s.now[0]["rows"]):
        needed = least * (alpha + norms[j])
        s.label[TRIAL, found] = j
        less = norms[j] if norms[j] < norm else norm
        reaches = int(less >= needed) & int(growths[j] <= norms[j] - needed + slack)
        found += reaches & int(j != p) & int(j != host)
    return found


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
