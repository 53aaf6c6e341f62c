"""Algorithm 1: one step of the network, and the loop over a batch."""

import numpy as np

from .._jit import TIE, jit
from .._typing import Floats, Ints
from ..icvi import partition
from ..icvi.footprints import add_sample
from ..icvi.links import connect
from ..icvi.partition import GOODNESS
from ..icvi.registry import CONN
from . import map_field, module_a, module_b
from .search import find_winners
from .state import SPLIT_OFF, STEP, VIGILANCE, Params, State
from .strategies.compress import compress_strategy
from .strategies.merge import merge_strategy
from .strategies.prune import prune_strategy
from .strategies.split import split_strategy
from .strategies.swap import swap_strategy

# Columns of the history.
HISTORY = ("icvi_value", "tracker", "rho", "n_categories", "n_clusters")


@jit
def step(state: State, params: Params, x: Floats, name: int) -> int:
    """Learn one sample; `name` is its supervised class or -1. Returns the slot it went to."""
    part, level = state.part, state.vigilance
    if state.ground.count[0] == 0:
        return initialise(state, params, x, name)
    start = part.stats[GOODNESS]
    module_a.stretch_range(state.a, x, False)
    present(state, params, x)
    level[STEP] = level[VIGILANCE]
    question, target = map_field.ANY, -1
    if name >= 0:
        question, target = map_field.THIS_CLUSTER, state.field.class_cluster[name]
    elif part.k[0] > 1:
        question = map_field.ONE_OF_WANTED
        module_b.generate_labels(state, params, x)
        if params.icvi_match_tracking:
            module_b.track_match(state, params)
        level[STEP] = level[VIGILANCE]
    elif params.icvi_match_tracking and params.escape:
        level[STEP] = params.rho_mt
    first, second = find_winners(state, params, question, target)
    if first < 0:
        first = add_category(
            state, params, x, name, cluster_of_new(state, params, question, target)
        )
        learn_sample(state, params, x, first, second)
    else:
        module_a.learn_box(state.a.lo[first], state.a.hi[first], x, params.beta1)
        cats = state.ground.cats
        add_sample(cats.n, cats.mean, cats.cp, first, x)
        learn_sample(state, params, x, first, second)
        if question == map_field.THIS_CLUSTER:
            map_field.learn_map(state, params, first, target)
        elif question == map_field.ONE_OF_WANTED:
            map_field.learn_map(state, params, first, module_b.best_wanted(state, first))
    slot = state.trace.slot[first]

    if params.merge:
        merge_strategy(state, params)
    if params.split != SPLIT_OFF:
        split_strategy(state, params)
    if params.swap:
        swap_strategy(state, params)
    if params.compress:
        compress_strategy(state, params)
    if params.prune:
        prune_strategy(state, params)
    module_b.update_tracker(state, start, part.stats[GOODNESS])
    return slot


@jit
def initialise(state: State, params: Params, x: Floats, name: int) -> int:
    """The first sample: one category, one cluster, index undefined."""
    module_a.stretch_range(state.a, x, True)
    state.vigilance[STEP] = state.vigilance[VIGILANCE]
    first = add_category(state, params, x, name, 0)
    learn_sample(state, params, x, first, -1)
    return state.trace.slot[first]


@jit
def present(state: State, params: Params, x: Floats) -> None:
    """Activation and match of all categories."""
    a, ground = state.a, state.ground
    module_a.activate(
        a.per_range, a.lo, a.hi, ground.count[0], x, params.alpha, a.activation, a.match
    )
    if params.cosine:
        module_a.match_by_cosine(ground.cats.mean, ground.count[0], x, a.match)


@jit
def cluster_of_new(state: State, params: Params, question: int, target: int) -> int:
    """Cluster of a new category; k for a cluster of its own."""
    k = state.part.k[0]
    if question == map_field.THIS_CLUSTER:
        return target if target >= 0 else k
    if params.variable:
        return k
    return module_b.first_wanted(state) if question == map_field.ONE_OF_WANTED else 0


@jit
def add_category(state: State, params: Params, x: Floats, name: int, cluster: int) -> int:
    """A new category at x (Eqs. weight_new to comp_new), and its cluster if that is new too."""
    a, ground, part, field, trace = state.a, state.ground, state.part, state.field, state.trace
    p, k = ground.count[0], part.k[0]
    ground.count[0] = p + 1
    a.lo[p], a.hi[p] = x, x
    ground.cats.n[p], ground.cats.mean[p], ground.cats.cp[p] = 1, x, 0.0
    ground.links.head[p] = -1
    trace.slot[p] = trace.used[0]
    trace.joined[trace.used[0]] = trace.used[0]
    trace.used[0] += 1
    if cluster == k:
        partition.open_cluster(params.code, part, ground)
        map_field.open_column(field, p, cluster)
        map_field.open_row(field, k + 1, p, cluster, params.beta_ab)
    else:
        map_field.write_row(field, k, p, cluster)
    if params.code == CONN:
        for c in range(part.k[0]):
            part.attach[p, c] = 0.0
    if name >= 0:
        field.class_cluster[name] = cluster
    part.label[p] = cluster
    part.size[cluster] += 1
    return p


@jit
def learn_sample(state: State, params: Params, x: Floats, first: int, second: int) -> None:
    """What follows from the winners: inactivity, second winner, CONN, module B."""
    a, ground, part = state.a, state.ground, state.part
    for p in range(ground.count[0]):
        a.inactivity[p] += 1
    a.inactivity[first] = 0
    home = part.label[first]
    if second >= 0:
        module_a.learn_box(a.lo[second], a.hi[second], x, params.beta2)
        connect(ground.links, first, second)
        if params.code == CONN:
            part.attach[first, part.label[second]] += 1.0
            part.attach[second, home] += 1.0
    join_footprint(ground.all_data, 0, x)
    join_footprint(part.foot, home, x)
    partition.measure_cluster(params.code, part, ground, home)
    partition.sum_up(params.code, part, ground)


@jit
def join_footprint(foot: partition.Footprints, i: int, x: Floats) -> None:
    """Sample x joins footprint i, which may be empty."""
    if foot.n[i] == 0:
        foot.n[i], foot.mean[i], foot.cp[i] = 1, x, 0.0
    else:
        add_sample(foot.n, foot.mean, foot.cp, i, x)


@jit
def has_room(state: State) -> bool:
    """A step may add a category, two clusters (one by a split) and two links."""
    return (
        state.ground.count[0] + 1 <= state.a.lo.shape[0]
        and state.part.k[0] + 2 <= state.part.size.shape[0]
        and state.ground.links.used[0] + 2 <= state.ground.links.to.shape[0]
    )


@jit
def run(
    state: State, params: Params, X: Floats, names: Ints, slots: Ints, history: Floats, begin: int
) -> int:
    """Learn ``X[begin:]``; stops early when the arrays are full. Returns how far it came.

    `names` and `history` may have length 0: no labels, no history.
    """
    for t in range(begin, X.shape[0]):
        if not has_room(state):
            return t
        slots[t] = step(state, params, X[t], names[t] if names.shape[0] > 0 else -1)
        if history.shape[0] > 0:
            history[t, 0] = state.part.stats[GOODNESS]
            history[t, 1] = state.tracker[0]
            history[t, 2] = state.vigilance[STEP]
            history[t, 3] = state.ground.count[0]
            history[t, 4] = state.part.k[0]
    return X.shape[0]


@jit
def predict(state: State, alpha: float, X: Floats, out: Ints) -> None:
    """The most activated category of each sample, no vigilance."""
    a, categories = state.a, state.ground.count[0]
    for t in range(X.shape[0]):
        best, winner = -np.inf, 0
        for j in range(categories):
            joint, own = module_a.norm_with_box(a.per_range, a.lo[j], a.hi[j], X[t], X[t])
            activation = joint / (alpha + own)
            if j == 0 or activation > best + TIE:
                best, winner = activation, j
        out[t] = winner
