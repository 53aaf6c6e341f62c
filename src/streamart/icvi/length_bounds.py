r"""PBM: proofs that a category is not better off in any other cluster, all of them at once.

PBM is above a limit only if the greatest squared distance L is above WGSS times some price
(`price_of_limit`). Category p, of n samples, leaves its cluster h (notation of `move_bounds`). WGSS
falls by its `gain` and grows by no less than its `loss`, wherever it goes. Then

- a mean c is from the new one of t, by Stewart's theorem, at most

  .. math:: (1-\sigma)D_{ct} + \sigma D_{cp} - \sigma(1-\sigma)b^2
            \le L + \sigma\left((r_h + a)^2 - L - \tfrac{loss}{n}\right)

  with r_h the greatest distance from the mean of h, since :math:`(1-\sigma)b^2` is the loss of
  that very move over n. That is linear in :math:`\sigma`, which is greatest for the smallest
  cluster;
- the new mean of h, that of the *rest* of the cluster, is at most :math:`r_h+\omega a` from any
  other. Where p is most of its cluster that says little, and the distance is computed: `rest`. It
  is remembered, and follows those means that move (so is `off`, the greatest distance of another
  mean from p, where targets are asked about one by one: `move_bounds`);
- the new mean of t lies between that of t and that of p, so from the rest it is no farther than the
  farther one of them.

Where few categories are connected to another cluster, as when one cluster holds nearly all of them,
their moves are asked about one by one instead (`falls_short`): then nothing has to be known of the
others, and a move counts that makes the greatest distance shorter.
"""

import math

from .._jit import jit
from .._typing import Floats
from .compare import SLACK
from .footprints import CANCELS, mean_without, squared_distance
from .moved_means import between_moved, from_moved_home, from_moved_target
from .state import DISTANCE, FROM_X, LIVE, MEAN, MEAN_A, UNKNOWN, State
from .tops import greatest_with_others


@jit
def price_of_limit(s: State, limit: float) -> float:
    """The index is above `limit` only if a squared distance is above WGSS times this."""
    return math.sqrt(limit) * s.now[LIVE]["k"] / s.now[0]["cp"] * (1.0 - 2.0 * SLACK)


@jit
def fewest_samples(s: State) -> int:
    """Of any cluster."""
    fewest = s.clu[LIVE, 0]["n"]
    for c in range(1, s.now[LIVE]["k"]):
        fewest = min(fewest, s.clu[LIVE, c]["n"])
    return fewest


@jit
def no_target_helps(s: State, p: int, longest: float, price: float, fewest: int) -> bool:
    """Proof that the index is not above the limit with category p, one of several, elsewhere.

    `longest` is the greatest squared distance now.
    """
    cat, home = s.cat[p], s.clu[LIVE, s.label[LIVE, p]]
    n, gain, loss = cat["n"], cat["gain"], cat["loss"]
    if loss < 0.0:
        return False
    within = s.now[LIVE]["within"] - gain + loss
    if within < CANCELS * s.now[LIVE]["within"]:
        return False
    needed, away = price * within, n / float(home["n"] - n)
    a, share = math.sqrt(gain / (home["n"] * away)), n / float(fewest + n)
    far, apart = home["reach"] + a, (1.0 + away) * a
    if not (longest <= needed and apart * apart <= needed):
        return False
    if longest + share * (far * far - longest - loss / n) > needed:
        return False
    reach = home["reach"] + away * a
    return reach * reach <= needed or rest_is_near(s, p, needed)


# ------------------------------------------------------------------ one move


@jit
def falls_short(s: State, top: Floats, p: int, target: int, price: float) -> bool:
    """Proof that the index is not above the limit with category p, one of several, in `target`.

    `from_x` is the squared distance of p from all means. All that the index needs follows from
    these and those between means (`moved_means`): of pairs without the two clusters, the greatest
    distance is among the three greatest of each cluster.
    """
    k, clu, home, n = s.now[LIVE]["k"], s.clu[LIVE], s.label[LIVE, p], s.cat[p]["n"]
    matrix, n_home, n_target = s.matrix[LIVE, DISTANCE], clu[home]["n"], clu[target]["n"]
    away, share = n / float(n_home - n), n / float(n_target + n)
    a, b = s.each[FROM_X, home], s.each[FROM_X, target]
    within = s.now[LIVE]["within"] - n_home * away * a + n_target * share * b
    if within < CANCELS * s.now[LIVE]["within"]:
        return False
    longest = between_moved(away, share, matrix[home, target], a, b)
    for c in range(k):
        if c not in (home, target):
            longest = max(
                longest,
                greatest_with_others(top, LIVE, c, home, target),
                from_moved_home(away, matrix[home, c], a, s.each[FROM_X, c]),
                from_moved_target(share, matrix[target, c], b, s.each[FROM_X, c]),
            )
    return longest * (1.0 + SLACK) <= price * within


# ------------------------------------------------------------------ distances that are remembered


@jit
def rest_is_near(s: State, p: int, needed: float) -> bool:
    """Is the mean of p's cluster without p nowhere farther than this from another (squared)?"""
    if not 0.0 <= s.cat[p]["rest"] <= needed:  # it may be with a mean that is there no more
        measure_rest(s, p)
    return bool(s.cat[p]["rest"] <= needed)


@jit
def measure_rest(s: State, p: int) -> None:
    write_mean_of_rest(s, p)
    s.cat[p]["rest"] = greatest_distance(s, s.feature[MEAN_A], s.label[LIVE, p])


@jit
def rest_of(s: State, p: int) -> float:
    """No mean is farther from that of p's cluster without p (squared)."""
    if s.cat[p]["rest"] < 0.0:
        measure_rest(s, p)
    return float(s.cat[p]["rest"])


@jit
def off_of(s: State, p: int) -> float:
    """No other mean is farther from that of category p (squared)."""
    if s.cat[p]["off"] < 0.0:
        s.cat[p]["off"] = greatest_distance(s, s.box[MEAN, p], s.label[LIVE, p])
    return float(s.cat[p]["off"])


@jit
def greatest_distance(s: State, point: Floats, without: int) -> float:
    """Squared, of a point from any mean but one."""
    greatest = 0.0
    for c in range(s.now[LIVE]["k"]):
        if c != without:
            greatest = max(greatest, squared_distance(point, s.mean[LIVE, c]))
    return greatest * (1.0 + SLACK)


@jit
def write_mean_of_rest(s: State, p: int) -> None:
    home = s.label[LIVE, p]
    n_home, n = s.clu[LIVE, home]["n"], s.cat[p]["n"]
    mean_without(s.mean[LIVE, home], n_home, s.box[MEAN, p], n, s.feature[MEAN_A])


@jit
def follow_means(s: State) -> None:
    """What is remembered, after some means have moved."""
    k, clu, any_moved = s.now[LIVE]["k"], s.clu[LIVE], False
    for c in range(k):
        any_moved = any_moved or clu[c]["moved"] == 1
    if not any_moved:
        return
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        cat = s.cat[p]
        if clu[s.label[LIVE, p]]["moved"] == 1:
            cat["off"] = UNKNOWN
            cat["rest"] = UNKNOWN
        if cat["off"] >= 0.0:
            cat["off"] = max(cat["off"], distance_from_moved(s, s.box[MEAN, p]))
        if cat["rest"] >= 0.0:
            write_mean_of_rest(s, p)
            cat["rest"] = max(cat["rest"], distance_from_moved(s, s.feature[MEAN_A]))
    for c in range(k):
        clu[c]["moved"] = 0


@jit
def distance_from_moved(s: State, point: Floats) -> float:
    """The greatest, squared, of a point from means that have moved."""
    greatest = 0.0
    for c in range(s.now[LIVE]["k"]):
        if s.clu[LIVE, c]["moved"] == 1:
            greatest = max(greatest, squared_distance(point, s.mean[LIVE, c]))
    return greatest * (1.0 + SLACK)
