"""The indices of a whole partition: from footprints, from CONN, or from samples and labels.

For explanations and scores; the core keeps everything up to date instead.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._jit import jit_entry
from .._typing import Floats, Ints
from .footprints import squared_distance
from .pairs import spread
from .registry import BY_NAME, goodness, pair_quantity


@jit_entry
def _goodness(index: Any, n: Floats, mean: Floats, cp: Floats) -> float:
    """Goodness of clusters with these footprints, by the formula of the index."""
    k, samples, within, between = n.shape[0], 0.0, 0.0, 0.0
    centre = np.zeros(mean.shape[1])
    for i in range(k):
        samples += n[i]
        within += cp[i]
        for f in range(centre.shape[0]):
            centre[f] += n[i] / samples * (mean[i, f] - centre[f])
    for i in range(k):
        between += n[i] * squared_distance(mean[i], centre)
    scatter, greatest, total = within + between, -math.inf, 0.0
    for i in range(k):
        own = -math.inf
        for j in range(k):
            if i != j:
                distance = squared_distance(mean[i], mean[j])
                one, two = spread(n[i], cp[i], scatter), spread(n[j], cp[j], scatter)
                own = max(own, pair_quantity(index, distance, one, two, scatter, samples))
        greatest = max(greatest, own)
        total += own
    return goodness(index, k, samples, within, scatter, greatest, total)


def index_of_footprints(icvi: str, n: ArrayLike, mean: ArrayLike, cp: ArrayLike) -> float:
    """The index of clusters with so many samples, these means and these compactnesses.

    NaN with fewer than two clusters, or where it is 0/0. Not for the conn_index.

    >>> index_of_footprints("ch", [2, 2], [[0.0], [4.0]], [1.0, 1.0])
    16.0
    """
    index, sizes = BY_NAME[icvi], np.array(n, dtype=float, ndmin=1)
    if len(sizes) < 2:
        return float("nan")
    value = _goodness(index.marker(), sizes, np.array(mean, dtype=float), np.array(cp, dtype=float))
    return float(-value if index.smaller_is_better else value)


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
