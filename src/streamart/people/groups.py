"""Groups of hinted samples in a network, and how its clusters are changed to satisfy the hints.

The functions take a state and the book of hints, and change the state. Those that may need larger
arrays return the state to go on with.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ..core.corrections import detach_marked, merge_two, settle
from ..icvi.state import LIVE, State, grown, moved, room_of
from ..views import labels_of, rows_of
from .hints import HintBook
from .plan import Plan
from .relabel import relabel

Flags = NDArray[np.bool_]


def with_classes(state: State, count: int) -> State:
    """The state with room for this number of supervised classes and groups."""
    if count <= len(state.classes):
        return state
    return moved(state, room_of(state)._replace(classes=count))


def anchor(state: State, plan: Plan) -> State:
    """Anchor the first categories of the groups of a plan, and drop groups that were undone."""
    groups = plan.book.groups
    state = with_classes(state, max(groups, default=-1) + 1)
    for group, rows in plan.anchors.items():
        state.cat["group"][rows] = group
    state.cat["group"][~np.isin(state.cat["group"], groups)] = -1
    return state


def hold(state: State, plan: Plan, labels: Iterable[int]) -> State:
    """Change the clusters so that all hints hold; `labels` are rows of supervised classes."""
    book = plan.book
    state = anchor(state, plan)
    free = ~np.isin(np.arange(len(state.classes)), [*book.groups, *labels])
    state.classes["anchored"][book.groups] = 1
    state.classes["anchored"][free] = 0  # of groups that were undone
    state.classes["cluster"][free] = -1
    if book.any_apart and not room_of(state).apart:
        state = moved(state, room_of(state)._replace(apart=True))
    # Categories that are no longer anchored may be moved and compressed.
    state.clu["changed"] = 1
    state.now[0]["boxes_changed"] = 1
    find_groups(book, state)
    while (pair := _torn(book, state)) is not None:
        state = _join_groups(book, state, *pair)
    while (crowded := _crowded(book, state)) is not None:
        state = detach(state, np.isin(state.cat["group"], _same(book, crowded)))
        settle(state)
        find_groups(book, state)
    write_apart(book, state)
    return state


def find_groups(book: HintBook, state: State) -> None:
    """Set ``classes["cluster"]`` of all groups to the cluster of their categories."""
    rows = rows_of(state)
    where = dict(
        zip(state.cat["group"][rows].tolist(), state.label[LIVE, rows].tolist(), strict=True)
    )
    of_root: dict[int, int] = {}
    for group in book.groups:
        if group in where:
            of_root.setdefault(book.root(group), where[group])
    for group in book.groups:
        state.classes[group]["cluster"] = where.get(group, of_root.get(book.root(group), -1))


def write_apart(book: HintBook, state: State) -> None:
    """Note which clusters must not merge, because of their groups."""
    if not room_of(state).apart:
        return
    table = state.apart[LIVE]
    table[:] = 0.0
    placed = [group for group in book.groups if state.classes[group]["cluster"] >= 0]
    for at, group in enumerate(placed):
        for other in placed[:at]:
            if book.are_apart(group, other):
                i, j = state.classes[group]["cluster"], state.classes[other]["cluster"]
                table[i, j] = table[j, i] = 1.0


def are_clusters_apart(book: HintBook, state: State, i: int, j: int) -> bool:
    """Whether hints keep the clusters at positions i and j apart."""
    places = state.classes["cluster"]
    placed = [group for group in book.groups if group < len(places)]
    here = [group for group in placed if places[group] == i]
    there = [group for group in placed if places[group] == j]
    return any(book.are_apart(a, b) for a in here for b in there)


def detach(state: State, leaves: Flags) -> State:
    """Move the categories in these rows to a new cluster. Ids are not settled here."""
    state = with_room_for_cluster(state)
    state.cat["mark"][: len(leaves)] = leaves
    if room_of(state).plain:
        rows = rows_of(state)
        labels = np.where(leaves[rows], state.now[0]["k"], state.label[LIVE, rows])
        relabel(state, labels, math.nan)
    else:
        detach_marked(state)
    return state


def merge_places(state: State, i: int, j: int) -> None:
    """Merge the clusters at positions i < j, at position i."""
    if room_of(state).plain:
        labels = labels_of(state)
        labels = np.where(labels == j, i, labels - (labels > j))
        relabel(state, labels, math.nan)
        settle(state)
    else:
        merge_two(state, i, j)


def with_room_for_cluster(state: State) -> State:
    """The state with room for another cluster and its id."""
    now, room = state.now[0], room_of(state)
    while now["k"] + 2 > room.clusters or now["ids"] + room.clusters > room.ids:
        state = grown(state)
        now, room = state.now[0], room_of(state)
    return state


def _same(book: HintBook, group: int) -> list[int]:
    """All groups known to be together with this one."""
    return [other for other in book.groups if book.root(other) == book.root(group)]


def _torn(book: HintBook, state: State) -> tuple[int, int] | None:
    """Two groups that must be together and are not, if there are any."""
    seen: dict[int, int] = {}
    for group in book.groups:
        place = state.classes[group]["cluster"]
        if place >= 0:
            other = seen.setdefault(book.root(group), group)
            if state.classes[other]["cluster"] != place:
                return other, group
    return None


def _crowded(book: HintBook, state: State) -> int | None:
    """A group in the same cluster as another from which it must be apart, if there is one."""
    at: dict[int, list[int]] = {}
    for group in book.groups:
        place = int(state.classes[group]["cluster"])
        if place >= 0:
            for other in at.setdefault(place, []):
                if book.are_apart(group, other):
                    return group
            at[place].append(group)
    return None


def _join_groups(book: HintBook, state: State, a: int, b: int) -> State:
    """Merge the clusters of two groups or, if other hints forbid that, move both groups out."""
    i, j = sorted(int(state.classes[group]["cluster"]) for group in (a, b))
    if are_clusters_apart(book, state, i, j):
        state = detach(state, np.isin(state.cat["group"], _same(book, a)))
        settle(state)
    else:
        merge_places(state, i, j)
    find_groups(book, state)
    return state
