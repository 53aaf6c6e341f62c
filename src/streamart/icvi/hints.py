"""What a person has said of clusters, as the strategies see it.

A category that has learnt a hinted sample belongs to that sample's group and is *anchored*: no
strategy moves it by itself, compresses or prunes it. It goes with its cluster when clusters merge,
and two clusters may not merge if groups of theirs are to stay apart.
"""

from .._jit import jit
from .state import APART, State


@jit
def is_anchored(s: State, p: int) -> bool:
    return s.cat[p]["group"] >= 0


@jit
def may_merge(s: State, w: int, i: int, j: int) -> bool:
    return s.matrix.shape[1] <= APART or s.matrix[w, APART, i, j] == 0.0


@jit
def keep_apart(s: State, w: int, i: int, j: int) -> None:
    s.matrix[w, APART, i, j] = 1.0
    s.matrix[w, APART, j, i] = 1.0


@jit
def inherit_apart(s: State, w: int, heir: int, gone: int) -> None:
    """Cluster `gone` joins another: what it is kept apart from, the other is now too."""
    if s.matrix.shape[1] > APART:
        for c in range(s.now[w]["k"]):
            if s.matrix[w, APART, gone, c] == 1.0:
                keep_apart(s, w, heir, c)


@jit
def free_cluster(s: State, w: int, c: int) -> None:
    """A new cluster is kept apart from nothing."""
    if s.matrix.shape[1] > APART:
        for other in range(c + 1):
            s.matrix[w, APART, c, other] = 0.0
            s.matrix[w, APART, other, c] = 0.0
