"""How well samples fit where they go, when clusters are derived from fine categories."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from ._typing import Floats, Ints
from .core.strategies.repartition import Matter

FARTHEST = 4.0
"""A sample fits no cluster if it is twice as far (here squared) as its neighbours are apart."""


def reach_of_clusters(matter: Matter, labels: Ints) -> Floats:
    """For each category, how far apart neighbours in its cluster are: squared, expected of samples.

    Of every category the nearest in its cluster is sought; of these distances, the one that nine
    tenths of the samples keep to. A cluster of one category has its own spread; one of a single
    sample, of which nothing is known, the median of the others.
    """
    spread = matter.cp / matter.n
    far = cdist(matter.mean, matter.mean, "sqeuclidean") + spread[:, None] + spread
    far[labels[:, None] != labels] = np.inf
    np.fill_diagonal(far, np.inf)
    nearest = far.min(axis=1)
    reach = np.full(len(labels), np.nan)
    for c in np.unique(labels):
        here = np.flatnonzero(labels == c)
        if len(here) > 1:
            by_distance = here[np.argsort(nearest[here], kind="stable")]
            share = np.cumsum(matter.n[by_distance]) / matter.n[here].sum()
            reach[here] = nearest[by_distance[np.searchsorted(share, 0.9)]]
        elif matter.n[here[0]] > 1:
            reach[here] = 2.0 * matter.cp[here[0]] / (matter.n[here[0]] - 1.0)
    known = reach[~np.isnan(reach)]
    return np.where(np.isnan(reach), np.median(known) if len(known) else 0.0, reach)
