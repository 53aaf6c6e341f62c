"""Loops over features in vector instructions that LLVM does not find by itself."""

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.extending import lower_builtin, type_callable

from .._typing import Bytes, Floats

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
