"""ICVITopoARTMAP: the network behind scikit-learn's contract for clusterers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClusterMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from ._typing import Floats, Ints, Records
from .core.learn import all_within
from .explanations import Explanations
from .hints import Hints, checked_hints
from .icvi.state import LIVE, State
from .network import GREATEST, NO_CLASSES, NO_HISTORY, with_classes
from .parameters import CONSTRAINTS, core_params
from .switch import plain, switch
from .teaching import Plan, Teaching


class ICVITopoARTMAP(ClusterMixin, Teaching, Explanations):
    """Online clustering with iCVI-TopoARTMAP.

    A stream is learnt one sample at a time and not stored. Module A covers it with categories
    (boxes in feature space), a cluster validity index labels every sample, the map field assigns
    categories to clusters, and five strategies repair earlier decisions. Nobody has to know the
    number of clusters.

    Parameters
    ----------
    icvi : {"ch", "wb", "pbm", "xb", "db", "conn"}, default="ch"
        The index that decides. "conn" needs a `rho` that gives several categories per cluster, and
        works best with ``rho_c = rho``.
    rho : float, default=0.0
        Module A's vigilance (the paper's rho_a). With ``match="fuzzy"`` in [0, 1], larger means
        smaller categories; with "cosine" in [0, 2], the greatest distance, smaller means smaller.
    beta1, beta2 : float, default=1.0 and 0.0
        Learning rates of the first and second winner, ``0 <= beta2 <= beta1``, ``0 < beta1 <= 1``.
    alpha : float, default=0.001
        Choice parameter, > 0.
    match : {"fuzzy", "cosine"}, default="fuzzy"
        Match function of module A. For "cosine" set `rho`, and `rho_mt` below it.
    use_uncommitted : bool, default=True
        Whether an uncommitted category competes (the paper's EN_T^u).
    epsilon : float, default=0.01
        The map field's match tracking: MT+ if positive, MT- if negative; in [-1, 1].
    rho_ab : float, default=1.0
        Vigilance of the map field, in [0, 1].
    beta_ab : float, default=1.0
        Learning rate of the map field, in (0, 1].
    map_learning : {"variable", "fixed"}, default="variable"
        Whether a new category opens a new cluster, or joins the one its label says.
    icvi_match_tracking : bool, default=True
        Whether the vigilance is raised while the index gets worse.
    epsilon_icvi : float or None, default=None
        Step of that, > 0; None jumps to `rho_mt` at once.
    rho_mt : float, default=0.9
        The vigilance that it is raised to.
    merge, split, swap, compress, prune : bool, default=True
        The post-processing strategies, in the order in which they run.
    split_type : {"activity", "full", "partial"}, default="activity"
        Activity-based, full- or partial-cluster-decomposition.
    rho_c : float, default=0.0
        Vigilance of compression, in [0, 1].
    tau : int, default=0
        Threshold of the tracker, >= 0: match tracking engages at `tau`, split above it.
    phi : int, default=5
        Clusters with fewer samples are pruned once inactive; >= 0.
    xi : int, default=200
        Samples without a win after which a category counts as inactive; >= 1.
    second_winner_vigilance : {"user", "raised"}, default="user"
        Vigilance that tests the second winner: `rho`, as the paper says, or the one in force.
    escape_single_cluster : bool, default=True
        While there is one cluster, use `rho_mt` as the vigilance. Ours, not the paper's: without
        it, one category may swallow a stream whose features hardly vary at the start.
    record_history : bool, default=False
        Whether to keep `history_`, a row per sample.
    record_events : bool or int, default=False
        Whether to record changes (`events_`), and how many of the latest are kept; True keeps 4096.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample of the last call, 0 to ``n_clusters_ - 1``. After `fit`, what
        `predict` says (the paper's way to evaluate); after `partial_fit`, the cluster of the
        category that learnt the sample.
    n_clusters_, n_categories_ : int
    n_samples_seen_ : int
    icvi_value_ : float
        The index, in its own direction; NaN while there is one cluster.
    tracker_ : int
        How often the index got worse lately (the paper's v).
    rho_ : float
        Module A's vigilance in force for the last sample.
    categories_ : Categories
    clusters_ : Clusters
    conn_ : scipy.sparse.csr_array of shape (n_categories_, n_categories_)
        How often two categories were first and second winner together.
    class_clusters_ : dict
        Cluster of each supervised label seen.
    cluster_ids_ : ndarray of shape (n_clusters_,)
        Permanent id of each cluster: ``cluster_ids_[labels_]`` are ids of samples. Of clusters that
        merge, the largest keeps its id; of the parts of one that is split, the largest does.
    aliases_ : dict of int
        Where every id that has ended went: to a living one.
    names_ : dict
        Names of clusters, by id.
    events_ : list of Event
        If `record_events`: the latest changes, oldest first; see also `new_events`, `on_event`.
    work_ : dict of int
        How often a strategy searched (merge_walks, swap_searches, compressions), how often a
        proof made that needless (merge_proofs, swap_proofs, compress_proofs), and the dearer
        attempts at a proof for merge (merge_paths, floor_renewals).
    history_ : dict of ndarray
        If `record_history`: icvi_value, tracker, rho, n_categories, n_clusters after each sample.
    n_features_in_ : int

    Notes
    -----
    Deviations from the printed paper, and why, are listed in docs/paper-map.md. Calls from several
    threads are carried out one after the other.

    References
    ----------
    L. E. Brito da Silva, N. Rayapati, D. C. Wunsch II: "Incremental cluster validity index-guided
    online learning for performance and robustness to presentation order".

    Examples
    --------
    >>> import numpy as np
    >>> from streamart import ICVITopoARTMAP
    >>> X = np.array([[0.0, 0], [0, 1], [9, 9], [9, 8], [0, 9], [1, 9], [1, 0], [8, 9], [1, 8]])
    >>> ICVITopoARTMAP().fit_predict(X).tolist()
    [1, 1, 2, 2, 0, 0, 1, 2, 0]
    """

    _parameter_constraints = CONSTRAINTS

    def __init__(
        self,
        icvi: str = "ch",
        *,
        rho: float = 0.0,
        beta1: float = 1.0,
        beta2: float = 0.0,
        alpha: float = 0.001,
        match: str = "fuzzy",
        use_uncommitted: bool = True,
        epsilon: float = 0.01,
        rho_ab: float = 1.0,
        beta_ab: float = 1.0,
        map_learning: str = "variable",
        icvi_match_tracking: bool = True,
        epsilon_icvi: float | None = None,
        rho_mt: float = 0.9,
        merge: bool = True,
        split: bool = True,
        split_type: str = "activity",
        swap: bool = True,
        compress: bool = True,
        rho_c: float = 0.0,
        prune: bool = True,
        tau: int = 0,
        phi: int = 5,
        xi: int = 200,
        second_winner_vigilance: str = "user",
        escape_single_cluster: bool = True,
        record_history: bool = False,
        record_events: bool | int = False,
    ) -> None:
        self.icvi = icvi
        self.rho = rho
        self.beta1 = beta1
        self.beta2 = beta2
        self.alpha = alpha
        self.match = match
        self.use_uncommitted = use_uncommitted
        self.epsilon = epsilon
        self.rho_ab = rho_ab
        self.beta_ab = beta_ab
        self.map_learning = map_learning
        self.icvi_match_tracking = icvi_match_tracking
        self.epsilon_icvi = epsilon_icvi
        self.rho_mt = rho_mt
        self.merge = merge
        self.split = split
        self.split_type = split_type
        self.swap = swap
        self.compress = compress
        self.rho_c = rho_c
        self.prune = prune
        self.tau = tau
        self.phi = phi
        self.xi = xi
        self.second_winner_vigilance = second_winner_vigilance
        self.escape_single_cluster = escape_single_cluster
        self.record_history = record_history
        self.record_events = record_events

    # ------------------------------------------------------------------ learning

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> ICVITopoARTMAP:
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
            self._sample_rows = self._nearest(X)[0]
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, X: ArrayLike, y: Any = None, *, hints: Hints | dict[str, Any] | None = None
    ) -> ICVITopoARTMAP:
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
        self, X: ArrayLike, y: Any, hints: Hints | dict[str, Any] | None, named: bool = True
    ) -> ICVITopoARTMAP:
        """`partial_fit`; `named`: the features of X may have names."""
        params = self._checked_params()
        if y is not None and hints is not None:
            raise ValueError("Give either y or hints, not both: a name in hints is a label too.")
        with self._guard():
            first = not hasattr(self, "_state")
            if not first:
                self._refuse_change(params)
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
        check_is_fitted(self, "_state")
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
        self._now()
        sample = np.array(x, dtype=np.float64, ndmin=1)[None]
        with self._guard():
            if sample.shape != (1, self.n_features_in_) or not all_within(sample[0], GREATEST):
                sample = self._checked_samples(sample, reset=False, named=False)
            return int(self._clusters_of_nearest(sample)[0])

    @property
    def labels_(self) -> Ints:
        return self._clusters_of_samples()

    @switch
    def merge(self, a: int | str, b: int | str) -> int:
        """Make two clusters (ids or names) one, for good; returns the id that is kept.

        What they hold will never be taken apart again by strategies, as if a hint said that they
        are together; `undo` takes it back. (``merge`` is also a parameter: whether the network
        merges by itself.)
        """
        return self._merge(a, b)

    @switch
    def split(self, cluster: int | str) -> int:
        """Split a cluster (id or name) in two, for good; returns the id of the new part.

        Where, the index says (the paper's partial-cluster-decomposition). Strategies will not merge
        the two again; `undo` takes it back. (``split`` is also a parameter.)
        """
        return self._split(cluster)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters of the estimator, as they were given."""
        return {name: plain(self, name) for name in self._get_param_names()}

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

    def _checked_params(self) -> Records:
        return core_params(type(self).__name__, self.get_params())
