r"""CH and WB: floors of WGSS by eigenvalues (`floors`), which grow with the data.

When eigenvalues are computed, every cluster leaves an *anchor* behind: its samples :math:`m_i` and
its mean :math:`\nu_i`. Of the scatter of these around the mean c of all data, U is the sum of the
``left - 1`` greatest eigenvalues. Later a cluster has :math:`n_i` samples, at :math:`\mu_i`. The
scatter between any groups of clusters is at most the sum of as many eigenvalues of

.. math:: \sum_i n_i(\mu_i-c)(\mu_i-c)^\top,\qquad
          n_i = w_i + e_i,\quad w_i = \min(n_i, \rho\,m_i)

for any growth :math:`\rho`. The part of the e adds no more than its trace. Of the other part, the
root of the sum is a norm of the matrix with the columns :math:`\sqrt{w_i}(\mu_i-c)`, the root of
the sum of its greatest squared singular values. That of :math:`\sqrt{w_i}(\nu_i-c)` is
:math:`\sqrt{\rho U}` at most, and that of the differences no more than all their squares. So

.. math:: BGSS \le \Bigl(\sqrt{\rho U} + \sqrt{\sum_i w_i\|\mu_i-\nu_i\|^2}\Bigr)^2
          + \sum_i e_i\|\mu_i-c\|^2

and WGSS is what is left of CP of all data. While all clusters grow alike, that grows with the data.
It takes O(k d), where eigenvalues take O(k^3).

An anchor that is gone only makes the scatter of the others smaller, so that U holds; nor does it
matter whose anchor it is, if no two clusters have the same.
"""

import math

from .._jit import jit
from .compare import SLACK
from .debts import raise_floor, settle_debt
from .footprints import assign, squared_distance
from .state import CENTRE, LIVE, MEAN_ALL, SEEN, State

# Growths that are tried, from that of the number of samples on, each so many times the one before.
GROWTHS, FASTER = 8, 1.01


@jit
def note_anchors(s: State) -> None:
    """Clusters are here when ``greatest`` of BGSS are what they are."""
    for c in range(s.now[LIVE]["k"]):
        s.clu[LIVE, c]["anchor"] = float(s.clu[LIVE, c]["n"])
        assign(s.mean[SEEN, c], s.mean[LIVE, c])
    assign(s.feature[CENTRE], s.feature[MEAN_ALL])
    s.now[0]["anchors"] = s.now[LIVE]["k"]
    s.now[0]["anchored"] = s.now[0]["n"]
    s.now[0]["next_growth"] = 0


@jit
def let_floors_grow(s: State) -> None:
    """Raise floors by the formula above."""
    k, clu, now = s.now[LIVE]["k"], s.clu[LIVE], s.now[0]
    if now["debt"] > 0.0:
        settle_debt(s)
    for c in range(k):
        clu[c]["into_a"] = squared_distance(s.mean[LIVE, c], s.feature[CENTRE])
        if clu[c]["anchor"] > 0.0:
            clu[c]["into_b"] = squared_distance(s.mean[LIVE, c], s.mean[SEEN, c])
    growth = now["n"] / float(now["anchored"])
    for _ in range(GROWTHS):
        strayed, rest = 0.0, 0.0
        for c in range(k):
            like_before = min(float(clu[c]["n"]), growth * clu[c]["anchor"])
            if like_before > 0.0:
                strayed += like_before * clu[c]["into_b"]
            rest += (clu[c]["n"] - like_before) * clu[c]["into_a"]
        strayed = math.sqrt(strayed * (1.0 + SLACK))
        rest *= 1.0 + SLACK
        for left in range(2, min(k, now["anchors"])):
            root = math.sqrt(growth * clu[left]["greatest"]) + strayed
            raise_floor(s, left, now["cp"] - root * root - rest)
        growth *= FASTER
