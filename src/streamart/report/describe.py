"""Everything that can be said of a model, as JSON: for the summary of a run and the report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import __version__
from ..data.encoding import Columns
from ..estimators.network import ICVITopoARTMAP
from ..estimators.stream_art import StreamART
from ..history.events import Event
from ..icvi.registry import BY_NAME

Notes = Mapping[int, Sequence[str | None]]
"""By the number of a sample: what the caller calls it, and its time."""
METHODS = {"streamart": StreamART, "topoartmap": ICVITopoARTMAP}


def method_of(model: Any) -> str:
    return next(name for name, kind in METHODS.items() if isinstance(model, kind))


def index_of(model: Any) -> str:
    """Name of the index whose value the model tells."""
    named = "ch" if isinstance(model, StreamART) else model.icvi
    return named if named in BY_NAME else "ch"


def describe_model(
    model: Any,
    first: dict[int, int] | None = None,
    last: dict[int, int] | None = None,
    notes: Notes | None = None,
) -> dict[str, Any]:
    """Everything that can be said of a model, ready for JSON.

    `first`, `last`: the samples that clusters were first and last seen with, where that is known
    better than by the model. `notes`: what the caller calls samples, and their times; by default
    those that the model keeps.
    """
    ids, clusters, categories = model.cluster_ids_, model.clusters_, model.categories_
    names, n = model.names_, model.n_samples_seen_
    derived = isinstance(model, StreamART)  # whose categories know when they were fed
    known_first = first_seen(model.events_) if first is None and not derived else first or {}
    profiles = {profile.id: profile for profile in model.profiles()}
    notes = model.__dict__.get("notes_", {}) if notes is None else notes
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


def _time(notes: Notes, number: int | None) -> str | None:
    return notes[number][1] if number is not None and number in notes else None


def _row(notes: Notes, number: int) -> str:
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
            gone, successor = event.ids
            if gone in found:
                found[successor] = min(found[gone], found.get(successor, found[gone]))
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


def _numbers_at_detail(model: Any) -> dict[str, int] | None:
    """How many clusters there would be; nothing for a model that has no such choice."""
    found = getattr(model, "n_clusters_at_detail_", None)
    if found is None:
        return None
    return dict(zip(("coarser", "now", "finer"), found.values(), strict=True))
