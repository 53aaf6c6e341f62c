"""A validity index at every cut of a tree, for `StreamART(criterion=name)`."""

from __future__ import annotations

import numpy as np

from .._jit import by_index, jit_entry
from .._typing import Floats, Ints
from ..icvi.footprints import assign, move_towards, squared_distance
from ..validity.evaluation import formula
from ..validity.registration import BY_NAME
from .geometry import PartitionInput

LEARNED = "learned"
"""The default criterion: the score of `cut`."""
CRITERIA = (
    LEARNED,
    *(name for name, row in BY_NAME.items() if not (row.by_winners or row.by_covariance)),
)
"""The categories here know no covariances, and an index of CONN takes too long for every cut."""

_formula = by_index(formula)


@jit_entry
def walk_cuts(
    index: object,
    n: Floats,
    cp: Floats,
    mean: Floats,
    distance: Floats,
    totals: Floats,
    merges: Ints,
    place: Ints,
    owner: Ints,
    out: Floats,
) -> None:
    """Goodness at each number k of clusters, ``out[k]``, as far as `out` goes.

    Clusters stand in the first rows. Cluster c of `merges` is in row ``place[c]``, and `owner` is
    the inverse. `n`, `cp`, `mean` and `distance` begin as those of categories, and are used up.
    """
    k = n.shape[0]
    for stage in range(merges.shape[0] + 1):
        if 1 < k < out.shape[0]:
            out[k] = _formula(index, k, n, cp, distance, totals[0], totals[1])
        if stage == merges.shape[0]:
            break
        i, j = place[merges[stage, 0]], place[merges[stage, 1]]
        share = n[j] / (n[i] + n[j])
        cp[i] += cp[j] + n[i] * share * squared_distance(mean[i], mean[j])
        move_towards(mean[i], mean[j], share)
        n[i] += n[j]
        k -= 1
        n[j], cp[j] = n[k], cp[k]  # the last cluster moves to the free row
        assign(mean[j], mean[k])
        for row in range(k):
            distance[j, row] = distance[row, j] = distance[k, row]
        distance[j, j] = 0.0
        owner[j] = owner[k]
        place[owner[j]] = j
        i = j if i == k else i
        for row in range(k):
            distance[i, row] = distance[row, i] = squared_distance(mean[i], mean[row])


def goodness_of_cuts(name: str, given: PartitionInput, merges: Ints, k: Ints) -> Floats:
    """Goodness of the cuts of a tree at these numbers of clusters; NaN where it is undefined."""
    n, mean = given.n, given.mean
    centre = n @ mean / n.sum()
    scatter = given.cp.sum() + n @ np.sum((mean - centre) ** 2, axis=1)
    distance = np.array([np.sum((mean - one) ** 2, axis=1) for one in mean])
    place, owner = np.arange(len(n)), np.arange(len(n))
    out = np.full(int(k.max()) + 1, np.nan)
    walk_cuts(
        BY_NAME[name].marker(),
        n.copy(),
        given.cp.copy(),
        mean.copy(),
        distance,
        np.array([n.sum(), scatter]),
        merges,
        place,
        owner,
        out,
    )
    return out[k]
