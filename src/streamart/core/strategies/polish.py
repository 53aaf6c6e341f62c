"""After the cut: categories that would add less elsewhere."""

from ..._jit import TIE, jit_entry
from ..._typing import Floats, Ints
from ...icvi.footprints import squared_distance


@jit_entry
def move_all(
    n: Floats,
    mean: Floats,
    link: Floats,
    group: Ints,
    centre: Floats,
    size: Floats,
    ties: Floats,
    home: Ints,
    target: Ints,
    least: float,
) -> None:
    """The cluster of least Ward cost for each category, all others staying where they are.

    Only where its links are at least `least` times those at home, and only if no hint holds it; the
    last category of a cluster stays.
    """
    for p in range(n.shape[0]):
        old = home[p]
        target[p] = old
        m = size[old]
        if group[p] >= 0 or m <= n[p]:
            continue
        for c in range(size.shape[0]):
            ties[c] = 0.0
        for q in range(n.shape[0]):
            ties[home[q]] += link[p, q]
        cost = n[p] * m / (m - n[p]) * squared_distance(mean[p], centre[old])
        for c in range(size.shape[0]):
            if c != old and ties[c] > 0.0 and ties[c] >= least * ties[old]:
                share = n[p] * size[c] / (n[p] + size[c])
                other = share * squared_distance(mean[p], centre[c])
                if other < cost * (1.0 - TIE):
                    target[p], cost = c, other
