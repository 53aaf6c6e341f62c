"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from .errors import MISUSED, UserError

Command = Callable[..., Any]
FILE = click.Path(path_type=Path, dir_okay=False)
FORMATS = ("csv", "ndjson", "parquet", "npy", "npz", "excel")
OUT_FORMATS = ("csv", "ndjson", "parquet")
ICVIS = (
    *("ch", "wb", "pbm", "xb", "db", "conn", "gd43", "gd53", "csil", "ps", "pcaes"),
    *("rcip", "rh", "ni"),
)
CRITERIA = ("learned", *(name for name in ICVIS if name not in ("conn", "rcip", "rh", "ni")))
WATCHED = (
    *("ch", "wb", "pbm", "i", "xb", "db", "gd43", "gd53", "csil", "ps", "pcaes"),
    *("rcip", "rh", "ni"),
)


def input_options(command: Command) -> Command:
    """How the input is written, and which columns are meant."""
    for option in reversed(
        (
            click.option(
                "--columns",
                metavar="LIST",
                help="Features, by name or number: a,b,c or 2-5,8. Default: measurements, "
                "categories and yes/no, as the table before learning shows.",
            ),
            click.option("--exclude", metavar="LIST", help="Columns to leave out."),
            click.option(
                "--categories", metavar="LIST", help="Columns that are categories, such as codes."
            ),
            click.option(
                "--id",
                "id_columns",
                metavar="COLUMN",
                multiple=True,
                help="Column that is carried along. Can be repeated.",
            ),
            click.option(
                "--time",
                metavar="COLUMN",
                help="Column that says when a row was: seconds, or dates as in 2026-01-31T18:30. "
                "Dates the events; needed for a half-life in time.",
            ),
            click.option(
                "--format",
                "kind",
                type=click.Choice(FORMATS),
                help="What the input is. Default: by its name, or its first bytes.",
            ),
            click.option(
                "--delimiter",
                metavar="SIGN",
                help="Between the columns of a CSV; 'tab' for a tab. Default: guessed and shown.",
            ),
            click.option(
                "--decimal",
                type=click.Choice([".", ","]),
                help="Decimal sign of a CSV. Default: guessed and shown.",
            ),
            click.option(
                "--header/--no-header",
                default=None,
                help="Whether the first line of a CSV has names. Default: guessed and shown.",
            ),
            click.option(
                "--on-error",
                type=click.Choice(["skip", "stop"]),
                default="skip",
                show_default=True,
                help="What to do at a row that cannot be used.",
            ),
            click.option(
                "--rejects",
                type=FILE,
                help="Write rows that cannot be used here, with file, line and reason, as CSV.",
            ),
        )
    ):
        command = option(command)
    return command


def choice_of(
    columns: str | None,
    id_columns: tuple[str, ...],
    label: str | None,
    truth: str | None,
    more: dict[str, Any],
) -> Any:
    """What was said of the columns; takes the options out of `more`."""
    from .reading.columns import Choice

    keep = more.pop("out_columns", "id") == "all"
    exclude, categories, time = (more.pop(name) for name in ("exclude", "categories", "time"))
    return Choice(columns, id_columns, label, truth, exclude, categories, time, keep)


def out_columns_option(command: Command) -> Command:
    option = click.option(
        "--out-columns",
        type=click.Choice(["id", "all"]),
        default="id",
        show_default=True,
        help="'all' keeps every column of the input in --out, and adds cluster, name and distance "
        "(up to about 1 is usual).",
    )
    return option(command)


def talk_options(command: Command) -> Command:
    quiet = click.option("--quiet", is_flag=True, help="Print errors only.")
    as_json = click.option(
        "--json", "as_json", is_flag=True, help="Print the result as JSON, and nothing else."
    )
    return quiet(as_json(command))


def delimiter_of(given: str | None) -> str | None:
    """A tab cannot be typed in most shells."""
    if given is None:
        return None
    sign = {"tab": "\t", "\\t": "\t", "space": " "}.get(given.lower(), given)
    if len(sign) != 1:
        raise UserError(
            f"--delimiter {given!r} is not one sign.", "Write one, or 'tab', or 'space'.", MISUSED
        )
    return sign
