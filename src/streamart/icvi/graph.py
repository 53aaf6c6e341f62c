r"""The inter-cluster part of the conn_index.

.. math:: I(c,l) = \frac{\sum_{p\in B,\,q\in l} CONN(p,q)}
   {\sum_{p\in B,\,q\in c\cup l} CONN(p,q) - \frac12\sum_{p,q\in B} CONN(p,q)},\quad
   B = \{p\in c : CONN(p,q)>0 \text{ for some } q\in l\}

I(c, l) is 0 where B is empty. The diagonal of CONN, which compression leaves, is kept out.

The what-if questions are all asked through a `Supposition`: the partition with one category
elsewhere, or one cluster counted as another, or one more sample between two categories. Sums over
CONN are sums of whole numbers, hence exact in any order.
"""

from typing import NamedTuple

from .._jit import jit
from .._typing import Floats
from .state import State


class Supposition(NamedTuple):
    """A partition that differs from the cached one in a single way; -1 where a field is unused."""

    moved: int  # this category ...
    target: int  # ... belongs to this cluster
    into: int  # this cluster ...
    absorbed: int  # ... also has the categories of this one
    first: int  # these two categories ...
    second: int  # ... have been winners together once more


@jit
def as_it_is() -> Supposition:
    return Supposition(-1, -1, -1, -1, -1, -1)


@jit
def cluster_of(s: State, w: int, suppose: Supposition, p: int) -> int:
    """Cluster of category p under the supposition."""
    c = s.label[w, p]
    if p == suppose.moved:
        c = suppose.target
    if suppose.into >= 0 and c == suppose.absorbed:
        c = suppose.into
    return c


@jit
def attachment(s: State, attach: Floats, w: int, suppose: Supposition, p: int, c: int) -> float:
    """Sum of CONN(p, q) over the categories q of cluster c under the supposition.

    ``s.cat[p]["between"]`` is CONN(p, moved).
    """
    total = attach[w, p, c]
    if suppose.into >= 0 and c == suppose.into:
        total += attach[w, p, suppose.absorbed]
    if suppose.moved >= 0:
        if c == s.label[w, suppose.moved]:
            total -= s.cat[p]["between"]
        if c == suppose.target:
            total += s.cat[p]["between"]
    if suppose.first >= 0:
        if p == suppose.first and c == s.label[w, suppose.second]:
            total += 1.0
        if p == suppose.second and c == s.label[w, suppose.first]:
            total += 1.0
    return total


@jit
def inter(s: State, attach: Floats, w: int, suppose: Supposition, c: int, other: int) -> float:
    """I(c, other) under the supposition."""
    numerator = 0.0
    denominator = 0.0
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if cluster_of(s, w, suppose, p) != c:
            continue
        outside = attachment(s, attach, w, suppose, p, other)
        if outside <= 0.0:
            continue
        numerator += outside
        denominator += outside + attachment(s, attach, w, suppose, p, c)
        # A link with both ends in the border is counted from either end; once is enough.
        at = s.cat[p]["head"]
        while at >= 0:
            q = s.link[at]["to"]
            if (
                q != p
                and cluster_of(s, w, suppose, q) == c
                and attachment(s, attach, w, suppose, q, other) > 0.0
            ):
                denominator -= 0.5 * s.link[at]["weight"]
            at = s.link[at]["following"]
        if p == suppose.first and cluster_of(s, w, suppose, suppose.second) == c:
            if attachment(s, attach, w, suppose, suppose.second, other) > 0.0:
                denominator -= 1.0
    if numerator == 0.0:
        return 0.0
    return numerator / denominator
