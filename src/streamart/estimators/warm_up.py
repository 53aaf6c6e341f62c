"""Compile the code that a model needs before it is used, with a notice if that takes long."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

import numpy as np
from sklearn.base import clone

from ..core.strategies.split import decompose
from .network import ICVITopoARTMAP
from .stream_art import StreamART

NOTICE = "Compiling for first use; this may take a minute and is cached afterwards."
PATIENCE = 1.5
"""Seconds before the notice is shown; loading from the cache takes less."""


@contextmanager
def notice_if_slow(tell: Callable[[str], object]) -> Iterator[None]:
    """Call `tell` with a notice about compiling if the body takes longer than `PATIENCE`."""
    timer = Timer(PATIENCE, tell, [NOTICE])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # no notice after this


def warm_up(model: StreamART | ICVITopoARTMAP) -> None:
    """Compile what such a model needs to learn and predict, or load it from the cache.

    The work is done by a clone; the model itself is not changed.
    """
    X = np.random.default_rng(0).normal(size=(20, 2))
    twin = clone(model).set_params(record_events=False)
    # A small budget, or categories that soon count as inactive, so that rare code runs as well.
    twin.set_params(**{"max_categories": 8} if isinstance(twin, StreamART) else {"xi": 3})
    twin.partial_fit(X).predict(X)
    # These samples may not call it.
    if (
        not isinstance(twin, StreamART)
        and "split" in twin.strategies
        and twin.split_type != "activity"
    ):
        decompose(twin._state)
