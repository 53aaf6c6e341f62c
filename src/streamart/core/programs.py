"""How Python calls the compiled programs: without looking at the types every time."""

from collections.abc import Callable
from typing import Any

from .._jit import direct
from ..icvi.state import State

_CODE: dict[Any, Callable[..., Any]] = {}


def call(program: Callable[..., Any], state: State, *arguments: Any) -> Any:
    """``program(state, *arguments)``.

    Which arrays of the state are None is all that may differ between calls. Of the other arguments,
    arrays are contiguous, aligned and writable.
    """
    key = (program, state.top is None, state.attach is None, state.weight is None)
    code = _CODE.get(key)
    if code is None:
        code = _CODE[key] = direct(program, (state, *arguments))
    return code(state, *arguments)
