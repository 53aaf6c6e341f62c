"""Other clusters, by what a person says or because they were derived anew: programs of their own,
compiled when first used."""

from .._jit import ZERO, jit, jit_entry
from .._typing import Ints
from ..icvi.partition import gather_footprint
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


@jit
def heir_of(s: State, labels: Ints, old: int, k: int) -> int:
    """The new cluster that has most samples of an old one, the first of equals."""
    successor = ZERO
    for c in range(k):
        s.clu[LIVE, c]["count"] = 0
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if s.label[LIVE, p] == old:
            s.clu[LIVE, labels[place]]["count"] += s.cat[p]["n"]
    for c in range(1, k):
        if s.clu[LIVE, c]["count"] > s.clu[LIVE, successor]["count"]:
            successor = c
    return successor


@jit
def relabel(s: State, labels: Ints) -> None:
    """Every category gets its new cluster; `labels` are of categories in their order, from 0."""
    k = ZERO
    for place in range(s.now[0]["categories"]):
        k = max(k, labels[place] + 1)
    for name in range(s.classes.shape[0]):
        if s.classes[name]["cluster"] >= 0:
            s.classes[name]["cluster"] = heir_of(s, labels, s.classes[name]["cluster"], k)
    s.now[LIVE]["k"] = k
    for place in range(s.now[0]["categories"]):
        s.label[LIVE, s.order[place]] = labels[place]
    s.now[0]["rearranged"] = 1


@jit_entry
def relabel_plain(s: State, labels: Ints, goodness: float) -> None:
    """The clusters become these, where only footprints are kept of them (StreamART).

    `goodness` is the index of the result, as distances are measured. Ids are left to others.
    """
    relabel(s, labels)
    for c in range(s.now[LIVE]["k"]):
        s.clu[LIVE, c]["size"] = 0
        gather_footprint(s, LIVE, c)
    for p in range(s.now[0]["categories"]):
        s.clu[LIVE, s.label[LIVE, p]]["size"] += 1
    s.now[LIVE]["goodness"] = goodness
