"""Compiling before anything is timed, and saying so while it lasts. Works on a clone of a model."""

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
"""Seconds; to load compiled code from the cache takes less."""


@contextmanager
def notice_if_slow(tell: Callable[[str], object]) -> Iterator[None]:
    """Tell that code is being compiled, if what is done meanwhile takes longer than `PATIENCE`."""
    timer = Timer(PATIENCE, tell, [NOTICE])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # nothing is told after this


def warm_up(model: StreamART | ICVITopoARTMAP) -> None:
    """Compile all that such a model needs to learn samples, with or without names, and to predict,
    or load it from the cache; the model stays as it is.
    """
    X = np.random.default_rng(0).normal(size=(20, 2))
    twin = clone(model).set_params(record_events=False)
    # Soon there are too many categories, or some count as inactive.
    twin.set_params(**{"max_categories": 8} if isinstance(twin, StreamART) else {"xi": 3})
    twin.partial_fit(X).predict(X)
    # It depends on the samples whether this is called.
    if (
        not isinstance(twin, StreamART)
        and "split" in twin.strategies
        and twin.split_type != "activity"
    ):
        decompose(twin._state)
