"""Module B, the online iCVI framework: labels for a sample, the tracker, match tracking."""

import math

from .._jit import NONE, by_index_of_state, jit
from .._typing import Floats
from ..icvi.compare import better
from ..icvi.registry import if_added, if_winners, index_of
from ..icvi.state import LIVE, State
from .events import RAISED, RESTORED, note_event
from .map_field import ONE_OF_WANTED, has_weights
from .search import find_winners


@jit
def generate_labels(s: State, x: Floats) -> None:
    """Label matrix Y: every cluster that is optimal for x in terms of the index (Eq. y_matrix).

    Out of those that x is not barred from.
    """
    clu, best, may_be_barred = s.clu[LIVE], math.nan, s.now[0]["group"] >= 0
    value_clusters(s, x)
    for c in range(s.now[LIVE]["k"]):
        value = clu[c]["value"]
        if not (math.isnan(value) or (may_be_barred and clu[c]["barred"] == 1)):
            if math.isnan(best) or value > best:
                best = value
    for c in range(s.now[LIVE]["k"]):
        out = better(best, clu[c]["value"]) or (may_be_barred and clu[c]["barred"] == 1)
        clu[c]["wanted"] = 0 if out else 1


@jit
def by_position(s: State, x: Floats) -> None:
    """For every cluster, ``value`` is the goodness if x were in it."""
    if_added(s, x)


@jit
def by_virtual_training(s: State, x: Floats) -> None:
    """The same if module A and the map field were trained with (x, c), for every cluster c."""
    k, clu, free = s.now[LIVE]["k"], s.clu[LIVE], s.now[0]["categories"]
    new_cluster_value, known = math.nan, False
    for c in range(k):
        for other in range(k):
            clu[other]["wanted"] = 1 if other == c else 0
        first, second = find_winners(s, ONE_OF_WANTED, c)
        if first >= 0:
            clu[c]["value"] = if_winners(s, first, second, s.label[LIVE, first])
        elif not s.params[0]["variable"]:
            clu[c]["value"] = if_winners(s, free, second, c)
        else:
            if not known:  # the same new category in a new cluster, whatever c is
                new_cluster_value = if_winners(s, free, second, k)
                known = True
            clu[c]["value"] = new_cluster_value


value_clusters = by_index_of_state(
    lambda marker: by_virtual_training if index_of(marker).by_winners else by_position
)


@jit
def first_wanted(s: State) -> int:
    """The first row of Y."""
    found = 0
    # Ends: the best cluster is wanted, whatever the tolerance.
    while s.clu[LIVE, found]["wanted"] == 0:
        found += 1
    return found


@jit
def best_wanted(s: State, j: int) -> int:
    """The row of Y that category j matches best (the first of equals)."""
    best = s.label[LIVE, j]
    if has_weights(s):
        best = NONE
        for c in range(s.now[LIVE]["k"]):
            if s.clu[LIVE, c]["wanted"] == 1:
                if best < 0 or s.weight[j, c] > s.weight[j, best]:
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
            note_event(s, RAISED, NONE, NONE, now["vigilance"])
        elif now["vigilance"] == params["rho"]:
            note_event(s, RESTORED, NONE, NONE, now["vigilance"])


@jit
def update_tracker(s: State, start: float) -> None:
    """v grows by one if the index got worse during the step, and falls by one otherwise."""
    v = s.now[0]["tracker"]
    s.now[0]["tracker"] = v + 1 if better(start, s.now[LIVE]["goodness"]) else max(0, v - 1)
