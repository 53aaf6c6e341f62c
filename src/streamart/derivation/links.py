r"""How strongly categories are linked.

With n samples, mean and spread s = CP/n of each category,

.. math:: E_{pq} = \|\mu_p-\mu_q\|^2 + s_p + s_q,\quad \sigma_p = \min_q E_{pq},\quad
          L_{pq} = \Bigl(CONN'_{pq} + \frac3K K_{pq}\Bigr)\,\min(1, \sqrt{\sigma_p\sigma_q}/E_{pq})

where K_pq is 0, 1 or 2: whether p is among the K nearest of q, plus whether q is among those of p.
CONN' is CONN, corrected for the links that were lost in mergers of categories.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .._jit import TIE
from .._typing import Floats
from .geometry import PartitionInput

MAX_CORRECTION = 1.1
"""Greatest factor by which the links of a category are corrected, up or down. A greater one
protects old clusters better, but changes the result for data without clear clusters."""


def corrected_links(given: PartitionInput) -> Floats:
    r"""CONN as if all categories had lost the same share of their links in mergers.

    .. math:: g_p = 1 + \frac{lost_p}{\sum_q CONN_{pq}},\quad h_p = g_p N / \sum_q n_q g_q
              \text{ within } [\tfrac1{1.1}, 1.1],\quad CONN'_{pq} = \sqrt{h_p h_q}\,CONN_{pq}

    Categories of the first samples were merged most often. Without the correction, they would seem
    loosely linked, and the first cluster would be split before later ones are separated.
    """
    linked = given.conn.sum(axis=1)
    loss = 1.0 + np.divide(given.lost, linked, out=np.zeros_like(linked), where=linked > 0.0)
    share = np.clip(loss * (given.n.sum() / (given.n @ loss)), 1 / MAX_CORRECTION, MAX_CORRECTION)
    root = np.sqrt(share)
    found: Floats = given.conn * root[:, None]
    found *= root
    return found


def links_of(given: PartitionInput, far: Floats, neighbours: tuple[int, ...]) -> Iterator[Floats]:
    """L for each of these numbers of nearest neighbours (K). Categories at the same distance as the
    last neighbour count, too."""
    most = min(max(neighbours), len(far) - 1)
    nearest = np.sort(np.partition(far, most - 1, axis=1)[:, :most], axis=1)
    sigma = np.sqrt(nearest[:, 0])
    with np.errstate(invalid="ignore"):
        fading = np.minimum(1.0, sigma[:, None] * sigma / far)
    fading[far == 0.0] = 1.0
    corrected = corrected_links(given)
    faded = corrected * fading
    for K in neighbours:
        limit = nearest[:, min(K, most) - 1] * (1.0 + TIE)
        near = far <= limit[:, None]
        p, q = np.divmod(np.flatnonzero(near), len(far))
        more = 3.0 / K * (1.0 + near[q, p])
        link = faded.copy()
        link[p, q] = (corrected[p, q] + more) * fading[p, q]
        link[q, p] = (corrected[q, p] + more) * fading[q, p]
        yield link
