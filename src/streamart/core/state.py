"""What the network remembers: a NamedTuple of arrays per module; allocate and grow.

Boxes are kept in raw coordinates. Min-max normalisation, complement coding and re-scaling are one
affine map that every update commutes with, so there is no re-scaling pass and no drift.
"""

import math
from typing import NamedTuple

import numpy as np

from .._typing import Floats, Ints
from ..icvi.links import Links, allocate_links
from ..icvi.partition import (
    Footprints,
    Ground,
    Partition,
    allocate_footprints,
    allocate_partition,
)
from ..icvi.what_if import Bench, allocate_bench

SPLIT_OFF, SPLIT_ACTIVITY, SPLIT_FULL, SPLIT_PARTIAL = 0, 1, 2, 3


class Params(NamedTuple):
    """The paper's parameters, checked and in plain numbers (see `model` for their meaning)."""

    code: int
    rho: float
    beta1: float
    beta2: float
    alpha: float
    cosine: bool
    use_uncommitted: bool
    epsilon: float
    rho_ab: float
    beta_ab: float
    variable: bool
    icvi_match_tracking: bool
    epsilon_icvi: float
    rho_mt: float
    merge: bool
    split: int
    swap: bool
    compress: bool
    rho_c: float
    prune: bool
    tau: int
    phi: int
    xi: int
    second_raised: bool
    escape: bool


class ModuleA(NamedTuple):
    """Ranges of the data, boxes of the categories, and room for one presentation."""

    x_min: Floats
    x_max: Floats
    per_range: Floats  # 1/(x_max - x_min), 0 for a feature without range yet
    lo: Floats
    hi: Floats
    inactivity: Ints
    activation: Floats
    match: Floats


class MapField(NamedTuple):
    """W^ab where it is more than the label of each category, and the clusters of named classes."""

    weight: Floats  # P x k while beta_ab < 1, otherwise empty: rows are one-hot
    class_cluster: Ints  # cluster of each supervised class, -1 for one not seen yet
    wanted: Ints  # label matrix Y of the present sample: 1 for each optimal cluster


class Trace(NamedTuple):
    """Where the samples of the present batch are: sample -> slot -> category."""

    slot: Ints  # of each category
    joined: Ints  # slot that a slot was compressed into, or itself
    used: Ints  # one element


class State(NamedTuple):
    a: ModuleA
    ground: Ground
    part: Partition
    scratch: Partition
    bench: Bench
    field: MapField
    trace: Trace
    tracker: Ints  # v
    vigilance: Floats  # VIGILANCE, STEP


# What module A's vigilance is between samples, and what it was for the present sample.
VIGILANCE, STEP = 0, 1


class Room(NamedTuple):
    """Capacities of the arrays."""

    categories: int
    clusters: int
    links: int


def allocate(params: Params, d: int, room: Room, classes: int = 0) -> State:
    """An empty network."""
    if params.split == SPLIT_FULL:
        # A cluster taken wholly apart may need as many clusters as there are categories.
        room = room._replace(clusters=max(room.clusters, room.categories + 2))
    slow_map = params.beta_ab < 1.0
    return State(
        a=ModuleA(
            x_min=np.zeros(d),
            x_max=np.zeros(d),
            per_range=np.zeros(d),
            lo=np.zeros((room.categories, d)),
            hi=np.zeros((room.categories, d)),
            inactivity=np.zeros(room.categories, dtype=np.int64),
            activation=np.zeros(room.categories),
            match=np.zeros(room.categories),
        ),
        ground=Ground(
            cats=allocate_footprints(room.categories, d),
            links=allocate_links(room.categories, room.links),
            all_data=allocate_footprints(1, d),
            count=np.zeros(1, dtype=np.int64),
            between=np.zeros(room.categories),
        ),
        part=allocate_partition(params.code, room.clusters, room.categories, d),
        scratch=allocate_partition(params.code, room.clusters, room.categories, d),
        bench=allocate_bench(room.clusters, d),
        field=MapField(
            weight=np.zeros((room.categories, room.clusters) if slow_map else (0, 0)),
            class_cluster=np.full(classes, -1, dtype=np.int64),
            wanted=np.zeros(room.clusters, dtype=np.int64),
        ),
        trace=Trace(
            slot=np.zeros(room.categories, dtype=np.int64),
            joined=np.zeros(0, dtype=np.int64),
            used=np.zeros(1, dtype=np.int64),
        ),
        tracker=np.zeros(1, dtype=np.int64),
        vigilance=np.array([params.rho, math.nan]),
    )


def room_of(state: State) -> Room:
    return Room(len(state.a.lo), len(state.part.size), len(state.ground.links.to))


def grown(state: State, params: Params) -> State:
    """A copy of the state in arrays twice as large wherever they are nearly full."""
    room = room_of(state)
    bigger = Room(
        room.categories * (2 if state.ground.count[0] + 1 > room.categories else 1),
        room.clusters * (2 if state.part.k[0] + 2 > room.clusters else 1),
        room.links * (2 if state.ground.links.used[0] + 2 > room.links else 1),
    )
    return moved(state, params, bigger, len(state.field.class_cluster))


def with_classes(state: State, params: Params, classes: int) -> State:
    """A copy of the state with room for so many supervised classes."""
    return moved(state, params, room_of(state), classes)


def copied(state: State, params: Params) -> State:
    """A copy that shares nothing with the original."""
    return moved(state, params, room_of(state), len(state.field.class_cluster))


def moved(state: State, params: Params, room: Room, classes: int) -> State:
    fresh = allocate(params, len(state.a.x_min), room, classes)
    fresh = fresh._replace(trace=fresh.trace._replace(joined=state.trace.joined.copy()))
    _copy_into(state, fresh)
    return fresh


def _copy_into(source: object, target: object) -> None:
    """Copy every array into the leading corner of its larger twin, through nested tuples."""
    for old, new in zip(source, target, strict=True):  # type: ignore[call-overload]
        if isinstance(old, np.ndarray):
            new[tuple(slice(0, size) for size in old.shape)] = old
        else:
            _copy_into(old, new)


__all__ = [
    "SPLIT_ACTIVITY",
    "SPLIT_FULL",
    "SPLIT_OFF",
    "SPLIT_PARTIAL",
    "STEP",
    "VIGILANCE",
    "Bench",
    "Footprints",
    "Ground",
    "Links",
    "MapField",
    "ModuleA",
    "Params",
    "Partition",
    "Room",
    "State",
    "Trace",
    "allocate",
    "copied",
    "grown",
    "moved",
    "room_of",
    "with_classes",
]
