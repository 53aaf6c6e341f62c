"""Nearest neighbour (NN): the class of the nearest labelled sample."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.neighbors import NearestNeighbors
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_y, check_is_fitted

from .._typing import Floats
from ..estimators.checks import checked_samples, checking, guard
from ._base import Checked


class Stored(NamedTuple):
    """All samples learnt so far, and their classes."""

    X: Floats
    y: NDArray[Any]


class NearestNeighbour(ClassifierMixin, Checked):
    """Predict the class of the nearest labelled sample (through scikit-learn).

    This classifier stores every sample. The paper gives it one sample of each class and compares
    it with the semi-supervised network, which goes on learning without labels.

    Parameters
    ----------
    metric : {"euclidean", "cosine"}, default="euclidean"
        The distance. The paper uses "cosine" for embeddings.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Predicted classes of the samples of the last call.
    classes_ : ndarray
        The classes seen so far, sorted.
    n_categories_ : int
        Number of stored samples.
    n_samples_seen_ : int

    References
    ----------
    R. O. Duda, P. E. Hart, D. G. Stork, "Pattern classification", 2nd edition, 2000.

    Examples
    --------
    >>> from streamart.baselines import NearestNeighbour
    >>> model = NearestNeighbour().fit([[0.0], [10.0]], ["low", "high"])
    >>> model.predict([[3.0]]).tolist()
    ['low']
    >>> model.partial_fit([[4.0]], ["middle"]).predict([[3.0]]).tolist()
    ['middle']
    """

    _parameter_constraints = {"metric": [StrOptions({"euclidean", "cosine"})]}

    _state: Stored

    def __init__(self, metric: str = "euclidean") -> None:
        self.metric = metric

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Store these samples and their classes, and forget all others.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        """
        self._validate_params()
        with guard(self), checking(self):
            return self._store(*self._checked_batch(X, y, reset=True))

    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: object = None) -> Self:
        """Store more samples. A batch that is refused leaves the model unchanged.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : Ignored
            Accepted as scikit-learn passes it. New classes may come at any time.
        """
        self._validate_params()
        with guard(self), checking(self):
            first = self._is_new()
            samples, labels = self._checked_batch(X, y, reset=first)
            if not first:
                samples = np.concatenate([self._state.X, samples])
                labels = np.concatenate([self._state.y, labels])
            return self._store(samples, labels, new=len(samples) - self._stored())

    def _stored(self) -> int:
        return len(self._state.X) if hasattr(self, "_state") else 0

    def _checked_batch(
        self, X: ArrayLike, y: ArrayLike, reset: bool
    ) -> tuple[Floats, NDArray[Any]]:
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target "
                "y is None."
            )
        samples = checked_samples(self, X, reset=reset)
        labels = _check_y(y, estimator=self)
        # scikit-learn's own check warns if there are many classes; here each sample may be one.
        if type_of_target(labels, input_name="y") == "continuous":
            raise ValueError("Unknown label type: continuous. y must hold classes, not fractions.")
        if len(labels) != len(samples):
            raise ValueError(f"X has {len(samples)} samples, y has {len(labels)} labels.")
        return samples.copy(), labels.copy()

    def _store(self, X: Floats, y: NDArray[Any], new: int | None = None) -> Self:
        self._state = Stored(X, y)
        self._first_params = self.get_params(deep=False)
        self.classes_ = np.unique(y)
        self.labels_ = self._classes_of(X if new is None else X[len(X) - new :])
        return self

    def _classes_of(self, X: Floats) -> NDArray[Any]:
        index = NearestNeighbors(n_neighbors=1, metric=self.metric).fit(self._state.X)
        nearest = index.kneighbors(X, return_distance=False)[:, 0]
        classes: NDArray[Any] = self._state.y[nearest]
        return classes

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class of the nearest stored sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        classes : ndarray of shape (n_samples,)
        """
        check_is_fitted(self, "_state")
        samples = checked_samples(self, X, reset=False)
        with guard(self):
            return self._classes_of(samples)

    @property
    def n_categories_(self) -> int:
        check_is_fitted(self, "_state")
        return len(self._state.X)

    @property
    def n_samples_seen_(self) -> int:
        return self.n_categories_
