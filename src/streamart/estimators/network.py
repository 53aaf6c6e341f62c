"""ICVITopoARTMAP: the paper's network behind scikit-learn's contract for clusterers.

Holds the parameters; learning is the engine's (`engines.network`).
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClusterMixin

from .._typing import Floats
from ..engines.network import NetworkEngine
from ..history.events import event_room
from ..icvi.state import SPLIT_FULL, Room, allocate
from ..people.explain import Explanation
from ..validity.registration import BY_NAME
from .base import OnlineClusterer
from .checks import checked_samples
from .parameters import CONSTRAINTS, STRATEGIES, changed_params, core_params


class ICVITopoARTMAP(ClusterMixin, OnlineClusterer[NetworkEngine]):
    """Online clustering with iCVI-TopoARTMAP.

    A stream is learnt one sample at a time and not stored. Module A covers it with categories
    (boxes in feature space), a cluster validity index labels every sample, the map field assigns
    categories to clusters, and five strategies repair earlier decisions. Nobody has to know the
    number of clusters.

    Parameters
    ----------
    icvi : str, default="ch"
        The index that decides: "ch", "wb", "pbm", "xb", "db" or "conn", the paper's, or "gd43",
        "gd53", "csil", "ps" or "pcaes", which are ours to compare, and slower; see docs/indices.md.
        "conn" needs a `rho` that gives several categories per cluster, and works best with
        ``rho_c = rho``.
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
    strategies : collection of str, default=("merge", "split", "swap", "compress", "prune")
        The post-processing strategies that are in use; they run in this order. (`merge` and `split`
        are also what a person does; see the methods.)
    split_type : {"activity", "full", "partial"}, default="activity"
        How the strategy "split" does it: activity-based, full- or partial-cluster-decomposition.
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
        Position of the cluster of each sample of the last call, 0 to ``n_clusters_ - 1``. After
        `fit`, what `predict` says (the paper's way to evaluate); after `partial_fit`, the cluster
        of the category that learnt the sample.
    ids_ : ndarray of shape (n_samples,)
        Permanent id of the cluster of each of these samples.
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
    class_ids_ : dict
        Permanent id of the cluster of each supervised label seen.
    cluster_ids_ : ndarray of shape (n_clusters_,)
        Permanent id of the cluster at each position. Of clusters that merge, the largest keeps its
        id; of the parts of one that is split, the largest does.
    aliases_ : dict of int
        Where every id that has ended went: to a living one.
    names_ : dict
        Names of clusters, by id.
    events_ : list of Event
        If `record_events`: the latest changes, oldest first; see also `new_events`, `on_event`.
    history_ : dict of ndarray
        If `record_history`: icvi_value, tracker, rho, n_categories, n_clusters after each sample.
    n_features_in_ : int

    Notes
    -----
    Positions (`labels_`, `predict`) shift when a cluster disappears; ids (`ids_`, `predict_ids`) do
    not. What a person types or reads is an id or a name, never a position. "Outliers" in `predict`
    are samples for which the nearest point of every box is farther than the vigilance in force
    (`rho_`) allows.

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
        strategies: Collection[str] = STRATEGIES,
        split_type: str = "activity",
        rho_c: float = 0.0,
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
        self.strategies = strategies
        self.split_type = split_type
        self.rho_c = rho_c
        self.tau = tau
        self.phi = phi
        self.xi = xi
        self.second_winner_vigilance = second_winner_vigilance
        self.escape_single_cluster = escape_single_cluster
        self.record_history = record_history
        self.record_events = record_events

    # ------------------------------------------------------------------ the engine

    def _new_engine(self, n_features: int) -> NetworkEngine:
        params = core_params(type(self).__name__, self.get_params())
        index = BY_NAME[self.icvi]
        # Tables of distances between clusters, for what asks for most of them at each step.
        both = not index.by_scatter or params[0]["split"] == SPLIT_FULL
        tables = 2 if both else int(params[0]["merge"])
        room = Room(events=event_room(self.record_events), tables=tables)
        return NetworkEngine(allocate(index, params, n_features, room))

    def _refuse_change(self) -> None:
        """The arrays of a model are laid out for its parameters."""
        params = core_params(type(self).__name__, self.get_params())
        changed = []
        if self._state.params.tobytes() != params.tobytes():
            changed = changed_params(self._state.params, params)
        if self._model.engine.index.name != self.icvi:
            changed.append("icvi")
        if changed:
            raise ValueError(
                f"Parameters changed since the model began to learn ({', '.join(changed)}). "
                "Use fit to start anew, or set them back."
            )

    # ------------------------------------------------------------------ questions

    @property
    def tracker_(self) -> int:
        with self._reading() as model:
            return int(model.state.now[0]["tracker"])

    @property
    def rho_(self) -> float:
        with self._reading() as model:
            return float(model.state.now[0]["step_vigilance"])

    @property
    def class_ids_(self) -> dict[int, int]:
        with self._reading() as model:
            ids, clusters = model.cluster_ids(), model.state.classes["cluster"]
            rows = model.engine.label_rows.items()
            places = {label: int(clusters[row]) for label, row in rows if row < len(clusters)}
            # A label has no cluster if learning was interrupted before its first sample.
            return {label: int(ids[place]) for label, place in places.items() if place >= 0}

    def novelty(self, X: ArrayLike) -> Floats:
        """How badly each sample fits what was learnt: 0 is inside a category.

        With ``match="fuzzy"``, the distance from the nearest box, as a share of the range of the
        data, averaged over the features (above 1 far outside the range); with "cosine", the least
        cosine distance.

        Examples
        --------
        >>> from streamart import ICVITopoARTMAP
        >>> model = ICVITopoARTMAP().partial_fit([[0.0, 0], [10, 10], [0, 1], [9, 10]])
        >>> model.novelty([[0.0, 0.5], [5, 5], [30, 30]]).round(2).tolist()
        [0.0, 0.4, 2.0]
        """
        with self._reading() as model:
            return model.engine.novelty(checked_samples(self, X, reset=False))

    def explain(self, x: ArrayLike) -> Explanation:
        """What the model would do with one sample, and why; nothing is learnt.

        The order in which categories are tried, which test each passes or fails, and the index for
        every cluster, as `partial_fit` would find them for this sample without a label. (Afterwards
        strategies may move categories; that is not part of the answer.)

        Examples
        --------
        >>> from streamart import ICVITopoARTMAP
        >>> model = ICVITopoARTMAP().partial_fit([[0.0, 0], [10, 10], [0, 1], [9, 10]])
        >>> print(model.explain([0.5, 0.5]))
        goes to cluster #0, learnt by category 0 (novelty 0.025)
        runner-up: #1
        index if it joined:
          #0: 547.286  best
          #1: 2.57453
        categories, the most active first:
          0 of #0: activation 0.9732, match 0.9250: passes all tests
          1 of #1: activation 0.0526, match 0.0500: fails activation, vigilance, map field
        """
        with self._reading() as model:
            row = np.asarray(x, dtype=object)[None]
            return model.engine.explain(checked_samples(self, row, reset=False, named=False)[0])
