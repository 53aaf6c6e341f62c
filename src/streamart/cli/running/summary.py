"""What came out: for people as a table, for programs as JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import __version__
from ...data.encoding import Columns
from ...estimators.stream_art import StreamART
from ...history.events import Event
from ...history.ids import shown
from ...icvi.registry import BY_NAME
from ...people.sentences import sentences
from ..talk import WIDTH
from .models import index_of, method_of

LISTED = 25
"""Clusters in the table; the largest come first."""
ENDED_LISTED = 3
"""Clusters that have ended are listed if there are no more than these."""


def describe_model(
    model: Any, first: dict[int, int] | None = None, last: dict[int, int] | None = None
) -> dict[str, Any]:
    """Everything that can be said of a model, ready for JSON.

    `first`, `last`: the samples that clusters were first and last seen with, where that is known
    better than by the model.
    """
    ids, clusters, categories = model.cluster_ids_, model.clusters_, model.categories_
    names, n = model.names_, model.n_samples_seen_
    derived = isinstance(model, StreamART)  # whose categories know when they were fed
    known_first = first_seen(model.events_) if first is None and not derived else first or {}
    profiles = {profile.id: profile for profile in model.profiles()}
    notes = model.__dict__.get("notes_", {})
    rows = []
    for place in np.argsort(-clusters.n, kind="stable").tolist():
        i = int(ids[place])
        mine = categories.cluster == place
        latest = n - int(categories.inactivity[mine].min()) if mine.any() else None
        seen_last = latest if last is None else last.get(i, latest)
        # A cluster may have been noticed, and its id given out, after its samples came.
        profile = profiles[i]
        if derived:
            latest = profile.last
            seen_last = latest if last is None else last.get(i, latest)
        seen_first = known_first.get(i, profile.first if derived else None)
        if seen_first is not None and seen_last is not None:
            seen_first = min(seen_first, seen_last)
        rows.append(
            {
                "id": i,
                "name": names.get(i),
                "suggested_name": profile.suggested,
                "words": profile.words,
                "size": int(clusters.n[place]),
                "first_seen": seen_first,
                "last_seen": seen_last,
                "spread": float(np.sqrt(clusters.cp[place] / clusters.n[place])),
                "mean": clusters.mean[place].tolist(),
                "categories": int(clusters.n_categories[place]),
                "profile": [
                    {
                        "feature": feature.name,
                        "effect": _finite(feature.effect),
                        "words": feature.words,
                        "middle": feature.middle,
                        "spread": feature.spread,
                        "elsewhere": feature.elsewhere,
                        "elsewhere_spread": feature.elsewhere_spread,
                    }
                    for feature in profile.features
                ],
                "first_time": _time(notes, seen_first),
                "last_time": _time(notes, seen_last),
                "typical": [_row(notes, number) for number in profile.typical],
                "unusual": [_row(notes, number) for number in profile.unusual],
            }
        )
    return {
        "streamart": __version__,
        "method": method_of(model),
        "parameters": plain_params(model),
        "samples": n,
        "features": Columns.of_model(model).features,
        "columns": [
            {"name": c.name, "kind": c.kind, "reason": c.reason, "used": c.used}
            for c in Columns.of_model(model)
        ],
        "n_clusters": len(ids),
        "n_clusters_at_detail": _numbers_at_detail(model),
        "n_categories": model.n_categories_,
        "index": {"name": index_of(model), "value": _finite(model.icvi_value_)},
        "clusters": rows,
        "aliases": {str(old): new for old, new in model.aliases_.items()},
    }


def _time(notes: dict[int, list[str | None]], number: int | None) -> str | None:
    return notes[number][1] if number in notes else None


def _row(notes: dict[int, list[str | None]], number: int) -> str:
    """What the caller calls a sample, or its number."""
    return (notes[number][0] if number in notes else None) or f"row {number}"


def first_seen(events: Sequence[Event]) -> dict[int, int]:
    """When clusters came into being, as far as the events tell."""
    found: dict[int, int] = {}
    for event in events:
        if event.kind == "created":
            found[event.ids[0]] = event.sample
        elif event.kind == "split":
            found[event.ids[1]] = event.sample
        elif event.kind in ("merged", "pruned"):
            gone, heir = event.ids
            if gone in found:
                found[heir] = min(found[gone], found.get(heir, found[gone]))
    return found


def plain_params(model: Any) -> dict[str, Any]:
    """Parameters as JSON can have them."""
    params = model.get_params()
    plain = {}
    for name, value in params.items():
        ready = isinstance(value, str | int | float | bool | type(None))
        if isinstance(value, tuple | list):
            value, ready = list(value), True
        plain[name] = value if ready else repr(value)
    return {name: value for name, value in plain.items() if not name.startswith("record_")}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


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


def _numbers_at_detail(model: Any) -> dict[str, int] | None:
    """How many clusters there would be; nothing for a model that has no such choice."""
    found = getattr(model, "n_clusters_at_detail_", None)
    if found is None:
        return None
    return dict(zip(("coarser", "now", "finer"), found.values(), strict=True))


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


def told(model: Any, events: Sequence[Event]) -> list[str]:
    """Events in sentences, with the time of each where the data have one."""
    notes = model.__dict__.get("notes_", {})
    times = {number: time for number, (_, time) in notes.items() if time}
    return sentences(events, times, model.profiles(), model.n_samples_seen_)
