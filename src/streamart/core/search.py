"""The search for the two winners: module A and the map field together."""

from .._jit import jit
from .map_field import admits, tracked
from .module_a import next_resonant, uncommitted
from .state import STEP, Params, State


@jit
def find_winners(state: State, params: Params, question: int, target: int) -> tuple[int, int]:
    """First and second winner of the sample whose activations are in the state; -1 for none.

    A category that passes vigilance and fails the map field changes the vigilance for the rest of
    the search. The second winner is the next after the first (any, if the first is new) that
    passes T^u and the user's vigilance (or the one of the step, see `second_raised`).
    """
    a, categories = state.a, state.ground.count[0]
    threshold = uncommitted(a.x_min.shape[0], params.alpha, params.use_uncommitted)
    rho = state.vigilance[STEP]
    first = next_resonant(a.activation, a.match, categories, threshold, rho, params.cosine, -1)
    while first >= 0 and not admits(
        state.part.label, state.field, state.part.k[0], params.rho_ab, question, target, first
    ):
        rho = tracked(a.match[first], params.epsilon, params.cosine)
        first = next_resonant(
            a.activation, a.match, categories, threshold, rho, params.cosine, first
        )
    rho = state.vigilance[STEP] if params.second_raised else params.rho
    second = next_resonant(a.activation, a.match, categories, threshold, rho, params.cosine, first)
    return first, second
