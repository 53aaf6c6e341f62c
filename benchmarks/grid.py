"""Measure how long the paper's search for parameters takes.

The paper tries 10 vigilances rho, 2 thresholds tau and 6 limits of inactivity xi: 120 runs, each
over the 1600 samples of its synthetic stream, for every index and order of presentation. This
program does one index and one order on one core, on the built-in stream: other points than the
paper's, drawn from the same clusters.
As in the paper, a run is judged by presenting all samples again to the trained model.

Prints the seconds and the best adjusted Rand index (ARI) and writes benchmarks/results/grid.json
and .csv, a row for each run. `--docs` also puts the result into docs/benchmarks.md.
"""

import argparse
import itertools
import time
from typing import Any

import numpy as np
from common import compile_core, fill_docs, progress, write_csv, write_results
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from streamart import ICVITopoARTMAP
from streamart.data import make_stream
from streamart.data.streams import ORDERS

VIGILANCES = tuple(step / 10 for step in range(10))
TRACKER_THRESHOLDS = (0, 5)
INACTIVITIES = (100, 200, 300, 400, 500, 600)
N_SAMPLES = 1600
PROGRESS_EVERY = 20


def run_of(index: str, settings: dict[str, Any], X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Learn the stream once; only learning and labelling are timed."""
    start = time.perf_counter()
    model = ICVITopoARTMAP(index, **settings).fit(X)
    seconds = time.perf_counter() - start
    return {
        **settings,
        "seconds": seconds,
        "ari": adjusted_rand_score(y, model.labels_),
        "clusters": model.n_clusters_,
        "categories": model.n_categories_,
    }


def search(index: str, order: str) -> list[dict[str, Any]]:
    X, y = make_stream(order, N_SAMPLES, random_state=0)
    compile_core(index)
    grid = list(itertools.product(VIGILANCES, TRACKER_THRESHOLDS, INACTIVITIES))
    rows = []
    for done, (rho, tau, xi) in enumerate(grid):
        if done % PROGRESS_EVERY == 0:
            progress(f"{index}, {order}: run {done + 1} of {len(grid)}")
        rows.append(run_of(index, {"rho": rho, "tau": tau, "xi": xi}, X, y))
    return rows


def report(index: str, order: str, rows: list[dict[str, Any]]) -> str:
    best = max(rows, key=lambda row: row["ari"])
    seconds = sum(row["seconds"] for row in rows)
    return (
        f"{len(rows)} runs of {N_SAMPLES} samples ({index}, {order} order): {seconds:.1f} s on one "
        f"core.\nBest ARI {best['ari']:.4f} with rho {best['rho']}, tau {best['tau']}, "
        f"xi {best['xi']}: {best['clusters']} clusters, {best['categories']} categories."
    )


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The paper's vigilance grid.")
    parser.add_argument("--icvi", default="ch", help="the index (ch)")
    parser.add_argument("--order", default="mixed", choices=ORDERS, help="of presentation (mixed)")
    parser.add_argument("--docs", action="store_true", help="put the result into docs/")
    return parser.parse_args()


def main() -> None:
    chosen = options()
    with threadpool_limits(limits=1):
        rows = search(chosen.icvi, chosen.order)
    text = report(chosen.icvi, chosen.order, rows)
    print(text)
    write_csv("grid", rows)
    write_results("grid", {"icvi": chosen.icvi, "order": chosen.order, "rows": rows})
    if chosen.docs:
        fill_docs("grid", text)


if __name__ == "__main__":
    main()
