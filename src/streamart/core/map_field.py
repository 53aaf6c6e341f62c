"""The map field: which cluster a category belongs to, the vigilance test, match tracking.

With ``beta_ab = 1`` a row of W^ab is one-hot, and the label of the category says it all. With
``beta_ab < 1`` a row starts as 1 - beta_ab in every other cluster and moves as the category learns;
its greatest entry (the first of equals) is the label, and when that changes the category moves.
Strategies write one-hot rows. An update that would erase a row is not made.
"""

from .._jit import TIE, jit
from .._typing import Floats, Ints
from ..icvi import partition
from .state import MapField, Params, State

# What the map field asks of a category, for the present sample.
ANY, ONE_OF_WANTED, THIS_CLUSTER = 0, 1, 2


@jit
def admits(
    label: Ints, field: MapField, k: int, rho_ab: float, question: int, target: int, j: int
) -> bool:
    """The map field's vigilance test (Eqs. MF_function to res_3) for category j.

    A supervised label (`THIS_CLUSTER`) always decides, whatever `rho_ab` is.
    """
    if question == ANY:
        return True
    if question == THIS_CLUSTER:
        return label[j] == target
    match = 0.0
    if field.weight.shape[0] == 0:
        match = float(field.wanted[label[j]])
    else:
        for c in range(k):
            if field.wanted[c] == 1:
                match = max(match, field.weight[j, c])
    return match >= rho_ab - TIE


@jit
def tracked(match: float, epsilon: float, cosine: bool) -> float:
    """Vigilance after a mismatch: MT+ for positive epsilon, MT- for negative."""
    if cosine:
        return min(max(match - epsilon, 0.0), 2.0)
    return max(min(match + epsilon, 1.0), 0.0)


@jit
def first_greatest(row: Floats, k: int) -> int:
    best = 0
    for c in range(1, k):
        if row[c] > row[best] * (1.0 + TIE):
            best = c
    return best


@jit
def write_row(field: MapField, k: int, p: int, cluster: int) -> None:
    """Category p belongs to this cluster and to no other."""
    if field.weight.shape[0] > 0:
        for c in range(k):
            field.weight[p, c] = 0.0
        field.weight[p, cluster] = 1.0


@jit
def open_row(field: MapField, k: int, p: int, cluster: int, beta_ab: float) -> None:
    """Row of a new category that opens `cluster`: all ones, then one step of learning."""
    if field.weight.shape[0] > 0:
        for c in range(k):
            field.weight[p, c] = 1.0 - beta_ab
        field.weight[p, cluster] = 1.0


@jit
def open_column(field: MapField, categories: int, cluster: int) -> None:
    for p in range(categories):
        if field.weight.shape[0] > 0:
            field.weight[p, cluster] = 0.0


@jit
def forget_cluster(field: MapField, categories: int, k: int, gone: int, heir: int) -> None:
    """Cluster `gone` is no more; classes that were there are at `heir` (old numbering)."""
    for name in range(field.class_cluster.shape[0]):
        if field.class_cluster[name] == gone:
            field.class_cluster[name] = heir
        if field.class_cluster[name] > gone:
            field.class_cluster[name] -= 1
    if field.weight.shape[0] > 0:
        for p in range(categories):
            for c in range(gone, k - 1):
                field.weight[p, c] = field.weight[p, c + 1]


@jit
def learn_map(state: State, params: Params, j: int, cluster: int) -> None:
    r"""Eq. MF_update for the winner: :math:`w \leftarrow (1-\beta)w + \beta(y\wedge w)`."""
    field, part = state.field, state.part
    if field.weight.shape[0] == 0:
        return
    k, row, beta = part.k[0], field.weight[j], params.beta_ab
    for c in range(k):
        row[c] = (1.0 - beta) * row[c] + (beta * row[c] if c == cluster else 0.0)
    now = first_greatest(row, k)
    if now != part.label[j]:
        relocate(state, params, j, now)


@jit
def relocate(state: State, params: Params, p: int, target: int) -> None:
    """Category p moves to cluster `target`; its row of W^ab is the caller's business."""
    part = state.part
    home = part.label[p]
    if part.size[home] == 1:
        forget_cluster(state.field, state.ground.count[0], part.k[0], home, target)
    partition.move_category(params.code, part, state.ground, p, target)


@jit
def move(state: State, params: Params, p: int, target: int) -> None:
    """A strategy gives category p to cluster `target`."""
    write_row(state.field, state.part.k[0], p, target)
    relocate(state, params, p, target)


@jit
def split_off(state: State, params: Params, p: int) -> None:
    """A strategy makes category p a cluster of its own."""
    k = state.part.k[0]
    open_column(state.field, state.ground.count[0], k)
    write_row(state.field, k + 1, p, k)
    partition.split_category_off(params.code, state.part, state.ground, p)


@jit
def merge(state: State, params: Params, i: int, j: int) -> None:
    """A strategy makes clusters i < j one."""
    field, k, categories = state.field, state.part.k[0], state.ground.count[0]
    if field.weight.shape[0] > 0:
        for p in range(categories):
            field.weight[p, i] = max(field.weight[p, i], field.weight[p, j])
    forget_cluster(field, categories, k, j, i)
    partition.merge_clusters(params.code, state.part, state.ground, i, j)
