"""All commands under one name, and how a mistake is reported."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any, NoReturn

import click

from .. import __version__
from .errors import BROKEN_PIPE, FAILED, SIGNALLED, UserError

# In the order in which they are listed; each is imported when it is asked for, since most need the
# network, which takes a second to load.
COMMANDS = {
    "cluster": "Cluster files, a pipe, or a stream that goes on.",
    "predict": "Label rows with a saved model; nothing is learnt.",
    "watch": "Follow validity indices of clusters from another program.",
    "inspect": "Show what a saved model has learnt.",
    "rename": "Give a cluster of a saved model a name.",
    "merge": "Make two clusters of a saved model one.",
    "split": "Split a cluster of a saved model in two.",
    "undo": "Take back the last rename, merge or split of a saved model.",
    "label": "Teach a saved model by rows whose clusters have names.",
    "diff": "Say what has changed between two states of a model.",
    "photos": "Find out who is who in a folder of photos.",
    "generate": "Write the built-in stream as CSV, to try things out.",
    "demo": "Cluster the built-in stream in three orders, and draw it.",
    "reproduce": "Run the experiments of the paper, and write its tables and figures.",
    "icvis": "List the cluster validity indices.",
    "warmup": "Compile the core now, so that the next run starts at once.",
    "completion": "Print the script that completes commands and options in a shell.",
}
CORRECTIONS = ("rename", "merge", "split", "undo", "label", "diff")


class Commands(click.Group):
    """A group whose commands are imported when they are needed."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        home = "corrections" if name in CORRECTIONS else name
        module = import_module(f".commands.{home}", __package__)
        command: click.Command = getattr(module, name)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(self, context: click.Context, arguments: list[str]) -> Any:
        """An unknown command is answered with the ones there are."""
        try:
            return super().resolve_command(context, arguments)
        except click.UsageError as error:
            known = f"{error.message} There are: {', '.join(COMMANDS)}."
            raise click.UsageError(known, context) from error


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Begin with: streamart cluster readings.csv",
)
@click.version_option(__version__, prog_name="streamart")
def app() -> None:
    """Online clustering of streams: nobody has to know how many clusters there are."""


def run(arguments: list[str] | None = None) -> NoReturn:
    """Run a command and exit; a user's mistake is reported in a line or two."""
    try:
        code = app.main(arguments, prog_name="streamart", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except click.exceptions.Abort as error:
        code = _aborted(error)
    except UserError as error:
        _tell(error)
        code = error.code
    except KeyboardInterrupt:
        code = _stopped()
    except BrokenPipeError:
        _forget_output()
        code = BROKEN_PIPE
    except OSError as error:
        code = _failed(error)
    raise SystemExit(code if isinstance(code, int) else 0)


def _aborted(error: click.exceptions.Abort) -> int:
    """Click takes the end of a file for Ctrl-C."""
    if isinstance(error.__cause__, EOFError):
        _tell(UserError(f"A file ends too early: {error.__cause__}."))
        return FAILED
    return _stopped()


def _stopped() -> int:
    sys.stderr.write("Stopped at once.\n")
    return SIGNALLED + 2


def _failed(error: OSError) -> int:
    """A disk that is full, or a file that has gone, where nothing more is known."""
    if error.errno and not error.filename:  # all other files are looked after where they are used
        _forget_output()
        _tell(UserError(f"Standard output cannot be written: {error.strerror}."))
    else:
        _tell(UserError(f"{error}."))
    return FAILED


def _forget_output() -> None:
    """What is left in the buffer has nowhere to go."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell(error: UserError) -> None:
    sys.stderr.write(f"Error: {error.problem}\n")
    if error.advice:
        sys.stderr.write(f"{error.advice}\n")
