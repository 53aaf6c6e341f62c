"""CONN, the connectivity matrix: how often two categories were first and second winner together.

Most of its entries are zero, so each category has a chain of links in one shared pool. Links that
are no longer needed form a chain of their own, and are used first.
"""

import numpy as np

from .._jit import jit
from .._typing import Floats, Ints
from .state import LIVE, State


@jit
def add_link(s: State, p: int, q: int, weight: float) -> None:
    """``CONN(p, q) += weight``, one direction."""
    at = s.cat[p]["head"]
    while at >= 0:
        if s.link[at]["to"] == q:
            s.link[at]["weight"] += weight
            return
        at = s.link[at]["following"]
    at = s.now[0]["free_link"]
    if at >= 0:
        s.now[0]["free_link"] = s.link[at]["following"]
    else:
        at = s.now[0]["links"]
        s.now[0]["links"] = at + 1
    s.link[at]["to"] = q
    s.link[at]["weight"] = weight
    s.link[at]["following"] = s.cat[p]["head"]
    s.cat[p]["head"] = at


@jit
def free_link(s: State, at: int) -> None:
    s.link[at]["following"] = s.now[0]["free_link"]
    s.now[0]["free_link"] = at


@jit
def unlink(s: State, p: int, before: int, at: int) -> float:
    """Takes link `at` out of the chain of p, in which it follows `before`; what weight it had."""
    if before < 0:
        s.cat[p]["head"] = s.link[at]["following"]
    else:
        s.link[before]["following"] = s.link[at]["following"]
    free_link(s, at)
    return float(s.link[at]["weight"])


@jit
def remove_link(s: State, p: int, q: int) -> None:
    """Takes CONN(p, q) away, one direction."""
    before, at = -1, s.cat[p]["head"]
    while at >= 0 and s.link[at]["to"] != q:
        before, at = at, s.link[at]["following"]
    if at >= 0:
        unlink(s, p, before, at)


@jit
def join_links(s: State, kept: int, gone: int) -> None:
    """Category `gone` becomes one with `kept`: what falls together is added up, diagonal included.

    What was between the two is then on the diagonal, once from either side. Each chain is walked
    once: those of categories with many samples are long.
    """
    link, inside = s.link, 0.0
    at = s.cat[gone]["head"]
    while at >= 0:
        s.cat[link[at]["to"]]["mark"] = -1
        at = link[at]["following"]
    before, at = -1, s.cat[kept]["head"]
    while at >= 0:
        after = link[at]["following"]
        if link[at]["to"] == gone:
            inside += unlink(s, kept, before, at)
        else:
            s.cat[link[at]["to"]]["mark"] = at
            before = at
        at = after
    at = s.cat[gone]["head"]
    s.cat[gone]["head"] = -1
    while at >= 0:
        q, weight, after = link[at]["to"], link[at]["weight"], link[at]["following"]
        if q in (kept, gone):
            inside += weight
            free_link(s, at)
        else:
            redirect(s, q, kept, gone, s.cat[q]["mark"] >= 0)
            if s.cat[q]["mark"] >= 0:
                link[s.cat[q]["mark"]]["weight"] += weight
                free_link(s, at)
            else:
                link[at]["following"] = s.cat[kept]["head"]
                s.cat[kept]["head"] = at
        at = after
    if inside > 0.0:
        add_link(s, kept, kept, inside)


@jit
def redirect(s: State, q: int, kept: int, gone: int, both: bool) -> None:
    """What category q has with `gone`, it has with `kept`; `both`: it has links with both."""
    link, to_kept, to_gone, before_gone, before = s.link, -1, -1, -1, -1
    at = s.cat[q]["head"]
    while to_gone < 0 or (both and to_kept < 0):
        if link[at]["to"] == gone:
            to_gone, before_gone = at, before
        elif link[at]["to"] == kept:
            to_kept = at
        before, at = at, link[at]["following"]
    if not both:
        link[to_gone]["to"] = kept
    else:
        link[to_kept]["weight"] += unlink(s, q, before_gone, to_gone)


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
