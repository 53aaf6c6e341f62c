"""ICVITopoARTMAPClassifier: the paper's semi-supervised mode behind scikit-learn's contract."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_consistent_length, column_or_1d

from ._jit import TIE
from ._typing import Floats, Ints, Records
from .explanations import Explanations
from .icvi.state import HI, LIVE, LO, PER_RANGE, State
from .network import rows_of, with_classes
from .parameters import CONSTRAINTS, core_params

# The paper's setting of this mode (its appendix): a fixed number of clusters, each a class.
_SEMI_SUPERVISED = {
    "map_learning": "fixed",
    "merge": False,
    "split": False,
    "split_type": "activity",
    "swap": False,
    "prune": False,
    "phi": 0,
    "rho_ab": 1.0,
    "beta_ab": 1.0,
    "escape_single_cluster": False,
    "repartition": None,
}
_PARAMETERS = (
    "rho beta1 beta2 alpha match use_uncommitted epsilon icvi_match_tracking epsilon_icvi rho_mt "
    "compress rho_c tau xi second_winner_vigilance record_history record_events"
)
# How steeply the score falls with the distance from the boxes of a class, in features' ranges.
_STEEPNESS = 20.0


class ICVITopoARTMAPClassifier(ClassifierMixin, Explanations):
    """Online classification with few labels: iCVI-TopoARTMAP in the paper's semi-supervised mode.

    Every class is a cluster. A labelled sample is learnt by its class; one without a label by the
    class that the index says, so the classifier goes on learning while it predicts. Strategies that
    would change the clusters are off.

    Parameters
    ----------
    icvi : {"ch", "wb", "pbm", "xb", "db"}, default="ch"
        The index that labels samples.
    rho : float, default=0.0
        Module A's vigilance, see `ICVITopoARTMAP`; so are `beta1`, `beta2`, `alpha`, `match`,
        `use_uncommitted`, `epsilon`, `icvi_match_tracking`, `epsilon_icvi`, `rho_mt`, `compress`,
        `rho_c`, `tau`, `second_winner_vigilance`, `record_history`, `record_events`.
    xi : int, default=100
        Samples without a win after which a category counts as inactive.

    Attributes
    ----------
    classes_ : ndarray
        The classes known so far, sorted.
    transduction_ : ndarray of shape (n_samples,)
        Class of each sample of the last call to `fit` or `partial_fit`, given or found.
    n_features_in_ : int
    feature_names_in_ : ndarray
        If all names of features are strings.

    Notes
    -----
    Samples without a label are marked as in ``sklearn.semi_supervised``: -1 among integers; None or
    NaN among strings. (Where -1 and 1 are all that `fit` is given, they are two classes; and -1 is
    one where `classes` says so.) In every batch the labelled samples are learnt first, as in the
    paper's experiment, then the others, both in their order.

    Examples
    --------
    >>> from streamart import ICVITopoARTMAPClassifier
    >>> X = [[0.0, 0], [9, 9], [0, 1], [8, 9], [1, 0]]
    >>> model = ICVITopoARTMAPClassifier().fit(X, ["west", "east", None, None, None])
    >>> model.transduction_.tolist()
    ['west', 'east', 'west', 'east', 'west']
    >>> model.partial_fit([[7.0, 9]]).predict([[8.0, 8]]).tolist()
    ['east']
    """

    _parameter_constraints = {
        "icvi": [StrOptions({"ch", "wb", "pbm", "xb", "db"})],
        **{name: CONSTRAINTS[name] for name in _PARAMETERS.split()},
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
        icvi_match_tracking: bool = True,
        epsilon_icvi: float | None = None,
        rho_mt: float = 0.9,
        compress: bool = True,
        rho_c: float = 0.0,
        tau: int = 0,
        xi: int = 100,
        second_winner_vigilance: str = "user",
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
        self.icvi_match_tracking = icvi_match_tracking
        self.epsilon_icvi = epsilon_icvi
        self.rho_mt = rho_mt
        self.compress = compress
        self.rho_c = rho_c
        self.tau = tau
        self.xi = xi
        self.second_winner_vigilance = second_winner_vigilance
        self.record_history = record_history
        self.record_events = record_events

    # ------------------------------------------------------------------ learning

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any) -> ICVITopoARTMAPClassifier:
        """Learn from the beginning, forgetting what was learnt before.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes; -1 (integers), None or NaN (strings) for a sample without one.
        """
        params = self._checked_params()
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        with self._guard():
            with self._checking():
                X = self._checked_samples(X, reset=True)
                labels = _checked_classes(y, X, minus_one_is_class=_are_signs(y))
                known = _sorted_classes(labels)
                _require_class(known)
            self._forget()
            self.classes_, self._open = known, True
            self._labels: list[Any] = []
            self._take_in(self._empty(params, X.shape[1]), X, labels)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, X: ArrayLike, y: Any = None, classes: ArrayLike | None = None
    ) -> ICVITopoARTMAPClassifier:
        """Go on learning. A refused batch leaves the model as it was.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            Classes as in `fit`; None: no sample has a label.
        classes : array-like, default=None
            All classes that will ever come, at the first call. Without it, new classes may appear
            at any time.
        """
        params = self._checked_params()
        with self._guard():
            first = not hasattr(self, "_state")
            if not first:
                self._refuse_change(params)
            with self._checking():
                X = self._checked_samples(X, reset=first)
                labels, known, is_open = self._checked_batch(X, y, classes, first)
            if first:
                self._labels = []
            self.classes_, self._open = known, is_open
            state = self._empty(params, X.shape[1]) if first else self._state
            self._take_in(state, X, labels)
        return self

    def _checked_batch(
        self, X: Floats, y: Any, classes: ArrayLike | None, first: bool
    ) -> tuple[list[Any], Any, bool]:
        """Class of each sample, the classes known then, and whether new ones may come."""
        listed = None if classes is None else np.unique(np.asarray(classes))
        known: Any = listed if first else self.classes_
        labels = _checked_classes(
            np.full(len(X), None) if y is None else y,
            X,
            minus_one_is_class=known is not None and -1 in known.tolist(),
        )
        given = _sorted_classes(labels)
        is_open = listed is None if first else self._open
        if first:
            _require_class(given)
        elif listed is not None and not np.array_equal(listed, known):
            raise ValueError(f"classes={listed!r} is not what it was at the first call, {known!r}.")
        if known is None:
            known = given
        elif is_open and len(given):
            known = _united(known, given)
        for label in given.tolist():
            if label not in known.tolist():
                raise ValueError(f"y holds {label!r}, which is not in classes, {known!r}.")
        return labels, known, is_open

    def _take_in(self, state: State, X: Floats, labels: list[Any]) -> None:
        """Learn a batch that has been checked."""
        row_of: dict[Any, int] = {None: -1, **self._rows()}
        for label in labels:
            row_of.setdefault(label, len(row_of) - 1)
        self._labels = list(row_of)[1:]
        rows = np.array([row_of[label] for label in labels], dtype=np.int64)
        order = np.argsort(rows < 0, kind="stable")
        state = self._with_ring(with_classes(state, len(self._labels)))
        past = self.__dict__.get("history_")
        self._learn(state, np.ascontiguousarray(X[order]), rows[order], past)
        clusters = np.empty(len(X), dtype=np.int64)
        clusters[order] = self._clusters_of_samples()
        self.transduction_ = self._classes_of(clusters)
        self._tell()

    def _rows(self) -> dict[Any, int]:
        """Where each class that was seen stands in ``state.classes``."""
        return {label: row for row, label in enumerate(self._labels)}

    # ------------------------------------------------------------------ answers

    def _classes_of(self, clusters: Ints) -> Any:
        """Classes of clusters: every cluster is one."""
        of_cluster = np.empty(int(self._now()["k"]), dtype=np.int64)
        places = {label: place for place, label in enumerate(self.classes_.tolist())}
        for label, row in self._rows().items():
            of_cluster[self._state.classes[row]["cluster"]] = places[label]
        return self.classes_[of_cluster[clusters]]

    def predict(self, X: ArrayLike) -> Any:
        """Class of the most activated category for each sample; learns nothing."""
        self._now()
        X = self._checked_samples(X, reset=False)
        with self._guard():
            return self._classes_of(self._state.label[LIVE, self._nearest(X)[0]])

    def predict_proba(self, X: ArrayLike) -> Floats:
        r"""A score for each class, adding up to 1. It is not calibrated.

        A softmax of the greatest activation :math:`T_c` of each class' categories,
        :math:`e^{20\,d\,T_c}`: it tells how much nearer the boxes of one class are than those of
        the others. (``sklearn.calibration.CalibratedClassifierCV`` makes probabilities of it.)

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples, n_classes)
            Columns as in `classes_`.
        """
        self._now()
        X = self._checked_samples(X, reset=False)
        with self._guard():
            predicted = self._classes_of(self._state.label[LIVE, self._nearest(X)[0]])
            activation = self._class_activations(X)
            chosen = np.searchsorted(self.classes_, predicted)
        # predict takes the first of equals, beyond rounding; so does the score.
        best = activation.max(axis=1)
        activation[np.arange(len(X)), chosen] = best + TIE
        scores = np.exp(_STEEPNESS * X.shape[1] * (activation - best[:, None]))
        return np.asarray(scores / scores.sum(axis=1, keepdims=True))

    def _class_activations(self, X: Floats) -> Floats:
        """The greatest activation of each class; minus infinity for one without a category."""
        state, d = self._state, X.shape[1]
        per_range, alpha = state.feature[PER_RANGE], state.params[0]["alpha"]
        rows = rows_of(state)
        column = np.searchsorted(self.classes_, self._classes_of(state.label[LIVE, rows]))
        found = np.full((len(X), len(self.classes_)), -np.inf)
        for row, at in zip(rows, column, strict=True):
            low, high = state.box[LO, row], state.box[HI, row]
            extent = (np.maximum(X, high) - np.minimum(X, low)) @ per_range
            np.maximum(
                found[:, at], (d - extent) / (alpha + state.cat[row]["norm"]), out=found[:, at]
            )
        return found

    @property
    def class_ids_(self) -> dict[Any, int]:
        """Permanent id of the cluster of each class that has been seen."""
        ids, clusters = self.cluster_ids_, self._state.classes["cluster"]
        return {label: int(ids[clusters[row]]) for label, row in self._rows().items()}

    # ------------------------------------------------------------------ checks

    def _checked_params(self) -> Records:
        return core_params(type(self).__name__, {**_SEMI_SUPERVISED, **self.get_params()})


def _checked_classes(y: Any, X: Floats, minus_one_is_class: bool) -> list[Any]:
    """A class for each sample, None for one without."""
    if isinstance(y, list) and any(label is None for label in y):
        y = np.array(y, dtype=object)
    labels = column_or_1d(y, warn=True)
    check_consistent_length(X, labels)
    plain = [label.item() if isinstance(label, np.generic) else label for label in labels.tolist()]
    found = [None if _is_missing(label, minus_one_is_class) else label for label in plain]
    given = [label for label in found if label is not None]
    if len({isinstance(label, str) for label in given}) > 1:
        raise ValueError("y mixes strings with other labels.")
    for label in given:
        if isinstance(label, float) and not label.is_integer():
            raise ValueError(
                f"Unknown label type: y holds {label!r}, but classes are strings or whole numbers."
            )
        if not isinstance(label, (str, int, float)):
            raise ValueError(f"Unknown label type: y holds {label!r}.")
    return found


def _is_missing(label: Any, minus_one_is_class: bool) -> bool:
    if label is None or (isinstance(label, float) and np.isnan(label)):
        return True
    if type(label).__name__ == "NAType":  # of pandas, which need not be here
        return True
    return not isinstance(label, str) and label == -1 and not minus_one_is_class


def _are_signs(y: Any) -> bool:
    """-1 and 1, and nothing else: two classes, since one class alone would tell nothing apart."""
    labels = np.asarray(y)
    return labels.dtype.kind in "iuf" and set(np.unique(labels).tolist()) == {-1, 1}


def _require_class(classes: Any) -> None:
    if len(classes) == 0:
        raise ValueError("No sample has a label, and no class is known yet; give at least one.")


def _sorted_classes(labels: list[Any]) -> Any:
    return np.unique([label for label in labels if label is not None])


def _united(known: Any, given: Any) -> Any:
    if "U" in (known.dtype.kind, given.dtype.kind) and known.dtype.kind != given.dtype.kind:
        raise ValueError(f"y holds {given[0]!r}, but the classes so far are {known!r}.")
    return np.union1d(known, given)
