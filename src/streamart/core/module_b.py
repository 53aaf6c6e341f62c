"""Module B, the online iCVI framework: labels for a sample, the tracker, match tracking."""

import math

from .._jit import TIE, jit
from .._typing import Floats
from ..icvi.compare import better
from ..icvi.state import LIVE, VALUE, WANTED, State
from ..icvi.what_if import if_sample_added, if_winners
from .events import RAISED, RESTORED, note_event
from .map_field import ONE_OF_WANTED
from .search import find_winners


@jit
def generate_labels(s: State, top: Floats | None, attach: Floats | None, x: Floats) -> None:
    """Label matrix Y: every cluster that is optimal for x in terms of the index (Eq. y_matrix).

    Out of those that x is not barred from.
    """
    clu, may_be_barred = s.clu[LIVE], s.now[0]["group"] >= 0
    if top is None and not may_be_barred:
        mark_wanted(s, if_sample_added(s, top, x))
        return
    if top is not None and attach is not None:
        train_virtually(s, top, attach, x)
    else:
        if_sample_added(s, top, x)
    best = math.nan
    for c in range(s.now[LIVE]["k"]):
        value = s.each[VALUE, c]
        if may_be_barred and clu[c]["barred"] == 1:
            continue
        if not math.isnan(value) and (math.isnan(best) or value > best):
            best = value
    for c in range(s.now[LIVE]["k"]):
        out = better(best, s.each[VALUE, c]) or (may_be_barred and clu[c]["barred"] == 1)
        s.each[WANTED, c] = 0 if out else 1


@jit
def mark_wanted(s: State, best: float) -> None:
    """The same for CH and WB, whose values are negative, or 0; this is the greatest of them."""
    clearly_less = best * (1.0 + 2.0 * TIE)
    for c in range(s.now[LIVE]["k"]):
        value = s.each[VALUE, c]
        s.each[WANTED, c] = 0 if value < clearly_less or better(best, value) else 1


@jit
def train_virtually(s: State, top: Floats, attach: Floats, x: Floats) -> None:
    """conn_index if module A and the map field were trained with (x, c), for every cluster c."""
    k, free = s.now[LIVE]["k"], s.order[s.now[0]["categories"]]
    new_cluster_value, known = math.nan, False
    for c in range(k):
        for other in range(k):
            s.each[WANTED, other] = 1 if other == c else 0
        first, second = find_winners(s, x, ONE_OF_WANTED, c)
        if first >= 0:
            s.each[VALUE, c] = if_winners(s, top, attach, first, second, s.label[LIVE, first])
        elif not s.params[0]["variable"]:
            s.each[VALUE, c] = if_winners(s, top, attach, free, second, c)
        else:
            if not known:  # the same new category in a new cluster, whatever c is
                new_cluster_value = if_winners(s, top, attach, free, second, k)
                known = True
            s.each[VALUE, c] = new_cluster_value


@jit
def first_wanted(s: State) -> int:
    """The first row of Y."""
    found = 0
    while s.each[WANTED, found] == 0:
        found += 1
    return found


@jit
def best_wanted(s: State, weight: Floats | None, j: int) -> int:
    """The row of Y that category j matches best (the first of equals)."""
    best = s.label[LIVE, j]
    if weight is not None:
        best = -1
        for c in range(s.now[LIVE]["k"]):
            if s.each[WANTED, c] == 1 and (best < 0 or weight[j, c] > weight[j, best]):
                best = c
    return best


@jit
def track_match(s: State) -> None:
    """iCVI-based match tracking (Eqs. icvi_MT_sd, icvi_MT_cos): vigilance follows the tracker."""
    now, params = s.now[0], s.params[0]
    before = now["vigilance"]
    if now["tracker"] < params["tau"]:
        now["vigilance"] = params["rho"]
    elif params["cosine"]:
        lowered = max(now["vigilance"] - params["epsilon_icvi"], params["rho_mt"])
        now["vigilance"] = min(lowered, 2.0)
    else:
        raised = min(now["vigilance"] + params["epsilon_icvi"], params["rho_mt"])
        now["vigilance"] = max(raised, 0.0)
    if now["vigilance"] != before:
        if before == params["rho"]:
            note_event(s, RAISED, -1, -1, now["vigilance"])
        elif now["vigilance"] == params["rho"]:
            note_event(s, RESTORED, -1, -1, now["vigilance"])


@jit
def update_tracker(s: State, start: float) -> None:
    """v grows by one if the index got worse during the step, and falls by one otherwise."""
    v = s.now[0]["tracker"]
    s.now[0]["tracker"] = v + 1 if better(start, s.now[LIVE]["goodness"]) else max(0, v - 1)
