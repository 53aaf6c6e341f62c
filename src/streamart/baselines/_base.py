"""Base classes of all rivals: scikit-learn's contract around a learnt state."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from .._typing import Floats, Ints
from ..estimators.checks import checked_samples, checking, guard


class Checked(BaseEstimator):
    """Checks samples and locks calls as the network does; copies share no arrays."""

    _state: Any
    _first_params: dict[str, Any]
    """The parameters when the model began to learn."""

    def _is_new(self) -> bool:
        """Whether nothing has been learnt yet. If something has, refuse changed parameters."""
        if not hasattr(self, "_state"):
            return True
        now = self.get_params(deep=False)
        changed = [name for name in now if now[name] != self._first_params[name]]
        if changed:
            raise ValueError(
                f"Parameters changed since the model began to learn ({', '.join(changed)}). "
                "Call fit() to learn from the beginning, or restore them."
            )
        return False

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the lock, copied while no other thread learns."""
        with guard(self):
            kept: dict[str, Any] = dict(super().__getstate__())
            kept.pop("_lock", None)
            if "_state" in kept:
                kept["_state"] = deepcopy(kept["_state"])
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Copy the arrays: those of a memory-mapped file could not be written."""
        super().__setstate__(kept)
        if "_state" in self.__dict__:
            self._state = deepcopy(self._state)


class Baseline(ClusterMixin, Checked):
    """An online clusterer. A subclass defines the state, how it learns and how it predicts."""

    labels_: Ints

    def _empty(self, d: int) -> Any:
        """A new state for d features. Raises ValueError if parameters contradict each other."""
        raise NotImplementedError

    def _learnt(self, state: Any, X: Floats) -> Any:
        """The state after learning these samples. The given state may be changed."""
        raise NotImplementedError

    def _clusters_of(self, X: Floats) -> Ints:
        """The cluster of each sample. Nothing is learnt."""
        raise NotImplementedError

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Learn a stream from the beginning and forget everything learnt before.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples, in the order of their arrival.
        y : Ignored
        """
        self._validate_params()
        with guard(self), checking(self):
            samples = checked_samples(self, X, reset=True)
            return self._learn(self._empty(samples.shape[1]), samples)

    def fit_predict(self, X: ArrayLike, y: object = None) -> Ints:
        """Call `fit` and return `labels_`, the cluster of each sample."""
        return self.fit(X).labels_

    def partial_fit(self, X: ArrayLike, y: object = None) -> Self:
        """Learn a batch. A batch that is refused leaves the model unchanged.

        The size of the batches does not change what is learnt.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
        """
        self._validate_params()
        with guard(self), checking(self):
            first = self._is_new()
            samples = checked_samples(self, X, reset=first)
            return self._learn(self._empty(samples.shape[1]) if first else self._state, samples)

    def _learn(self, state: Any, X: Floats) -> Self:
        self._state = self._learnt(state, X)
        self._first_params = self.get_params(deep=False)
        self.labels_ = self._clusters_of(X)
        return self

    def predict(self, X: ArrayLike) -> Ints:
        """The cluster of each sample. Nothing is learnt.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        check_is_fitted(self, "_state")
        samples = checked_samples(self, X, reset=False)
        with guard(self):
            return self._clusters_of(samples)

    def _fitted(self) -> Any:
        check_is_fitted(self, "_state")
        return self._state
