"""Run linear algebra on small matrices on one thread.

BLAS libraries use a thread for each core. Matrices of a few hundred rows gain nothing from that,
and on a busy machine, waiting for the threads makes them up to ten times slower.
"""

from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

Given = ParamSpec("Given")
Found = TypeVar("Found")


@cache
def _controller() -> ThreadpoolController:
    """The controller of the thread pools. It is made once, because this takes milliseconds."""
    return ThreadpoolController()


def single_threaded(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """Decorate a function so that BLAS uses one thread while it runs."""

    @wraps(function)
    def call(*arguments: Given.args, **named: Given.kwargs) -> Found:
        with _controller().limit(limits=1, user_api="blas"):
            return function(*arguments, **named)

    return call
