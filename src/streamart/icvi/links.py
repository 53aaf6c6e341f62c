"""CONN, the connectivity matrix: how often two categories were first and second winner together.

Most of its entries are zero, so each category keeps a chain of links in one shared pool. A merger of
categories can only shorten chains; the pool grows by two links a sample at most.
"""

from typing import NamedTuple

import numpy as np

from .._jit import jit
from .._typing import Floats, Ints


class Links(NamedTuple):
    """Chains of links: ``head[p]`` is the first link of category p, ``following`` the next one."""

    head: Ints
    to: Ints
    following: Ints
    weight: Floats
    used: Ints  # one element: links in use


def allocate_links(categories: int, links: int) -> Links:
    return Links(
        head=np.full(categories, -1, dtype=np.int64),
        to=np.zeros(links, dtype=np.int64),
        following=np.full(links, -1, dtype=np.int64),
        weight=np.zeros(links),
        used=np.zeros(1, dtype=np.int64),
    )


@jit
def add_link(links: Links, p: int, q: int, weight: float) -> None:
    """``CONN(p, q) += weight``, one direction."""
    at = links.head[p]
    while at >= 0:
        if links.to[at] == q:
            links.weight[at] += weight
            return
        at = links.following[at]
    at = links.used[0]
    links.used[0] = at + 1
    links.to[at] = q
    links.weight[at] = weight
    links.following[at] = links.head[p]
    links.head[p] = at


@jit
def connect(links: Links, p: int, q: int) -> None:
    """One more sample whose winners were p and q (Eqs. CONN_ij and CONN_ji)."""
    add_link(links, p, q, 1.0)
    add_link(links, q, p, 1.0)


@jit
def relabel_links(links: Links, place: Ints, before: int) -> None:
    """Category p becomes ``place[p]``; what falls together is added up, on the diagonal too."""
    used = links.used[0]
    source = np.empty(used, dtype=np.int64)
    target = np.empty(used, dtype=np.int64)
    weight = np.empty(used)
    filled = 0
    for p in range(before):
        at = links.head[p]
        while at >= 0:
            source[filled] = place[p]
            target[filled] = place[links.to[at]]
            weight[filled] = links.weight[at]
            filled += 1
            at = links.following[at]
        links.head[p] = -1
    links.used[0] = 0
    for e in range(filled):
        add_link(links, source[e], target[e], weight[e])


def link_table(links: Links, categories: int) -> tuple[Ints, Ints, Floats]:
    """CONN as three columns (p, q, how often), sorted by p then q."""
    rows, columns, weights = [], [], []
    for p in range(categories):
        at = int(links.head[p])
        while at >= 0:
            rows.append(p)
            columns.append(int(links.to[at]))
            weights.append(float(links.weight[at]))
            at = int(links.following[at])
    order = np.lexsort((columns, rows))
    return (
        np.array(rows, dtype=np.int64)[order],
        np.array(columns, dtype=np.int64)[order],
        np.array(weights, dtype=np.float64)[order],
    )
