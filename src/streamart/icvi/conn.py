r"""conn_index, larger is better: a graph index on CONN, for clusters of several prototypes.

.. math:: \text{conn} = \text{intra}\,(1 - \text{inter}),\quad
   \text{intra} = \operatorname{mean}_c \frac{\frac12\sum_{p,q\in c} CONN(p,q)}{n_c},\quad
   \text{inter} = \operatorname{mean}_c \max_{l\ne c} I(c,l)

.. math:: I(c,l) = \frac{\sum_{p\in B,\,q\in l} CONN(p,q)}
   {\sum_{p\in B,\,q\in c\cup l} CONN(p,q) - \frac12\sum_{p,q\in B} CONN(p,q)},\quad
   B = \{p\in c : CONN(p,q)>0 \text{ for some } q\in l\}

I(c,l) is 0 where B is empty. The diagonal of CONN, which compression leaves, is kept out.

The what-if questions are all asked through a `Supposition`: the present partition with one category
elsewhere, or one cluster counted as another, or one more sample between two categories. Sums over
CONN are sums of whole numbers, hence exact in any order.
"""

from typing import NamedTuple

from .._jit import jit
from .._typing import Floats, Ints
from .links import Links


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
def value(k: int, intra: float, inter: float) -> float:
    """
    >>> value(2, 1.0, 0.5)
    0.375
    """
    return intra / k * (1.0 - inter / k)


@jit
def cluster_of(label: Ints, suppose: Supposition, p: int) -> int:
    """Cluster of category p under the supposition."""
    c = label[p]
    if p == suppose.moved:
        c = suppose.target
    if c == suppose.absorbed and suppose.into >= 0:
        c = suppose.into
    return c


@jit
def attachment(
    attach: Floats, label: Ints, between: Floats, suppose: Supposition, p: int, c: int
) -> float:
    """Sum of CONN(p, q) over the categories q of cluster c under the supposition.

    `attach` holds these sums for the cached partition, ``between[p]`` is CONN(p, moved).
    """
    total = attach[p, c]
    if suppose.into >= 0 and c == suppose.into:
        total += attach[p, suppose.absorbed]
    if suppose.moved >= 0:
        if c == label[suppose.moved]:
            total -= between[p]
        if c == suppose.target:
            total += between[p]
    if suppose.first >= 0:
        if p == suppose.first and c == label[suppose.second]:
            total += 1.0
        if p == suppose.second and c == label[suppose.first]:
            total += 1.0
    return total


@jit
def inter(
    links: Links,
    label: Ints,
    attach: Floats,
    between: Floats,
    categories: int,
    suppose: Supposition,
    c: int,
    other: int,
) -> float:
    """I(c, other) under the supposition."""
    numerator = 0.0
    denominator = 0.0
    for p in range(categories):
        if cluster_of(label, suppose, p) != c:
            continue
        outside = attachment(attach, label, between, suppose, p, other)
        if outside <= 0.0:
            continue
        numerator += outside
        denominator += outside + attachment(attach, label, between, suppose, p, c)
        # Both ends of a link inside the border are counted above; once is enough.
        at = links.head[p]
        while at >= 0:
            q = links.to[at]
            if (
                q != p
                and cluster_of(label, suppose, q) == c
                and attachment(attach, label, between, suppose, q, other) > 0.0
            ):
                denominator -= 0.5 * links.weight[at]
            at = links.following[at]
    if suppose.first >= 0 and numerator > 0.0:
        p, q = suppose.first, suppose.second
        if (
            cluster_of(label, suppose, p) == c
            and cluster_of(label, suppose, q) == c
            and attachment(attach, label, between, suppose, p, other) > 0.0
            and attachment(attach, label, between, suppose, q, other) > 0.0
        ):
            denominator -= 1.0
    if numerator == 0.0:
        return 0.0
    return numerator / denominator
