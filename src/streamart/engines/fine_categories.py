"""StreamART's engine: fine categories under a budget, and clusters derived from them on demand.

Categories are learnt in `run` only (by `core.self_tuning`), and clusters are derived in `derive`
only (by `derivation`).
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from .._typing import Bools, Floats, Ints
from ..core.corrections import settle
from ..core.self_tuning.budget import (
    FINISHED,
    METRICS,
    Budget,
    make_budget,
    nearest_categories,
    with_rows,
)
from ..core.self_tuning.room import make_some_room
from ..core.self_tuning.run import run_under_budget
from ..core.self_tuning.scale import FACTOR, WEIGHT
from ..derivation.criterion import LEARNED
from ..derivation.derive import Decision, derive, derive_at, forest_of, index_of_partition
from ..derivation.geometry import PartitionInput, some_of
from ..derivation.tree import labels_at
from ..gaps import enough, has_gaps
from ..history.ids import cluster_ids
from ..icvi.registry import Index
from ..icvi.state import DUE_BUDGET, DUE_NOTHING, DUE_ROOM, DUE_SCALE, MEAN, State, copied, grown
from ..people.explain import Explanation, IndexIfMerged
from ..people.fit_of_samples import (
    Fit,
    Partition,
    deciding_features,
    explain_sample,
    farthest,
    fit_of,
    index_if_merged,
)
from ..people.groups import anchor, detach, find_groups, write_apart
from ..people.plan import Plan
from ..people.profiles import Footprints
from ..people.relabel import relabel
from ..validity.registration import BY_NAME
from ..views import labels_of, rows_of
from .engine import NO_HISTORY, Collect, Engine
from .measure import Extent, are_directions, extent_of, unit_vectors
from .measuring import (
    WARM_UP,
    begin_room,
    compactnesses,
    fade,
    finish_room,
    images,
    known_samples,
    measure_first_samples,
    next_look,
    scale_again,
    set_half_life,
)
from .partition import partition_input, with_room_for

GROWTH = 1.1
"""When single samples are learnt or predicted, clusters are derived again after this growth."""


SAMPLE_FOR_EXTENT = 256
"""Samples from which the dimension is estimated; more hardly change the result."""


class FineCategoriesEngine(Engine):
    """Fine categories, and clusters that are derived when they are needed."""

    decision: Decision | None

    def __init__(
        self, state: State, max_categories: int, metric: str, half_life: float, seed: int
    ) -> None:
        super().__init__(state)
        self.budget: Budget = make_budget(
            max_categories, metric != "cosine", metric, half_life, seed, state.box.shape[2]
        )
        self.share = np.ones(state.box.shape[2])
        self.set_aside = 0
        self.n_clusters: int | None = None
        self.detail = 1.0
        self.criterion = LEARNED
        """These three may change at any time and apply to the next derivation."""
        self.n_clusters_once: int | None = None
        """Number of clusters that results from a correction, while it is carried out."""
        self.decision = None
        self._derived_with: tuple[int, int | None, float, str] | None = None

    # ------------------------------------------------------------------ categories

    def run(
        self, X: Floats, classes: Ints, slots: Ints, history: Floats, begin: int, collect: Collect
    ) -> None:
        """Learn categories."""
        gaps = has_gaps(X)
        complete = int(np.isnan(X).any(axis=1).argmax()) if gaps else len(X)
        for end in (complete, len(X)) if gaps else (complete,):
            if end > complete or (gaps and complete == 0):
                self._measure_by_range()
            samples = None
            while begin < end:
                if samples is None:  # measured once, as that looks at the whole batch
                    samples = X[:end].copy() if end > complete else self._measured(X[:end])
                self.budget = with_rows(self.budget, len(self.state.cat))
                groups = classes[:end]
                begin = run_under_budget(
                    self.state, self.budget, samples, X[:end], groups, slots, begin
                )
                metric_was_final = self.metric_is_final
                self._do_what_is_due()
                if not metric_was_final:
                    samples = None

    def _measure_by_range(self) -> None:
        """Samples with gaps have no direction."""
        account = self.budget.account
        if account[0]["by_range"]:
            account["metric"] = METRICS.index("euclidean")
        elif self.metric_is_final:
            raise ValueError(
                "X contains NaN, and this stream is measured by directions (metric_ is 'cosine'), "
                "which samples with gaps do not have. Fill the gaps, or leave these samples out."
            )
        else:
            account["metric"] = METRICS.index("euclidean")
            if self.state.now[0]["n"]:
                self._measure_again(False)

    def _do_what_is_due(self) -> None:
        """Do what the compiled loop leaves to Python. An error leaves everything unchanged."""
        due, before = self.state.now[0]["due"], (self.state, self.budget)
        if due == DUE_NOTHING:
            return
        if due == DUE_ROOM:
            self.state = grown(self.state)
        elif due == DUE_BUDGET and self.budget.account[0]["making"]:
            self._make_some_room()
        else:
            self.state, self.budget = copied(self.state), deepcopy(self.budget)
            try:
                if not self.metric_is_final:
                    self._measure_again(due == DUE_BUDGET)
                elif due == DUE_SCALE:
                    self._look_at_scale()
                if due == DUE_BUDGET:
                    self._make_room()
            except BaseException:
                self.state, self.budget = before
                raise
        self.state.now[0]["due"] = DUE_NOTHING

    def learn(
        self, X: Floats, classes: Ints, history: Floats, plan: Plan | None, collect: Collect
    ) -> None:
        """Learn a batch. Samples with too few values are set aside: they are not learnt and belong
        to no category. If a sample's category has faded since, the nearest one counts."""
        usable = self.is_usable(X)
        if not usable.all():
            if plan is not None and not usable[list(plan.samples)].all():
                raise ValueError("A hint refers to a sample of which too many values are missing.")
            if not usable.any() and not self.state.now[0]["n"]:
                raise ValueError("No sample has more than half of its values.")
            self.set_aside += int(np.sum(~usable))
            classes = classes[usable] if len(classes) else classes
            if plan is not None:
                place = np.cumsum(usable) - 1
                given = {int(place[t]): group for t, group in plan.samples.items()}
                plan = plan._replace(samples=given)
        super().learn(X if usable.all() else X[usable], classes, history, plan, collect)
        rows = self.sample_rows
        if rows is not None and (rows < 0).any():
            rows[rows < 0] = self.nearest(X[usable][rows < 0])
        if rows is not None and not usable.all():
            self.sample_rows = np.full(len(X), -1, dtype=np.int64)
            self.sample_rows[usable] = rows

    def is_usable(self, X: Floats) -> Bools:
        """Which samples have enough values to be learnt."""
        return enough(X, self.share) if has_gaps(X) else np.ones(len(X), dtype=bool)

    def sample_of_stream(self) -> Floats:
        """A uniform random sample of at most 512 samples of the stream, in their own units."""
        known: Floats = self.budget.reservoir[: int(self.state.now[0]["n"])]
        return known

    def weigh(self, weight: Floats, share: Floats) -> None:
        """Set, before anything is learnt, how much each feature counts in distances (`weight`) and
        in the decision whether a sample has enough values (`share`)."""
        self.budget.scale[WEIGHT], self.share = weight, share

    def finish_step(self, history: Floats = NO_HISTORY) -> None:
        """Samples are learnt as a whole, but what is due after one may have been interrupted."""
        self._do_what_is_due()

    def _run_hinted(self, *arguments: Any) -> int:
        """Hints take effect when clusters are derived, so categories are learnt as usual."""
        return 0

    def allow(self, max_categories: int, metric: str, half_life: float) -> None:
        """Apply parameters that may have changed since the last batch."""
        account = self.budget.account
        if account[0]["asked"] != max_categories:
            account["asked"] = account["limit"] = max_categories
        if account[0]["half_life"] != half_life:
            set_half_life(self.budget, half_life)
            look = next_look(self.state, self.budget)
            account["next_scale"] = min(account[0]["next_scale"], look)
        if (
            metric != "auto"
            and not self.metric_is_final
            and METRICS[account[0]["metric"]] != metric
        ):
            account["metric"] = METRICS.index(metric)
            if self.state.now[0]["n"]:
                self._measure_again(False)

    def _make_room(self) -> None:
        state, budget = self.state, self.budget
        fade(state, budget)
        account = budget.account[0]
        if state.now[0]["categories"] <= account["limit"]:
            return
        if state.now[0]["n"] >= account["next_extent"]:
            account["touching"] = 1.0 + 12.0 / self._extent().dimension
            account["next_extent"] = int(1.5 * state.now[0]["n"])
        begin_room(budget)
        self._make_some_room()

    def _make_some_room(self) -> None:
        """The next part of it, and its end if that was the last."""
        if self.budget.account[0]["making"] != FINISHED:
            make_some_room(self.state, self.budget)
        if self.budget.account[0]["making"] == FINISHED:
            finish_room(self.budget)

    def _look_at_scale(self) -> None:
        """Fit the scale to the present range of the data, and drop faded categories."""
        if self.budget.account[0]["by_range"]:
            scale_again(self.state, self.budget)
        fade(self.state, self.budget)
        self.budget.account["next_scale"] = next_look(self.state, self.budget)

    # ------------------------------------------------------------------ clusters

    def derive(self) -> None:
        """Derive the clusters from all categories, so that all hints hold.

        Each cluster inherits the id of the earlier cluster with which it shares most samples.
        """
        state = self.state
        state.now[0]["start"] = state.now[0]["goodness"]
        if self._weight != 1.0:  # with a half-life: relative to the weight of a new sample
            rows = rows_of(state)
            state.cat["cp"][rows] = self.budget.spread[rows].sum(axis=1) / self._weight
        wanted = self.n_clusters if self.n_clusters_once is None else self.n_clusters_once
        given = self._partition_input()
        labels, self.decision = derive(given, wanted, self.decision, self.detail, self.criterion)
        self.state = with_room_for(state, int(labels.max()) + 1, self.book.any_apart)
        goodness = self.sign * index_of_partition(self.index.name, given, labels)
        relabel(self.state, labels, goodness)
        settle(self.state)
        find_groups(self.book, self.state)
        write_apart(self.book, self.state)
        self._derived_with = self._wanted()

    def labels_at_detail(self, X: Floats, detail: float) -> Ints:
        """Clusters of samples at another level of detail; the model does not change."""
        (labels,) = self._labels_at((detail,))
        found: Ints = labels[self._place_of_rows()[self.nearest(X)]]
        return found

    def numbers_nearby(self) -> dict[float, int]:
        """Number of clusters at half the present detail, at this detail, and at twice as much."""
        details = (self.detail / 2, self.detail, self.detail * 2)
        numbers = (int(labels.max()) + 1 for labels in self._labels_at(details))
        return dict(zip(details, numbers, strict=True))

    def _labels_at(self, details: tuple[float, ...]) -> tuple[Ints, ...]:
        given = self._partition_input()
        return derive_at(given, self.n_clusters, self.decision, details, self.criterion)

    def _wanted(self) -> tuple[int, int | None, float, str]:
        return int(self.state.now[0]["n"]), self.n_clusters, self.detail, self.criterion

    @property
    def is_derived(self) -> bool:
        """Whether the clusters are those of all samples and of the present parameters."""
        return self._derived_with == self._wanted()

    @property
    def is_outdated(self) -> bool:
        """Whether the stream has grown so far that even single samples need new clusters."""
        learnt = int(self.state.now[0]["n"])
        before = 0 if self._derived_with is None else self._derived_with[0]
        return learnt >= GROWTH * before or learnt < 16

    def _partition_input(self) -> PartitionInput:
        """The categories' footprints in the units in which distances are measured."""
        state, rows, budget = self.state, rows_of(self.state), self.budget
        account = budget.account[0]
        return partition_input(
            state,
            self.book,
            budget.mass[rows] / self._weight,
            budget.image[rows],
            compactnesses(state, budget)[rows],
            self._weight,
            self._extent(),
        )._replace(full=bool(account["limit"] > account["asked"]))

    @property
    def _weight(self) -> float:
        return float(self.budget.account[0]["weight"])

    def _extent(self) -> Extent:
        """How the samples fill their space, estimated from a fixed subset of the reservoir."""
        known = known_samples(self.state, self.budget)
        if len(known) > SAMPLE_FOR_EXTENT:
            chosen = np.random.default_rng(0).permutation(len(known))[:SAMPLE_FOR_EXTENT]
            known = np.ascontiguousarray(known[chosen])
        return extent_of(images(self.budget, self._measured(known)))

    # ------------------------------------------------------------------ hints

    @property
    def holds_whole_clusters(self) -> bool:
        return True

    def carry_out(self, plan: Plan) -> None:
        """Hints hold whenever clusters are derived; a cluster named in a hint stays together."""
        self.state = anchor(self.state, plan)
        self.book = plan.book
        self.budget.account["making"] = 0  # costs have changed, so making room starts again
        if self.state.now[0]["categories"]:
            self.derive()

    def split_in_two(self, place: int) -> bool:
        """Split a cluster where its links are weakest."""
        rows, whole = rows_of(self.state), self._partition_input()
        inside = np.flatnonzero(labels_of(self.state) == place)
        part = some_of(whole, inside)
        if len(np.unique(np.where(part.group >= 0, -1 - part.group, np.arange(len(inside))))) < 2:
            return False
        home = labels_at(forest_of(part, (3,)).trees[0], len(inside), 2)
        leaves = np.zeros(len(self.state.cat), dtype=bool)
        leaves[rows[inside[home != home[0]]]] = True
        self.state = detach(self.state, leaves)
        settle(self.state)
        return True

    # ------------------------------------------------------------------ answers

    @property
    def index(self) -> Index:
        return BY_NAME["ch"]

    @property
    def radius(self) -> float:
        """The greatest cost at which a sample joins a category."""
        return float(self.budget.account[0]["radius"])

    def nearest(self, X: Floats) -> Ints:
        return self._nearest(X)[0]

    def _nearest(self, X: Floats) -> tuple[Ints, Floats]:
        """The category whose cost a sample raises least, and the squared distance of its mean."""
        winners, far = np.empty(len(X), dtype=np.int64), np.empty(len(X))
        X = X.copy() if has_gaps(X) else self._measured(X)
        nearest_categories(self.state, self.budget, X, winners, far)
        return winners, far

    def _partition(self) -> Partition:
        labels, ids = labels_of(self.state), cluster_ids(self.state)
        return Partition(self._partition_input(), labels, ids, self.index.name)

    def _place_of_rows(self) -> Ints:
        """Place of each row in the order of the categories."""
        place = np.zeros(len(self.state.cat), dtype=np.int64)
        place[rows_of(self.state)] = np.arange(int(self.state.now[0]["categories"]))
        return place

    def _fit(self, X: Floats, partition: Partition) -> Fit:
        winners, far = self._nearest(X)
        fit = fit_of(partition, self._place_of_rows()[winners], far)
        constant = self.budget.scale[FACTOR] == 0  # features that have never varied
        known = self.state.box[MEAN, rows_of(self.state)[0], constant]
        there = self._measured(X)[:, constant]
        unseen = (there != known) & ~np.isnan(there)
        return fit._replace(novelty=np.where(unseen.any(axis=1), np.inf, fit.novelty))

    def novelty(self, X: Floats) -> Floats:
        return self._fit(X, self._partition()).novelty

    def is_outlier(self, X: Floats) -> Ints:
        partition = self._partition()
        return np.asarray(self._fit(X, partition).novelty > farthest(partition))

    def footprints(self) -> Footprints:
        """Categories in the units of the data; with "cosine", of unit vectors."""
        rows, budget = rows_of(self.state), self.budget
        mass, cat = budget.mass[rows], self.state.cat[rows]
        deviation = np.sqrt(budget.spread[rows] / mass[:, None])
        mean = self.state.box[MEAN, rows]
        return Footprints(mass / self._weight, mean, deviation, cat["birth"], cat["won"])

    def explain(self, x: Floats) -> Explanation:
        partition = self._partition()
        measured = images(self.budget, self._measured(x[None]))[0]
        gaps = np.isnan(measured)
        measured[gaps] = self.budget.image[self.nearest(x[None])[0], gaps]
        return explain_sample(partition, measured, self.radius, self._fit(x[None], partition))

    def as_measured(self, X: Floats) -> Floats:
        """Samples in the units in which distances are measured; missing values stay missing."""
        return images(self.budget, self._measured(X))

    def deciding_features(self, x: Floats) -> Floats:
        """How much each feature contributes to the choice between the best two clusters."""
        measured = images(self.budget, self._measured(x[None]))[0]
        return deciding_features(self._partition(), measured)

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

    def _measure_again(self, for_good: bool) -> None:
        """Choose metric and scale from the first samples. This happens after fixed numbers of
        samples; reading the model does not trigger it."""
        account, n = self.budget.account, int(self.state.now[0]["n"])
        account["decided"] = for_good or n >= WARM_UP
        first = known_samples(self.state, self.budget)
        by_range = account[0]["metric"] == METRICS.index("euclidean")
        if account[0]["metric"] == METRICS.index("auto"):
            by_range = not are_directions(first)
        measured = first if by_range else unit_vectors(first)
        measure_first_samples(self.state, self.budget, by_range, measured)
        account["next_scale"] = next_look(self.state, self.budget)

    def __setstate__(self, kept: dict[str, Any]) -> None:
        super().__setstate__(kept)
        self.budget = deepcopy(self.budget)
