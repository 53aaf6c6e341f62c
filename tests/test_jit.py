"""Compiled functions are linked so that none is left out, and nobody else can call them."""

from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from llvmlite.binding import Linkage
from numba.core.caching import NullCache

from streamart._jit import jit, jit_entry
from streamart._jit.compiler import InnerLibrary, callers_first


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
