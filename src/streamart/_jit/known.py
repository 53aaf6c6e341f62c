"""What is known of a function's arguments is written into it before it is compiled.

Then numba leaves out the branches that are never taken, and does not compile what only they call.
"""

import operator
from typing import Any

from numba.core import ir, types
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.ir_utils import get_definition, guard

from .handing import Handed


@register_pass(mutates_CFG=False, analysis_only=False)
class PutInWhatIsKnown(FunctionPass):
    """The constants of a state, and that an array is not None."""

    _name = "streamart_put_in_what_is_known"

    def __init__(self) -> None:  # numba's own is abstract
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Returns whether anything has changed, as numba wants to know."""
        changed = False
        for block in state.func_ir.blocks.values():
            for assignment in block.find_insts(ir.Assign):
                asked = assignment.value
                answer = _answer(state, asked) if isinstance(asked, ir.Expr) else None
                if answer is not None:
                    definitions = state.func_ir._definitions[assignment.target.name]
                    definitions[definitions.index(asked)] = assignment.value = answer
                    changed = True
        return changed


def _answer(state: Any, asked: Any) -> Any:
    """What an expression comes to, if that is known."""
    if asked.op == "getattr":
        kind = _kind(state, asked.value)
        if isinstance(kind, Handed) and asked.attr in kind.constants:
            return ir.Const(kind.constants[asked.attr], asked.loc)
    if asked.op == "binop" and asked.fn in (operator.is_, operator.is_not):
        other = guard(get_definition, state.func_ir, asked.rhs)
        if isinstance(other, ir.Const) and other.value is None:
            if isinstance(_kind(state, asked.lhs), types.Array):
                return ir.Const(asked.fn is operator.is_not, asked.loc)
    return None


def _kind(state: Any, variable: Any) -> Any:
    """The type of an argument; None if it is something else."""
    origin = guard(get_definition, state.func_ir, variable)
    return state.args[origin.index] if isinstance(origin, ir.Arg) else None
