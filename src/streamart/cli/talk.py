"""What is said to the user: messages to standard error, so that standard output is for results."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from .errors import MISUSED, UserError
from .reading.reader import Reader
from .reading.rejects import Rejects

_SHOWN = 8  # columns that are named


class Talk:
    """Messages, unless it is to be quiet; results as text or as JSON."""

    def __init__(self, quiet: bool = False, as_json: bool = False) -> None:
        from rich.console import Console

        self.errors = Console(stderr=True, highlight=False, soft_wrap=True)
        self.results = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
        self.quiet = quiet
        self.as_json = as_json

    @property
    def chatty(self) -> bool:
        return not (self.quiet or self.as_json)

    def note(self, text: str) -> None:
        if self.chatty:
            self.errors.print(text, markup=False)

    def print_json(self, document: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(document, indent=2) + "\n")
        sys.stdout.flush()

    def check_labels_to(self, out: str | None) -> None:
        """Labels may go to standard output, if nothing else does."""
        if out == "-" and self.as_json:
            raise UserError(
                "Labels and --json both want standard output.",
                "Write labels to a file: --out.",
                MISUSED,
            )

    def layouts(self, reader: Reader) -> None:
        """How the input is read, as far as it was guessed."""
        shown = set()
        for source, layout in zip(reader.sources, reader.layouts, strict=True):
            if layout.described in shown:
                continue
            shown.add(layout.described)
            self.note(f"{source.name}: {layout.described}")
        if len(reader.sources) > 1:
            self.note(f"{len(reader.sources)} files, read in this order")
        used = set(reader.wanted.all())
        left = [name for i, name in enumerate(reader.first.names) if i not in used]
        self.note(
            f"features: {_listed(reader.features)}"
            + (f"; not used: {_listed(left)}" if left else "")
        )

    def rejects(self, rejects: Rejects, path: str | None) -> None:
        """Rows that could not be used; never in silence, unless asked for it."""
        if not rejects.count:
            return
        rows = "1 row" if rejects.count == 1 else f"{rejects.count:,} rows"
        reasons = ", ".join(f"{reason} ({n:,})" for reason, n in rejects.reasons.most_common(5))
        self.note(f"{rows} could not be used: {reasons}")
        for reject in rejects.first:
            self.note(f"  {reject.file}, line {reject.line}: {reject.reason}")
        if rejects.count > len(rejects.first):
            where = f"all are in {path}" if path else "--rejects FILE writes all"
            self.note(f"  ... and {rejects.count - len(rejects.first):,} more; {where}")


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
