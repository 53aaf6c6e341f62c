"""Records of what changed, in a ring of fixed size: the oldest is overwritten first."""

from .._jit import constant, jit
from ..icvi.state import LIVE, State

CREATED, MERGED, SPLIT, MOVED, PRUNED = (constant(kind) for kind in range(5))
COMPRESSED, NAMED, RAISED, RESTORED, FADED = (constant(kind) for kind in range(5, 10))


@jit
def note_event(s: State, kind: int, first: int, second: int, amount: float) -> None:
    """One record, with the index before the present sample and now."""
    size = s.event.shape[0]
    if size == 0:
        return
    record = s.event[s.now[0]["events"] % size]
    # The vigilance changes before the present sample is counted.
    record["sample"] = s.now[0]["n"] + (1 if kind in (RAISED, RESTORED) else 0)
    record["kind"] = kind
    record["first"] = first
    record["second"] = second
    record["amount"] = amount
    record["before"] = s.now[0]["start"]
    record["after"] = s.now[LIVE]["goodness"]
    s.now[0]["events"] += 1


@jit
def listeners_wait(s: State) -> bool:
    """Might the next step overwrite what was not handed on yet?

    Every cluster may be created, merged, pruned and compressed; every category may move.
    """
    left = s.event.shape[0] - (s.now[0]["events"] - s.now[0]["handed"])
    return s.now[0]["listeners"] == 1 and left < 4 * s.clu.shape[1] + s.cat.shape[0]
