"""Ctrl-C and a polite kill: what was learnt so far is kept."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

PATIENCE = 0.1
"""Seconds between two looks at whether to stop, while nothing comes."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopped(Exception):
    """Somebody wants us to end while we wait for input."""


class Stop:
    """Notes the first signal; a second one ends the process at once.

    >>> with Stop() as stop:
    ...     stop.signal
    0
    """

    def __init__(self) -> None:
        self.signal = 0
        self.while_waiting: Callable[[], None] | None = None
        """Called now and then while nothing comes."""
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Stop:
        for number in _SIGNALS:
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.signal:
            raise KeyboardInterrupt
        self.signal = number

    def check(self) -> None:
        if self.signal:
            raise Stopped
        if self.while_waiting is not None:
            self.while_waiting()

    def wait(self) -> None:
        """Until something may have come."""
        self.check()
        time.sleep(PATIENCE)

    def read(self, file: int, size: int, full: bool) -> bytes:
        """Bytes of a pipe: all that are there, or, if `full`, as many as asked for."""
        data: list[bytes] = []
        count = 0
        while count < size:
            self.check()
            ready, _, _ = select.select([file], [], [], PATIENCE if full or not data else 0)
            if not ready:
                if data and not full:
                    break
                continue
            more = os.read(file, size - count)
            if not more:
                break
            data.append(more)
            count += len(more)
        return b"".join(data)
