"""What a person says of a saved model: ``streamart rename``, ``merge``, ``split``, ``undo``,
``label`` and ``diff``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ..options import FILE, input_options, talk_options
from ..reading.paths import existing

_CLUSTERS = "A CLUSTER is an id, such as 3 or '#3', or a name."


def _corrected(path: Path, change: Callable[[Any], str]) -> int:
    """Load, change and replace a model; what cannot be done leaves the file as it was."""
    from ..errors import UserError, explain_write_errors
    from ..running.models import fitted_model
    from ..talk import Talk

    model = fitted_model(path)
    try:
        message = change(model)
    except (KeyError, ValueError, TypeError) as error:
        raise UserError(str(error), f"streamart inspect {path} lists the clusters.") from error
    with explain_write_errors(f"The model {path}"):
        model.save(path)
    Talk().results.print(message, markup=False, soft_wrap=True)
    return 0


def _cluster(text: str) -> int | str:
    """An id may be written with or without its sign."""
    return int(text) if text.isdecimal() else text


def _sign(text: str) -> str:
    """What somebody calls a cluster, as it is printed."""
    return f"#{text}" if text.isdecimal() else text


def _shown(model: Any, i: int) -> str:
    name = model.names_.get(i)
    return f"#{i} ({name})" if name else f"#{i}"


@click.command(epilog="\b\nExample:\n  streamart rename stars.model 3 'red giants'")
@click.argument("model", type=FILE)
@click.argument("cluster")
@click.argument("name")
def rename(model: Path, cluster: str, name: str) -> int:
    """Give a cluster a name, which follows it; '' takes the name away."""

    def change(found: Any) -> str:
        which = found.resolve(_cluster(cluster))
        found.rename(which, name or None)
        return f"#{which} is called {name}." if name else f"#{which} no longer has a name."

    return _corrected(model, change)


@click.command(epilog="\b\nExample:\n  streamart merge stars.model 3 'red giants'")
@click.argument("model", type=FILE)
@click.argument("first")
@click.argument("second")
def merge(model: Path, first: str, second: str) -> int:
    """Make two clusters one, for good: they stay together whatever is learnt later."""

    def change(found: Any) -> str:
        kept = found.merge(_cluster(first), _cluster(second))
        return f"{_sign(first)} and {_sign(second)} are now one cluster: {_shown(found, kept)}."

    return _corrected(model, change)


@click.command(epilog="\b\nExample:\n  streamart split stars.model 3")
@click.argument("model", type=FILE)
@click.argument("cluster")
def split(model: Path, cluster: str) -> int:
    """Split a cluster in two, for good."""

    def change(found: Any) -> str:
        old = found.resolve(_cluster(cluster))
        new = found.split(_cluster(cluster))
        return f"#{new} was split off from {_shown(found, old)}."

    return _corrected(model, change)


@click.command(epilog="\b\nExample:\n  streamart undo stars.model")
@click.argument("model", type=FILE)
def undo(model: Path) -> int:
    """Take back the last rename, merge or split."""
    return _corrected(model, lambda found: f"The last {found.undo()} was taken back.")


@click.command(
    epilog="\b\nExamples:\n  streamart label stars.model known.csv\n"
    "  streamart label stars.model known.csv --label type"
)
@click.argument("model", type=FILE)
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option(
    "--label",
    metavar="COLUMN",
    default="label",
    show_default=True,
    help="Column of names: rows of one name are in one cluster, which bears it.",
)
@input_options
@talk_options
def label(
    model: Path, inputs: tuple[str, ...], label: str, quiet: bool, as_json: bool, **rest: Any
) -> int:
    """Teach a model by rows whose clusters have names; the rows are learnt, too."""
    inputs = tuple(existing(inputs))
    from ..options import choice_of, delimiter_of
    from ..reading.inputs import Writing
    from ..running.job import Job
    from ..running.run import Run
    from ..talk import Talk

    names = ("kind", "delimiter", "decimal", "header", "columns", "id_columns")
    kind, delimiter, decimal, header, columns, ids = (rest.pop(name) for name in names)
    choice = choice_of(columns, ids, label, None, {"out_columns": "id"} | rest)
    writing = Writing(kind, delimiter_of(delimiter), decimal, header)
    more = {"on_error": rest["on_error"], "rejects": rest["rejects"]}
    job = Job(inputs, writing, choice, model=model, **more)
    return Run(job, Talk(quiet, as_json)).go()


@click.command(epilog="\b\nExample:\n  streamart diff monday.model friday.model")
@click.argument("old", type=FILE)
@click.argument("new", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="Print the sentences as JSON.")
def diff(old: Path, new: Path, as_json: bool) -> int:
    """Say what has become of the clusters of a model in a later one.

    Clusters are compared by their ids, so NEW is to be a later state of OLD.
    """
    from ...people.sentences import differences
    from ..errors import UserError
    from ..running.models import fitted_model
    from ..talk import Talk

    try:
        lines = differences(fitted_model(old), fitted_model(new))
    except ValueError as error:
        raise UserError(
            f"{new} is no later state of {old}: {error}", "Give two states of one model."
        ) from error
    talk = Talk(as_json=as_json)
    if as_json:
        talk.print_json({"changes": lines})
        return 0
    for line in lines:
        talk.results.print(line, markup=False, soft_wrap=True)
    return 0


for _command in (merge, split, rename):
    _command.help = f"{_command.help}\n\n{_CLUSTERS}"
