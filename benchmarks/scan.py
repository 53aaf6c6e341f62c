"""The bare scan of all activations with boxes in double and in single precision.

streamart keeps its boxes in double precision: the corners are samples, and a corner that is rounded
no longer holds its sample. This measures what single precision would save. Both loops are the scan
of `streamart.core.module_a`, interleaved; medians. Prints a table, writes
benchmarks/results/scan.json, and with `--docs` fills its section of docs/benchmarks.md.
"""

import argparse
import statistics
import time
from typing import Any

import numpy as np
from common import fill_docs, markdown_table, write_results

from streamart._jit import jit_entry
from streamart.core.module_a import joint_norm

SHAPES = ((2, 50), (16, 150), (128, 200), (128, 1000))


@jit_entry
def scan(lower: Any, upper: Any, per_range: Any, x: Any, answers: Any, repeats: int) -> None:
    for _ in range(repeats):
        for j in range(lower.shape[0]):
            answers[j] = joint_norm(per_range, lower[j], upper[j], x, x)


def seconds_of(d: int, categories: int, dtype: Any, repeats: int) -> float:
    rng = np.random.default_rng(0)
    lower, upper = np.sort(rng.random((2, categories, d)), axis=0).astype(dtype)
    x, per_range = rng.random(d).astype(dtype), np.ones(d, dtype=dtype)
    answers = np.empty(categories)
    scan(lower, upper, per_range, x, answers, 1)
    start = time.perf_counter()
    scan(lower, upper, per_range, x, answers, repeats)
    return (time.perf_counter() - start) / repeats


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--docs", action="store_true", help="fill docs/benchmarks.md")
    options = parser.parse_args()
    rows = []
    for d, categories in SHAPES:
        times: dict[Any, list[float]] = {np.float64: [], np.float32: []}
        for _ in range(options.rounds):
            for dtype, measured in times.items():
                measured.append(seconds_of(d, categories, dtype, 300))
        double, single = (1e6 * statistics.median(times[t]) for t in (np.float64, np.float32))
        rows.append({"d": d, "categories": categories, "float64": double, "float32": single})
    text = markdown_table(
        ("features", "categories", "float64, µs", "float32, µs", "ratio"),
        [
            [
                str(row["d"]),
                str(row["categories"]),
                f"{row['float64']:.2f}",
                f"{row['float32']:.2f}",
                f"{row['float64'] / row['float32']:.2f}",
            ]
            for row in rows
        ],
    )
    print(text)
    write_results("scan", {"rounds": options.rounds, "rows": rows})
    if options.docs:
        fill_docs("scan", text)


if __name__ == "__main__":
    main()
