"""Single operations of the core, callable from Python (compiled code has no such door)."""

from streamart._jit import jit_entry
from streamart.core import map_field
from streamart.core.module_a import coarse_growth
from streamart.core.strategies.compress import compress_inactive, compression_is_due
from streamart.core.strategies.merge import merge_strategy
from streamart.core.strategies.prune import prune_strategy
from streamart.core.strategies.split import activity_based
from streamart.core.strategies.swap import is_linked, swap_strategy
from streamart.icvi.compare import SLACK
from streamart.icvi.floors import EFFORTS, raise_by_costs, renew_floors
from streamart.icvi.footprints import squared_distance
from streamart.icvi.journal import changed_row, is_recent, note_change
from streamart.icvi.merge_bounds import merger_bound_holds
from streamart.icvi.merger_sums import least_sum, prepare_mergers, prepare_row
from streamart.icvi.move_bounds import (
    distances_at_hand,
    gain_of,
    no_move_helps,
    prepare,
    scatter_rules_out,
)
from streamart.icvi.partition import copy_to_trial, rebuild
from streamart.icvi.standing import proof_stands
from streamart.icvi.state import HI, LIVE, LO, MEAN, State
from streamart.icvi.sum_bounds import greatest_fall, least_change, prepare_sum
from streamart.icvi.tops import greatest_quantity
from streamart.icvi.ward_path import path_costs
from streamart.icvi.what_if import if_merged, if_moved

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
        activity_based(s)


@jit_entry
def ask(s: State, kind: int, a: int, b: int) -> float:
    """A what-if question."""
    if kind == MERGE:
        return if_merged(s, s.top, s.attach, 0, a, b)
    return if_moved(s, s.top, s.attach, 0, a, b)


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
    change = max(*least_change(s, s.top, p, target, a, b, exactly))
    if s.clu[LIVE, home]["size"] > 1 and not exactly:
        change = max(change, -greatest_fall(s, s.top, p, target))
    return change


@jit_entry
def is_linked_to(s: State, p: int, cluster: int) -> bool:
    """Is category p connected to this cluster?"""
    return is_linked(s, LIVE, p, cluster)


@jit_entry
def least_sum_of_merger(s: State, i: int, j: int, closely: bool) -> float:
    """DB: the bound of the sum of maxima with clusters i and j as one."""
    total = prepare_mergers(s, s.top, LIVE)
    prepare_row(s, s.top, LIVE, i)
    return least_sum(s, s.top, LIVE, i, j, total, closely)


@jit_entry
def is_ruled_out(s: State, p: int, target: int, limit: float, exactly: bool) -> bool:
    """XB: is category p, one of several, proven to make the index no better than `limit`?"""
    prepare(s, s.top)
    if exactly:
        return no_move_helps(s, s.top, p, target, greatest_quantity(s, s.top), limit)
    s.cat[p]["gain"] = gain_of(s, p) * (1.0 + SLACK)
    return scatter_rules_out(s, s.top, p, target, limit)


@jit_entry
def grow_coarsely(s: State, j: int, p: int) -> float:
    """How much box j must grow to hold box p, by their coarse copies."""
    return coarse_growth(s.coarse[LO, j], s.coarse[HI, j], s.coarse[LO, p], s.coarse[HI, p])


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
