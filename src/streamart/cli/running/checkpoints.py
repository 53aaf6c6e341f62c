"""Checkpoints: what a run needs to go on where it was, after it was killed.

A folder beside the model. The model, the rows kept for the report and a document that says where
reading goes on belong together: the document, which replaces the older one at one stroke, names the
other two. So a process that is killed at any moment leaves one whole checkpoint behind.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ... import __version__
from ..errors import UserError
from ..reading.parts import Position
from ..reading.sniff import LOOK
from ..reading.sources import Source
from .models import loaded_model

_DOCUMENT = "checkpoint.json"
_VERSION = 1


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
        try:
            self.folder.mkdir(exist_ok=True)
            model.save(self.folder / model_name)
            with open(self.folder / rows_name, "wb") as file:
                np.savez(file, **arrays)
                os.fsync(file.fileno())
            whole = {
                **document,
                "version": _VERSION,
                "streamart": __version__,
                "model": model_name,
                "rows": rows_name,
            }
            fresh = self.folder / f"{_DOCUMENT}.new"
            with open(fresh, "w", encoding="utf-8") as text:
                json.dump(whole, text)
                text.flush()
                os.fsync(text.fileno())
            os.replace(fresh, self.folder / _DOCUMENT)
        except OSError as error:
            raise UserError(
                f"The checkpoint {self.folder} cannot be written: {error.strerror or error}."
            ) from error
        for old in self.folder.iterdir():
            if old.name not in (_DOCUMENT, model_name, rows_name):
                old.unlink()

    def load(self) -> Checkpoint:
        try:
            with open(self.folder / _DOCUMENT, encoding="utf-8") as file:
                document = json.load(file)
            if document["version"] != _VERSION:
                raise UserError(
                    f"The checkpoint {self.folder} was written by streamart "
                    f"{document['streamart']}; this is {__version__}.",
                    "Go on with that version, or delete the folder to start over.",
                )
            with np.load(self.folder / document["rows"]) as stored:
                arrays = dict(stored)
        except (OSError, ValueError, KeyError) as error:
            raise UserError(
                f"The checkpoint {self.folder} is damaged ({error}).",
                "Delete the folder to start over.",
            ) from error
        return Checkpoint(loaded_model(self.folder / document["model"]), document, arrays)

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


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
    for key, told in what.items():
        if found[key] != now[key]:
            raise UserError(
                f"The checkpoint {folder} was made with {told}: {_shown(found[key])} instead of "
                f"{_shown(now[key])}.",
                "Give the same command again with --resume, or delete the folder to start over.",
            )


def _shown(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], list):
        value = [name for name, _ in value]
    return json.dumps(value)
