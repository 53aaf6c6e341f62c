"""The map field: which cluster a category belongs to, the vigilance test, match tracking.

With ``beta_ab = 1`` a row of W^ab is one-hot, and the label of the category says it all. With
``beta_ab < 1`` a row starts as 1 - beta_ab in every other cluster and moves as the category learns;
its greatest entry (the first of equals) is the label, and when that changes the category moves.
Strategies write one-hot rows. An update that would erase a row is not made.
"""

from .._jit import TIE, jit
from .._typing import Floats
from ..icvi import rearranging
from ..icvi.hints import is_anchored
from ..icvi.registry import DB
from ..icvi.state import ASK_AGAIN, LIVE, WANTED, State

# What the map field asks of a category, for the present sample.
ANYTHING, ONE_OF_WANTED, THIS_CLUSTER = 0, 1, 2


@jit
def admits(s: State, weight: Floats | None, question: int, target: int, j: int) -> bool:
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
    if weight is None:
        match = float(s.each[WANTED, s.label[LIVE, j]])
    else:
        for c in range(s.now[LIVE]["k"]):
            if s.each[WANTED, c] == 1:
                match = max(match, weight[j, c])
    return match >= s.params[0]["rho_ab"] - TIE


@jit
def tracked(match: float, epsilon: float, cosine: int) -> float:
    """Vigilance after a mismatch: MT+ for positive epsilon, MT- for negative."""
    if cosine:
        return min(max(match - epsilon, 0.0), 2.0)
    return max(min(match + epsilon, 1.0), 0.0)


@jit
def write_row(s: State, weight: Floats | None, p: int, cluster: int, elsewhere: float) -> None:
    """Row of W^ab of category p: 1 in its cluster, `elsewhere` in the others."""
    if weight is not None:
        for c in range(s.now[LIVE]["k"]):
            weight[p, c] = elsewhere
        weight[p, cluster] = 1.0


@jit
def open_column(s: State, weight: Floats | None) -> None:
    """Column of W^ab of the cluster that is about to be opened."""
    s.clu[LIVE, s.now[LIVE]["k"]]["seen"] = 0.0
    s.clu[LIVE, s.now[LIVE]["k"]]["rival"] = -1
    if weight is not None:
        for place in range(s.now[0]["categories"]):
            p = s.order[place]
            weight[p, s.now[LIVE]["k"]] = 0.0


@jit
def forget_cluster(s: State, weight: Floats | None, gone: int, heir: int) -> None:
    """Cluster `gone` is about to disappear; classes that were there go to `heir`."""
    if s.family == DB:
        note_end(s, gone)
    for name in range(s.classes.shape[0]):
        if s.classes[name]["cluster"] == gone:
            s.classes[name]["cluster"] = heir
        if s.classes[name]["cluster"] > gone:
            s.classes[name]["cluster"] -= 1
    if weight is not None:
        for place in range(s.now[0]["categories"]):
            p = s.order[place]
            for c in range(gone, s.now[LIVE]["k"] - 1):
                weight[p, c] = weight[p, c + 1]


@jit
def note_end(s: State, gone: int) -> None:
    """DB: what was proven with the help of a cluster that is about to disappear is not any more.

    That is, of moves from and to the one that it leant on, unless `hub_proof` does without it.
    """
    clu, last, leant_on = s.clu[LIVE], s.now[LIVE]["k"] - 1, s.clu[LIVE, gone]["rival"]
    if gone != last or clu[gone]["seen"] > 0.0:
        s.now[0]["proof_hub"] = -1
    if 0 <= leant_on <= last and leant_on != s.now[0]["proof_hub"]:
        if clu[leant_on]["changed"] == 0:
            clu[leant_on]["changed"] = ASK_AGAIN


@jit
def relocate(s: State, p: int, target: int) -> None:
    """Category p moves to cluster `target`, its row of W^ab being written already."""
    home = s.label[LIVE, p]
    s.now[0]["rearranged"] = 1
    if s.clu[LIVE, home]["size"] == 1:
        forget_cluster(s, s.weight, home, target)
    rearranging.move_category(s, s.top, s.attach, LIVE, p, target)


@jit
def learn_map(s: State, weight: Floats | None, j: int, cluster: int) -> None:
    r"""Eq. MF_update for the winner: :math:`w \leftarrow (1-\beta)w + \beta(y\wedge w)`."""
    if weight is not None:
        k, row, beta = s.now[LIVE]["k"], weight[j], s.params[0]["beta_ab"]
        for c in range(k):
            row[c] = (1.0 - beta) * row[c] + (beta * row[c] if c == cluster else 0.0)
        greatest = 0
        for c in range(1, k):
            if row[c] > row[greatest] * (1.0 + TIE):
                greatest = c
        if greatest != s.label[LIVE, j] and not is_anchored(s, j):
            relocate(s, j, greatest)


@jit
def move(s: State, p: int, target: int) -> None:
    """A strategy gives category p to cluster `target`; ``target == k`` splits it off."""
    if target == s.now[LIVE]["k"]:
        open_column(s, s.weight)
    write_row(s, s.weight, p, target, 0.0)
    relocate(s, p, target)


@jit
def put_last(s: State, c: int) -> None:
    """Cluster c is the last one from now on (CH, WB)."""
    s.now[0]["rearranged"] = 1
    forget_cluster(s, s.weight, c, s.now[LIVE]["k"])
    rearranging.put_last(s, c)


@jit
def move_marked(s: State) -> None:
    """The marked categories become a cluster of their own."""
    first = -1
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


@jit
def merge(s: State, weight: Floats | None, i: int, j: int) -> None:
    """A strategy makes clusters i < j one."""
    s.now[0]["rearranged"] = 1
    if weight is not None:
        for place in range(s.now[0]["categories"]):
            p = s.order[place]
            weight[p, i] = max(weight[p, i], weight[p, j])
    forget_cluster(s, weight, j, i)
    rearranging.merge_clusters(s, s.top, s.attach, LIVE, i, j)
