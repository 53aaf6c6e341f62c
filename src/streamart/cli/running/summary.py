"""What came out, for people: a headline, a table, sentences. `report.describe` has it as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...history.events import Event
from ...history.ids import shown
from ...people.sentences import sentences
from ...validity.registration import BY_NAME
from ..talk import WIDTH

LISTED = 25
"""Clusters in the table; the largest come first."""
ENDED_LISTED = 3
"""Clusters that have ended are listed if there are no more than these."""


def print_clusters(console: Any, summary: dict[str, Any]) -> None:
    """The table of clusters, the largest first, and what tells each apart."""
    from rich.table import Table

    rows = summary["clusters"]
    wide = min(console.width, WIDTH)
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0), width=wide)
    table.add_column("cluster", justify="right", no_wrap=True)
    table.add_column("name", overflow="fold", ratio=2)
    for heading in ("size", "share"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("what tells it apart", overflow="fold", ratio=3)
    for row in rows[:LISTED]:
        name = row["name"] or f"[dim]{_plain(row['suggested_name'])}?[/dim]"
        table.add_row(
            shown(row["id"]),
            _plain(row["name"]) if row["name"] else name,
            f"{row['size']:,}",
            f"{row['size'] / summary['samples']:.1%}",
            _plain(row["words"]),
        )
    console.print(table)
    if len(rows) > LISTED:
        rest = sum(row["size"] for row in rows[LISTED:])
        console.print(
            f"... and {len(rows) - LISTED} smaller ones with {rest:,} samples (--json has all)"
        )


def _plain(text: str) -> str:
    """Names may hold what rich takes for markup."""
    from rich.markup import escape

    return escape(text)


def headline(summary: dict[str, Any]) -> str:
    index, numbers = summary["index"], summary["n_clusters_at_detail"]
    value = "undefined" if index["value"] is None else short(index["value"])
    others = f" (coarser: {numbers['coarser']}, finer: {numbers['finer']})" if numbers else ""
    return (
        f"{_counted(summary['n_clusters'], 'cluster')} of "
        f"{_counted(summary['samples'], 'sample')}{others}, "
        f"{_counted(summary['n_categories'], 'category', 'categories')}, "
        f"{BY_NAME[index['name']].title} index {value}"
    )


def ended(summary: dict[str, Any]) -> str:
    """One line on clusters that are no more."""
    gone = [f"#{old} is now in {shown(new)}" for old, new in summary["aliases"].items()]
    if len(gone) > ENDED_LISTED:
        return f"{len(gone):,} clusters have ended and are now in others."
    return f"Ended: {', '.join(gone)}." if gone else ""


def short(value: float) -> str:
    """A number in a table.

    >>> [short(value) for value in (0.0, 1234567.0, 3.14159, 1e-9)]
    ['0', '1,235,000', '3.142', '1e-09']
    """
    rounded = float(f"{value:.4g}")
    if abs(rounded) < 1e12 and rounded == int(rounded):
        return f"{int(rounded):,}"
    return f"{rounded:.4g}"


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def sentences_of(model: Any, events: Sequence[Event]) -> list[str]:
    """Events in sentences, with the time of each where the data have one."""
    notes = model.__dict__.get("notes_", {})
    times = {number: time for number, (_, time) in notes.items() if time}
    return sentences(events, times, model.profiles(), model.n_samples_seen_)
