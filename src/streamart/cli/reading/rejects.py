"""Rows that cannot be used: counted, reported, written, and skipped or fatal."""

from __future__ import annotations

import csv
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import UserError, explain_write_errors
from .parts import Reject

COLUMNS = ("file", "line", "reason", "text")
SHOWN = 5
"""This many are reported one by one."""


class Rejects:
    """What became of all rows that could not be used."""

    def __init__(self, path: Path | None, fatal: bool, append_at: int | None = None) -> None:
        self.count = 0
        self.reasons: Counter[str] = Counter()
        self.first: list[Reject] = []
        self._fatal = fatal
        self._file: Any = None
        if path is not None:
            self._name = f"--rejects: {path}"
            mode = "w" if append_at is None else "r+"
            with explain_write_errors(self._name):
                # A string in JSON may hold half a letter, which has no encoding.
                self._file = open(
                    path, mode, newline="", encoding="utf-8", errors="backslashreplace"
                )
            self._writer = csv.writer(self._file, lineterminator="\n")
            if append_at is None:
                self._writer.writerow(COLUMNS)
                self._flush()
            else:  # what came after the checkpoint will come again
                self._file.seek(append_at)
                self._file.truncate()

    def add(self, rejects: list[Reject]) -> None:
        for reject in rejects:
            self.count += 1
            self.reasons[_kind(reject.reason)] += 1
            if len(self.first) < SHOWN:
                self.first.append(reject)
            if self._file is not None:
                with explain_write_errors(self._name):
                    self._writer.writerow(reject)
            if self._fatal:
                self.close()
                raise UserError(
                    f"{reject.file}, line {reject.line}: {reject.reason}.",
                    "Put it right, or leave such rows out with --on-error skip.",
                )
        if rejects and self._file is not None:
            self._flush()

    def _flush(self) -> None:
        try:
            with explain_write_errors(self._name):
                self._file.flush()
        except UserError:
            self.close()
            raise

    def written(self) -> int | None:
        """Bytes in the file, all of them on their way to the disk."""
        if self._file is None:
            return None
        self._flush()
        return int(self._file.tell())

    def kept(self) -> dict[str, Any]:
        """For a checkpoint."""
        return {
            "count": self.count,
            "reasons": dict(self.reasons),
            "first": [list(reject) for reject in self.first],
            "written": self.written(),
        }

    def restore(self, kept: dict[str, Any]) -> None:
        self.count = kept["count"]
        self.reasons = Counter(kept["reasons"])
        self.first = [Reject(*reject) for reject in kept["first"]]

    def close(self) -> None:
        if self._file is not None:
            with suppress(OSError):  # all was flushed; what could not be written was reported
                self._file.close()
            self._file = None


def _kind(reason: str) -> str:
    """Reasons that differ only in what stood in the cell are one.

    >>> _kind("a is not a number: 'x'")
    'a is not a number'
    """
    return reason.partition(":")[0]
