r"""How strongly categories are linked.

With n samples, mean and spread s = CP/n of each category,

.. math:: E_{pq} = \|\mu_p-\mu_q\|^2 + s_p + s_q,\quad \sigma_p = \min_q E_{pq},\quad
          L_{pq} = \Bigl(CONN'_{pq} + \frac3K K_{pq}\Bigr)\,\min(1, \sqrt{\sigma_p\sigma_q}/E_{pq})

where K_pq counts in how many directions the two are among each other's K nearest (0, 1 or 2) and
CONN' is CONN with what mergers of categories took from it given back.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .._jit import TIE
from .._typing import Floats
from .geometry import PartitionInput

MOST_GIVEN = 1.1
"""Links of a category count at most so many times what was counted, or that share of it: more makes
old clusters safer still, and changes what is found in data without clear clusters."""


def links_given_back(given: PartitionInput) -> Floats:
    r"""CONN as if all categories had lost the same share of their links when they merged.

    .. math:: g_p = 1 + \frac{lost_p}{\sum_q CONN_{pq}},\quad h_p = g_p N / \sum_q n_q g_q
              \text{ within } [\tfrac1{1.1}, 1.1],\quad CONN'_{pq} = \sqrt{h_p h_q}\,CONN_{pq}

    What came first was merged most often. Without this it would seem loosely linked, and a cluster
    that came first would be taken apart before two that came later.
    """
    linked = given.conn.sum(axis=1)
    loss = 1.0 + np.divide(given.lost, linked, out=np.zeros_like(linked), where=linked > 0.0)
    share = np.clip(loss * (given.n.sum() / (given.n @ loss)), 1 / MOST_GIVEN, MOST_GIVEN)
    root = np.sqrt(share)
    found: Floats = given.conn * root[:, None]
    found *= root
    return found


def links_of(given: PartitionInput, far: Floats, neighbours: tuple[int, ...]) -> Iterator[Floats]:
    """L for each of these numbers of nearest neighbours (K); categories as far as the last of them
    count, too."""
    last = [min(K, len(far) - 1) - 1 for K in neighbours]
    limits = np.partition(far, last, axis=1)[:, last] * (1.0 + TIE)
    sigma = np.sqrt(far.min(axis=1))
    with np.errstate(invalid="ignore"):
        fading = np.minimum(1.0, sigma[:, None] * sigma / far)
    fading[far == 0.0] = 1.0
    given_back = links_given_back(given)
    for K, limit in zip(neighbours, limits.T, strict=True):
        near = (far <= limit[:, None]).astype(float)
        yield (given_back + 3.0 / K * (near + near.T)) * fading
