"""The built-in stream in three orders: ``python -m streamart.demo``.

Prints the clusters that StreamART finds, its speed, and what changed along the way, and draws a
picture.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score

from .data import MEANS, ORDERS, make_stream
from .estimators.stream_art import StreamART
from .estimators.warm_up import notice_if_slow, warm_up
from .history.ids import shown

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from .report import Run

CHUNKS = 20
PICTURE = "streamart-demo.png"
# Names for the true clusters, in the order of MEANS.
PLACES = ("north", "north-east", "west", "south-west", "south", "south-east", "east")
LATEST = 8
"""Greatest number of changes to print."""


class Found(NamedTuple):
    """Results for one order."""

    order: str
    ari: float
    clusters: int
    speed: float
    """Samples learnt per second."""
    derive_ms: float
    """Mean time to derive the clusters, which happens after each chunk."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo; returns the exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        options.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"argument --out: {error}")
    try:
        import matplotlib  # noqa: F401
        import rich  # noqa: F401
    except ImportError as missing:
        print(
            f"The demo needs {missing.name}, which is not installed. "
            'Install it with: pip install "streamart[demo]"',
            file=sys.stderr,
        )
        return 1
    from rich.console import Console

    console = Console()
    with notice_if_slow(lambda notice: print(notice, file=sys.stderr)):  # before anything is timed
        warm_up(StreamART())
    console.print(
        f"StreamART clusters {options.samples} samples in three orders of arrival. No parameter is "
        f"set, and the number of clusters ({len(MEANS)}) is not given.\n"
    )
    learnt = [_learn(console, order, options.samples, options.seed) for order in ORDERS]
    runs = [run for run, _ in learnt]
    console.print(_orders([found for _, found in learnt]))
    console.print(_clusters(runs[0]))
    _print_changes(console, runs[0])
    path = _draw(runs, options.out)
    # Rich would break a long path over two lines.
    print(f"Picture: {path}")
    print("Try it on your own table: streamart cluster readings.csv --report report.html")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m streamart.demo",
        description="Cluster the built-in stream in three orders, print a table, draw a picture.",
    )
    parser.add_argument("--seed", type=_seed, default=0, help="seed of the stream (default: 0)")
    parser.add_argument(
        "--samples", type=_samples, default=1600, help="number of samples (default: 1600)"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("demo"), help="folder for the picture (default: demo)"
    )
    return parser


def _seed(text: str) -> int:
    return _integer(text, least=0)


def _samples(text: str) -> int:
    return _integer(text, least=len(MEANS))


def _integer(text: str, least: int) -> int:
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer of at least {least}")
    return int(text)


def _learn(console: Console, order: str, n_samples: int, seed: int) -> tuple[Run, Found]:
    """Learn the stream in one order, chunk by chunk."""
    from rich.progress import track

    from .report import Record, Run

    X, y = make_stream(order, n_samples, seed)
    model, record = StreamART(record_events=True), Record()
    chunks = np.array_split(X, min(CHUNKS, n_samples))
    learning = deriving = 0.0
    for chunk in track(
        chunks, description=f"{order:>17}", console=console, disable=not console.is_terminal,
        transient=True,
    ):  # fmt: skip
        start = time.perf_counter()
        model.partial_fit(chunk)
        learnt = time.perf_counter()
        record.look(model)  # reads the model, so the clusters are derived now
        learning, deriving = learning + learnt - start, deriving + time.perf_counter() - learnt
        record.note(model.new_events())
    for place, mean in zip(PLACES, MEANS, strict=True):
        model.rename(model.predict_id(mean), place)
    found = Found(
        order,
        float(adjusted_rand_score(y, model.predict(X))),
        model.n_clusters_,
        n_samples / learning,
        1000 * deriving / len(chunks),
    )
    return Run(order, X, model, record), found


def _orders(rows: Sequence[Found]) -> Table:
    table = _table("order of arrival", "clusters", "agreement (ARI)", "samples/s", "time to derive")
    for row in rows:
        table.add_row(
            row.order,
            str(row.clusters),
            f"{row.ari:.3f}",
            f"{row.speed:,.0f}",
            f"{row.derive_ms:.0f} ms",
        )
    return table


def _clusters(run: Run) -> Table:
    """The clusters of one run, the largest first."""
    model = run.model
    table = _table("cluster", "samples", "mean", title=f"The clusters ({run.title} order)")
    found = zip(model.cluster_ids_.tolist(), model.clusters_.n, model.clusters_.mean, strict=True)
    for cluster, n, mean in sorted(found, key=lambda each: -each[1]):
        name = model.names_.get(cluster, "")
        where = ", ".join(f"{value:.1f}" for value in mean)
        table.add_row(f"{shown(cluster)} {name}", f"{n:,.0f}", where)
    return table


def _table(first: str, *others: str, title: str | None = None) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column(first, no_wrap=True)
    for heading in others:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _print_changes(console: Console, run: Run) -> None:
    """The latest changes. Categories that moved from one cluster to another are left out."""
    changes = [event for event in run.record.events if event.kind != "moved"]
    count = f"{len(changes)} changes" + (f", the last {LATEST}" if len(changes) > LATEST else "")
    console.print(f"What changed in {run.title} order ({count}):")
    for event in changes[-LATEST:]:
        print(f"  {event}")
    print()


def _draw(runs: Sequence[Run], folder: Path) -> Path:
    from .report import draw_overview

    path = folder / PICTURE
    draw_overview(runs).savefig(path, dpi=100)
    return path


if __name__ == "__main__":
    raise SystemExit(main())
