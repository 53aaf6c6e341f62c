"""A progress bar, where somebody is looking."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

from ...report.record import Look
from .summary import short


class Progress:
    """Rows, rate, clusters, categories and the index, on a terminal; nothing elsewhere."""

    def __init__(self, console: Any, shown: bool) -> None:
        self.begun = time.perf_counter()
        self._shown = shown and console.is_terminal
        self._bar: Any = None
        self._task: Any = None
        self._console = console

    def __enter__(self) -> Progress:
        if self._shown:
            from rich import progress as rich

            self._bar = rich.Progress(
                rich.SpinnerColumn(),
                rich.TextColumn("{task.description}"),
                rich.BarColumn(bar_width=24),
                rich.TextColumn("{task.fields[share]}"),
                rich.TextColumn("{task.fields[line]}"),
                console=self._console,
                transient=True,
                refresh_per_second=8,
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

    def begin(self, what: str) -> None:
        """The next stage."""
        self.begun = time.perf_counter()
        if self._bar is not None:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task(what, total=None, share="", line="")

    def show(self, rows: int, share: float | None, look: Look | None = None) -> None:
        if self._bar is None:
            return
        line = f"{rows:,} rows  {rows / (time.perf_counter() - self.begun):,.0f}/s"
        if look is not None:
            line += f"  {look.clusters} clusters  {look.categories} categories"
            if look.value == look.value:  # not NaN
                line += f"  index {short(look.value)}"
        self._bar.update(
            self._task,
            total=None if share is None else 1.0,
            completed=share or 0.0,
            share="" if share is None else f"{share:.0%}",
            line=line,
        )
