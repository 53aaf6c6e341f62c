"""Single operations of the core. Python can call them only without the compiler."""

from streamart.core import map_field
from streamart.core.module_a import present, stretch_range
from streamart.core.module_b import generate_labels
from streamart.core.strategies.compress import compress_strategy
from streamart.core.strategies.merge import merge_strategy
from streamart.core.strategies.prune import prune_strategy
from streamart.core.strategies.split import split_most_recent
from streamart.core.strategies.swap import swap_strategy
from streamart.icvi.partition import copy_to_trial, rebuild
from streamart.icvi.registry import if_merged, if_moved
from streamart.icvi.state import LIVE, TRIAL

MERGE, MOVE, MERGE_STRATEGY, SWAP_STRATEGY, SPLIT_RECENT, PRUNE = range(6)


def operate(s, kind, first, second):
    """One operation on the live partition."""
    if kind == MERGE:
        map_field.merge(s, first, second)
    elif kind == MOVE:
        map_field.move(s, first, second)
    elif kind == MERGE_STRATEGY:
        if s.now[LIVE]["k"] > 2:
            merge_strategy(s)
    elif kind == SWAP_STRATEGY:
        if s.now[0]["categories"] > 2:
            swap_strategy(s)
    elif kind == SPLIT_RECENT:
        split_most_recent(s)
    else:
        prune_strategy(s)


def ask(s, kind, first, second):
    """Goodness if clusters merged, or a category moved."""
    if kind == MERGE:
        return if_merged(s, LIVE, first, second)
    return if_moved(s, LIVE, first, second)


def compress(s):
    compress_strategy(s)


def label(s, x):
    """The label matrix Y for x as the next sample."""
    stretch_range(s, x)
    present(s, x)
    s.now[0]["step_vigilance"] = s.now[0]["vigilance"]
    generate_labels(s, x)


def rebuilt_on_trial(s):
    """Copy the live partition to the trial one, and compute everything again."""
    copy_to_trial(s)
    rebuild(s, TRIAL)
