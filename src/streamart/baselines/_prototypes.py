"""Base of the k-means rivals: the nearest prototype, and its step towards a sample."""

import numpy as np

from .._jit import TIE, jit, jit_entry
from .._typing import Floats, Ints
from ..estimators.checks import guard
from ..icvi.footprints import move_towards, squared_distance
from ._base import Baseline


@jit
def nearest(centres: Floats, k: int, x: Floats) -> int:
    """The nearest of the first k prototypes to x; of equals, the first."""
    best, least = 0, squared_distance(centres[0], x)
    for j in range(1, k):
        distance = squared_distance(centres[j], x)
        if distance < least * (1.0 - TIE):
            best, least = j, distance
    return best


@jit
def learn_at(centres: Floats, counts: Ints, j: int, x: Floats) -> None:
    r"""Let prototype j learn x.

    .. math:: n_j \leftarrow n_j + 1,\quad v_j \leftarrow v_j + \frac{1}{n_j}(x - v_j)
    """
    counts[j] += 1
    move_towards(centres[j], x, 1.0 / counts[j])


@jit
def step_to(centres: Floats, counts: Ints, k: int, x: Floats) -> int:
    """A step of sequential k-means: the nearest prototype learns x. Returns its number."""
    j = nearest(centres, k, x)
    learn_at(centres, counts, j, x)
    return j


@jit_entry
def nearest_of_all(centres: Floats, k: int, X: Floats, labels: Ints) -> None:
    """The nearest prototype of each sample."""
    for t in range(X.shape[0]):
        labels[t] = nearest(centres, k, X[t])


class PrototypeBaseline(Baseline):
    """A rival whose clusters are prototypes; a sample belongs to the nearest one."""

    def _prototypes(self) -> tuple[Floats, Ints]:
        """Centres of the prototypes and the number of samples of each; 0 for unused rows."""
        raise NotImplementedError

    def _clusters_of(self, X: Floats) -> Ints:
        labels = np.empty(len(X), dtype=np.int64)
        nearest_of_all(self._prototypes()[0], self.n_clusters_, X, labels)
        return labels

    @property
    def n_clusters_(self) -> int:
        return int(np.count_nonzero(self._prototypes()[1]))

    @property
    def n_categories_(self) -> int:
        return self.n_clusters_

    @property
    def cluster_centers_(self) -> Floats:
        with guard(self):
            return self._prototypes()[0][: self.n_clusters_].copy()

    @property
    def counts_(self) -> Ints:
        with guard(self):
            return self._prototypes()[1][: self.n_clusters_].copy()
