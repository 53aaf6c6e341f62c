"""Helpers for tests: real data, threads, and whether the core is compiled."""

import os
import threading
from pathlib import Path

import numba
import numpy as np
import pytest

COMPILED = not numba.config.DISABLE_JIT
own_program = pytest.mark.skipif(
    COMPILED and "STREAMART_LONG" not in os.environ,
    reason="compiles a program of its own for minutes: make test-long",
)
"""Marks tests of models that no other test compiles; only the interpreted pass runs them."""


def has_slow_map(icvi):
    """Whether to test beta_ab < 1 with this index. For the others, compiling takes a minute."""
    return not COMPILED or icvi in ("ch", "wb")


# Real data is not part of the project. By default it is in a folder beside it.
_BESIDE = Path(__file__).parent.parent.parent / "shared" / "data"
DATA = Path(os.environ.get("STREAMART_DATA", _BESIDE))


def read_data(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Samples and classes of a real data set; skips the test if it is absent."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"real data {name} is not here (STREAMART_DATA says where)")
    if path.suffix == ".csv":
        table = np.loadtxt(path, delimiter=",", skiprows=1)
        return table[:, :-1], table[:, -1].astype(int)
    with np.load(path) as arrays:
        return arrays["X"].astype(float), arrays["y"]


def learn_in_threads(model, X: np.ndarray) -> None:
    """Let four threads share the samples, and learn and predict at the same time."""
    errors = []

    def work(part):
        try:
            for at in range(0, len(part), 5):
                model.partial_fit(part[at : at + 5])
                model.predict(part[:3])
        except Exception as error:  # a thread's error must reach the test
            errors.append(error)

    threads = [threading.Thread(target=work, args=(X[i::4],)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def arrays_of(state):
    """All arrays of a state, except constants and None."""
    return [array for array in state if isinstance(array, np.ndarray)]
