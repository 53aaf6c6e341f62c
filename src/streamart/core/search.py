"""The search for the two winners: module A and the map field together."""

from .._jit import jit
from .._typing import Floats
from ..icvi.state import MATCH, State
from .map_field import admits, tracked
from .module_a import next_resonant


@jit
def find_winners(s: State, x: Floats, question: int, target: int) -> tuple[int, int]:
    """First and second winner of the sample that was presented; -1 for none.

    A category that passes vigilance and fails the map field changes the vigilance for the rest of
    the search. The second winner is the next after the first (any, if the first is new) that
    passes T^u and the user's vigilance (or the one of the step, see `second_raised`).
    """
    params = s.params[0]
    rho = s.now[0]["step_vigilance"]
    first = next_resonant(s, x, rho, -1)
    while first >= 0 and not admits(s, s.weight, question, target, first):
        rho = tracked(s.scan[MATCH, first], params["epsilon"], params["cosine"])
        first = next_resonant(s, x, rho, first)
    rho = s.now[0]["step_vigilance"] if params["second_raised"] else params["rho"]
    return first, next_resonant(s, x, rho, first)
