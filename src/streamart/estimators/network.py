"""ICVITopoARTMAP: the paper's network as a scikit-learn clusterer.

This class holds the parameters; `engines.network` learns.
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

    A stream is learnt one sample at a time and is not stored. Module A covers it with categories
    (boxes in feature space), a cluster validity index labels every sample, the map field assigns
    categories to clusters, and five strategies repair earlier decisions. The number of clusters
    need not be known.

    Parameters
    ----------
    icvi : str, default="ch"
        The index that labels samples: the paper's "ch", "wb", "pbm", "xb", "db" or "conn", or one
        of "gd43", "gd53", "csil", "ps" and "pcaes", which the paper does not have and which are
        slower; see docs/indices.md.
        "conn" needs a `rho` that gives several categories per cluster, and works best with
        ``rho_c = rho``.
    rho : float, default=0.0
        Module A's vigilance (the paper's rho_a). With ``match="fuzzy"``, in [0, 1]: the larger, the
        smaller the categories. With "cosine", in [0, 2]: the greatest distance in a category.
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
        Whether a new category opens a new cluster or joins the one that its label names.
    icvi_match_tracking : bool, default=True
        Whether the vigilance is raised while the index gets worse.
    epsilon_icvi : float or None, default=None
        Step by which it is raised, > 0; None raises it to `rho_mt` at once.
    rho_mt : float, default=0.9
        The vigilance that it is raised to.
    strategies : collection of str, default=("merge", "split", "swap", "compress", "prune")
        The post-processing strategies to use; they run in this order. (The methods `merge` and
        `split` are corrections by a person and always available.)
    split_type : {"activity", "full", "partial"}, default="activity"
        How the strategy "split" works: activity-based, full- or partial-cluster-decomposition.
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
        Whether to use `rho_mt` as the vigilance while there is one cluster. This is not in the
        paper. Without it, one category may take in a whole stream whose features hardly vary at
        the start.
    record_history : bool, default=False
        Whether to keep `history_`, a row per sample.
    record_events : bool or int, default=False
        Whether to record changes (`events_`); a number says how many are kept. True keeps 4096.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Position of the cluster of each sample of the last call, 0 to ``n_clusters_ - 1``. After
        `fit`, it is what `predict` returns, which is how the paper evaluates; after `partial_fit`,
        the cluster of the category that learnt the sample.
    ids_ : ndarray of shape (n_samples,)
        Permanent id of the cluster of each of these samples.
    n_clusters_, n_categories_, n_samples_seen_ : int
        Numbers of clusters, of categories, and of samples that were learnt.
    icvi_value_ : float
        Value of the index; NaN while there is one cluster.
    tracker_ : int
        Count of how often the index has lately become worse (the paper's v).
    rho_ : float
        Module A's vigilance in force for the last sample.
    categories_ : Categories
    clusters_ : Clusters
    conn_ : scipy.sparse.csr_array of shape (n_categories_, n_categories_)
        How often two categories were first and second winner together.
    class_ids_ : dict
        Permanent id of the cluster of each supervised label seen.
    cluster_ids_ : ndarray of shape (n_clusters_,)
        Permanent id of the cluster at each position. When clusters merge or split, the largest
        part keeps the id.
    aliases_ : dict of int
        For each id that has ended, the id of the cluster that took it in.
    names_ : dict
        Names of clusters, by id.
    events_ : list of Event
        If `record_events`: the latest changes, oldest first; see also `new_events`, `on_event`.
    history_ : dict of ndarray
        If `record_history`: icvi_value, tracker, rho, n_categories and n_clusters after each
        sample.
    n_features_in_ : int

    Notes
    -----
    Positions (`labels_`, `predict`) shift when a cluster disappears; ids (`ids_`, `predict_ids`) do
    not. `predict` counts a sample as an outlier if it is farther from every box than the present
    vigilance (`rho_`) allows.

    docs/paper-map.md lists all deviations from the printed paper and their reasons. Several threads
    may use a model; their calls run one after the other.

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
        # Tables of distances between clusters, if most of them are needed at each step.
        both = not index.by_scatter or params[0]["split"] == SPLIT_FULL
        tables = 2 if both else int(params[0]["merge"])
        room = Room(events=event_room(self.record_events), tables=tables)
        return NetworkEngine(allocate(index, params, n_features, room))

    def _refuse_change(self) -> None:
        """The arrays of a model are laid out for its parameters, so they cannot change."""
        params = core_params(type(self).__name__, self.get_params())
        changed = []
        if self._state.params.tobytes() != params.tobytes():
            changed = changed_params(self._state.params, params)
        if self._model.engine.index.name != self.icvi:
            changed.append("icvi")
        if changed:
            raise ValueError(
                f"Parameters changed since the model began to learn ({', '.join(changed)}). "
                "Call fit() to learn from the beginning, or restore them."
            )

    # ------------------------------------------------------------------ attributes and answers

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
            # A label has no cluster yet if learning was interrupted before its first sample.
            return {label: int(ids[place]) for label, place in places.items() if place >= 0}

    def novelty(self, X: ArrayLike) -> Floats:
        """How badly each sample fits the categories; 0 inside one of them.

        With ``match="fuzzy"``, this is the distance from the nearest box relative to the range of
        the data, averaged over the features; it exceeds 1 far outside that range. With "cosine", it
        is the least cosine distance.

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
        """What `partial_fit` would do with one unlabelled sample, and why. Nothing is learnt.

        The explanation lists the categories in the order in which they are tried, the tests that
        each passes or fails, and the index for every cluster. It does not say how strategies would
        move categories afterwards.

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
