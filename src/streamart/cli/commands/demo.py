"""``streamart demo``: the built-in stream in three orders."""

from __future__ import annotations

from pathlib import Path

import click

EPILOG = """\b
Example:
  streamart demo --out pictures"""


@click.command(epilog=EPILOG)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the stream."
)
@click.option(
    "--samples",
    type=click.IntRange(min=7),
    default=1600,
    show_default=True,
    help="Number of samples.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("demo"),
    show_default=True,
    help="Folder for the picture.",
)
def demo(seed: int, samples: int, out: Path) -> int:
    """Cluster the built-in stream in three orders, and draw the clusters and how they came about.

    Needs matplotlib: pip install "streamart[demo]".
    """
    from ...demo import main

    return main(["--seed", str(seed), "--samples", str(samples), "--out", str(out)])
