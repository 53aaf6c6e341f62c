"""Single operations of the core, callable from Python (compiled code has no such door)."""

from streamart._jit import jit_entry
from streamart.core import map_field
from streamart.core.strategies.compress import compress_inactive, compression_is_due
from streamart.core.strategies.merge import merge_strategy
from streamart.core.strategies.prune import prune_strategy
from streamart.core.strategies.split import activity_based
from streamart.core.strategies.swap import swap_strategy
from streamart.icvi.floors import EFFORTS, raise_by_costs, renew_floors
from streamart.icvi.merge_bounds import merger_bound_holds
from streamart.icvi.partition import copy_to_trial, rebuild
from streamart.icvi.standing import proof_stands
from streamart.icvi.state import State
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
