"""StreamART: nothing to set, and no decision is final."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from numbers import Integral
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _num_samples, check_is_fitted

from ._typing import Floats, Ints, Records
from .clusterer import matter_of
from .core.budget import (
    STEEPEST,
    Budget,
    link_again,
    make_budget,
    make_room,
    nearest_fine,
    run_under_budget,
    with_rows,
)
from .core.corrections import relabel_plain, settle
from .core.strategies.cut import CRITERIA, Decision
from .core.strategies.repartition import Matter, index_of_partition, labels_at, tree_of
from .fitting import Questions
from .hints import HintBook, Hints
from .icvi.registry import BY_NAME, Index
from .icvi.state import (
    DUE_BUDGET,
    DUE_NOTHING,
    DUE_ROOM,
    HI,
    LIVE,
    LO,
    MEAN,
    MEAN_ALL,
    PER_RANGE,
    X_MAX,
    X_MIN,
    State,
    grown,
    moved,
    room_of,
)
from .measure import are_embeddings, extent_of, unit_vectors
from .model import ICVITopoARTMAP
from .network import rows_of, with_classes
from .parameters import CONSTRAINTS, core_params
from .teaching import Plan, detach

Self = TypeVar("Self", bound="StreamART")

GROWTH = 1.1
"""One by one, the partition is derived when so many times as many samples have been learnt."""

_CONSTRAINTS: dict[str, list[Any]] = {
    "max_categories": [Interval(Integral, 8, None, closed="left")],
    "criterion": [StrOptions({"auto", *CRITERIA, *BY_NAME})],
    "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
    "metric": [StrOptions({"auto", "euclidean", "cosine"})],
    "random_state": ["random_state"],
    "record_events": CONSTRAINTS["record_events"],
}


class StreamART(Questions):
    """Online clustering with nothing to set, whose decisions can be taken back.

    The stream is covered with fine categories under a budget of memory, which sets the vigilance
    by itself. The clusters are derived from *all* categories whenever somebody asks: no merger is
    final, the order of arrival matters little, and nobody has to know the number of clusters.

    Parameters
    ----------
    max_categories : int, default=300
        The budget: categories kept at most. More are finer, take more memory and time.
    criterion : str, default="auto"
        What decides how many clusters there are. "auto" weighs five criteria, each of which can be
        chosen alone: "modularity", "silhouette", "likelihood", "compactness", "contact"; or an
        index: "ch", "wb", "pbm", "xb", "db", "conn". May be changed at any time.
    n_clusters : int, default=None
        The number of clusters, if it is known. May be changed at any time.
    metric : {"auto", "euclidean", "cosine"}, default="auto"
        "euclidean" scales each feature to the range seen so far; "cosine" takes samples as unit
        vectors, of which only the direction counts, as is right for embeddings. "auto" decides from
        the first samples (`metric_`).
    random_state : int, RandomState instance or None, default=0
        For the sample of 256 that tells how many dimensions the stream fills.
    record_events : bool or int, default=False
        Whether to record changes (`events_`), and how many of the latest are kept; True keeps 4096.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample of the last call, 0 to ``n_clusters_ - 1``.
    n_clusters_, n_categories_, n_samples_seen_ : int
    decision_ : Decision or None
        How the number of clusters was found: every number looked at, with its scores.
    metric_ : str
        "euclidean" or "cosine". With "auto" it may change until 256 samples have been learnt; it is
        asked after 8, 16, 32, ... of them.
    small_clusters_ : ndarray
        Ids of clusters that are too small to trust: with fewer than 3 samples, or less than a tenth
        of the median size.
    icvi_value_ : float
        The Calinski-Harabasz index, or the one that `criterion` names, as distances are measured.
    categories_ : Categories
        In the units of the data; with "cosine", of unit vectors.
    clusters_ : Clusters
    conn_ : scipy.sparse.csr_array of shape (n_categories_, n_categories_)
    cluster_ids_ : ndarray of shape (n_clusters_,)
        Permanent id of each cluster. When clusters are derived again, each inherits the id of the
        one that it shares most samples with.
    aliases_, names_, events_ :
        As those of `ICVITopoARTMAP`.
    class_clusters_ : dict
        Cluster of each supervised label seen.
    n_features_in_ : int

    Notes
    -----
    Not the paper's: what it takes from it, and what not, docs/self-tuning.md says. Ids are matched
    from one derivation to the next, and derivations happen when something is read: the partition
    does not depend on when that was, the ids of clusters that came and went may.

    Examples
    --------
    >>> from streamart import StreamART
    >>> from streamart.data import make_stream
    >>> X, _ = make_stream("random", 300, random_state=0)
    >>> model = StreamART().fit(X)
    >>> model.n_clusters_
    7
    """

    _parameter_constraints = _CONSTRAINTS
    record_history = False

    def __init__(
        self,
        max_categories: int = 300,
        *,
        criterion: str = "auto",
        n_clusters: int | None = None,
        metric: str = "auto",
        random_state: Any = 0,
        record_events: bool | int = False,
    ) -> None:
        self.max_categories = max_categories
        self.criterion = criterion
        self.n_clusters = n_clusters
        self.metric = metric
        self.random_state = random_state
        self.record_events = record_events

    _budget: Budget
    decision_: Decision | None

    # ------------------------------------------------------------------ learning

    def _checked_params(self) -> Records:
        """The core reads the network's; none of them decides anything here."""
        return core_params(type(self).__name__, ICVITopoARTMAP().get_params())

    def _refuse_change(self, params: Records) -> None:
        decided = self._budget.account[0]["decided"]
        if decided and self.metric != "auto" and self.metric != self._metric_now():
            raise ValueError(
                f"The metric has changed since the model began to learn: it was "
                f"{self._metric_now()!r}. Use fit to start anew, or set it back."
            )

    def _empty(self, params: Records, d: int) -> State:
        state = super()._empty(params, d)
        state = moved(state, room_of(state)._replace(plain=True))
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        self._budget = make_budget(
            self.max_categories, self.metric != "cosine", self.metric != "auto", seed, d, 0
        )
        self._derived: tuple[Any, ...] = ()
        self.decision_ = None
        return state

    def _forget(self) -> None:
        super()._forget()
        for name in ("decision_", "_budget", "_derived"):
            self.__dict__.pop(name, None)

    def __setstate__(self, kept: dict[str, Any]) -> None:
        super().__setstate__(kept)
        if "_budget" in self.__dict__:
            self._budget = deepcopy(self._budget)  # its arrays may be mapped from a file, too

    def _look_again(self, X: Floats) -> None:
        """Samples are where the categories are that have learnt them, in the clusters of now."""
        self._now()

    def _go_on(
        self: Self, X: ArrayLike, y: Any, hints: Hints | dict[str, Any] | None, named: bool = True
    ) -> Self:
        """A supervised label is a name."""
        if y is not None and hints is None:
            labels = self._checked_labels(y, _num_samples(X)).tolist()
            hints = Hints({i: str(label) for i, label in enumerate(labels) if label >= 0})
            y = None
        return super()._go_on(X, y, hints, named)

    @property
    def class_clusters_(self) -> dict[int, int]:
        with self._guard():
            ids, names = self.cluster_ids_.tolist(), self.names_.items()
        labels = {i: name for i, name in names if name.isdecimal() and str(int(name)) == name}
        return {int(name): ids.index(i) for i, name in labels.items()}

    def _run_over(
        self, state: State, X: Floats, classes: Ints, slots: Ints, history: Floats, begin: int = 0
    ) -> State:
        samples, reached = self._measured(X), begin
        while reached < len(X):
            self._budget = with_rows(self._budget, len(state.cat))
            reached = run_under_budget(state, self._budget, samples, X, classes, slots, reached)
            due = state.now[0]["due"]
            if due == DUE_ROOM:
                state = grown(state)
            elif due != DUE_NOTHING:
                if not self._budget.account[0]["decided"]:
                    self._decide_metric(state, due == DUE_BUDGET)
                    samples = self._measured(X)
                if due == DUE_BUDGET:
                    self._make_room(state)
        return state

    def _take_in(self, state: State, X: Floats, *rest: Any) -> None:
        account = self._budget.account
        if account[0]["asked"] != self.max_categories:
            account["asked"] = account["limit"] = self.max_categories
        if self.metric != "auto" and not account[0]["decided"]:
            self._measure_by_range(state, self.metric == "euclidean")
            account["decided"] = 1
        super()._take_in(state, X, *rest)
        if self.__dict__.get("_listeners"):
            self._now()  # they hear of what has changed

    def _run_hinted(
        self, state: State, X: Floats, classes: Ints, slots: Ints, history: Floats, plan: Plan
    ) -> State:
        return self._run_over(state, X, classes, slots, history)

    def _make_room(self, state: State) -> None:
        count = int(state.now[0]["categories"])
        numbers = np.empty((2, count), dtype=np.int64)
        make_room(state, self._budget, np.empty((count, count)), *numbers)

    def learn_one(self, x: ArrayLike, y: int | None = None) -> int:
        """Learn one sample and return its cluster, as far as that is known now.

        The clusters are derived again when a tenth more samples have come since; until then a new
        category counts to the cluster of the nearest one. `labels_`, `predict` and all else that
        is read derives them anew.

        Parameters
        ----------
        x : array-like of shape (n_features,)
        y : int, default=None
            Supervised label, an integer from 0; None or -1 for none.

        Examples
        --------
        >>> from streamart import StreamART
        >>> model = StreamART()
        >>> [model.learn_one(x) for x in ([0, 0], [9, 9], [0, 1], [8, 9], [1, 0])]
        [0, 1, 0, 1, 0]
        """
        with self._guard():
            place = super().learn_one(x, y)
            if self._is_outdated():
                self._now()
                place = int(self._state.label[LIVE, self._state.now[0]["winner"]])
            return place

    # ------------------------------------------------------------------ how samples are measured

    @property
    def metric_(self) -> str:
        self._now()
        return self._metric_now()

    def _metric_now(self) -> str:
        return "euclidean" if self._budget.account[0]["by_range"] else "cosine"

    def _measured(self, X: Floats) -> Floats:
        return X if self._budget.account[0]["by_range"] else unit_vectors(X)

    def _decide_metric(self, state: State, for_good: bool) -> None:
        """Asked when the stream has come to certain lengths, whatever is read in between."""
        account, n = self._budget.account, int(state.now[0]["n"])
        account["question"] *= 2
        account["decided"] = for_good or n >= len(self._budget.reservoir)
        self._measure_by_range(state, not are_embeddings(self._budget.reservoir[:n]))

    def _measure_by_range(self, state: State, by_range: bool) -> None:
        """Until it is decided for good, every category is one of the first samples, and copies."""
        budget, n = self._budget, int(state.now[0]["n"])
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
        link_again(state, *self._first_winners(state, first * np.sqrt(budget.weight)))

    def _first_winners(self, state: State, first: Floats) -> tuple[Ints, Ints]:
        """Of the first samples, the category of each, and the nearest that was there before it."""
        rows = rows_of(state)
        births = state.cat["birth"][rows] - 1
        row_of = dict(zip((x.tobytes() for x in self._budget.reservoir[births]), rows, strict=True))
        own = np.array([row_of[x.tobytes()] for x in self._budget.reservoir[: len(first)]])
        far = cdist(first, first[births], "sqeuclidean")
        far[(births >= np.arange(len(first))[:, None]) | (rows == own[:, None])] = np.inf
        beside = np.where(np.isinf(far.min(axis=1)), -1, rows[far.argmin(axis=1)])
        return own, beside

    def _nearest(self, X: Floats, measure: bool = False) -> tuple[Ints, Floats]:
        """The category that each sample adds least to, and its squared distance from the mean;
        that is known whether or not to `measure`."""
        winners, far = np.empty(len(X), dtype=np.int64), np.empty(len(X))
        nearest_fine(self._state, self._budget, self._measured(X), winners, far)
        return winners, far

    # ------------------------------------------------------------------ the partition

    def _wanted(self) -> tuple[Any, ...]:
        """What the partition must have been derived with, to be of use."""
        return int(self._state.now[0]["n"]), self.criterion, self.n_clusters

    def _now(self) -> Any:
        """The network, its clusters derived from all that was learnt so far."""
        super()._now()
        with self._guard():
            if self._derived != self._wanted():
                self._validate_params()
                self._state = self._derive(self._state)
                self._tell()
            return self._state.now[0]

    def _is_outdated(self) -> bool:
        learnt = int(self._state.now[0]["n"])
        return not self._derived or learnt >= GROWTH * self._derived[0] or learnt < 16

    def _ready(self) -> None:
        check_is_fitted(self, "_state")
        if self._is_outdated():
            self._now()

    def _derive(self, state: State) -> State:
        """The clusters anew."""
        state.now[0]["start"] = state.now[0]["goodness"]
        n_clusters = self.__dict__.get("_once", self.n_clusters)
        state, self.decision_ = self._regroup(state, self.criterion, n_clusters)
        self._derived = (int(state.now[0]["n"]), self.criterion, self.n_clusters)
        return state

    def _matter(self, state: State, book: HintBook) -> Matter:
        """Footprints as distances are measured."""
        rows, budget = rows_of(state), self._budget
        scale, known = np.sqrt(budget.weight), budget.reservoir[: int(state.now[0]["n"])]
        return matter_of(
            state,
            book,
            state.box[MEAN, rows] * scale,
            budget.spread[rows] @ budget.weight,
            extent_of(self._measured(known) * scale),
        )

    def _adopt(self, state: State, matter: Matter, labels: Ints) -> None:
        goodness = self._sign() * index_of_partition(self._icvi().name, matter, labels)
        relabel_plain(state, labels, goodness)
        settle(state)

    def _core_index(self) -> Index:
        return BY_NAME["ch"]

    def _icvi(self) -> Index:
        return BY_NAME.get(self.criterion, BY_NAME["ch"])

    # ------------------------------------------------------------------ what a person says

    def merge(self, a: int | str, b: int | str) -> int:
        """Make two clusters (ids or names) one, for good; returns the id that is kept.

        What they hold now stays together, as if a hint said so; `undo` takes it back.
        """
        with self._guard(), self._others_stay(-1):
            return self._merge(a, b)

    def split(self, cluster: int | str) -> int:
        """Split a cluster (id or name) in two, for good; returns the id of the new part.

        Where its links are weakest. The two parts stay whole and apart; `undo` takes it back.
        """
        with self._guard(), self._others_stay(1):
            return self._split(cluster)

    @contextmanager
    def _others_stay(self, more: int) -> Iterator[None]:
        """So many clusters more come of a correction, until there is more to learn from."""
        if self.n_clusters is None:
            self._once = max(1, self.n_clusters_ + more)
        try:
            yield
        finally:
            self.__dict__.pop("_once", None)

    def _holds_whole_clusters(self) -> bool:
        return True

    def _split_in_two(self, place: int) -> bool:
        state = self._state
        rows = rows_of(state)
        inside = np.flatnonzero(state.label[LIVE, rows] == place)
        whole = self._matter(state, self._book())
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
        leaves = np.zeros(len(state.cat), dtype=bool)
        leaves[rows[inside[home != home[0]]]] = True
        self._state = detach(state, leaves)
        settle(self._state)
        return True

    def _carry_out(self, plan: Plan, state: State) -> State:
        """Hints hold whenever the clusters are derived; a cluster spoken of stays together."""
        book, rows = plan.book, rows_of(state)
        state = with_classes(state, max(book.groups, default=-1) + 1)
        for group, anchored in plan.anchors.items():
            state.cat["group"][anchored] = group
        state.cat["group"][~np.isin(state.cat["group"], book.groups)] = -1  # what was taken back
        self._keep_book(book)
        return self._derive(state) if len(rows) else state
