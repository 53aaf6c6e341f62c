"""Microseconds a sample takes with each index, all strategies on, default parameters.

The second half of each stream is timed, in chunks, one index after the other in each round, for at
most `--seconds`; medians of the rounds. Prints a table and writes benchmarks/results/indices.json;
`--docs` puts the table into docs/benchmarks.md.
"""

import argparse
import statistics
import time

import numpy as np
from common import (
    compile_core,
    fill_docs,
    gaussian_stream,
    in_chunks,
    markdown_table,
    progress,
    write_results,
)

from streamart import ICVITopoARTMAP
from streamart.data import make_stream

INDICES = ("ch", "wb", "pbm", "xb", "db", "conn")
PIECE = 100


def streams() -> dict[str, np.ndarray]:
    return {
        "built-in, d 2, k 7": make_stream("random", 8000, 0)[0],
        "Gaussian, d 16, k 20": gaussian_stream(16, 20, 8000)[0],
        "Gaussian, d 16, k 50": gaussian_stream(16, 50, 8000)[0],
    }


def microseconds(icvi: str, X: np.ndarray, limit: float) -> tuple[float, int, int]:
    """Time per sample in the second half; clusters and categories at the end."""
    model, begin, timed = ICVITopoARTMAP(icvi), time.perf_counter(), []
    for at, chunk in enumerate(in_chunks(X, PIECE)):
        start = time.perf_counter()
        model.partial_fit(chunk)
        end = time.perf_counter()
        if at * PIECE >= len(X) / 2 or end - begin > limit / 2:
            timed.append((end - start) / len(chunk))
        if end - begin > limit:
            break
    return 1e6 * statistics.mean(timed), model.n_clusters_, model.n_categories_


def main() -> None:
    parser = argparse.ArgumentParser(description="Time per sample of each index.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10.0, help="limit of a pass (10)")
    parser.add_argument("--docs", action="store_true", help="put the table into docs/")
    chosen = parser.parse_args()
    for icvi in INDICES:
        progress(f"compiling {icvi}")
        compile_core(icvi)
    rows = []
    for stream, X in streams().items():
        progress(stream)
        found: dict[str, list[tuple[float, int, int]]] = {icvi: [] for icvi in INDICES}
        for _ in range(chosen.rounds):
            for icvi in INDICES:
                found[icvi].append(microseconds(icvi, X, chosen.seconds))
        for icvi, runs in found.items():
            middle = statistics.median(run[0] for run in runs)
            rows.append([stream, icvi, f"{middle:,.1f}", *map(str, runs[-1][1:])])
    table = markdown_table(["stream", "index", "µs per sample", "clusters", "categories"], rows)
    print(table)
    write_results("indices", {"rounds": chosen.rounds, "rows": rows})
    if chosen.docs:
        fill_docs("indices", table)


if __name__ == "__main__":
    main()
