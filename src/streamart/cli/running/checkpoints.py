"""Checkpoints: what a run needs to go on where it was, after it was killed.

A folder beside the model. The model, the rows kept for the report and a document that says where
reading goes on belong together: the document, which replaces the older one at one stroke, names the
other two. So a process that is killed at any moment leaves one whole checkpoint behind.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from ... import __version__
from ...files import replace_file
from ...persistence import ModelFileError, load
from ..errors import UserError, explain_write_errors
from ..reading.parts import Position
from ..reading.sniff import LOOK
from ..reading.sources import Source

_DOCUMENT = "checkpoint.json"
_LOCK = "lock"
_VERSION = 2


class Checkpoint(NamedTuple):
    """What was read back."""

    model: Any
    document: dict[str, Any]
    arrays: dict[str, Any]

    @property
    def position(self) -> Position:
        return Position(*self.document["position"])


class Checkpoints:
    """The folder of a run's checkpoints."""

    def __init__(self, model_path: Path) -> None:
        self.folder = model_path.with_name(model_path.name + ".checkpoint")

    def exists(self) -> bool:
        return (self.folder / _DOCUMENT).exists()

    def save(self, model: Any, document: dict[str, Any], arrays: dict[str, Any]) -> None:
        rows = document["learner"]["n"]
        model_name, rows_name = f"model-{rows}", f"rows-{rows}.npz"
        with explain_write_errors(f"The checkpoint {self.folder}"):
            self.folder.mkdir(exist_ok=True)
            model.save(self.folder / model_name)
            sample = io.BytesIO()
            np.savez(sample, **arrays)
            replace_file(self.folder / rows_name, [sample.getvalue()])
            whole = {
                **document,
                "version": _VERSION,
                "streamart": __version__,
                "model": model_name,
                "rows": rows_name,
                "rows_checksum": _checksum(sample.getvalue()),
            }
            whole["checksum"] = _checksum(_as_bytes(whole))
            replace_file(self.folder / _DOCUMENT, [_as_bytes(whole)])
        for old in self.folder.iterdir():
            if old.name not in (_DOCUMENT, _LOCK, model_name, rows_name):
                old.unlink()

    def load(self) -> Checkpoint:
        """The checkpoint, if all its files are as they were written."""
        try:
            whole = json.loads((self.folder / _DOCUMENT).read_bytes())
            version, written_by = whole["version"], whole["streamart"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise self._damaged(_DOCUMENT) from error
        if version != _VERSION:
            raise UserError(
                f"The checkpoint {self.folder} was written by streamart {written_by}; this is "
                f"{__version__}.",
                "Go on with that version, or delete the folder to start over.",
            )
        if whole.pop("checksum", None) != _checksum(_as_bytes(whole)):
            raise self._damaged(_DOCUMENT)
        try:
            rows = (self.folder / whole["rows"]).read_bytes()
            model = load(self.folder / whole["model"])
        except (OSError, ModelFileError) as error:
            raise self._damaged(str(error)) from error
        if whole["rows_checksum"] != _checksum(rows):
            raise self._damaged(whole["rows"])
        with np.load(io.BytesIO(rows)) as stored:
            return Checkpoint(model, whole, dict(stored))

    def _damaged(self, what: str) -> UserError:
        return UserError(
            f"The checkpoint {self.folder} is damaged ({what}).", "Delete the folder to start over."
        )

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextmanager
    def locked(self) -> Iterator[Checkpoints]:
        """While a run goes on, no other one may use the folder.

        The lock is the system's, so it goes with the process, however that ends.
        """
        with explain_write_errors(f"The checkpoint {self.folder}"):
            file = self._opened_lock()
        try:
            file.write(str(os.getpid()))
            file.flush()
            yield self
        finally:
            if not self.exists():
                self.remove()
            file.close()

    def _opened_lock(self) -> IO[str]:
        path = self.folder / _LOCK
        while True:
            self.folder.mkdir(exist_ok=True)
            file = open(path, "a+", encoding="ascii")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                file.seek(0)
                process = file.read()
                file.close()
                raise UserError(
                    f"Another run with the checkpoint {self.folder} is still running "
                    f"(process {process}).",
                    "Wait until it has ended, or stop it.",
                ) from error
            # A run that has just ended may have removed the file that was opened here.
            if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
                file.truncate(0)
                return file
            file.close()


def _as_bytes(document: dict[str, Any]) -> bytes:
    return json.dumps(document, sort_keys=True).encode()


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def fingerprints(sources: Sequence[Source]) -> list[list[str]]:
    """Names and beginnings of the sources; of what comes by a pipe nothing is known."""
    return [[source.name, _beginning(Path(source.name))] for source in sources]


def _beginning(path: Path) -> str:
    if not path.is_file():
        return ""
    with open(path, "rb") as file:
        head = file.read(LOOK)
    # A file that grows keeps its first line, if not the rest of what is looked at.
    line = head.split(b"\n", 1)[0] if b"\n" in head else head
    return hashlib.sha256(line).hexdigest()


def check_same_run(found: dict[str, Any], now: dict[str, Any], folder: Path) -> None:
    """A checkpoint goes on only with what it was made with."""
    what = {
        "inputs": "other input files",
        "features": "other columns",
        "options": "other options of the model",
        "files": "other files to write to",
    }
    for key, words in what.items():
        if found[key] != now[key]:
            raise UserError(
                f"The checkpoint {folder} was made with {words}: {_shown(found[key])} instead of "
                f"{_shown(now[key])}.",
                "Give the same command again with --resume, or delete the folder to start over.",
            )


def _shown(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], list):
        value = [name for name, _ in value]
    return json.dumps(value)
