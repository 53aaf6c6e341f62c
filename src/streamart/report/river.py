"""The river of clusters: how wide each was at any time, where it sprang from and flowed into.

Columns are moments; in each, the clusters stand on one another, as high as their share of all
samples so far. Relatives stand beside each other, so that what parts or joins does not cross the
whole picture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .record import End, Origin, Snapshot

BANDS = 30
"""Clusters shown by themselves; the others, which were always smaller, are one band."""
COLUMNS = 80
OTHERS = -1
_GAP = 0.012
_GAPS = 0.3
"""Height of a gap between two bands, and of all gaps together at most."""


class Band(NamedTuple):
    """One cluster."""

    id: int
    first: int
    """Its first column."""
    low: list[float]
    high: list[float]
    sizes: list[int]


class Ribbon(NamedTuple):
    """From one column to the next, out of a band or into another."""

    kind: str
    source: int
    target: int
    column: int
    low: tuple[float, float]
    high: tuple[float, float]


class River(NamedTuple):
    columns: list[int]
    bands: list[Band]
    ribbons: list[Ribbon]
    hidden: int
    """Clusters in the band of others."""


def river_of(
    snapshots: Sequence[Snapshot], origins: Mapping[int, Origin], ends: Mapping[int, End]
) -> River:
    """Lay out the river."""
    shots = _chosen(snapshots)
    sizes = [dict(zip(shot.ids.tolist(), shot.sizes.tolist(), strict=True)) for shot in shots]
    peak: dict[int, float] = {}
    for shot, column in zip(shots, sizes, strict=True):
        for i, size in column.items():
            peak[i] = max(peak.get(i, 0.0), size / max(1, shot.n))
    shown = set(sorted(peak, key=lambda i: (-peak[i], i))[:BANDS])
    order = _by_family(shown, origins, ends)
    if len(shown) < len(peak):
        order = [*order, OTHERS]
    extents = [_stacked(column, order, shown) for column in sizes]
    bands = [_band(i, extents, sizes, shown) for i in order]
    return River(
        [shot.n for shot in shots],
        bands,
        _ribbons(order, extents, sizes, origins, ends, shown),
        len(peak) - len(shown),
    )


def _chosen(snapshots: Sequence[Snapshot]) -> list[Snapshot]:
    if len(snapshots) <= COLUMNS:
        return list(snapshots)
    places = np.unique(np.linspace(0, len(snapshots) - 1, COLUMNS).round().astype(int))
    return [snapshots[place] for place in places.tolist()]


def _by_family(
    shown: set[int], origins: Mapping[int, Origin], ends: Mapping[int, End]
) -> list[int]:
    """Children of a cluster right after it: what split off from it, and what will flow into it."""
    above: dict[int, int] = {}

    def leads_to(start: int, wanted: int) -> bool:
        while start in above:
            start = above[start]
            if start == wanted:
                return True
        return start == wanted

    for i in sorted(shown):
        parent = origins[i].parent if i in origins else -1
        successor = ends[i].successor if i in ends else -1
        for relative in (parent, successor):
            if relative in shown and not leads_to(relative, i):
                above[i] = relative
                break
    children: dict[int, list[int]] = {i: [] for i in shown}
    for i, relative in above.items():
        children[relative].append(i)
    order: list[int] = []
    waiting = sorted((i for i in shown if i not in above), reverse=True)
    while waiting:
        i = waiting.pop()
        order.append(i)
        waiting.extend(sorted(children[i], reverse=True))
    return order


def _stacked(
    column: Mapping[int, int], order: Sequence[int], shown: set[int]
) -> dict[int, tuple[float, float]]:
    """Lower and upper edge of each band in a column, from 0 to 1."""
    others = sum(size for i, size in column.items() if i not in shown)
    amounts = {i: others if i == OTHERS else column.get(i, 0) for i in order}
    total = max(1, sum(amounts.values()))
    there = [i for i in order if amounts[i]]
    gap = min(_GAP, _GAPS / len(there))
    scale = (1 - gap * (len(there) - 1)) / total
    found, at = {}, 0.0
    for i in there:
        high = at + amounts[i] * scale
        found[i] = (at, high)
        at = high + gap
    return found


def _band(
    i: int,
    extents: Sequence[Mapping[int, tuple[float, float]]],
    sizes: Sequence[Mapping[int, int]],
    shown: set[int],
) -> Band:
    there = [column for column, extent in enumerate(extents) if i in extent]
    first, last = there[0], there[-1]
    low: list[float] = []
    high: list[float] = []
    amounts: list[int] = []
    for column in range(first, last + 1):
        # Between two columns where it is, a cluster may be missing (of the others, all may).
        edge = extents[column].get(i) or (low[-1], low[-1])
        low.append(edge[0])
        high.append(edge[1])
        here = sizes[column]
        others = sum(size for j, size in here.items() if j not in shown)
        amounts.append(others if i == OTHERS else here.get(i, 0))
    return Band(i, first, low, high, amounts)


def _ribbons(
    order: Sequence[int],
    extents: Sequence[dict[int, tuple[float, float]]],
    sizes: Sequence[Mapping[int, int]],
    origins: Mapping[int, Origin],
    ends: Mapping[int, End],
    shown: set[int],
) -> list[Ribbon]:
    found = []
    for i in order:
        if i == OTHERS:
            continue
        there = [column for column, extent in enumerate(extents) if i in extent]
        first, last = there[0], there[-1]
        if first > 0:
            parent = _ancestor(i, origins, extents[first - 1])
            if parent is not None:
                low, high = extents[first][i]
                part = _share_of(extents[first - 1][parent], (low, high), high - low)
                found.append(Ribbon("split", parent, i, first - 1, (part[0], low), (part[1], high)))
        if last + 1 < len(extents):
            successor = _descendant(i, ends, extents[last + 1])
            if successor is not None:
                low, high = extents[last][i]
                part = _share_of(extents[last + 1][successor], (low, high), high - low)
                found.append(Ribbon("merged", i, successor, last, (low, part[0]), (high, part[1])))
    return found


def _ancestor(i: int, origins: Mapping[int, Origin], there: Mapping[int, Any]) -> int | None:
    """The nearest one that is in a column: those between came and went unseen."""
    seen: set[int] = set()
    while i in origins and origins[i].parent >= 0 and i not in seen:
        seen.add(i)
        i = origins[i].parent
        if i in there:
            return i
    return None


def _descendant(i: int, ends: Mapping[int, End], there: Mapping[int, Any]) -> int | None:
    seen: set[int] = set()
    while i in ends and i not in seen:
        seen.add(i)
        i = ends[i].successor
        if i in there:
            return i
    return None


def _share_of(
    whole: tuple[float, float], beside: tuple[float, float], height: float
) -> tuple[float, float]:
    """A part of a band, at the side where the other one is."""
    height = min(height, whole[1] - whole[0])
    if beside[0] >= whole[0]:
        return whole[1] - height, whole[1]
    return whole[0], whole[0] + height
