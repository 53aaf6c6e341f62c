"""The image files of a folder and its subfolders, in the order of their names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ENDINGS = (".jpg", ".jpeg", ".png", ".webp")


class Candidate(NamedTuple):
    """A file to read, or a path that cannot be read, with the problem."""

    path: str
    size: int = 0
    mtime_ns: int = 0
    problem: str = ""


def find_photos(folder: Path) -> Iterator[Candidate]:
    """Every image below a folder. Links are followed; one that leads to a parent is reported."""
    yield from _walk(folder, frozenset())


def _walk(folder: Path, above: frozenset[tuple[int, int]]) -> Iterator[Candidate]:
    try:
        here = os.stat(folder)
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield Candidate(os.fspath(folder), problem=error.strerror or str(error))
        return
    inside = above | {(here.st_dev, here.st_ino)}
    for entry in entries:
        if entry.name.startswith("."):
            continue
        try:
            if entry.is_dir():
                there = os.stat(entry.path)
                if (there.st_dev, there.st_ino) in inside:
                    yield Candidate(entry.path, problem="a link that leads back to its own folder")
                else:
                    yield from _walk(Path(entry.path), inside)
            elif entry.name.lower().endswith(ENDINGS):
                stat = entry.stat()
                yield Candidate(entry.path, stat.st_size, stat.st_mtime_ns)
        except OSError as error:
            yield Candidate(entry.path, problem=error.strerror or str(error))
