"""Functions that the benchmarks share: streams, timing, the machine, and results."""

import csv
import json
import os
import platform
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from streamart import ICVITopoARTMAP

HERE = Path(__file__).parent
RESULTS = HERE / "results"
DOCS = HERE.parent / "docs"
CHUNK = 1000

# ---------------------------------------------------------------------- streams

SPREAD = 3.0
"""Standard deviation of the centres of a Gaussian stream; that of a cluster is 1."""


def gaussian_stream(
    d: int, k: int, n_samples: int, random_state: int = 0, spread: float = SPREAD
) -> tuple[np.ndarray, np.ndarray]:
    """Draw round Gaussian clusters of equal size, in random order.

    Every cluster has standard deviation 1 in every feature, and its centre is drawn from a normal
    distribution with standard deviation `spread`. So two samples of different clusters are about
    sqrt(1 + spread^2) times as far apart as two samples of one cluster, in any number of features:
    3.2 times with a spread of 3. The two nearest of 50 centres are about 9 standard deviations of
    a cluster apart with 16 features, and about 38 with 128.
    """
    rng = np.random.default_rng(random_state)
    centres = rng.normal(0.0, spread, size=(k, d))
    y = rng.integers(k, size=n_samples)
    return centres[y] + rng.standard_normal((n_samples, d)), y


def in_chunks(samples: Sequence[Any], size: int = CHUNK) -> Iterator[Any]:
    """Cut samples into pieces of the same size; the last may be smaller."""
    for begin in range(0, len(samples), size):
        yield samples[begin : begin + size]


# ---------------------------------------------------------------------- timing


def compile_core(icvi: str) -> None:
    """Compile everything that the default parameters use, so that compilation is not timed.

    Compression is compiled when it is first due, which is soon if categories soon count as
    inactive.
    """
    X, _ = gaussian_stream(2, 3, 300)
    ICVITopoARTMAP(icvi, xi=3).partial_fit(X).predict(X)


def seconds_for(call: Callable[[Any], Any], pieces: Iterable[Any]) -> float:
    """Time one call after the other, one for each piece."""
    start = time.perf_counter()
    for piece in pieces:
        call(piece)
    return time.perf_counter() - start


def pieces_within(call: Callable[[Any], Any], pieces: Iterable[Any], seconds: float) -> int:
    """Make calls until the time is over; returns their number."""
    start = time.perf_counter()
    made = 0
    for piece in pieces:
        call(piece)
        made += 1
        if time.perf_counter() - start > seconds:
            break
    return made


def progress(text: str) -> None:
    """Print progress to standard error."""
    print(f"  … {text}", file=sys.stderr, flush=True)


# ---------------------------------------------------------------------- results


def machine() -> dict[str, Any]:
    """The machine and the version of Python."""
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
    }


def write_results(name: str, record: dict[str, Any]) -> Path:
    """Write a result and the machine to results/<name>.json."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(machine() | record, indent=2) + "\n")
    return path


def write_csv(name: str, rows: list[dict[str, Any]]) -> Path:
    """Write rows with the same columns to results/<name>.csv."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose first column is text and whose other columns are numbers."""
    lines = [headings, ["---"] + ["---:"] * (len(headings) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def dated(text: str) -> str:
    """A table with the day, and the command that made it."""
    command = " ".join(["benchmarks/" + Path(sys.argv[0]).name, *map(shlex.quote, sys.argv[1:])])
    return f"{text}\n\n{date.today().isoformat()}, `{command}`"


def fill_docs(part: str, text: str, page_name: str = "benchmarks.md") -> None:
    """Put text between the marks of this part in a page of the documentation."""
    page = DOCS / page_name
    begin, end = f"<!-- {part} -->\n", f"<!-- end of {part} -->"
    before, _, rest = page.read_text().partition(begin)
    _, _, after = rest.partition(end)
    if not rest or end not in rest:
        raise ValueError(f"{page.name} has no part {part!r} to fill.")
    page.write_text(f"{before}{begin}{text}\n{end}{after}")
