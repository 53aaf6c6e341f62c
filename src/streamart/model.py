"""ICVITopoARTMAP: the network behind scikit-learn's estimator contract."""

from __future__ import annotations

import math
import os
import threading
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from ._typing import Floats, Ints, Records
from .core.learn import all_within, predict, run
from .core.programs import call
from .core.strategies.compress import compress_inactive
from .core.strategies.split import decompose
from .data.tables import as_table
from .icvi.links import link_table
from .icvi.registry import BY_NAME
from .icvi.state import (
    DUE_COMPRESSION,
    DUE_DECOMPOSITION,
    HI,
    LIVE,
    LO,
    MEAN,
    SPLIT_ACTIVITY,
    SPLIT_FULL,
    SPLIT_OFF,
    SPLIT_PARTIAL,
    Room,
    State,
    allocate,
    copied,
    grown,
    make_params,
    moved,
    room_of,
)

# Squared distances, times the number of samples, must stay finite.
_GREATEST = 1e140
HISTORY_COLUMNS = ("icvi_value", "tracker", "rho", "n_categories", "n_clusters")
_NO_CLASSES = np.empty(0, dtype=np.int64)
_NO_HISTORY = np.empty((0, len(HISTORY_COLUMNS)))
WORK = (
    "merge_walks",
    "merge_proofs",
    "merge_paths",
    "floor_renewals",
    "swap_searches",
    "swap_proofs",
    "compressions",
    "compress_proofs",
)
_SPLITS = {"activity": SPLIT_ACTIVITY, "full": SPLIT_FULL, "partial": SPLIT_PARTIAL}


class Categories(NamedTuple):
    """Module A's categories, one row each."""

    lower: Floats
    """Lower corner of the box, in the units of the data."""
    upper: Floats
    """Upper corner of the box."""
    n: Ints
    """Samples learnt."""
    mean: Floats
    """Mean of these samples."""
    cp: Floats
    """Compactness: sum of squared distances of these samples from their mean."""
    inactivity: Ints
    """Samples since the category last won."""
    cluster: Ints
    """Cluster that the map field gives it."""


class Clusters(NamedTuple):
    """Footprints of the clusters, one row each."""

    n: Ints
    mean: Floats
    cp: Floats
    n_categories: Ints


class ICVITopoARTMAP(ClusterMixin, BaseEstimator):
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

    _parameter_constraints: dict[str, list[Any]] = {
        "icvi": [StrOptions(set(BY_NAME))],
        "rho": [Interval(Real, 0, 2, closed="both")],
        "beta1": [Interval(Real, 0, 1, closed="right")],
        "beta2": [Interval(Real, 0, 1, closed="both")],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "match": [StrOptions({"fuzzy", "cosine"})],
        "use_uncommitted": ["boolean"],
        "epsilon": [Interval(Real, -1, 1, closed="both")],
        "rho_ab": [Interval(Real, 0, 1, closed="both")],
        "beta_ab": [Interval(Real, 0, 1, closed="right")],
        "map_learning": [StrOptions({"variable", "fixed"})],
        "icvi_match_tracking": ["boolean"],
        "epsilon_icvi": [Interval(Real, 0, None, closed="neither"), None],
        "rho_mt": [Interval(Real, 0, 2, closed="both")],
        "merge": ["boolean"],
        "split": ["boolean"],
        "split_type": [StrOptions(set(_SPLITS))],
        "swap": ["boolean"],
        "compress": ["boolean"],
        "rho_c": [Interval(Real, 0, 1, closed="both")],
        "prune": ["boolean"],
        "tau": [Interval(Integral, 0, None, closed="left")],
        "phi": [Interval(Integral, 0, None, closed="left")],
        "xi": [Interval(Integral, 1, None, closed="left")],
        "second_winner_vigilance": [StrOptions({"user", "raised"})],
        "escape_single_cluster": ["boolean"],
        "record_history": ["boolean"],
    }

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

    # ------------------------------------------------------------------ learning

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> ICVITopoARTMAP:
        """Learn a stream from the beginning, forgetting what was learnt before.

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
            self._learn(self._empty(params, X.shape[1]), {}, X, None, None)
            self.labels_ = self._clusters_of_nearest(X)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: ArrayLike, y: Any = None) -> ICVITopoARTMAP:
        """Go on learning with more samples.

        In one go or sample by sample gives the same model, bit by bit. A refused batch leaves the
        model as it was.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            Supervised labels, which decide the cluster of their samples. -1 marks a sample
            without one; labels are integers from 0.
        """
        params = self._checked_params()
        labels = None if y is None else self._checked_labels(y, _num_samples(X))
        with self._guard():
            first = not hasattr(self, "_state")
            X = self._checked_samples(X, reset=first)
            if first:
                state, names, past = self._empty(params, X.shape[1]), {}, None
            else:
                state, names, past = self._state, self._names, getattr(self, "history_", None)
                self._refuse_change(params)
            self._learn(state, names, X, labels, past)
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
                or sample.shape != (1, state.feature.shape[1])
                or not call(all_within, state, sample, _GREATEST)
            ):  # with all checks, which say what is wrong
                self.partial_fit(sample, None if y is None else [y])
                return int(self.labels_[0])
            slot = np.empty(1, dtype=np.int64)
            state = self._state = self._run_over(state, sample, _NO_CLASSES, slot, _NO_HISTORY)
            self.labels_ = state.label[LIVE, state.now["winner"][:1]]
            return int(self.labels_[0])

    def _learn(
        self,
        state: State,
        names: dict[int, int],
        X: Floats,
        labels: Ints | None,
        past: dict[str, Any] | None,
    ) -> None:
        """Run the compiled core over a batch and take over what it leaves."""
        if labels is not None and np.any(labels >= 0):
            known = dict(names)
            for label in labels[labels >= 0].tolist():
                known.setdefault(label, len(known))
            names = known
            classes = np.array([names.get(label, -1) for label in labels.tolist()], dtype=np.int64)
            if len(names) > len(state.classes):
                state = moved(state, room_of(state)._replace(classes=len(names)))
        else:
            classes = _NO_CLASSES
        categories = int(state.now[0]["categories"])
        state = state._replace(joined=np.arange(categories + len(X)))
        state.cat["slot"][state.order[:categories]] = state.joined[:categories]
        state.now[0]["slots"] = categories
        slots = np.empty(len(X), dtype=np.int64)
        history = _NO_HISTORY
        if self.record_history:
            history = np.empty((len(X), len(HISTORY_COLUMNS)))
        state = self._run_over(state, X, classes, slots, history)
        self.labels_ = _clusters_of_slots(state, slots)
        self._state, self._names = state._replace(joined=_NO_CLASSES), names
        if self.record_history:
            history[:, 0] *= self._sign()
            fresh = {
                name: column if name in ("icvi_value", "rho") else column.astype(np.int64)
                for name, column in zip(HISTORY_COLUMNS, history.T, strict=True)
            }
            if past:
                fresh = {name: np.concatenate([past[name], fresh[name]]) for name in fresh}
            self.history_ = fresh

    def _run_over(
        self, state: State, X: Floats, classes: Ints, slots: Ints, history: Floats
    ) -> State:
        """Learn a batch, whatever it takes; the arrays may be other ones afterwards."""
        reached = 0
        while reached < len(X):
            reached = call(run, state, X, classes, slots, history, reached)
            if reached < len(X):
                due = state.now[0]["due"]
                if due == DUE_COMPRESSION:
                    call(compress_inactive, state)
                elif due == DUE_DECOMPOSITION:
                    call(decompose, state)
                else:
                    state = grown(state)
        return state

    def _clusters_of_nearest(self, X: Floats) -> Ints:
        winners = np.empty(len(X), dtype=np.int64)
        call(predict, self._state, X, winners)
        clusters: Ints = self._state.label[LIVE, winners]
        return clusters

    def predict(self, X: ArrayLike) -> Ints:
        """Cluster of the most activated category for each sample; learns nothing.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        check_is_fitted(self, "_state")
        X = self._checked_samples(X, reset=False)
        with self._guard():
            return self._clusters_of_nearest(X)

    # ------------------------------------------------------------------ checks

    def _checked_samples(self, X: ArrayLike, reset: bool) -> Floats:
        remembered = ("n_features_in_", "feature_names_in_")
        before = {name: self.__dict__[name] for name in remembered if name in self.__dict__}
        try:
            X = as_table(X)
            checked: Floats = validate_data(self, X, reset=reset, dtype=np.float64, order="C")
            checked = np.require(checked, requirements=("C", "ALIGNED", "WRITEABLE"))
            if np.abs(checked).max() > _GREATEST:
                raise ValueError(
                    f"X holds values beyond {_GREATEST:g}, whose squares overflow a 64-bit float; "
                    "scale it down."
                )
        except Exception:
            for name in remembered:
                self.__dict__.pop(name, None)
            self.__dict__.update(before)
            raise
        return checked

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
        if self.match == "fuzzy":
            for name in ("rho", "rho_mt"):
                if getattr(self, name) > 1:
                    raise ValueError(
                        f"The {name!r} parameter of ICVITopoARTMAP must be in the range [0, 1] "
                        f"with match='fuzzy'. Got {getattr(self, name)!r} instead."
                    )
        if self.beta2 > self.beta1:
            raise ValueError(
                f"The 'beta2' parameter of ICVITopoARTMAP must be in the range [0, beta1] = "
                f"[0, {self.beta1!r}]. Got {self.beta2!r} instead."
            )
        gap = self.rho - self.rho_mt if self.match == "cosine" else self.rho_mt - self.rho
        return make_params(
            code=BY_NAME[self.icvi].code,
            cosine=self.match == "cosine",
            use_uncommitted=self.use_uncommitted,
            variable=self.map_learning == "variable",
            icvi_match_tracking=self.icvi_match_tracking,
            merge=self.merge,
            split=_SPLITS[self.split_type] if self.split else SPLIT_OFF,
            swap=self.swap,
            compress=self.compress,
            prune=self.prune,
            tau=self.tau,
            phi=self.phi,
            xi=self.xi,
            second_raised=self.second_winner_vigilance == "raised",
            escape=self.escape_single_cluster,
            prove=True,
            rho=self.rho,
            beta1=self.beta1,
            beta2=self.beta2,
            alpha=self.alpha,
            epsilon=self.epsilon,
            rho_ab=self.rho_ab,
            beta_ab=self.beta_ab,
            epsilon_icvi=gap if self.epsilon_icvi is None else self.epsilon_icvi,
            rho_mt=self.rho_mt,
            rho_c=self.rho_c,
        )

    def _empty(self, params: Records, d: int) -> State:
        return allocate(params, d, Room())

    def _refuse_change(self, params: Records) -> None:
        """The arrays of a model are laid out for its parameters."""
        before, now = self._state.params[0], params[0]
        names = self._state.params.dtype.names or ()
        changed = [name for name in names if before[name] != now[name]]
        if changed:
            raise ValueError(
                f"Parameters changed since the model began to learn ({', '.join(changed)}). "
                "Use fit to start anew, or set them back."
            )

    # ------------------------------------------------------------------ what can be read

    def _sign(self) -> int:
        return -1 if BY_NAME[self.icvi].smaller_is_better else 1

    def _now(self) -> Any:
        check_is_fitted(self, "_state")
        return self._state.now[0]

    @property
    def n_samples_seen_(self) -> int:
        return int(self._now()["n"])

    @property
    def n_clusters_(self) -> int:
        return int(self._now()["k"])

    @property
    def n_categories_(self) -> int:
        return int(self._now()["categories"])

    @property
    def icvi_value_(self) -> float:
        value = float(self._now()["goodness"])
        return value if math.isnan(value) else self._sign() * value

    @property
    def tracker_(self) -> int:
        return int(self._now()["tracker"])

    @property
    def rho_(self) -> float:
        return float(self._now()["step_vigilance"])

    @property
    def work_(self) -> dict[str, int]:
        now = self._now()
        return {name: int(now[name]) for name in WORK}

    @property
    def categories_(self) -> Categories:
        samples = self._now()["n"]
        state, rows = self._state, _rows(self._state)
        return Categories(
            state.box[LO, rows],
            state.box[HI, rows],
            state.cat["n"][rows],
            state.box[MEAN, rows],
            state.cat["cp"][rows],
            samples - state.cat["won"][rows],
            state.label[LIVE, rows],
        )

    @property
    def clusters_(self) -> Clusters:
        k = int(self._now()["k"])
        clusters = self._state.clu[LIVE, :k]
        return Clusters(
            clusters["n"].copy(),
            self._state.mean[LIVE, :k].copy(),
            clusters["cp"].copy(),
            clusters["size"].copy(),
        )

    @property
    def conn_(self) -> csr_array:
        p = int(self._now()["categories"])
        rows, columns, weights = link_table(self._state)
        return csr_array((weights, (rows, columns)), shape=(p, p))

    @property
    def class_clusters_(self) -> dict[int, int]:
        self._now()
        return {label: int(self._state.classes[name]) for label, name in self._names.items()}

    # ------------------------------------------------------------------ threads, copies, tags

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, from which `streamart.load` reads it; see `persistence`."""
        from .persistence import save

        save(self, path)

    def _guard(self) -> threading.RLock:
        lock: threading.RLock = self.__dict__.setdefault("_lock", threading.RLock())
        return lock

    def __getstate__(self) -> dict[str, Any]:
        """What pickle and copy take: everything but the lock, at a moment when nobody learns."""
        with self._guard():
            kept: dict[str, Any] = dict(super().__getstate__())
            kept.pop("_lock", None)
            if "_state" in kept:
                kept["_state"] = copied(kept["_state"])
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Arrays may come from a file that was mapped into memory and cannot be written."""
        super().__setstate__(kept)
        if "_state" in self.__dict__:
            self._state = copied(self._state)


def _rows(state: State) -> Ints:
    """Where the categories are in the arrays, in their order."""
    rows: Ints = state.order[: int(state.now[0]["categories"])]
    return rows


def _clusters_of_slots(state: State, slots: Ints) -> Ints:
    """Cluster of each sample of the batch, through all compressions since it was learnt."""
    joined, rows = state.joined, _rows(state)
    while not np.array_equal(joined, joined[joined]):
        joined = joined[joined]
    cluster = np.zeros(len(joined), dtype=np.int64)
    cluster[state.cat["slot"][rows]] = state.label[LIVE, rows]
    clusters: Ints = cluster[joined[slots]]
    return clusters
