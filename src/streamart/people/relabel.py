"""Other clusters for the categories of StreamART: derived anew, or as a person says."""

from __future__ import annotations

import numpy as np

from .._typing import Ints
from ..icvi.state import LIVE, MEAN, State
from ..views import labels_of, rows_of


def relabel(state: State, labels: Ints, goodness: float) -> None:
    """Make these the clusters, where only their footprints are kept (StreamART).

    `labels` has the cluster of each category, in their order and numbered from 0; `goodness` is the
    index of the result. A group of hinted samples goes to the cluster that has most samples of its
    old one, the first of equals. Ids are left to `core.corrections.settle`.
    """
    rows, old, now, k = rows_of(state), labels_of(state), state.now[0], int(labels.max()) + 1
    n, cp, mean = state.cat["n"][rows], state.cat["cp"][rows], state.box[MEAN, rows]
    before = state.classes["cluster"]
    after = before.copy()
    for cluster in np.unique(before[before >= 0]):
        shared = np.bincount(labels, weights=np.where(old == cluster, n, 0), minlength=k)
        after[before == cluster] = shared.argmax()
    # Sums over the categories of each cluster, of differences from one of them, to keep the digits.
    order = np.argsort(labels, kind="stable")
    first = np.searchsorted(labels[order], np.arange(k))
    nearby = mean[order[first]]
    away = mean - nearby[labels]
    samples = np.add.reduceat(n[order], first)
    centre = np.add.reduceat((n[:, None] * away)[order], first) / samples[:, None]
    scatter = cp + n * np.sum((away - centre[labels]) ** 2, axis=1)
    cluster_cp, size = np.add.reduceat(scatter[order], first), np.bincount(labels, minlength=k)
    # The state changes only now, so an error above leaves it as it was.
    clusters = state.clu[LIVE, :k]
    clusters["size"], clusters["n"], clusters["cp"] = size, samples, cluster_cp
    state.mean[LIVE, :k] = nearby + centre
    state.label[LIVE, rows] = labels
    state.classes["cluster"] = after
    now["k"], now["goodness"], now["rearranged"] = k, goodness, 1
