"""Events as sentences, and the differences between two models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..history.events import Event
from ..history.ids import shown
from .profiles import Profile, difference

SMALL_MOVE = 0.01
"""Moves of a smaller share of the samples are combined into one line."""
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
    lines: list[str] = []
    moves, moved = 0, 0.0

    def end_of_moves() -> None:
        nonlocal moves, moved
        if moves:
            several = "1 small move" if moves == 1 else f"{moves:,} small moves"
            lines.append(f"{several} between clusters ({moved:,.10g} samples)")
        moves, moved = 0, 0.0

    for event in events:
        if event.kind == "moved" and event.amount < SMALL_MOVE * samples:
            moves, moved = moves + 1, moved + event.amount
            continue
        end_of_moves()
        when, _, what = str(event).partition(": ")
        why = _what_is_new(event, known)
        lines.append(f"{times.get(event.sample) or when}: {what}{why and f': {why}'}")
    end_of_moves()
    return lines


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
    before = {profile.id: profile for profile in old.profiles()}
    after = {profile.id: profile for profile in new.profiles()}
    successors, names = new.aliases_, new.names_
    lines = [
        f"{len(before)} clusters of {old.n_samples_seen_:,} samples before, "
        f"{len(after)} of {new.n_samples_seen_:,} after"
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


def _changes(before: Profile, after: Profile, names: Mapping[int, str]) -> list[str]:
    found = []
    if before.name != after.name:
        found.append(
            f"is now called {names.get(after.id) or 'nothing'}, not {before.name or 'nothing'}"
        )
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
