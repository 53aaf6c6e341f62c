"""The only place that touches numba, and the number below which two numbers are the same.

Five decorators, and a way of our own to compile what only compiled code calls, so that compiling
stays quick (docs/internals.md has the measurements):

- `jit_entry`: called from Python. Compiled with a wrapper and kept in numba's cache on disk.
- `jit`: called from compiled code only: no wrapper, no file of its own in the cache. It may not
  make arrays; without reference counts its code is a fraction of the size.
- `jit_alloc`: the same for the few that do make arrays.
- `jit_sums`: the same for leaf loops that sum over features, whose sums may be reordered.
- `jit_inline`: for what is called hundreds of times a step: no call, which hands over arrays.

``STREAMART_CACHE=0`` switches the cache off; ``NUMBA_DISABLE_JIT=1`` runs everything as Python.
"""

import gc
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from llvmlite.binding import Linkage
from numba.core import cgutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.environment import lookup_environment
from numba.core.types.functions import BaseFunction
from numba.extending import lower_builtin, type_callable

from ._typing import Bytes, Floats

try:
    import fcntl
except ImportError:  # there is none on Windows
    fcntl = None  # type: ignore[assignment]

Function = TypeVar("Function", bound=Callable[..., Any])

CACHE = os.environ.get("STREAMART_CACHE", "1").lower() not in {"0", "false", "no"}

# Two numbers whose relative difference is below this are one number with different rounding. Every
# comparison that decides something uses it, so that a tie in exact arithmetic is a tie here, in any
# order of summation and after any shift or change of scale of the data.
TIE = 1e-12

# A division by zero gives infinity, as in numpy; the GIL is not held.
_COMMON: dict[str, Any] = {"nogil": True, "error_model": "numpy"}


class _InnerLibrary(JITCodeLibrary):
    """The code of a function that only compiled code calls: as written, no machine code.

    numba optimises every function together with all that it calls, then again as a part of each of
    its callers, and makes machine code of each. Here that is done once, for the entry.
    """

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    @property
    def codegen(self) -> Any:
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Left to the entry, where the code ends up."""


def _callers_first(entry: Any) -> list[Any]:
    """All libraries that an entry needs, each after those that call it.

    LLVM leaves out a function that nothing calls yet when it is linked in.
    """
    done: dict[Any, None] = {}

    def visit(library: Any) -> None:
        if library in done:
            return
        if library is entry or isinstance(library, _InnerLibrary):
            for below in library._linking_libraries:
                visit(below)
        done[library] = None

    visit(entry)
    del done[entry]
    return list(reversed(done))


class _EntryLibrary(JITCodeLibrary):
    """The code of a function that Python calls, together with all that it calls."""

    def finalize(self) -> None:
        self._linking_libraries = _callers_first(self)
        super().finalize()
        codegen: Any = self._codegen
        for variable in self._final_module.global_variables:
            environment = lookup_environment(variable.name)
            if environment is not None:
                codegen.set_env(variable.name, environment)

    def _optimize_final_module(self) -> None:
        """Nobody else calls what is linked in: then LLVM hands over only those arrays of the state
        that a function needs, instead of all, and puts what is called once into its caller."""
        for function in self._final_module.functions:
            if function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
        super()._optimize_final_module()


class _InnerCompiler(Compiler):
    library: type[Any] = _InnerLibrary

    def define_pipelines(self) -> Any:
        name = self.state.func_id.func_qualname
        self.state.library = self.library(self.state.targetctx.codegen(), name)
        self.state.library.enable_object_caching()
        return super().define_pipelines()


class _EntryCompiler(_InnerCompiler):
    library = _EntryLibrary


_INNER: dict[str, Any] = {
    **_COMMON,
    "_nrt": False,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": _InnerCompiler,
}
# Sums may be reordered and contracted. NaN and infinity keep their meaning: no nnan, no ninf.
_RELAXED = {"reassoc", "nsz", "contract", "arcp"}


def _compiled(function: Function, options: dict[str, Any]) -> Function:
    dispatcher: Any = numba.njit(**options)(function)
    if hasattr(dispatcher, "get_call_template"):
        # Without this, a constant argument (-1, True) has a type of its own and everything below
        # is compiled once more for it.
        template, plain = dispatcher.get_call_template, cast(Any, numba.types.unliteral)

        def get_call_template(args: Any, kws: Any) -> Any:
            return template(
                tuple(plain(arg) for arg in args), {key: plain(arg) for key, arg in kws.items()}
            )

        dispatcher.get_call_template = get_call_template
    return dispatcher  # type: ignore[no-any-return]


def jit_entry(function: Function) -> Function:
    """Compile for Python to call, and cache."""
    entry = _compiled(
        function, {**_COMMON, "_nrt": False, "cache": CACHE, "pipeline_class": _EntryCompiler}
    )
    if CACHE and hasattr(entry, "_cache"):
        _save_one_at_a_time(cast(Any, entry)._cache)
    return entry


def _save_one_at_a_time(cache: Any) -> None:
    """Two processes that save code at the same moment would mix up the files of numba's cache."""
    save = cache.save_overload

    def save_overload(signature: Any, data: Any) -> None:
        with ExitStack() as stack:
            with suppress(OSError):
                folder = Path(cache.cache_path)
                folder.mkdir(parents=True, exist_ok=True)
                lock = stack.enter_context((folder / "streamart.lock").open("a"))
                if fcntl is not None:
                    fcntl.flock(lock, fcntl.LOCK_EX)
            save(signature, data)

    cache.save_overload = save_overload


_COMPILING = threading.RLock()


@contextmanager
def _quick_typing() -> Iterator[None]:
    """While this lasts, numba finds out only once which version of an operator takes which types.

    It tries all that there are, dozens for an index or a sum, anew at every place in the code: a
    fifth of the time of compiling. Nor does it look for garbage, of which it makes little.
    """
    known: dict[Any, Any] = {}

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        place = (self.key, context, tuple(args))
        if kws:
            return slow(self, context, args, kws)
        if place in known:
            signature, implementation = known[place]
            self._impl_keys[signature.args] = implementation
            return signature
        signature = slow(self, context, args, kws)
        if signature is not None and signature.args in self._impl_keys:
            known[place] = signature, self._impl_keys[signature.args]
        return signature

    with _COMPILING:
        slow: Any = BaseFunction.get_call_type
        collects = gc.isenabled()
        gc.disable()
        cast(Any, BaseFunction).get_call_type = get_call_type
        try:
            yield
        finally:
            cast(Any, BaseFunction).get_call_type = slow
            if collects:
                gc.enable()


def direct(function: Function, arguments: tuple[Any, ...]) -> Function:
    """The machine code of an entry for arguments of these types.

    A call through numba looks at the types of all arguments, which takes 5 microseconds for our
    state. This does not (0.4), so every call must have arguments of the very same types.
    """
    dispatcher = cast(Any, function)
    if not hasattr(dispatcher, "compile"):  # the compiler is switched off
        return function
    signature = tuple(numba.typeof(argument) for argument in arguments)
    with _quick_typing():
        dispatcher.compile(signature)
    return cast(Function, dispatcher.overloads[signature].entry_point)


def jit(function: Function) -> Function:
    """Compile for other compiled functions to call."""
    return _compiled(function, _INNER)


def jit_alloc(function: Function) -> Function:
    """The same for functions that make arrays."""
    return _compiled(function, {**_INNER, "_nrt": True})


def jit_sums(function: Function) -> Function:
    """The same for sums over features: vectorised, about 4 times faster at d = 128."""
    return _compiled(function, {**_INNER, "fastmath": _RELAXED})


def jit_inline(function: Function) -> Function:
    """The same, put into its callers: to hand things over would take longer than what is done."""
    return _compiled(function, {**_INNER, "forceinline": True})


LANES = 32  # so many bytes are compared at once


def sum_outside(lo: Bytes, hi: Bytes, other_lo: Bytes, other_hi: Bytes) -> int:
    """How far one box of bytes is outside another, above and below, summed over features.

    The number of features is a multiple of `LANES`, and for each it is no more than a byte.

    >>> row = np.zeros(LANES, dtype=np.uint8)
    >>> sum_outside(row + 20, row + 30, row + 15, row + 31) == 6 * LANES
    True
    """
    above = np.maximum(other_hi, hi) - hi
    below = np.maximum(lo, other_lo) - other_lo
    return int(above.sum() + below.sum())


@type_callable(sum_outside)
def _type_sum_outside(context: Any) -> Any:
    def answer(lo: Any, hi: Any, other_lo: Any, other_hi: Any) -> Any:
        return numba.types.int64

    return answer


@lower_builtin(sum_outside, *4 * [numba.types.Array])
def _compile_sum_outside(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """`LANES` at a time. What LLVM makes of a loop over bytes takes twice as long: it does not see
    that differences that stay at zero, and the sum of bytes, are single instructions.
    """
    number, few = ir.IntType(32), ir.VectorType(ir.IntType(8), LANES)
    wide = ir.VectorType(number, LANES)

    def call(name: str, result: Any, *values: Any) -> Any:
        kind = ir.FunctionType(result, [value.type for value in values])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), values)

    arrays = _arrays(context, builder, signature, arguments)
    size = cgutils.unpack_tuple(builder, arrays[0].shape)[0]
    total = cgutils.alloca_once_value(builder, number(0))
    with cgutils.for_range_slice(builder, size.type(0), size, size.type(LANES)) as (at, _):
        places = [builder.gep(array.data, [at]) for array in arrays]
        lo, hi, other_lo, other_hi = (
            builder.load(builder.bitcast(place, few.as_pointer()), align=1) for place in places
        )
        minus, plus = f"llvm.usub.sat.v{LANES}i8", f"llvm.vector.reduce.add.v{LANES}i32"
        outside = builder.add(call(minus, few, other_hi, hi), call(minus, few, lo, other_lo))
        more = call(plus, number, builder.zext(outside, wide))
        builder.store(builder.add(builder.load(total), more), total)
    return builder.zext(builder.load(total), ir.IntType(64))


AT_ONCE = 4  # so many samples are compared with means at once,
_WIDTH = 8  # and so many features


def squared_distance_from(x: Floats, mean: Floats) -> float:
    """Squared distance of a sample from a mean: bit by bit what `squared_distances` gives.

    >>> squared_distance_from(np.array([3.0, 0.0]), np.array([0.0, 4.0]))
    25.0
    """
    return float(((x - mean) ** 2).sum())


def squared_distances(samples: Floats, mean: Floats, other: Floats) -> tuple[float, ...]:
    """The same of `AT_ONCE` samples, the rows of an array, from two means.

    Most of the time is spent reading: so each number is used several times when it is read.

    >>> squared_distances(np.array([[3.0], [1.0], [0.0], [5.0]]), np.array([1.0]), np.array([0.0]))
    (4.0, 0.0, 1.0, 16.0, 9.0, 1.0, 0.0, 25.0)
    """
    return tuple(squared_distance_from(x, one) for one in (mean, other) for x in samples)


@type_callable(squared_distance_from)
def _type_squared_distance_from(context: Any) -> Any:
    def answer(x: Any, mean: Any) -> Any:
        return numba.types.float64

    return answer


@type_callable(squared_distances)
def _type_squared_distances(context: Any) -> Any:
    def answer(samples: Any, mean: Any, other: Any) -> Any:
        return numba.types.UniTuple(numba.types.float64, 2 * AT_ONCE)

    return answer


@lower_builtin(squared_distance_from, *2 * [numba.types.Array])
def _compile_squared_distance_from(
    context: Any, builder: Any, signature: Any, arguments: Any
) -> Any:
    x, mean = _arrays(context, builder, signature, arguments)
    size = cgutils.unpack_tuple(builder, mean.shape)[0]
    return _sums_of_squares(builder, [x.data], [mean.data], size)[0]


@lower_builtin(squared_distances, *3 * [numba.types.Array])
def _compile_squared_distances(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    samples, mean, other = _arrays(context, builder, signature, arguments)
    size = cgutils.unpack_tuple(builder, mean.shape)[0]
    rows = [
        builder.gep(samples.data, [builder.mul(size, size.type(row))]) for row in range(AT_ONCE)
    ]
    sums = _sums_of_squares(builder, rows, [mean.data, other.data], size)
    return context.make_tuple(builder, signature.return_type, sums)


def _arrays(context: Any, builder: Any, signature: Any, arguments: Any) -> list[Any]:
    return [
        context.make_array(kind)(context, builder, value)
        for kind, value in zip(signature.args, arguments, strict=True)
    ]


def _sums_of_squares(builder: Any, rows: list[Any], means: list[Any], size: Any) -> list[Any]:
    """Of the differences of each row from each mean.

    In an order that does not depend on how many there are, as it might if LLVM chose it: so many
    sums side by side, added up two by two; the features that are left over come last, one by one.
    """
    number, flags = ir.DoubleType(), ("contract",)

    def add_squares(totals: list[Any], at: Any, kind: Any) -> None:
        xs, here = (
            [
                builder.load(builder.bitcast(builder.gep(place, [at]), kind.as_pointer()), align=8)
                for place in places
            ]
            for places in (rows, means)
        )
        pairs = ((x, mean) for mean in here for x in xs)
        for total, (x, mean) in zip(totals, pairs, strict=True):
            difference = builder.fsub(x, mean)
            square = builder.fmul(difference, difference, flags=flags)
            builder.store(builder.fadd(builder.load(total), square, flags=flags), total)

    def sum_up(wide: Any, width: int) -> Any:
        while width > 1:
            width //= 2
            halves = (
                ir.Constant(ir.VectorType(ir.IntType(32), width), list(places))
                for places in (range(width), range(width, 2 * width))
            )
            wide = builder.fadd(*(builder.shuffle_vector(wide, wide, half) for half in halves))
        return builder.extract_element(wide, ir.IntType(32)(0))

    lanes = ir.VectorType(number, _WIDTH)
    nothing = ir.Constant(lanes, [0.0] * _WIDTH)
    wide = [cgutils.alloca_once_value(builder, nothing) for _ in rows for _ in means]
    full = builder.and_(size, size.type(-_WIDTH))
    with cgutils.for_range_slice(builder, size.type(0), full, size.type(_WIDTH)) as (at, _):
        add_squares(wide, at, lanes)
    totals = []
    for total in wide:
        totals.append(cgutils.alloca_once(builder, number))
        builder.store(sum_up(builder.load(total), _WIDTH), totals[-1])
    with cgutils.for_range_slice(builder, full, size, size.type(1)) as (at, _):
        add_squares(totals, at, number)
    return [builder.load(total) for total in totals]
