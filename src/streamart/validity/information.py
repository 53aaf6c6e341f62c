"""The information-theoretic indices, which keep the covariance of each cluster (`gaussian`)."""

from __future__ import annotations

import math
from typing import Any, Self

from .._typing import Floats, Ints
from .footprints import Footprints
from .gaussian import Terms, follow, make_terms
from .index import ValidityIndex
from .normal import EPSILON, OF_PAIRS
from .registration import BY_NAME


class CovarianceIndex(ValidityIndex):
    """An index of the covariances of clusters.

    Parameters
    ----------
    footprints : Footprints or None, default=None
        With covariances.
    epsilon : float, default=12.0
        :math:`\\delta = 10^{-\\epsilon/d}` is added to all variances, so that the covariance of few
        samples is not singular. It should be small beside the variances of real clusters: scale
        the data to about 1.
    """

    needs_covariances = True

    def __init__(self, footprints: Footprints | None = None, *, epsilon: float = EPSILON) -> None:
        super().__init__(footprints)
        if not 0 <= epsilon < math.inf:
            raise ValueError(f"epsilon must be a number, at least 0. Got {epsilon!r} instead.")
        self.epsilon = float(epsilon)
        self._terms: Terms | None = None

    def parameters(self) -> dict[str, Any]:
        return {"epsilon": self.epsilon}

    def copy(self) -> Self:
        twin = super().copy()
        twin._terms = None
        return twin

    def _follow(self, k: int, X: Floats, rows: Ints, every: int, out: Floats) -> None:
        seen = self._seen()
        room, d = seen[1].mean.shape
        if self._terms is None or len(self._terms.table) != room:
            self._terms = make_terms(room, d)
        delta = 10.0 ** (-self.epsilon / d)
        marker = BY_NAME[self.name].marker
        pairs = marker in OF_PAIRS
        follow(marker(), *seen, k, delta, pairs, self._terms, X, rows, every, out)


class NegentropyIncrement(CovarianceIndex):
    r"""Negentropy increment (NI): how much more normal clusters are than all data. Smaller is
    better.

    .. math:: NI = \sum_i p_i\Big(\tfrac12\ln|\Sigma_i| - \ln p_i\Big) - \tfrac12\ln|\Sigma|,
       \quad p_i = n_i/N

    :math:`\Sigma` is the covariance of all data. Any number; NaN with fewer than two clusters. It
    does not change if the data are moved or turned, and hardly if they are scaled (:math:`\delta`
    is not). A cluster of few samples has a small :math:`|\Sigma_i|` by chance, which makes the
    index too good: look at it when clusters have many more samples than features.
    References: L. Lago-Fernández, F. Corbacho: "Normality-based validation for crisp clustering",
    2010; incremental: arXiv 1902.06711.
    """

    name = "ni"
    title = "negentropy increment"
    reference = "Lago-Fernández & Corbacho 2010"
    bigger_is_better = False
    range = (-math.inf, math.inf)


class CrossInformationPotential(CovarianceIndex):
    r"""Representative cross information potential (rCIP): overlap of clusters. Smaller is better.

    .. math:: rCIP = \sum_{i<j} \frac{\exp\big(-\tfrac12 \Delta_{ij}^T(\Sigma_i+\Sigma_j)^{-1}
       \Delta_{ij}\big)}{\sqrt{(2\pi)^d\,|\Sigma_i+\Sigma_j|}},\quad \Delta_{ij} = \mu_i-\mu_j

    In :math:`[0, \infty)`; 0 when clusters are so far apart that nothing else can be written in a
    float: `CrossEntropy` does not have this limit. NaN with fewer than two clusters. It does not
    change if the data are moved or turned. References: D. Araújo, A. Neto, A. Martins:
    "Representative cross information potential clustering", 2013; incremental: arXiv 1902.06711.
    """

    name = "rcip"
    title = "cross information potential"
    reference = "Araújo, Neto & Martins 2013"
    bigger_is_better = False
    range = (0.0, math.inf)


class CrossEntropy(CovarianceIndex):
    r"""Representative cross-entropy (rH): how unlike clusters are, added up. Larger is better.

    .. math:: rH = \tfrac12\sum_{i<j}\Big(\Delta_{ij}^T(\Sigma_i+\Sigma_j)^{-1}\Delta_{ij} +
       \ln|\Sigma_i+\Sigma_j| + d\ln 2\pi\Big),\quad \Delta_{ij} = \mu_i-\mu_j

    Any number; NaN with fewer than two clusters. It does not change if the data are moved or
    turned. It is a sum over pairs, so it grows with the number of clusters. References: as for
    `CrossInformationPotential`.
    """

    name = "rh"
    title = "cross-entropy"
    reference = "Araújo, Neto & Martins 2013"
    bigger_is_better = True
    range = (-math.inf, math.inf)
