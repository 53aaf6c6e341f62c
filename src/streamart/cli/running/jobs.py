"""How far a long row of jobs has come: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

from ..talk import Talk

_SILENCE = 30.0  # seconds between two lines, where there is no terminal


class JobProgress:
    """Stages of jobs, one after the other."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._bar: Any = None
        self._task: Any = None
        self._title, self._jobs, self._done = "", 0, 0
        self._begun = self._spoken = time.monotonic()

    def __enter__(self) -> JobProgress:
        if self._talk.chatty and self._talk.errors.is_terminal:
            from rich import progress as rich

            self._bar = rich.Progress(
                rich.TextColumn("{task.description}"),
                rich.BarColumn(bar_width=24),
                rich.MofNCompleteColumn(),
                rich.TimeElapsedColumn(),
                rich.TextColumn("left"),
                rich.TimeRemainingColumn(),
                console=self._talk.errors,
            )
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def note(self, text: str) -> None:
        self._talk.note(text)

    def begin(self, title: str, jobs: int, known: int) -> None:
        """A stage of so many jobs, of which some are known already."""
        self._title, self._jobs, self._done = title, jobs, known
        self._begun = self._spoken = time.monotonic()
        if self._bar is not None:
            self._task = self._bar.add_task(title, total=jobs, completed=known)
        elif known < jobs:
            self._say("")

    def advance(self) -> None:
        self._done += 1
        if self._bar is not None:
            self._bar.advance(self._task)
        elif time.monotonic() - self._spoken > _SILENCE:
            self._say("")

    def end(self) -> None:
        if self._bar is None:
            self._say(f", {time.monotonic() - self._begun:.0f} s")

    def _say(self, more: str) -> None:
        self._spoken = time.monotonic()
        self._talk.note(f"{self._title}: {self._done:,} of {self._jobs:,}{more}")
