"""What it costs to merge a cluster with others, and how far they are: bounds, kept for each.

From these, strategies prove that they need not look (`merge_bounds`). A cluster that changes makes
those of all others a little wider; they are exact again when somebody tightens them.
"""

import math
from typing import NamedTuple

from .._jit import jit
from .._typing import Record
from .registry import DB, XB
from .state import DISTANCE, State


@jit
def ward_cost(s: State, w: int, i: int, j: int) -> float:
    r"""What WGSS grows by if clusters i and j merge: :math:`\tfrac{n_i n_j}{n_i+n_j}D_{ij}`."""
    n_i, n_j = s.clu[w, i]["n"], s.clu[w, j]["n"]
    return n_i * n_j / (n_i + n_j) * s.matrix[w, DISTANCE, i, j]


@jit
def merger_cost(s: State, w: int, i: int, j: int) -> float:
    """What the proofs need of a merger: what WGSS grows by.

    For the Davies-Bouldin index per sample, since there the spread CP/n of the result counts.
    """
    cost = ward_cost(s, w, i, j)
    if s.family == DB:
        cost /= s.clu[w, i]["n"] + s.clu[w, j]["n"]
    return cost


class Bounds(NamedTuple):
    """What is kept of a cluster's distances from others (see the fields of a cluster)."""

    least: float
    cheapest: int
    second: float
    far: float
    near: int
    nearest: float


# Nothing is known of them.
NO_BOUNDS = Bounds(math.inf, -1, math.inf, 0.0, -1, math.inf)


@jit
def note_cost(cluster: Record, other: int, cost: float) -> None:
    """A merger with another cluster costs so much now: keep the bounds of the costs right.

    They know which one was the cheapest, so that they rise when it gets dearer or goes.
    """
    if cluster["cheapest"] == other:
        if cost > cluster["second"]:
            forget_cheapest(cluster)
        else:
            cluster["least"] = cost
    elif cost < cluster["least"]:
        cluster["second"] = cluster["least"]
        cluster["least"] = cost
        cluster["cheapest"] = other
    elif cost < cluster["second"]:
        cluster["second"] = cost


@jit
def forget_cheapest(cluster: Record) -> None:
    """Of the others no more is known than their bound."""
    cluster["least"] = cluster["second"]
    cluster["cheapest"] = -1


@jit
def note_distance(s: State, w: int, c: int, other: int, cost: float, distance: float) -> None:
    """Widen the bounds of cluster c by its distance from another one."""
    cluster = s.clu[w, c]
    note_cost(cluster, other, cost)
    if distance > cluster["far"]:  # mostly not: then nothing is written
        cluster["far"] = distance
    if s.family == XB:
        near = cluster["near"]
        if near < 0 or distance < s.matrix[w, DISTANCE, c, near]:
            cluster["near"] = other


@jit
def tighten_bounds(s: State, w: int, c: int) -> None:
    """The bounds of cluster c anew: exact, until clusters change."""
    bounds = NO_BOUNDS
    for other in range(s.now[w]["k"]):
        if other != c:
            cost = merger_cost(s, w, c, other)
            bounds = widened(bounds, other, cost, s.matrix[w, DISTANCE, c, other])
    write_bounds(s, w, c, bounds)


@jit
def widened(bounds: Bounds, other: int, cost: float, distance: float) -> Bounds:
    """`note_distance`, for bounds that are not written until all others are known."""
    least, cheapest, second, far, near, nearest = bounds
    if cost < least:
        least, cheapest, second = cost, other, least
    else:
        second = min(second, cost)
    if distance < nearest:
        near, nearest = other, distance
    return Bounds(least, cheapest, second, max(far, distance), near, nearest)


@jit
def write_bounds(s: State, w: int, c: int, bounds: Bounds) -> None:
    cluster = s.clu[w, c]
    cluster["least"] = bounds.least
    cluster["cheapest"] = bounds.cheapest
    cluster["second"] = bounds.second
    cluster["far"] = bounds.far
    cluster["near"] = bounds.near
