"""``streamart photos``: who is who in a folder of photos."""

from __future__ import annotations

import hashlib
import os
import signal
import sqlite3
import time
import webbrowser
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ..errors import SIGNALLED, UserError
from ..options import FILE, talk_options

if TYPE_CHECKING:
    from ...photos.library import Library
    from ...photos.scan import Report
    from ...photos.workers import Readers
    from ..talk import Talk

_POLL = 2.0
"""Seconds between two looks at a folder that is followed."""
_PROBLEMS = 5  # that are shown

EPILOG = """\b
Examples:
  streamart photos ~/Pictures --open
  streamart photos ~/Pictures --follow
  streamart photos ~/Pictures --forget
  streamart photos ~/Pictures --detector mtcnn --embedder arcface.onnx --library arcface.sqlite

\b
Photos are only read, and nothing leaves this machine. The library, a file that only you can read,
holds a small picture and a vector of each face; deleting it forgets everything. A stopped run goes
on where it was. Exit codes: 0 done; 1 something cannot be read or written; 2 the command line is
wrong; 130 stopped by Ctrl-C, 143 by a kill."""


@click.command(epilog=EPILOG)
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--open", "opened", is_flag=True, help="Show the people in a browser, to name them.")
@click.option("--follow", is_flag=True, help="Go on: read photos as they arrive in the folder.")
@click.option("--forget", is_flag=True, help="Forget photos that are no longer in the folder.")
@click.option("--again", is_flag=True, help="Read all photos again; corrections stay.")
@click.option(
    "--library", type=FILE, help="The library file. Default: one for each folder, in your state "
    "folder (~/.local/state/streamart/photos).",
)  # fmt: skip
@click.option(
    "--method",
    type=click.Choice(["streamart", "topoartmap"]),
    default="streamart",
    show_default=True,
    help="topoartmap: the paper's network with its settings for faces.",
)
@click.option(
    "--detector", type=click.Choice(["dlib", "mtcnn"]), default="dlib", show_default=True,
    help="mtcnn: the paper's, with its confidence of 0.99.",
)  # fmt: skip
@click.option(
    "--embedder", default="dlib", show_default=True, metavar="dlib|FILE.onnx",
    help="Makes vectors of faces. An ONNX file (VGGFace2, ArcFace, ...) gets boxes that are "
    "enlarged by 30 %, as in the paper.",
)  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Of the page. Default: any.")
@click.option(
    "--workers",
    type=click.IntRange(min=0),
    help="Processes that read photos; 0: none but this. Default: as many as there are cores.",
)
@talk_options
def photos(
    folder: Path,
    opened: bool,
    follow: bool,
    forget: bool,
    again: bool,
    library: Path | None,
    method: str,
    detector: str,
    embedder: str,
    port: int,
    workers: int | None,
    quiet: bool,
    as_json: bool,
) -> int:
    """Find the faces in a folder of photos, and who is who.

    Needs dlib and more: pip install "streamart[photos]".
    """
    from ..talk import Talk

    talk = Talk(quiet, as_json)
    try:
        from ...photos.database import LibraryError
        from ...photos.library import Library
        from ...photos.models import Chosen, ModelError
        from ...photos.workers import Readers
    except ImportError as missing:
        raise UserError(
            f"Photos need {missing.name}, which is not installed.",
            'Install it with: pip install "streamart[photos]"',
        ) from missing
    if embedder.endswith(".onnx"):
        embedder = str(Path(embedder).resolve())
    chosen = Chosen(detector, embedder)
    path = library or default_library(folder)
    signal.signal(signal.SIGTERM, _end)
    try:
        with ExitStack() as stack:
            opened_library = stack.enter_context(Library(path))
            opened_library.agree(chosen, method, again)
            readers = stack.enter_context(Readers(chosen, workers))
            if opened:
                _show_page(opened_library, port, stack, talk)
            _run(folder, opened_library, readers, talk, follow, forget, opened)
    except (LibraryError, ModelError) as error:
        raise UserError(error.problem, error.advice) from error
    except sqlite3.Error as error:
        raise UserError(f"The library {path} cannot be used: {error}.") from error
    except KeyboardInterrupt:
        talk.note("Stopped. What was read is kept: the same command goes on from there.")
        return SIGNALLED + signal.SIGINT
    return 0


def default_library(folder: Path) -> Path:
    """One library for each folder, where a user's state is kept."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    whole = folder.resolve()
    digest = hashlib.sha256(os.fsencode(whole)).hexdigest()[:8]
    return Path(state, "streamart", "photos", f"{whole.name or 'root'}-{digest}.sqlite")


def _run(
    folder: Path,
    library: Library,
    readers: Readers,
    talk: Talk,
    follow: bool,
    forget: bool,
    opened: bool,
) -> None:
    from ...photos.scan import scan

    reported: set[tuple[str, str]] = set()
    first = True
    while True:
        with _Bar(talk) as bar:
            report = scan(folder, library, readers, forget=forget, show=bar.show)
        if first or report.read or set(report.problems) - reported:
            report.problems = [one for one in report.problems if one not in reported]
            _tell(report, library, talk)
        reported.update(report.problems)
        if not follow:
            break
        first = False
        time.sleep(_POLL)
    while opened:  # until Ctrl-C
        time.sleep(3600)


def _show_page(library: Library, port: int, stack: ExitStack, talk: Talk) -> None:
    try:
        from ...photos.page.server import PageServer
    except ImportError as missing:
        raise UserError(
            f"The page needs {missing.name}, which is not installed.",
            'Install it with: pip install "streamart[photos]"',
        ) from missing
    try:
        server = stack.enter_context(PageServer(library, port))
    except OSError as error:
        raise UserError(f"Port {port} cannot be used: {error.strerror}.") from error
    talk.note(f"The page, until Ctrl-C: {server.address}")
    webbrowser.open(server.address)


def _tell(report: Report, library: Library, talk: Talk) -> None:
    from ...photos import editing

    people = editing.people(library)
    result: dict[str, Any] = {
        "photos": report.found,
        "read": report.read,
        "unchanged": report.unchanged,
        "gone": report.gone,
        "forgotten": report.forgotten,
        "new_faces": report.faces,
        "faces": sum(one.faces for one in people),
        "people": len(people),
        "named": sum(one.name is not None for one in people),
        "skipped": dict(report.skipped),
        "seconds_reading": round(report.seconds_reading, 2),
        "seconds_sorting": round(report.seconds_sorting, 2),
        "library": str(library.path),
    }
    if talk.as_json:
        talk.print_json(result)
        return
    if talk.quiet:
        return
    talk.results.print(
        f"{report.found:,} photos ({report.read:,} new), {result['faces']:,} faces, "
        f"{len(people):,} people",
        markup=False,
    )
    if report.skipped:
        parts = ", ".join(f"{reason} ({n:,})" for reason, n in report.skipped.most_common())
        talk.note(f"Skipped: {parts}")
        for path, problem in report.problems[:_PROBLEMS]:
            talk.note(f"  {path}: {problem}")
        if len(report.problems) > _PROBLEMS:
            talk.note(f"  ... and {len(report.problems) - _PROBLEMS:,} more")
    if report.forgotten:
        talk.note(f"Forgot {report.forgotten:,} photos that are gone.")
    elif report.gone:
        talk.note(f"{report.gone:,} photos are gone; --forget removes what is known of them.")
    talk.note(f"Library: {library.path}")


class _Bar:
    """How many photos were read, where somebody is looking."""

    def __init__(self, talk: Talk) -> None:
        self._bar: Any = None
        self._talk = talk

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, done: int, of: int, report: Report) -> None:
        if not (self._talk.chatty and self._talk.errors.is_terminal):
            return
        if self._bar is None:
            from rich import progress as rich

            self._bar = rich.Progress(
                rich.TextColumn("reading"),
                rich.BarColumn(bar_width=24),
                rich.MofNCompleteColumn(),
                rich.TextColumn("{task.fields[faces]} faces"),
                rich.TimeRemainingColumn(),
                console=self._talk.errors,
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task("", total=of, faces=0)
        self._bar.update(self._task, completed=done, faces=f"{report.faces:,}")


def _end(number: int, frame: FrameType | None) -> NoReturn:
    """A polite kill: processes that read are ended too."""
    raise SystemExit(SIGNALLED + number)
