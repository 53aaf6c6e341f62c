"""A partition of categories into clusters: clusters open, close and merge, categories move.

Footprints of clusters, WGSS and the value of the index are kept up to date; what else the
index has cached is up to its answers (`registry.measure`). `w` says which partition: LIVE or TRIAL.
"""

from .._jit import NONE, jit, jit_part
from .._typing import Floats
from .footprints import assign, merge_into
from .hints import free_cluster, inherit_apart
from .registry import evaluate, measure
from .scatter import sum_within
from .state import LIVE, MEAN, TRIAL, State


@jit
def refresh(s: State, w: int) -> None:
    """WGSS and the index value, after clusters have changed."""
    s.now[w]["within"] = sum_within(s, w)
    s.now[w]["goodness"] = evaluate(s, w)


@jit
def note_change(s: State, w: int, c: int) -> None:
    """Cluster c has changed: its caches, and swap must look at it again."""
    s.clu[w, c]["changed"] = 1
    measure(s, w, c)


@jit
def copy_cluster(s: State, w: int, c: int, to_w: int, to_c: int) -> None:
    """What is known of one cluster alone. Its id is settled apart (`core.identity`)."""
    source, target = s.clu[w, c], s.clu[to_w, to_c]
    target["size"] = source["size"]
    target["n"] = source["n"]
    target["cp"] = source["cp"]
    target["greatest"] = source["greatest"]
    target["partner"] = source["partner"]
    target["changed"] = source["changed"]
    assign(s.mean[to_w, to_c], s.mean[w, c])


@jit
def copy_to_trial(s: State) -> None:
    """Make the trial partition equal to the live one."""
    k = s.now[LIVE]["k"]
    s.now[TRIAL]["k"] = k
    s.now[TRIAL]["within"] = s.now[LIVE]["within"]
    s.now[TRIAL]["goodness"] = s.now[LIVE]["goodness"]
    for p in range(s.now[0]["categories"]):
        s.label[TRIAL, p] = s.label[LIVE, p]
    for c in range(k):
        copy_cluster(s, LIVE, c, TRIAL, c)
    copy_table(s.distance, k)
    copy_table(s.pair, k)
    copy_table(s.apart, k)


@jit
def copy_table(table: Floats, k: int) -> None:
    """The live table of pairs of clusters becomes the trial one, if there is one."""
    if table.shape[0] == 2 and table.shape[1] > 0:
        for c in range(k):
            for other in range(k):
                table[TRIAL, c, other] = table[LIVE, c, other]


@jit
def gather_footprint(s: State, w: int, c: int) -> None:
    """Footprint of cluster c, added up from its categories.

    To subtract a part would leave the rounding errors of the larger cluster in the smaller one.
    """
    s.clu[w, c]["n"] = 0
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if s.label[w, p] == c:
            merge_into(s.clu[w, c], s.mean[w, c], s.cat[p]["n"], s.cat[p]["cp"], s.box[MEAN, p])


@jit
def open_cluster(s: State, w: int) -> int:
    """A new, empty cluster in the last place."""
    c = s.now[w]["k"]
    s.now[w]["k"] = c + 1
    s.clu[w, c]["size"] = 0
    s.clu[w, c]["n"] = 0
    s.clu[w, c]["cp"] = 0.0
    s.clu[w, c]["partner"] = NONE
    free_cluster(s, w, c)
    return c


@jit
def close_cluster(s: State, w: int, gone: int) -> None:
    """Cluster `gone` has no category left: later clusters move up by one place."""
    last = s.now[w]["k"] - 1
    s.now[w]["k"] = last
    for p in range(s.now[0]["categories"]):
        if s.label[w, p] > gone:
            s.label[w, p] -= 1
    for c in range(gone, last):
        copy_cluster(s, w, c + 1, w, c)
    close_gap(s.distance, w, gone, last)
    close_gap(s.pair, w, gone, last)
    close_gap(s.apart, w, gone, last)
    for c in range(last):
        partner = s.clu[w, c]["partner"]
        if partner >= gone:
            s.clu[w, c]["partner"] = NONE if partner == gone else partner - 1


@jit
def close_gap(table: Floats, w: int, gone: int, last: int) -> None:
    """Remove a row and a column of a table of pairs of clusters."""
    if w < table.shape[0] and table.shape[1] > 0:
        for row in range(last):
            source = row + 1 if row >= gone else row
            for c in range(gone):
                table[w, row, c] = table[w, source, c]
            for c in range(gone, last):
                table[w, row, c] = table[w, source, c + 1]


@jit_part
def merge_clusters(s: State, w: int, i: int, j: int) -> None:
    """Cluster j joins cluster i < j, which keeps its place."""
    merge_into(s.clu[w, i], s.mean[w, i], s.clu[w, j]["n"], s.clu[w, j]["cp"], s.mean[w, j])
    s.clu[w, i]["size"] += s.clu[w, j]["size"]
    inherit_apart(s, w, i, j)
    for p in range(s.now[0]["categories"]):
        if s.label[w, p] == j:
            s.label[w, p] = i
    close_cluster(s, w, j)
    note_change(s, w, i)
    refresh(s, w)


@jit_part
def move_category(s: State, w: int, p: int, target: int) -> None:
    """Category p goes to cluster `target`; a cluster that loses its last category disappears.

    ``target == k`` opens a cluster for it.
    """
    home = s.label[w, p]
    if target == s.now[w]["k"]:
        open_cluster(s, w)
    s.label[w, p] = target
    s.clu[w, home]["size"] -= 1
    s.clu[w, target]["size"] += 1
    merge_into(s.clu[w, target], s.mean[w, target], s.cat[p]["n"], s.cat[p]["cp"], s.box[MEAN, p])
    if s.clu[w, home]["size"] == 0:
        close_cluster(s, w, home)
        if target > home:
            target -= 1
    else:
        gather_footprint(s, w, home)
        note_change(s, w, home)
    note_change(s, w, target)
    refresh(s, w)


@jit
def rebuild(s: State, w: int) -> None:
    """All that is cached, from the labels and the categories."""
    k = s.now[w]["k"]
    for c in range(k):
        s.clu[w, c]["size"] = 0
        s.clu[w, c]["partner"] = NONE
    for p in range(s.now[0]["categories"]):
        s.clu[w, s.label[w, p]]["size"] += 1
    for c in range(k):
        gather_footprint(s, w, c)
    for c in range(k):
        note_change(s, w, c)
    refresh(s, w)
