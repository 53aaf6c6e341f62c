"""A NamedTuple of arrays that compiled functions hand over as one pointer.

A `Constant` in it is part of its type: for each value, functions are compiled anew, and what they
do for other values is left out.

numba hands over a NamedTuple as all that its arrays consist of, 170 numbers for our state, at every
call, and names each function after the types of all that it takes. To write that down and to
optimise it away took nearly half of the time of compiling (docs/internals.md).

During a call from Python the arrays stay where they are. LLVM is told so: otherwise it would look
for them again after every store.
"""

import hashlib
from typing import Any, TypeVar

from llvmlite import ir
from numba._dispatcher import compute_fingerprint
from numba.core import cgutils, types
from numba.core.datamodel.models import PrimitiveModel
from numba.core.imputils import impl_ret_borrowed
from numba.core.pythonapi import NativeValue
from numba.extending import lower_getattr_generic, register_model, typeof_impl, unbox

Class = TypeVar("Class", bound=type)

WORD = 8
_sizes: dict[Any, int] = {}  # of what there is at each kind of pointer, in bytes


class Constant(int):
    """A number that is known when a function is compiled.

    Not an int: numba would take any two states that differ only in such numbers for the same.
    """


class Handed(types.NamedTuple):
    """The type of such a NamedTuple. Its name is short, and so are those of functions."""

    def __init__(self, kinds: list[types.Type], named_tuple: type) -> None:
        super().__init__(kinds, named_tuple)
        digest = hashlib.sha256(self.name.encode()).hexdigest()[:16]
        self.name = f"{named_tuple.__name__}_{digest}"
        self.constants = {
            name: kind.literal_value
            for name, kind in zip(self.fields, kinds, strict=True)
            if isinstance(kind, types.IntegerLiteral)
        }

    @property
    def key(self) -> str:
        name: str = self.name
        return name


def by_pointer(named_tuple: Class) -> Class:
    """Decorates a class: compiled functions take its instances as pointers, and make none."""

    known: dict[Any, Handed] = {}

    @typeof_impl.register(named_tuple)
    def type_of(value: Any, context: Any) -> Handed:
        looks = tuple(
            int(each) if isinstance(each, Constant) else compute_fingerprint(each) for each in value
        )
        if looks not in known:
            kinds = [
                types.literal(look) if isinstance(look, int) else typeof_impl(each, context)
                for each, look in zip(value, looks, strict=True)
            ]
            known[looks] = Handed(kinds, named_tuple)
        return known[looks]

    return named_tuple


@register_model(Handed)
class _Pointer(PrimitiveModel):
    def __init__(self, models: Any, handed: Handed) -> None:
        arrays = [models.lookup(kind).get_value_type() for kind in handed.types]
        pointer = ir.LiteralStructType(arrays).as_pointer()
        super().__init__(models, handed, pointer)
        _sizes[pointer] = WORD * sum(_count(array) for array in arrays)


def _count(kind: Any) -> int:
    """Of the numbers that a value consists of; each takes a word."""
    return sum(map(_count, kind.elements)) if isinstance(kind, ir.Aggregate) else 1


def promise_to_stay(module: Any) -> None:
    """Tell LLVM of all functions of a module that what they are handed can be read at any time."""
    for function in module.functions:
        for argument in function.args:
            if argument.type in _sizes:
                argument.attributes.dereferenceable = _sizes[argument.type]
                argument.attributes.align = WORD


@unbox(Handed)
def _unbox(handed: Handed, value: Any, c: Any) -> NativeValue:
    kinds = [types.unliteral(kind) for kind in handed.types]
    plain = c.unbox(types.NamedTuple(kinds, handed.instance_class), value)
    place = cgutils.alloca_once_value(c.builder, plain.value)
    return NativeValue(place, cleanup=plain.cleanup, is_error=plain.is_error)


@lower_getattr_generic(Handed)
def _read(context: Any, builder: Any, handed: Handed, pointer: Any, name: str) -> Any:
    index = handed.fields.index(name)
    array = _load(builder, cgutils.gep_inbounds(builder, pointer, 0, index))
    return impl_ret_borrowed(context, builder, handed.types[index], array)


def _load(builder: Any, place: Any) -> Any:
    """What is there, number by number: of a whole, LLVM forgets that it stays as it is."""
    kind = place.type.pointee
    if isinstance(kind, ir.Aggregate):
        whole = ir.Constant(kind, ir.Undefined)
        for i in range(len(kind.elements)):
            number = _load(builder, cgutils.gep_inbounds(builder, place, 0, i))
            whole = builder.insert_value(whole, number, i)
        return whole
    # It is said twice: the first is lost where LLVM hands over a number in place of the pointer.
    number, note, zero = builder.load(place), builder.module.add_metadata, ir.IntType(64)(0)
    number.set_metadata("invariant.load", note([]))
    stays = note(["what is handed over", note(["streamart"]), zero])
    number.set_metadata("tbaa", note([stays, stays, zero, ir.IntType(64)(1)]))
    return number
