"""Module B, the online iCVI framework: labels for a sample, the tracker, match tracking."""

import math

import numpy as np

from .._jit import jit
from .._typing import Floats
from ..icvi.compare import better
from ..icvi.registry import CONN
from ..icvi.what_if import if_sample_added, if_winners
from .map_field import ONE_OF_WANTED
from .search import find_winners
from .state import VIGILANCE, Params, State


@jit
def generate_labels(state: State, params: Params, x: Floats) -> None:
    """Label matrix Y: every cluster that is optimal for x in terms of the index (Eq. y_matrix)."""
    if params.code == CONN:
        values = _values_from_virtual_training(state, params)
    else:
        values = if_sample_added(params.code, state.part, state.ground, state.bench, x)
    best = math.nan
    for value in values:
        if not math.isnan(value) and (math.isnan(best) or value > best):
            best = value
    for c in range(state.part.k[0]):
        state.field.wanted[c] = 0 if better(best, values[c]) else 1


@jit
def _values_from_virtual_training(state: State, params: Params) -> Floats:
    """conn_index if module A and the map field were trained with (x, c), for every cluster c."""
    part, field = state.part, state.field
    k, categories = part.k[0], state.ground.count[0]
    values = np.empty(k)
    new_category_value, known = math.nan, False
    for c in range(k):
        for other in range(k):
            field.wanted[other] = 1 if other == c else 0
        first, second = find_winners(state, params, ONE_OF_WANTED, c)
        if first >= 0:
            values[c] = if_winners(
                part, state.ground, state.bench, first, second, part.label[first]
            )
        elif not params.variable:
            values[c] = if_winners(part, state.ground, state.bench, categories, second, c)
        else:
            if not known:  # the same new category in a new cluster, whatever c is
                new_category_value = if_winners(
                    part, state.ground, state.bench, categories, second, k
                )
                known = True
            values[c] = new_category_value
    return values


@jit
def first_wanted(state: State) -> int:
    """The first row of Y."""
    for c in range(state.part.k[0]):
        if state.field.wanted[c] == 1:
            return c
    return 0


@jit
def best_wanted(state: State, j: int) -> int:
    """The row of Y that category j matches best (the first of equals)."""
    field = state.field
    if field.weight.shape[0] == 0:
        return state.part.label[j]
    best = -1
    for c in range(state.part.k[0]):
        if field.wanted[c] == 1 and (best < 0 or field.weight[j, c] > field.weight[j, best]):
            best = c
    return best


@jit
def track_match(state: State, params: Params) -> None:
    """iCVI-based match tracking (Eqs. icvi_MT_sd, icvi_MT_cos): vigilance follows the tracker."""
    level = state.vigilance
    if state.tracker[0] < params.tau:
        level[VIGILANCE] = params.rho
    elif params.cosine:
        lowered = max(level[VIGILANCE] - params.epsilon_icvi, params.rho_mt)
        level[VIGILANCE] = min(lowered, 2.0)
    else:
        raised = min(level[VIGILANCE] + params.epsilon_icvi, params.rho_mt)
        level[VIGILANCE] = max(raised, 0.0)


@jit
def update_tracker(state: State, start: float, end: float) -> None:
    """v grows while the index gets worse, and falls otherwise."""
    v = state.tracker[0]
    state.tracker[0] = v + 1 if better(start, end) else max(0, v - 1)
