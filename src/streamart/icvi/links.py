"""CONN, as a list of links for each category: memory for the links that there are, not for pairs.

A link has two ends, the rows 2l and 2l + 1 of `State.link`. Each end is in the list of one category
(``cat["links"]`` is the first row of it, ``next`` the next one) and names the ``other``. What was
between categories that have become one is a link of a category with itself, both ends in its list.
Rows of links that are gone are a list of their own (``now["free_link"]``), with weight 0.
"""

from collections.abc import Iterator

from .._jit import NONE, jit, jit_entry
from .._typing import Ints
from .state import State


@jit
def links_of(s: State, p: int) -> Iterator[int]:
    """The rows of the list of category p, while no link of it goes."""
    row, link = s.cat[p]["links"], s.link
    # Ends: a list has an end.
    while row >= 0:
        yield row
        row = link[row]["next"]


@jit
def link_between(s: State, p: int, q: int) -> int:
    """The first end in the list of p that names q, -1 for none."""
    for row in links_of(s, p):
        if s.link[row]["other"] == q:
            return row
    return NONE


@jit
def is_linked(s: State, w: int, p: int, c: int) -> bool:
    """Is category p linked to another one that is in cluster c?"""
    for row in links_of(s, p):
        q = s.link[row]["other"]
        if q != p and s.label[w, q] == c:
            return True
    return False


@jit
def has_room_for_links(s: State, count: int) -> bool:
    return s.now[0]["links"] + 2 * count <= s.link.shape[0]


@jit
def add_link(s: State, p: int, q: int, weight: float) -> None:
    """Categories p and q were first and second winner; a link of weight 0 is none."""
    row = link_between(s, p, q)
    if row < 0:
        row = s.now[0]["free_link"]
        if row >= 0:
            s.now[0]["free_link"] = s.link[row]["next"]
        else:
            row = s.now[0]["links"]
            s.now[0]["links"] = row + 2
        begin_link(s, row, p, q)
        begin_link(s, row + 1, q, p)
    s.link[row]["weight"] += weight
    s.link[row ^ 1]["weight"] += weight
    if s.link[row]["weight"] == 0.0:
        drop_link(s, row)


@jit
def begin_link(s: State, row: int, owner: int, other: int) -> None:
    """An end that comes first in the list of its category."""
    s.link[row]["other"] = other
    s.link[row]["weight"] = 0.0
    s.link[row]["next"] = s.cat[owner]["links"]
    s.cat[owner]["links"] = row


@jit
def drop_link(s: State, row: int) -> None:
    """A link that is no more; `row` is either end."""
    row -= row & 1
    take_out(s, row, s.link[row + 1]["other"])
    take_out(s, row + 1, s.link[row]["other"])
    s.link[row]["weight"] = 0.0
    s.link[row + 1]["weight"] = 0.0
    s.link[row]["next"] = s.now[0]["free_link"]
    s.now[0]["free_link"] = row


@jit
def take_out(s: State, row: int, owner: int) -> None:
    """An end leaves the list of its category."""
    before = s.cat[owner]["links"]
    if before == row:
        s.cat[owner]["links"] = s.link[row]["next"]
        return
    # Ends: the row is in the list.
    while s.link[before]["next"] != row:
        before = s.link[before]["next"]
    s.link[before]["next"] = s.link[row]["next"]


@jit
def drop_links(s: State, p: int) -> None:
    """Category p is about to go."""
    # Ends: each round has one link less.
    while s.cat[p]["links"] >= 0:
        drop_link(s, s.cat[p]["links"])


@jit
def rename_links(s: State, p: int, name: int) -> int:
    """The links of category p name it so from now on; returns the last row of its list, or -1."""
    last = NONE
    for row in links_of(s, p):
        s.link[row ^ 1]["other"] = name
        last = row
    return last


@jit
def join_links(s: State, kept: int, gone: int) -> None:
    """Two categories become one: links to the same others are added up."""
    last = rename_links(s, gone, kept)
    if last < 0:
        return
    s.link[last]["next"] = s.cat[kept]["links"]
    s.cat[kept]["links"] = s.cat[gone]["links"]
    s.cat[gone]["links"] = -1
    row = s.cat[kept]["links"]
    # Ends: a list has an end.
    while row >= 0:
        following = s.link[row]["next"]
        first = link_between(s, kept, s.link[row]["other"])
        if first not in (row, row ^ 1):
            if following == row ^ 1:
                following = s.link[following]["next"]
            s.link[first]["weight"] += s.link[row]["weight"]
            s.link[first ^ 1]["weight"] += s.link[row]["weight"]
            drop_link(s, row)
        row = following


@jit_entry
def link_anew(s: State, first: Ints, second: Ints) -> None:
    """No links but these, each of weight 1."""
    for p in range(s.now[0]["categories"]):
        drop_links(s, p)
    for i in range(first.shape[0]):
        add_link(s, first[i], second[i], 1.0)
