"""What a person has said of clusters, as the strategies see it.

A category that has learnt a hinted sample belongs to that sample's group and is *anchored*: no
strategy moves it by itself, compresses or prunes it. It goes with its cluster when clusters merge,
and two clusters may not merge if groups of theirs are to stay apart.
"""

from .._jit import jit
from .state import State


@jit
def is_anchored(s: State, p: int) -> bool:
    return s.cat[p]["group"] >= 0


@jit
def are_kept_apart(s: State, w: int, i: int, j: int) -> bool:
    return s.apart.shape[1] > 0 and s.apart[w, i, j] == 1.0


@jit
def keep_apart(s: State, w: int, i: int, j: int) -> None:
    s.apart[w, i, j] = 1.0
    s.apart[w, j, i] = 1.0


@jit
def inherit_apart(s: State, w: int, successor: int, gone: int) -> None:
    """Cluster `gone` joins another: what it is kept apart from, the other is now too."""
    if s.apart.shape[1] > 0:
        for c in range(s.now[w]["k"]):
            if s.apart[w, gone, c] == 1.0:
                keep_apart(s, w, successor, c)


@jit
def free_cluster(s: State, w: int, c: int) -> None:
    """A new cluster is kept apart from nothing."""
    if s.apart.shape[1] > 0:
        for other in range(c + 1):
            s.apart[w, c, other] = 0.0
            s.apart[w, other, c] = 0.0
