"""Corrections: a person merges, splits and renames clusters, or undoes such a step.

This module works on `Clusters`, the interface that a model offers for it, and on names. Clusters
are given by permanent id or name. Every correction is also a hint, so that no sample learnt later
undoes it.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ..history.events import note_event
from ..history.ids import living, position, shown
from ..icvi.state import LIVE, WAS, State
from ..views import labels_of, rows_of
from .groups import are_clusters_apart, detach, merge_places, with_room_for_cluster
from .hints import Fact, HintBook, HintError, Hints, cluster, is_name, wrong_name
from .names import Names, hinted_names
from .plan import Plan, plan_hints, plan_of

UNDO_STEPS = 100
"""Number of corrections that can be undone."""


class Clusters(Protocol):
    """The interface of a model that corrections use."""

    state: State
    book: HintBook

    @property
    def holds_whole_clusters(self) -> bool:
        """Whether a hint about a cluster keeps all its categories together.

        This is needed if clusters are derived again and again. Otherwise the largest category
        represents the cluster.
        """

    def rows_taken(self) -> int:
        """Number of rows of ``state.classes`` in use."""

    def carry_out(self, plan: Plan) -> None:
        """Change the clusters so that all hints of the plan hold, and keep its book."""

    def split_in_two(self, place: int) -> bool:
        """Split the cluster at this position; False if it cannot be split."""


class Corrections:
    """The corrections so far. The last one can be undone."""

    def __init__(self) -> None:
        self.steps: list[dict[str, Any]] = []

    def _remember(self, **step: Any) -> None:
        self.steps.append(step)
        del self.steps[:-UNDO_STEPS]

    # ------------------------------------------------------------------ doing

    def merge(self, model: Clusters, names: Names, a: int | str, b: int | str) -> int:
        """Merge two clusters; returns the id that is kept."""
        first, second = (names.living_id(model.state, model.book, one) for one in (a, b))
        if first == second:
            raise ValueError(f"{a!r} and {b!r} are already the same cluster, {shown(first)}.")
        births = {i: _births(model.state, i) for i in (first, second)}
        plan = _planned(model, names, Hints({}, together=[(cluster(first), cluster(second))]))
        places = position(model.state, first), position(model.state, second)
        if are_clusters_apart(plan.book, model.state, *places):
            raise HintError(
                f"Clusters {shown(first)} and {shown(second)} cannot be merged, because hints keep "
                "some of their samples apart."
            )
        said = plan.book.facts[len(model.book.facts) :]
        model.carry_out(plan)
        kept = living(model.state, first)
        gone = second if kept == first else first
        self._remember(
            kind="merge", kept=kept, gone=gone, births=births[gone],
            facts=said, groups=list(plan.anchors),
        )  # fmt: skip
        return kept

    def split(self, model: Clusters, names: Names, which: int | str) -> int:
        """Split a cluster in two; returns the id of the new part."""
        parent = names.living_id(model.state, model.book, which)
        model.state = with_room_for_cluster(model.state)
        fresh = int(model.state.now[0]["ids"])
        if not model.split_in_two(position(model.state, parent)):
            raise ValueError(
                f"Cluster {shown(parent)} cannot be split. It has a single category, or hints "
                "keep all its categories together."
            )
        plan = _planned(model, names, Hints({}, apart=[(cluster(parent), cluster(fresh))]))
        said = plan.book.facts[len(model.book.facts) :]
        model.carry_out(plan)
        self._remember(kind="split", ids=[parent, fresh], facts=said, groups=list(plan.anchors))
        return living(model.state, fresh)

    def rename(self, model: Clusters, names: Names, which: int | str, name: str | None) -> None:
        """Name a cluster; None removes its name."""
        named = names.living_id(model.state, model.book, which)
        if name is not None and not is_name(name):
            raise TypeError(wrong_name(name))
        owner = names.owner(model.state, model.book, name)
        if owner is not None and owner != named:
            raise ValueError(f"Cluster {shown(owner)} is already called {name!r}.")
        before = names.of_living(model.state, model.book).get(named)
        hinted = hinted_names(model.state, model.book).get(named)
        removed: list[Fact] = []
        added: list[Fact] = []
        if hinted is not None:  # categories that replace it belong to its group, too
            facts = model.book.facts
            removed = [fact for fact in facts if fact[0] == "named" and fact[2] == hinted]
            if name is not None:
                added = [("named", model.book.names[hinted], name)]
            _exchange(model, removed, added)
        if not added:
            names.set(model.state, model.book, named, name)
        if name is not None:
            note_event(model.state, "named", (named,), 0.0)
        self._remember(
            kind="rename", id=named, before=before, after=name, removed=removed, added=added
        )

    # ------------------------------------------------------------------ taking back

    def undo(self, model: Clusters, names: Names) -> str:
        """Undo the last correction; returns its kind."""
        if not self.steps:
            raise ValueError("There is nothing to undo.")
        step = self.steps[-1]
        if step["kind"] == "rename":
            _undo_rename(model, names, step)
        elif step["kind"] == "merge":
            self._undo_merge(model, step)
        else:
            _undo_split(model, step)
        self.steps.pop()
        return str(step["kind"])

    def _undo_merge(self, model: Clusters, step: dict[str, Any]) -> None:
        state, kept, gone = model.state, living(model.state, step["kept"]), step["gone"]
        rows = rows_of(state)
        here = labels_of(state) == position(state, kept)
        leave = here & np.isin(state.cat["birth"][rows], step["births"])
        if not leave.any() or leave.sum() == here.sum() or living(state, gone) != kept:
            self.steps.pop()  # it will never be possible
            raise ValueError(
                f"Clusters {shown(kept)} and {shown(gone)} cannot be separated any more: the "
                "categories of one are gone. This step cannot be undone."
            )
        book = model.book.copy()
        book.remove(step["facts"], step["groups"])
        groups = state.cat["group"][rows]
        left, stay = (
            {book.root(g) for g in set(groups[part].tolist()) & set(book.groups)}
            for part in (leave, here & ~leave)
        )
        if left & stay:
            raise HintError(f"Other hints keep clusters {shown(kept)} and {shown(gone)} together.")
        before = float(state.now[0]["goodness"])
        state = detach(state, np.isin(np.arange(len(state.cat)), rows[leave]))
        _revive(state, gone)
        size = float(state.clu[LIVE, int(state.now[0]["k"]) - 1]["n"])
        note_event(state, "split", (kept, gone), size, before)
        model.state = state
        model.carry_out(plan_of(book))


def _revive(state: State, ended: int) -> None:
    """Give the last cluster the id that had ended, and settle all ids."""
    now, rows = state.now[0], rows_of(state)
    state.successor[ended] = -1
    state.clu[LIVE, int(now["k"]) - 1]["id"] = ended
    state.label[WAS, rows] = state.label[LIVE, rows]
    now["settled_k"], now["rearranged"] = now["k"], 0


def _undo_split(model: Clusters, step: dict[str, Any]) -> None:
    first, second = (living(model.state, i) for i in step["ids"])
    book = model.book.copy()
    book.remove(step["facts"], step["groups"])
    if first != second:
        i, j = sorted((position(model.state, first), position(model.state, second)))
        if not are_clusters_apart(book, model.state, i, j):
            merge_places(model.state, i, j)
        elif not model.holds_whole_clusters:
            raise HintError(f"Other hints keep clusters {shown(first)} and {shown(second)} apart.")
    model.carry_out(plan_of(book))


def _undo_rename(model: Clusters, names: Names, step: dict[str, Any]) -> None:
    named, before, after = living(model.state, step["id"]), step["before"], step["after"]
    owner = names.owner(model.state, model.book, before)
    if owner is not None and owner != named:
        raise ValueError(f"Cluster {shown(owner)} is now called {before!r}.")
    hinted = hinted_names(model.state, model.book).get(named)
    if after is not None and hinted == after and not step["added"]:
        return  # a hint has used the name since then, so it cannot be removed
    if step["removed"]:
        _exchange(model, step["added"], step["removed"])
    else:
        names.set(model.state, model.book, named, before)
    if step["removed"] or before is not None:
        note_event(model.state, "named", (named,), 0.0)


def _exchange(model: Clusters, removed: list[Fact], added: list[Fact]) -> None:
    """Replace some facts by others."""
    book = model.book.copy()
    book.remove(removed)
    for fact in added:
        book.add(*fact)
    model.carry_out(plan_of(book))


def _planned(model: Clusters, names: Names, hints: Hints) -> Plan:
    return plan_hints(
        hints, model.book, names, model.state, model.rows_taken(), model.holds_whole_clusters
    )


def _births(state: State, living_id: int) -> list[int]:
    """Permanent numbers of the categories of a cluster."""
    inside = rows_of(state)[labels_of(state) == position(state, living_id)]
    return [int(birth) for birth in state.cat["birth"][inside]]
