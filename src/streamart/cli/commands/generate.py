"""``streamart generate``: the built-in stream."""

from __future__ import annotations

import sys

import click

EPILOG = """\b
Examples:
  streamart generate > stream.csv
  streamart generate --order mixed --n 100000 | streamart cluster - --truth label"""


@click.command(epilog=EPILOG)
@click.option(
    "--order",
    type=click.Choice(["class-incremental", "mixed", "random"]),
    default="class-incremental",
    show_default=True,
    help="Cluster by cluster; two of them, then the others shuffled; or all shuffled.",
)
@click.option(
    "--n", "n", type=click.IntRange(min=7), default=1600, show_default=True, help="Samples."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--format", "kind", type=click.Choice(["csv", "ndjson"]), default="csv", show_default=True
)
def generate(order: str, n: int, seed: int, kind: str) -> int:
    """Write the paper's synthetic stream to standard output: x1, x2, and the true label.

    Seven clusters in the plane.
    """
    import pyarrow as pa

    from ...data import make_stream
    from ..running.writers import CsvWriter, NdjsonWriter

    X, y = make_stream(order, n, seed)
    writer = (CsvWriter if kind == "csv" else NdjsonWriter)(sys.stdout.buffer)
    for begin in range(0, n, 100_000):
        rows = slice(begin, begin + 100_000)
        writer.write(pa.table({"x1": X[rows, 0], "x2": X[rows, 1], "label": y[rows]}))
    return 0
