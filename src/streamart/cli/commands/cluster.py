"""``streamart cluster``: learn a stream."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..options import (
    CRITERIA,
    FILE,
    ICVIS,
    OUT_FORMATS,
    choice_of,
    delimiter_of,
    input_options,
    out_columns_option,
    talk_options,
)
from ..reading.paths import existing

EPILOG = """\b
Examples:
  streamart cluster readings.csv
  streamart cluster 'logs/*.ndjson' --columns a,b,c --id id --out labels.csv
  streamart cluster stars.parquet --truth class --report report.html --save stars.model
  streamart cluster faces.npz --label y --icvi wb --json
  tail -f live.ndjson | streamart cluster - --follow --model stars.model
  streamart cluster trips.csv --half-life 2h --time started
  streamart cluster big.csv --save big.model --checkpoint-every 1000000 --resume

\b
Exit codes: 0 done; 1 something cannot be read or written, or a row was refused with --on-error
stop; 2 the command line is wrong; 3 no row can be used; 130 stopped by Ctrl-C and 143 by a kill,
with all that was learnt saved; 141 the reader of the labels went away."""


@click.command(epilog=EPILOG)
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@input_options
@click.option(
    "--label",
    metavar="COLUMN",
    help="Column of names that some rows have: rows with the same name are in one cluster, "
    "rows with different names in different ones.",
)
@click.option("--truth", metavar="COLUMN", help="Column to compare with: prints ARI and NMI.")
@click.option(
    "--method",
    type=click.Choice(["streamart", "topoartmap"]),
    help="StreamART, or the paper's network. Default: streamart, or topoartmap if --icvi is given.",
)
@click.option("--icvi", type=click.Choice(ICVIS), help="Index that guides the paper's network.")
@click.option(
    "--n-clusters",
    type=click.IntRange(min=1),
    help="Number of clusters, if it is known (StreamART).",
)
@click.option(
    "--detail",
    type=click.FloatRange(min=0, min_open=True),
    metavar="NUMBER",
    help="Coarser or finer clusters than those found: 0.5 for about half as many, 2 for twice as "
    "many (StreamART). Also with --model.",
)
@click.option(
    "--criterion",
    type=click.Choice(CRITERIA),
    help="Index whose best value decides the number of clusters (StreamART). Also with --model. "
    "Default: learned, a score.",
)
@click.option(
    "--half-life",
    metavar="ROWS",
    help="Forget: after so many more rows, a row counts half (StreamART); with --time, "
    "after a time such as 30min, 2h or 7d. Also with --model. Default: nothing is forgotten.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Any other parameter of the model, such as rho=0.5 or metric=cosine. Can be repeated.",
)
@click.option(
    "--model",
    type=FILE,
    help="Continue with this model. It is saved there again unless --save names another file. With "
    "--follow, it is made if there is none.",
)
@click.option("--save", type=FILE, help="Save the model here.")
@click.option(
    "--out",
    metavar="FILE",
    help="Write labels here, '-' for standard output: the id of the cluster that each row belongs "
    "to in the end; with --follow, as it arrives.",
)
@click.option(
    "--out-format",
    type=click.Choice(OUT_FORMATS),
    help="Default: by the name of --out, else CSV.",
)
@out_columns_option
@click.option("--events", type=FILE, help="Write changes of clusters here, as NDJSON.")
@click.option(
    "--report", type=FILE, help="Write a report here: one HTML page that needs no network."
)
@click.option(
    "--follow",
    is_flag=True,
    help="Wait for more rows at the end; label each row as it arrives, by default to standard "
    "output.",
)
@click.option(
    "--save-every",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="With --follow: save the model so often, if something was learnt. Default: 60.",
)
@click.option(
    "--checkpoint-every",
    type=click.IntRange(min=1),
    metavar="ROWS",
    help="Save a checkpoint beside the model each time after this many rows; see --resume.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Continue from the checkpoint of an interrupted run, if there is one.",
)
@talk_options
def cluster(
    inputs: tuple[str, ...],
    columns: str | None,
    id_columns: tuple[str, ...],
    kind: str | None,
    delimiter: str | None,
    decimal: str | None,
    header: bool | None,
    label: str | None,
    truth: str | None,
    quiet: bool,
    as_json: bool,
    model: Path | None,
    **rest: Any,
) -> int:
    """Cluster files, a pipe, or a stream that goes on.

    INPUT is a CSV, NDJSON, Parquet, NPY, NPZ or Excel file, several of them, a pattern in quotes,
    or - for standard input. Files may be larger than memory. Text files may be compressed (.gz,
    .bz2, .zst, .lz4).
    """
    inputs = tuple(existing(inputs))  # before anything heavy is imported
    from ..reading.inputs import Writing
    from ..running.job import Job
    from ..running.run import Run
    from ..talk import Talk

    job = Job(
        inputs,
        Writing(kind, delimiter_of(delimiter), decimal, header),
        choice_of(columns, id_columns, label, truth, rest),
        model=model,
        **rest,
    )
    return Run(job, Talk(quiet, as_json)).go()
