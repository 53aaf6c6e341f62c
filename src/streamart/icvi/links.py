"""CONN, the connectivity matrix: how often two categories were first and second winner together.

Most of its entries are zero, so each category has a chain of links in one shared pool. A merger of
categories can only shorten chains; the pool grows by two links a sample at most.
"""

import numpy as np

from .._jit import jit
from .._typing import Floats, Ints
from .state import State


@jit
def add_link(s: State, p: int, q: int, weight: float) -> None:
    """``CONN(p, q) += weight``, one direction."""
    at = s.cat[p]["head"]
    while at >= 0:
        if s.link[at]["to"] == q:
            s.link[at]["weight"] += weight
            return
        at = s.link[at]["following"]
    at = s.now[0]["links"]
    s.now[0]["links"] = at + 1
    s.link[at]["to"] = q
    s.link[at]["weight"] = weight
    s.link[at]["following"] = s.cat[p]["head"]
    s.cat[p]["head"] = at


@jit
def relabel_links(s: State, before: int) -> None:
    """Category p becomes ``s.cat[p]["mark"]``; what falls together is added up, diagonal included.

    The links are read from the end of the chains they are in and written again from the front of
    the pool. Each is first turned into (from, to): `following` is free once its chain is read.
    """
    for p in range(before):
        at = s.cat[p]["head"]
        while at >= 0:
            after = s.link[at]["following"]
            s.link[at]["following"] = s.cat[p]["mark"]
            s.link[at]["to"] = s.cat[s.link[at]["to"]]["mark"]
            at = after
        s.cat[p]["head"] = -1
    used = s.now[0]["links"]
    s.now[0]["links"] = 0
    for e in range(used):  # writes at or before e, reads at e
        add_link(s, s.link[e]["following"], s.link[e]["to"], s.link[e]["weight"])


def link_table(s: State) -> tuple[Ints, Ints, Floats]:
    """CONN as three columns (p, q, how often), sorted by p then q."""
    used = int(s.now[0]["links"])
    rows = np.zeros(used, dtype=np.int64)
    for p in range(int(s.now[0]["categories"])):
        at = s.cat[p]["head"]
        while at >= 0:
            rows[at] = p
            at = s.link[at]["following"]
    columns, weights = s.link["to"][:used], s.link["weight"][:used]
    order = np.lexsort((columns, rows))
    return rows[order], columns[order], weights[order]
