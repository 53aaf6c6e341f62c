"""Which index it is. CH and WB differ in their formula only: they are one family."""

from .._jit import jit
from .registry import CH
from .state import State


@jit
def code_of(s: State) -> int:
    """The code of the index; of all but CH and WB it is known when a program is compiled."""
    if s.family == CH:
        return int(s.params[0]["code"])
    return int(s.family)
