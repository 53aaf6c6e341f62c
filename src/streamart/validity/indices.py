"""The indices of n, mean and CP: no covariances are needed.

In the formulas, cluster i has :math:`n_i` samples, mean :math:`\\mu_i` and
:math:`CP_i = \\sum\\|x-\\mu_i\\|^2`; :math:`D_{ij} = \\|\\mu_i-\\mu_j\\|^2`; :math:`N = \\sum n_i`,
:math:`WGSS = \\sum CP_i`, :math:`BGSS = CP_0 - WGSS`, and :math:`CP_0` is that of all data. All are
NaN with fewer than two clusters.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from .._typing import Floats, Ints
from .evaluation import follow
from .footprints import Footprints
from .index import ValidityIndex
from .registration import BY_NAME


class SumsIndex(ValidityIndex):
    """An index that is registered under its name, and is a function of n, CP and D."""

    formula: ClassVar[str]
    """The name by which the formula is registered."""

    def __init_subclass__(cls) -> None:
        row = BY_NAME[cls.formula]
        cls.name = cls.__dict__.get("name", cls.formula)
        cls.title = cls.__dict__.get("title", row.title)
        cls.reference = cls.__dict__.get("reference", row.reference)
        cls.bigger_is_better = not row.smaller_is_better

    def _follow(self, k: int, X: Floats, rows: Ints, every: int, out: Floats) -> None:
        follow(BY_NAME[self.formula].marker(), *self._seen(), k, X, rows, every, out)


class CalinskiHarabasz(SumsIndex):
    r"""Calinski-Harabasz index: between-cluster to within-cluster scatter. Larger is better.

    .. math:: CH = \frac{BGSS}{WGSS}\cdot\frac{N-k}{k-1}

    In :math:`[0, \infty]`. Infinite if all clusters consist of copies, NaN if all samples are
    equal. It does not change if the data are moved, turned or scaled. It grows with N: compare
    values of one stream at one time. Reference: T. Caliński, J. Harabasz: "A dendrite method for
    cluster analysis", 1974.
    """

    formula = "ch"
    range = (0.0, math.inf)


class WB(SumsIndex):
    r"""WB index: within-cluster to between-cluster scatter, times k. Smaller is better.

    .. math:: WB = k\cdot\frac{WGSS}{BGSS}

    In :math:`[0, \infty]`. Infinite if all means coincide, NaN if all samples are equal. It does
    not change if the data are moved, turned or scaled. Reference: Q. Zhao, M. Xu, P. Fränti:
    "Sum-of-squares based cluster validity index and significance analysis", 2009.
    """

    formula = "wb"
    range = (0.0, math.inf)


class PakhiraBandyopadhyayMaulik(SumsIndex):
    r"""PBM index: the I index with p = 2. Larger is better.

    .. math:: PBM = \left(\frac{CP_0}{WGSS}\cdot\frac{\max_{i\ne j} D_{ij}}{k}\right)^2

    In :math:`[0, \infty]`. Infinite if all clusters consist of copies, NaN if all samples are
    equal. It does not change if the data are moved or turned; scaling them by s multiplies it by
    :math:`s^4`. Reference: M. Pakhira, S. Bandyopadhyay, U. Maulik: "Validity index for crisp and
    fuzzy clusters", 2004.
    """

    formula = "pbm"
    range = (0.0, math.inf)


class IIndex(SumsIndex):
    r"""I index. Larger is better.

    .. math:: I = \left(\frac{CP_0}{WGSS}\cdot\frac{\max_{i\ne j} D_{ij}}{k}\right)^p

    In its incremental form, whose distances are squared. Partitions are in the same order for every
    p > 0; with p = 2 it is PBM. In :math:`[0, \infty]`; infinite or NaN as PBM is. Scaling by s
    multiplies it by :math:`s^{2p}`. Reference: U. Maulik, S. Bandyopadhyay: "Performance evaluation
    of some clustering algorithms and validity indices", 2002.

    Parameters
    ----------
    footprints : Footprints or None, default=None
    p : float, default=2.0
        The exponent, > 0.
    """

    formula = "pbm"
    name = "i"
    title = "I index"
    reference = "Maulik & Bandyopadhyay 2002"
    range = (0.0, math.inf)

    def __init__(self, footprints: Footprints | None = None, *, p: float = 2.0) -> None:
        super().__init__(footprints)
        if not 0 < p < math.inf:
            raise ValueError(f"p must be a number above 0. Got {p!r} instead.")
        self.p = float(p)

    def parameters(self) -> dict[str, Any]:
        return {"p": self.p}

    def _follow(self, k: int, X: Floats, rows: Ints, every: int, out: Floats) -> None:
        super()._follow(k, X, rows, every, out)
        out **= self.p / 2.0


class XieBeni(SumsIndex):
    r"""Xie-Beni index: mean scatter to the least separation. Smaller is better.

    .. math:: XB = \frac{WGSS}{N\cdot\min_{i\ne j} D_{ij}}

    In :math:`[0, \infty]`. Infinite if two means coincide, NaN if moreover all clusters consist of
    copies. It does not change if the data are moved, turned or scaled. Reference: X. Xie, G. Beni:
    "A validity measure for fuzzy clustering", 1991; incremental: arXiv 1801.02937.
    """

    formula = "xb"
    range = (0.0, math.inf)


class DaviesBouldin(SumsIndex):
    r"""Davies-Bouldin index: the worst overlap of each cluster, on average. Smaller is better.

    .. math:: DB = \frac1k\sum_i\max_{j\ne i}\frac{CP_i/n_i + CP_j/n_j}{D_{ij}}

    In :math:`[0, \infty]`. Infinite if two means coincide, NaN if moreover both clusters consist of
    copies. It does not change if the data are moved, turned or scaled. This is the incremental
    form, with squared distances; scikit-learn's has mean distances that are not squared, which no
    footprint gives. Reference: D. Davies, D. Bouldin: "A cluster separation measure", 1979;
    incremental: arXiv 1801.02937.
    """

    formula = "db"
    range = (0.0, math.inf)


class GeneralizedDunn43(SumsIndex):
    r"""Generalised Dunn index 43: the least separation to the widest cluster. Larger is better.

    .. math:: GD43 = \frac{\min_{i\ne j}\sqrt{D_{ij}}}{2\max_i CP_i/n_i}

    In :math:`[0, \infty]`. Infinite if all clusters consist of copies, NaN if moreover two means
    coincide. It does not change if the data are moved or turned; scaling them by s divides it by s,
    for the distance is not squared and the width is. References: J. Bezdek, N. Pal: "Some new
    indexes of cluster validity", 1998; incremental: O. Ibrahim, J. Keller, J. Bezdek: "Evaluating
    evolving structure in streaming data with modified Dunn's indices", 2019.
    """

    formula = "gd43"
    range = (0.0, math.inf)


class GeneralizedDunn53(SumsIndex):
    r"""Generalised Dunn index 53: it compares the widths of clusters only. Larger is better.

    .. math:: GD53 = \frac{\min_{i\ne j}\frac{CP_i+CP_j}{n_i+n_j}}{2\max_i CP_i/n_i}

    In :math:`[0, \frac12]`. NaN if all clusters consist of copies. It does not change if the data
    are moved, turned or scaled, nor if clusters move with respect to each other. References: as for
    `GeneralizedDunn43`.
    """

    formula = "gd53"
    range = (0.0, 0.5)


class CentroidSilhouette(SumsIndex):
    r"""Centroid silhouette. Larger is better.

    .. math:: cSIL = \frac1k\sum_i \frac{b_i - a_i}{\max(a_i, b_i)},\quad
       a_i = \frac{CP_i}{n_i},\quad b_i = \min_{j\ne i}\Big(\frac{CP_j}{n_j} + D_{ij}\Big)

    :math:`b_i` is the least mean squared distance of another cluster's samples from
    :math:`\mu_i`. In [-1, 1]. NaN if two clusters are copies of the same sample. It does not change
    if the data are moved, turned or scaled. References: P. Rousseeuw: "Silhouettes", 1987;
    M. Rawashdeh, A. Ralescu: "Center-wise intra-inter silhouettes", 2012; incremental: arXiv
    1902.06711.
    """

    formula = "csil"
    range = (-1.0, 1.0)


class PartitionSeparation(SumsIndex):
    r"""Partition separation (PS): even sizes and distant means. Larger is better.

    .. math:: PS = \sum_i\Big(\frac{n_i}{\max_l n_l} - \exp\big(-\min_{j\ne i}
       D_{ij}/\beta\big)\Big),\quad \beta = \frac1k\sum_i\|\mu_i-\bar\mu\|^2,\quad
       \bar\mu = \frac1k\sum_i\mu_i

    In (-k, k). NaN if all means coincide. It does not change if the data are moved, turned or
    scaled. References: M. Yang, K. Wu: "A new validity index for fuzzy clustering", 2001; for hard
    labels: E. Lughofer: "Extensions of vector quantization for incremental clustering", 2008.
    """

    formula = "ps"
    range = (-math.inf, math.inf)


class PCAES(SumsIndex):
    r"""Partition coefficient and exponential separation, for hard labels. Larger is better.

    .. math:: PCAES = \sum_i\Big(\frac{n_i}{\max_l n_l} - \exp\big(-\min_{j\ne i}
       D_{ij}/\beta_T\big)\Big),\quad \beta_T = \frac1k\sum_i\|\mu_i-\mu\|^2

    where :math:`\mu` is the mean of all data: with hard labels that is all in which it differs from
    `PartitionSeparation`. (The first term is divided by the greatest partition coefficient, so that
    it is at most 1, as the authors say of it; some copies of the formula print the least.) In
    (-k, k). NaN if all means coincide. It does not change if the data are moved, turned or scaled.
    Reference: K. Wu, M. Yang: "A cluster validity index for fuzzy clustering", 2005.
    """

    formula = "pcaes"
    range = (-math.inf, math.inf)
