"""How long a new process takes until the first samples are learnt.

Each measurement is a new Python process that imports the package and calls `partial_fit` once with
100 samples of two features; the clock starts before the import and does not include the start of
Python itself. numpy, scipy, numba and scikit-learn are imported as a part of the package.

- cold: numba's cache is an empty folder, so everything is compiled. Once.
- warm: the folder that the cold start has filled. Median of 5.

There is a program for each index (one for CH and WB) and one for StreamART. Prints a table and
writes benchmarks/results/start.json.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile

from common import progress, write_results

WARM_ROUNDS = 5
MODELS = {
    "StreamART": "StreamART()",
    "ch, wb": "ICVITopoARTMAP('ch')",
    "pbm": "ICVITopoARTMAP('pbm')",
    "xb": "ICVITopoARTMAP('xb')",
    "db": "ICVITopoARTMAP('db')",
    "conn": "ICVITopoARTMAP('conn')",
}
PARTS = ("import", "first partial_fit", "together")

START = """
import json, sys, time
begin = time.perf_counter()
import streamart
imported = time.perf_counter()
import numpy
X = numpy.random.default_rng(0).normal(size=(100, 2))
ready = time.perf_counter()
eval("streamart." + sys.argv[1]).partial_fit(X).labels_
learnt = time.perf_counter()
print(json.dumps([imported - begin, learnt - ready]))
"""


def seconds_to_start(model: str, cache: str) -> dict[str, float]:
    """Start once with this model, and this folder as numba's cache."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "STREAMART_CACHE": "1"}
    finished = subprocess.run(
        [sys.executable, "-c", START, model],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    to_import, to_learn = json.loads(finished.stdout)
    return dict(zip(PARTS, (to_import, to_learn, to_import + to_learn), strict=True))


def median_of(starts: list[dict[str, float]]) -> dict[str, float]:
    return {part: statistics.median(start[part] for start in starts) for part in PARTS}


def measure(name: str) -> dict[str, dict[str, float]]:
    progress(name)
    with tempfile.TemporaryDirectory() as cache:
        cold = seconds_to_start(MODELS[name], cache)
        warm = median_of([seconds_to_start(MODELS[name], cache) for _ in range(WARM_ROUNDS)])
    return {"cold": cold, "warm": warm}


def show(seconds: dict[str, dict[str, dict[str, float]]]) -> None:
    print("Seconds until the first samples are learnt")
    print(f"{'model':<10}{'start':<6}" + "".join(f"{part:>20}" for part in PARTS))
    for name, starts in seconds.items():
        for start, parts in starts.items():
            print(f"{name:<10}{start:<6}" + "".join(f"{parts[part]:>20.2f}" for part in PARTS))


def main() -> None:
    seconds = {name: measure(name) for name in MODELS}
    show(seconds)
    write_results("start", {"warm_rounds": WARM_ROUNDS, "seconds": seconds})


if __name__ == "__main__":
    main()
