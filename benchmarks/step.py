"""What learning a sample costs, as a multiple of the least that it could cost.

Streams of 5000 samples from k Gaussian clusters in d features, shuffled, are learnt with
`partial_fit` in chunks of 1000, with default parameters: all strategies on. Given are microseconds
per sample.

The floor is the package's own compiled `predict` on the trained model, also in chunks of 1000: the
bare scan of the activations of all categories, which every online learner of this kind has to do
at least once a sample. It scans the categories that there are at the end; while learning there
may be more or fewer. Both sides include scikit-learn's checks of the input. A pass of `predict`
takes milliseconds, so each round takes the median of 15 passes.

One round measures every index once; five rounds, so that a disturbance hits all of them alike.
Medians are reported, of the ratio too. A first pass in small pieces, not counted, compiles and
finds out which combinations would take longer than 60 s per pass: these are left out, and named.

Prints a table and writes benchmarks/results/step.json.
"""

import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from streamart import ICVITopoARTMAP

RESULTS = Path(__file__).parent / "results" / "step.json"
SHAPES = ((2, 7), (16, 50), (128, 50))
INDICES = ("ch", "wb", "pbm", "xb", "db")
N_SAMPLES = 5000
CHUNK = 1000
PROBE = 50
ROUNDS = 5
FLOOR_PASSES = 15
LONGEST_PASS = 60.0


def gaussian_stream(d: int, k: int, seed: int = 0) -> np.ndarray:
    """Clusters with standard deviation 1 whose means are spread over a cube of side 30."""
    rng = np.random.default_rng(seed)
    means = rng.uniform(0.0, 30.0, size=(k, d))
    return means[rng.integers(k, size=N_SAMPLES)] + rng.standard_normal((N_SAMPLES, d))


def microseconds_per_sample(call: Callable[[np.ndarray], Any], X: np.ndarray) -> float:
    start = time.perf_counter()
    for begin in range(0, len(X), CHUNK):
        call(X[begin : begin + CHUNK])
    return 1e6 * (time.perf_counter() - start) / len(X)


def is_quick_enough(index: str, X: np.ndarray) -> bool:
    """Compile, then learn in small pieces until it is clear whether a pass fits the limit."""
    ICVITopoARTMAP(index).partial_fit(X[:PROBE]).predict(X[:PROBE])
    model = ICVITopoARTMAP(index)
    start = time.perf_counter()
    for begin in range(0, len(X), PROBE):
        model.partial_fit(X[begin : begin + PROBE])
        if time.perf_counter() - start > LONGEST_PASS:
            return False
    return True


def one_round(index: str, X: np.ndarray) -> dict[str, float]:
    model = ICVITopoARTMAP(index)
    learning = microseconds_per_sample(model.partial_fit, X)
    floor = statistics.median(
        microseconds_per_sample(model.predict, X) for _ in range(FLOOR_PASSES)
    )
    return {
        "learning": learning,
        "floor": floor,
        "ratio": learning / floor,
        "categories": model.n_categories_,
        "clusters": model.n_clusters_,
    }


def median_of(rounds: list[dict[str, float]]) -> dict[str, float]:
    return {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}


def measure_shape(d: int, k: int) -> list[dict[str, Any]]:
    X = gaussian_stream(d, k)
    quick = [index for index in INDICES if is_quick_enough(index, X)]
    rounds: dict[str, list[dict[str, float]]] = {index: [] for index in quick}
    for _ in range(ROUNDS):
        for index in quick:
            rounds[index].append(one_round(index, X))
    return [
        {"d": d, "k": k, "icvi": index}
        | (median_of(rounds[index]) if index in quick else {"skipped": True})
        for index in INDICES
    ]


HEADINGS = ("learning µs", "floor µs", "ratio", "categories", "clusters")


def show(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        start = f"{row['d']:>4} {row['k']:>4}  {row['icvi']:<4}"
        if "skipped" in row:
            print(f"{start}  left out: a pass takes longer than {LONGEST_PASS:.0f} s")
            continue
        print(
            f"{start}{row['learning']:>13.1f}{row['floor']:>13.2f}{row['ratio']:>13.1f}"
            f"{row['categories']:>13}{row['clusters']:>13}",
            flush=True,
        )


def write(rows: list[dict[str, Any]]) -> None:
    RESULTS.parent.mkdir(exist_ok=True)
    record = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "samples": N_SAMPLES,
        "chunk": CHUNK,
        "rounds": ROUNDS,
        "unit": "microseconds per sample, medians",
        "rows": rows,
    }
    RESULTS.write_text(json.dumps(record, indent=2) + "\n")


def main() -> None:
    print(f"{'d':>4} {'k':>4}  icvi" + "".join(f"{heading:>13}" for heading in HEADINGS))
    rows: list[dict[str, Any]] = []
    for d, k in SHAPES:
        measured = measure_shape(d, k)
        show(measured)
        rows += measured
    write(rows)


if __name__ == "__main__":
    main()
