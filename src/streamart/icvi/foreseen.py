"""Squared distances of the next samples from all means, several samples at a time.

With many clusters, most of the time that these take is spent waiting for the means. So where more
samples are at hand, as in a batch, the next few are compared with a mean when it is read. A mean
that has changed by the time when a sample comes is compared again: mostly one or two have.
"""

import math

from .._jit import jit
from .._jit.vectors import AT_ONCE, squared_distance_from, squared_distances
from .._typing import Floats
from .footprints import assign
from .state import FORESEEN, FORESEEN_OF, FROM_X, LIVE, NEXT, PART, VALUE, VERSION, State

# With fewer clusters, or features, there is not much to wait for.
LEAST_CLUSTERS, LEAST_FEATURES = 16, 16
UNFORESEEN = -1.0  # no version


@jit
def look_ahead(s: State, X: Floats, t: int) -> None:
    """Measure the samples from t on, if that is of use and has not been done yet."""
    now, k = s.now[0], s.now[LIVE]["k"]
    if now["foreseen"] > 0:
        now["foreseen"] -= 1
    if now["foreseen"] > 0 or k < LEAST_CLUSTERS or X.shape[1] < LEAST_FEATURES:
        return
    if t + AT_ONCE > X.shape[0] or s.params[0]["prove"] == 0:
        return
    now["foreseen"] = AT_ONCE
    for row in range(AT_ONCE):
        assign(s.feature[NEXT + row], X[t + row])  # which begins where a cache line does
    for c in range(k):
        s.each[FORESEEN_OF, c] = s.each[VERSION, c]
        s.each[PART, c] = part_that_counts(s, c)
    for c in range(k, s.each.shape[1]):
        s.each[FORESEEN_OF, c] = UNFORESEEN  # not what was there before
    for begin in range(0, k, 2):  # of an odd number, the last but one is measured twice
        c = min(begin, k - 2)
        distances = squared_distances(
            s.feature[NEXT : NEXT + AT_ONCE], s.mean[LIVE, c], s.mean[LIVE, c + 1]
        )
        for row in range(AT_ONCE):
            s.each[FORESEEN + row, c] = distances[row]
            s.each[FORESEEN + row, c + 1] = distances[AT_ONCE + row]


@jit
def part_that_counts(s: State, c: int) -> float:
    """WGSS grows by so much of a squared distance from cluster c when a sample joins that."""
    n = float(s.clu[LIVE, c]["n"])
    return n / (n + 1.0)


@jit
def measure_sample(s: State, x: Floats) -> float:
    """``each[FROM_X]``, and in ``each[VALUE]`` minus what WGSS would grow by with x in a cluster.

    Returns the greatest of these.
    """
    k, foreseen = s.now[LIVE]["k"], s.now[0]["foreseen"]
    if foreseen > 0:
        known = s.each[FORESEEN + AT_ONCE - foreseen]
        for c in range(k):
            s.each[FROM_X, c] = known[c]
            s.each[VALUE, c] = -s.each[PART, c] * known[c]
    for c in range(k):
        if foreseen == 0 or s.each[FORESEEN_OF, c] != s.each[VERSION, c]:
            s.each[FROM_X, c] = squared_distance_from(x, s.mean[LIVE, c])
            s.each[VALUE, c] = -part_that_counts(s, c) * s.each[FROM_X, c]
    return greatest(s.each[VALUE], k)


@jit
def greatest(values: Floats, k: int) -> float:
    """Of the first k. (By four at a time, of which none waits for the others.)"""
    first, second, third, fourth = -math.inf, -math.inf, -math.inf, -math.inf
    for c in range(0, k - 3, 4):
        first = values[c] if values[c] > first else first
        second = values[c + 1] if values[c + 1] > second else second
        third = values[c + 2] if values[c + 2] > third else third
        fourth = values[c + 3] if values[c + 3] > fourth else fourth
    for c in range(k - k % 4, k):
        first = values[c] if values[c] > first else first
    return max(max(first, second), max(third, fourth))
