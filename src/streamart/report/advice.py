"""What the report tells beside its pictures: what changed, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..estimators.mixed_tables import doubts_of_columns
from ..estimators.stream_art import StreamART
from ..history.events import Event
from ..history.ids import shown
from ..people.sentences import sentences
from .describe import Notes
from .record import Record

LATEST = 40
"""Sentences on what changed."""
MOMENTS = 40
"""Of a cluster's size over time."""
MERGERS = 3
"""Mergers that are suggested at most."""
FEW = 40
"""Of more clusters, it takes too long to ask about every pair."""
HARDLY_WORSE = 0.05
"""A merger is suggested if the index gets worse by no greater share."""


def sizes_over_time(record: Record) -> dict[str, Any]:
    """Sizes of the present clusters at some moments; null while there was none."""
    shots = record.snapshots
    if not shots:
        return {"n": [], "of": {}}
    chosen = np.unique(np.linspace(0, len(shots) - 1, min(MOMENTS, len(shots))).astype(int))
    shots = [shots[at] for at in chosen.tolist()]
    living = shots[-1].ids.tolist()
    known = [dict(zip(shot.ids.tolist(), shot.sizes.tolist(), strict=True)) for shot in shots]
    sizes = {str(i): [column.get(i) for column in known] for i in living}
    return {"n": [shot.n for shot in shots], "of": sizes}


def news_of(model: Any, events: Sequence[Event], notes: Notes | None = None) -> list[str]:
    """What changed, the latest first."""
    kept = [event for event in events if not event.kind.startswith(("vigilance", "compressed"))]
    notes = model.__dict__.get("notes_", {}) if notes is None else notes
    times = {number: time for number, (_, time) in notes.items() if time}
    lines = sentences(kept, times, model.profiles(), model.n_samples_seen_)
    return lines[: -LATEST - 1 : -1]


def advice_of(model: Any, summary: dict[str, Any]) -> list[str]:
    """What somebody might do next, in sentences."""
    found = []
    now = summary["index"]["value"]
    for suggestion in model.merge_suggestions(MERGERS) if 2 < model.n_clusters_ <= FEW else ():
        if now and suggestion.cost <= HARDLY_WORSE * abs(now):
            a, b = suggestion.first, suggestion.second
            found.append(
                f"{shown(a)} and {shown(b)} might be one: to merge them hardly changes the index. "
                f"If they are: streamart merge MODEL {a} {b}"
            )
    if isinstance(model, StreamART):
        small = [shown(i) for i in model.small_clusters_.tolist()]
        if small:
            more = f" and {len(small) - 8} more" if len(small) > 8 else ""
            found.append(
                f"Too small to trust: {', '.join(small[:8])}{more}. They may be outliers; more "
                "data will tell."
            )
        found += doubts_of_columns(model)
    found += _set_aside(model, summary)
    unnamed = sum(1 for cluster in summary["clusters"] if not cluster["name"])
    if unnamed and summary["n_clusters"] > 1:
        first = next(c for c in summary["clusters"] if not c["name"])
        found.append(
            f"{unnamed} of {summary['n_clusters']} clusters have no name yet. Look at the cards, "
            f"and name them: streamart rename MODEL {first['id']} '{first['suggested_name']}'"
        )
    return found


def _set_aside(model: Any, summary: dict[str, Any]) -> list[str]:
    """Rows that were not learnt, by reason, each with an example."""
    run = summary.get("run")
    if run is None:
        count = getattr(model, "n_set_aside_", 0)
        return [f"{_rows(count)} set aside: half of the values or more are missing."] * bool(count)
    lines = []
    for reason, count in run["reject_reasons"].items():
        place = next((at for at, why in run["first_rejects"] if why.startswith(reason)), "")
        example = f" (such as {place})" if place and count > 1 else f" ({place})" if place else ""
        lines.append(f"{_rows(count)} set aside: {reason}{example}.")
    return [*lines, "All rows that were set aside: --rejects FILE writes them."] if lines else []


def _rows(count: int) -> str:
    return "1 row was" if count == 1 else f"{count:,} rows were"
