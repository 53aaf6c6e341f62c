"""ICVITopoARTMAP: the network behind scikit-learn's contract for clusterers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._typing import Records
from .clusterer import Clusterer, matter_of
from .core.strategies.repartition import Matter
from .hints import HintBook
from .icvi.state import MEAN, State
from .measure import Extent, participation_ratio
from .network import rows_of
from .parameters import CONSTRAINTS, core_params
from .switch import plain, switch


class ICVITopoARTMAP(Clusterer):
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
    repartition : str, default=None
        Ours, not the paper's: a strategy that derives the clusters anew from all categories, after
        every `xi` samples, whatever they were before. Names what decides how many there are, as
        `criterion` of `StreamART` does: "auto", say. None leaves it out. It needs a `rho` that
        gives several categories per cluster.
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
        How often a strategy searched (merge_walks, splits, swap_searches, compressions, and
        compressions_in_place, where one category alone had to be looked at), how often a
        proof made that needless (merge_proofs, split_proofs, swap_proofs, compress_proofs), and
        the dearer attempts at a proof for merge (merge_paths, floor_renewals).
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
        repartition: str | None = None,
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
        self.repartition = repartition
        self.record_history = record_history
        self.record_events = record_events

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

    # ------------------------------------------------------------------ checks

    def _holds_whole_clusters(self) -> bool:
        return self.repartition is not None

    def _repartition(self, state: State) -> State:
        assert self.repartition is not None
        return self._regroup(state, self.repartition, None)[0]

    def _matter(self, state: State, book: HintBook) -> Matter:
        """Footprints as module B has them, in the units of the data."""
        rows = rows_of(state)
        n, mean = state.cat["n"][rows].astype(float), state.box[MEAN, rows]
        away = np.sqrt(n)[:, None] * (mean - n @ mean / n.sum())
        extent = Extent(max(1.0, participation_ratio(away)), 0.0)
        return matter_of(state, book, mean, state.cat["cp"][rows], extent)

    def _checked_params(self) -> Records:
        return core_params(type(self).__name__, self.get_params())
