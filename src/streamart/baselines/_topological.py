"""The step that E-TopoFA and WS-TopoFA share: module A with two winners."""

from .._jit import NONE, ONE, jit, jit_entry
from .._typing import Floats
from ..core.module_a import learn_category, next_resonant, present, stretch_range
from ..icvi.links import add_link, links_of
from ..icvi.state import LIVE, State
from ._boxes import count_sample, has_room, open_box, remove_marked, unmark


@jit_entry
def learn_all(s: State, X: Floats, linked: int, begin: int) -> int:
    """Learn ``X[begin:]``; returns the number of samples learnt when arrays are full or X ends.

    If `linked`, winners are linked, categories with few samples are pruned, and clusters are
    connected components. Otherwise every category is a cluster.
    """
    params = s.params[0]
    for t in range(begin, X.shape[0]):
        if not has_room(s, ONE):
            return t
        x = X[t]
        stretch_range(s, x)
        present(s, x)
        unmark(s)
        first = next_resonant(s, params["rho"], NONE)
        second = NONE
        if first >= 0:
            s.cat[first]["mark"] = 1
            second = next_resonant(s, params["rho"], first)
            learn_category(s, first, x, params["beta1"])
        else:
            first = open_box(s, x, s.now[0]["categories"])
        count_sample(s, first, x)
        if second >= 0:
            learn_category(s, second, x, params["beta2"])
            if linked:
                add_link(s, first, second, 1.0)
        if linked and params["tau"] > 0 and s.now[0]["n"] % params["tau"] == 0:
            prune(s)
    s.now[LIVE]["k"] = s.now[0]["categories"]
    if linked:
        s.now[LIVE]["k"] = connect(s)
    return X.shape[0]


@jit
def some_permanent(s: State) -> bool:
    """Whether any category has learnt phi samples."""
    for p in range(s.now[0]["categories"]):
        if s.cat[p]["n"] >= s.params[0]["phi"]:
            return True
    return False


@jit
def prune(s: State) -> None:
    """Remove categories with fewer than phi samples and their links, unless none would remain."""
    if some_permanent(s):
        for p in range(s.now[0]["categories"]):
            s.cat[p]["mark"] = 1 if s.cat[p]["n"] < s.params[0]["phi"] else 0
        remove_marked(s)


@jit
def connect(s: State) -> int:
    """Find the clusters: connected components of the categories with at least phi samples.

    The other categories get cluster -1. While no category has phi samples, all count. Clusters are
    numbered in the order of their first categories. Returns their number.
    """
    least, k = s.params[0]["phi"] if some_permanent(s) else 0, 0
    for p in range(s.now[0]["categories"]):
        s.label[LIVE, p] = -1
    for place in range(s.now[0]["categories"]):
        row = s.order[place]
        if s.label[LIVE, row] < 0 and s.cat[row]["n"] >= least:
            spread(s, row, k, least)
            k += 1
    return k


@jit
def spread(s: State, row: int, cluster: int, least: int) -> None:
    """Assign all categories that are connected with this one to the cluster.

    Categories whose links have not been followed yet form a chain through `mark`.
    """
    s.label[LIVE, row] = cluster
    s.cat[row]["mark"] = -1
    while row >= 0:
        p, row = row, s.cat[row]["mark"]
        for end in links_of(s, p):
            other = s.link[end]["other"]
            if s.label[LIVE, other] < 0 and s.cat[other]["n"] >= least:
                s.label[LIVE, other] = cluster
                s.cat[other]["mark"] = row
                row = other
