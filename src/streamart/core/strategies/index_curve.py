"""A validity index of the registry for every stage of a tree."""

from __future__ import annotations

import numpy as np

from ..._typing import Floats, Ints
from ...icvi.batch import conn_index, index_of_footprints
from ...icvi.registry import BY_NAME


def index_curve(
    icvi: str,
    n: Floats,
    mean: Floats,
    cp: Floats,
    conn: Floats,
    merges: Ints,
    least: int,
    most: int,
) -> Floats:
    """The index when there are least .. most clusters; negated where smaller is better.

    By definition, from the footprints of the clusters at each stage.
    """
    index, count = BY_NAME[icvi], len(n)
    home, size, centre, inside = np.arange(count), n.copy(), mean.copy(), cp.copy()
    found = np.full(most + 1 - least, -np.inf)
    for stage in range(len(merges) + 1):
        if stage > 0:
            kept, gone = merges[stage - 1]
            away, share = centre[gone] - centre[kept], size[gone] / (size[kept] + size[gone])
            inside[kept] += inside[gone] + size[kept] * share * (away @ away)
            centre[kept] += share * away
            size[kept] += size[gone]
            size[gone] = 0.0
            home[home == gone] = kept
        k = count - stage
        if least <= k <= most:
            alive = np.flatnonzero(size)
            if index.by_winners:
                value = conn_index(conn, np.searchsorted(alive, home), n)
            else:
                value = index_of_footprints(icvi, size[alive], centre[alive], inside[alive])
            if not np.isnan(value):
                found[k - least] = -value if index.smaller_is_better else value
    return found
