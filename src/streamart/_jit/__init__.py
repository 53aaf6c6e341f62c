"""The only place that touches numba, and the number below which two numbers are the same.

Five decorators (`compiler` says how what they decorate is compiled, `handing` how a state is handed
over, `vectors` has what is compiled by hand):

- `jit_entry`: called from Python. Compiled with a wrapper and kept in numba's cache on disk.
- `jit`: called from compiled code only: no wrapper, no file of its own in the cache. It may not
  make arrays; without reference counts its code is a fraction of the size.
- `jit_alloc`: the same for the few that do make arrays.
- `jit_sums`: the same for leaf loops that sum over features, whose sums may be reordered.
- `jit_inline`: for what is called hundreds of times a step: no call, which hands over arrays.

``STREAMART_CACHE=0`` switches the cache off; ``NUMBA_DISABLE_JIT=1`` runs everything as Python.
"""

import os
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

from .compiler import EntryCompiler, InnerCompiler

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
_INNER: dict[str, Any] = {
    **_COMMON,
    "_nrt": False,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": InnerCompiler,
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
        function, {**_COMMON, "_nrt": False, "cache": CACHE, "pipeline_class": EntryCompiler}
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


def direct(function: Function, arguments: tuple[Any, ...]) -> Function:
    """The machine code of an entry for arguments of these types.

    A call through numba looks at the types of all arguments, which takes 5 microseconds for our
    state. This does not (0.4), so every call must have arguments of the very same types.
    """
    dispatcher = cast(Any, function)
    if not hasattr(dispatcher, "compile"):  # the compiler is switched off
        return function
    signature = tuple(numba.typeof(argument) for argument in arguments)
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
