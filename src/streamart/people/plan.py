"""Plan for the hints of a batch: which groups there will be, and with which categories they begin.

This module reads the state, the book of hints and the names, and changes nothing. `groups.hold` or,
for StreamART, the derivation carries out the plan.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from .._typing import Ints
from ..history.ids import ClusterIdError, living_id, position
from ..icvi.state import LIVE, State
from ..views import rows_of
from .hints import HintBook, HintError, Hints, Member, cluster
from .names import Names


class Plan(NamedTuple):
    """What the hints of a batch require. Nothing of it has been carried out yet."""

    book: HintBook
    anchors: dict[int, list[int]]
    """First categories of each new group that comes from an existing cluster."""
    samples: dict[int, int]
    """Group of each hinted sample of the batch."""
    clusters: dict[int, int]
    """Group that represents a whole existing cluster, by the position of the cluster."""


def plan_of(book: HintBook) -> Plan:
    """A plan that enforces the facts of the book and adds none."""
    return Plan(book, {}, {}, {})


def plan_hints(
    hints: Hints, book: HintBook, names: Names, state: State | None, taken: int, whole: bool
) -> Plan:
    """Check the hints against all earlier ones, and plan what they require.

    `state` is None before anything is learnt. `taken` is the number of rows of ``state.classes`` in
    use. `whole` says that a hint about a cluster keeps all its categories together, not just the
    largest one. Raises HintError if hints contradict each other.
    """
    plan = plan_of(book.copy())
    planner = _Planner(plan, book, names, state, taken, whole)
    assert isinstance(hints.names, dict)
    for sample, name in hints.names.items():
        plan.samples[sample] = planner.named(name)
    fresh = len(plan.book.facts)
    for members in hints.together:
        for member in members[1:]:
            first, other = planner.group(members[0]), planner.group(member)
            plan.book.say_together(first, other, (members[0], member))
    said_now = HintBook(plan.book.groups, plan.book.facts[fresh:])
    for members in hints.apart:
        for one, another in combinations(members, 2):
            plan.book.say_apart(planner.group(one), planner.group(another), (one, another))
    # Samples that hints put together may be learnt by one category.
    for sample, group in plan.samples.items():
        if group in said_now.groups:
            plan.samples[sample] = said_now.root(group)
    return plan


class _Planner:
    """Finds or makes the group of each member of a hint."""

    def __init__(
        self, plan: Plan, book: HintBook, names: Names, state: State | None, taken: int, whole: bool
    ) -> None:
        self.plan, self.state, self.taken, self.whole = plan, state, taken, whole
        self.names = {} if state is None else names.of_living(state, book)

    def new(self) -> int:
        self.taken += 1
        return self.plan.book.new_group(self.taken - 1)

    def named(self, name: str) -> int:
        """The group with this name, which may be new."""
        known = self.plan.book.names.get(name)
        if known is not None:
            return known
        for i, taken in self.names.items():
            if taken == name:
                group = self.of_cluster(i)
                self.plan.book.say_name(group, name, cluster(i))
                return group
        group = self.new()
        self.plan.book.say_name(group, name, name)
        return group

    def group(self, member: Member) -> int:
        if isinstance(member, cluster):
            return self.of_cluster(member.id)
        if isinstance(member, str):
            if member not in self.plan.book.names and member not in self.names.values():
                raise HintError(f"No cluster is called {member!r}.")
            return self.named(member)
        if member not in self.plan.samples:
            self.plan.samples[member] = self.new()
        return self.plan.samples[member]

    def of_cluster(self, i: int) -> int:
        """A cluster is represented by its largest category; named and anchored ones come first."""
        if self.state is None:
            raise HintError(f"There is no cluster #{i}: nothing has been learnt yet.")
        try:
            place = position(self.state, living_id(self.state, i))
        except ClusterIdError as error:
            raise HintError(str(error)) from None
        rows = rows_of(self.state)
        rows = rows[self.state.label[LIVE, rows] == place]
        groups = self.state.cat["group"][rows].tolist()
        if self.whole:
            return self.of_whole(place, rows, groups)
        named = [g >= 0 and self.plan.book.name(g) is not None for g in groups]
        for these in (named, [g >= 0 for g in groups]):
            if any(these):
                rows = rows[these]
                break
        row = int(rows[np.argmax(self.state.cat["n"][rows])])
        if self.state.cat["group"][row] >= 0:
            return int(self.state.cat["group"][row])
        for group, anchored in self.plan.anchors.items():
            if anchored == [row]:
                return group
        group = self.new()
        self.plan.anchors[group] = [row]
        return group

    def of_whole(self, place: int, rows: Ints, groups: list[int]) -> int:
        """A new group for the categories that have none, together with the groups of the others."""
        if place not in self.plan.clusters:
            group = self.plan.clusters[place] = self.new()
            self.plan.anchors[group] = [
                int(row) for row, other in zip(rows, groups, strict=True) if other < 0
            ]
            for other in sorted(set(groups) - {-1}):
                self.plan.book.add("together", group, other)
        return self.plan.clusters[place]
