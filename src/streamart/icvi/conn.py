r"""conn_index, larger is better: a graph index on CONN, for clusters of several prototypes.

.. math:: \text{conn} = \text{intra}\,(1 - \text{inter}),\quad
   \text{intra} = \operatorname{mean}_c \frac{\frac12\sum_{p,q\in c} CONN(p,q)}{n_c},\quad
   \text{inter} = \operatorname{mean}_c \max_{l\ne c} I(c,l)

.. math:: I(c,l) = \frac{\sum_{p\in B,\,q\in l} CONN(p,q)}
   {\sum_{p\in B,\,q\in c\cup l} CONN(p,q) - \frac12\sum_{p,q\in B} CONN(p,q)},\quad
   B = \{p\in c : CONN(p,q)>0 \text{ for some } q\in l\}

I(c, l) is 0 where B is empty. The diagonal of CONN, which compression leaves, is kept out.

Mergers and moves are asked about as `what_if` does. The question about a sample's winners changes
CONN and sizes, evaluates the index, and changes them back. They are whole numbers, so this is
exact. Only clusters that are linked may merge.
"""

import math

from .._jit import jit
from .._typing import Floats
from . import what_if
from .links import add_link, is_linked, links_of
from .state import LIVE, State


@jit
def evaluate(s: State, w: int) -> float:
    """The index by its definition, from CONN; clusters without category do not count.

    ``pair[w]`` is I(c, l), `scratch` its denominator.
    """
    categories, k, clu = s.now[0]["categories"], s.now[w]["k"], s.clu[w]
    inter, below = s.pair[w], s.scratch
    for c in range(k):
        clu[c]["inside"] = 0.0
        clu[c]["with_a"] = 0.0
        for other in range(k):
            inter[c, other] = 0.0
            below[c, other] = 0.0
    for p in range(categories):
        add_border(s, w, p, inter, below)
    alive, intra, total = 0, 0.0, 0.0
    for c in range(k):
        if clu[c]["n"] == 0:
            continue
        alive += 1
        intra += 0.5 * clu[c]["inside"] / clu[c]["n"]
        greatest = 0.0
        for other in range(k):
            if inter[c, other] > 0.0:
                inter[c, other] /= below[c, other]
                greatest = max(greatest, inter[c, other])
        total += greatest
    if alive < 2:
        return math.nan
    return intra / alive * (1.0 - total / alive)


@jit
def add_border(s: State, w: int, p: int, inter: Floats, below: Floats) -> None:
    """What the links of category p add; ``with_a``, 0 before and after, is CONN from p into each
    cluster."""
    link, clu, c = s.link, s.clu[w], s.label[w, p]
    for row in links_of(s, p):
        if link[row]["other"] != p:
            clu[s.label[w, link[row]["other"]]]["with_a"] += link[row]["weight"]
    inside = clu[c]["with_a"]
    clu[c]["inside"] += inside
    clu[c]["with_a"] = 0.0
    for row in links_of(s, p):
        other = s.label[w, link[row]["other"]]
        across = clu[other]["with_a"]
        if across > 0.0:  # p is in B
            inter[c, other] += across
            below[c, other] += across + inside - counted_before(s, w, p, other)
            clu[other]["with_a"] = 0.0


@jit
def counted_before(s: State, w: int, p: int, other: int) -> float:
    """CONN of p with earlier categories of its cluster that are in B, too: a link with both ends in
    B is counted from either end, and once is enough."""
    total = 0.0
    for row in links_of(s, p):
        q = s.link[row]["other"]
        if q < p and s.label[w, q] == s.label[w, p] and is_linked(s, w, q, other):
            total += s.link[row]["weight"]
    return total


@jit
def measure(s: State, w: int, c: int) -> None:
    """Nothing is cached."""


@jit
def count_together(s: State, first: int, second: int, often: float) -> None:
    """The two winners of a sample, `often` = 1, or -1 to take that back."""
    s.cat[first]["n"] += int(often)
    s.clu[LIVE, s.label[LIVE, first]]["n"] += int(often)
    if second >= 0:
        add_link(s, first, second, often)


@jit
def if_winners(s: State, first: int, second: int, cluster: int) -> float:
    """If a sample had these winners; -1 for no second one.

    The row after the last category stands for a new one, which is put in `cluster`;
    ``cluster == k`` is a new cluster.
    """
    k, categories = s.now[LIVE]["k"], s.now[0]["categories"]
    if first == categories:
        if cluster == k:
            s.now[LIVE]["k"] = k + 1
            s.clu[LIVE, k]["n"] = 0
        s.now[0]["categories"] = categories + 1
        s.label[LIVE, first] = cluster
        s.cat[first]["n"] = 0
        s.cat[first]["links"] = -1
    count_together(s, first, second, 1.0)
    value = evaluate(s, LIVE)
    count_together(s, first, second, -1.0)
    s.now[0]["categories"] = categories
    s.now[LIVE]["k"] = k
    return value


@jit
def may_merge(s: State, w: int, i: int, j: int) -> bool:
    """Is any category of cluster i connected to one of cluster j?"""
    for p in range(s.now[0]["categories"]):
        if s.label[w, p] == i and is_linked(s, w, p, j):
            return True
    return False


ANSWERS = what_if.ANSWERS._replace(
    measure=measure, evaluate=evaluate, may_merge=may_merge, if_winners=if_winners
)
