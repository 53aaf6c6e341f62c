"""The paper's network as an engine: the loop around `core.learn`.

Decomposition is rarely needed, so it is a program of its own, compiled when it is first due.
"""

from __future__ import annotations

import warnings

import numpy as np

from .._jit import TIE
from .._typing import Floats, Ints
from ..core.corrections import split_in_two
from ..core.learn import predict, run
from ..core.strategies.split import decompose
from ..icvi.registry import Index, index_of
from ..icvi.state import DUE_DECOMPOSITION, DUE_LISTENERS, STAGE_LEARN, State, grown
from ..people.explain import Explanation, IndexIfMerged, explain_sample, index_if_merged
from ..people.groups import hold
from ..people.plan import Plan
from .engine import NO_CLASSES, NO_HISTORY, Collect, Engine

LARGE = 1 << 30
"""Size of the network's tables, in bytes, at which a warning is given."""


class NetworkEngine(Engine):
    """iCVI-TopoARTMAP."""

    # ------------------------------------------------------------------ learning

    def run(
        self, X: Floats, classes: Ints, slots: Ints, history: Floats, begin: int, collect: Collect
    ) -> None:
        while begin < len(X):
            begin = run(self.state, X, classes, slots, history, begin)
            if begin < len(X):
                due = self.state.now[0]["due"]
                if due == DUE_DECOMPOSITION:
                    decompose(self.state)
                elif due == DUE_LISTENERS:
                    collect(self.state)
                else:
                    before, self.state = self.state, grown(self.state)
                    warn_of_growth(before, self.state)

    def finish_step(self, history: Floats = NO_HISTORY) -> None:
        """Finish the strategies of the last step, whose sample has already been learnt."""
        if self.state.now[0]["stage"] != STAGE_LEARN:
            sample = np.zeros((1, self.state.feature.shape[1]))
            run(self.state, sample, NO_CLASSES, np.empty(1, dtype=np.int64), history, 0)

    def rows_after_fit(self, X: Floats, rows: Ints) -> Ints:
        """After `fit`, samples belong to the categories that `predict` returns, as in the paper."""
        return self.nearest(X)

    @property
    def is_derived(self) -> bool:
        """Always True: clusters change with each sample."""
        return True

    def derive(self) -> None:
        """Nothing to do: clusters are always up to date."""

    # ------------------------------------------------------------------ hints

    @property
    def holds_whole_clusters(self) -> bool:
        return False

    def carry_out(self, plan: Plan) -> None:
        self.state = hold(self.state, plan, self.label_rows.values())
        self.book = plan.book

    def split_in_two(self, place: int) -> bool:
        """Split a cluster by partial-cluster-decomposition."""
        return bool(split_in_two(self.state, place))

    # ------------------------------------------------------------------ answers

    @property
    def index(self) -> Index:
        return index_of(type(self.state.index))

    def nearest(self, X: Floats) -> Ints:
        winners = np.empty(len(X), dtype=np.int64)
        predict(self.state, X, winners, np.empty(0))
        return winners

    def novelty(self, X: Floats) -> Floats:
        badness = np.empty(len(X))
        predict(self.state, X, np.empty(len(X), dtype=np.int64), badness)
        badness[badness <= TIE] = 0.0  # inside a box, except for rounding
        return badness

    def is_outlier(self, X: Floats) -> Ints:
        """Whether the nearest point of every box is farther from the sample than the present
        vigilance allows. (The size of a box does not count: samples inside one always fit.)"""
        rho = float(self.state.now[0]["step_vigilance"])
        allowed = rho if self.state.params[0]["cosine"] else 1.0 - rho
        return np.asarray(self.novelty(X) > allowed + TIE)

    def explain(self, x: Floats) -> Explanation:
        return explain_sample(self.state, x)

    def index_if_merged(self) -> IndexIfMerged:
        return index_if_merged(self.state)


def warn_of_growth(before: State, after: State) -> None:
    """Warn once, when the tables become large."""
    small, large = (
        sum(array.nbytes for array in state if isinstance(array, np.ndarray))
        for state in (before, after)
    )
    if small <= LARGE < large:
        now = after.now[0]
        growth = "the square of these numbers" if len(after.distance) else "these numbers"
        warnings.warn(
            f"The network has {now['categories']:,} categories in {now['k']:,} clusters. Its "
            f"tables take {large / 2**30:.1f} GB and grow with {growth}. For fewer categories, "
            "lower rho or use the strategies merge, compress and prune. "
            "StreamART has a fixed budget of categories.",
            RuntimeWarning,
            stacklevel=2,
        )
