"""Events as NDJSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...history.events import Event
from ..errors import explain_write_errors


def as_json(event: Event) -> dict[str, Any]:
    """An event; JSON has no NaN, which the index is while there is one cluster."""
    found = event._asdict()
    for name in ("amount", "before", "after"):
        found[name] = found[name] if math.isfinite(found[name]) else None
    return found


class EventFile:
    """Where events are written, if anywhere."""

    def __init__(self, path: Path | None, append_at: int | None = None) -> None:
        self.count = 0
        self._file: Any = None
        if path is None:
            return
        self._name = f"--events: {path}"
        with explain_write_errors(self._name):
            self._file = open(path, "w" if append_at is None else "r+", encoding="utf-8")
        if append_at is not None:  # what came after the checkpoint will come again
            self._file.seek(append_at)
            self._file.truncate()

    def write(self, events: Iterable[Event]) -> None:
        lines = [json.dumps(as_json(event)) + "\n" for event in events]
        self.count += len(lines)
        if self._file is not None:
            with explain_write_errors(self._name):
                self._file.writelines(lines)
                self._file.flush()

    def written(self) -> int | None:
        return None if self._file is None else int(self._file.tell())

    def close(self) -> None:
        if self._file is not None:
            with suppress(OSError):  # all was flushed; what could not be written was reported
                self._file.close()
            self._file = None
