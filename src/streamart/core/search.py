"""The search for the two winners: module A and the map field together."""

from .._jit import NONE, jit
from ..icvi.state import State
from .map_field import admits, tracked
from .module_a import next_resonant


@jit
def find_winners(s: State, question: int, target: int) -> tuple[int, int]:
    """First and second winner of the sample that was presented; -1 for none.

    A category that passes vigilance and fails the map field changes the vigilance for the rest of
    the search. The second winner is the next after the first (any, if the first is new) that
    passes T^u and the user's vigilance (or the one of the step, see `second_raised`).

    The search ends: a category that was visited is marked, and not visited again.
    """
    params, cat, rho = s.params[0], s.cat, s.now[0]["step_vigilance"]
    for p in range(s.now[0]["categories"]):
        cat[p]["mark"] = 0
    first = next_resonant(s, rho, NONE)
    # Ends: a category that was refused is marked, and not found again.
    while first >= 0 and not admits(s, question, target, first):
        cat[first]["mark"] = 1
        rho = tracked(cat[first]["match"], params["epsilon"], params["cosine"])
        first = next_resonant(s, rho, first)
    for p in range(s.now[0]["categories"]):
        cat[p]["mark"] = 0
    if first >= 0:
        cat[first]["mark"] = 1
    rho = s.now[0]["step_vigilance"] if params["second_raised"] else params["rho"]
    return first, next_resonant(s, rho, first)
