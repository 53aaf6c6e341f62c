"""One run over a folder: find photos, read what is new, keep it, sort it, say what was skipped."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .finding import Candidate, find_photos
from .library import Library, LibraryError
from .reading import READ, Photo
from .workers import Readers

BATCH = 32
"""Photos that are written at once."""
EVERY = 20.0
"""Seconds between two clusterings while photos are read."""


@dataclass
class Report:
    """What a run did."""

    found: int = 0
    unchanged: int = 0
    read: int = 0
    faces: int = 0
    gone: int = 0
    forgotten: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """Photos that could not be used, by reason, and faces that were too small or blurred."""
    problems: list[tuple[str, str]] = field(default_factory=list)
    """Path and problem, of photos and folders."""
    seconds_reading: float = 0.0
    seconds_sorting: float = 0.0

    def note(self, photo: Photo) -> None:
        self.read += photo.status == READ
        self.faces += len(photo.faces)
        for why in photo.skipped:
            self.skipped[f"face {why}"] += 1
        if photo.status != READ:
            self.skipped[photo.status] += 1
            self.problems.append((photo.path, photo.reason))
        elif not photo.faces and not photo.skipped:
            self.skipped["no face"] += 1


Show = Callable[[int, int, Report], None]
"""Hears how many photos of how many were read, and what came of them so far."""


def scan(
    folder: Path,
    library: Library,
    readers: Readers,
    *,
    forget: bool = False,
    show: Show = lambda done, of, report: None,
) -> Report:
    """Bring the library up to date with the folder."""
    report = Report()
    present, new = set(), []
    known = library.known()
    for one in find_photos(folder):
        path = str(Path(one.path).relative_to(folder))
        if one.problem:
            report.skipped["unreadable"] += 1
            report.problems.append((path, one.problem))
            continue
        report.found += 1
        present.add(path)
        if known.get(path) == (one.size, one.mtime_ns):
            report.unchanged += 1
        else:
            new.append(one)
    if new:
        _read(folder, library, readers, new, report, show)
    _forget(library, present, forget, report)
    _sort(library, report)
    return report


def _read(
    folder: Path,
    library: Library,
    readers: Readers,
    new: list[Candidate],
    report: Report,
    show: Show,
) -> None:
    begun = sorted_at = time.monotonic()
    sorting = report.seconds_sorting
    batch: list[Photo] = []
    try:
        for done, photo in enumerate(_relative(folder, readers, new), start=1):
            report.note(photo)
            batch.append(photo)
            show(done, len(new), report)
            if len(batch) >= BATCH:
                library.store(batch, folder)
                batch = []
                if time.monotonic() - sorted_at > EVERY:
                    _sort(library, report)
                    sorted_at = time.monotonic()
    finally:  # also when it is stopped: what was read is kept
        library.store(batch, folder)
        report.seconds_reading = time.monotonic() - begun - (report.seconds_sorting - sorting)


def _relative(folder: Path, readers: Readers, new: list[Candidate]) -> Iterator[Photo]:
    for photo in readers.read(one.path for one in new):
        yield photo._replace(path=str(Path(photo.path).relative_to(folder)))


def _forget(library: Library, present: set[str], forget: bool, report: Report) -> None:
    gone = library.gone(present)
    report.gone = len(gone)
    if forget and gone:
        if not present:
            raise LibraryError(
                "No photo was found, so nothing was forgotten.", "Is the disk there?"
            )
        library.forget(gone)
        report.forgotten = len(gone)


def _sort(library: Library, report: Report) -> None:
    begun = time.monotonic()
    if library.needs_sorting:
        library.sort()
    report.seconds_sorting += time.monotonic() - begun
