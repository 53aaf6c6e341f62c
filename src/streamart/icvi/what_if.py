"""What would the index be if ...: the questions that module B and the strategies ask.

A sample added to a cluster; two clusters merged; a category moved, or split off. The partition is
not changed; the cost is that of what would change. All answers are `goodness`: larger is better.

Every question changes at most two clusters, here called a and b (-1 for none). The distance to a
mean that moves on a line between two others follows from Stewart's theorem; where that formula
cancels, the distance is computed from the means instead, so that an answer is as good as a fresh
computation.
"""

import math

from .._jit import jit
from .._typing import Floats
from . import bounds, graph
from .compare import SLACK, better
from .family import code_of
from .footprints import (
    CANCELS,
    assign,
    compactness_without,
    mean_with,
    mean_without,
    on_the_line,
    squared_distance,
)
from .foreseen import measure_sample
from .graph import Supposition
from .partition import distances_of_category, spread
from .registry import CONN, DB, goodness, pair_quantity
from .state import (
    DISTANCE,
    FROM_X,
    LIVE,
    MEAN,
    MEAN_A,
    MEAN_ALL,
    MEAN_B,
    VALUE,
    WITH_A,
    WITH_B,
    State,
)
from .tops import survey

# ------------------------------------------------------------------ a sample joins a cluster


@jit
def if_sample_added(s: State, top: Floats | None, x: Floats) -> float:
    """For every cluster, how good the partition would be if x were in it: ``each[VALUE]``.

    Returns the greatest.

    For the SS indices. CH and WB answer with minus the growth of WGSS, which orders clusters the
    same way and keeps its digits however long the stream is. Of the others, a cluster that is
    proven not to be the best may be given a bound instead of its value; those that x is kept out
    of do not count.
    """
    k, clu, best = s.now[LIVE]["k"], s.clu[LIVE], measure_sample(s, x)
    if top is None:
        return best
    may_be_barred = s.now[0]["group"] >= 0
    nearest = _nearest_allowed(s, may_be_barred)
    samples = s.now[0]["n"] + 1.0
    scatter = s.now[0]["cp"] + s.now[0]["n"] / samples * squared_distance(x, s.feature[MEAN_ALL])
    peak, total = bounds.survey_tops(s, top)
    best = _if_added(s, top, x, nearest, samples, scatter)
    s.each[VALUE, nearest] = best
    most, near = bounds.growth_that_loses(s, best, samples, peak), peak * (1.0 + SLACK)
    for c in range(k):
        if c == nearest or (may_be_barred and clu[c]["barred"] == 1):
            continue
        if -s.each[VALUE, c] > most and top[LIVE, c, 0] < near:
            s.each[VALUE, c] = (s.now[LIVE]["within"] - s.each[VALUE, c]) / (samples * peak)
        else:
            value = bounds.if_added(s, top, c, samples, scatter, peak, total)
            if not bounds.rules_out(s, value, best):
                value = _if_added(s, top, x, c, samples, scatter)
                if better(value, best):
                    best = value
            s.each[VALUE, c] = value
    return best


@jit
def _spread_of(s: State, w: int, c: int, scatter: float) -> float:
    """CP/n of a cluster, where the index needs it."""
    if s.family != DB:
        return 0.0
    return spread(s.clu[w, c]["n"], s.clu[w, c]["cp"], scatter)


@jit
def _nearest_allowed(s: State, may_be_barred: bool) -> int:
    """The cluster to which x adds least, of those that a person does not keep it out of."""
    nearest, best = 0, -math.inf
    for c in range(s.now[LIVE]["k"]):
        if s.each[VALUE, c] > best and not (may_be_barred and s.clu[LIVE, c]["barred"] == 1):
            nearest, best = c, s.each[VALUE, c]
    return nearest


@jit
def _if_added(s: State, top: Floats, x: Floats, c: int, samples: float, scatter: float) -> float:
    """How good the partition would be if x were in cluster c; `from_x` is known."""
    code, k, clu = code_of(s), s.now[LIVE]["k"], s.clu[LIVE]
    share = 1.0 / (clu[c]["n"] + 1.0)
    growth = clu[c]["n"] * share * s.each[FROM_X, c]
    own = spread(clu[c]["n"] + 1, clu[c]["cp"] + growth, scatter)
    peak = -math.inf
    mean_known = False
    for other in range(k):
        if other == c:
            continue
        distance = on_the_line(
            share, s.matrix[LIVE, DISTANCE, c, other], s.each[FROM_X, other], s.each[FROM_X, c]
        )
        if math.isnan(distance):
            if not mean_known:
                mean_with(s.mean[LIVE, c], clu[c]["n"], x, 1, s.feature[MEAN_A])
                mean_known = True
            distance = squared_distance(s.feature[MEAN_A], s.mean[LIVE, other])
        theirs = _spread_of(s, LIVE, other, scatter)
        quantity = pair_quantity(code, distance, own, theirs, scatter, samples)
        s.each[WITH_A, other] = quantity
        peak = max(peak, quantity)
    peak, total = survey(s, top, LIVE, c, -1, peak, math.nan)
    within = s.now[LIVE]["within"] + growth
    return goodness(code, k, samples, within, scatter, peak, total, 0.0)


# ------------------------------------------------------------------ two clusters merge


@jit
def if_merged(s: State, top: Floats | None, attach: Floats | None, w: int, i: int, j: int) -> float:
    """How good the partition would be with clusters i and j as one."""
    code, k, clu = code_of(s), s.now[w]["k"], s.clu[w]
    if top is not None and attach is not None:
        return _if_merged_conn(s, top, attach, w, i, j)
    samples, scatter = float(s.now[0]["n"]), s.now[0]["cp"]
    together = clu[i]["n"] + clu[j]["n"]
    share = clu[j]["n"] / together
    gap = s.matrix[w, DISTANCE, i, j]
    cost = clu[i]["n"] * share * gap
    within = s.now[w]["within"] + cost
    if top is None:
        return goodness(code, k - 1, samples, within, scatter, 0.0, 0.0, 0.0)
    own = spread(together, clu[i]["cp"] + clu[j]["cp"] + cost, scatter)
    peak = -math.inf
    mean_known = False
    for other in range(k):
        if other in (i, j):
            continue
        distance = on_the_line(
            share, s.matrix[w, DISTANCE, i, other], s.matrix[w, DISTANCE, j, other], gap
        )
        if math.isnan(distance):
            if not mean_known:
                mean_with(s.mean[w, i], clu[i]["n"], s.mean[w, j], clu[j]["n"], s.feature[MEAN_A])
                mean_known = True
            distance = squared_distance(s.feature[MEAN_A], s.mean[w, other])
        theirs = _spread_of(s, w, other, scatter)
        quantity = pair_quantity(code, distance, own, theirs, scatter, samples)
        s.each[WITH_A, other] = quantity
        peak = max(peak, quantity)
    peak, total = survey(s, top, w, i, j, peak, math.nan)
    return goodness(code, k - 1, samples, within, scatter, peak, total, 0.0)


# ------------------------------------------------------------------ a category changes cluster


@jit
def if_moved(
    s: State, top: Floats | None, attach: Floats | None, w: int, p: int, target: int
) -> float:
    """How good the partition would be with category p in cluster `target`.

    ``target == k`` asks for a new cluster of its own (split off); a cluster that would lose its
    only category would be gone.
    """
    if top is not None and attach is not None:
        return _if_moved_conn(s, top, attach, w, p, target)
    measure_category(s, w, p)
    return if_measured_moved(s, top, w, p, target)


@jit
def measure_category(s: State, w: int, p: int) -> None:
    """``from_x`` = distance of the mean of category p from all clusters."""
    home = s.label[w, p]
    if s.clu[w, home]["size"] > 1 or s.params[0]["prove"] == 0:
        distances_of_category(s, w, p)
        return
    for c in range(s.now[w]["k"]):
        s.each[FROM_X, c] = s.matrix[w, DISTANCE, home, c] if c != home else 0.0


@jit
def measure_category_from(s: State, w: int, p: int, target: int) -> None:
    """The same from the two clusters alone that a move would change."""
    home = s.label[w, p]
    if s.clu[w, home]["size"] == 1 and s.params[0]["prove"] == 1:
        s.each[FROM_X, target] = s.matrix[w, DISTANCE, home, target]
        return
    for c in (home, target):
        s.each[FROM_X, c] = squared_distance(s.box[MEAN, p], s.mean[w, c])


@jit
def if_measured_moved(s: State, top: Floats | None, w: int, p: int, target: int) -> float:
    """The same of a category whose distances are known, for the SS indices."""
    code, k, clu, cat = code_of(s), s.now[w]["k"], s.clu[w], s.cat[p]
    samples, scatter = float(s.now[0]["n"]), s.now[0]["cp"]
    home = s.label[w, p]
    alone, fresh = clu[home]["size"] == 1, target == k
    n_home, n_target = clu[home]["n"] - cat["n"], cat["n"]
    cp_home, cp_target = 0.0, cat["cp"]
    within = s.now[w]["within"] - clu[home]["cp"]
    if not alone:
        offset = s.each[FROM_X, home]
        cp_home = compactness_without(clu[home]["n"], clu[home]["cp"], cat["n"], cat["cp"], offset)
        if cp_home < CANCELS * clu[home]["cp"]:
            cp_home = _compactness_of_rest(s, w, p)
    if not fresh:
        n_target += clu[target]["n"]
        offset = s.each[FROM_X, target]
        cp_target += clu[target]["cp"] + clu[target]["n"] * cat["n"] / n_target * offset
        within -= clu[target]["cp"]
    within += cp_home + cp_target
    clusters = k - (1 if alone else 0) + (1 if fresh else 0)
    if top is None:
        return goodness(code, clusters, samples, within, scatter, 0.0, 0.0, 0.0)

    # The means that home (a) and target (b) would have, for where Stewart's theorem does not do.
    mean_a, mean_b = s.feature[MEAN_A], s.feature[MEAN_B]
    spread_home, spread_target = 0.0, spread(n_target, cp_target, scatter)
    away, share = 0.0, cat["n"] / float(n_target)
    if not alone:
        spread_home = spread(n_home, cp_home, scatter)
        away = cat["n"] / float(n_home)
        mean_without(s.mean[w, home], clu[home]["n"], s.box[MEAN, p], cat["n"], mean_a)
    if fresh:
        assign(mean_b, s.box[MEAN, p])
    else:
        mean_with(s.mean[w, target], clu[target]["n"], s.box[MEAN, p], cat["n"], mean_b)
    exactly = s.params[0]["prove"] == 0
    peak_a, peak_b = -math.inf, -math.inf
    for other in range(k):
        if other in (home, target):
            continue
        theirs, from_p = _spread_of(s, w, other, scatter), s.each[FROM_X, other]
        if not alone:
            known = s.matrix[w, DISTANCE, home, other]
            distance = on_the_line(-away, known, from_p, s.each[FROM_X, home])
            if exactly or math.isnan(distance):
                distance = squared_distance(mean_a, s.mean[w, other])
            quantity = pair_quantity(code, distance, spread_home, theirs, scatter, samples)
            s.each[WITH_A, other] = quantity
            peak_a = max(peak_a, quantity)
        distance = from_p
        if not fresh:
            known = s.matrix[w, DISTANCE, target, other]
            distance = on_the_line(share, known, from_p, s.each[FROM_X, target])
        if exactly or math.isnan(distance):
            distance = squared_distance(mean_b, s.mean[w, other])
        quantity = pair_quantity(code, distance, spread_target, theirs, scatter, samples)
        s.each[WITH_B, other] = quantity
        peak_b = max(peak_b, quantity)
    if alone:
        peak_a = math.nan
    else:
        distance = squared_distance(mean_a, mean_b)
        quantity = pair_quantity(code, distance, spread_home, spread_target, scatter, samples)
        peak_a, peak_b = max(peak_a, quantity), max(peak_b, quantity)
    peak, total = survey(s, top, w, home, target, peak_a, peak_b)
    return goodness(code, clusters, samples, within, scatter, peak, total, 0.0)


@jit
def _compactness_of_rest(s: State, w: int, p: int) -> float:
    """CP of p's cluster without p, added up from the other categories."""
    home, mean = s.label[w, p], s.feature[MEAN_A]
    mean_without(s.mean[w, home], s.clu[w, home]["n"], s.box[MEAN, p], s.cat[p]["n"], mean)
    total = 0.0
    for place in range(s.now[0]["categories"]):
        q = s.order[place]
        if q != p and s.label[w, q] == home:
            total += s.cat[q]["cp"] + s.cat[q]["n"] * squared_distance(s.box[MEAN, q], mean)
    return total


# ------------------------------------------------------------------ the same for the conn_index


@jit
def _intra(s: State, w: int, c: int, more_inside: float, more_n: int) -> float:
    """Intra-connectivity of cluster c with so much more inside and so many more samples."""
    return 0.5 * (s.clu[w, c]["inside"] + more_inside) / (s.clu[w, c]["n"] + more_n)


@jit
def _if_merged_conn(s: State, top: Floats, attach: Floats, w: int, i: int, j: int) -> float:
    k = s.now[w]["k"]
    suppose = Supposition(-1, -1, i, j, -1, -1)
    across = 0.0
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if s.label[w, p] == i:
            across += attach[w, p, j]
    intra = _intra(s, w, i, s.clu[w, j]["inside"] + 2.0 * across, s.clu[w, j]["n"])
    peak = 0.0
    for other in range(k):
        if other in (i, j):
            continue
        intra += _intra(s, w, other, 0.0, 0)
        s.each[WITH_A, other] = graph.inter(s, attach, w, suppose, other, i)
        peak = max(peak, graph.inter(s, attach, w, suppose, i, other))
    peak, total = survey(s, top, w, i, j, peak, math.nan)
    return goodness(CONN, k - 1, 0.0, 0.0, 0.0, peak, total, intra)


@jit
def _note_links(s: State, p: int, present: float) -> None:
    """``cat["between"]`` = CONN with category p, or back to 0."""
    at = s.cat[p]["head"]
    while at >= 0:
        q = s.link[at]["to"]
        if q != p:
            s.cat[q]["between"] = present * s.link[at]["weight"]
        at = s.link[at]["following"]


@jit
def _if_moved_conn(s: State, top: Floats, attach: Floats, w: int, p: int, target: int) -> float:
    k, home, n = s.now[w]["k"], s.label[w, p], s.cat[p]["n"]
    alone, fresh = s.clu[w, home]["size"] == 1, target == k
    if fresh:
        for place in range(s.now[0]["categories"]):
            q = s.order[place]
            attach[w, q, k] = 0.0  # the column of the next cluster, free to use
    _note_links(s, p, 1.0)
    suppose = Supposition(p, target, -1, -1, -1, -1)
    peak_a, peak_b, intra = 0.0, 0.0, 0.0
    for other in range(k):
        if other in (home, target):
            continue
        intra += _intra(s, w, other, 0.0, 0)
        if not alone:
            s.each[WITH_A, other] = graph.inter(s, attach, w, suppose, other, home)
            peak_a = max(peak_a, graph.inter(s, attach, w, suppose, home, other))
        s.each[WITH_B, other] = graph.inter(s, attach, w, suppose, other, target)
        peak_b = max(peak_b, graph.inter(s, attach, w, suppose, target, other))
    if alone:
        peak_a = math.nan
    else:
        intra += _intra(s, w, home, -2.0 * attach[w, p, home], -n)
        peak_a = max(peak_a, graph.inter(s, attach, w, suppose, home, target))
        peak_b = max(peak_b, graph.inter(s, attach, w, suppose, target, home))
    if not fresh:  # a cluster of one category has nothing inside
        intra += _intra(s, w, target, 2.0 * attach[w, p, target], n)
    _note_links(s, p, 0.0)
    peak, total = survey(s, top, w, home, target, peak_a, peak_b)
    clusters = k - (1 if alone else 0) + (1 if fresh else 0)
    return goodness(CONN, clusters, 0.0, 0.0, 0.0, peak, total, intra)


@jit
def if_winners(
    s: State, top: Floats, attach: Floats, first: int, second: int, cluster: int
) -> float:
    """conn_index if a sample had these winners (-1 for no second one), counted in `cluster`.

    The first free row stands for a new category, ``cluster == k`` a new cluster that it opens.
    """
    k, categories, w = s.now[LIVE]["k"], s.now[0]["categories"], LIVE
    fresh = cluster == k
    if fresh:
        for place in range(categories):
            q = s.order[place]
            attach[w, q, k] = 0.0
    if first == s.order[categories]:  # stands in the arrays for the time of the question
        s.now[0]["categories"] = categories + 1
        s.label[w, first] = cluster
        s.cat[first]["head"] = -1
        s.cat[first]["between"] = 0.0
        for c in range(k + 1):
            attach[w, first, c] = 0.0
    suppose, rival, inside = graph.as_it_is(), -1, 0.0
    if second >= 0:
        suppose = Supposition(-1, -1, -1, -1, first, second)
        if s.label[w, second] == cluster:
            inside = 2.0
        else:
            rival = s.label[w, second]
    intra = 0.5 * inside if fresh else _intra(s, w, cluster, inside, 1)
    peak_a, peak_b = 0.0, math.nan
    for other in range(k):
        if other == cluster:
            continue
        intra += _intra(s, w, other, 0.0, 0)
        s.each[WITH_A, other] = graph.inter(s, attach, w, suppose, other, cluster)
        peak_a = max(peak_a, graph.inter(s, attach, w, suppose, cluster, other))
    if rival >= 0:
        peak_b = s.each[WITH_A, rival]
        for other in range(k):
            if other != cluster and other != rival:
                s.each[WITH_B, other] = graph.inter(s, attach, w, suppose, other, rival)
                peak_b = max(peak_b, graph.inter(s, attach, w, suppose, rival, other))
    s.now[0]["categories"] = categories
    peak, total = survey(s, top, w, cluster, rival, peak_a, peak_b)
    return goodness(CONN, k + (1 if fresh else 0), 0.0, 0.0, 0.0, peak, total, intra)
