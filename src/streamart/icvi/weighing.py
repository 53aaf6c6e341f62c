r"""What WGSS falls by if a category leaves its cluster, and grows by if it joins another.

Category p, of n samples, may leave its cluster h for cluster t. With the distances a and b of its
mean from theirs, the *gain* and the *loss* are

.. math:: A a^2,\quad A = \frac{n\,n_h}{n_h-n},\qquad B b^2,\quad B = \frac{n\,n_t}{n_t+n}

CH and WB rise only if the gain is greater. Once that is proven false of all moves, it stays false
for a while: a sample that joins a cluster moves its mean only by 1/n of the way, and a larger
cluster makes A smaller and B greater. So a search leaves behind how far every cluster may go:

- `room`, before a category of its own might leave. Its distance from the mean is at most `aside`
  plus how far the mean has gone since that was measured (`shift`);
- `grant`, before one of another cluster might come. That much is taken from b beforehand: then a
  loss holds until the cluster has gone (`strayed`) so far.

Meanwhile a cluster is *calm*. What has to be asked about is the category that the sample went to,
and the one that came second, since the two are connected now.
"""

import math

from .._jit import jit
from .compare import SLACK
from .footprints import squared_distance
from .registry import CH, XB
from .state import DISTANCE, LIVE, MEAN, SHARE, UNKNOWN, State

# A lower bound of a loss that is so many times the gain need not be made exact.
ENOUGH = 2.0
# How far a cluster may go before others are asked whether they should come to it, as a share of the
# root of CP/n: with more, proofs are harder; with less, they are needed more often.
GRANT = 0.1
# `beside`, where all that a category is connected to is so since now
ALL_LINKED = -2
# `unnoted`
SOME_UNNOTED, ALL_UNNOTED = 1, 2


@jit
def unsettle(s: State, w: int, c: int) -> None:
    """Cluster c has changed: what swaps it might be part of has to be looked at again."""
    disturb(s, w, c)
    if w == LIVE:
        s.now[0]["unnoted"] = ALL_UNNOTED


@jit
def disturb(s: State, w: int, c: int) -> None:
    """The same, but not for what is noted of the moves of each category (`lasting_moves`)."""
    s.clu[w, c]["changed"] = 1
    s.clu[w, c]["weighed"] = 0
    s.now[w]["weighed"] = 0
    s.now[w]["calm"] = 0


@jit
def disturb_by(s: State, w: int, c: int, p: int, step: float) -> None:
    """The same, where the mean of cluster c has gone so far (-1: unknown), and category p has
    joined it, or has learnt (-1: one has left).

    XB: how far `aside` the others are at most follows from that, until it has gone too far.
    """
    cluster, now = s.clu[w, c], s.now[w]
    weighed, all_weighed = cluster["weighed"], now["weighed"]
    disturb(s, w, c)
    if w != LIVE or s.family != XB or s.params[0]["prove"] == 0:
        return
    if weighed == 0 or step < 0.0 or cluster["size"] <= 2:
        return
    cluster["shift"] += step * (1.0 + SLACK)
    if cluster["shift"] <= GRANT * math.sqrt(cluster["cp"] / cluster["n"]):
        cluster["weighed"] = 1
        now["weighed"] = all_weighed
        if p >= 0:
            measure_aside(s, p)


@jit
def unsettle_by(s: State, w: int, c: int, p: int, step: float) -> None:
    """`unsettle`, in the same way."""
    disturb_by(s, w, c, p, step)
    if w == LIVE:
        s.now[0]["unnoted"] = ALL_UNNOTED


@jit
def forget_moves(s: State, p: int) -> None:
    """Nothing is known of the moves of category p (`lasting_moves`)."""
    s.scan[SHARE, p] = UNKNOWN
    s.now[0]["unnoted"] = max(s.now[0]["unnoted"], SOME_UNNOTED)


@jit
def gain_of(s: State, p: int) -> float:
    """What WGSS would fall by if category p, one of several, left its cluster."""
    distance = squared_distance(s.box[MEAN, p], s.mean[LIVE, s.label[LIVE, p]])
    return weight_of_gain(s, p) * distance


@jit
def weight_of_gain(s: State, p: int) -> float:
    """A of the formula above."""
    n, n_home = float(s.cat[p]["n"]), float(s.clu[LIVE, s.label[LIVE, p]]["n"])
    return n * n_home / (n_home - n)


@jit
def weight_of_loss(s: State, p: int, target: int) -> float:
    """B of the formula above."""
    n, n_target = float(s.cat[p]["n"]), float(s.clu[LIVE, target]["n"])
    return n * n_target / (n_target + n)


@jit
def loss_of(s: State, p: int, target: int) -> float:
    """What WGSS would grow by if category p came to cluster `target`."""
    distance = squared_distance(s.box[MEAN, p], s.mean[LIVE, target])
    return weight_of_loss(s, p, target) * distance


@jit
def aside_at_most(s: State, p: int) -> float:
    """How far category p, one of several, is from the mean of its cluster at most."""
    return float(s.cat[p]["aside"] + s.clu[LIVE, s.label[LIVE, p]]["shift"])


@jit
def gain_at_most(s: State, p: int) -> float:
    off = aside_at_most(s, p)
    return weight_of_gain(s, p) * off * off


@jit
def measure_aside(s: State, p: int) -> None:
    """From now on, `aside_at_most` is exact (and a little more, for rounding)."""
    home = s.label[LIVE, p]
    cluster, weight = s.clu[LIVE, home], weight_of_gain(s, p)
    off = math.sqrt(squared_distance(s.box[MEAN, p], s.mean[LIVE, home])) * (1.0 + SLACK)
    s.cat[p]["aside"] = off - cluster["shift"]
    s.cat[p]["gain"] = weight * off * off
    cluster["most"] = max(cluster["most"], math.sqrt(weight) * s.cat[p]["aside"])
    cluster["heaviest"] = max(cluster["heaviest"], math.sqrt(weight))


@jit
def limit_room(s: State, p: int) -> None:
    """The cluster of category p, one of several, may not go so far that p might leave."""
    home = s.clu[LIVE, s.label[LIVE, p]]
    room = math.sqrt(s.cat[p]["loss"] / weight_of_gain(s, p)) - s.cat[p]["aside"]
    home["room"] = min(home["room"], room)


@jit
def weigh_categories(s: State) -> None:
    """The `gain` of every category of several, how far `aside` it is, and the root of the greatest
    gain of each cluster, where that is not known."""
    if s.now[LIVE]["weighed"] == 1:
        return
    clu = s.clu[LIVE]
    for c in range(s.now[LIVE]["k"]):
        if clu[c]["weighed"] == 0:
            clu[c]["most"] = 0.0
            clu[c]["heaviest"] = 0.0
            clu[c]["shift"] = 0.0
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        home = clu[s.label[LIVE, p]]
        if home["weighed"] == 0 and home["size"] > 1:
            measure_aside(s, p)
    for c in range(s.now[LIVE]["k"]):
        clu[c]["weighed"] = 1
    s.now[LIVE]["weighed"] = 1


@jit
def weigh_again(s: State, c: int) -> None:
    """The same of a calm cluster, and how far it may go now."""
    s.clu[LIVE, c]["weighed"] = 0
    s.now[LIVE]["weighed"] = 0
    weigh_categories(s)
    s.clu[LIVE, c]["room"] = math.inf
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if s.label[LIVE, p] == c and s.cat[p]["loss"] != UNKNOWN:
            limit_room(s, p)


@jit
def least_loss(s: State, p: int, target: int) -> float:
    """`loss_of`, or a lower bound that is enough, with some to spare for a gain that grows."""
    off, weight = aside_at_most(s, p), weight_of_loss(s, p, target)
    from_target = math.sqrt(s.matrix[LIVE, DISTANCE, s.label[LIVE, p], target]) - off
    loss = weight * max(from_target, 0.0) ** 2 * (1.0 - SLACK)
    if loss >= ENOUGH * weight_of_gain(s, p) * off * off:
        return loss
    return loss_of(s, p, target)


@jit
def lasting_loss(s: State, p: int, target: int) -> float:
    """A lower bound that holds while `target` goes no farther than it may.

    Where the loss suffices, but would not do so for long, it may go less far.
    """
    cluster, off, weight = s.clu[LIVE, target], aside_at_most(s, p), weight_of_loss(s, p, target)
    ahead = max(cluster["grant"] - cluster["strayed"], 0.0)
    gain = weight_of_gain(s, p) * off * off
    apart = math.sqrt(s.matrix[LIVE, DISTANCE, s.label[LIVE, p], target]) - off - ahead
    loss = weight * max(apart, 0.0) ** 2 * (1.0 - SLACK)
    if loss >= ENOUGH * gain:
        return loss
    apart = math.sqrt(squared_distance(s.box[MEAN, p], s.mean[LIVE, target])) * (1.0 - SLACK)
    least = math.sqrt(gain / weight)
    if apart - ahead < least:
        ahead = max(0.5 * (apart - least), 0.0)
        cluster["grant"] = cluster["strayed"] + ahead
    return weight * (apart - ahead) ** 2


# ------------------------------------------------------------------ calm clusters


@jit
def grant_room(s: State) -> None:
    """Before a search: how far the clusters may go that it asks about."""
    clu, lasting = s.clu[LIVE], s.family == CH
    for c in range(s.now[LIVE]["k"]):
        if clu[c]["changed"] != 0:
            clu[c]["strayed"] = 0.0
            clu[c]["grant"] = GRANT * math.sqrt(clu[c]["cp"] / clu[c]["n"]) if lasting else 0.0
            clu[c]["room"] = math.inf


@jit
def stays_calm(s: State, home: int, first: int, second: int, step: float) -> bool:
    """A cluster has gone so far: towards a sample that its category `first` has learnt, or towards
    `first`, which has joined it. Is it calm?

    So that nobody but that one and the second winner have to be asked whether they should move.
    """
    now, cluster = s.now[0], s.clu[LIVE, home]
    if now["restless"] >= 0:  # has never been asked
        unsettle(s, LIVE, s.label[LIVE, now["restless"]])
        now["restless"] = -1
    if cluster["changed"] != 0 or cluster["weighed"] == 0:
        return False
    s.cat[first]["loss"] = UNKNOWN
    cluster["strayed"] += step
    cluster["shift"] += step
    if cluster["strayed"] > cluster["grant"]:
        return False
    if cluster["size"] > 1:
        measure_aside(s, first)
        if cluster["shift"] > cluster["room"]:
            weigh_again(s, home)
            if cluster["room"] < 0.0:
                return False
    now["restless"] = first
    now["beside"] = second
    return True
