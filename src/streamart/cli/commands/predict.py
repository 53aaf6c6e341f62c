"""``streamart predict``: label rows with a saved model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..options import (
    FILE,
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
  streamart predict stars.model new.csv
  streamart predict stars.model new.parquet --id star --outliers --out labels.parquet
  cat new.csv | streamart predict stars.model - --truth class --out labels.csv"""


@click.command(epilog=EPILOG)
@click.argument("model", type=FILE)
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@input_options
@click.option("--truth", metavar="COLUMN", help="Column to compare with: prints ARI and NMI.")
@click.option("--outliers", is_flag=True, help="Write -1 for rows that are like nothing learnt.")
@click.option(
    "--out", metavar="FILE", default="-", help="Write labels here. Default: standard output."
)
@click.option(
    "--out-format", type=click.Choice(OUT_FORMATS), help="Default: by the name of --out, else CSV."
)
@out_columns_option
@talk_options
def predict(
    model: Path,
    inputs: tuple[str, ...],
    columns: str | None,
    id_columns: tuple[str, ...],
    kind: str | None,
    delimiter: str | None,
    decimal: str | None,
    header: bool | None,
    on_error: str,
    rejects: Path | None,
    truth: str | None,
    outliers: bool,
    out: str,
    out_format: str | None,
    quiet: bool,
    as_json: bool,
    **rest: Any,
) -> int:
    """Label rows with a saved model; nothing is learnt, and the model stays as it is.

    INPUT is as for `streamart cluster`. Columns are found by the names that the model has learnt,
    where there are any.
    """
    inputs = tuple(existing(inputs))  # before anything heavy is imported
    from ..reading.inputs import Writing
    from ..running.prediction import Prediction, predict_rows
    from ..talk import Talk

    asked = Prediction(
        model,
        inputs,
        Writing(kind, delimiter_of(delimiter), decimal, header),
        choice_of(columns, id_columns, None, truth, rest),
        on_error,
        rejects,
        outliers,
        out,
        out_format,
    )
    return predict_rows(asked, Talk(quiet, as_json))
