"""Sections of a page (text, tables, pictures), written as Markdown, CSV and PNG."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


@dataclass(frozen=True)
class Table:
    """Rows for the page; the CSV file has `records` instead, if there are any."""

    name: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    records: list[dict[str, Any]] | None = None

    def __post_init__(self) -> None:
        if any(len(row) != len(self.headings) for row in self.rows):
            raise ValueError(f"Table {self.name} has rows that are not as long as its heading.")

    def markdown(self) -> str:
        right = [all(_is_number(row[i]) for row in self.rows) for i in range(len(self.headings))]
        rule = ["---:" if flag else "---" for flag in right]
        lines = [self.headings, rule, *self.rows]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)

    def write_csv(self, path: Path) -> None:
        with path.open("w", newline="", encoding="utf-8") as file:
            if self.records is None:
                writer = csv.writer(file)
                writer.writerow(self.headings)
                writer.writerows(self.rows)
                return
            # All names in any record, in order of appearance.
            names = list(dict.fromkeys(name for record in self.records for name in record))
            table = csv.DictWriter(file, names, restval="")
            table.writeheader()
            table.writerows(self.records)


class Picture(NamedTuple):
    """A matplotlib figure."""

    name: str
    caption: str
    figure: Any


Part = str | Table | Picture


class Section(NamedTuple):
    """A section of the page."""

    title: str
    parts: list[Part]


class Check(NamedTuple):
    """A target and the value found, which is rounded down so that it never looks better.

    >>> Check("ARI of CH", 0.99, 0.98996).row
    ('ARI of CH', '≥ 0.99', '0.9899', '**no**')
    """

    claim: str
    asked: float
    found: float

    @property
    def holds(self) -> bool:
        return self.found >= self.asked

    @property
    def row(self) -> tuple[str, ...]:
        return (
            self.claim,
            f"≥ {self.asked:g}",
            str(Decimal(str(self.found)).quantize(Decimal("0.0001"), ROUND_FLOOR)),
            "yes" if self.holds else "**no**",
        )


def write_page(
    page: Path, folder: Path, title: str, intro: str, sections: Sequence[Section]
) -> None:
    """Write the page, and a folder beside it with a CSV file for each table and the pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    blocks = [f"# {title}", intro]
    for section in sections:
        blocks.append(f"## {section.title}")
        for part in section.parts:
            blocks.append(_written(part, folder))
    # Replace the page atomically.
    draft = folder / "page.part"
    draft.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
    os.replace(draft, page)


def _written(part: Part, folder: Path) -> str:
    if isinstance(part, Table):
        part.write_csv(folder / f"{slug(part.name)}.csv")
        return part.markdown()
    if isinstance(part, Picture):
        path = folder / f"{slug(part.name)}.png"
        # Without date and version, the same picture gives the same bytes.
        part.figure.savefig(path, dpi=110, metadata={"Software": None})
        return f"![{part.caption}]({folder.name}/{path.name})\n\n*{part.caption}*"
    return part


def fixed_text(name: str) -> str:
    """A text from the folder ``prose``, which does not depend on results."""
    return (Path(__file__).parent / "prose" / f"{name}.md").read_text(encoding="utf-8").strip()


def slug(name: str) -> str:
    """A name for a file, also in a link.

    >>> slug("table3, draw 1")
    'table3-draw-1'
    """
    return re.sub(r"[^\w.-]+", "-", name)


def checks_table(name: str, checks: Sequence[Check]) -> Table:
    headings = ("target", "at least", "found", "reached")
    return Table(name, headings, [check.row for check in checks])


def spread(values: Iterable[float], digits: int = 4) -> tuple[str, str, str]:
    """Mean ± standard deviation, least, greatest."""
    a = np.array(list(values), dtype=float)
    deviation = f" ± {a.std(ddof=1):.{digits}f}" if len(a) > 1 else ""
    return f"{a.mean():.{digits}f}{deviation}", f"{a.min():.{digits}f}", f"{a.max():.{digits}f}"


def between(values: Iterable[int]) -> str:
    """
    >>> between([7, 9, 8]), between([7, 7])
    ('7 to 9', '7')
    """
    values = list(values)
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low} to {high}"


def _is_number(text: str) -> bool:
    """Whether to align a cell to the right: empty, or begins with a number."""
    return text in ("", "the same") or text.strip("*`≥ +-")[:1].isdigit()
