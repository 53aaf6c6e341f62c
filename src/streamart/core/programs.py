"""How Python calls the compiled programs: without looking at the types every time."""

from collections.abc import Callable
from typing import Any

from .._jit import direct
from ..icvi.state import State

_CODE: dict[Any, Callable[..., Any]] = {}


def call(program: Callable[..., Any], state: State, *arguments: Any) -> Any:
    """``program(state, *arguments)``.

    The family of its index, and whether it has a weight, are all that may differ between states. Of
    the other arguments, arrays are contiguous, aligned and writable.
    """
    key = (program, state.family, state.weight is None)
    code = _CODE.get(key)
    if code is None:
        code = _CODE[key] = direct(program, (state, *arguments))
    return code(state, *arguments)
