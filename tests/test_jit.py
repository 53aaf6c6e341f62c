"""How functions are compiled: none is lost, what is known is put in, indices are as they are."""

import os
import subprocess
import sys
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from llvmlite.binding import Linkage
from numba.core.caching import NullCache

from streamart._jit import jit, jit_entry
from streamart._jit.compiler import InnerLibrary, callers_first
from streamart._jit.handing import Constant, by_pointer


class Library(InnerLibrary):
    """What a library is for the order: those that it calls."""

    def __init__(self):
        self._linking_libraries = []


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30))
def test_callers_come_before_what_they_call(calls):
    libraries = [Library() for _ in range(10)]
    for one, other in calls:
        if one != other:  # only later ones are called, so nobody calls itself
            libraries[min(one, other)]._linking_libraries.append(libraries[max(one, other)])
    entry = Library()
    entry._linking_libraries = libraries[:2]
    order = callers_first(entry)
    assert len(set(map(id, order))) == len(order)
    for library in order:
        for below in library._linking_libraries:
            assert order.index(below) > order.index(library)
    assert all(library in order for library in libraries[:2])


@jit
def many_steps(used: np.ndarray, unused: np.ndarray, n: int) -> float:
    """Calls itself, so that it cannot be put into its caller."""
    return 0.0 if n == 0 else used[n % used.shape[0]] + many_steps(used, unused, n - 1)


@jit_entry
def start(used: np.ndarray, unused: np.ndarray, n: int) -> float:
    return many_steps(used, unused, n)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="the compiler is switched off")
def test_what_is_linked_in_is_handed_only_what_it_needs():
    program: Any = start
    program._cache = NullCache()  # machine code from the cache would say nothing
    assert program(np.arange(1.0, 4.0), np.zeros(3), 7) == 14.0
    (compiled,) = program.overloads.values()
    (inner,) = [
        function
        for function in compiled.library._final_module.functions
        if "many_steps" in function.name and not function.is_declaration
    ]
    assert inner.linkage == Linkage.internal
    assert len(list(inner.arguments)) < 7  # an array alone is seven


@by_pointer
class Parcel(NamedTuple):
    numbers: np.ndarray
    spare: np.ndarray | None
    kind: Constant


@jit
def read_spare(spare: np.ndarray | None, at: int) -> float:
    return -1.0 if spare is None else spare[at]


@jit
def read(parcel: Parcel, at: int) -> float:
    if parcel.kind == 1:
        return parcel.numbers[at]
    if parcel.kind == 2:
        return read_spare(parcel.spare, at)
    return parcel.spare[at]


@jit_entry
def read_twice(parcel: Parcel, at: int) -> float:
    before = read(parcel, at)
    parcel.numbers[at] += 1.0
    return 10.0 * before + read(parcel, at)


def parcel(kind, spare=None):
    return Parcel(np.arange(5.0), spare, Constant(kind))


def test_what_is_handed_over():
    """By one pointer; of what stays as it is, only where the arrays are."""
    assert read_twice(parcel(1), 3) == 34.0
    assert read_twice(parcel(2, np.arange(6.0)), 3) == 33.0
    assert read_twice(parcel(3, np.arange(6.0)), 3) == 33.0
    # Only the constant tells these from the others. With the first, the last line of `read`, which
    # cannot be compiled where there is nothing to spare, is not looked at.
    assert read_twice(parcel(1, np.arange(6.0)), 3) == 34.0
    assert read_twice(parcel(2), 3) == -11.0


@jit
def without(at: int) -> float:
    return -float(at)


@jit_entry
def read_if_any(spare: np.ndarray | None, at: int) -> float:
    return without(at) if spare is None else spare[at]


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="the compiler is switched off")
def test_what_is_never_called_is_not_compiled():
    program: Any = read_if_any
    program._cache = NullCache()
    inner: Any = without
    assert program(np.arange(5.0), 3) == 3.0
    assert len(inner.overloads) == 0
    assert program(None, 3) == -3.0
    assert len(inner.overloads) == 1


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="the compiler is switched off")
@pytest.mark.parametrize(("at", "refused"), [(2, False), (-1, True), (5, True)])
def test_indices_are_checked_if_numba_is_told_to(at, refused):
    """A negative index does not count from the end: `make test-bounds` finds who uses one."""
    program = f"import test_jit as t; print(t.read_twice(t.parcel(1), {at}))"
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "STREAMART_CACHE": "0"}
    finished = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        cwd=os.path.dirname(__file__),
    )
    assert ("IndexError" in finished.stderr) == refused
    assert (finished.returncode != 0) == refused
