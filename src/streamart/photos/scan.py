"""One run over a folder: find photos, read the new ones, save and cluster their faces."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .database import LibraryError
from .finding import Candidate, find_photos
from .library import Library
from .reading import READ, Photo
from .workers import Readers

BATCH = 32
"""Photos saved per transaction."""
EVERY = 20.0
"""Least time in seconds between two clusterings while photos are read."""
SHARE = 0.04
"""Greatest share of the time for these clusterings."""


@dataclass
class Report:
    """Counts and problems of one run."""

    found: int = 0
    unchanged: int = 0
    read: int = 0
    faces: int = 0
    gone: int = 0
    forgotten: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """Number of unusable photos by reason, and of faces that were too small or blurred."""
    problems: list[tuple[str, str]] = field(default_factory=list)
    """Path and problem of photos and folders."""
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
"""Called after each photo with the number read, the number to read, and the report so far."""


def scan(
    folder: Path,
    library: Library,
    readers: Readers,
    *,
    forget: bool = False,
    show: Show = lambda done, of, report: None,
) -> Report:
    """Update the library with the photos of the folder."""
    report = Report()
    present, new = set(), []
    unreadable = set()
    known = library.known()
    for one in find_photos(folder):
        path = str(Path(one.path).relative_to(folder))
        if one.problem:
            report.skipped["unreadable"] += 1
            report.problems.append((path, one.problem))
            unreadable.add(path)
            continue
        report.found += 1
        present.add(path)
        if known.get(path) == (one.size, one.mtime_ns):
            report.unchanged += 1
        else:
            new.append(one)
    if new:
        _read(folder, library, readers, new, report, show)
    _forget(library, present, unreadable, forget, report)
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
    pause = EVERY
    try:
        for done, photo in enumerate(_relative(folder, readers, new), start=1):
            report.note(photo)
            batch.append(photo)
            show(done, len(new), report)
            if len(batch) >= BATCH:
                library.store(batch, folder)
                batch = []
                if time.monotonic() - sorted_at > pause:
                    pause = max(EVERY, _sort(library, report) / SHARE)
                    sorted_at = time.monotonic()
    finally:  # also after Ctrl-C: photos that were read are saved
        library.store(batch, folder)
        report.seconds_reading = time.monotonic() - begun - (report.seconds_sorting - sorting)


def _relative(folder: Path, readers: Readers, new: list[Candidate]) -> Iterator[Photo]:
    for photo in readers.read(one.path for one in new):
        yield photo._replace(path=str(Path(photo.path).relative_to(folder)))


def _forget(
    library: Library, present: set[str], unreadable: set[str], forget: bool, report: Report
) -> None:
    """Count and forget photos that are gone, except those in a folder that cannot be read."""
    gone = [
        path
        for path in library.gone(present)
        if unreadable.isdisjoint({path, *map(str, Path(path).parents)})
    ]
    report.gone = len(gone)
    if forget and gone:
        if not present:
            raise LibraryError(
                "No photo was found, so nothing was forgotten.", "Is the disk mounted?"
            )
        library.forget(gone)
        report.forgotten = len(gone)


def _sort(library: Library, report: Report) -> float:
    """Cluster if there is anything new; returns the seconds it took."""
    begun = time.monotonic()
    if library.needs_sorting:
        library.sort()
    seconds = time.monotonic() - begun
    report.seconds_sorting += seconds
    return seconds
