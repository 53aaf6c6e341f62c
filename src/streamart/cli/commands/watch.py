"""``streamart watch``: the quality of clusters from another program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..options import FILE, WATCHED, choice_of, delimiter_of, input_options, talk_options
from ..reading.paths import existing

EPILOG = """\b
Examples:
  streamart watch labels.csv --cluster topic
  streamart watch labels.parquet --cluster 5 --index db --index ni --picture course.png
  tail -f live.ndjson | streamart watch - --cluster c --every 500 --out -"""


@click.command(epilog=EPILOG)
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option(
    "--cluster",
    required=True,
    metavar="COLUMN",
    help="Column that says which cluster each row was put into. Rows where it is empty are left "
    "out.",
)
@click.option(
    "--index",
    "indices",
    type=click.Choice(WATCHED),
    multiple=True,
    default=("ch", "db", "csil"),
    show_default=True,
    help="Index to follow. Can be repeated.",
)
@click.option(
    "--every",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    metavar="ROWS",
    help="Compute the indices each time after this many rows, and at the end.",
)
@click.option(
    "--noise", metavar="LABEL", help="Leave out rows with this label, such as -1 for outliers."
)
@input_options
@click.option(
    "--out",
    metavar="FILE",
    help="Write the course of the indices here, as CSV; '-' for standard "
    "output, a line as soon as it is known.",
)
@click.option(
    "--picture", type=FILE, help="Draw the course of the indices: a .png, .svg or .pdf file."
)
@talk_options
def watch(
    inputs: tuple[str, ...],
    cluster: str,
    indices: tuple[str, ...],
    every: int,
    noise: str | None,
    columns: str | None,
    id_columns: tuple[str, ...],
    kind: str | None,
    delimiter: str | None,
    decimal: str | None,
    header: bool | None,
    on_error: str,
    rejects: Path | None,
    out: str | None,
    picture: Path | None,
    quiet: bool,
    as_json: bool,
    **rest: Any,
) -> int:
    """Follow validity indices of clusters from another program.

    INPUT is as for `streamart cluster`: features, and a column of clusters. No true classes are
    needed. The indices are kept up to date row by row, in memory that does not grow with the rows.
    `streamart icvis` lists the indices.
    """
    inputs = tuple(existing(inputs))  # before anything heavy is imported
    from ..reading.inputs import Writing
    from ..running.watching import Watch, watch_rows
    from ..talk import Talk

    asked = Watch(
        inputs,
        Writing(kind, delimiter_of(delimiter), decimal, header),
        choice_of(columns, id_columns, cluster, None, rest)._replace(label_option="--cluster"),
        indices,
        every,
        noise,
        on_error,
        rejects,
        out,
        picture,
    )
    return watch_rows(asked, Talk(quiet, as_json))
