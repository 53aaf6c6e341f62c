"""CPU time of a new process until the first samples are learnt.

Each measurement is a new Python process that imports the package and calls `partial_fit` once with
500 samples of two features, in three clusters. The time is that of the processor (of all threads),
so other work on the machine changes it less than the clock.

- cold: numba's cache is an empty folder, so everything is compiled. Once.
- warm: the folder that the cold start has filled. Median of 5.

There is a program for each index, and one for StreamART. Prints a table and writes
benchmarks/results/start.json; `--docs` puts the table into docs/benchmarks.md.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

from common import fill_docs, markdown_table, progress, write_results

WARM_ROUNDS = 5
MODELS = {"StreamART": "StreamART()"} | {
    name: f"ICVITopoARTMAP('{name}')" for name in ("ch", "wb", "pbm", "xb", "db", "conn")
}
START = """
import sys, time
import streamart
import numpy
X = numpy.random.default_rng(0).normal(size=(500, 2)) + 9 * (numpy.arange(500)[:, None] % 3)
eval("streamart." + sys.argv[1]).partial_fit(X).labels_
print(time.process_time())
"""


def seconds_to_start(model: str, cache: str) -> float:
    """Start once with this model, and this folder as numba's cache."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "STREAMART_CACHE": "1"}
    finished = subprocess.run(
        [sys.executable, "-c", START, model],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(finished.stdout)


def measure(name: str) -> tuple[float, float]:
    progress(name)
    with tempfile.TemporaryDirectory() as cache:
        cold = seconds_to_start(MODELS[name], cache)
        warm = [seconds_to_start(MODELS[name], cache) for _ in range(WARM_ROUNDS)]
    return cold, statistics.median(warm)


def main() -> None:
    parser = argparse.ArgumentParser(description="Time until the first samples are learnt.")
    parser.add_argument("--docs", action="store_true", help="put the table into docs/")
    chosen = parser.parse_args()
    seconds = {name: measure(name) for name in MODELS}
    rows = [[name, f"{cold:.1f}", f"{warm:.1f}"] for name, (cold, warm) in seconds.items()]
    table = markdown_table(["model or index", "cold, s of CPU", "warm, s of CPU"], rows)
    print(table)
    write_results("start", {"warm_rounds": WARM_ROUNDS, "seconds": seconds})
    if chosen.docs:
        fill_docs("start", table)


if __name__ == "__main__":
    main()
