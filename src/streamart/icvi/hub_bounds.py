r"""XB: proofs that no merger helps, by a cluster in the middle of all others.

Where one cluster H has taken in several others, its mean is next to that of all data, and about as
near to every other mean; whatever is merged, H's group stays in the middle. Let G be that group,
:math:`n_G = n_H + s`, and v the way from the mean of H to that of G. For any point p,
:math:`\sum_g n_g|\mu_g-p|^2 = BGSS + N|p-\mu|^2`, so some group is no farther from G than

.. math:: \frac{BGSS - cost + N(a+|v|)^2}{N-n_G}

(squared), if all mergers cost so much and H is a from the mean of all data. Let :math:`\bar D` be
the average squared distance from H of the s samples' clusters, which is at least that of the
nearest. These clusters are themselves :math:`\sqrt m` apart and have no more than q samples each,
so that it costs at least :math:`e s`, with :math:`e = \tfrac m2(1-\tfrac qs)`, to merge them. Hence

.. math:: |v|^2 \le \tfrac{s^2}{n_G^2}(\bar D-e),\qquad
          cost \ge \bar D s - n_G|v|^2 \ge \tfrac{n_Hs}{n_G}\bar D + \tfrac{s^2}{n_G}e

Nor is G farther from the mean of all data than :math:`(N-n_G)/n_G` times as far as any cluster is.
The index is better only if all distances are above WGSS over N times the value to beat. Whether
they may be is asked for ranges of s, and for the worst :math:`\bar D` of each.
"""

import math
from typing import NamedTuple

from .._jit import jit
from .._typing import Floats
from .compare import SLACK
from .state import DISTANCE, State
from .tops import place_without

# Each range of s is so many times as long as what is below it; halved where that does not do.
LONGEST, SHORTEST = 0.25, 0.015
# e is taken to be no more than so much of the least distance from H.
MOST = 0.9


@jit
def find_hub(s: State, top: Floats, w: int) -> int:
    """Of the two clusters that are nearest to each other, the one that has more samples."""
    clu, hub = s.clu[w], 0
    for c in range(1, s.now[w]["k"]):
        nearer = top[w, c, 0] > top[w, hub, 0]
        if nearer or (top[w, c, 0] == top[w, hub, 0] and clu[c]["n"] > clu[hub]["n"]):
            hub = c
    return hub


@jit
def least_without(s: State, top: Floats, w: int, hub: int) -> float:
    """The least squared distance between clusters other than the hub."""
    least = math.inf
    for c in range(s.now[w]["k"]):
        if c != hub:
            least = min(least, -top[w, c, place_without(top, w, c, hub)])
    return least


class Hub(NamedTuple):
    """A cluster H in the middle, and the others around it."""

    own: float  # samples of H
    near: float  # least squared distance from H,
    apart: float  # and between two others
    total: float  # squared distances from H of the means of others, summed over their samples,
    reach: float  # and the greatest
    fewest: float  # samples of one of the others
    most: float


@jit
def hub_stays_near(s: State, top: Floats | None, w: int, best: float, far: float) -> bool:
    """Proof that no grouping of the clusters of partition w is better than `best`.

    `far`: no squared distance is greater.
    """
    if top is None:
        return False
    k, clu, n = s.now[w]["k"], s.clu[w], float(s.now[0]["n"])
    if k < 3 or not best < 0.0:
        return False
    hub = find_hub(s, top, w)
    total, reach, fewest, most = 0.0, 0.0, n, 0.0
    for c in range(k):
        if c != hub:
            total += clu[c]["n"] * s.matrix[w, DISTANCE, hub, c]
            reach = max(reach, s.matrix[w, DISTANCE, hub, c] * (1.0 + SLACK))
            fewest, most = min(fewest, float(clu[c]["n"])), max(most, float(clu[c]["n"]))
    own, near, apart = float(clu[hub]["n"]), -top[w, hub, 0], least_without(s, top, w, hub)
    around = Hub(own, near, apart, total, reach, fewest, most)
    return hub_group_stays_near(s, around, s.now[w]["within"], best, far)


@jit
def hub_group_stays_near(s: State, hub: Hub, within: float, best: float, far: float) -> bool:
    """The same of any clusters around a hub, with this WGSS."""
    n, scatter = float(s.now[0]["n"]), s.now[0]["cp"]
    own, near, apart, total, reach, fewest, most = hub
    between, near = scatter - within + SLACK * scatter, near * (1.0 - SLACK)
    off = math.sqrt((max(total - scatter + within, 0.0) + SLACK * scatter) / n)
    price = (1.0 - 2.0 * SLACK) / (n * -best)  # of WGSS, in distances
    if between + n * off * off > within * price * (n - own):
        return False
    low, last, step = fewest, n - own - fewest, LONGEST
    while True:  # of three clusters of which two are as large, `low` is the last, too
        high = min(low * (1.0 + step) + step, last)
        company = min(max(0.5 * apart * (1.0 - most / low), 0.0), MOST * near)
        part, share, rest = low / (own + low), high / (own + high), n - own - high
        least = part * (own * near + low * company) * (1.0 - SLACK)
        if (within + least) * price >= far:
            return True  # and so it is for all later ones, which are dearer
        # The question is quadratic in the root of what the average distance is above e.
        root = math.sqrt(near - company)
        square = own * part * (rest * price + 1.0) - n * share * share
        if square * root < n * off * share:
            root = math.sqrt(max(min(reach, total / low), near) - company)
            root = min(root, n * off * share / square) if square > 0.0 else root
        cost = part * (own * (company + root * root) + low * company) * (1.0 - SLACK)
        moved, left = off + share * root, (n - own - low) / (own + low) * (math.sqrt(reach) + off)
        if between - cost + n * moved * moved > (within + cost) * price * rest:
            if between - least + n * left * left > (within + least) * price * rest:
                step *= 0.5
                if step < SHORTEST:
                    return False
                continue
        if high >= last:
            return True
        low = high
