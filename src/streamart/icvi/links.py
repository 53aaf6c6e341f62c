"""CONN, the connectivity matrix: how often two categories were first and second winner together.

Most of its entries are zero, so each category has a chain of links in one shared pool. CONN is
symmetric, so links come in pairs, side by side: that from p to q and that from q to p, whose number
differs in the last bit (`back`). So neither has to be looked for when the other is known. Of a pair
on the diagonal, only one is in a chain. Pairs that are no longer needed form a chain of their own,
and are used first.
"""

import numpy as np

from .._jit import jit, jit_inline
from .._typing import Floats, Ints
from .state import LIVE, State


@jit_inline
def back(at: int) -> int:
    """The link the other way round."""
    return at ^ 1


@jit
def add_links(s: State, p: int, q: int, weight: float) -> None:
    """``CONN(p, q) += weight``, and CONN(q, p), which is the same if p = q."""
    at = s.cat[p]["head"]
    while at >= 0:
        if s.link[at]["to"] == q:
            s.link[at]["weight"] += weight
            s.link[back(at)]["weight"] += weight
            return
        at = s.link[at]["following"]
    at = s.now[0]["free_link"]
    if at >= 0:
        s.now[0]["free_link"] = s.link[at]["following"]
    else:
        at = s.now[0]["links"]
        s.now[0]["links"] = at + 2
    s.link[at]["to"], s.link[back(at)]["to"] = q, p
    s.link[at]["weight"], s.link[back(at)]["weight"] = weight, weight
    put_first(s, p, at)
    if p != q:
        put_first(s, q, back(at))


@jit
def put_first(s: State, p: int, at: int) -> None:
    """A link is the first in the chain of p now."""
    head = s.cat[p]["head"]
    s.link[at]["following"], s.link[at]["preceding"] = head, -1
    if head >= 0:
        s.link[head]["preceding"] = at
    s.cat[p]["head"] = at


@jit
def take_out(s: State, p: int, at: int) -> None:
    """A link is in the chain of p no more."""
    before, after = s.link[at]["preceding"], s.link[at]["following"]
    if before < 0:
        s.cat[p]["head"] = after
    else:
        s.link[before]["following"] = after
    if after >= 0:
        s.link[after]["preceding"] = before


@jit
def free_pair(s: State, at: int) -> None:
    """This link and the one back are nobody's."""
    first = min(at, back(at))
    s.link[first]["following"] = s.now[0]["free_link"]
    s.now[0]["free_link"] = first


@jit
def drop_links(s: State, p: int) -> None:
    """Category p is connected to no other any more."""
    at = s.cat[p]["head"]
    while at >= 0:
        after, q = s.link[at]["following"], s.link[at]["to"]
        if q != p:
            take_out(s, q, back(at))
        free_pair(s, at)
        at = after
    s.cat[p]["head"] = -1


@jit
def join_links(s: State, kept: int, gone: int) -> None:
    """Category `gone` becomes one with `kept`: what falls together is added up, diagonal included.

    What was between the two is then on the diagonal, once from either side. Only their own chains
    are walked, once each: those of categories with many samples are long.
    """
    link, inside = s.link, 0.0
    at = s.cat[gone]["head"]
    while at >= 0:
        s.cat[link[at]["to"]]["mark"] = -1
        at = link[at]["following"]
    at = s.cat[kept]["head"]
    while at >= 0:
        s.cat[link[at]["to"]]["mark"] = at  # the link from `kept` to it
        at = link[at]["following"]
    at = s.cat[gone]["head"]
    s.cat[gone]["head"] = -1
    while at >= 0:
        q, after = link[at]["to"], link[at]["following"]
        both = s.cat[q]["mark"]
        if q == gone:
            inside += link[at]["weight"]
            free_pair(s, at)
        elif q == kept:
            inside += link[at]["weight"] + link[back(at)]["weight"]
            take_out(s, kept, back(at))
            free_pair(s, at)
        elif both >= 0:
            link[both]["weight"] += link[at]["weight"]
            link[back(both)]["weight"] += link[back(at)]["weight"]
            take_out(s, q, back(at))
            free_pair(s, at)
        else:
            link[back(at)]["to"] = kept
            put_first(s, kept, at)
        at = after
    if inside > 0.0:
        add_links(s, kept, kept, inside)


def link_table(s: State) -> tuple[Ints, Ints, Floats]:
    """CONN as three columns (p, q, how often), sorted by p then q; categories in their order."""
    order = s.order[: int(s.now[0]["categories"])]
    place = np.empty(len(s.cat), dtype=np.int64)
    place[order] = np.arange(len(order))
    rows, columns, weights = [], [], []
    for row in order.tolist():
        at = s.cat[row]["head"]
        while at >= 0:
            rows.append(place[row])
            columns.append(place[s.link[at]["to"]])
            weights.append(s.link[at]["weight"])
            at = s.link[at]["following"]
    by_row = np.lexsort((columns, rows))
    return (
        np.array(rows, dtype=np.int64)[by_row],
        np.array(columns, dtype=np.int64)[by_row],
        np.array(weights, dtype=np.float64)[by_row],
    )


@jit
def is_linked(s: State, w: int, p: int, cluster: int) -> bool:
    """Is category p connected to some category of this cluster?"""
    at = s.cat[p]["head"]
    while at >= 0:
        if s.label[w, s.link[at]["to"]] == cluster:
            return True
        at = s.link[at]["following"]
    return False


@jit
def next_connected(s: State, at: int, home: int, last: int) -> tuple[int, int]:
    """The next cluster that a chain leads to, from link `at` on, but these two; -1 if none.

    And the link after that. `last` is the one before, which mostly comes several times.
    """
    while at >= 0:
        c = s.label[LIVE, s.link[at]["to"]]
        at = s.link[at]["following"]
        if c not in (home, last):
            return c, at
    return -1, -1
