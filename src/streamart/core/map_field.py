"""The map field: which cluster a category belongs to, the vigilance test, match tracking.

With ``beta_ab = 1`` a row of W^ab is one-hot, and the label of the category says it all. With
``beta_ab < 1`` a row starts as 1 - beta_ab in every other cluster and moves as the category learns;
its greatest entry (the first of equals) is the label, and when that changes the category moves.
Strategies write one-hot rows. An update that would erase a row is not made.
"""

from .._jit import NONE, TIE, ZERO, constant, jit, jit_part
from ..icvi import partition
from ..icvi.hints import is_anchored
from ..icvi.state import LIVE, State

# What the map field asks of a category, for the present sample.
ANYTHING, ONE_OF_WANTED, THIS_CLUSTER = constant(0), constant(1), constant(2)


@jit
def has_weights(s: State) -> bool:
    """Is W^ab kept (beta_ab < 1)?"""
    return s.weight.shape[0] > 0


@jit_part
def admits(s: State, question: int, target: int, j: int) -> bool:
    """The map field's vigilance test (Eqs. MF_function to res_3) for category j.

    A supervised label (`THIS_CLUSTER`) always decides, whatever `rho_ab` is.
    """
    group = s.now[0]["group"]
    if group >= 0:
        if s.clu[LIVE, s.label[LIVE, j]]["barred"] == 1:
            return False
        if s.cat[j]["group"] >= 0 and s.cat[j]["group"] != group:
            return False  # so that groups of hinted samples can be told apart later, if need be
    if question == ANYTHING:
        return True
    if question == THIS_CLUSTER:
        return s.label[LIVE, j] == target
    match = 0.0
    if not has_weights(s):
        match = float(s.clu[LIVE, s.label[LIVE, j]]["wanted"])
    else:
        for c in range(s.now[LIVE]["k"]):
            if s.clu[LIVE, c]["wanted"] == 1:
                match = max(match, s.weight[j, c])
    return match >= s.params[0]["rho_ab"] - TIE


@jit
def tracked(match: float, epsilon: float, cosine: int) -> float:
    """Vigilance after a mismatch: MT+ for positive epsilon, MT- for negative."""
    if cosine:
        return min(max(match - epsilon, 0.0), 2.0)
    return max(min(match + epsilon, 1.0), 0.0)


@jit
def write_row(s: State, p: int, cluster: int, elsewhere: float) -> None:
    """Row of W^ab of category p: 1 in its cluster, `elsewhere` in the others."""
    if has_weights(s):
        for c in range(s.now[LIVE]["k"]):
            s.weight[p, c] = elsewhere
        s.weight[p, cluster] = 1.0


@jit
def open_column(s: State) -> None:
    """Column of W^ab of the cluster that is about to be opened."""
    if has_weights(s):
        for p in range(s.now[0]["categories"]):
            s.weight[p, s.now[LIVE]["k"]] = 0.0


@jit
def forget_cluster(s: State, gone: int, successor: int) -> None:
    """Cluster `gone` is about to disappear; classes that were there go to `successor`."""
    for name in range(s.classes.shape[0]):
        if s.classes[name]["cluster"] == gone:
            s.classes[name]["cluster"] = successor
        if s.classes[name]["cluster"] > gone:
            s.classes[name]["cluster"] -= 1
    if has_weights(s):
        for p in range(s.now[0]["categories"]):
            for c in range(gone, s.now[LIVE]["k"] - 1):
                s.weight[p, c] = s.weight[p, c + 1]


@jit
def relocate(s: State, p: int, target: int) -> None:
    """Category p moves to cluster `target`, its row of W^ab being written already."""
    home = s.label[LIVE, p]
    s.now[0]["rearranged"] = 1
    if s.clu[LIVE, home]["size"] == 1:
        forget_cluster(s, home, target)
    partition.move_category(s, LIVE, p, target)
    s.now[0]["boxes_changed"] = 1


@jit_part
def learn_map(s: State, j: int, cluster: int) -> None:
    r"""Eq. MF_update for the winner: :math:`w \leftarrow (1-\beta)w + \beta(y\wedge w)`."""
    if has_weights(s):
        k, row, beta = s.now[LIVE]["k"], s.weight[j], s.params[0]["beta_ab"]
        for c in range(k):
            row[c] = (1.0 - beta) * row[c] + (beta * row[c] if c == cluster else 0.0)
        greatest = ZERO
        for c in range(1, k):
            if row[c] > row[greatest] * (1.0 + TIE):
                greatest = c
        if greatest != s.label[LIVE, j] and not is_anchored(s, j):
            relocate(s, j, greatest)


@jit_part
def move(s: State, p: int, target: int) -> None:
    """A strategy gives category p to cluster `target`; ``target == k`` splits it off."""
    if target == s.now[LIVE]["k"]:
        open_column(s)
    write_row(s, p, target, 0.0)
    relocate(s, p, target)


@jit
def move_marked(s: State) -> None:
    """The marked categories become a cluster of their own."""
    first = NONE
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if s.cat[p]["mark"] != 1:
            continue
        if first >= 0:
            if s.label[LIVE, p] != s.label[LIVE, first]:
                move(s, p, s.label[LIVE, first])
        elif s.clu[LIVE, s.label[LIVE, p]]["size"] > 1:
            move(s, p, s.now[LIVE]["k"])
        if first < 0:
            first = p


@jit_part
def merge(s: State, i: int, j: int) -> None:
    """A strategy makes clusters i < j one."""
    s.now[0]["rearranged"] = 1
    if has_weights(s):
        for p in range(s.now[0]["categories"]):
            s.weight[p, i] = max(s.weight[p, i], s.weight[p, j])
    forget_cluster(s, j, i)
    partition.merge_clusters(s, LIVE, i, j)
    s.now[0]["boxes_changed"] = 1
