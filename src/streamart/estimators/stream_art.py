"""StreamART: nothing to set, and no decision is final.

Holds the parameters; learning and the derivation of clusters are the engine's
(`engines.fine_categories`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples, check_is_fitted

from .._typing import Floats, Ints
from ..data.encoding import Columns
from ..data.tables import row_as_table
from ..derivation.criterion import LEARNED
from ..derivation.derive import Decision
from ..engines.fine_categories import FineCategoriesEngine
from ..engines.model import Model
from ..history.events import event_room
from ..icvi.state import LIVE, Room, allocate
from ..people.explain import Explanation
from ..people.fit_of_samples import is_small
from ..people.hints import HintFields, Hints
from ..people.plan import Plan
from ..validity.registration import BY_NAME
from .base import OnlineClusterer
from .checks import checked_labels, checked_samples, guard
from .mixed_tables import (
    deciding_columns,
    metric_for,
    numbers_of_table,
    takes_gaps,
    warn_if_all_set_aside,
)
from .network import ICVITopoARTMAP
from .parameters import STREAM_ART_CONSTRAINTS, core_params
from .reading import Reading


class StreamART(ClusterMixin, OnlineClusterer[FineCategoriesEngine]):
    """Online clustering with nothing to set, which revises earlier decisions.

    A limited number of fine categories covers the stream; this budget also determines the
    vigilance. The clusters are derived from *all* categories whenever they are read. So no merger
    is final, the order of arrival matters little, and the number of clusters need not be known.

    Parameters
    ----------
    max_categories : int, default=300
        The budget: the greatest number of categories. More categories are finer, and need more
        memory and time. Up to four times as many are kept if clusters that are clearly apart would
        otherwise have to be merged.
    n_clusters : int, default=None
        The number of clusters, if you know it. It may be changed at any time.
    detail : float, default=1.0
        Coarser (below 1) or finer clusters than those found: 0.5 for about half as many, 2 for
        twice as many. It may be changed at any time.
    criterion : str, default="learned"
        What decides the number of clusters. "learned" is a score that was trained on streams of
        known clusters. The name of a validity index ("ch", "wb", "pbm", "xb", "db", "gd43", "gd53",
        "csil", "ps" or "pcaes") takes the cut with the best value of that index. It may be changed
        at any time.
    half_life : float, default=None
        Number of further samples after which a sample counts half. Categories that have faded are
        dropped, and clusters without categories end. None means that nothing is forgotten. It may
        be changed at any time.
    metric : {"auto", "euclidean", "cosine"}, default="auto"
        "euclidean" scales each feature by the range of most of its values. "cosine" uses only the
        direction of samples, which suits embeddings. "auto" decides from the first samples
        (`metric_`).
    random_state : int, RandomState instance or None, default=0
        Seed of the random sample (512 samples) from which the scales of the features and the
        number of dimensions are estimated.
    record_events : bool or int, default=False
        Whether to record changes (`events_`); a number says how many are kept. True keeps 4096.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Position of the cluster of each sample of the last call, 0 to ``n_clusters_ - 1``.
    ids_ : ndarray of shape (n_samples,)
        Permanent id of the cluster of each of these samples.
    n_clusters_, n_categories_, n_samples_seen_ : int
        Numbers of clusters, of categories, and of samples that were learnt.
    n_clusters_at_detail_ : dict
        Number of clusters at half the present detail, at the present one, and at twice as much.
    n_set_aside_ : int
        Number of samples that were not learnt (-1 in `labels_`), because half of their values or
        more were missing. Otherwise missing values (NaN) are skipped: distances, means and scatter
        use the values that are present.
    columns_ : Columns
        For a table (pandas, polars, pyarrow): how each column is read, judging by its first rows,
        and why. Text with few values is learnt one-hot; identifiers, counters, constants and times
        are left out.
    decision_ : Decision or None
        How the number of clusters was found; ``print(model.decision_)`` says it in words.
    metric_ : str
        "euclidean" or "cosine". With "auto" it may change after 8, 16, 32, ..., 256 samples.
    small_clusters_ : ndarray
        Ids of clusters that are too small to trust: fewer than 3 samples, or less than a tenth of
        the median size.
    icvi_value_ : float
        The Calinski-Harabasz index, in the units in which distances are measured.
    categories_ : Categories
        Categories in the units of the data; with "cosine", of unit vectors.
    clusters_ : Clusters
    conn_ : scipy.sparse.csr_array of shape (n_categories_, n_categories_)
    cluster_ids_ : ndarray of shape (n_clusters_,)
        Permanent id of the cluster at each position. When clusters are derived again, each one
        inherits the id of the earlier cluster with which it shares most samples.
    aliases_, names_, events_ :
        As for `ICVITopoARTMAP`.
    class_ids_ : dict
        Permanent id of the cluster of each supervised label seen.
    rho_ : float
        The vigilance in force: the greatest cost at which a sample joins a category; see `explain`.
    n_features_in_ : int

    Notes
    -----
    This method is not in the paper; docs/self-tuning.md explains it. Clusters are derived when
    something is read, and ids are matched from one derivation to the next. The time of reading does
    not change what is learnt. It may change the number of clusters, because a number that is hardly
    better than the present one does not replace it, and the ids of clusters that existed briefly.

    Examples
    --------
    >>> from streamart import StreamART
    >>> from streamart.data import make_stream
    >>> X, _ = make_stream("random", 300, random_state=0)
    >>> model = StreamART().fit(X)
    >>> model.n_clusters_, model.n_clusters_at_detail_
    (7, {0.5: 4, 1.0: 7, 2.0: 14})
    """

    _parameter_constraints = STREAM_ART_CONSTRAINTS

    def __init__(
        self,
        max_categories: int = 300,
        *,
        n_clusters: int | None = None,
        detail: float = 1.0,
        criterion: str = LEARNED,
        half_life: float | None = None,
        metric: str = "auto",
        random_state: int | np.random.RandomState | None = 0,
        record_events: bool | int = False,
    ) -> None:
        self.max_categories = max_categories
        self.n_clusters = n_clusters
        self.detail = detail
        self.criterion = criterion
        self.half_life = half_life
        self.metric = metric
        self.random_state = random_state
        self.record_events = record_events

    # ------------------------------------------------------------------ the engine

    _takes_gaps = property(takes_gaps)
    _tabulated = numbers_of_table

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _new_engine(self, n_features: int) -> FineCategoriesEngine:
        # The core reads the network's parameters; none of them decides anything here.
        params = core_params(type(self).__name__, ICVITopoARTMAP().get_params())
        room = Room(events=event_room(self.record_events), tables=0, plain=True)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        columns: Columns | None = self.__dict__.get("columns_")
        metric = metric_for(columns, self.metric)
        state = allocate(BY_NAME["ch"], params, n_features, room)
        half_life = float(self.half_life or 0)
        engine = FineCategoriesEngine(state, self.max_categories, metric, half_life, seed)
        if columns is not None:
            engine.weigh(columns.weights, columns.share)
        return engine

    def _refuse_change(self) -> None:
        engine = self._model.engine
        if engine.metric_is_final and self.metric not in ("auto", engine.metric):
            raise ValueError(
                f"metric={self.metric!r} differs from the fitted metric {engine.metric!r}. "
                f"Call fit() to learn from the beginning, or restore metric={engine.metric!r}."
            )

    def _set_parameters(self, learning: bool) -> None:
        engine = self._model.engine
        wanted = self.n_clusters, self.detail, self.criterion
        if (engine.n_clusters, engine.detail, engine.criterion) != wanted:
            self._validate_params()
            engine.n_clusters, engine.detail = self.n_clusters, float(self.detail)
            engine.criterion = self.criterion
        if learning:
            metric = metric_for(self.__dict__.get("columns_"), self.metric)
            engine.allow(self.max_categories, metric, float(self.half_life or 0))

    def _current(self, for_one: bool = False) -> Model[FineCategoriesEngine]:
        """For a single sample, clusters may be slightly out of date."""
        check_is_fitted(self, "_model")
        if for_one and not self._model.engine.is_outdated:
            return self._model
        return super()._current()

    def _go_on(self, X: Any, y: Any, hints: Hints | HintFields | None, named: bool = True) -> None:
        """`partial_fit`, with supervised labels as names."""
        if y is not None and hints is None:
            labels = checked_labels(y, _num_samples(X)).tolist()
            hints = Hints({i: str(label) for i, label in enumerate(labels) if label >= 0})
            y = None
        super()._go_on(X, y, hints, named)

    def _learn(self, X: Floats, classes: Ints, plan: Plan | None) -> None:
        before = self._model.engine.set_aside
        super()._learn(X, classes, plan)
        warn_if_all_set_aside(self._model.engine, before, len(X))

    def predict(self, X: ArrayLike, *, outliers: bool = False, detail: float | None = None) -> Ints:
        """Position (0 to k - 1) of the nearest cluster for each sample. Nothing is learnt.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        outliers : bool, default=False
            Whether to return -1 for samples that fit no cluster; see `novelty`.
        detail : float, default=None
            Coarser (below 1) or finer clusters for this call only. Their positions are numbers from
            0; they have no ids.
        """
        if detail is None:
            return super().predict(X, outliers=outliers)
        if not detail > 0:
            raise ValueError(f"detail must be greater than 0. Got {detail} instead.")
        with self._reading() as model:
            samples = checked_samples(self, X, reset=False)
            labels = model.engine.labels_at_detail(samples, float(detail))
            return np.where(model.engine.is_outlier(samples), -1, labels) if outliers else labels

    def learn_one(self, x: ArrayLike, y: int | None = None) -> int:
        """Learn one sample and return the position of its cluster, which is provisional.

        The clusters are derived again after a tenth more samples. Until then, a new category counts
        to the cluster of the nearest one. Reading an attribute or calling `predict` derives the
        clusters at once. `y` is a supervised label; None or -1 means none.

        Examples
        --------
        >>> from streamart import StreamART
        >>> model = StreamART()
        >>> [model.learn_one(x) for x in ([0, 0], [9, 9], [0, 1], [8, 9], [1, 0])]
        [0, 0, 0, 1, 0]
        """
        with guard(self):
            place = super().learn_one(x, y)
            if place >= 0 and self._model.engine.is_outdated:
                state = self._current().state
                place = int(state.label[LIVE, state.now[0]["winner"]])
            return place

    def merge(self, a: int | str, b: int | str) -> int:
        """Make two clusters (ids or names) one, for good; returns the id that is kept. What they
        hold now stays together, as if a hint said so; `undo` takes it back."""
        with self._others_stay(-1):
            return super().merge(a, b)

    def split(self, cluster: int | str) -> int:
        """Split a cluster (id or name) in two where its links are weakest, for good; returns the id
        of the new part. The two parts stay whole and apart; `undo` takes it back."""
        with self._others_stay(1):
            return super().split(cluster)

    @contextmanager
    def _others_stay(self, more: int) -> Iterator[None]:
        """So many clusters more come of a correction, until there is more to learn from."""
        with self._reading() as model:
            if self.n_clusters is None:
                model.engine.n_clusters_once = max(1, model.n_clusters() + more)
            try:
                yield
            finally:
                model.engine.n_clusters_once = None

    # ------------------------------------------------------------------ questions

    decision_ = Reading[Decision | None](lambda model: model.engine.decision)
    metric_ = Reading[str](lambda model: model.engine.metric)
    rho_ = Reading[float](lambda model: model.engine.radius)
    n_set_aside_ = Reading[int](lambda model: model.engine.set_aside)
    n_clusters_at_detail_ = Reading[dict[float, int]](lambda model: model.engine.numbers_nearby())
    small_clusters_ = Reading[Ints](lambda model: model.cluster_ids()[is_small(model.clusters().n)])

    @property
    def class_ids_(self) -> dict[int, int]:
        named = self.names_.items()
        return {int(name): i for i, name in named if name.isdecimal() and str(int(name)) == name}

    def novelty(self, X: ArrayLike) -> Floats:
        """How badly each sample fits what was learnt: about 1 at most for what is like it.

        The squared distance from the samples of the category where it fits best, as expected, in
        units of that between neighbours in that category's cluster. `predict` with
        ``outliers=True`` answers -1 above 1 + 5/d, where d is the number of dimensions that the
        stream fills: 3.5 in two, 1.2 in 25. What was learnt stays an outlier until there are ten
        samples like it.

        Examples
        --------
        >>> from streamart import StreamART
        >>> from streamart.data import make_stream
        >>> X, _ = make_stream("random", 300, random_state=0)
        >>> model = StreamART().fit(X)
        >>> model.predict([X[0], [90, 90]], outliers=True).tolist()[1]
        -1
        """
        with self._reading() as model:
            return model.engine.novelty(checked_samples(self, X, reset=False))

    def explain(self, x: ArrayLike) -> Explanation:
        """What the model would do with one sample, and why; nothing is learnt.

        `activation` of a category is minus the cost of joining it (Ward's), `match` that cost,
        `vigilance` what it may be at most; `deciding` names the columns that decide between the
        best two clusters. There is no map field to pass (`decision_`).

        Examples
        --------
        >>> from streamart import StreamART
        >>> model = StreamART().partial_fit([[0.0, 0], [10, 10], [0, 1], [9, 10]])
        >>> model.explain([0.5, 0.5]).predicted
        0
        """
        with self._reading() as model:
            table = row_as_table(x)
            row = np.asarray(x, dtype=object)[None] if table is None else table
            sample = checked_samples(self, row, reset=False, named=table is not None)[0]
            deciding = deciding_columns(self, model.engine.deciding_features(sample))
            return model.engine.explain(sample)._replace(deciding=deciding)
