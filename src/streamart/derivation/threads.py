"""One thread for linear algebra on small matrices.

BLAS libraries start a thread for each core. Matrices of some hundred rows gain nothing from that,
and on a machine with other work, waiting for the threads makes them up to ten times slower.
"""

from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

Given = ParamSpec("Given")
Found = TypeVar("Found")


@cache
def _controller() -> ThreadpoolController:
    """Found once, as this takes milliseconds."""
    return ThreadpoolController()


def single_threaded(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """The function, with BLAS on one thread while it runs."""

    @wraps(function)
    def call(*arguments: Given.args, **named: Given.kwargs) -> Found:
        with _controller().limit(limits=1, user_api="blas"):
            return function(*arguments, **named)

    return call
