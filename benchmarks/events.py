"""The cost of recording events.

The same stream is learnt with events off, on, and on with a listener, in turns, in batches and one
sample at a time. Ids are always kept, because they cannot be switched off. The figure is the median
of the ratios within a round.

Prints a table and writes benchmarks/results/events.json and .csv; `--docs` also puts the table into
docs/benchmarks.md.
"""

import argparse
import time
from statistics import median
from typing import Any

import numpy as np
from common import compile_core, fill_docs, markdown_table, progress, write_csv, write_results
from threadpoolctl import threadpool_limits

from streamart import ICVITopoARTMAP
from streamart.data import make_stream

WAYS = ("off", "on", "on, with a listener")


def learn(index: str, way: str, X: np.ndarray, one_by_one: bool) -> tuple[float, int]:
    """Seconds and events of a run."""
    model = ICVITopoARTMAP(index, record_events=way != "off")
    if way == WAYS[2]:
        model.on_event(lambda event: None)
    start = time.perf_counter()
    if one_by_one:
        for x in X:
            model.learn_one(x)
    else:
        for at in range(0, len(X), 1000):
            model.partial_fit(X[at : at + 1000])
    return time.perf_counter() - start, int(model._state.now[0]["events"])


def compare(index: str, one_by_one: bool, n_samples: int, rounds: int) -> list[dict[str, Any]]:
    X, _ = make_stream("mixed", n_samples, random_state=0)
    for way in WAYS:
        learn(index, way, X[:2000], one_by_one)
    seconds: dict[str, list[float]] = {way: [] for way in WAYS}
    events = dict.fromkeys(WAYS, 0)
    for turn in range(rounds):
        progress(f"{index}, round {turn + 1} of {rounds}")
        for way in WAYS[turn % 3 :] + WAYS[: turn % 3]:
            spent, events[way] = learn(index, way, X, one_by_one)
            seconds[way].append(spent)
    off = seconds["off"]
    return [
        {
            "index": index,
            "how": "learn_one" if one_by_one else "batches of 1000",
            "events": way,
            "us_per_sample": 1e6 * median(seconds[way]) / n_samples,
            "ratio": median(a / b for a, b in zip(seconds[way], off, strict=True)),
            "recorded": events[way],
        }
        for way in WAYS
    ]


def report(rows: list[dict[str, Any]]) -> str:
    return markdown_table(
        ("index", "how", "events", "µs per sample", "ratio to off", "events recorded"),
        [
            (
                row["index"],
                row["how"],
                row["events"],
                f"{row['us_per_sample']:.2f}",
                f"{row['ratio']:.3f}",
                f"{row['recorded']:,}",
            )
            for row in rows
        ],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="What recording events costs.")
    parser.add_argument("--samples", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--docs", action="store_true", help="write into docs/benchmarks.md")
    args = parser.parse_args()
    rows = []
    with threadpool_limits(limits=1):
        for index in ("ch", "wb", "pbm"):
            compile_core(index)
            rows += compare(index, False, args.samples, args.rounds)
        rows += compare("ch", True, args.samples // 2, args.rounds)
    text = report(rows)
    print(text)
    write_results("events", {"rows": rows})
    write_csv("events", rows)
    if args.docs:
        fill_docs("events", text)


if __name__ == "__main__":
    main()
