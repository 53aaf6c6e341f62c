"""Algorithm 1: one step of the network, the loop over a batch, and prediction."""

import math

from .._jit import TIE, jit, jit_entry
from .._typing import Floats, Ints
from ..icvi import partition, rearranging
from ..icvi.compare import SLACK
from ..icvi.footprints import add_sample, assign
from ..icvi.foreseen import look_ahead
from ..icvi.hints import keep_apart
from ..icvi.journal import note_change
from ..icvi.links import add_links
from ..icvi.registry import PBM, XB
from ..icvi.state import (
    DUE_COMPRESSION,
    DUE_DECOMPOSITION,
    DUE_NOTHING,
    DUE_PACKING,
    DUE_REPARTITION,
    DUE_TELLING,
    FROM_X,
    HI,
    LIVE,
    LO,
    MEAN,
    MEAN_ALL,
    NORM,
    PER_RANGE,
    SAMPLE,
    SPLIT_ACTIVITY,
    SPLIT_OFF,
    STAGE_LEARN,
    STAGE_PRUNE,
    STAGE_REPARTITION,
    STAGE_SWAP,
    UNKNOWN,
    WAS,
    WON,
    State,
)
from ..icvi.weighing import disturb_by, forget_moves, stays_calm, unsettle
from . import map_field, module_a, module_b
from .categories import open_category
from .events import MERGED, PRUNED, listeners_wait
from .identity import settle_ids
from .search import find_winners
from .strategies.compress import compression_is_due
from .strategies.inactive import note_activity
from .strategies.merge import merge_strategy
from .strategies.prune import prune_strategy
from .strategies.split import activity_based
from .strategies.swap import swap_strategy

SPARE_ROWS = 32


@jit
def present_and_learn(s: State, x: Floats, name: int) -> int:
    """The learning dynamics of one sample; `name` is its supervised class or -1.

    Returns the slot that the sample went to.
    """
    now, params = s.now[0], s.params[0]
    initial = now["n"] == 0
    now["start"] = s.now[LIVE]["goodness"]
    module_a.stretch_range(s, x)
    module_a.glance(s, x)
    now["step_vigilance"] = now["vigilance"]
    now["group"] = -1
    question, target, decided = map_field.ANYTHING, -1, False
    if name >= 0:
        target = s.classes[name]["cluster"]
        decided = target >= 0
        if s.classes[name]["anchored"] == 1:
            now["group"] = name
            decided = decided or is_barred_everywhere(s)
        else:
            decided = True
    if decided:
        question = map_field.THIS_CLUSTER
    elif s.now[LIVE]["k"] > 1:
        question = map_field.ONE_OF_WANTED
        module_b.generate_labels(s, s.top, s.attach, x)
        if params["icvi_match_tracking"]:
            module_b.track_match(s)
        now["step_vigilance"] = now["vigilance"]
    elif params["icvi_match_tracking"] and params["escape"] and not initial:
        now["step_vigilance"] = params["rho_mt"]
    first, second = find_winners(s, x, question, target)
    return learn_from_winners(s, x, name, question, target, first, second)


@jit
def learn_from_winners(
    s: State, x: Floats, name: int, question: int, target: int, first: int, second: int
) -> int:
    """Resonance, or a new category; returns the slot that the sample went to."""
    labelled = question == map_field.ONE_OF_WANTED
    if first < 0:
        first = add_category(s, s.attach, x, name, cluster_of_new(s, question, target))
        learn_sample(s, s.attach, x, first, second, labelled)
    else:
        module_a.learn_category(s, first, x, s.params[0]["beta1"])
        learn_sample(s, s.attach, x, first, second, labelled)
        if labelled:
            target = module_b.best_wanted(s, s.weight, first)
        if question != map_field.ANYTHING:
            map_field.learn_map(s, s.weight, first, target)
    if s.now[0]["group"] >= 0:
        anchor(s, first, name)
    s.now[0]["winner"] = first
    return s.cat[first]["slot"]


@jit
def apply_strategies(s: State) -> None:
    """The strategies in their order, and the tracker.

    The rarer ones are programs of their own. Where one is due, this stops, and goes on after it
    when called again.
    """
    now, params = s.now[0], s.params[0]
    now["due"] = DUE_NOTHING
    if now["stage"] == STAGE_LEARN:
        now["stage"] = STAGE_SWAP
        if params["merge"]:
            merge_strategy(s)
        if params["split"] != SPLIT_OFF and now["tracker"] > params["tau"]:
            if params["split"] != SPLIT_ACTIVITY:
                now["due"] = DUE_DECOMPOSITION
                return
            activity_based(s, s.top)
    if now["stage"] == STAGE_SWAP:
        now["stage"] = STAGE_PRUNE
        if params["swap"]:
            swap_strategy(s)
        settle_ids(s, MERGED)
        if params["compress"] and compression_is_due(s):
            now["due"] = DUE_COMPRESSION
            return
    if now["stage"] == STAGE_PRUNE:
        now["stage"] = STAGE_REPARTITION
        if params["prune"]:
            prune_strategy(s)
            settle_ids(s, PRUNED)
        if params["repartition"] and now["n"] % params["xi"] == 0:
            now["due"] = DUE_REPARTITION
            return
    now["stage"] = STAGE_LEARN
    if now["n"] > 1:
        module_b.update_tracker(s, now["start"])


@jit
def is_barred_everywhere(s: State) -> bool:
    """Is there no cluster that the present sample may go to?"""
    for c in range(s.now[LIVE]["k"]):
        if s.clu[LIVE, c]["barred"] == 0:
            return False
    return True


@jit
def anchor(s: State, p: int, group: int) -> None:
    """Category p has learnt a hinted sample: its group is here, and apart from what bars it."""
    s.cat[p]["group"] = group
    home = s.label[LIVE, p]
    s.classes[group]["cluster"] = home
    for c in range(s.now[LIVE]["k"]):
        if s.clu[LIVE, c]["barred"] == 1:
            keep_apart(s, LIVE, home, c)


@jit
def cluster_of_new(s: State, question: int, target: int) -> int:
    """Cluster of a new category; k for a cluster of its own."""
    cluster = s.now[LIVE]["k"]
    if question == map_field.THIS_CLUSTER:
        if target >= 0:
            cluster = target
    elif not s.params[0]["variable"] and cluster > 0:
        cluster = 0
        if question == map_field.ONE_OF_WANTED:
            cluster = module_b.first_wanted(s)
    return cluster


@jit
def add_category(s: State, attach: Floats | None, x: Floats, name: int, cluster: int) -> int:
    """A new category at x, and its cluster if that is new too."""
    p = open_category(s, x)
    s.label[WAS, p] = cluster
    note_change(s, p)
    elsewhere = 0.0
    if cluster == s.now[LIVE]["k"]:
        map_field.open_column(s, s.weight)
        rearranging.open_cluster(s, attach, LIVE)
        s.clu[LIVE, cluster]["barred"] = 0
        s.label[WAS, p] = -1
        s.now[0]["rearranged"] = 1
        elsewhere = 1.0 - s.params[0]["beta_ab"]
    map_field.write_row(s, s.weight, p, cluster, elsewhere)
    if attach is not None:
        for c in range(s.now[LIVE]["k"]):
            attach[LIVE, p, c] = 0.0
    if name >= 0:
        s.classes[name]["cluster"] = cluster
    s.label[LIVE, p] = cluster
    s.clu[LIVE, cluster]["size"] += 1
    return p


@jit
def learn_sample(
    s: State, attach: Floats | None, x: Floats, first: int, second: int, distances_known: bool
) -> None:
    """What follows from the winners: footprints, inactivity, second winner, CONN, module B.

    `distances_known`: those of x from all clusters, as labelling leaves them.
    """
    s.label[WON, first] = s.now[0]["n"] + 1
    note_activity(s, first)
    s.cat[first]["loss"] = UNKNOWN
    s.cat[first]["off_from"] = 0
    home = s.label[LIVE, first]
    if second >= 0:
        module_a.learn_category(s, second, x, s.params[0]["beta2"])
        add_links(s, first, second, 1.0)
        if attach is not None:
            attach[LIVE, first, s.label[LIVE, second]] += 1.0
            attach[LIVE, second, home] += 1.0
    add_sample(s.cat[first], s.box[MEAN, first], x)
    add_sample(s.now[0], s.feature[MEAN_ALL], x)
    share = 0.0
    if distances_known and s.params[0]["prove"] == 1:
        share = 1.0 / (s.clu[LIVE, home]["n"] + 1.0)
    add_sample(s.clu[LIVE, home], s.mean[LIVE, home], x)
    partition.measure_pairs(s, s.top, attach, LIVE, home, share)
    partition.sum_up(s, s.top, attach, LIVE)
    calm, step = False, share * math.sqrt(s.each[FROM_X, home]) * (1.0 + SLACK)
    if s.top is None and share > 0.0 and s.cat[first]["n"] > 1:
        calm = stays_calm(s, home, first, second, step)
    elif (s.family == PBM or s.family == XB) and share > 0.0:
        calm = goes_astray(s, home, first, second, step)
    if not calm:
        unsettle(s, LIVE, home)


@jit
def goes_astray(s: State, home: int, first: int, second: int, step: float) -> bool:
    """PBM, XB: what is noted of moves of categories (`lasting_moves`) holds, but for the winners.

    The sample has moved the mean of the first one's cluster by `step`, or opened a cluster.
    """
    if s.cat[first]["n"] == 1 and s.clu[LIVE, home]["size"] == 2:
        return False  # a new category: the one that was alone may leave now
    disturb_by(s, LIVE, home, first, step)
    s.now[0]["stray"] += step
    forget_moves(s, first)
    if second >= 0:
        forget_moves(s, second)
    return True


@jit
def has_room(s: State) -> bool:
    """A step may add a category, two clusters (one by a split), two links, and an id for each
    cluster."""
    return (
        s.now[0]["categories"] + 1 <= s.cat.shape[0]
        and s.now[LIVE]["k"] + 2 <= s.clu.shape[1]
        and s.now[0]["links"] + 2 <= s.link.shape[0]
        and s.now[0]["ids"] + s.clu.shape[1] <= s.heir.shape[0]
    )


@jit
def has_gaps(s: State) -> bool:
    """Are so many rows nobody's that it takes time to pass over them? (`packing`)"""
    now = s.now[0]
    return s.params[0]["prove"] == 1 and 4 * now["rows"] > 5 * now["categories"] + 4 * SPARE_ROWS


@jit
def learn_batch(s: State, X: Floats, names: Ints, slots: Ints, history: Floats, begin: int) -> int:
    """The loop of `run`."""
    for t in range(begin, X.shape[0]):
        if s.now[0]["stage"] == STAGE_LEARN:
            if listeners_wait(s):
                s.now[0]["due"] = DUE_TELLING
                return t
            if not has_room(s):
                return t
            if has_gaps(s):
                s.now[0]["due"] = DUE_PACKING
                return t
            name = -1
            if names.shape[0] > 0:
                name = names[t]
            if s.attach is None and names.shape[0] == 0:
                look_ahead(s, X, t)
            assign(s.feature[SAMPLE], X[t])  # which begins where a cache line does
            slots[t] = present_and_learn(s, s.feature[SAMPLE], name)
        apply_strategies(s)
        if s.now[0]["due"] != DUE_NOTHING:
            return t
        if s.joined.shape[0] == 0:
            slots[t] = s.label[LIVE, s.now[0]["winner"]]
        if history.shape[0] > 0:
            history[t, 0] = s.now[LIVE]["goodness"]
            history[t, 1] = s.now[0]["tracker"]
            history[t, 2] = s.now[0]["step_vigilance"]
            history[t, 3] = s.now[0]["categories"]
            history[t, 4] = s.now[LIVE]["k"]
    return X.shape[0]


@jit_entry
def run(s: State, X: Floats, names: Ints, slots: Ints, history: Floats, begin: int) -> int:
    """Learn ``X[begin:]``; returns how far it came.

    Stops early when the arrays are full, or when a program is `due` that is not part of this one.
    `names` and `history` may have length 0: no labels, no history. `slots` tells where the samples
    are: slots if these are kept (`joined`), otherwise clusters, each after its own step.
    """
    reached = learn_batch(s, X, names, slots, history, begin)
    s.now[0]["foreseen"] = 0  # other samples may come next
    return reached


@jit_entry
def all_within(x: Floats, greatest: float) -> bool:
    """Is no value of x beyond so much? NaN and infinity are."""
    for f in range(x.shape[0]):
        if not abs(x[f]) <= greatest:
            return False
    return True


@jit_entry
def predict(s: State, X: Floats, winners: Ints, badness: Floats) -> None:
    """The most activated category of each sample, no vigilance.

    `badness`, unless it is empty: how badly the best category fits (`novelty`).
    """
    cosine, d = s.params[0]["cosine"], float(X.shape[1])
    for t in range(X.shape[0]):
        winner, greatest, least = 0, -math.inf, math.inf
        for place in range(s.now[0]["categories"]):
            j = s.order[place]
            joint = module_a.joint_norm(
                s.feature[PER_RANGE], s.box[LO, j], s.box[HI, j], X[t], X[t]
            )
            activation = joint / (s.params[0]["alpha"] + s.scan[NORM, j])
            if place == 0 or activation > greatest + TIE:
                winner, greatest = j, activation
            if badness.shape[0] > 0:
                least = min(
                    least,
                    module_a.cosine_distance(X[t], s.box[MEAN, j])
                    if cosine
                    else max(s.scan[NORM, j] - joint, 0.0) / d,
                )
        winners[t] = winner
        if badness.shape[0] > 0:
            badness[t] = least
