"""`streamart watch`: validity indices of somebody's clusters, row by row."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np

from ...icvi.compare import better
from ...validity.catalogue import available
from ...validity.footprints import Footprints
from ...validity.index import ValidityIndex
from ..errors import DONE, MISUSED, NOTHING, SIGNALLED, UserError
from ..reading.columns import Choice
from ..reading.inputs import Writing, sources_of
from ..reading.reader import Chunk, Reader
from ..reading.rejects import Rejects
from ..stopping import Stop, Stopped
from ..talk import Talk
from .progress import Progress

SUFFIXES = (".png", ".svg", ".pdf")
_BARS = "▁▂▃▄▅▆▇█"
_WIDTH = 36


class Watch(NamedTuple):
    """What the command line asks for."""

    inputs: Sequence[str]
    writing: Writing
    choice: Choice
    indices: Sequence[str]
    every: int
    noise: str | None
    on_error: str
    rejects: Path | None
    out: str | None
    picture: Path | None


class Course:
    """The values of indices that share their statistics, after every `every` rows."""

    def __init__(self, names: Sequence[str], every: int, file: TextIO | None) -> None:
        kinds = [available()[name] for name in dict.fromkeys(names)]
        self.seen = Footprints(any(kind.needs_covariances for kind in kinds))  # type: ignore[union-attr]
        self.indices: list[ValidityIndex] = [
            kind(self.seen) for kind in kinds if issubclass(kind, ValidityIndex)
        ]
        self.every, self.rows = every, 0
        self.at: list[int] = []
        self.clusters: list[int] = []
        self.values: dict[str, list[float]] = {index.name: [] for index in self.indices}
        self._file = file
        self._write(["rows", "clusters", *self.values])

    def learn(self, X: Any, labels: list[str]) -> None:
        begin = 0
        while begin < len(X):  # Ends: each round learns at least one row.
            end = min(len(X), begin + self.every - self.rows % self.every)
            self.seen.update_many(X[begin:end], labels[begin:end])
            self.rows += end - begin
            begin = end
            if self.rows % self.every == 0:
                self.look()

    def look(self) -> None:
        """Note the values now, unless they have been noted."""
        if self.at and self.at[-1] == self.rows:
            return
        self.at.append(self.rows)
        self.clusters.append(self.seen.n_clusters)
        for index in self.indices:
            self.values[index.name].append(index.value)
        line = [self.rows, self.seen.n_clusters, *(values[-1] for values in self.values.values())]
        self._write(["" if math.isnan(float(cell)) else repr(cell) for cell in line])

    def _write(self, cells: Sequence[str]) -> None:
        if self._file is not None:
            self._file.write(",".join(cells) + "\n")
            self._file.flush()

    def best(self, index: ValidityIndex) -> int:
        """The place of the best value so far."""
        sign, best = 1.0 if index.bigger_is_better else -1.0, 0
        is_better = getattr(better, "py_func", better)
        for at, value in enumerate(self.values[index.name]):
            if is_better(sign * value, sign * self.values[index.name][best]):
                best = at
        return best


def watch_rows(asked: Watch, talk: Talk) -> int:
    """Read rows, follow the indices, and say how it went."""
    if asked.picture is not None and asked.picture.suffix.lower() not in SUFFIXES:
        raise UserError(
            f"--picture {asked.picture}: a picture is a {', '.join(SUFFIXES)} file.", code=MISUSED
        )
    if asked.picture is not None:
        _drawing()  # before any row is read
    talk.check_labels_to(asked.out)
    with Stop() as stop:
        try:
            sources = sources_of(asked.inputs, asked.writing, stop)
            layouts = [source.layout() for source in sources]
            reader = Reader(sources, asked.choice, layouts, only_numbers=True)
            talk.layouts(reader)
            rejects = Rejects(asked.rejects, asked.on_error == "stop")
            course, left_out = _follow(reader, rejects, asked, talk, stop)
        except Stopped:
            return SIGNALLED + stop.signal
    rejects.close()
    talk.rejects(rejects, None if asked.rejects is None else str(asked.rejects))
    _tell(course, left_out, rejects, asked, talk)
    if asked.picture is not None and course.rows:
        names = {index.name: (index.title, index.bigger_is_better) for index in course.indices}
        drawn = _drawing()(course.at, course.clusters, course.values, names)
        drawn.savefig(asked.picture)
        talk.note(f"picture: {asked.picture}")
    if stop.signal:
        return SIGNALLED + stop.signal
    return DONE if course.rows else NOTHING


def _drawing() -> Any:
    try:
        from ...report.course import draw_course
    except ImportError:
        raise UserError(
            "--picture needs matplotlib.", "Install it with: pip install 'streamart[plot]'"
        ) from None
    return draw_course


def _follow(
    reader: Reader, rejects: Rejects, asked: Watch, talk: Talk, stop: Stop
) -> tuple[Course, int]:
    file: TextIO | None = None
    if asked.out is not None:
        file = sys.stdout if asked.out == "-" else open(asked.out, "w", encoding="utf-8")
    left_out = 0
    try:
        course = Course(asked.indices, asked.every, file)
        with Progress(talk.errors, talk.chatty and asked.out != "-") as progress:
            progress.begin("watching")
            for chunk in reader.chunks():
                chunk = chunk.without_gaps()
                rejects.add(chunk.rejects)
                X, labels = _labelled(chunk, asked.noise)
                left_out += len(chunk.X) - len(X)
                course.learn(X, labels)
                progress.show(course.rows, reader.share(chunk.end))
                if stop.signal:
                    break
        if course.rows:
            course.look()
    finally:
        if file is not None and file is not sys.stdout:
            file.close()
    return course, left_out


def _labelled(chunk: Chunk, noise: str | None) -> tuple[Any, list[str]]:
    """The rows that are in a cluster."""
    labels = ["" if cell is None else str(cell).strip() for cell in chunk.labels.to_pylist()]
    used = np.array([label != "" and label != noise for label in labels], dtype=bool)
    return chunk.X[used], [label for label, yes in zip(labels, used, strict=True) if yes]


def sparkline(values: Sequence[float], width: int = _WIDTH) -> str:
    """A row of bars; a space where there is no number.

    >>> sparkline([0.0, 1.0, 2.0, float("nan"), 3.0])
    '▁▃▆ █'
    """
    picked = np.asarray(values, dtype=float)
    if len(picked) > width:
        picked = picked[np.linspace(0, len(picked) - 1, width).round().astype(int)]
    finite = picked[np.isfinite(picked)]
    if not len(finite):
        return " " * len(picked)
    low, span = finite.min(), np.ptp(finite) or 1.0
    return "".join(
        _BARS[min(7, max(0, round(7 * (value - low) / span)))] if np.isfinite(value) else " "
        for value in picked
    )


def _tell(course: Course, left_out: int, rejects: Rejects, asked: Watch, talk: Talk) -> None:
    if talk.as_json:
        talk.print_json(_summary(course, left_out, rejects))
        return
    rows = f"{course.rows:,} rows in {course.seen.n_clusters} clusters"
    talk.note(rows + (f"; {left_out:,} rows without a cluster left out" if left_out else ""))
    if talk.quiet or asked.out == "-" or not course.rows:
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading, side in (
        *(("index", "left"), ("now", "right"), ("best", "right"), ("at row", "right")),
        ("better is", "left"),
        ("course", "left"),
    ):
        table.add_column(heading, justify=side, no_wrap=True)  # type: ignore[arg-type]
    for index in course.indices:
        values, best = course.values[index.name], course.best(index)
        table.add_row(
            index.name,
            _short(values[-1]),
            _short(values[best]),
            f"{course.at[best]:,}",
            "larger" if index.bigger_is_better else "smaller",
            sparkline(values),
        )
    talk.results.print(table)


def _short(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4g}"


def _summary(course: Course, left_out: int, rejects: Rejects) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for index in course.indices:
        values = course.values[index.name]
        if values:
            best = course.best(index)
            found[index.name] = {
                "value": _number(values[-1]),
                "best": _number(values[best]),
                "best_at_row": course.at[best],
                "bigger_is_better": index.bigger_is_better,
            }
    return {
        "rows": course.rows,
        "rows_without_cluster": left_out,
        "rows_rejected": rejects.count,
        "clusters": course.seen.n_clusters,
        "indices": found,
    }


def _number(value: float) -> float | None:
    """JSON has no NaN and no infinity."""
    return value if math.isfinite(value) else None
