"""The indices by name: which numbers each needs, which way it is optimal, its formula.

Adding an index is one file with its formula, one `Index` row, and one line in each switch below.
Everything else (labels, strategies) asks only for `goodness`, which is larger when better.
"""

from typing import NamedTuple

from .._jit import jit
from . import ch, conn, db, pbm, wb, xb

CH, WB, PBM, XB, DB, CONN = 0, 1, 2, 3, 4, 5


class Index(NamedTuple):
    """What the documentation and the estimators need to know of an index."""

    name: str
    code: int
    title: str
    smaller_is_better: bool
    reference: str


INDICES = (
    Index("ch", CH, "Calinski-Harabasz", False, "Calinski & Harabasz 1974"),
    Index("wb", WB, "WB", True, "Zhao, Xu & Fränti 2009"),
    Index("pbm", PBM, "Pakhira-Bandyopadhyay-Maulik", False, "Pakhira et al. 2004"),
    Index("xb", XB, "Xie-Beni", True, "Xie & Beni 1991"),
    Index("db", DB, "Davies-Bouldin", True, "Davies & Bouldin 1979"),
    Index("conn", CONN, "conn_index", False, "Taşdemir & Merényi 2011"),
)
BY_NAME = {index.name: index for index in INDICES}


@jit
def pair_quantity(
    code: int, distance: float, spread_i: float, spread_j: float, scatter: float, samples: float
) -> float:
    """What the index takes the maximum of, over all pairs (PBM, XB) or per cluster (DB)."""
    if code == XB:
        return -distance
    if code == DB:
        return db.similarity(distance, spread_i, spread_j, scatter, samples)
    return distance


@jit
def goodness(
    code: int,
    k: int,
    samples: float,
    within: float,
    scatter: float,
    peak: float,
    total: float,
    intra: float,
) -> float:
    """Index value of a partition, negated where smaller is better; NaN with fewer than 2 clusters.

    `peak` is the greatest pair quantity, `total` the sum over clusters of the greatest one of each,
    `intra` the sum of the clusters' intra-connectivities (conn_index only).
    """
    if k < 2:
        return float("nan")
    if code == CH:
        return ch.value(k, samples, within, scatter)
    if code == WB:
        return -wb.value(k, within, scatter)
    if code == PBM:
        return pbm.value(k, within, scatter, peak)
    if code == XB:
        return -xb.value(samples, within, scatter, -peak)
    if code == DB:
        return -db.value(k, total)
    return conn.value(k, intra, total)
