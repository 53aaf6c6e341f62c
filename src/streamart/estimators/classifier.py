"""ICVITopoARTMAPClassifier: the paper's semi-supervised mode as a scikit-learn classifier.

An `ICVITopoARTMAP` learns; this class translates classes to the network's labels and back.
"""

from __future__ import annotations

import os
from copy import deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from .._jit import TIE
from .._typing import Floats, Ints
from ..icvi.state import HI, LO, PER_RANGE, State
from ..views import labels_of, rows_of
from .checks import checked_samples, checking, guard
from .classes import are_signs, checked_classes, require_class, sorted_classes, united
from .network import ICVITopoARTMAP
from .parameters import CONSTRAINTS, core_params

# The paper's setting for this mode (its appendix): each class is one cluster.
_SEMI_SUPERVISED = {"map_learning": "fixed", "phi": 0, "escape_single_cluster": False}
_PARAMETERS = (
    *("rho", "beta1", "beta2", "alpha", "match", "use_uncommitted", "epsilon"),
    *("icvi_match_tracking", "epsilon_icvi", "rho_mt", "rho_c", "tau", "xi"),
    *("second_winner_vigilance", "record_history", "record_events"),
)
# How steeply the score falls with the distance from the boxes of a class, in features' ranges.
_STEEPNESS = 20.0


class ICVITopoARTMAPClassifier(ClassifierMixin, BaseEstimator):
    """Online classification with few labels: iCVI-TopoARTMAP in the paper's semi-supervised mode.

    Every class is a cluster. A labelled sample is learnt by its class; an unlabelled one by the
    class that the validity index prefers. So the classifier also learns from unlabelled samples.
    Strategies that would change the clusters are off.

    Parameters
    ----------
    icvi : {"ch", "wb", "pbm", "xb", "db"}, default="ch"
        The index that labels samples.
    rho : float, default=0.0
        Module A's vigilance, see `ICVITopoARTMAP`; so are `beta1`, `beta2`, `alpha`, `match`,
        `use_uncommitted`, `epsilon`, `icvi_match_tracking`, `epsilon_icvi`, `rho_mt`,
        `rho_c`, `second_winner_vigilance`, `record_history`, `record_events`.
    tau : int, default=100
        Threshold of the tracker. The paper gives none for this mode. With one that is hardly ever
        reached, the number of categories is about the paper's; with 0, it is three times as high.
    compress : bool, default=True
        Whether inactive categories of a class are compressed.
    xi : int, default=100
        Samples without a win after which a category counts as inactive.

    Attributes
    ----------
    classes_ : ndarray
        The classes known so far, sorted.
    transduction_ : ndarray of shape (n_samples,)
        Class of each sample of the last call to `fit` or `partial_fit`, as given or as found.
    class_ids_ : dict
        Permanent id of the cluster of each class that has been seen.
    network_ : ICVITopoARTMAP
        The network itself, which has `explain`, `events_`, `novelty` and so on.
    n_features_in_ : int
    feature_names_in_ : ndarray
        If all names of features are strings.

    Notes
    -----
    Samples without a label are marked as in ``sklearn.semi_supervised``: -1 among integers; None or
    NaN among strings. (If `fit` gets only the labels -1 and 1, both are classes; -1 is also a class
    if `classes` contains it.) In every batch the labelled samples are learnt first, as in the
    paper's experiment, then the others, each group in its order.

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
        "compress": ["boolean"],
        **{name: CONSTRAINTS[name] for name in _PARAMETERS},
    }
    classes_: NDArray[Any]
    transduction_: NDArray[Any]
    network_: ICVITopoARTMAP
    n_features_in_: int
    _seen: list[Any]  # classes in the order of their first samples; places are the network's labels
    _open: bool  # whether new classes may appear

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
        tau: int = 100,
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

    def fit(self, X: ArrayLike, y: ArrayLike | None) -> Self:
        """Learn from the beginning and forget everything learnt before.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes; -1 (integers), None or NaN (strings) for a sample without one.
        """
        self._validate_params()
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        with guard(self):
            with checking(self):
                samples = checked_samples(self, X, reset=True)
                labels = checked_classes(y, samples, minus_one_is_class=are_signs(y))
                known = sorted_classes(labels)
                require_class(known)
                network = ICVITopoARTMAP(**self._network_params())
            self.network_, self._seen = network, []
            self._learn_checked(samples, labels, known, is_open=True)
        return self

    def partial_fit(
        self, X: ArrayLike, y: ArrayLike | None = None, classes: ArrayLike | None = None
    ) -> Self:
        """Learn a batch. A batch that is refused leaves the model unchanged.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            Classes as in `fit`; None if no sample has a label.
        classes : array-like, default=None
            All classes that can occur, given at the first call. Without it, new classes may
            appear at any time.
        """
        with guard(self):
            first = not hasattr(self, "network_")
            if first:
                self._validate_params()
            with checking(self):
                params = self._network_params()
                samples = checked_samples(self, X, reset=first)
                labels, known, is_open = self._checked_batch(samples, y, classes, first)
            if first:
                self.network_, self._seen = ICVITopoARTMAP(**params), []
            self._learn_checked(samples, labels, known, is_open)
        return self

    def _network_params(self) -> dict[str, Any]:
        """The network's parameters. Raises ValueError if they contradict each other."""
        given = {name: getattr(self, name) for name in ("icvi", *_PARAMETERS)}
        strategies = ("compress",) if self.compress else ()
        params = {**_SEMI_SUPERVISED, **given, "strategies": strategies}
        core_params(type(self).__name__, ICVITopoARTMAP().get_params() | params)
        return params

    def _checked_batch(
        self, X: Floats, y: ArrayLike | None, classes: ArrayLike | None, first: bool
    ) -> tuple[list[Any], Any, bool]:
        """Class of each sample, the known classes, and whether new ones may appear."""
        listed = None if classes is None else np.unique(np.asarray(classes))
        known: Any = listed if first else self.classes_
        labels = checked_classes(
            np.full(len(X), None) if y is None else y,
            X,
            minus_one_is_class=known is not None and -1 in known.tolist(),
        )
        given = sorted_classes(labels)
        is_open = listed is None if first else self._open
        if first:
            require_class(given)
        elif listed is not None and not np.array_equal(listed, known):
            raise ValueError(
                f"classes={listed!r} differs from the classes at the first call, {known!r}."
            )
        if known is None:
            known = given
        elif is_open and len(given):
            known = united(known, given)
        for label in given.tolist():
            if label not in known.tolist():
                raise ValueError(f"y contains {label!r}, which is not in classes, {known!r}.")
        return labels, known, is_open

    def _learn_checked(self, X: Floats, labels: list[Any], known: Any, is_open: bool) -> None:
        """Learn a checked batch, labelled samples first."""
        number_of: dict[Any, int] = {None: -1}
        for label in [*self._seen, *labels]:
            number_of.setdefault(label, len(number_of) - 1)
        numbers = np.array([number_of[label] for label in labels], dtype=np.int64)
        order = np.argsort(numbers < 0, kind="stable")
        network, before = self.network_, self.network_.get_params()
        try:
            network.set_params(**self._network_params())
            network.partial_fit(np.ascontiguousarray(X[order]), numbers[order])
        except ValueError:  # a parameter changed that must not
            network.set_params(**before)
            raise
        self._seen, self.classes_, self._open = list(number_of)[1:], known, is_open
        clusters = np.empty(len(X), dtype=np.int64)
        clusters[order] = network.labels_
        self.transduction_ = self._classes_of(clusters)

    # ------------------------------------------------------------------ answers

    @property
    def class_ids_(self) -> dict[Any, int]:
        """Permanent id of the cluster of each class that has been seen."""
        check_is_fitted(self, "network_")
        with guard(self):
            ids = self.network_.class_ids_
            return {label: ids[number] for number, label in enumerate(self._seen)}

    def _classes_of(self, positions: Ints) -> NDArray[Any]:
        """Class of the cluster at each position."""
        place = {label: at for at, label in enumerate(self.classes_.tolist())}
        by_id = {cluster: place[label] for label, cluster in self.class_ids_.items()}
        of_cluster = [by_id[cluster] for cluster in self.network_.cluster_ids_.tolist()]
        found: NDArray[Any] = self.classes_[np.array(of_cluster, dtype=np.int64)[positions]]
        return found

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Class of the most activated category for each sample. Nothing is learnt."""
        check_is_fitted(self, "network_")
        samples = checked_samples(self, X, reset=False)
        with guard(self):
            return self._classes_of(self.network_.predict(samples))

    def predict_proba(self, X: ArrayLike) -> Floats:
        r"""A score for each class, adding up to 1. It is not calibrated.

        A softmax of the greatest activation :math:`T_c` of each class' categories,
        :math:`e^{20\,d\,T_c}`. It shows how much nearer the boxes of one class are than those of
        the others. ``sklearn.calibration.CalibratedClassifierCV`` turns it into probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples, n_classes)
            Columns as in `classes_`.
        """
        check_is_fitted(self, "network_")
        samples = checked_samples(self, X, reset=False)
        with guard(self):
            chosen = np.searchsorted(self.classes_, self.predict(samples))
            state = self.network_._state
            column = np.searchsorted(self.classes_, self._classes_of(labels_of(state)))
            activation = _class_activations(state, samples, column, len(self.classes_))
        # Of equal activations, the class that predict returns must have the highest score.
        best = activation.max(axis=1)
        activation[np.arange(len(samples)), chosen] = best + TIE
        scores = np.exp(_STEEPNESS * samples.shape[1] * (activation - best[:, None]))
        return np.asarray(scores / scores.sum(axis=1, keepdims=True))

    # ------------------------------------------------------------------ copies, files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file for `streamart.load`."""
        from ..persistence import save

        save(self, path)

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and copy: everything except the lock."""
        with guard(self):
            kept: dict[str, Any] = dict(super().__getstate__())
            kept.pop("_lock", None)
            if "network_" in kept:
                kept["network_"] = deepcopy(kept["network_"])
        return kept


def _class_activations(state: State, X: Floats, column: Ints, count: int) -> Floats:
    """The greatest activation of each class; minus infinity for one without a category.

    `column` is the class of each category, in their order.
    """
    d, per_range, alpha = X.shape[1], state.feature[PER_RANGE], state.params[0]["alpha"]
    found = np.full((len(X), count), -np.inf)
    for row, at in zip(rows_of(state), column, strict=True):
        extent = (np.maximum(X, state.box[HI, row]) - np.minimum(X, state.box[LO, row])) @ per_range
        activation = (d - extent) / (alpha + state.cat[row]["norm"])
        np.maximum(found[:, at], activation, out=found[:, at])
    return found
