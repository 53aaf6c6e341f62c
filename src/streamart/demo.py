"""The built-in stream in three orders: ``python -m streamart.demo``.

Prints what the self-tuning StreamART and the paper's network find and how fast, and draws it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from .data import MEANS, ORDERS, make_stream
from .estimators.base import OnlineClusterer
from .estimators.network import ICVITopoARTMAP
from .estimators.stream_art import StreamART
from .estimators.warm_up import notice_if_slow, warm_up

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from .report import Outcome

CHUNKS = 20
PICTURE = "streamart-demo.png"


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
        for model in _models():
            warm_up(model)
    runs = [
        _learn(console, order, options.samples, options.seed, model)
        for order in ORDERS
        for model in _models()
    ]
    console.print(_table(runs, options.seed))
    path = _draw([outcome for outcome, _ in runs], options.out)
    # Rich would break a long path over two lines.
    print(f"Picture: {path}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m streamart.demo",
        description="Cluster the built-in stream in three orders, print a table, draw a picture.",
    )
    parser.add_argument("--seed", type=_seed, default=0, help="of the stream (default: 0)")
    parser.add_argument(
        "--samples", type=_samples, default=1600, help="length of the stream (default: 1600)"
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


def _models() -> tuple[OnlineClusterer[Any], ...]:
    return StreamART(), ICVITopoARTMAP(record_history=True)


def _learn(
    console: Console, order: str, n_samples: int, seed: int, model: OnlineClusterer[Any]
) -> tuple[Outcome, float]:
    """Learn one order chunk by chunk; returns what came out and samples per second."""
    from rich.progress import track

    from .report import Outcome

    X, y = make_stream(order, n_samples, seed)
    chunks = np.array_split(X, min(CHUNKS, n_samples))
    seconds = 0.0
    for chunk in track(
        chunks,
        description=f"{order:>17}, {_name(model):<15}",
        console=console,
        disable=not console.is_terminal,
    ):
        start = time.perf_counter()
        model.partial_fit(chunk).n_clusters_  # noqa: B018  (StreamART derives its clusters now)
        seconds += time.perf_counter() - start
    labels = model.predict(X)
    ari = float(adjusted_rand_score(y, labels))
    return Outcome(order, X, y, model, labels, ari), n_samples / seconds


def _name(model: OnlineClusterer[Any]) -> str:
    return "StreamART" if isinstance(model, StreamART) else "iCVI-TopoARTMAP"


def _table(runs: Sequence[tuple[Outcome, float]], seed: int) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    title = f"{len(runs[0][0].X)} samples, {len(MEANS)} true clusters, seed {seed}"
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("order", no_wrap=True)
    table.add_column("model", no_wrap=True)
    for heading in ("ARI", "k", "categories", "samples/s"):
        table.add_column(heading, justify="right", no_wrap=True)
    for number, (outcome, speed) in enumerate(runs):
        if number and outcome.order != runs[number - 1][0].order:
            table.add_section()
        table.add_row(
            outcome.order,
            _name(outcome.model),
            f"{outcome.ari:.3f}",
            str(outcome.model.n_clusters_),
            str(outcome.model.n_categories_),
            f"{speed:,.0f}",
        )
    return table


def _draw(outcomes: Sequence[Outcome], folder: Path) -> Path:
    from .report import demo_picture

    path = folder / PICTURE
    demo_picture(outcomes, n_true=len(MEANS)).savefig(path, dpi=100)
    return path


if __name__ == "__main__":
    raise SystemExit(main())
