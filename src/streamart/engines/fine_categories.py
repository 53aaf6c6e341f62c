"""StreamART's engine: fine categories under a budget, and clusters derived from them late.

Categories are learnt in one place (`run`, by `core.budget`) and the partition is derived in one
place (`derive`, by `core.strategies.repartition`). Touches the compiled core and the hints.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from .._typing import Floats, Ints
from ..core.budget import (
    STEEPEST,
    Budget,
    link_again,
    make_budget,
    make_room,
    nearest_fine,
    run_under_budget,
    with_rows,
)
from ..core.corrections import relabel_plain, settle
from ..core.strategies.cut import Decision
from ..core.strategies.repartition import Matter as PartitionInput
from ..core.strategies.repartition import derive, index_of_partition, labels_at, tree_of
from ..core.views import labels_of, rows_of
from ..history.ids import cluster_ids
from ..icvi.registry import BY_NAME, Index
from ..icvi.state import (
    DUE_BUDGET,
    DUE_NOTHING,
    DUE_ROOM,
    HI,
    LO,
    MEAN,
    MEAN_ALL,
    PER_RANGE,
    X_MAX,
    X_MIN,
    State,
    grown,
)
from ..people.explain import Explanation, IndexIfMerged
from ..people.fit_of_samples import (
    Fit,
    Partition,
    explain_sample,
    farthest,
    fit_of,
    index_if_merged,
)
from ..people.groups import anchor, detach, find_groups, write_apart
from ..people.plan import Plan
from .engine import Collect, Engine
from .measure import are_embeddings, extent_of, unit_vectors
from .partition import partition_input, with_room_for

GROWTH = 1.1
"""One by one, the partition is derived when so many times as many samples have been learnt."""


class FineCategoriesEngine(Engine):
    """Fine categories, and clusters that are derived when somebody asks."""

    decision: Decision | None

    def __init__(self, state: State, max_categories: int, metric: str, seed: int) -> None:
        super().__init__(state)
        self.budget: Budget = make_budget(
            max_categories, metric != "cosine", metric != "auto", seed, state.box.shape[2], 0
        )
        self.criterion = "auto"
        self.n_clusters: int | None = None
        """Both may be changed at any time, and hold for the next derivation."""
        self.n_clusters_once: int | None = None
        """While a correction is made: the number of clusters that comes of it."""
        self.decision = None
        self._derived_with: tuple[int, str, int | None] | None = None

    # ------------------------------------------------------------------ categories

    def run(
        self, X: Floats, classes: Ints, slots: Ints, history: Floats, begin: int, collect: Collect
    ) -> None:
        """Learn categories: the one place where that is done."""
        samples = self._measured(X)
        while begin < len(X):
            self.budget = with_rows(self.budget, len(self.state.cat))
            begin = run_under_budget(self.state, self.budget, samples, X, classes, slots, begin)
            due = self.state.now[0]["due"]
            if due == DUE_ROOM:
                self.state = grown(self.state)
            elif due != DUE_NOTHING:
                if not self.budget.account[0]["decided"]:
                    self._decide_metric(due == DUE_BUDGET)
                    samples = self._measured(X)
                if due == DUE_BUDGET:
                    self._make_room()

    def _run_hinted(self, *arguments: Any) -> int:
        """Categories need no care: hints hold when the clusters are derived."""
        return 0

    def allow(self, max_categories: int, metric: str) -> None:
        """What was asked for may have changed since the last batch."""
        account = self.budget.account
        if account[0]["asked"] != max_categories:
            account["asked"] = account["limit"] = max_categories
        if metric != "auto" and not account[0]["decided"]:
            self._measure_by_range(metric == "euclidean")
            account["decided"] = 1

    def _make_room(self) -> None:
        count = int(self.state.now[0]["categories"])
        numbers = np.empty((2, count), dtype=np.int64)
        make_room(self.state, self.budget, np.empty((count, count)), *numbers)

    # ------------------------------------------------------------------ clusters

    def derive(self) -> None:
        """Derive the clusters from all categories: the one place where that is done.

        Hints hold, and each cluster inherits the id of the one that it shares most samples with.
        """
        self.state.now[0]["start"] = self.state.now[0]["goodness"]
        wanted = self.n_clusters if self.n_clusters_once is None else self.n_clusters_once
        given = self._partition_input()
        labels, self.decision = derive(given, self.criterion, wanted)
        self.state = with_room_for(self.state, int(labels.max()) + 1, self.book.any_apart)
        goodness = self.sign * index_of_partition(self.index.name, given, labels)
        relabel_plain(self.state, labels, goodness)
        settle(self.state)
        find_groups(self.book, self.state)
        write_apart(self.book, self.state)
        self._derived_with = self._asked()

    def _asked(self) -> tuple[int, str, int | None]:
        return int(self.state.now[0]["n"]), self.criterion, self.n_clusters

    @property
    def is_derived(self) -> bool:
        """Are the clusters those of all samples, by what is asked for now?"""
        return self._derived_with == self._asked()

    @property
    def is_outdated(self) -> bool:
        """Has so much been learnt since that clusters are derived even one by one?"""
        learnt = int(self.state.now[0]["n"])
        before = 0 if self._derived_with is None else self._derived_with[0]
        return learnt >= GROWTH * before or learnt < 16

    def _partition_input(self) -> PartitionInput:
        """Footprints as distances are measured."""
        state, rows, budget = self.state, rows_of(self.state), self.budget
        scale, known = np.sqrt(budget.weight), budget.reservoir[: int(state.now[0]["n"])]
        return partition_input(
            state,
            self.book,
            state.box[MEAN, rows] * scale,
            budget.spread[rows] @ budget.weight,
            extent_of(self._measured(known) * scale),
        )

    # ------------------------------------------------------------------ hints

    @property
    def holds_whole_clusters(self) -> bool:
        return True

    def carry_out(self, plan: Plan) -> None:
        """Hints hold whenever the clusters are derived; a cluster spoken of stays together."""
        self.state = anchor(self.state, plan)
        self.book = plan.book
        if self.state.now[0]["categories"]:
            self.derive()

    def split_in_two(self, place: int) -> bool:
        """Where its links are weakest."""
        rows, whole = rows_of(self.state), self._partition_input()
        inside = np.flatnonzero(labels_of(self.state) == place)
        here = np.ix_(inside, inside)
        part = whole._replace(
            n=whole.n[inside],
            mean=np.ascontiguousarray(whole.mean[inside]),
            cp=whole.cp[inside],
            conn=np.ascontiguousarray(whole.conn[here]),
            lost=whole.lost[inside],
            group=whole.group[inside],
            apart=np.ascontiguousarray(whole.apart[here]),
        )
        if len(np.unique(np.where(part.group >= 0, -1 - part.group, np.arange(len(inside))))) < 2:
            return False
        home = labels_at(tree_of(part), len(inside), 2)
        leaves = np.zeros(len(self.state.cat), dtype=bool)
        leaves[rows[inside[home != home[0]]]] = True
        self.state = detach(self.state, leaves)
        settle(self.state)
        return True

    # ------------------------------------------------------------------ questions

    @property
    def index(self) -> Index:
        return BY_NAME.get(self.criterion, BY_NAME["ch"])

    @property
    def radius(self) -> float:
        """What joining a category may cost at most."""
        return float(self.budget.account[0]["radius"])

    def nearest(self, X: Floats) -> Ints:
        return self._nearest(X)[0]

    def _nearest(self, X: Floats) -> tuple[Ints, Floats]:
        """The category that each sample adds least to, and its squared distance from the mean."""
        winners, far = np.empty(len(X), dtype=np.int64), np.empty(len(X))
        nearest_fine(self.state, self.budget, self._measured(X), winners, far)
        return winners, far

    def _partition(self) -> Partition:
        labels, ids = labels_of(self.state), cluster_ids(self.state)
        return Partition(self._partition_input(), labels, ids, self.index.name)

    def _fit(self, X: Floats, partition: Partition) -> Fit:
        winners, far = self._nearest(X)
        place = np.empty(len(self.state.cat), dtype=np.int64)
        place[rows_of(self.state)] = np.arange(len(partition.labels))
        fit = fit_of(partition, place[winners], far)
        constant = self.budget.weight == 0  # features that have never varied
        strange = self._measured(X)[:, constant] != self.state.feature[X_MIN, constant]
        return fit._replace(novelty=np.where(strange.any(axis=1), np.inf, fit.novelty))

    def novelty(self, X: Floats) -> Floats:
        return self._fit(X, self._partition()).novelty

    def is_outlier(self, X: Floats) -> Ints:
        partition = self._partition()
        return np.asarray(self._fit(X, partition).novelty > farthest(partition))

    def explain(self, x: Floats) -> Explanation:
        partition = self._partition()
        measured = (self._measured(x[None]) * np.sqrt(self.budget.weight))[0]
        return explain_sample(partition, measured, self.radius, self._fit(x[None], partition))

    def index_if_merged(self) -> IndexIfMerged:
        return index_if_merged(self._partition())

    # ------------------------------------------------------------------ how samples are measured

    @property
    def metric(self) -> str:
        return "euclidean" if self.budget.account[0]["by_range"] else "cosine"

    @property
    def metric_is_final(self) -> bool:
        return bool(self.budget.account[0]["decided"])

    def _measured(self, X: Floats) -> Floats:
        return X if self.budget.account[0]["by_range"] else unit_vectors(X)

    def _decide_metric(self, for_good: bool) -> None:
        """Asked when the stream has come to certain lengths, whatever is read in between."""
        account, n = self.budget.account, int(self.state.now[0]["n"])
        account["question"] *= 2
        account["decided"] = for_good or n >= len(self.budget.reservoir)
        self._measure_by_range(not are_embeddings(self.budget.reservoir[:n]))

    def _measure_by_range(self, by_range: bool) -> None:
        """Until it is decided for good, every category is one of the first samples, and copies."""
        state, budget, n = self.state, self.budget, int(self.state.now[0]["n"])
        if by_range == bool(budget.account[0]["by_range"]):
            return
        budget.account["by_range"] = by_range
        rows, first = rows_of(state), budget.reservoir[:n]
        first = first if by_range else unit_vectors(first)
        state.box[LO, rows] = state.box[HI, rows] = state.box[MEAN, rows] = first[
            state.cat["birth"][rows] - 1
        ]
        low, high = first.min(axis=0), first.max(axis=0)
        span = high - low
        state.feature[X_MIN], state.feature[X_MAX] = low, high
        state.feature[PER_RANGE] = np.divide(1.0, span, out=np.zeros_like(span), where=span > 0)
        state.feature[MEAN_ALL] = first.mean(axis=0)
        state.now[0]["cp"] = np.sum((first - first.mean(axis=0)) ** 2)
        scale = state.feature[PER_RANGE]
        budget.weight[:] = np.where(scale < STEEPEST, scale, 0.0) ** 2 if by_range else 1.0
        link_again(state, *self._first_winners(first * np.sqrt(budget.weight)))

    def _first_winners(self, first: Floats) -> tuple[Ints, Ints]:
        """Of the first samples, the category of each, and the nearest that was there before it."""
        rows, reservoir = rows_of(self.state), self.budget.reservoir
        births = self.state.cat["birth"][rows] - 1
        row_of = dict(zip((x.tobytes() for x in reservoir[births]), rows, strict=True))
        own = np.array([row_of[x.tobytes()] for x in reservoir[: len(first)]])
        far = cdist(first, first[births], "sqeuclidean")
        far[(births >= np.arange(len(first))[:, None]) | (rows == own[:, None])] = np.inf
        beside = np.where(np.isinf(far.min(axis=1)), -1, rows[far.argmin(axis=1)])
        return own, beside

    def __setstate__(self, kept: dict[str, Any]) -> None:
        super().__setstate__(kept)
        self.budget = deepcopy(self.budget)
