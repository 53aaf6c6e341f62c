"""What a clusterer of ours does: learn samples, by the batch or one by one, and predict."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClusterMixin, _fit_context

from ._typing import Floats, Ints
from .core.learn import all_within
from .core.strategies.cut import Decision
from .core.strategies.repartition import Matter, adopt_partition, derive
from .explanations import Explanations
from .hints import HintBook, Hints, checked_hints
from .icvi.state import LIVE, State, moved, room_of
from .measure import Extent
from .network import (
    GREATEST,
    NO_CLASSES,
    NO_HISTORY,
    rows_of,
    table_of_links,
    with_classes,
)
from .teaching import Plan, Teaching, find_groups, write_apart

Self = TypeVar("Self", bound="Clusterer")


class Clusterer(ClusterMixin, Teaching, Explanations):
    """Learning and prediction. What its parameters are, and how it learns, a subclass says."""

    # ------------------------------------------------------------------ learning

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self: Self, X: ArrayLike, y: Any = None) -> Self:
        """Learn a stream from the beginning, forgetting what was learnt before.

        Ids begin at 0 again; names, hints and events are forgotten too.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples, in the order of their arrival.
        y : Ignored
            For scikit-learn's sake. Supervised labels go to `partial_fit`.
        """
        params = self._checked_params()
        with self._guard():
            X = self._checked_samples(X, reset=True)
            self._forget()
            self._names: dict[int, int] = {}
            self._take_in(self._empty(params, X.shape[1]), X, NO_CLASSES, None, None)
            self._look_again(X)
        return self

    def _look_again(self, X: Floats) -> None:
        """After `fit`, samples are where the whole stream puts them."""
        self._sample_rows = self._nearest(X)[0]

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self: Self, X: ArrayLike, y: Any = None, *, hints: Hints | dict[str, Any] | None = None
    ) -> Self:
        """Go on learning with more samples.

        In one go or sample by sample gives the same model, bit by bit. A refused batch leaves the
        model as it was.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            Supervised labels, which decide the cluster of their samples. -1 marks a sample
            without one; labels are integers from 0. (The paper's: later, strategies may merge or
            split clusters of labelled samples. Hints hold for ever.)
        hints : Hints or dict, default=None
            What a person knows: names, what is together, what is apart.
        """
        return self._go_on(X, y, hints)

    def _go_on(
        self: Self, X: ArrayLike, y: Any, hints: Hints | dict[str, Any] | None, named: bool = True
    ) -> Self:
        """`partial_fit`; `named`: the features of X may have names."""
        params = self._checked_params()
        if y is not None and hints is not None:
            raise ValueError("Give either y or hints, not both: a name in hints is a label too.")
        with self._guard():
            first = not hasattr(self, "_state")
            if not first:
                self._refuse_change(params)
            if not first and hints is not None:
                self._now()  # hints speak of clusters as they are now
            state = None if first else self._state
            with self._checking():
                X = self._checked_samples(X, reset=first, named=named)
                labels = None if y is None else self._checked_labels(y, len(X))
                said = None if hints is None else checked_hints(hints, len(X))
                plan = None if said is None else self._plan(said, state, self._rows_taken())
            if state is None:
                self._names = {}
                state = self._empty(params, X.shape[1])
            past = None if first else getattr(self, "history_", None)
            self._take_in(state, X, self._rows_of_labels(labels), past, plan)
        return self

    def learn_one(self, x: ArrayLike, y: int | None = None) -> int:
        """Learn one sample and return its cluster: `partial_fit` with little around it.

        The same model comes out as with `partial_fit`. Parameters are looked at only when the
        first sample arrives.

        Parameters
        ----------
        x : array-like of shape (n_features,)
        y : int, default=None
            Supervised label, an integer from 0; None or -1 for none.

        Examples
        --------
        >>> from streamart import ICVITopoARTMAP
        >>> model = ICVITopoARTMAP()
        >>> [model.learn_one(x) for x in ([0, 0], [9, 9], [0, 1], [8, 9], [1, 0])]
        [0, 1, 0, 1, 0]
        """
        sample = np.array(x, dtype=np.float64, ndmin=1)[None]
        with self._guard():
            state = self.__dict__.get("_state")
            if (
                state is None
                or y is not None
                or self.record_history
                or bool(self.record_events) != bool(len(state.event))
                or sample.shape != (1, state.feature.shape[1])
                or not all_within(sample[0], GREATEST)
            ):  # with all checks, which say what is wrong
                self._validate_params()
                self._go_on(sample, None if y is None else [y], None, named=False)
                return int(self.labels_[0])
            slot = np.empty(1, dtype=np.int64)
            state = self._state = self._run_over(state, sample, NO_CLASSES, slot, NO_HISTORY)
            self._sample_rows = None
            if self.__dict__.get("_listeners"):
                now = state.now[0]
                if now["events"] != now["told"] or self.__dict__.get("_unheard"):
                    self._tell()
            return int(slot[0])

    def _take_in(
        self,
        state: State,
        X: Floats,
        classes: Ints,
        past: dict[str, Any] | None,
        plan: Plan | None,
    ) -> None:
        """Learn a batch that has been checked."""
        state = self._with_ring(with_classes(state, self._rows_taken()))
        if plan is not None:
            state = self._carry_out(plan, state)
            classes = np.full(len(X), -1, dtype=np.int64)
            classes[list(plan.samples)] = list(plan.samples.values())
        self._learn(state, X, classes, past, plan)
        self._tell()

    def _rows_of_labels(self, labels: Ints | None) -> Ints:
        """Where the supervised labels stand in ``state.classes``; new ones come last."""
        if labels is None or not np.any(labels >= 0):
            return NO_CLASSES
        taken = self._rows_taken()
        for label in labels[labels >= 0].tolist():
            if label not in self._names:
                self._names[label] = taken
                taken += 1
        return np.array([self._names.get(label, -1) for label in labels.tolist()], dtype=np.int64)

    def _clusters_of_nearest(self, X: Floats) -> Ints:
        clusters: Ints = self._state.label[LIVE, self._nearest(X)[0]]
        return clusters

    def predict(self, X: ArrayLike, *, outliers: bool = False) -> Ints:
        """Cluster of the most activated category for each sample; learns nothing.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        outliers : bool, default=False
            Whether to answer -1 where no category passes vigilance, the one in force (`rho_`):
            where the nearest point of every box is too far from the sample.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        self._now()
        X = self._checked_samples(X, reset=False)
        with self._guard():
            labels = self._clusters_of_nearest(X)
            return np.where(self._outliers(X), -1, labels) if outliers else labels

    def predict_one(self, x: ArrayLike) -> int:
        """`predict` for one sample, with little around it.

        Examples
        --------
        >>> from streamart import ICVITopoARTMAP
        >>> model = ICVITopoARTMAP().partial_fit([[0.0, 0], [9, 9], [0, 1], [8, 9]])
        >>> model.predict_one([8, 8])
        1
        """
        self._ready()
        sample = np.array(x, dtype=np.float64, ndmin=1)[None]
        with self._guard():
            if sample.shape != (1, self.n_features_in_) or not all_within(sample[0], GREATEST):
                sample = self._checked_samples(sample, reset=False, named=False)
            return int(self._clusters_of_nearest(sample)[0])

    def _ready(self) -> None:
        """Before one sample is predicted."""
        self._now()

    @property
    def labels_(self) -> Ints:
        return self._clusters_of_samples()

    @property
    def class_clusters_(self) -> dict[int, int]:
        self._now()
        clusters = self._state.classes["cluster"]
        return {label: int(clusters[row]) for label, row in self._names.items()}

    # ------------------------------------------------------------------ checks

    def _checked_labels(self, y: Any, n_samples: int) -> Ints:
        labels = np.asarray(y)
        if labels.shape != (n_samples,):
            raise ValueError(
                f"y has shape {labels.shape}; one label per sample, ({n_samples},), is needed."
            )
        if labels.dtype.kind not in "iu":
            raise ValueError(
                f"y has dtype {labels.dtype}; labels are integers from 0, and -1 for a sample "
                "without one."
            )
        if labels.size and labels.min() < -1:
            raise ValueError(
                f"y holds {labels.min()}; labels are integers from 0, and -1 for none."
            )
        return labels.astype(np.int64)

    # ------------------------------------------------------------------ clusters derived anew

    def _matter(self, state: State, book: HintBook) -> Matter:
        """What clusters are derived from."""
        raise NotImplementedError

    def _regroup(
        self, state: State, criterion: str, n_clusters: int | None
    ) -> tuple[State, Decision | None]:
        """The strategy `repartition`: hints hold, and ids are those of what is most alike."""
        book = self._book()
        matter = self._matter(state, book)
        labels, decision = derive(matter, criterion, n_clusters)
        state = _with_room_for(state, int(labels.max()) + 1, book.any_apart)
        self._collect(state)
        self._adopt(state, matter, labels)
        find_groups(book, state)
        write_apart(book, state)
        return state, decision

    def _adopt(self, state: State, matter: Matter, labels: Ints) -> None:
        """The clusters become these."""
        adopt_partition(state, labels)


def matter_of(state: State, book: HintBook, mean: Floats, cp: Floats, extent: Extent) -> Matter:
    """The categories with these means and compactnesses, and what was said of them."""
    rows = rows_of(state)
    count = len(rows)
    conn, apart = table_of_links(state), np.zeros((count, count))
    groups = state.cat["group"][rows].tolist()
    root = np.array([book.root(g) if g >= 0 else -1 for g in groups], dtype=np.int64)
    for group in np.unique(root[root >= 0]):
        apart[np.ix_(root == group, np.isin(root, book.apart_from(int(group))))] = 1.0
    n = state.cat["n"][rows].astype(float)
    lost = conn.diagonal().copy()
    np.fill_diagonal(conn, 0.0)
    return Matter(n, np.ascontiguousarray(mean), cp, conn, lost, root, apart, *extent)


def _with_room_for(state: State, k: int, apart: bool) -> State:
    """The state with room for so many clusters, and, to keep some apart, for that."""
    now, room = state.now[0], room_of(state)
    clusters = max(k, int(now["settled_k"])) + 2
    wanted = room._replace(
        clusters=_doubled(room.clusters, clusters),
        ids=_doubled(room.ids, int(now["ids"]) + clusters),
        apart=apart or room.apart,
    )
    return state if wanted == room else moved(state, wanted)


def _doubled(room: int, wanted: int) -> int:
    while room < wanted:
        room *= 2
    return room
