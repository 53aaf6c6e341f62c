"""What is said to the user: messages to standard error, so that standard output is for results."""

from __future__ import annotations

import json
import sys
from typing import Any

from .errors import MISUSED, UserError
from .reading.reader import Reader
from .reading.rejects import Rejects

_SHOWN = 24  # lines of columns
WIDTH = 80
"""Letters in a line of a table."""


class Talk:
    """Messages, unless it is to be quiet; results as text or as JSON."""

    def __init__(self, quiet: bool = False, as_json: bool = False) -> None:
        from rich.console import Console

        self.errors = Console(stderr=True, highlight=False, soft_wrap=True)
        self.results = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
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
        if self.chatty:
            print_columns(self.errors, reader)

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


def print_columns(console: Any, reader: Reader) -> None:
    """What the columns are, and why. Those of a kind that stand side by side are one line."""
    from rich.markup import escape
    from rich.table import Table

    wide = min(console.width, WIDTH)
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0), width=wide)
    table.add_column("column", overflow="fold", max_width=28)
    table.add_column("read as", no_wrap=True)
    table.add_column("because", overflow="fold", ratio=1)
    groups: list[list[Any]] = []
    here = set(reader.first.names)
    for column in reader.columns:
        if not column.used and column.name not in here:
            continue  # left out of what the model learnt before
        same = groups and groups[-1][0][1:4] == column[1:4]
        if same:
            groups[-1].append(column)
        else:
            groups.append([column])
    for group in groups[:_SHOWN]:
        names = [column.name for column in group]
        several = (
            f"{names[0]} ... {names[-1]} ({len(names)})" if len(names) > 3 else ", ".join(names)
        )
        kind, reason, used = group[0][1:4]
        shown = reason if used or kind == "left out" else f"{reason}; left out"
        table.add_row(escape(several), kind if used else f"[dim]{kind}[/dim]", escape(shown))
    console.print(table, soft_wrap=False, crop=True)
    if len(groups) > _SHOWN:
        rest = sum(len(group) for group in groups[_SHOWN:])
        console.print(f"... and {rest:,} more columns")
