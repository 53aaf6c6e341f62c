"""Sequential k-means (skm)."""

from __future__ import annotations

from numbers import Integral
from typing import NamedTuple

import numpy as np
from sklearn.cluster import kmeans_plusplus
from sklearn.utils._param_validation import Interval, StrOptions

from .._jit import jit_entry
from .._typing import Floats, Ints
from ..icvi.footprints import assign
from ._prototypes import PrototypeBaseline, step_to


class Prototypes(NamedTuple):
    """State of skm."""

    centres: Floats
    counts: Ints  # samples of each prototype; 0 for unused rows
    seen: int
    buffer: Floats  # samples that wait for k-means++; empty otherwise


@jit_entry
def learn_all(centres: Floats, counts: Ints, k: int, X: Floats) -> int:
    """Learn all samples. While there are fewer prototypes than rows, each sample becomes one.

    Returns the number of prototypes afterwards.
    """
    for t in range(X.shape[0]):
        if k < centres.shape[0]:
            assign(centres[k], X[t])
            counts[k] = 1
            k += 1
        else:
            step_to(centres, counts, k, X[t])
    return k


class SequentialKMeans(PrototypeBaseline):
    r"""Sequential k-means: the nearest prototype learns a sample and is the mean of its samples.

    .. math:: j = \arg\min_i \|x - v_i\|,\quad n_j \leftarrow n_j + 1,\quad
              v_j \leftarrow v_j + \frac{1}{n_j}(x - v_j)

    Parameters
    ----------
    n_clusters : int, default=8
        The number of prototypes, k.
    init : {"first", "k-means++"}, default="first"
        Whether the first k samples become prototypes (as in the paper), or k-means++ chooses them
        from the first `buffer_size` samples. The others of these are then learnt in their order.
    buffer_size : int, default=100
        Number of samples for k-means++. While there are fewer, the model is computed from those.
    random_state : int or None, default=None
        Seed of k-means++.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Predicted cluster of each sample of the last call.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
    counts_ : ndarray of shape (n_clusters_,)
        Number of samples that each prototype has learnt.
    n_clusters_, n_categories_ : int
        Less than `n_clusters` while there are fewer samples. A category is a prototype here.
    n_samples_seen_ : int

    References
    ----------
    J. MacQueen, "Some methods for classification and analysis of multivariate observations",
    Berkeley Symposium on Mathematical Statistics and Probability, 1967. D. Arthur and
    S. Vassilvitskii, "k-means++: the advantages of careful seeding", SODA, 2007.

    Examples
    --------
    >>> from streamart.baselines import SequentialKMeans
    >>> model = SequentialKMeans(n_clusters=2).partial_fit([[0.0], [10.0], [2.0]])
    >>> model.cluster_centers_.tolist()
    [[1.0], [10.0]]
    >>> model.partial_fit([[9.0]]).labels_.tolist()
    [1]
    """

    _parameter_constraints = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "init": [StrOptions({"first", "k-means++"})],
        "buffer_size": [Interval(Integral, 1, None, closed="left")],
        "random_state": [Interval(Integral, 0, 2**32 - 1, closed="both"), None],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: str = "first",
        buffer_size: int = 100,
        random_state: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.buffer_size = buffer_size
        self.random_state = random_state

    def _empty(self, d: int) -> Prototypes:
        if self.init == "k-means++" and self.buffer_size < self.n_clusters:
            raise ValueError(
                f"The 'buffer_size' parameter of {type(self).__name__} must be at least "
                f"n_clusters = {self.n_clusters}. Got {self.buffer_size} instead."
            )
        return Prototypes(
            np.zeros((self.n_clusters, d)),
            np.zeros(self.n_clusters, dtype=np.int64),
            0,
            np.empty((0, d)),
        )

    def _learnt(self, state: Prototypes, X: Floats) -> Prototypes:
        waiting = self.init == "k-means++" and state.seen < self.buffer_size
        seen = state.seen + len(X)
        if waiting:
            split = self.buffer_size - state.seen
            buffer = np.concatenate([state.buffer, X[:split]])
            state = self._seeded(buffer)
            if seen < self.buffer_size:
                return state._replace(buffer=buffer)
            X = X[split:]
        k = int(np.count_nonzero(state.counts))
        learn_all(state.centres, state.counts, k, X)
        return state._replace(seen=seen)

    def _seeded(self, buffer: Floats) -> Prototypes:
        """The state after a buffer: k-means++ chooses prototypes, and the rest is learnt."""
        state = self._empty(buffer.shape[1])
        k = min(self.n_clusters, len(buffer))
        centres, chosen = kmeans_plusplus(buffer, k, random_state=self.random_state)
        state.centres[:k] = centres
        state.counts[:k] = 1
        rest = np.delete(buffer, chosen, axis=0)
        if k == self.n_clusters:
            learn_all(state.centres, state.counts, k, rest)
        return state._replace(seen=len(buffer))

    def _prototypes(self) -> tuple[Floats, Ints]:
        state: Prototypes = self._fitted()
        return state.centres, state.counts

    @property
    def n_samples_seen_(self) -> int:
        return int(self._fitted().seen)
