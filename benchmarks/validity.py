"""Updates per second of each index, compared with the package `cvi`.

Ours are measured in three ways: `update_many` on all samples, with the value at the end; `course`,
with the value after each sample, which is what `cvi` gives; and `update` with `value` after each,
from Python. All take turns in one run, each on as much of the stream as it manages in its share of
the time; the figures are medians of the rounds. Writes benchmarks/results/validity.json; `--docs`
puts the table into the documentation.
"""

import argparse
import statistics
import time
import warnings

import numpy as np
from common import fill_docs, gaussian_stream, markdown_table, progress, write_results

from streamart import icvi

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import cvi

THEIRS = {
    "ch": cvi.CH,
    "wb": cvi.WB,
    "xb": cvi.XB,
    "db": cvi.DB,
    "gd43": cvi.GD43,
    "gd53": cvi.GD53,
    "csil": cvi.cSIL,
    "ps": cvi.PS,
    "rcip": cvi.rCIP,
}
FEATURES = (2, 64)
WARM = 100
"""Samples learnt before the clock starts, so that all clusters exist."""


def per_second(step, X, y, seconds, size):
    """Samples per second, given to `step` in batches."""
    done, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds and done + size <= len(X):
        step(X[done : done + size], y[done : done + size])
        done += size
    return done / (time.perf_counter() - begin)


def ways(name, X, y):
    """Each way to feed an index: a function of samples and labels, and how many at once."""
    made = [icvi.available()[name]() for _ in range(3)]
    for index in made:
        index.course(X[:WARM], y[:WARM])
        index.update(X[0], y[0])
    many, followed, single = made

    def learn(X, y):
        many.update_many(X, y)
        assert many.value == many.value

    def one(X, y):
        single.update(X[0], int(y[0]))
        assert single.value == single.value

    found = {
        "update_many": (learn, 2000),
        "course": (lambda X, y: followed.course(X, y), 500),
        "update, value": (one, 1),
    }
    if name in THEIRS:
        theirs = THEIRS[name]()
        with np.errstate(all="ignore"):
            for x, c in zip(X[:WARM], y[:WARM].tolist(), strict=True):
                theirs.get_cvi(x, c)
        found["cvi"] = (lambda X, y: theirs.get_cvi(X[0], int(y[0])), 1)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Updates a second, beside cvi.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.4, help="for each turn (0.4)")
    parser.add_argument("--docs", action="store_true", help="put the table into docs/")
    chosen = parser.parse_args()
    rows, record = [], {}
    for d in FEATURES:
        X, y = gaussian_stream(d, 10, 60_000)
        for name in [name for name in icvi.available() if name != "conn"]:
            progress(f"{name}, d = {d}")
            tried = ways(name, X, y)
            speeds = {way: [] for way in tried}
            for _ in range(chosen.rounds):
                for way, (step, size) in tried.items():
                    speeds[way].append(per_second(step, X[WARM:], y[WARM:], chosen.seconds, size))
            middle = {way: statistics.median(found) for way, found in speeds.items()}
            record[f"{name}, d {d}"] = middle
            cells = [f"{middle[way]:,.0f}" for way in ("update_many", "course", "update, value")]
            ratios = ["", "", ""]
            if "cvi" in tried:
                ratios = [f"{middle['cvi']:,.0f}"]
                for way in ("update_many", "course"):
                    pairs = zip(speeds[way], speeds["cvi"], strict=True)
                    ratios.append(f"{statistics.median(a / b for a, b in pairs):,.0f}")
            rows.append([name, str(d), *cells, *ratios])
    table = markdown_table(
        [
            *("index", "d", "update_many /s", "course /s", "update, value /s", "cvi /s"),
            *("update_many / cvi", "course / cvi"),
        ],
        rows,
    )
    print(table)
    write_results("validity", {"rounds": chosen.rounds, "updates_per_second": record})
    if chosen.docs:
        fill_docs("validity", table)


if __name__ == "__main__":
    main()
