"""Reads files or runs trials, and prints a line for each result."""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import select
import sys
import traceback
import warnings
from pathlib import Path
from typing import IO

MEMORY = 6 << 30
"""Greatest address space, in bytes, for reading a small file, including all libraries."""


SLOW = 20
"""Seconds after which the worker reports where it is."""


def patient_line(stream: IO[bytes], seconds: float) -> str | None:
    """A line of a pipe; empty at its end, None if nothing arrives within the limit."""
    ready, _, _ = select.select([stream], [], [], seconds)
    return stream.readline().decode().strip() if ready else None


def read_table(path: str) -> str:
    from streamart.cli.reading.columns import Choice
    from streamart.cli.reading.inputs import Writing, sources_of
    from streamart.cli.reading.reader import reader_for
    from streamart.cli.stopping import Stop

    reader = reader_for(sources_of([path], Writing(), Stop()), Choice())
    rows = sum(len(chunk.X) for chunk in reader.chunks())
    return f"ok: {rows} rows"


def read_model(path: str) -> str:
    """Use a model that was accepted; no index may be outside of its array."""
    import numpy as np

    import streamart

    model = streamart.load(path)
    X = np.random.default_rng(1).normal(size=(6, model.n_features_in_))
    try:
        model.partial_fit(X)
        model.predict(X)
    except (ValueError, ArithmeticError) as error:  # senseless numbers may raise an error
        return f"ok: but {error}".splitlines()[0]
    return "ok"


def read_checkpoint(path: str) -> str:
    from streamart.cli.running.checkpoints import Checkpoints

    found = Checkpoints(Path(path)).load()
    return f"ok: {found.position}"


def main() -> None:
    os.environ["NUMBA_DISABLE_JIT"] = "1"  # so that an index beyond an array is an error
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    from streamart.cli.errors import UserError
    from streamart.persistence import ModelFileError

    from . import learning

    readers = {
        "table": read_table,
        "model": read_model,
        "checkpoint": read_checkpoint,
        "learn": learning.run,
    }
    for line in sys.stdin:
        kind, asked = json.loads(line)
        faulthandler.dump_traceback_later(SLOW)  # to standard error: where it hangs
        try:
            answer = readers[kind](asked)
        except (UserError, ModelFileError) as error:
            answer = f"refused: {error}"
        except Exception:
            answer = "error: " + " | ".join(traceback.format_exc().splitlines()[-6:])
        faulthandler.cancel_dump_traceback_later()
        print(answer.replace("\n", " ").encode("ascii", "backslashreplace").decode(), flush=True)


if __name__ == "__main__":
    main()
