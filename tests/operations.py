"""Single operations of the core, callable from Python (compiled code has no such door)."""

import math
from typing import Any

from streamart._jit import jit, jit_entry
from streamart._typing import Floats
from streamart.core import map_field
from streamart.core.module_a import (
    answer_exactly,
    box_norm,
    coarse_growth,
    copy_box,
    glance,
    joint_norm,
    next_resonant,
    note_leaders,
    present,
    stretch_range,
)
from streamart.core.module_b import generate_labels
from streamart.core.strategies.compress import compress_inactive, compression_is_due
from streamart.core.strategies.likeness import (
    how_many_coincide,
    is_like,
    likeness,
    list_reached,
)
from streamart.core.strategies.merge import merge_strategy
from streamart.core.strategies.near_pair import loses_more, nearest_pair, note_near_mergers
from streamart.core.strategies.prune import prune_strategy
from streamart.core.strategies.split import activity_based, foresee
from streamart.core.strategies.standstill import answer, room_between
from streamart.core.strategies.swap import find_move, is_linked, swap_strategy
from streamart.core.strategies.told import joints_as_told
from streamart.icvi import lasting_moves
from streamart.icvi.compare import SLACK
from streamart.icvi.cores import core_stays, note_crowds
from streamart.icvi.floors import EFFORTS, raise_by_costs, renew_floors
from streamart.icvi.followed_walk import lay_out, walk_loses
from streamart.icvi.footprints import assign, squared_distance
from streamart.icvi.groupings import (
    cost_of,
    group_stays_near,
    look_around,
    no_grouping_wins,
    take_cheapest,
    take_next,
)
from streamart.icvi.growing_floors import let_floors_grow
from streamart.icvi.hub_bounds import find_hub, hub_stays_near, least_without
from streamart.icvi.hub_groupings import no_grouping_around, note_sums
from streamart.icvi.journal import changed_row, is_recent, note_change
from streamart.icvi.length_bounds import (
    falls_short,
    fewest_samples,
    follow_means,
    no_target_helps,
    price_of_limit,
)
from streamart.icvi.merge_bounds import merger_bound_holds
from streamart.icvi.merger_rises import prepare_rises, raise_bounds
from streamart.icvi.merger_rows import (
    BOUNDS,
    HIGHER,
    OWN,
    bound_row,
    exceeds_at_once,
    leave_rows,
    prepare_rows,
    sum_exceeds,
)
from streamart.icvi.merger_sums import prepare_mergers
from streamart.icvi.move_bounds import (
    distances_at_hand,
    newcomer_draws,
    no_move_helps,
    note_hopeful_targets,
    prepare,
    price_of_distance,
    rest_stays_near,
    scatter_needed,
    scatter_rules_out,
)
from streamart.icvi.partition import copy_to_trial, distances_of_category
from streamart.icvi.rearranging import rebuild
from streamart.icvi.standing import proof_stands
from streamart.icvi.state import (
    EXACT,
    FREE,
    HI,
    LIVE,
    LO,
    MEAN,
    NORM,
    PER_RANGE,
    TOPS,
    TRIAL,
    WITH_B,
    State,
)
from streamart.icvi.sum_bounds import greatest_fall, least_change, merger_loses, prepare_sum
from streamart.icvi.tops import greatest_quantity
from streamart.icvi.ward_path import path_costs
from streamart.icvi.weighing import gain_of, loss_of, measure_aside
from streamart.icvi.what_if import if_merged, if_moved, if_sample_added
from streamart.icvi.widening import widened_sum

MERGE, MOVE, MERGE_STRATEGY, SWAP_STRATEGY, PRUNE, SPLIT_RECENT = range(6)


@jit_entry
def operate(s: State, kind: int, a: int, b: int) -> None:
    """Change the network."""
    if kind == MERGE:
        map_field.merge(s, s.weight, a, b)
    elif kind == MOVE:
        map_field.move(s, a, b)
    elif kind == MERGE_STRATEGY:
        merge_strategy(s)
    elif kind == SWAP_STRATEGY:
        swap_strategy(s)
    elif kind == PRUNE:
        prune_strategy(s)
    elif kind == SPLIT_RECENT:
        activity_based(s, s.top)


@jit_entry
def ask(s: State, kind: int, a: int, b: int) -> float:
    """A what-if question."""
    if kind == MERGE:
        return if_merged(s, s.top, s.attach, 0, a, b)
    return if_moved(s, s.top, s.attach, 0, a, b)


@jit_entry
def ask_for_labels(s: State, x: Floats) -> float:
    """How good the partition would be with x in each cluster, or at most: ``each[VALUE]``."""
    return if_sample_added(s, s.top, x)


@jit_entry
def compress(s: State) -> None:
    """Compression as a step would do it."""
    if compression_is_due(s):
        compress_inactive(s)


@jit_entry
def rebuilt_on_trial(s: State) -> None:
    """All caches of the trial partition anew, from the labels of the live one."""
    copy_to_trial(s, s.top, s.attach)
    rebuild(s, s.top, s.attach, 1)


@jit_entry
def renew(s: State) -> None:
    """Floors of WGSS, with all efforts."""
    for effort in range(EFFORTS):
        renew_floors(s, effort)


@jit_entry
def grow(s: State) -> None:
    """Floors of WGSS, as they are with the data that has come."""
    if s.now[0]["anchors"] > 0:
        let_floors_grow(s)


@jit_entry
def prove(s: State, efforts: int) -> bool:
    """A proof that no merger helps, with floors by costs and so many efforts of the others."""
    raise_by_costs(s)
    for effort in range(efforts):
        renew_floors(s, effort)
    return merger_bound_holds(s, 0, s.now[0]["k"] - 2, s.now[0]["goodness"])


@jit_entry
def stands(s: State) -> bool:
    """Does the last proof by floors stand?"""
    return proof_stands(s, s.now[0]["goodness"], s.now[0]["least"])


@jit_entry
def path(s: State) -> int:
    """Costs of Ward's path."""
    return path_costs(s)


@jit_entry
def least_change_of_sum(s: State, p: int, target: int, exactly: bool) -> float:
    """DB: the bound of what the sum of maxima grows by if category p moves."""
    prepare_sum(s, s.top)
    home = s.label[LIVE, p]
    a, b = 0.0, squared_distance(s.box[MEAN, p], s.mean[LIVE, target])
    if s.clu[LIVE, home]["size"] > 1:
        a = squared_distance(s.box[MEAN, p], s.mean[LIVE, home])
        if not exactly:
            s.cat[p]["gain"] = gain_of(s, p) * (1.0 + SLACK)
            a, b = distances_at_hand(s, p, target)
    sure, change = least_change(s, s.top, p, target, a, b, exactly)
    change = max(sure, change + widened_sum(s, s.top, p, target, a, b))
    if s.clu[LIVE, home]["size"] > 1 and not exactly:
        change = max(change, -greatest_fall(s, s.top, p, target))
    return change


@jit_entry
def is_linked_to(s: State, p: int, cluster: int) -> bool:
    """Is category p connected to this cluster?"""
    return is_linked(s, LIVE, p, cluster)


@jit_entry
def bound_of_merger(s: State, i: int, j: int) -> float:
    """DB: the bound of the sum of maxima with clusters i and j as one, from the row of i."""
    total = prepare_mergers(s, s.top, LIVE)
    prepare_rows(s, s.top, LIVE)
    bound_row(s, s.top, LIVE, i, total)
    leave_rows(s, LIVE)
    return s.each[BOUNDS, j] + s.branch[OWN, j]


@jit_entry
def raised_bound_of_merger(s: State, i: int, j: int) -> float:
    """DB: the same, with what others have with the result."""
    total = prepare_mergers(s, s.top, LIVE)
    prepare_rows(s, s.top, LIVE)
    rises = prepare_rises(s, s.top, LIVE, total)
    bound_row(s, s.top, LIVE, i, total)
    raise_bounds(s, LIVE, i, rises, math.inf)
    leave_rows(s, LIVE)
    return s.branch[HIGHER, j] + s.branch[OWN, j]


@jit_entry
def merger_exceeds(s: State, i: int, j: int, limit: float, at_once: bool) -> bool:
    """DB: is the sum of maxima proven to be greater with clusters i and j as one?"""
    total = prepare_mergers(s, s.top, LIVE)
    hub = prepare_rows(s, s.top, LIVE)
    bound_row(s, s.top, LIVE, i, total)
    if at_once:
        exceeds = exceeds_at_once(s, LIVE, i, j, hub, limit)
    else:
        exceeds = sum_exceeds(s, s.top, LIVE, i, j, hub, total, limit)
    leave_rows(s, LIVE)
    return exceeds


@jit_entry
def merger_is_known_to_lose(s: State, i: int, j: int, spare: float) -> bool:
    """DB: is the sum of maxima proven to fall by no more than `spare`?"""
    prepare_sum(s, s.top)
    return merger_loses(s, s.top, i, j, spare)


@jit_entry
def is_ruled_out(s: State, p: int, target: int, limit: float, exactly: bool) -> bool:
    """Is category p, one of several, proven to make the index no better than `limit`?

    For PBM and XB.
    """
    prepare(s, s.top)
    follow_means(s)
    s.cat[p]["gain"] = gain_of(s, p) * (1.0 + SLACK)
    if exactly:
        return no_move_helps(s, s.top, p, target, greatest_quantity(s, s.top), limit)
    return scatter_rules_out(s, s.top, p, target, limit)


@jit
def note_least_loss(s: State, p: int) -> None:
    s.cat[p]["loss"] = math.inf
    for target in range(s.now[LIVE]["k"]):
        if target != s.label[LIVE, p]:
            s.cat[p]["loss"] = min(s.cat[p]["loss"], loss_of(s, p, target))


@jit_entry
def is_at_home(s: State, p: int, limit: float) -> bool:
    """PBM: is category p, one of several, proven to be no better than `limit` in any cluster?"""
    prepare(s, s.top)
    follow_means(s)
    s.cat[p]["gain"] = gain_of(s, p) * (1.0 + SLACK)
    note_least_loss(s, p)
    price = price_of_limit(s, limit)
    return no_target_helps(s, p, greatest_quantity(s, s.top), price, fewest_samples(s))


@jit_entry
def proofs_at_pair(s: State, p: int, target: int, limit: float, cautious: bool) -> int:
    """XB: which proofs there are that p, one of several, is no better than `limit` in `target`.

    A bit for each. `cautious`: it is not known exactly how far p is aside.
    """
    home, price = s.label[LIVE, p], price_of_distance(s, limit)
    prepare(s, s.top)
    note_crowds(s)
    note_least_loss(s, p)
    measure_aside(s, p)
    if cautious:
        s.cat[p]["aside"] += 0.01 * math.sqrt(s.clu[LIVE, home]["far"])
    proofs = 1 if loses_more(s, p, scatter_needed(s, price) - s.now[LIVE]["within"]) else 0
    other = int(s.top[LIVE, target, TOPS])
    if other != home and newcomer_draws(s, p, target, other, price):
        proofs |= 2
    note_hopeful_targets(s, s.top, p, price)
    if s.each[WITH_B, target] == 0.0:
        proofs |= 4
    if core_stays(s, s.top, p, greatest_quantity(s, s.top), limit):
        proofs |= 8
    return proofs


@jit_entry
def near_mergers(s: State) -> tuple[int, int, bool]:
    """XB: the nearest two, and if one of them has but one category, whether it might merge.

    ``with_a`` tells which others might.
    """
    one, other = nearest_pair(s, s.top)
    return one, other, note_near_mergers(s, s.top, one, other)


@jit_entry
def rest_is_known_to_be_near(s: State, p: int, limit: float) -> bool:
    """XB: is p proven to be no better than `limit` but in the cluster nearest to its own?"""
    prepare(s, s.top)
    s.cat[p]["gain"] = gain_of(s, p) * (1.0 + SLACK)
    note_least_loss(s, p)
    return rest_stays_near(s, s.top, p, limit)


@jit_entry
def stays_in_the_middle(s: State, best: float, far: float) -> bool:
    """XB: is no grouping of the clusters proven to be better than `best`?"""
    return hub_stays_near(s, s.top, LIVE, best, far)


@jit_entry
def measure_live(s: State) -> None:
    """All that is kept of the live partition, from its categories."""
    rebuild(s, s.top, s.attach, LIVE)


@jit_entry
def no_two_mergers_are_better(s: State) -> bool:
    """XB: is no grouping by two mergers or more proven to be better than `goodness`?"""
    return no_grouping_wins(s, s.top)


@jit_entry
def hub_of(s: State) -> int:
    """XB: the cluster of the nearest pair that others are nearest to."""
    return find_hub(s, s.top, LIVE)


@jit_entry
def star_loses(s: State, with_hub: int, t: int) -> tuple[bool, float]:
    """XB: do t mergers lose, so many of them with H? And what they cost at least."""
    star = look_around(s, s.top)
    for mergers in range(2, t + 1):
        take_cheapest(s, mergers)
    for u in range(1, 2 * t + 3):
        take_next(s, star.hub, u)
    return group_stays_near(s, star, with_hub, t, t), cost_of(s, star, t)


@jit_entry
def no_groups_are_better(s: State) -> bool:
    """XB: is no grouping of the clusters at all, by what is known of a hub?"""
    hub = find_hub(s, s.top, LIVE)
    lay_out(s, s.top, hub)
    own, near = float(s.clu[LIVE, hub]["n"]), -s.top[LIVE, hub, 0]
    apart = least_without(s, s.top, LIVE, hub)
    note_sums(s, LIVE, own)
    return no_grouping_around(s, s.now[LIVE]["within"], own, near, apart, 0.0)


@jit_entry
def walk_is_known_to_lose(s: State) -> bool:
    """XB: is no stage of the walk of mergers proven to be better than what there is?"""
    return walk_loses(s, s.top, s.now[LIVE]["k"])


@jit_entry
def label(s: State, x: Floats) -> None:
    """Find out which clusters the sample may be in (`WANTED`)."""
    generate_labels(s, s.top, s.attach, x)


@jit_entry
def grow_coarsely(s: State, j: int, p: int) -> float:
    """How much box j must grow to hold box p, by their coarse copies."""
    return coarse_growth(s.coarse, j, p)


@jit_entry
def least_and_greatest_spare(s: State, p: int) -> tuple[float, float]:
    """By how much bounds by what box p was told are above |p ^ w|, of all rows that are somebody's.

    The bound of nobody's row, which has no norm, is no more than a bit: otherwise -1.
    """
    joints_as_told(s, p)
    least, greatest = math.inf, -math.inf
    for j in range(s.now[0]["rows"]):
        if s.cat[j]["n"] > 0:
            lo, hi = s.box[LO, j], s.box[HI, j]
            joint = joint_norm(s.feature[PER_RANGE], lo, hi, s.box[LO, p], s.box[HI, p])
            least = min(least, s.scan[FREE, j] - joint)
            greatest = max(greatest, s.scan[FREE, j] - joint)
        elif s.scan[FREE, j] > 1e-9:
            least = -1.0
    return least, greatest


@jit_entry
def is_reached(s: State, p: int, j: int) -> bool:
    """Is category j listed of those that box p may activate as much as it activates j?"""
    least = answer(s, j, p)[0]
    for i in range(list_reached(s, p, s.scan[NORM, p], -1, least)):
        if s.label[TRIAL, i] == j:
            return True
    return False


@jit_entry
def passes_for_unlike(s: State, p: int, j: int) -> bool:
    """Box j has changed: is it as active by box p as p itself, and yet not counted?"""
    s.scan[NORM, j] = box_norm(s.feature[PER_RANGE], s.box[LO, j], s.box[HI, j])
    copy_box(s, j)
    near = likeness(s)
    if abs(s.scan[NORM, j] - s.scan[NORM, p]) > near or not is_like(s, p, j):
        return False
    return min(how_many_coincide(s, p, near)) < 2


@jit_entry
def unlike_until_doubled(s: State, p: int, x: Floats) -> tuple[int, int]:
    """How many may be like box p before the range has doubled; the range grows to x; are any?"""
    for_long = how_many_coincide(s, p, likeness(s))[0]
    stretch_range(s, x)
    alike = 0
    for place in range(s.now[0]["categories"]):
        j = s.order[place]
        alike += int(j != p and is_like(s, p, j))
    return for_long, alike


@jit_entry
def answer_before_and_after(s: State, p: int, keeper: int, j: int, x: Floats) -> Any:
    """Two categories answer to box p, the range grows to x, and they answer again.

    Both answers of each then and now; the norm of the second, how far the range has drifted, and
    how far it might have before the first one is in the way of the second no more.
    """
    activation, match = answer(s, keeper, p)
    other, other_match = answer(s, j, p)
    norm, drift = s.scan[NORM, j], s.now[0]["drift"]
    room = room_between(s, activation - other, match - other_match, norm)
    stretch_range(s, x)
    after, after_match = answer(s, keeper, p)
    other_after, other_match_after = answer(s, j, p)
    return (
        (activation, match, other, other_match),
        (after, after_match, other_after, other_match_after),
        (norm, s.now[0]["drift"] - drift, room),
    )


@jit_entry
def note_and_recall(s: State, row: int, since: int) -> int:
    """Notes a change (-1: none), then a checksum of all since then; -1 if that is not known."""
    if row >= 0:
        note_change(s, row)
    if not is_recent(s, since):
        return -1
    total = 0
    for number in range(since, s.now[0]["changes"]):
        total += (number - since + 1) * changed_row(s, number)
    return total


@jit_entry
def scan_both_ways(s: State, x: Floats, bounds: Floats, truth: Floats) -> None:
    """Activation and match of all categories by x: upper bounds, then exactly."""
    stretch_range(s, x)
    glance(s, x)
    for kind in range(EXACT):
        assign(bounds[kind], s.scan[kind])
    present(s, x)
    for kind in range(EXACT):
        assign(truth[kind], s.scan[kind])


@jit_entry
def find_resonant(s: State, x: Floats, rho: float, last: int, quickly: bool) -> int:
    """The next resonant category, after a glance or a scan; `last` must have answered before."""
    if quickly:
        glance(s, x)
        if last >= 0:
            answer_exactly(s, x, last)
    else:
        present(s, x)
        note_leaders(s)
    return next_resonant(s, x, rho, last)


@jit_entry
def foresee_after_split(s: State, p: int) -> tuple[int, int]:
    """PBM, XB: the first swap after category p has been split off, as far as that is proven."""
    return foresee(s, s.top, p)


@jit_entry
def best_swap(s: State) -> tuple[int, int]:
    """Category and target of the swap that is made next."""
    return find_move(s, s.top, s.attach)


@jit_entry
def note_all_moves(s: State) -> None:
    """PBM: what `move_stands` needs."""
    lasting_moves.note_moves(s, s.top)


@jit_entry
def move_stands(s: State, p: int) -> bool:
    """PBM: is it certain, by what is noted, that category p should stay where it is?"""
    newest = lasting_moves.newest_mean(s)
    return lasting_moves.stands(s, p, newest, math.sqrt(greatest_quantity(s, s.top)))


@jit_entry
def move_falls_short(s: State, p: int, target: int, limit: float) -> bool:
    """PBM: proof by all distances that a move does not bring the index above a limit."""
    distances_of_category(s, LIVE, p)
    return falls_short(s, s.top, p, target, price_of_limit(s, limit))
