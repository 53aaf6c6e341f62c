"""What the hints for a batch come to: which groups there will be, and where they begin.

Given the state, the book of hints and the names; changes nothing. What is planned here is done by
`groups.hold` or, where clusters are derived anew, by the derivation.
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
    """What hints come to: nothing of it has been done yet."""

    book: HintBook
    anchors: dict[int, list[int]]
    """Categories that each new group of an existing cluster begins with."""
    samples: dict[int, int]
    """Group of each hinted sample of the batch."""
    clusters: dict[int, int]
    """Group that stands for the whole of an existing cluster, by its position."""


def plan_of(book: HintBook) -> Plan:
    """The plan to make what the book says true, with nothing new."""
    return Plan(book, {}, {}, {})


def plan_hints(
    hints: Hints, book: HintBook, names: Names, state: State | None, taken: int, whole: bool
) -> Plan:
    """Whether the hints can be true, and what follows.

    `state` is None before anything is learnt; `taken`: so many rows of ``state.classes`` are in
    use; `whole`: a hint on a cluster holds all its categories together, not just the largest.
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
    # Samples that are said to be together may be learnt by one category.
    for sample, group in plan.samples.items():
        if group in said_now.groups:
            plan.samples[sample] = said_now.root(group)
    return plan


class _Planner:
    """Finds the group that a member of a hint belongs to, or makes one."""

    def __init__(
        self, plan: Plan, book: HintBook, names: Names, state: State | None, taken: int, whole: bool
    ) -> None:
        self.plan, self.state, self.taken, self.whole = plan, state, taken, whole
        self.names = {} if state is None else names.of_living(state, book)

    def new(self) -> int:
        self.taken += 1
        return self.plan.book.new_group(self.taken - 1)

    def named(self, name: str) -> int:
        """The group of this name, which may be new."""
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
        """A new group of all that belongs to none, together with those that are there."""
        if place not in self.plan.clusters:
            group = self.plan.clusters[place] = self.new()
            self.plan.anchors[group] = [
                int(row) for row, other in zip(rows, groups, strict=True) if other < 0
            ]
            for other in sorted(set(groups) - {-1}):
                self.plan.book.add("together", group, other)
        return self.plan.clusters[place]
