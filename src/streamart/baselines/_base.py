"""What all rivals share: the estimator contract around a state that a program learns into."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from .._typing import Floats, Ints
from ..estimators.checks import checked_samples, checking, guard


class Checked(BaseEstimator):
    """Samples checked and calls guarded as the network does it; copies share nothing."""

    _state: Any
    _begun_with: dict[str, Any]

    def _begins(self) -> bool:
        """Has nothing been learnt yet? If something has, the parameters must be the same still."""
        if not hasattr(self, "_state"):
            return True
        now = self.get_params(deep=False)
        changed = [name for name in now if now[name] != self._begun_with[name]]
        if changed:
            raise ValueError(
                f"Parameters changed since the model began to learn ({', '.join(changed)}). "
                "Use fit to start anew, or set them back."
            )
        return False

    def __getstate__(self) -> dict[str, Any]:
        """What pickle and copy take: all but the lock, while nobody learns."""
        with guard(self):
            kept: dict[str, Any] = dict(super().__getstate__())
            kept.pop("_lock", None)
            if "_state" in kept:
                kept["_state"] = deepcopy(kept["_state"])
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Arrays may come from a file that was mapped into memory and cannot be written."""
        super().__setstate__(kept)
        if "_state" in self.__dict__:
            self._state = deepcopy(self._state)


class Baseline(ClusterMixin, Checked):
    """An online clusterer. A subclass says what it remembers, how it learns and how it answers."""

    labels_: Ints

    def _empty(self, d: int) -> Any:
        """A state that has learnt nothing, for d features; refuses parameters that do not fit."""
        raise NotImplementedError

    def _learnt(self, state: Any, X: Floats) -> Any:
        """The state after these samples; the one that was given may be changed."""
        raise NotImplementedError

    def _clusters_of(self, X: Floats) -> Ints:
        """The cluster of each sample; learns nothing."""
        raise NotImplementedError

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Learn a stream from the beginning, forgetting what was learnt before.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples, in the order of their arrival.
        y : Ignored
        """
        with guard(self), checking(self):
            samples = checked_samples(self, X, reset=True)
            return self._take_in(self._empty(samples.shape[1]), samples)

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Go on learning with more samples.

        In one go or sample by sample gives the same model. A refused batch leaves the model as it
        was.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
        """
        with guard(self), checking(self):
            first = self._begins()
            samples = checked_samples(self, X, reset=first)
            return self._take_in(self._empty(samples.shape[1]) if first else self._state, samples)

    def _take_in(self, state: Any, X: Floats) -> Self:
        self._state = self._learnt(state, X)
        self._begun_with = self.get_params(deep=False)
        self.labels_ = self._clusters_of(X)
        return self

    def predict(self, X: ArrayLike) -> Ints:
        """Cluster of each sample; learns nothing.

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
