"""Permanent ids of the clusters.

Clusters are numbered by their place, and places shift. Ids do not. They are settled when a step has
changed the partition, by comparing it with the one before: how many samples each old cluster shares
with each new one, by their categories. The two that share most have the same id, then the next two
of those that are left, and so on (among equals the older id, then the first place). A new cluster
that is left over gets a new id. An old one that is left over has ended; its successor is the one
that holds most of it. So of clusters that merge the largest keeps its id, of the parts of one that
is split the largest does, and what strategies do and undo within a step leaves no trace.
"""

from .._jit import NONE, ZERO, jit, jit_part
from ..icvi.state import LIVE, TRIAL, WAS, State
from .events import CREATED, FADED, MOVED, SPLIT, note_event

MATCHED = -1  # `count` of an old cluster that is a new one


@jit
def settle_ids(s: State, ended: int) -> None:
    """Ids of the clusters as they are now; `ended` is the kind of event if one has ended."""
    if s.now[0]["rearranged"] == 0:
        return
    s.now[0]["rearranged"] = 0
    count_shared_samples(s)
    match_clusters(s)
    give_new_ids(s)
    name_heirs(s, ended)
    note_moves(s)
    for c in range(s.now[LIVE]["k"]):
        s.clu[LIVE, c]["id"] = s.clu[TRIAL, c]["id"]
        s.clu[LIVE, c]["into"] = -1
    s.now[0]["settled_k"] = s.now[LIVE]["k"]
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        s.label[WAS, p] = s.label[LIVE, p]


@jit_part
def count_shared_samples(s: State) -> None:
    """Samples that an old and a new cluster share: ``shared`` of their first category, 0 of others.

    These first ones are a list for each old cluster: ``into`` (TRIAL) begins it, ``mark`` goes on.
    `count` counts the others that an old (LIVE) or new (TRIAL) cluster shares samples with.
    """
    cat, old, new = s.cat, s.clu[LIVE], s.clu[TRIAL]
    for i in range(s.now[0]["settled_k"]):
        old[i]["count"] = 0
        new[i]["into"] = NONE
    for c in range(s.now[LIVE]["k"]):
        new[c]["count"] = 0
        new[c]["id"] = -1
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        i, c = s.label[WAS, p], s.label[LIVE, p]
        cat[p]["shared"] = 0.0
        if i < 0:
            continue
        first = new[i]["into"]
        # Ends: a list has an end.
        while first >= 0 and s.label[LIVE, first] != c:
            first = cat[first]["mark"]
        if first < 0:
            first = p
            cat[p]["mark"] = new[i]["into"]
            new[i]["into"] = p
            old[i]["count"] += 1
            new[c]["count"] += 1
        cat[first]["shared"] += cat[p]["n"]


@jit_part
def match_clusters(s: State) -> None:
    """First those that share with each other only, which are nearly all; then by what is shared."""
    cat, old, new = s.cat, s.clu[LIVE], s.clu[TRIAL]
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        i, c = s.label[WAS, p], s.label[LIVE, p]
        if i >= 0 and old[i]["count"] == 1 and new[c]["count"] == 1:
            new[c]["id"] = old[i]["id"]
            old[i]["count"] = MATCHED
    # Ends: each round matches a cluster, or is the last.
    while True:
        best, best_i, best_c = NONE, NONE, NONE
        for place in range(s.now[0]["categories"]):
            p = s.order[place]
            i, c = s.label[WAS, p], s.label[LIVE, p]
            if i < 0 or old[i]["count"] == MATCHED or new[c]["id"] >= 0:
                continue
            better = best < 0 or cat[p]["shared"] > cat[best]["shared"]
            if not better and cat[p]["shared"] == cat[best]["shared"]:
                older = old[best_i]["id"] - old[i]["id"]
                better = older > 0 or (older == 0 and c < best_c)
            if better:
                best, best_i, best_c = p, i, c
        if best < 0:
            break
        new[best_c]["id"] = old[best_i]["id"]
        old[best_i]["count"] = MATCHED


@jit_part
def give_new_ids(s: State) -> None:
    """New clusters that are no old one: a part of one, or of nothing but a new category."""
    old, new = s.clu[LIVE], s.clu[TRIAL]
    for c in range(s.now[LIVE]["k"]):
        new[c]["count"] = 0  # 1: is new
        if new[c]["id"] >= 0:
            continue
        parent = NONE
        for place in range(s.now[0]["categories"]):
            p = s.order[place]
            if s.label[LIVE, p] == c and s.label[WAS, p] >= 0:
                if parent < 0 or s.cat[p]["shared"] > s.cat[parent]["shared"]:
                    parent = p
        fresh = s.now[0]["ids"]
        s.now[0]["ids"] = fresh + 1
        s.successor[fresh] = -1
        new[c]["id"] = fresh
        new[c]["count"] = 1
        if parent < 0:
            note_event(s, CREATED, fresh, NONE, float(s.clu[LIVE, c]["n"]))
        else:
            i = s.label[WAS, parent]
            note_event(s, SPLIT, old[i]["id"], fresh, s.cat[parent]["shared"])


@jit_part
def name_heirs(s: State, ended: int) -> None:
    """Old clusters that are no new one.

    One whose categories have all been taken in by those of another cluster, when room was made for
    more, goes where that one's are; how many samples it had is not known any more.
    """
    cat, old, new = s.cat, s.clu[LIVE], s.clu[TRIAL]
    for i in range(s.now[0]["settled_k"]):
        if old[i]["count"] == MATCHED:
            continue
        best, successor, at, amount = NONE, ZERO, i, 0.0
        for _ in range(s.now[0]["settled_k"]):
            for place in range(s.now[0]["categories"]):
                p = s.order[place]
                if s.label[WAS, p] == at and (best < 0 or cat[p]["shared"] > cat[best]["shared"]):
                    best = p
            if best >= 0 or old[at]["into"] < 0:
                break
            at = old[at]["into"]
        if best < 0 and s.path.shape[0] == 0:  # StreamART has forgotten all its samples
            note_event(s, FADED, old[i]["id"], NONE, 0.0)
            continue
        if best >= 0:
            successor = s.label[LIVE, best]
            amount = cat[best]["shared"] if at == i else 0.0
        s.successor[old[i]["id"]] = new[successor]["id"]
        note_event(s, ended, old[i]["id"], new[successor]["id"], amount)


@jit_part
def note_moves(s: State) -> None:
    """What went from one cluster to another, both of which were there before and still are."""
    if s.event.shape[0] == 0:
        return
    old, new = s.clu[LIVE], s.clu[TRIAL]
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        i, c = s.label[WAS, p], s.label[LIVE, p]
        if (
            i >= 0
            and old[i]["count"] == MATCHED
            and new[c]["count"] == 0
            and new[c]["id"] != old[i]["id"]
            and s.cat[p]["shared"] > 0.0  # once for all its categories
        ):
            note_event(s, MOVED, old[i]["id"], new[c]["id"], s.cat[p]["shared"])
