"""The cost of the command line: time from CSV to labels, and memory on a long file.

The same numbers are learnt by `partial_fit`, as one array in memory, and from a CSV file by
`streamart cluster --out`, in turns. The figures are the best of all rounds, since other load
makes runs slower and never faster. The time of the command is measured inside it, from opening the
file to the last label: it reads the file, learns, derives the clusters now and then, reads the file
again, and labels every row. The start of Python and of the core is given separately.

Memory is the resident memory of the process (RSS), by the part of the file that it has read.

Prints two tables and writes benchmarks/results/command_line.json and .csv; `--docs` also puts them
into docs/benchmarks.md.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from common import fill_docs, gaussian_stream, markdown_table, progress, write_csv, write_results
from pyarrow import csv
from threadpoolctl import threadpool_limits

from streamart import ICVITopoARTMAP, StreamART

MODELS = {"streamart": StreamART, "topoartmap": lambda: ICVITopoARTMAP("ch")}
PIECE = 500_000
CLUSTERS = 10


def pieces(d: int, n_samples: int) -> Iterator[np.ndarray]:
    """A stream in pieces, four decimals each number, as files have them; of one set of clusters."""
    centres, _ = gaussian_stream(d, 1, CLUSTERS, spread=5.0)
    for at in range(0, n_samples, PIECE):
        rng = np.random.default_rng(at)
        count = min(PIECE, n_samples - at)
        X = 5 * centres[rng.integers(CLUSTERS, size=count)] + rng.standard_normal((count, d))
        yield X.round(4)


def write_stream(path: Path, d: int, n_samples: int) -> None:
    with open(path, "wb") as file:
        for at, X in enumerate(pieces(d, n_samples)):
            table = pa.table({f"x{i}": X[:, i] for i in range(d)})
            csv.write_csv(table, file, csv.WriteOptions(include_header=at == 0))


def command(path: Path, method: str, *more: str) -> list[str]:
    known = [sys.executable, "-m", "streamart", "cluster", str(path), "--method", method]
    return [*known, "--out", str(path.with_suffix(".labels.csv")), "--json", *more]


def compare(path: Path, method: str, d: int, n_samples: int, rounds: int) -> dict[str, Any]:
    X = np.concatenate(list(pieces(d, n_samples)))
    MODELS[method]().partial_fit(X[:2000]).predict(X[:10])
    bare, whole, inside = [], [], []
    for turn in range(rounds):
        progress(f"{method}, d = {d}, round {turn + 1} of {rounds}")
        model = MODELS[method]()
        start = time.perf_counter()
        model.partial_fit(X)
        _ = model.labels_
        bare.append(time.perf_counter() - start)
        start = time.perf_counter()
        done = subprocess.run(command(path, method), check=True, capture_output=True, text=True)
        whole.append(time.perf_counter() - start)
        inside.append(json.loads(done.stdout)["run"]["seconds"])
    return {
        "method": method,
        "d": d,
        "rows": n_samples,
        "bare_seconds": min(bare),
        "command_seconds": min(inside),
        "start_seconds": min(a - b for a, b in zip(whole, inside, strict=True)),
        "ratio": min(inside) / min(bare),
        "rows_per_second": n_samples / min(inside),
    }


def watch(path: Path, points: int) -> list[dict[str, Any]]:
    """Memory of a run that writes everything, after each part that it has read."""
    folder = path.parent
    more = ["--report", str(folder / "r.html"), "--save", str(folder / "m"), "--events"]
    more += [str(folder / "e"), "--checkpoint-every", "1000000"]
    process = subprocess.Popen(command(path, "streamart", *more), stdout=subprocess.DEVNULL)
    seen: list[dict[str, Any]] = []
    size, before, reading = path.stat().st_size, 0.0, 1
    while process.poll() is None:
        time.sleep(0.05)
        share, memory = read_so_far(process.pid, path) / size, resident(process.pid)
        if share < before - 0.5:
            reading, before = 2, 0.0
        if memory and int(share * points) > int(before * points):
            progress(f"reading {reading}, {share:.0%}: {memory:.0f} MB")
            seen.append({"reading": reading, "share": share, "megabytes": memory})
        before = max(before, share)
    assert process.returncode == 0
    return seen


def resident(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def read_so_far(pid: int, path: Path) -> int:
    """How much of the file the process has read."""
    try:
        for link in Path(f"/proc/{pid}/fd").iterdir():
            if os.readlink(link) == str(path):
                return int(Path(f"/proc/{pid}/fdinfo/{link.name}").read_text().split()[1])
    except OSError:
        pass
    return 0


def report(rows: list[dict[str, Any]]) -> str:
    return markdown_table(
        ("method", "d", "rows", "bare core, s", "command, s", "ratio", "rows/s", "start, s"),
        [
            (
                row["method"],
                str(row["d"]),
                f"{row['rows']:,}",
                f"{row['bare_seconds']:.1f}",
                f"{row['command_seconds']:.1f}",
                f"{row['ratio']:.2f}",
                f"{row['rows_per_second']:,.0f}",
                f"{row['start_seconds']:.1f}",
            )
            for row in rows
        ],
    )


def report_memory(seen: list[dict[str, Any]], n_samples: int) -> str:
    return markdown_table(
        ("reading", "rows read", "memory, MB"),
        [
            (
                "to learn" if row["reading"] == 1 else "to label",
                f"{row['share'] * n_samples:,.0f}",
                f"{row['megabytes']:.0f}",
            )
            for row in seen
        ],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="What the command line adds to the core.")
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--long", type=int, default=10_000_000, help="rows of the long file")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--docs", action="store_true", help="write into docs/benchmarks.md")
    args = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(limits=1):
        path = Path(folder).resolve() / "stream.csv"
        for method, samples in (("streamart", args.samples), ("topoartmap", args.samples // 5)):
            write_stream(path, 16, samples)
            rows.append(compare(path, method, 16, samples, args.rounds))
        progress("writing the long file")
        write_stream(path, 3, args.long)
        seen = watch(path, 5)
    text, memory = report(rows), report_memory(seen, args.long)
    print(text, memory, sep="\n\n")
    write_results("command_line", {"rows": rows, "memory": seen})
    write_csv("command_line", rows)
    if args.docs:
        fill_docs("command line", text)
        fill_docs("memory of the command line", memory)


if __name__ == "__main__":
    main()
