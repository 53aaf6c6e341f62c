"""``streamart reproduce``: the paper's experiments."""

from __future__ import annotations

import signal
import sqlite3
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

import click

from ..errors import SIGNALLED, UserError
from ..options import FILE

if TYPE_CHECKING:
    from ..talk import Talk

NAMES = ("table2", "table3", "table4", "table5", "robustness", "partitions", "tracking", "claims")

EPILOG = """\b
Examples:
  streamart reproduce --quick
  streamart reproduce table2 robustness --data paper-data
  streamart reproduce all --data paper-data --embeddings faces.npz --out docs/reproduction

\b
Experiments (default: all):
table2      unsupervised, synthetic data: all indices and rivals, three orders, grids of the paper
table3      one labelled sample of each cluster, then the rest without
table4, 5   the same for embeddings of faces, or of anything
robustness  the vigilance swept
partitions  pictures of what all models made of the synthetic data
tracking    what happens over time, sample by sample
claims      what the paper's text says about its results, statement by statement

\b
A stopped run goes on where it was: results are kept in the output folder, for these parameters and
this version of the code. Exit codes: 0 done; 1 something cannot be read or written; 2 the command
line is wrong; 130 stopped by Ctrl-C, 143 by a kill."""


@click.command(epilog=EPILOG)
@click.argument(
    "experiments", nargs=-1, metavar="[EXPERIMENT]...", type=click.Choice([*NAMES, "all"])
)
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Folder with the paper's exp1.csv and exp2.csv. Default: the built-in generator.",
)
@click.option(
    "--embeddings",
    type=FILE,
    multiple=True,
    help="NPZ file with arrays X and y, for tables 4 and 5. Can be repeated. Default: made-up "
    "ones.",
)
@click.option(
    "--photos",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Folder with photos of people, for tables 4 and 5: a subfolder for each, or names like "
    '12-07.jpg. Needs pip install "streamart[photos]".',
)
@click.option("--detector", default="dlib", show_default=True, help="For --photos; or mtcnn.")
@click.option(
    "--embedder", default="dlib", show_default=True, help="For --photos; or an ONNX file."
)
@click.option("--quick", is_flag=True, help="Thin out grids and draws: minutes instead of an hour.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("reproduction"),
    show_default=True,
    help="Folder for tables (CSV) and pictures; the page is beside it, its name with .md added.",
)
@click.option(
    "--workers", type=click.IntRange(min=1), help="Processes. Default: as many as there are cores."
)
@click.option("--quiet", is_flag=True, help="Print errors only.")
def reproduce(
    experiments: tuple[str, ...],
    data: Path | None,
    embeddings: tuple[Path, ...],
    photos: Path | None,
    detector: str,
    embedder: str,
    quick: bool,
    out: Path,
    workers: int | None,
    quiet: bool,
) -> int:
    """Run the experiments of the paper, and write its tables and figures, ours beside its numbers.

    Needs matplotlib: pip install "streamart[experiments]".
    """
    from ..talk import Talk

    try:
        from ...experiments import reproduction
        from ...experiments.streams import DataError
    except ImportError as missing:
        raise UserError(
            f"The experiments need {missing.name}, which is not installed.",
            'Install it with: pip install "streamart[experiments]"',
        ) from missing
    from ..running.jobs import JobProgress

    talk = Talk(quiet)
    names = NAMES if not experiments or "all" in experiments else experiments
    progress = JobProgress(talk)
    signal.signal(signal.SIGTERM, _end)
    try:
        if photos is not None:
            embeddings = (*embeddings, _embedded(photos, detector, embedder, out, workers, talk))
        with progress:
            written = reproduction.reproduce(names, out, progress, data, embeddings, quick, workers)
    except DataError as error:
        raise UserError(str(error)) from error
    except KeyboardInterrupt:
        talk.note("Stopped. What was done is kept: the same command goes on from there.")
        return SIGNALLED + signal.SIGINT
    except BrokenProcessPool as error:
        raise UserError(
            "A worker died, perhaps for want of memory.",
            "What was done is kept: run the same command again, with fewer --workers.",
        ) from error
    except sqlite3.Error as error:
        kept = out / "results.sqlite"
        raise UserError(
            f"{kept}, where results are kept, cannot be used: {error}.",
            "Perhaps another run uses it, or the disk is full. Give another --out to begin anew.",
        ) from error
    except OSError as error:
        raise UserError(f"{error.filename or out}: {error.strerror}.") from error
    page = written.page
    here = Path.cwd()
    shown = page.relative_to(here) if page.is_relative_to(here) else page
    talk.results.print(str(shown), markup=False, soft_wrap=True)
    return 0


def _embedded(
    folder: Path, detector: str, embedder: str, out: Path, workers: int | None, talk: Talk
) -> Path:
    """The faces of photos, as a file of embeddings."""
    from ...photos.models import Chosen, ModelError

    try:
        from ...photos.labelled import embed_labelled

        target = out / f"{folder.resolve().name}-faces.npz"
        read, faces = embed_labelled(folder, target, Chosen(detector, embedder), workers)
    except ModelError as error:
        raise UserError(error.problem, error.advice) from error
    talk.note(f"{folder}: {faces:,} of {read:,} photos have a face; {target}")
    return target


def _end(number: int, frame: FrameType | None) -> NoReturn:
    """A polite kill: workers are ended too."""
    raise SystemExit(SIGNALLED + number)
