"""The only module that uses numba: our decorators, and how compiled code depends on the index.

- `jit_entry`: called from Python; kept in numba's cache on disk.
- `jit`: called from compiled code only, so numba makes no Python wrapper for it.
- `jit_arrays`: the same, and may make arrays.
- `jit_sums`: the same for leaf loops over features, whose sums may be reordered.
- `by_index`, `by_index_of_state`: a function that is chosen by the validity index when a program is
  compiled.

``STREAMART_CACHE=0`` switches the cache off; ``NUMBA_DISABLE_JIT=1`` runs everything as Python.

What costs compile time: array expressions (write loops instead), arrays made in compiled code
(`np.empty`), and a literal such as -1 as an argument, which compiles the callee once more. Pass
`NONE` or another `constant` instead.
"""

import gc
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.extending import overload

Function = TypeVar("Function", bound=Callable[..., Any])

_warned = False
CACHE = os.environ.get("STREAMART_CACHE", "1").lower() not in {"0", "false", "no"}

TIE = 1e-12
"""Two numbers with a smaller relative difference are equal. Every comparison that decides something
uses it, so a tie in exact arithmetic is a tie here, whatever the order of summation."""


def constant(value: int) -> int:
    """An integer of the type that compiled code computes with: passing a Python literal such as -1
    would compile the callee once more."""
    return np.int64(value)  # type: ignore[return-value]


NONE = constant(-1)
"""No category, no cluster, no group."""
ZERO, ONE = constant(0), constant(1)

# A division by zero gives infinity, as in numpy; the GIL is released.
# Arrays are not counted: whoever calls keeps them alive. With counts, each call that passes the
# state on counts its twenty arrays up and down, and the network is up to 8 times as slow.
_COMMON: Any = {"nogil": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}
_INNER: Any = {**_COMMON, "no_cpython_wrapper": True}
# Sums may be reordered and contracted. NaN and infinity keep their meaning: no nnan, no ninf.
_RELAXED = {"reassoc", "nsz", "contract", "arcp"}


def jit_entry(function: Function) -> Function:
    """Compile for Python to call, and cache where that is possible."""
    uncached: Function = numba.njit(**_COMMON)(function)
    if uncached is function:  # NUMBA_DISABLE_JIT
        return function
    cached = uncached
    try:
        cached = numba.njit(**_COMMON, cache=CACHE)(function)
    except RuntimeError as error:  # there is no folder that can be written
        _warn_of_cache(error)

    @wraps(function)
    def call(*arguments: Any) -> Any:
        compiled: Any = uncached if _has_foreign_index(arguments) else cached
        try:
            if compiled.overloads:
                return compiled(*arguments)
            with without_garbage_collection():
                if not _is_on_disk(cached):
                    _order_overloads()
                return compiled(*arguments)
        except OSError as error:  # the disk is full: compiled it is, and nothing has run yet
            _warn_of_cache(error)
            return compiled(*arguments)

    call.dispatcher = cached  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def _is_on_disk(compiled: Any) -> bool:
    """Is there any program of this function in the cache?"""
    folder = compiled.stats.cache_path
    name = compiled.py_func.__qualname__
    return folder is not None and any(Path(folder).glob(f"*.{name}-*.nbi"))


@cache
def _order_overloads() -> None:
    """Compile something small that is not cached, before anything large is compiled.

    Numba tries the implementations of an operation in the order in which they were registered. If
    it first looks into its cache, those for arrays come last, and compiling takes a tenth longer.
    """
    numba.njit("int64(int64)")(lambda number: number)


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Compiling makes millions of objects, nearly all alive; collecting takes it 12 % longer."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _has_foreign_index(arguments: tuple[Any, ...]) -> bool:
    """Is this about an index that was registered from outside of the package?

    It is the marker that comes first, or that of the state that does. Such programs are not kept. A
    cache that names a class can be read only by processes that can import it, and it would not
    notice that the index's formula has changed.
    """
    first: Any = arguments[0] if arguments else None
    index = first.index if "index" in getattr(first, "_fields", ()) else first
    return isinstance(index, tuple) and not type(index).__module__.startswith("streamart.")


def _warn_of_cache(error: Exception) -> None:
    """Once in a process."""
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            f"Compiled code cannot be kept on the disk ({error}), so every process compiles it "
            "again. Set NUMBA_CACHE_DIR to a folder with room, or STREAMART_CACHE=0 to do without.",
            RuntimeWarning,
            stacklevel=3,
        )


def jit(function: Function) -> Function:
    """Compile for other compiled functions to call."""
    return numba.njit(**_INNER)(function)  # type: ignore[no-any-return]


def jit_arrays(function: Function) -> Function:
    """The same for a function that makes arrays, which all others cannot."""
    options = {**_INNER, "_nrt": True}
    return numba.njit(**options)(function)  # type: ignore[no-any-return]


def jit_part(function: Function) -> Function:
    """The same for a function that is called at one place of a program only, and is put there.

    Numba optimises a function together with all that it calls, so each level of calls costs
    compile time again.
    """
    return numba.njit(**_INNER, inline="always")(function)  # type: ignore[no-any-return]


def jit_sums(function: Function) -> Function:
    """The same for sums over features, which are vectorised: 4 times as fast at d = 128."""
    return numba.njit(**_INNER, fastmath=_RELAXED)(function)  # type: ignore[no-any-return]


def by_index(choose: Callable[[type], Callable[..., Any]]) -> Callable[..., Any]:
    """A function of ``(index, *arguments)`` that calls ``choose(type(index))(*arguments)``.

    `index` is the marker of a validity index (`registry.Index.marker`), a type of its own. Compiled
    code makes the choice when it is compiled, so a program holds the code of one index only.
    """

    def call(index: Any, *arguments: Any) -> Any:
        return choose(type(index))(*arguments)

    def compiled(index: Any, *arguments: Any) -> Callable[..., Any]:
        function = choose(index.instance_class)

        def chosen(index: Any, *arguments: Any) -> Any:
            return function(*arguments)

        return chosen

    overload(call, jit_options=_INNER)(compiled)
    return call


def by_index_of_state(choose: Callable[[type], Callable[..., Any]]) -> Callable[..., Any]:
    """A function of ``(s, *arguments)``, where s is a state: ``choose(type(s.index))``.

    The chosen function itself is compiled. A function that calls it, as in `by_index`, would cost
    compile time.
    """

    def call(s: Any, *arguments: Any) -> Any:
        return choose(type(s.index))(s, *arguments)

    def compiled(s: Any, *arguments: Any) -> Callable[..., Any]:
        chosen: Any = choose(s[s.fields.index("index")].instance_class)
        return chosen.py_func  # type: ignore[no-any-return]

    overload(call, jit_options=_INNER, strict=False)(compiled)
    return call
