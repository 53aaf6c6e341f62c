r"""DB: what was proven of moves from and to the hub stands while others change but little.

Of every such move the sum of maxima was shown to grow by at least M (`sum_bounds.least_change`):

.. math:: rest + J - T \ge M,\qquad J = \rho\,\frac{T^2}{Q},\quad T = \sum_c R_c,\quad
          Q = \sum_c w_c D'_c

over those that lean on the hub, D' being their distances from its new place; :math:`\rho` holds for
all spreads between the least and the greatest. When one of them has changed, T and Q have, and J
falls by a share of at most :math:`\lambda`, the rest being as before. Of all J that fulfil the
above, the least is the worst: the move grows the sum at least by

.. math:: M - \lambda(T + M - rest) - (\tilde T - T)

What is lost this way is added up (`proof_spent`). If the cluster moved by :math:`\varepsilon`, then

.. math:: \tilde Q - Q \le (\tilde w - w)^+ f^2 + \tilde w\,\varepsilon(2f+\varepsilon)

where f is at least its distance from any place that the hub may come to. Where a category waits to
go back to where it left, others may lessen the sum by something: then what is lost counts only
for the time being.
"""

import math

from .._jit import jit
from .._typing import Floats
from .footprints import assign, squared_distance
from .state import DISTANCE, LIVE, SEEN, TOPS, State


@jit
def begin_hub_proof(s: State, top: Floats) -> None:
    """All moves from and to the hub are about to be asked about."""
    now, clu = s.now[0], s.clu[LIVE]
    now["proof_hub"] = now["hub"]
    now["proof_margin"], now["proof_squares"] = math.inf, math.inf
    now["proof_reach"], now["proof_spent"], now["proof_rest"] = 0.0, 0.0, 0.0
    now["proof_low"], now["proof_high"] = now["hub_low"], now["hub_high"]
    for c in range(s.now[LIVE]["k"]):
        clu[c]["seen"] = 0.0
        if int(top[LIVE, c, TOPS]) == now["hub"]:
            see(s, top, c)


@jit
def see(s: State, top: Floats, c: int) -> None:
    """Cluster c, which leans on the hub, is part of the proof as it is now."""
    cluster = s.clu[LIVE, c]
    cluster["seen"] = top[LIVE, c, 0]
    cluster["seen_weight"] = top[LIVE, c, 0] / s.matrix[LIVE, DISTANCE, s.now[0]["hub"], c]
    cluster["unseen"] = 0
    assign(s.mean[SEEN, c], s.mean[LIVE, c])


@jit
def renew_limits(s: State) -> None:
    """Moves that are asked about now become part of the proof."""
    now = s.now[0]
    now["proof_sum"] = now["hub_sum"]
    now["proof_low"] = max(now["proof_low"], now["hub_low"])
    now["proof_high"] = min(now["proof_high"], now["hub_high"])
    # The two clusters and those that lean on the other one: they do not lean on the hub, but one.
    rest = -s.now[LIVE]["goodness"] * s.now[LIVE]["k"] - now["hub_sum"] + now["hub_greatest"]
    now["proof_rest"] = max(now["proof_rest"], rest)


@jit
def note_hub_move(s: State, p: int, a: float, change: float) -> None:
    """A move of category p, from or to the hub, was proven to grow the sum by so much."""
    now, home, n = s.now[0], s.clu[LIVE, s.label[LIVE, p]], s.cat[p]["n"]
    now["proof_margin"] = min(now["proof_margin"], change + now["proof_spent"])
    now["proof_squares"] = min(now["proof_squares"], now["least_squares"])
    away = n / float(home["n"] - n) if s.label[LIVE, p] == now["hub"] else 0.0
    now["proof_reach"] = max(now["proof_reach"], math.sqrt(a) * max(1.0, away))


@jit
def hub_stands(s: State, top: Floats, spare: float) -> bool:
    """Does still no proven move from or to the hub lessen the sum by more than `spare`?

    If that is nothing, what has changed is booked; otherwise it may be undone soon.
    """
    now, clu, hub, k = s.now[0], s.clu[LIVE], s.now[0]["hub"], s.now[LIVE]["k"]
    for c in range(k):
        if clu[c]["changed"] == 1:
            clu[c]["unseen"] = 1
    if hub < 0 or now["proof_hub"] != hub or clu[hub]["changed"] != 0:
        return False
    rival, books = int(top[LIVE, hub, TOPS]), spare <= 0.0
    if clu[hub]["rival"] != rival or clu[hub]["peak"] != top[LIVE, hub, 0]:
        return False
    if clu[rival]["changed"] == 1:
        return False
    spent, squares, total = now["proof_spent"], now["proof_squares"], now["proof_sum"]
    for c in range(k):
        leans = c != hub and int(top[LIVE, c, TOPS]) == hub
        if leans == (clu[c]["seen"] > 0.0) and (clu[c]["unseen"] == 0 or not leans):
            continue
        if not clu[c]["seen"] > 0.0:  # it may lose all that it has with the hub
            if books:
                return False
            spent += top[LIVE, c, 0]
            continue
        lost, shrinks = loss_of_change(s, top, c, leans, total, squares)
        spent += lost
        squares -= shrinks
        total += (top[LIVE, c, 0] if leans else 0.0) - clu[c]["seen"]
        if not (squares > 0.5 * now["proof_squares"] and spent < math.inf):
            return False
    left = now["proof_margin"] - spent
    if not left >= (-spare if spare > 0.0 else -2.0 * spare):
        return False
    if books:
        now["proof_spent"], now["proof_squares"] = spent, squares
        for c in range(k):
            leans = c != hub and int(top[LIVE, c, TOPS]) == hub
            if leans and clu[c]["unseen"] == 1:
                see(s, top, c)
            elif not leans:
                clu[c]["seen"] = 0.0
    return True


@jit
def loss_of_change(
    s: State, top: Floats, c: int, leans: bool, total: float, squares: float
) -> tuple[float, float]:
    """What a change of cluster c, part of the proof, may lose of it; and by how much Q may fall.

    It may not lean on the hub any more.
    """
    now, cluster = s.now[0], s.clu[LIVE, c]
    width, has, weight, step = cluster["spread"], 0.0, 0.0, 0.0
    if leans:
        if not now["proof_low"] <= width <= now["proof_high"]:
            return math.inf, 0.0
        has = top[LIVE, c, 0]
        weight = has / s.matrix[LIVE, DISTANCE, now["hub"], c]
        step = math.sqrt(squared_distance(s.mean[LIVE, c], s.mean[SEEN, c]))
    far = math.sqrt(cluster["far"]) + step + now["proof_reach"]
    if not leans:  # since when it was seen, it may be somewhere else
        far += math.sqrt(squared_distance(s.mean[LIVE, c], s.mean[SEEN, c]))
    more = weight - cluster["seen_weight"]
    grows = max(more, 0.0) * far * far + weight * step * (2.0 * far + step)
    shrinks = max(-more, 0.0) * far * far + 2.0 * weight * step * far
    base = total - max(now["hub_greatest"], cluster["seen"])
    if not (base > 0.0 and 0.0 < squares < math.inf):  # infinite: no move has been proven yet
        return math.inf, 0.0
    share = 2.0 * max(cluster["seen"] - has, 0.0) / base + grows / squares
    if not share < 0.5:
        return math.inf, 0.0
    lost = share * (total + now["proof_margin"] + now["proof_rest"]) + has - cluster["seen"]
    return lost, shrinks
