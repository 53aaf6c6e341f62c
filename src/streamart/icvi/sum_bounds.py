r"""DB: at least so much the sum of maxima changes by when a category moves.

The sum over clusters of the greatest R of each gets smaller only for the cluster h that the
category leaves, the cluster t that it goes to, and those that *lean* on one of the two, having
their greatest R with it (`prepare_sum` lists them). Each has at least what it would have with that
one, or with the other, or with the next of its three greatest.

Often one wide cluster, the *hub*, has nearly all others leaning on it. For their sum, let
:math:`w_c = R_c/D_c` with the distances :math:`D_c` from the hub, :math:`m` the mean of theirs with
these weights, and :math:`\Omega=\sum w_c`. With a cluster at :math:`\mu'` in the hub's place, as
wide as it, they have together (by Jensen's inequality, 1/x being convex)

.. math:: \sum_c R_c\frac{D_c}{\|\mu_c-\mu'\|^2} \ge \frac{(\sum R_c)^2}{\sum w_c\|\mu_c-\mu'\|^2}
          = \frac{(\sum R_c)^2}{\Omega\|m-\mu'\|^2+V},\qquad V = \sum R_c-\Omega\|m-\mu_{hub}\|^2

and if it is not as wide, each has at least the least ratio of the sums of spreads times as much.

What is asked about a move changes only if h, t, or their greatest R, or one that leans on them
does: these are the clusters that `find_shaken` tells of.
"""

import math

from .._jit import jit, jit_inline
from .._typing import Floats
from .compare import NOTHING, SLACK
from .db import INFINITE
from .footprints import CANCELS, assign, compactness_without, move_towards, squared_distance
from .hub_proof import begin_hub_proof, hub_stands, renew_limits
from .merger_rows import PEAKS, SPREADS
from .moved_means import between_moved, from_moved_home, from_moved_target
from .partition import spread
from .state import DISTANCE, HUB, LIVE, MEAN, TOPS, WANTED, State
from .tops import greatest_with_others, rival_without

# So many clusters must lean on one for a sum over them to be worth more than each.
LEAST_LEANING = 4


@jit
def find_shaken(s: State, top: Floats, spare: float) -> None:
    """Sets ``wanted`` where moves from or to a cluster must be asked about again.

    Those that lessen the sum by no more than `spare` do not matter. If that is something, a move is
    known that will be made, mostly back to where the partition was before: nothing is booked, and
    the next search asks about what has changed since the last one that did.
    """
    k, clu, hub, books = s.now[LIVE]["k"], s.clu[LIVE], s.now[0]["hub"], spare <= 0.0
    proven = hub if hub_stands(s, top, spare) else -1
    for c in range(k):
        s.each[WANTED, c] = 1 if clu[c]["changed"] > 0 else 0
    for c in range(k):
        rival = int(top[LIVE, c, TOPS])
        if (
            clu[c]["changed"] == 1
            or clu[rival]["changed"] == 1
            or clu[c]["rival"] != rival
            or clu[c]["peak"] != top[LIVE, c, 0]
        ):
            s.each[WANTED, c] = 1
            for other in (rival, clu[c]["rival"]):
                if 0 <= other < k and other != proven:
                    s.each[WANTED, other] = 1
        if books:
            clu[c]["peak"] = top[LIVE, c, 0]
            clu[c]["rival"] = rival
    if not books:
        return
    for c in range(k):
        clu[c]["changed"] = 0
    if proven < 0:
        s.now[0]["proof_hub"] = -1
        if hub >= 0 and s.each[WANTED, hub] == 1:
            begin_hub_proof(s, top)
    if hub >= 0:
        renew_limits(s)


@jit
def prepare_sum(s: State, top: Floats) -> None:
    """Who leans on whom, and the hub, as long as no cluster changes."""
    k, clu, now, leaning = s.now[LIVE]["k"], s.clu[LIVE], s.now[0], 0
    for c in range(k):
        clu[c]["leaning"] = -1
        clu[c]["kin"] = 0
        clu[c]["spread"] = spread(clu[c]["n"], clu[c]["cp"], now["cp"])
        clu[c]["stake"] = top[LIVE, c, 0]
        s.scan[SPREADS, c] = clu[c]["spread"]
        s.scan[PEAKS, c] = top[LIVE, c, 0]
    now["hub"] = -1
    for c in range(k):
        at = int(top[LIVE, c, TOPS])
        clu[c]["beside"] = clu[at]["leaning"]
        clu[at]["leaning"] = c
        clu[at]["stake"] += top[LIVE, c, 0] - top[LIVE, c, TOPS - 1]
        clu[at]["kin"] += 1
        if clu[at]["kin"] > leaning:
            now["hub"], leaning = at, clu[at]["kin"]
    if leaning < LEAST_LEANING:
        now["hub"] = -1
    else:
        measure_hub(s, top, now["hub"])


@jit
def measure_hub(s: State, top: Floats, hub: int) -> None:
    """The sums over those that lean on the hub; how far each cluster is from their mean m."""
    k, clu, now, mean = s.now[LIVE]["k"], s.clu[LIVE], s.now[0], s.feature[HUB]
    total, weights, low, high, greatest = 0.0, 0.0, math.inf, 0.0, 0.0
    c = clu[hub]["leaning"]
    while c >= 0:
        total += top[LIVE, c, 0]
        weight = top[LIVE, c, 0] / s.matrix[LIVE, DISTANCE, hub, c]
        weights += weight
        greatest = max(greatest, top[LIVE, c, 0])
        low, high = min(low, clu[c]["spread"]), max(high, clu[c]["spread"])
        if weights == weight:
            assign(mean, s.mean[LIVE, c])
        elif weight > 0.0:
            move_towards(mean, s.mean[LIVE, c], weight / weights)
        c = clu[c]["beside"]
    if not (0.0 < total < INFINITE and weights < INFINITE):
        now["hub"] = -1
        return
    for c in range(k):
        clu[c]["from_hub"] = squared_distance(mean, s.mean[LIVE, c])
    now["hub_sum"], now["hub_weight"], now["hub_greatest"] = total, weights, greatest
    now["hub_rest"] = total * (1.0 + SLACK) - weights * clu[hub]["from_hub"]
    now["hub_low"], now["hub_high"] = low, high


@jit_inline
def sum_of_leaning(s: State, off: float, width: float, without: float, gone: float) -> float:
    """Those that lean on the hub have together at least so much with a cluster in its place.

    `off` is its squared distance from their mean m, `width` its spread. Left out is one of them
    with R `without` now, 0 for none, whose part of the weighted squared distances is at least
    `gone`.
    """
    now, hub = s.now[0], s.clu[LIVE, s.now[0]["hub"]]
    total = now["hub_sum"] - without
    squares = now["hub_weight"] * off + now["hub_rest"] - gone
    now["least_squares"] = min(now["least_squares"], squares)
    edge = now["hub_high"] if width >= hub["spread"] else now["hub_low"]
    if not (squares > SLACK * now["hub_sum"] and total > 0.0):
        return 0.0
    return (edge + width) / (edge + hub["spread"]) * total * (total / squares)


@jit_inline
def greatest_fall(s: State, top: Floats, p: int, target: int) -> float:
    """The sum of maxima falls at most by so much if category p, one of several, goes to `target`.

    By what the two clusters have, and what those that lean on them lose: to the third of their
    three greatest at most, and with the hub no more than what `sum_of_leaning` leaves them with it
    in its new place. Which one of those is not a third cluster, there, makes no difference: as it
    falls with what is left out, the greatest is.
    """
    clu, cat, home, hub = s.clu[LIVE], s.cat[p], s.label[LIVE, p], s.now[0]["hub"]
    if hub not in (home, target):
        return float(clu[home]["stake"] + clu[target]["stake"])
    n, n_hub, off = cat["n"], clu[hub]["n"], math.sqrt(distance_at_hand(s, p))
    from_mean, width = clu[hub]["from_hub"], 0.0
    if hub == target:
        share = n / float(n_hub + n)
        reach = math.sqrt(clu[home]["from_hub"]) + off
        from_mean = (1.0 - share) * from_mean + share * reach * reach
        width = (clu[hub]["cp"] + cat["cp"]) / (n_hub + n)
    else:
        reach = math.sqrt(from_mean) + n / float(n_hub - n) * off
        from_mean = reach * reach
        rest = compactness_without(n_hub, clu[hub]["cp"], n, cat["cp"], off * off)
        width = max(rest - SLACK * clu[hub]["cp"], 0.0) / (n_hub - n)
    left = sum_of_leaning(s, from_mean, width, s.now[0]["hub_greatest"], 0.0)
    other = home if hub == target else target
    return float(clu[other]["stake"] + top[LIVE, hub, 0] + s.now[0]["hub_sum"] - left)


@jit_inline
def merger_loses(s: State, top: Floats, one: int, two: int, spare: float) -> bool:
    """Proof that the sum of maxima falls by no more than `spare` if two clusters become one.

    The two lose what they have, and those that lean on them what they have more than the third of
    their three greatest R. The result has R with the rival of the first.
    """
    clu, matrix = s.clu[LIVE], s.matrix[LIVE, DISTANCE]
    fall = clu[one]["stake"] + clu[two]["stake"]
    if fall <= spare:
        return True
    rival = rival_without(top, LIVE, one, two)
    if rival < 0:
        return False
    both = float(clu[one]["n"] + clu[two]["n"])
    share = clu[two]["n"] / both
    between = share * (1.0 - share) * matrix[one, two]
    width = (1.0 - share) * clu[one]["spread"] + share * clu[two]["spread"] + between
    if width * both <= NOTHING * s.now[0]["cp"] * (1.0 + SLACK):
        width = 0.0
    apart = (1.0 - share) * matrix[one, rival] + share * matrix[two, rival]
    distance = max(apart - between, CANCELS * apart)
    return bool((width + clu[rival]["spread"]) * (1.0 - SLACK) >= (fall - spare) * distance)


@jit
def lone_one_stays(s: State, top: Floats, p: int, spare: float) -> bool:
    """Proof that category p, alone in its cluster, goes to none that it is connected to.

    None of these mergers lessens the sum of maxima by more than `spare`.
    """
    home, search, clu = s.label[LIVE, p], s.now[0]["search"] + 1, s.clu[LIVE]
    s.now[0]["search"] = search
    at = s.cat[p]["head"]
    while at >= 0:
        target = s.label[LIVE, s.link[at]["to"]]
        at = s.link[at]["following"]
        if target != home and clu[target]["asked"] != search:
            clu[target]["asked"] = search
            if not merger_loses(s, top, home, target, spare):
                return False
    return True


@jit
def distance_at_hand(s: State, p: int) -> float:
    """Squared distance of category p from its cluster, from its `gain`: at most."""
    n, n_home = s.cat[p]["n"], float(s.clu[LIVE, s.label[LIVE, p]]["n"])
    return float(s.cat[p]["gain"] * (n_home - n) / (n * n_home))


@jit_inline
def least_change(
    s: State, top: Floats, p: int, target: int, a: float, b: float, exactly: bool
) -> tuple[float, float]:
    """The sum of maxima grows at least by so much if category p goes to `target`.

    The first number holds as long as `find_shaken` does not tell of the two clusters, the second,
    which looks at third ones, now. The squared distances of p from the clusters are at most `a` and
    at least `b`; `exactly`: these are exact, and those from others are to be computed. The only
    category of a cluster takes it along.
    """
    clu, cat, home, hub = s.clu[LIVE], s.cat[p], s.label[LIVE, p], s.now[0]["hub"]
    alone, off, matrix = clu[home]["size"] == 1, math.sqrt(a), s.matrix[LIVE, DISTANCE]
    n, n_home, n_target = cat["n"], clu[home]["n"], clu[target]["n"]
    share = n / float(n_target + n)
    width = (clu[target]["cp"] + cat["cp"] + n_target * share * b) / (n_target + n)
    away, width_home, own_home, own_target = 0.0, 0.0, 0.0, 0.0
    if not alone:
        away = n / float(n_home - n)
        rest = compactness_without(n_home, clu[home]["cp"], n, cat["cp"], a)
        width_home = max(rest - SLACK * clu[home]["cp"], 0.0) / (n_home - n)
        own_home = (width_home + width) / between_moved(away, share, matrix[home, target], a, b)
        own_target = own_home
    sure, more = -top[LIVE, home, 0] - top[LIVE, target, 0], 0.0
    for moved in (home, target):
        c, leans = int(top[LIVE, moved, TOPS]), False  # its rival, then those that lean on it
        while c >= 0:
            if c not in (home, target):
                to_home, with_home = matrix[c, home], 0.0
                if alone:
                    from_p = to_home
                elif exactly:
                    from_p = squared_distance(s.box[MEAN, p], s.mean[LIVE, c])
                else:
                    reach = math.sqrt(to_home) + off
                    from_p = reach * reach
                to_target = from_moved_target(share, matrix[c, target], b, from_p)
                with_target = (clu[c]["spread"] + width) / to_target
                own_target = max(own_target, with_target)
                if moved == home and not alone:
                    to_home = from_moved_home(away, to_home, a, from_p if exactly else math.nan)
                    with_home = (clu[c]["spread"] + width_home) / to_home
                    own_home = max(own_home, with_home)
                if leans:
                    known = max(with_home, with_target)
                    sure += known - top[LIVE, c, 0]
                    more += max(greatest_with_others(top, LIVE, c, home, target) - known, 0.0)
            if leans:
                c = clu[c]["beside"]
            else:
                c = clu[moved]["leaning"] if moved != hub else -1
            leans = True
    sure += own_home + own_target
    if hub in (home, target):
        sure += hub_change(s, top, p, target, away, share, a, b, width_home, width, exactly)
    return sure, sure + more


@jit_inline
def hub_change(
    s: State,
    top: Floats,
    p: int,
    target: int,
    away: float,
    share: float,
    a: float,
    b: float,
    width_home: float,
    width: float,
    exactly: bool,
) -> float:
    """The part of `least_change` of those that lean on the hub, from or to which p moves."""
    clu, home, hub = s.clu[LIVE], s.label[LIVE, p], s.now[0]["hub"]
    alone, off, other = clu[home]["size"] == 1, math.sqrt(a), target if hub == home else home
    gap, without, weight = s.matrix[LIVE, DISTANCE, home, target], 0.0, 0.0
    if int(top[LIVE, other, TOPS]) == hub:  # it leans on the hub too, but is not a third one
        without = top[LIVE, other, 0]
        weight = without / gap * (1.0 - SLACK)
    from_p, known = clu[home]["from_hub"], math.nan
    if exactly and not alone:
        from_p = squared_distance(s.box[MEAN, p], s.feature[HUB])
        known = from_p
    elif not alone:
        reach = math.sqrt(from_p) + off
        from_p = reach * reach
    near = share * share * b  # the new mean of the target from `other`: at least
    if hub == target:
        reach = max((1.0 - share) * math.sqrt(gap) - share * off, 0.0)
        near = reach * reach
    to_mean = from_moved_target(share, clu[target]["from_hub"], b, from_p)
    total = sum_of_leaning(s, to_mean, width, without, weight * near)
    if hub == home and not alone:
        reach = max(math.sqrt(gap) - away * off, 0.0)
        to_mean = from_moved_home(away, clu[home]["from_hub"], a, known)
        with_home = sum_of_leaning(s, to_mean, width_home, without, weight * reach * reach)
        total = max(total, with_home)
    return total - (s.now[0]["hub_sum"] - without)
