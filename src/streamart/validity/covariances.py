"""What-if answers of the information-theoretic indices (`normal`), for the network.

Each category keeps its scatter matrix, of which the lower triangle is used: the rows of `box` from
`MATRIX` on. Whenever a cluster has changed, its footprint and covariance are added up from its
categories. A covariance of few samples is nearly singular and magnifies rounding errors, so the
value must not depend on the moves and mergers that led to a partition: strategies would take the
difference for an improvement, and might go round in circles. The terms of clusters and pairs are
kept in `pair`. Questions are asked as `what_if` does.
"""

import math

from .._jit import NONE, by_index, jit
from .._typing import Floats
from ..icvi import what_if
from ..icvi.partition import gather_footprint
from ..icvi.state import AWAY, MATRICES, MATRIX, MEAN, MEAN_ALL, State
from .normal import EPSILON, FORMULAS, delta_of, own_term, pair_term


@jit
def add_distance(s: State, p: int, weight: float, x: Floats) -> None:
    """The scatter matrix of category p grows by what a distance from its mean to x adds."""
    mean = s.box[MEAN, p]
    for f in range(x.shape[0]):
        for g in range(f + 1):
            s.box[MATRIX + f, p, g] += weight * (x[f] - mean[f]) * (x[g] - mean[g])


@jit
def learn_matrix(s: State, p: int, x: Floats) -> None:
    n = s.cat[p]["n"]
    if n == 0:
        for f in range(x.shape[0]):
            for g in range(f + 1):
                s.box[MATRIX + f, p, g] = 0.0
    else:
        add_distance(s, p, n / (n + 1.0), x)


@jit
def join_matrices(s: State, kept: int, gone: int) -> None:
    n, m = s.cat[kept]["n"], s.cat[gone]["n"]
    for f in range(s.box.shape[2]):
        for g in range(f + 1):
            s.box[MATRIX + f, kept, g] += s.box[MATRIX + f, gone, g]
    add_distance(s, kept, float(n) * float(m) / float(n + m), s.box[MEAN, gone])


@jit
def gather_covariance(s: State, w: int, c: int, n: int, mean: Floats, matrix: Floats) -> None:
    """Covariance of a cluster with so many samples and this mean; `NONE` stands for all data."""
    d = mean.shape[0]
    for f in range(d):
        for g in range(f + 1):
            matrix[f, g] = 0.0
    for p in range(s.now[0]["categories"]):
        if c < 0 or s.label[w, p] == c:
            own, weight = s.box[MEAN, p], float(s.cat[p]["n"])
            for f in range(d):
                for g in range(f + 1):
                    away = (own[f] - mean[f]) * (own[g] - mean[g])
                    matrix[f, g] += s.box[MATRIX + f, p, g] + weight * away
    if n > 1:
        for f in range(d):
            for g in range(f + 1):
                matrix[f, g] /= n - 1.0


@jit
def own_term_of(s: State, w: int, c: int, n: int, mean: Floats) -> float:
    d = mean.shape[0]
    matrix, factor = s.feature[MATRICES : MATRICES + d], s.feature[MATRICES + 2 * d :]
    gather_covariance(s, w, c, n, mean, matrix)
    return own_term(matrix, delta_of(d, EPSILON), factor)


@jit
def measure_one(s: State, w: int, c: int) -> None:
    """The term of cluster c."""
    gather_footprint(s, w, c)
    s.pair[w, c, c] = own_term_of(s, w, c, s.clu[w, c]["n"], s.mean[w, c])


@jit
def measure_pairs(s: State, w: int, c: int) -> None:
    """The terms of cluster c with all others."""
    gather_footprint(s, w, c)
    mean, d = s.mean[w], s.mean.shape[2]
    one, other_one = s.feature[MATRICES : MATRICES + d], s.feature[MATRICES + d : MATRICES + 2 * d]
    factor, delta = s.feature[MATRICES + 2 * d :], delta_of(d, EPSILON)
    gather_covariance(s, w, c, s.clu[w, c]["n"], mean[c], one)
    for other in range(s.now[w]["k"]):
        if other != c and s.clu[w, other]["n"] > 0:
            gather_covariance(s, w, other, s.clu[w, other]["n"], mean[other], other_one)
            term = pair_term(one, other_one, mean[c], mean[other], delta, factor, s.feature[AWAY])
            s.pair[w, c, other] = term
            s.pair[w, other, c] = term


formula = by_index(lambda marker: FORMULAS[marker])


@jit
def evaluate_each(s: State, w: int) -> float:
    if not what_if.has_several(s, w):
        return math.nan
    whole = own_term_of(s, w, NONE, s.now[0]["n"], s.feature[MEAN_ALL])
    return formula(s.index, s.now[w]["k"], s.clu[w]["n"], s.pair[w], whole)


@jit
def evaluate_pairs(s: State, w: int) -> float:
    if not what_if.has_several(s, w):
        return math.nan
    return formula(s.index, s.now[w]["k"], s.clu[w]["n"], s.pair[w], 0.0)


OF_EACH = what_if.ANSWERS._replace(
    measure=measure_one,
    evaluate=evaluate_each,
    learn_matrix=learn_matrix,
    join_matrices=join_matrices,
)
OF_PAIRS = OF_EACH._replace(measure=measure_pairs, evaluate=evaluate_pairs)
