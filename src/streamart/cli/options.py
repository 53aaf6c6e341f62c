"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from .errors import MISUSED, UserError

Command = Callable[..., Any]
FILE = click.Path(path_type=Path, dir_okay=False)
FORMATS = ("csv", "ndjson", "parquet", "npy", "npz")
OUT_FORMATS = ("csv", "ndjson", "parquet")
ICVIS = ("ch", "wb", "pbm", "xb", "db", "conn", "gd43", "gd53", "csil", "ps", "pcaes")
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
                help="Features, by name or number: a,b,c or 2-5,8. Default: all numeric columns.",
            ),
            click.option(
                "--id", "id_column", metavar="COLUMN", help="Column that is carried along."
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


def talk_options(command: Command) -> Command:
    quiet = click.option("--quiet", is_flag=True, help="Say nothing but errors.")
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
