"""Other clusters, by what a person says: programs of their own, compiled when first used."""

from .._jit import jit_entry
from ..icvi.state import LIVE, TRIAL, State
from . import map_field
from .events import MERGED
from .identity import settle_ids
from .strategies.split import mark_new_part, try_partial_decomposition


@jit_entry
def merge_two(s: State, i: int, j: int) -> None:
    """Clusters i < j become one."""
    s.now[0]["start"] = s.now[LIVE]["goodness"]
    map_field.merge(s, i, j)
    settle_ids(s, MERGED)


@jit_entry
def split_in_two(s: State, c: int) -> bool:
    """Partial decomposition of one cluster; False if it has no category that could leave."""
    s.now[0]["start"] = s.now[LIVE]["goodness"]
    if s.clu[LIVE, c]["size"] < 2:
        return False
    try_partial_decomposition(s, c)
    if s.now[TRIAL]["k"] == s.now[LIVE]["k"]:
        return False
    mark_new_part(s)
    map_field.move_marked(s)
    settle_ids(s, MERGED)
    return True


@jit_entry
def detach_marked(s: State) -> None:
    """The marked categories leave their clusters for one of their own. Ids are left to others."""
    s.now[0]["start"] = s.now[LIVE]["goodness"]
    map_field.move_marked(s)


@jit_entry
def settle(s: State) -> None:
    """Ids after changes."""
    settle_ids(s, MERGED)
