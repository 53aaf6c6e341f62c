"""Engine: a network with the hints given to it, and how it learns a batch.

Calls the compiled core and keeps the state that it returns. What an estimator may ask of its engine
is listed here; `network` and `fine_categories` are the two engines.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from typing import Any, Self

import numpy as np

from .._typing import Bools, Floats, Ints
from ..icvi.registry import Index
from ..icvi.state import LIVE, State, copied
from ..people.explain import Explanation, IndexIfMerged
from ..people.groups import find_groups, with_classes
from ..people.hints import HintBook
from ..people.plan import Plan
from ..people.profiles import Footprints
from ..views import categories_of, rows_of

NO_CLASSES = np.empty(0, dtype=np.int64)
HISTORY_COLUMNS = ("icvi_value", "tracker", "rho", "n_categories", "n_clusters")


def empty_history(samples: int) -> Floats:
    """Room for a row of history for each sample."""
    return np.empty((samples, len(HISTORY_COLUMNS)))


NO_HISTORY = empty_history(0)

Collect = Callable[[State], None]
"""Puts events aside that would be overwritten before listeners have heard them."""


class Engine(ABC):
    """What was learnt, and what a person said about it."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.book = HintBook()
        self.label_rows: dict[int, int] = {}
        """Where each supervised label stands in ``state.classes``."""
        self.sample_rows: Ints | None = None
        """Category of each sample learnt of the last batch; None after `learn_one`."""

    # ------------------------------------------------------------------ learning

    @abstractmethod
    def run(
        self, X: Floats, classes: Ints, slots: Ints, history: Floats, begin: int, collect: Collect
    ) -> None:
        """Learn ``X[begin:]``. `slots` takes where each sample is, `history` a row for each."""

    def learn(
        self, X: Floats, classes: Ints, history: Floats, plan: Plan | None, collect: Collect
    ) -> None:
        """Learn a batch.

        `classes` holds a row of ``state.classes`` for each sample or -1, or is empty. If it is
        interrupted, by Ctrl-C or an error, the engine is then what it was after the last whole
        sample, or, if there are hints, what it was before; a note on the error says so.
        """
        begun, slots = int(self.state.now[0]["n"]), np.empty(len(X), dtype=np.int64)
        before = None if plan is None else self.copied()
        try:
            self.finish_step()
            self.state = with_classes(self.state, self.rows_taken())
            if plan is not None:
                self.carry_out(plan)
                classes = np.full(len(X), -1, dtype=np.int64)
                classes[list(plan.samples)] = list(plan.samples.values())
            self.state = _with_slots(self.state, len(X))
            begin = 0
            if plan is not None:
                begin = self._run_hinted(X, classes, slots, history, plan, collect)
            self.run(X, classes, slots, history, begin, collect)
        except BaseException as error:
            if before is not None:
                self.__dict__.update(before.__dict__)
            learnt = int(self.state.now[0]["n"]) - begun
            with suppress(Exception):  # if this fails too, it is done when the next batch comes
                self.finish_step(history[max(learnt - 1, 0) : learnt])
            self._leave_batch(slots[:learnt])
            add_note(error, learnt, len(X))
            raise
        self._leave_batch(slots)

    def _leave_batch(self, slots: Ints) -> None:
        """Remember where the samples are."""
        self.sample_rows = _rows_of_slots(self.state, slots) if len(slots) else NO_CLASSES
        self.state = self.state._replace(joined=NO_CLASSES)

    @abstractmethod
    def finish_step(self, history: Floats = NO_HISTORY) -> None:
        """Do what is left of a step that was interrupted; `history` takes its row, or is empty.

        A strategy that was about to begin in Python counts as not due.
        """

    def _run_hinted(
        self, X: Floats, classes: Ints, slots: Ints, history: Floats, plan: Plan, collect: Collect
    ) -> int:
        """Learn up to the last hinted sample; before each, say where it may not go."""
        begin = 0
        for sample in sorted(plan.samples):
            end = sample + 1
            self.run(X[:sample], classes[:sample], slots, history[:sample], begin, collect)
            state, apart = self.state, self.book.apart_from(plan.samples[sample])
            barred = [state.classes[group]["cluster"] for group in apart]
            state.clu["barred"][LIVE, [place for place in barred if place >= 0]] = 1
            self.run(X[:end], classes[:end], slots, history[:end], sample, collect)
            self.state.clu["barred"][LIVE] = 0
            find_groups(self.book, self.state)
            begin = end
        return begin

    def learn_one(self, x: Floats, collect: Collect) -> int:
        """Learn one sample, given as a row of a table; returns the position of its cluster."""
        slot, begun = np.empty(1, dtype=np.int64), int(self.state.now[0]["n"])
        try:
            self.finish_step()
            self.run(x, NO_CLASSES, slot, NO_HISTORY, 0, collect)
        except BaseException as error:
            with suppress(Exception):
                self.finish_step()
            add_note(error, int(self.state.now[0]["n"]) - begun, 1)
            raise
        finally:
            self.sample_rows = None
        return int(slot[0])

    def rows_after_fit(self, X: Floats, rows: Ints) -> Ints:
        """The category that counts for each sample of `fit`; `rows` are those that learnt them."""
        return rows

    @property
    @abstractmethod
    def is_derived(self) -> bool:
        """Are the clusters up to date?"""

    @abstractmethod
    def derive(self) -> None:
        """Bring the clusters up to date, all at once."""

    # ------------------------------------------------------------------ labels and hints

    def rows_taken(self) -> int:
        """So many rows of ``state.classes`` are in use, by supervised labels and groups."""
        return 1 + max([*self.label_rows.values(), *self.book.groups], default=-1)

    def rows_of_labels(self, labels: Ints) -> Ints:
        """Where supervised labels stand in ``state.classes``, -1 for none; new ones come last."""
        taken = self.rows_taken()
        for label in labels[labels >= 0].tolist():
            if label not in self.label_rows:
                self.label_rows[label] = taken
                taken += 1
        return np.array([self.label_rows.get(label, -1) for label in labels.tolist()], dtype=int)

    @property
    @abstractmethod
    def holds_whole_clusters(self) -> bool:
        """Does a hint that speaks of a cluster hold all its categories together?"""

    @abstractmethod
    def carry_out(self, plan: Plan) -> None:
        """Change the clusters such that all hints of the plan hold, and keep its book."""

    @abstractmethod
    def split_in_two(self, place: int) -> bool:
        """Split the cluster at this position; False if it cannot be split."""

    # ------------------------------------------------------------------ questions

    @property
    @abstractmethod
    def index(self) -> Index:
        """The validity index whose value is reported."""

    @property
    def sign(self) -> int:
        """Turns the core's goodness, of which more is better, into the index."""
        return -1 if self.index.smaller_is_better else 1

    def icvi_value(self) -> float:
        """The validity index, in its own direction; NaN while there is one cluster."""
        return self.sign * float(self.state.now[0]["goodness"])

    def is_usable(self, X: Floats) -> Bools:
        """Which samples have enough of their values: all, where none may be missing."""
        return np.ones(len(X), dtype=bool)

    @abstractmethod
    def nearest(self, X: Floats) -> Ints:
        """Row of the category that each sample belongs to; nothing is learnt."""

    @abstractmethod
    def novelty(self, X: Floats) -> Floats:
        """How badly each sample fits what was learnt."""

    @abstractmethod
    def is_outlier(self, X: Floats) -> Ints:
        """Which samples fit no cluster."""

    @abstractmethod
    def explain(self, x: Floats) -> Explanation:
        """What would be done with one sample."""

    def footprints(self) -> Footprints:
        """The categories as a profile needs them; spreads as if boxes were filled evenly."""
        found, cat = categories_of(self.state), self.state.cat[rows_of(self.state)]
        deviation = (found.upper - found.lower) / 12**0.5
        n = found.n.astype(float)
        return Footprints(n, found.mean, deviation, cat["birth"], cat["won"])

    @abstractmethod
    def index_if_merged(self) -> IndexIfMerged:
        """The index if two clusters merged, as a function of their positions."""

    # ------------------------------------------------------------------ copies

    def copied(self) -> Self:
        """An engine that shares nothing with this one, and has no listeners."""
        twin = copy(self)  # __setstate__ copies the arrays
        twin.state.now[0]["listeners"] = 0
        return twin

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Arrays may come from a file that was mapped into memory and cannot be written."""
        self.__dict__.update(kept)
        self.state = copied(self.state)
        self.book = self.book.copy()
        self.label_rows = dict(self.label_rows)
        if self.sample_rows is not None:
            self.sample_rows = self.sample_rows.copy()


def add_note(error: BaseException, learnt: int, size: int) -> None:
    """Tell whoever reads the error what the model is now."""
    if learnt == 0:
        error.add_note("No sample of this batch was learnt: the model is what it was before.")
    else:
        error.add_note(
            f"The first {learnt} of {size} samples of this batch were learnt: the model is what it "
            f"is after these."
        )


def extended_history(
    past: dict[str, Floats | Ints] | None, rows: Floats, sign: int
) -> dict[str, Floats | Ints]:
    """The columns of the history, with what the core has written for a batch at their end."""
    rows[:, 0] *= sign
    found: dict[str, Floats | Ints] = {}
    for name, column in zip(HISTORY_COLUMNS, rows.T, strict=True):
        fresh = column if name in ("icvi_value", "rho") else column.astype(np.int64)
        found[name] = np.concatenate([past[name], fresh]) if past else fresh
    return found


def _with_slots(state: State, samples: int) -> State:
    """Ready to tell where each sample of a batch is, through compressions that follow."""
    categories = int(state.now[0]["categories"])
    state = state._replace(joined=np.arange(categories + samples))
    state.cat["slot"][state.order[:categories]] = state.joined[:categories]
    state.now[0]["slots"] = categories
    return state


def _rows_of_slots(state: State, slots: Ints) -> Ints:
    """Category of each sample of the batch, through all compressions since it was learnt; -1 if it
    has been forgotten."""
    joined, rows = state.joined, rows_of(state)
    while not np.array_equal(joined, joined[joined]):
        joined = joined[joined]
    row = np.full(len(joined), -1, dtype=np.int64)
    row[state.cat["slot"][rows]] = rows
    found: Ints = row[joined[slots]]
    return found
