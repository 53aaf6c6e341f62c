"""Engine: the state of the compiled core, the hints given so far, and how a batch is learnt.

This is the interface of both engines, which are in `network` and `fine_categories`.
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
    """An array with a row of history for each sample."""
    return np.empty((samples, len(HISTORY_COLUMNS)))


NO_HISTORY = empty_history(0)

Collect = Callable[[State], None]
"""Collects events before they are overwritten, for listeners that have not had them yet."""


class Engine(ABC):
    """What was learnt, and the hints that people gave."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.book = HintBook()
        self.label_rows: dict[int, int] = {}
        """Row of each supervised label in ``state.classes``."""
        self.sample_rows: Ints | None = None
        """Row of the category of each sample in the last batch; None after `learn_one`."""

    # ------------------------------------------------------------------ learning

    @abstractmethod
    def run(
        self, X: Floats, classes: Ints, slots: Ints, history: Floats, begin: int, collect: Collect
    ) -> None:
        """Learn ``X[begin:]``. Writes a slot (see `_rows_of_slots`) for each sample to `slots`, and
        a row to `history`."""

    def learn(
        self, X: Floats, classes: Ints, history: Floats, plan: Plan | None, collect: Collect
    ) -> None:
        """Learn a batch.

        `classes` has a row of ``state.classes``, or -1, for each sample; or it is empty. After an
        interruption (Ctrl-C or an error) the engine is in the state after the last complete sample,
        or, if there were hints, in the state before the batch. A note on the error says which.
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
            with suppress(Exception):  # if this fails too, the next batch does it
                self.finish_step(history[max(learnt - 1, 0) : learnt])
            self._leave_batch(slots[:learnt])
            add_note(error, learnt, len(X))
            raise
        self._leave_batch(slots)

    def _leave_batch(self, slots: Ints) -> None:
        """Remember the categories of the samples."""
        self.sample_rows = _rows_of_slots(self.state, slots) if len(slots) else NO_CLASSES
        self.state = self.state._replace(joined=NO_CLASSES)

    @abstractmethod
    def finish_step(self, history: Floats = NO_HISTORY) -> None:
        """Finish a step that was interrupted. Its row is written to `history` unless that is empty.

        A strategy that was about to begin in Python is skipped.
        """

    def _run_hinted(
        self, X: Floats, classes: Ints, slots: Ints, history: Floats, plan: Plan, collect: Collect
    ) -> int:
        """Learn up to the last hinted sample. Each is barred from the clusters it must avoid."""
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
        """Learn one sample, an array of one row, and return the position of its cluster."""
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
        """Category of each sample after `fit`; `rows` are the categories that learnt them."""
        return rows

    @property
    @abstractmethod
    def is_derived(self) -> bool:
        """Whether the clusters are up to date."""

    @abstractmethod
    def derive(self) -> None:
        """Bring the clusters up to date."""

    # ------------------------------------------------------------------ labels and hints

    def rows_taken(self) -> int:
        """Number of rows of ``state.classes`` in use for supervised labels and groups."""
        return 1 + max([*self.label_rows.values(), *self.book.groups], default=-1)

    def rows_of_labels(self, labels: Ints) -> Ints:
        """Row in ``state.classes`` of each label, -1 for none. New labels get new rows."""
        taken = self.rows_taken()
        for label in labels[labels >= 0].tolist():
            if label not in self.label_rows:
                self.label_rows[label] = taken
                taken += 1
        return np.array([self.label_rows.get(label, -1) for label in labels.tolist()], dtype=int)

    @property
    @abstractmethod
    def holds_whole_clusters(self) -> bool:
        """Whether a hint about a cluster keeps all its categories together."""

    @abstractmethod
    def carry_out(self, plan: Plan) -> None:
        """Change the clusters so that all hints of the plan hold, and keep its book."""

    @abstractmethod
    def split_in_two(self, place: int) -> bool:
        """Split the cluster at this position; False if it cannot be split."""

    # ------------------------------------------------------------------ answers

    @property
    @abstractmethod
    def index(self) -> Index:
        """The validity index whose value is reported."""

    @property
    def sign(self) -> int:
        """The index is this times the core's goodness, of which larger is better."""
        return -1 if self.index.smaller_is_better else 1

    def icvi_value(self) -> float:
        """Value of the validity index; NaN while there is one cluster."""
        return self.sign * float(self.state.now[0]["goodness"])

    def is_usable(self, X: Floats) -> Bools:
        """Which samples have enough values. All of them, if no value may be missing."""
        return np.ones(len(X), dtype=bool)

    @abstractmethod
    def nearest(self, X: Floats) -> Ints:
        """Row of the category that each sample belongs to. Nothing is learnt."""

    @abstractmethod
    def novelty(self, X: Floats) -> Floats:
        """How badly each sample fits what was learnt."""

    @abstractmethod
    def is_outlier(self, X: Floats) -> Ints:
        """Which samples fit no cluster."""

    @abstractmethod
    def explain(self, x: Floats) -> Explanation:
        """What learning this sample would do, and why."""

    def footprints(self) -> Footprints:
        """Categories for profiles; deviations are those of evenly filled boxes."""
        found, cat = categories_of(self.state), self.state.cat[rows_of(self.state)]
        deviation = (found.upper - found.lower) / 12**0.5
        n = found.n.astype(float)
        return Footprints(n, found.mean, deviation, cat["birth"], cat["won"])

    @abstractmethod
    def index_if_merged(self) -> IndexIfMerged:
        """The index if two clusters merged, as a function of their positions."""

    # ------------------------------------------------------------------ copies

    def copied(self) -> Self:
        """A copy that shares no data with this engine and has no listeners."""
        twin = copy(self)  # __setstate__ copies the arrays
        twin.state.now[0]["listeners"] = 0
        return twin

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Copy the arrays: they may come from a read-only memory map."""
        self.__dict__.update(kept)
        self.state = copied(self.state)
        self.book = self.book.copy()
        self.label_rows = dict(self.label_rows)
        if self.sample_rows is not None:
            self.sample_rows = self.sample_rows.copy()


def add_note(error: BaseException, learnt: int, size: int) -> None:
    """Say in a note on the error how much of the batch was learnt."""
    if learnt == 0:
        error.add_note("No sample of this batch was learnt; the model is unchanged.")
    else:
        error.add_note(
            f"The first {learnt} of {size} samples of this batch were learnt; the model is in the "
            "state after these."
        )


def extended_history(
    past: dict[str, Floats | Ints] | None, rows: Floats, sign: int
) -> dict[str, Floats | Ints]:
    """The columns of the history, extended by the rows that the core wrote for a batch."""
    rows[:, 0] *= sign
    found: dict[str, Floats | Ints] = {}
    for name, column in zip(HISTORY_COLUMNS, rows.T, strict=True):
        fresh = column if name in ("icvi_value", "rho") else column.astype(np.int64)
        found[name] = np.concatenate([past[name], fresh]) if past else fresh
    return found


def _with_slots(state: State, samples: int) -> State:
    """The state with a slot for each sample of a batch, so that compressions can be followed."""
    categories = int(state.now[0]["categories"])
    state = state._replace(joined=np.arange(categories + samples))
    state.cat["slot"][state.order[:categories]] = state.joined[:categories]
    state.now[0]["slots"] = categories
    return state


def _rows_of_slots(state: State, slots: Ints) -> Ints:
    """Category of each sample of the batch after all compressions; -1 if it was removed."""
    joined, rows = state.joined, rows_of(state)
    while not np.array_equal(joined, joined[joined]):
        joined = joined[joined]
    row = np.full(len(joined), -1, dtype=np.int64)
    row[state.cat["slot"][rows]] = rows
    found: Ints = row[joined[slots]]
    return found
