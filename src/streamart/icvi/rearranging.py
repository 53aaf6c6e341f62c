"""What changes a partition: clusters open, close and merge, categories move; all is rebuilt."""

import math

import numpy as np

from .._jit import jit
from .._typing import Floats
from .compare import SLACK
from .cost_bounds import (
    NO_BOUNDS,
    forget_cheapest,
    write_bounds,
)
from .debts import note_merger, owe
from .footprints import (
    assign,
    compactness_without,
    merge_into,
    move_towards,
)
from .hints import free_cluster, inherit_apart
from .journal import note_move
from .partition import (
    STEWART_UPDATES,
    copy_cluster,
    distances_of_category,
    distances_of_cluster,
    measure_cluster,
    measure_pairs,
    sum_up,
)
from .registry import PBM, XB
from .state import DISTANCE, FROM_X, LIVE, MEAN, PAIR, UNKNOWN, State
from .tops import forget_top, has_pair_matrix
from .weighing import (
    ALL_LINKED,
    disturb_by,
    forget_moves,
    stays_calm,
    unsettle,
    unsettle_by,
)


@jit
def gather_footprint(s: State, w: int, c: int) -> None:
    """Footprint of cluster c as the merger of its categories'.

    Taking a part away by the formula would leave the rounding errors of the larger cluster in the
    smaller one; adding up does not.
    """
    s.clu[w, c]["n"] = 0
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if s.label[w, p] == c:
            merge_into(s.clu[w, c], s.mean[w, c], s.cat[p]["n"], s.cat[p]["cp"], s.box[MEAN, p])


@jit
def take_away(s: State, w: int, c: int, p: int) -> None:
    """Footprint of cluster c without category p, which has left it and whose `from_x` is known.

    Where p is a small part of it, subtraction loses no more than any sample does that is added.
    XB, which splits and swaps all the time, does without adding up for so many times.
    """
    cluster, n = s.clu[w, c], s.cat[p]["n"]
    rest = compactness_without(cluster["n"], cluster["cp"], n, s.cat[p]["cp"], s.each[FROM_X, c])
    cluster["taken"] += 1
    small = 2 * n <= cluster["n"] and rest >= 0.5 * cluster["cp"]
    if s.family == XB and s.params[0]["prove"] == 1 and small:
        if cluster["taken"] <= STEWART_UPDATES:
            move_towards(s.mean[w, c], s.box[MEAN, p], -n / float(cluster["n"] - n))
            cluster["n"] -= n
            cluster["cp"] = rest
            return
    cluster["taken"] = 0
    gather_footprint(s, w, c)


@jit
def open_cluster(s: State, attach: Floats | None, w: int) -> int:
    """A new, empty cluster in the last place."""
    c = s.now[w]["k"]
    s.now[w]["k"] = c + 1
    s.clu[w, c]["size"] = 0
    s.clu[w, c]["n"] = 0
    s.clu[w, c]["cp"] = 0.0
    s.clu[w, c]["inside"] = 0.0
    s.each[FROM_X, c] = 0.0
    s.clu[w, c]["updates"] = 0
    s.clu[w, c]["taken"] = 0
    s.clu[w, c]["anchor"] = 0.0
    if w == LIVE:
        s.now[0]["era"] += 1
        s.clu[w, c]["born"] = s.now[0]["era"]
    write_bounds(s, w, c, NO_BOUNDS)
    free_cluster(s, w, c)
    if attach is not None:
        for place in range(s.now[0]["categories"]):
            p = s.order[place]
            attach[w, p, c] = 0.0
    return c


@jit
def close_gap(row: Floats, gone: int, last: int) -> None:
    """What comes after place `gone` moves up by one, until it is in place `last`."""
    for c in range(np.uint64(gone), np.uint64(last)):
        row[c] = row[c + np.uint64(1)]


@jit
def copy_without(source: Floats, gone: int, last: int, target: Floats) -> None:
    """The same into another row."""
    for c in range(gone):
        target[c] = source[c]
    for c in range(np.uint64(gone), np.uint64(last)):
        target[c] = source[c + np.uint64(1)]


@jit
def close_cluster(s: State, top: Floats | None, attach: Floats | None, w: int, gone: int) -> None:
    """Cluster `gone` has no category left: later clusters move up by one place."""
    last = s.now[w]["k"] - 1
    s.now[w]["k"] = last
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if s.label[w, p] > gone:
            s.label[w, p] -= 1
        if attach is not None:
            for c in range(gone, last):
                attach[w, p, c] = attach[w, p, c + 1]
    for c in range(gone, last):
        copy_cluster(s, w, c + 1, w, c)
        if top is not None:
            assign(top[w, c], top[w, c + 1])
    for kind in range(s.matrix.shape[1]):
        rows = last if kind != PAIR or has_pair_matrix(s) else 0
        for row in range(min(gone, rows)):
            close_gap(s.matrix[w, kind, row], gone, last)
        for row in range(gone, rows):
            copy_without(s.matrix[w, kind, row + 1], gone, last, s.matrix[w, kind, row])
    for c in range(last):
        near = s.clu[w, c]["near"]
        if near >= gone:
            s.clu[w, c]["near"] = -1 if near == gone else near - 1
        rival = s.clu[w, c]["rival"]
        if rival >= gone:
            s.clu[w, c]["rival"] = -1 if rival == gone else rival - 1
        if s.clu[w, c]["cheapest"] == gone:
            forget_cheapest(s.clu[w, c])
        elif s.clu[w, c]["cheapest"] > gone:
            s.clu[w, c]["cheapest"] -= 1
        if top is not None:
            forget_top(s, top, w, c, gone)


@jit
def put_last(s: State, c: int) -> None:
    """Cluster c of the live partition is the last one from now on (CH, WB)."""
    last = s.now[LIVE]["k"]
    s.now[LIVE]["k"] = last + 1
    s.now[0]["away"] = -1  # which has the old places
    copy_cluster(s, LIVE, c, LIVE, last)
    for other in range(last):
        for kind in range(s.matrix.shape[1]):
            s.matrix[LIVE, kind, last, other] = s.matrix[LIVE, kind, c, other]
            s.matrix[LIVE, kind, other, last] = s.matrix[LIVE, kind, other, c]
        if s.clu[LIVE, other]["cheapest"] == c:
            s.clu[LIVE, other]["cheapest"] = last
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if s.label[LIVE, p] == c:
            s.label[LIVE, p] = last
    close_cluster(s, None, None, LIVE, c)


@jit
def merge_clusters(
    s: State, top: Floats | None, attach: Floats | None, w: int, i: int, j: int
) -> None:
    """Cluster j joins cluster i < j, which keeps its place."""
    if w == LIVE:
        note_merger(s, i, j)
    share, newcomer = share_of(s, s.clu[w, j]["n"], s.clu[w, i]["n"]), -1
    step = share * math.sqrt(s.matrix[w, DISTANCE, i, j])
    lone = s.clu[w, j]["size"] == 1
    s.clu[w, i]["updates"] = max(s.clu[w, i]["updates"], s.clu[w, j]["updates"])
    s.clu[w, i]["taken"] += s.clu[w, j]["taken"]
    merge_into(s.clu[w, i], s.mean[w, i], s.clu[w, j]["n"], s.clu[w, j]["cp"], s.mean[w, j])
    s.clu[w, i]["size"] += s.clu[w, j]["size"]
    inherit_apart(s, w, i, j)
    if attach is None:
        distances_of_cluster(s, w, j)
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if s.label[w, p] == j:
            s.label[w, p] = i
            newcomer = p
            if w == LIVE:
                note_move(s, p)
        if attach is not None:
            attach[w, p, i] += attach[w, p, j]
    close_cluster(s, top, attach, w, j)
    measure_pairs(s, top, attach, w, i, share)
    if not (lone and takes_in(s, top, w, i, newcomer, step)):
        unsettle(s, w, i)
    sum_up(s, top, attach, w)


@jit
def takes_in(s: State, top: Floats | None, w: int, c: int, p: int, step: float) -> bool:
    """CH, WB: is cluster c calm, which category p has joined by itself? (`weighing`)

    Its mean has moved by so much. PBM, XB: what is noted of the moves of others holds.
    """
    if w != LIVE or step == 0.0 or s.clu[w, c]["size"] == 2:
        return False
    if top is None:
        return stays_calm(s, c, p, ALL_LINKED, step)
    if s.family != PBM and s.family != XB:
        return False
    note_joining(s, c, p, step)
    return True


@jit
def note_joining(s: State, c: int, p: int, step: float) -> None:
    """PBM, XB: category p has joined cluster c by itself. Those connected to p may go there now."""
    disturb_by(s, LIVE, c, p, step)
    s.now[0]["stray"] += step * (1.0 + SLACK)
    forget_moves(s, p)
    at = s.cat[p]["head"]
    while at >= 0:
        q = s.link[at]["to"]
        if s.label[LIVE, q] != c:
            forget_moves(s, q)
        at = s.link[at]["following"]


@jit
def share_of(s: State, n: int, others: int) -> float:
    """How far a mean of so many others moves towards n that join; 0 if that is not to be used."""
    return float(n) / float(others + n) if s.params[0]["prove"] == 1 else 0.0


@jit
def move_category(
    s: State, top: Floats | None, attach: Floats | None, w: int, p: int, target: int
) -> None:
    """Category p goes to cluster `target`; a cluster that loses its last category disappears.

    ``target == k`` opens a cluster for it.
    """
    if w == LIVE:
        note_move(s, p)
        s.cat[p]["loss"] = UNKNOWN
        owe(s, p, target)
    home, n, fresh, calm = s.label[w, p], s.cat[p]["n"], target == s.now[w]["k"], False
    step = -1.0
    if fresh and attach is not None:
        open_cluster(s, attach, w)
    s.label[w, p] = target
    s.clu[w, home]["size"] -= 1
    if attach is not None:
        move_attachment(s, attach, w, p, home, target)
    if s.clu[w, home]["size"] == 0:
        s.clu[w, target]["updates"] = max(s.clu[w, target]["updates"], s.clu[w, home]["updates"])
        share = share_of(s, n, s.clu[w, target]["n"])
        step = share * math.sqrt(s.matrix[w, DISTANCE, home, target])
        if attach is None:
            distances_of_cluster(s, w, home)
        s.clu[w, target]["size"] += 1
        merge_into(s.clu[w, target], s.mean[w, target], n, s.cat[p]["cp"], s.box[MEAN, p])
        close_cluster(s, top, attach, w, home)
        if target > home:
            target -= 1
        calm = takes_in(s, top, w, target, p, step)
    else:
        if attach is None:
            distances_of_category(s, w, p)
        away = share_of(s, n, s.clu[w, home]["n"] - 2 * n)  # n / (n_home - n)
        if attach is None:
            take_away(s, w, home, p)
        else:
            gather_footprint(s, w, home)
        if attach is None:  # while `target` is still where its distances say
            unsettle_by(s, w, home, -1, away * math.sqrt(s.each[FROM_X, home]))
            measure_pairs(s, top, attach, w, home, -away)
            s.each[FROM_X, home] *= (1.0 + away) * (1.0 + away)
            if fresh:
                open_cluster(s, attach, w)
        share = share_of(s, n, s.clu[w, target]["n"])
        if attach is None:
            step = share * math.sqrt(s.each[FROM_X, target])
        s.clu[w, target]["size"] += 1
        merge_into(s.clu[w, target], s.mean[w, target], n, s.cat[p]["cp"], s.box[MEAN, p])
        if attach is not None:
            measure_cluster(s, top, attach, w, home, 0.0)
    measure_pairs(s, top, attach, w, target, share)
    if not calm:
        unsettle_by(s, w, target, p, step)
    sum_up(s, top, attach, w)


@jit
def move_attachment(s: State, attach: Floats, w: int, p: int, home: int, target: int) -> None:
    """What other categories have of CONN with p, they have with another cluster now."""
    at = s.cat[p]["head"]
    while at >= 0:
        q = s.link[at]["to"]
        if q != p:
            attach[w, q, home] -= s.link[at]["weight"]
            attach[w, q, target] += s.link[at]["weight"]
        at = s.link[at]["following"]


@jit
def rebuild(s: State, top: Floats | None, attach: Floats | None, w: int) -> None:
    """All caches from the labels and the categories."""
    k = s.now[w]["k"]
    if w == LIVE:
        s.now[0]["anchors"] = 0
    for c in range(k):
        s.clu[w, c]["size"] = 0
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        s.clu[w, s.label[w, p]]["size"] += 1
        if attach is not None:
            for c in range(k):
                attach[w, p, c] = 0.0
            at = s.cat[p]["head"]
            while at >= 0:
                q = s.link[at]["to"]
                if q != p:
                    attach[w, p, s.label[w, q]] += s.link[at]["weight"]
                at = s.link[at]["following"]
    for c in range(k):
        gather_footprint(s, w, c)
    for c in range(k):
        measure_cluster(s, top, attach, w, c, 0.0)
    sum_up(s, top, attach, w)
