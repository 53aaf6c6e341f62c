"""Algorithm 1: one step of the network, the loop over a batch, and prediction."""

import math

from .._jit import NONE, ONE, TIE, ZERO, jit, jit_entry, jit_part
from .._typing import Floats, Ints
from ..icvi import partition
from ..icvi.footprints import add_sample
from ..icvi.hints import keep_apart
from ..icvi.links import add_link, has_room_for_links
from ..icvi.registry import learn_matrix
from ..icvi.state import (
    DUE_DECOMPOSITION,
    DUE_LISTENERS,
    DUE_NOTHING,
    DUE_ROOM,
    HI,
    LIVE,
    LO,
    MEAN,
    MEAN_ALL,
    PER_RANGE,
    SPLIT_ACTIVITY,
    SPLIT_OFF,
    STAGE_LEARN,
    STAGE_SWAP,
    WAS,
    State,
)
from . import map_field, module_a, module_b
from .categories import open_category
from .events import MERGED, PRUNED, listeners_wait
from .identity import settle_ids
from .search import find_winners
from .strategies.compress import compress_strategy
from .strategies.merge import merge_strategy
from .strategies.prune import prune_strategy
from .strategies.split import split_most_recent
from .strategies.swap import swap_strategy


@jit_part
def present_and_learn(s: State, x: Floats, name: int) -> None:
    """The learning dynamics of one sample; `name` is its supervised class or -1."""
    now, params = s.now[0], s.params[0]
    now["start"] = s.now[LIVE]["goodness"]
    module_a.stretch_range(s, x)
    module_a.present(s, x)
    now["step_vigilance"] = now["vigilance"]
    now["group"] = -1
    question, target, decided = map_field.ANYTHING, NONE, False
    if name >= 0:
        target = s.classes[name]["cluster"]
        decided = True
        if s.classes[name]["anchored"] == 1:
            now["group"] = name
            decided = target >= 0 or is_barred_everywhere(s)
    if decided:
        question = map_field.THIS_CLUSTER
    elif s.now[LIVE]["k"] > 1:
        question = map_field.ONE_OF_WANTED
        module_b.generate_labels(s, x)
        if params["icvi_match_tracking"]:
            module_b.track_match(s)
        now["step_vigilance"] = now["vigilance"]
    elif params["icvi_match_tracking"] and params["escape"] and now["n"] > 0:
        now["step_vigilance"] = params["rho_mt"]
    first, second = find_winners(s, question, target)
    if first < 0:
        first = add_category(s, x, name, cluster_of_new(s, question, target))
        learn_sample(s, x, first, second)
    else:
        module_a.learn_category(s, first, x, params["beta1"])
        learn_sample(s, x, first, second)
        if question == map_field.ONE_OF_WANTED:
            target = module_b.best_wanted(s, first)
        if question != map_field.ANYTHING:
            map_field.learn_map(s, first, target)
    if now["group"] >= 0:
        anchor(s, first, name)
    now["winner"] = first


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


@jit_part
def cluster_of_new(s: State, question: int, target: int) -> int:
    """Cluster of a new category; k for a cluster of its own."""
    cluster = s.now[LIVE]["k"]
    if question == map_field.THIS_CLUSTER:
        if target >= 0:
            cluster = target
    elif not s.params[0]["variable"] and cluster > 0:
        cluster = ZERO
        if question == map_field.ONE_OF_WANTED:
            cluster = module_b.first_wanted(s)
    return cluster


@jit_part
def add_category(s: State, x: Floats, name: int, cluster: int) -> int:
    """A new category at x, and its cluster if that is new too."""
    p = open_category(s, x)
    s.label[WAS, p] = cluster
    elsewhere = 0.0
    if cluster == s.now[LIVE]["k"]:
        map_field.open_column(s)
        partition.open_cluster(s, LIVE)
        s.clu[LIVE, cluster]["barred"] = 0
        s.label[WAS, p] = -1
        s.now[0]["rearranged"] = 1
        elsewhere = 1.0 - s.params[0]["beta_ab"]
    map_field.write_row(s, p, cluster, elsewhere)
    if name >= 0:
        s.classes[name]["cluster"] = cluster
    s.label[LIVE, p] = cluster
    s.clu[LIVE, cluster]["size"] += 1
    return p


@jit
def learn_sample(s: State, x: Floats, first: int, second: int) -> None:
    """What follows from the winners: footprints, inactivity, second winner, CONN, module B."""
    now, home = s.now[0], s.label[LIVE, first]
    if now["n"] - s.cat[first]["won"] >= s.params[0]["xi"]:
        now["boxes_changed"] = 1  # it was inactive: another one may have taken its place
    s.cat[first]["won"] = now["n"] + 1
    if second >= 0:
        module_a.learn_category(s, second, x, s.params[0]["beta2"])
        add_link(s, first, second, 1.0)
    learn_matrix(s, first, x)
    add_sample(s.cat[first], s.box[MEAN, first], x)
    add_sample(now, s.feature[MEAN_ALL], x)
    add_sample(s.clu[LIVE, home], s.mean[LIVE, home], x)
    partition.note_change(s, LIVE, home)
    partition.refresh(s, LIVE)


@jit_part
def apply_strategies(s: State) -> None:
    """The strategies in their order, and the tracker.

    What is rare is a program of its own. Where it is due, this stops, and goes on after it when
    called again.
    """
    now, params = s.now[0], s.params[0]
    now["due"] = DUE_NOTHING
    if now["stage"] == STAGE_LEARN:
        now["stage"] = STAGE_SWAP
        if params["merge"] and s.now[LIVE]["k"] > 2 and now["tracker"] == 0:
            merge_strategy(s)
        if params["split"] != SPLIT_OFF and now["tracker"] > params["tau"]:
            if params["split"] != SPLIT_ACTIVITY:
                now["due"] = DUE_DECOMPOSITION
                return
            split_most_recent(s)
    if now["stage"] == STAGE_SWAP:
        if params["swap"] and now["categories"] > 2:
            swap_strategy(s)
        settle_ids(s, MERGED)
        if params["compress"]:
            compress_strategy(s)
        if params["prune"]:
            prune_strategy(s)
            settle_ids(s, PRUNED)
    now["stage"] = STAGE_LEARN
    if now["n"] > 1:
        module_b.update_tracker(s, now["start"])


@jit_part
def has_room(s: State) -> bool:
    """A step may add a category, two clusters (one by a split), an id for each cluster, a link."""
    return (
        s.now[0]["categories"] + 1 <= s.cat.shape[0]
        and s.now[LIVE]["k"] + 2 <= s.clu.shape[1]
        and s.now[0]["ids"] + s.clu.shape[1] <= s.successor.shape[0]
        and has_room_for_links(s, ONE)
    )


@jit_entry
def run(s: State, X: Floats, names: Ints, slots: Ints, history: Floats, begin: int) -> int:
    """Learn ``X[begin:]``; returns how far it came.

    Stops early when something is `due` that Python has to do. `names` and `history` may have length
    0: no labels, no history. `slots` tells where the samples are: slots if these are kept
    (`joined`), otherwise clusters, each after its own step.
    """
    now = s.now[0]
    for t in range(begin, X.shape[0]):
        if now["stage"] == STAGE_LEARN:
            if listeners_wait(s):
                now["due"] = DUE_LISTENERS
                return t
            if not has_room(s):
                now["due"] = DUE_ROOM
                return t
            present_and_learn(s, X[t], names[t] if names.shape[0] > 0 else NONE)
            slots[t] = s.cat[now["winner"]]["slot"]
        apply_strategies(s)
        if now["due"] != DUE_NOTHING:
            return t
        if s.joined.shape[0] == 0:
            slots[t] = s.label[LIVE, now["winner"]]
        if history.shape[0] > 0:
            history[t, 0] = s.now[LIVE]["goodness"]
            history[t, 1] = now["tracker"]
            history[t, 2] = now["step_vigilance"]
            history[t, 3] = now["categories"]
            history[t, 4] = s.now[LIVE]["k"]
    return X.shape[0]


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
        winner, greatest, least = NONE, -math.inf, math.inf
        for place in range(s.now[0]["categories"]):
            j = s.order[place]
            joint = module_a.joint_norm(
                s.feature[PER_RANGE], s.box[LO, j], s.box[HI, j], X[t], X[t]
            )
            activation = joint / (s.params[0]["alpha"] + s.cat[j]["norm"])
            if place == 0 or activation > greatest + TIE:
                winner, greatest = j, activation
            if badness.shape[0] > 0:
                fit = max(s.cat[j]["norm"] - joint, 0.0) / d
                if cosine:
                    fit = module_a.cosine_distance(X[t], s.box[MEAN, j])
                least = min(least, fit)
        winners[t] = winner
        if badness.shape[0] > 0:
            badness[t] = least
