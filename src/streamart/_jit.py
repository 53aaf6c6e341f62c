"""The only place that touches numba: one decorator for code, one for sums, one number for ties.

``STREAMART_CACHE=0`` switches the on-disk cache of compiled code off; ``NUMBA_DISABLE_JIT=1`` runs
everything as plain Python.
"""

import os
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba

Params = ParamSpec("Params")
Result = TypeVar("Result")

CACHE = os.environ.get("STREAMART_CACHE", "1").lower() not in {"0", "false", "no"}

# Two numbers whose relative difference is below this are one number with different rounding. Every
# comparison that decides something uses it, so that a tie in exact arithmetic is a tie here, in any
# order of summation and after any shift or change of scale of the data.
TIE = 1e-12

# Sums may be reordered and contracted. NaN and infinity keep their meaning: no nnan, no ninf.
_RELAXED = {"reassoc", "nsz", "contract", "arcp"}


def jit(function: Callable[Params, Result]) -> Callable[Params, Result]:
    """Compile, cache, release the GIL; a division by zero gives infinity, as in numpy."""
    compiled: Callable[Params, Result] = numba.njit(cache=CACHE, nogil=True, error_model="numpy")(
        function
    )
    return compiled


def jit_sums(function: Callable[Params, Result]) -> Callable[Params, Result]:
    """The same for leaf loops that sum over features: vectorised, about 4 times faster at d=128."""
    compiled: Callable[Params, Result] = numba.njit(
        cache=CACHE, nogil=True, error_model="numpy", fastmath=_RELAXED
    )(function)
    return compiled
