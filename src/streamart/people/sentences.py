"""Events as sentences, and the differences between two models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from ..data.encoding import Columns
from ..history.events import Event
from ..history.ids import shown
from .profiles import Profile, difference

SMALL_MOVE = 0.01
"""Moves of a smaller share of the samples are combined into one line."""
LISTED = 6
"""Clusters created at one moment are listed if there are no more than these."""
SHIFT = 0.5
"""A median has moved if it changed by at least this many spreads."""


def sentences(
    events: Sequence[Event],
    times: Mapping[int, str],
    profiles: Sequence[Profile],
    samples: int,
) -> list[str]:
    """Events as sentences, oldest first; `times` has the known times of samples.

    >>> event = Event(0, 9, "split", (3, 14), 40.0, 1.0, 2.0)
    >>> sentences([event], {9: "10:32"}, [], 100)
    ['10:32: #14 was split off from #3 (40 samples)']
    """
    known = {profile.id: profile for profile in profiles}

    def when(event: Event) -> str:
        return times.get(event.sample) or f"sample {event.sample}"

    def line_of(event: Event) -> str:
        why = _what_is_new(event, known)
        return f"{when(event)}: {str(event).partition(': ')[2]}{why and f': {why}'}"

    lines: list[str] = []
    for kind, group in groupby(events, lambda event: _folded(event, samples)):
        several = list(group)
        if kind == "small moves":
            count = "1 small move" if len(several) == 1 else f"{len(several):,} small moves"
            moved = sum(event.amount for event in several)
            lines.append(f"{count} between clusters ({moved:,.10g} samples)")
        elif kind.startswith("created") and len(several) > LISTED:
            ids = ", ".join(shown(event.ids[0]) for event in several[:3])
            lines.append(
                f"{when(several[0])}: {len(several):,} clusters were created "
                f"({ids} and {len(several) - 3:,} more)"
            )
        else:
            lines += [line_of(event) for event in several]
    return lines


def _folded(event: Event, samples: int) -> str:
    """Neighbouring events for which this is the same may be one line."""
    if event.kind == "moved" and event.amount < SMALL_MOVE * samples:
        return "small moves"
    return f"{event.kind} {event.sample}"


def _what_is_new(event: Event, known: Mapping[int, Profile]) -> str:
    """How a new cluster differs from the one it was split from, or from all others."""
    if event.kind not in ("created", "split") or event.ids[-1] not in known:
        return ""
    fresh, parent = known[event.ids[-1]], known.get(event.ids[0])
    if event.kind == "split" and parent is not None:
        return difference(fresh, parent)
    return fresh.clear[0].short if fresh.clear else ""


def differences(old: Any, new: Any) -> list[str]:
    """What has become of the clusters of a model in a later one, as sentences."""
    _check_same_model(old, new)
    before = {profile.id: profile for profile in old.profiles()}
    after = {profile.id: profile for profile in new.profiles()}
    successors, names = new.aliases_, new.names_
    lines = [
        f"{len(before)} cluster{'' if len(before) == 1 else 's'} of {old.n_samples_seen_:,} "
        f"samples before, {len(after)} of {new.n_samples_seen_:,} after"
    ]
    for i, profile in before.items():
        if i not in after:
            end = f"is now in {shown(successors[i])}" if i in successors else "is gone"
            lines.append(f"{_called(profile)} {end}")
    for i, profile in after.items():
        if i not in before:
            lines.append(
                f"{_called(profile)} is new, with {profile.size:,} samples: {profile.words}"
            )
    for i in (i for i in before if i in after):
        lines += _changes(before[i], after[i], names)
    if len(lines) == 1:
        lines.append("No cluster has changed.")
    return lines


def _check_same_model(old: Any, new: Any) -> None:
    """As far as can be seen: the same columns, and no fewer samples."""
    learnt, here = ([c.name for c in Columns.of_model(model).used] for model in (old, new))
    if learnt != here:
        missing = next(
            (name for name in (*learnt, *here) if name not in learnt or name not in here), ""
        )
        raise ValueError(
            f"only one of them has learnt the column {missing!r}."
            if missing
            else "they have learnt their columns in different order."
        )
    if new.n_samples_seen_ < old.n_samples_seen_:
        raise ValueError(
            f"it has seen {new.n_samples_seen_:,} samples, the other {old.n_samples_seen_:,}."
        )


def _changes(before: Profile, after: Profile, names: Mapping[int, str]) -> list[str]:
    found = []
    if before.name != after.name:
        now = names.get(after.id)
        found.append(f"is now called {now}" if now else "no longer has a name")
    if before.size != after.size:
        found.append(f"{before.size:,} samples became {after.size:,} ({after.share:.1%})")
    features = {feature.name: feature for feature in before.features}
    for feature in after.features:
        old = features.get(feature.name)
        if old is None:
            continue
        unit = max(old.spread, feature.spread)
        if unit > 0 and abs(feature.middle - old.middle) > SHIFT * unit:
            found.append(f"{feature.name} went from {old.middle:,.4g} to {feature.middle:,.4g}")
    return [f"{_called(before)}: {'; '.join(found)}"] if found else []


def _called(profile: Profile) -> str:
    return f"{shown(profile.id)} ({profile.name})" if profile.name else shown(profile.id)
