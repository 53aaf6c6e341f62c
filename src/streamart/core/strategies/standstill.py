"""Proofs that compressing the inactive categories (H) would change nothing.

Compression finds nothing if every box of H that has others of its cluster before it in the order is
*stuck*, so that it becomes a unit of its own in the first epoch, and if no box of H is like any
other, so that it finds itself in the second (`likeness`). Each time that a search of the compressor
ends with nothing, it leaves behind what that depended on: the categories that were in the way
(`rivals`) and how active others would have to be to matter (`bar`). So only what has changed since,
which the journal tells, has to be looked at.

All norms change when the range of the data grows, though mostly by little: `drift` adds up by how
much any of them at most. A box that one or two keep from all that it might join has some room for
that (`room_between`).
"""

import math

from ..._jit import TIE, jit
from ...icvi.compare import SLACK
from ...icvi.journal import changed_row, is_recent
from ...icvi.state import (
    HI,
    JOURNAL,
    LIVE,
    LO,
    NORM,
    PER_RANGE,
    PLACE,
    RESTING,
    State,
)
from ..map_field import tracked
from ..module_a import COARSENESS, coarse_growth, growth_to_hold, joint_norm

# `resting` while others are asked: of a box that has joined another, and of one that has left it
# again. Whatever is odd is a box of H that is there.
GONE, LATE = 2, 3


@jit
def row_bit(p: int) -> int:
    """Its place in `rivals`."""
    return 1 << (p % 63)  # the last bit is the sign


@jit
def other_bit(p: int) -> int:
    """Its place in `also_rivals`: of two that share the other place, few share both."""
    return 1 << (p % 61)


@jit
def may_be_rival(s: State, p: int, j: int) -> bool:
    """Does it depend on category j, as far as bits tell, that stuck box p finds nothing?"""
    cat = s.cat[p]
    return cat["rivals"] & row_bit(j) != 0 and cat["also_rivals"] & other_bit(j) != 0


@jit
def allowed_growth(s: State, j: int, least: float) -> float:
    """A category whose box must grow by more to hold another one is less active by it than so."""
    norm = s.scan[NORM, j]
    return norm - least * (s.params[0]["alpha"] + norm) + TIE * s.feature.shape[1]


@jit
def is_behind_as_it_is(s: State, j: int, p: int, least: float) -> bool:
    """Proof that the activation of category j by box p is below `least`."""
    per_range, allowed = s.feature[PER_RANGE], allowed_growth(s, j, least)
    if s.coarse.shape[2] > 0:
        growth = coarse_growth(s.coarse, j, p)
        if growth > allowed:
            return True
        if growth < allowed - COARSENESS * per_range.shape[0]:
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
def answer(s: State, j: int, p: int) -> tuple[float, float]:
    """Activation and match of category j by box p."""
    joint = joint_norm(s.feature[PER_RANGE], s.box[LO, j], s.box[HI, j], s.box[LO, p], s.box[HI, p])
    return joint / (s.params[0]["alpha"] + s.scan[NORM, j]), joint / s.feature.shape[1]


@jit
def room_between(s: State, activation: float, match: float, least_norm: float) -> float:
    r"""A keeper is so much more active than others by some box, and matches so much better; their
    norms are no less than so much. It goes on keeping while the range drifts by less than this, r.

    Say a feature has the part e in the extent of a category and g in what its box must grow by to
    hold p, so that :math:`e+g\le1`. When its range grows, both shrink by the same share, u, and the
    sum of all u is r at most. So :math:`|w|` rises by the sum of :math:`u\,e`, and
    :math:`|p\wedge w|` by that of :math:`u(e+g)`, r at most: no match falls, and none rises by more
    than r/d. The activation is :math:`1-(\alpha+G)/(\alpha+|w|)`, where :math:`G\le|w|` is the sum
    of all g. So it does not fall either, nor rise by more than

    .. math:: \frac{\sum ug}{\alpha+|w|} + \frac{(\alpha+G)\sum u\,e}{(\alpha+|w|)^2}
              \le \frac{r}{\alpha+|w|}
    """
    room = (activation - 2.0 * TIE) * (s.params[0]["alpha"] + least_norm)
    room = min(room, (match - 2.0 * TIE) * s.feature.shape[1])
    return max(room, 0.0) * (1.0 - SLACK)


@jit
def is_kept_from(s: State, p: int, j: int) -> bool:
    """Is stuck box p kept by a keeper from category j, one more that it might join?

    It is if j is no more active, matches no better, and has no smaller norm, than those that the
    keeper was in the way of before, which leaves as much room; coarse copies mostly tell. That is
    so while the keeper is as it was; if not, it is asked about all of them (`keeps_all`). If the
    range has drifted since, the more so: the keeper is no less active, and less drift is left.
    """
    cat, norm, d = s.cat[p], s.scan[NORM, j], s.feature.shape[1]
    if s.coarse.shape[2] > 0:
        joint = norm - coarse_growth(s.coarse, j, p) + TIE * d
        activation, match = joint / (s.params[0]["alpha"] + norm), joint / d
        if cat["keeper"] >= 0 and norm >= cat["held_norm"]:
            if activation <= cat["held"] and match <= cat["held_match"]:
                return True
        if cat["rear_keeper"] >= 0 and norm >= cat["rear_held_norm"]:
            if activation <= cat["rear_held"] and match <= cat["rear_held_match"]:
                return True
    activation, match = answer(s, j, p)
    if is_still_kept(s, p, activation, match, norm):
        return True
    if not is_passed_over(s, p, activation, match):
        return False
    cat["open"] = max(cat["open"], activation)
    cat["open_match"] = max(cat["open_match"], match)
    return True


@jit
def is_still_kept(s: State, p: int, activation: float, match: float, norm: float) -> bool:
    """Is stuck box p kept by a keeper from one more box that it might join, which answers so?

    The keeper is asked about any that is no more active, matches no better and has no smaller norm
    than this one or those before. (If the range has drifted since, these may be more active now,
    but they had their room.)
    """
    cat = s.cat[p]
    held, held_match = max(cat["held"], activation), max(cat["held_match"], match)
    least = min(cat["held_norm"], norm)
    if cat["keeper"] >= 0 and keeps(s, p, cat["keeper"], held, held_match, least):
        cat["held"], cat["held_match"], cat["held_norm"] = held, held_match, least
        return True
    held, held_match = max(cat["rear_held"], activation), max(cat["rear_held_match"], match)
    least = min(cat["rear_held_norm"], norm)
    if cat["rear_keeper"] >= 0 and keeps(s, p, cat["rear_keeper"], held, held_match, least):
        cat["rear_held"], cat["rear_held_match"] = held, held_match
        cat["rear_held_norm"] = least
        return True
    return False


@jit
def keeps(s: State, p: int, keeper: int, activation: float, match: float, norm: float) -> bool:
    """Is a keeper of stuck box p in the way of one that answers so? Then, how much room is left."""
    own_activation, own_match = answer(s, keeper, p)
    if not (own_activation > activation + 2.0 * TIE and is_in_the_way(s, own_match, match)):
        return False
    room = room_between(s, own_activation - activation, own_match - match, norm)
    s.cat[p]["room"] = min(s.cat[p]["room"], s.now[0]["drift"] - s.cat[p]["drift"] + room)
    return True


@jit
def may_be_in_the_way(s: State, j: int, p: int) -> bool:
    """Does box p meet category j, and is that of another cluster?"""
    return s.label[LIVE, j] != s.label[LIVE, p] and is_met(s, j, p)


@jit
def is_met(s: State, j: int, p: int) -> bool:
    """Is category j there when box p is presented for the first time? Of H, those before it are."""
    if s.label[RESTING, j] == GONE:
        return False
    return s.label[RESTING, j] == 0 or is_before(s, j, p)


@jit
def is_before(s: State, j: int, p: int) -> bool:
    """Does category j come before p in the order?

    While both are inactive, that changes only where one of them is noted in the journal.
    """
    return s.label[PLACE, j] < s.label[PLACE, p]


@jit
def keeps_all(s: State, p: int, keeper: int) -> bool:
    """A keeper of stuck box p has changed: is it in the way of all others that it was?

    Their answers may have risen since (`room_between`).
    """
    cat, alpha, d = s.cat[p], s.params[0]["alpha"], s.feature.shape[1]
    if s.cat[keeper]["n"] == 0 or not may_be_in_the_way(s, keeper, p):
        return False
    held, match, norm = cat["held"], cat["held_match"], cat["held_norm"]
    if keeper != cat["keeper"]:
        held, match, norm = cat["rear_held"], cat["rear_held_match"], cat["rear_held_norm"]
    drift = s.now[0]["drift"] - cat["drift"]
    return keeps(s, p, keeper, held + drift / (alpha + norm), match + drift / d, norm)


@jit
def is_stuck(s: State, p: int) -> bool:
    """Proof that box p still finds none to join, by what has changed since it did not."""
    since, changes, drift = s.cat[p]["stuck"], s.now[0]["changes"], s.now[0]["drift"]
    if not is_recent(s, since):
        return False
    if drift > s.cat[p]["drift"] and drift - s.cat[p]["drift"] >= s.cat[p]["room"]:
        return False
    if since < s.now[0]["news_since"] or not no_news_matter(s, p):
        for number in range(since, changes):
            if might_matter(s, p, changed_row(s, number)):
                s.cat[p]["stuck"] = -1
                return False
    s.cat[p]["stuck"] = changes
    return True


@jit
def note_stuck(s: State, p: int) -> None:
    """Box p has just been proven to join no other; `rivals`, `bar` and `room` say why."""
    s.cat[p]["stuck"] = s.now[0]["changes"]
    s.cat[p]["drift"] = s.now[0]["drift"]
    depend_on(s, p, p)


@jit
def depend_on(s: State, p: int, j: int) -> None:
    """That box p finds nothing depends on category j."""
    s.cat[p]["rivals"] |= row_bit(j)
    s.cat[p]["also_rivals"] |= other_bit(j)


@jit
def look_for_news(s: State) -> None:
    """What has changed since compression looked last is to be summed up: for all boxes at once."""
    now = s.now[0]
    now["news_since"] = now["digested"] = now["seen"]
    now["news"] = now["other_news"] = now["newly"] = 0
    if now["changes"] - now["seen"] > JOURNAL:  # nothing is known
        now["news_since"] = now["digested"] = now["changes"]
    now["seen"] = now["changes"]
    sum_up_news(s)


@jit
def sum_up_news(s: State) -> None:
    """So that all that has changed until now is in the sum."""
    now = s.now[0]
    for number in range(now["digested"], now["changes"]):
        j = changed_row(s, number)
        now["news"] |= row_bit(j)
        now["other_news"] |= other_bit(j)
        if s.cat[j]["n"] > 0 and s.label[RESTING, j] == 1 and now["newly"] < JOURNAL:
            s.journal[JOURNAL + now["newly"]] = j
            now["newly"] += 1
    now["digested"] = now["changes"]


@jit
def no_news_matter(s: State, p: int) -> bool:
    """Proof by the sum of all news that stuck box p finds nothing. It is mostly enough."""
    now, cat = s.now[0], s.cat[p]
    if now["digested"] != now["changes"] or now["newly"] == JOURNAL or cat["bar"] < math.inf:
        return False
    if cat["rivals"] & now["news"] != 0 and cat["also_rivals"] & now["other_news"] != 0:
        return False
    for i in range(now["newly"]):
        j = s.journal[JOURNAL + i]
        if s.label[LIVE, j] == s.label[LIVE, p] and s.label[RESTING, j] == 1:
            if is_before(s, j, p) and not is_kept_from(s, p, j):
                return False
    return True


@jit
def might_matter(s: State, p: int, j: int) -> bool:
    """Category j has changed: might stuck box p find another outcome?"""
    cat = s.cat[p]
    if j == p:
        return True
    only_keepers = cat["bar"] == math.inf and max(cat["keeper"], cat["rear_keeper"]) >= 0
    if only_keepers:
        if j in (cat["keeper"], cat["rear_keeper"]):
            return not keeps_all(s, p, j)
    elif j in (cat["keeper"], cat["rear_keeper"]) or may_be_rival(s, p, j):
        return True
    if s.cat[j]["n"] == 0 or s.label[RESTING, j] == GONE:
        return False
    if s.label[LIVE, j] == s.label[LIVE, p]:
        if s.label[RESTING, j] == 0 or not is_before(s, j, p):
            return False
        return not is_kept_from(s, p, j)  # one more that it might join
    if cat["bar"] == math.inf or is_behind_as_it_is(s, j, p, cat["bar"]):
        return False
    activation, match = answer(s, j, p)
    return not (
        is_passed_over(s, p, activation, match) or joins_the_rivals(s, p, j, activation, match)
    )


@jit
def is_passed_over(s: State, p: int, activation: float, match: float) -> bool:
    """Does a category that answers so to stuck box p come too late, when vigilance is higher?

    After the first rival (`lead`), it is `lead_rho` at least, and after the last one (`stop`),
    `stop_rho`. A category of another cluster is not asked then, and one that p might join fails.
    """
    cat = s.cat[p]
    if activation < cat["lead"] - 2.0 * TIE and match < cat["lead_rho"] - 2.0 * TIE:
        return True
    return activation < cat["stop"] - 2.0 * TIE and match < cat["stop_rho"] - 2.0 * TIE


@jit
def joins_the_rivals(s: State, p: int, j: int, activation: float, match: float) -> bool:
    """MT+: does category j of another cluster, which answers so, come before all that stuck box p
    might join, so that it keeps p from these itself, or else changes nothing?

    If it passes vigilance when its turn comes, that is raised above theirs from then on, and they
    fail. If it does not pass, all goes on as without it, and they fail as well. Vigilance after the
    first and the last rival may be that of j now, and what p finds depends on j too.
    """
    cat, epsilon = s.cat[p], s.params[0]["epsilon"]
    rho = tracked(match, epsilon, 0)
    if not (activation > cat["open"] + 4.0 * TIE and rho > cat["open_match"] + 4.0 * TIE):
        return False
    if not epsilon >= 4.0 * TIE:
        return False
    cat["lead_rho"] = min(cat["lead_rho"], rho)
    cat["stop_rho"] = min(cat["stop_rho"], rho)
    depend_on(s, p, j)
    return True
