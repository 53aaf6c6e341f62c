"""The indices by their definitions, with numpy: from footprints, or from samples and labels.

Not part of the compiled core, which keeps everything up to date instead. For explanations and
scores.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from .._typing import Floats, Ints
from .registry import BY_NAME, CH, DB, PBM, WB


def index_of_footprints(icvi: str, n: ArrayLike, mean: ArrayLike, cp: ArrayLike) -> float:
    """The index of clusters with so many samples, these means and these compactnesses.

    NaN with fewer than two clusters, or where it is 0/0. Not for the conn_index.

    >>> index_of_footprints("ch", [2, 2], [[0.0], [4.0]], [1.0, 1.0])
    16.0
    """
    sizes, centres = np.asarray(n, dtype=float), np.asarray(mean, dtype=float)
    spreads, k = np.asarray(cp, dtype=float), len(np.atleast_1d(n))
    if k < 2:
        return float("nan")
    code, samples, within = BY_NAME[icvi].code, sizes.sum(), spreads.sum()
    centre = sizes @ centres / samples
    between = float(sizes @ np.sum((centres - centre) ** 2, axis=1))
    if code not in (CH, WB):
        distance = cdist(centres, centres, "sqeuclidean")
        apart = ~np.eye(k, dtype=bool)
    with np.errstate(divide="ignore", invalid="ignore"):
        if code == CH:
            value = np.float64(between) / within * (samples - k) / (k - 1)
        elif code == WB:
            value = k * np.float64(within) / between
        elif code == PBM:
            value = ((np.float64(within) + between) / within * distance.max() / k) ** 2
        elif code == DB:
            per_sample = spreads / sizes
            ratios = (per_sample[:, None] + per_sample[None]) / distance
            value = np.mean([np.max(ratios[i][apart[i]]) for i in range(k)])
        else:
            value = np.float64(within) / (samples * distance[apart].min())
    return float(value)


def conn_index(conn: ArrayLike, cluster: ArrayLike, n: ArrayLike) -> float:
    """The conn_index of categories with these connections, clusters and numbers of samples."""
    links, home = np.array(conn, dtype=float), np.asarray(cluster)
    np.fill_diagonal(links, 0.0)
    counts, k = np.asarray(n, dtype=float), int(home.max()) + 1
    if k < 2:
        return float("nan")
    member = (home[:, None] == np.arange(k)).astype(float)
    into = links @ member
    own = into[np.arange(len(home)), home]
    intra = np.mean(0.5 * (member.T @ own) / (member.T @ counts))
    # Of each cluster, the categories that have a link into another one.
    border = ((into > 0.0) & (member == 0.0)).astype(float)
    across, along = member.T @ (into * border), member.T @ (own[:, None] * border)
    among = member.T @ (((links * (home[:, None] == home)) @ border) * border)
    inter = across / np.where(across > 0.0, across + along - 0.5 * among, 1.0)
    return float(intra * (1.0 - np.mean(inter.max(axis=1))))


def footprints(X: Floats, labels: Ints) -> tuple[Floats, Floats, Floats]:
    """n, mean and CP of each cluster of labelled samples; -1 is no cluster."""
    clusters = [X[labels == c] for c in np.unique(labels[labels >= 0])]
    n = np.array([len(rows) for rows in clusters], dtype=float)
    mean = np.array([rows.mean(axis=0) for rows in clusters])
    cp = np.array([np.sum((rows - rows.mean(axis=0)) ** 2) for rows in clusters])
    return n, mean, cp
