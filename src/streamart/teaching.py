"""A person teaches the model: hints with the samples, merging and splitting, and taking it back."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from ._typing import Floats, Ints
from .core.corrections import detach_marked, merge_two, relabel_plain, settle, split_in_two
from .hints import HintBook, HintError, Hints, Member, cluster
from .icvi.state import LIVE, WAS, State, grown, moved, room_of
from .identity import Identity
from .network import rows_of, with_classes

UNDO_STEPS = 100
"""Corrections that can be taken back."""


class Plan(NamedTuple):
    """What hints come to: nothing of it has been done yet."""

    book: HintBook
    anchors: dict[int, list[int]]
    """Categories that each new group of an existing cluster begins with."""
    samples: dict[int, int]
    """Group of each hinted sample of the batch."""
    clusters: dict[int, int]
    """Group that stands for the whole of an existing cluster, by its place."""


class Teaching(Identity):
    """Hints, corrections, undo."""

    _corrections: list[dict[str, Any]]

    # ------------------------------------------------------------------ what was said

    def _book(self) -> HintBook:
        said = self.__dict__.get("_said", {"groups": [], "facts": []})
        return HintBook(said["groups"], said["facts"])

    def _keep_book(self, book: HintBook) -> None:
        self._said = {"groups": list(book.groups), "facts": list(book.facts)}

    def _hinted_names(self) -> dict[int, str]:
        if "_said" not in self.__dict__:
            return {}
        ids, classes = self.cluster_ids_, self._state.classes
        names = self._book().names
        found = {name: int(classes[group]["cluster"]) for name, group in names.items()}
        return {int(ids[place]): name for name, place in found.items() if place >= 0}

    def _set_name(self, living: int, name: str | None) -> None:
        """A name that came with a hint belongs to a group, and so does what replaces it."""
        step = {"kind": "rename", "id": living, "before": self.names_.get(living), "after": name}
        shown = self._hinted_names().get(living)
        removed, added = [], []
        if shown is not None:
            book = self._book()
            removed = [fact for fact in book.facts if fact[0] == "named" and fact[2] == shown]
            added = [("named", book.names[shown], name)] if name is not None else []
            self._exchange(removed, added)
        if added:
            self._note("named", (living,), 0.0)
        else:
            super()._set_name(living, name)
        self._remember({**step, "removed": removed, "added": added})

    def _undo_rename(self, step: dict[str, Any]) -> None:
        living, before, after = self._living(step["id"]), step["before"], step["after"]
        owner = {name: i for i, name in self.names_.items()}.get(before)
        if owner is not None and owner != living:
            raise ValueError(f"Cluster {owner} is called {before!r} now.")
        if after is not None and self._hinted_names().get(living) == after and not step["added"]:
            return  # a hint has used the name since: it is a fact now
        if step["removed"]:
            self._exchange(step["added"], step["removed"])
            self._note("named", (living,), 0.0)
        else:
            super()._set_name(living, before)

    def _exchange(self, removed: list[Any], added: list[Any]) -> None:
        """Some facts for others."""
        book = self._book()
        book.remove(removed)
        for fact in added:
            book.add(*fact)
        self._state = self._carry_out(Plan(book, {}, {}, {}), self._state)

    # ------------------------------------------------------------------ hints for a batch

    def _plan(self, hints: Hints, state: State | None, rows: int) -> Plan:
        """Whether the hints can be true; `rows` of ``state.classes`` are taken."""
        plan = Plan(self._book(), {}, {}, {})
        planner = _Planner(self, plan, state, rows)
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

    def _carry_out(self, plan: Plan, state: State) -> State:
        """Make the clusters such that all hints hold."""
        book = plan.book
        state = with_classes(state, max(book.groups, default=-1) + 1)
        labels = self.__dict__.get("_names", {}).values()
        free = ~np.isin(np.arange(len(state.classes)), [*book.groups, *labels])
        state.classes["anchored"][book.groups] = 1
        state.classes["anchored"][free] = 0  # of groups that were taken back
        state.classes["cluster"][free] = -1
        if book.any_apart and not room_of(state).apart:
            state = moved(state, room_of(state)._replace(apart=True))
        for group, rows in plan.anchors.items():
            state.cat["group"][rows] = group
        state.cat["group"][~np.isin(state.cat["group"], book.groups)] = -1  # what was taken back
        state.clu["changed"] = 1  # categories that were anchored may move now
        state.now[0]["regrouped"] = 1
        find_groups(book, state)
        while (pair := _torn(book, state)) is not None:
            state = _join_groups(book, state, *pair)
        while (crowded := _crowded(book, state)) is not None:
            state = detach(state, np.isin(state.cat["group"], _same(book, crowded)))
            settle(state)
            find_groups(book, state)
        write_apart(book, state)
        self._keep_book(book)
        return state

    def _run_hinted(
        self, state: State, X: Floats, classes: Ints, slots: Ints, history: Floats, plan: Plan
    ) -> State:
        """Learn a batch, stopping at each hinted sample to say where it may not go."""
        book, begin = plan.book, 0
        for sample in sorted(plan.samples):
            state = self._run_over(
                state, X[:sample], classes[:sample], slots[:sample], history[:sample], begin
            )
            group, end = plan.samples[sample], sample + 1
            barred = [state.classes[other]["cluster"] for other in book.apart_from(group)]
            state.clu["barred"][LIVE, [place for place in barred if place >= 0]] = 1
            state = self._run_over(
                state, X[:end], classes[:end], slots[:end], history[:end], sample
            )
            state.clu["barred"][LIVE] = 0
            find_groups(book, state)
            begin = end
        return self._run_over(state, X, classes, slots, history, begin)

    # ------------------------------------------------------------------ corrections

    def _merge(self, a: int | str, b: int | str) -> int:
        self._now()
        with self._guard():
            first, second = self.resolve(a), self.resolve(b)
            if first == second:
                raise ValueError(f"{a!r} and {b!r} are one cluster, {first}, already.")
            births = {i: self._births(self._place(i)) for i in (first, second)}
            pair = cluster(first), cluster(second)
            plan = self._plan(Hints({}, together=[pair]), self._state, self._rows_taken())
            if _are_clusters_apart(plan.book, self._state, self._place(first), self._place(second)):
                raise HintError(
                    f"Clusters {first} and {second} cannot be merged: hints keep apart some of "
                    "what they hold."
                )
            said = plan.book.facts[len(self._book().facts) :]
            self._state = self._carry_out(plan, self._state)
            kept = self._living(first)
            gone = second if kept == first else first
            step = {"kind": "merge", "kept": kept, "gone": gone, "births": births[gone]}
            self._remember({**step, "facts": said, "groups": list(plan.anchors)})
            self._tell()
            return kept

    def _split(self, id: int | str) -> int:
        self._now()
        with self._guard():
            living = self.resolve(id)
            self._state = _with_room(self._state)
            fresh = int(self._state.now[0]["ids"])
            if not self._split_in_two(self._place(living)):
                raise ValueError(
                    f"Cluster {living} cannot be split: it has a single category, or hints hold "
                    "all its categories together."
                )
            pair = cluster(living), cluster(fresh)
            plan = self._plan(Hints({}, apart=[pair]), self._state, self._rows_taken())
            said = plan.book.facts[len(self._book().facts) :]
            self._state = self._carry_out(plan, self._state)
            step = {"kind": "split", "ids": [living, fresh]}
            self._remember({**step, "facts": said, "groups": list(plan.anchors)})
            self._tell()
            return self._living(fresh)

    def _holds_whole_clusters(self) -> bool:
        """Does a hint or correction that speaks of a cluster hold all its categories together?

        Needed where clusters are derived anew. Otherwise its largest category stands for it, since
        no strategy takes a category away from an anchored one without a reason.
        """
        return False

    def _split_in_two(self, place: int) -> bool:
        """Where the index says; False if the cluster has one category only."""
        return bool(split_in_two(self._state, place))

    def undo(self) -> str:
        """Take back the last `merge`, `split` or `rename`, and what it taught; returns its kind.

        Samples learnt since stay where they are. Of two merged clusters, those categories part
        again that were there before; an id that had ended lives again. At most 100 steps.
        """
        self._now()
        with self._guard():
            steps: list[dict[str, Any]] = self.__dict__.get("_corrections", [])
            if not steps:
                raise ValueError("There is nothing to undo.")
            step = steps[-1]
            if step["kind"] == "rename":
                self._undo_rename(step)
            elif step["kind"] == "merge":
                self._undo_merge(step)
            else:
                self._undo_split(step)
            steps.pop()
            self._tell()
            return str(step["kind"])

    def _undo_merge(self, step: dict[str, Any]) -> None:
        state, kept, gone = self._state, self._living(step["kept"]), step["gone"]
        rows = rows_of(state)
        here = state.label[LIVE, rows] == self._place(kept)
        leave = here & np.isin(state.cat["birth"][rows], step["births"])
        if not leave.any() or leave.sum() == here.sum() or self._living(gone) != kept:
            self._corrections.pop()  # nor will it ever be possible
            raise ValueError(
                f"Clusters {kept} and {gone} cannot be told apart any more: the categories of one "
                "of them are gone. This step is forgotten."
            )
        book = self._book()
        book.remove(step["facts"], step["groups"])
        groups = state.cat["group"][rows]
        left, stay = (
            {book.root(g) for g in set(groups[part].tolist()) & set(book.groups)}
            for part in (leave, here & ~leave)
        )
        if left & stay:
            raise HintError(f"Other hints hold clusters {kept} and {gone} together.")
        before = float(state.now[0]["goodness"])
        state = detach(state, np.isin(np.arange(len(state.cat)), rows[leave]))
        # The ended id lives again, so ids are settled here.
        k, now = int(state.now[0]["k"]), state.now[0]
        state.heir[gone] = -1
        state.clu[LIVE, k - 1]["id"] = gone
        state.label[WAS, rows] = state.label[LIVE, rows]
        now["settled_k"], now["rearranged"] = k, 0
        self._state = state
        self._note("split", (kept, gone), float(state.clu[LIVE, k - 1]["n"]), before)
        self._state = self._carry_out(Plan(book, {}, {}, {}), state)

    def _undo_split(self, step: dict[str, Any]) -> None:
        first, second = (self._living(i) for i in step["ids"])
        book = self._book()
        book.remove(step["facts"], step["groups"])
        if first != second:
            i, j = sorted((self._place(first), self._place(second)))
            if not _are_clusters_apart(book, self._state, i, j):
                merge_places(self._state, i, j)
            elif not self._holds_whole_clusters():
                raise HintError(f"Other hints keep clusters {first} and {second} apart.")
        self._state = self._carry_out(Plan(book, {}, {}, {}), self._state)

    def _remember(self, step: dict[str, Any]) -> None:
        steps: list[dict[str, Any]] = self.__dict__.setdefault("_corrections", [])
        steps.append(step)
        del steps[:-UNDO_STEPS]

    def _births(self, place: int) -> list[int]:
        rows = rows_of(self._state)
        births = self._state.cat["birth"][rows[self._state.label[LIVE, rows] == place]]
        return [int(birth) for birth in births]

    def _rows_taken(self) -> int:
        """Of ``state.classes``: by supervised labels and groups."""
        labels = self.__dict__.get("_names", {}).values()
        return 1 + max([*labels, *self._book().groups], default=-1)


class _Planner:
    """Finds the group that a member of a hint belongs to, or makes one."""

    def __init__(self, model: Teaching, plan: Plan, state: State | None, rows: int) -> None:
        self.model, self.plan, self.state, self.rows = model, plan, state, rows

    def new(self) -> int:
        self.rows += 1
        return self.plan.book.new_group(self.rows - 1)

    def named(self, name: str) -> int:
        """The group of this name, which may be new."""
        known = self.plan.book.names.get(name)
        if known is not None:
            return known
        for i, taken in self.model.names_.items() if self.state is not None else ():
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
            known = member in self.plan.book.names
            if not known and (self.state is None or member not in self.model.names_.values()):
                raise HintError(f"No cluster is called {member!r}.")
            return self.named(member)
        if member not in self.plan.samples:
            self.plan.samples[member] = self.new()
        return self.plan.samples[member]

    def of_cluster(self, i: int) -> int:
        """A cluster is represented by its largest category; named and anchored ones come first."""
        if self.state is None:
            raise HintError(f"There is no cluster {i}: nothing has been learnt yet.")
        try:
            place = self.model._place(i)
        except KeyError as error:
            raise HintError(str(error.args[0])) from None
        rows = rows_of(self.state)
        rows = rows[self.state.label[LIVE, rows] == place]
        groups = self.state.cat["group"][rows].tolist()
        if self.model._holds_whole_clusters():
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


def _same(book: HintBook, group: int) -> list[int]:
    """The groups that are known to be one with this."""
    return [other for other in book.groups if book.root(other) == book.root(group)]


def find_groups(book: HintBook, state: State) -> None:
    """``classes["cluster"]`` of all groups, from where their categories are."""
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


def _torn(book: HintBook, state: State) -> tuple[int, int] | None:
    """Two groups that should be together and are not."""
    seen: dict[int, int] = {}
    for group in book.groups:
        place = state.classes[group]["cluster"]
        if place >= 0:
            other = seen.setdefault(book.root(group), group)
            if state.classes[other]["cluster"] != place:
                return other, group
    return None


def _crowded(book: HintBook, state: State) -> int | None:
    """A group in one cluster with another that it should be apart from."""
    at: dict[int, list[int]] = {}
    for group in book.groups:
        place = int(state.classes[group]["cluster"])
        if place >= 0:
            for other in at.setdefault(place, []):
                if book.are_apart(group, other):
                    return group
            at[place].append(group)
    return None


def _are_clusters_apart(book: HintBook, state: State, i: int, j: int) -> bool:
    places = state.classes["cluster"]
    placed = [group for group in book.groups if group < len(places)]
    here = [group for group in placed if places[group] == i]
    there = [group for group in placed if places[group] == j]
    return any(book.are_apart(a, b) for a in here for b in there)


def _join_groups(book: HintBook, state: State, a: int, b: int) -> State:
    """Merge their clusters, or, where other hints forbid that, take both groups out."""
    i, j = sorted(int(state.classes[group]["cluster"]) for group in (a, b))
    if _are_clusters_apart(book, state, i, j):
        state = detach(state, np.isin(state.cat["group"], _same(book, a)))
        settle(state)
    else:
        merge_places(state, i, j)
    find_groups(book, state)
    return state


def detach(state: State, leaves: Any) -> State:
    state = _with_room(state)
    state.cat["mark"][: len(leaves)] = leaves
    if room_of(state).plain:
        rows = rows_of(state)
        labels = np.where(leaves[rows], state.now[0]["k"], state.label[LIVE, rows])
        relabel_plain(state, labels, math.nan)
    else:
        detach_marked(state)
    return state


def merge_places(state: State, i: int, j: int) -> None:
    """Clusters i < j become one, in place i."""
    if room_of(state).plain:
        labels = state.label[LIVE, rows_of(state)]
        labels = np.where(labels == j, i, labels - (labels > j))
        relabel_plain(state, labels, math.nan)
        settle(state)
    else:
        merge_two(state, i, j)


def _with_room(state: State) -> State:
    """Room for another cluster, and ids."""
    now, room = state.now[0], room_of(state)
    while now["k"] + 2 > room.clusters or now["ids"] + room.clusters > room.ids:
        state = grown(state)
        now, room = state.now[0], room_of(state)
    return state


def write_apart(book: HintBook, state: State) -> None:
    """Which clusters may not merge, from the groups that they hold."""
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
