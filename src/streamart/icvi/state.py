"""What the network remembers: one NamedTuple of records and a few matrices.

A category keeps its row in all arrays while it lives; the rows that are in use are always the first
ones. The order of the categories, which decides ties and in which they are presented to the
compressor, is a list of rows (`order`), whose inverse is ``cat["rank"]``.

There are two partitions of the categories into clusters: `LIVE`, and `TRIAL`, on which strategies
try things out. What belongs to a partition has its number as the first index, `w` by custom.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from .._jit import constant
from .._typing import Floats, Ints, Records
from .records import CATEGORY, CLASS, CLUSTER, EVENT, LINK, NOW, PARAMS, STAGE
from .registry import Index, index_of

LIVE, TRIAL = constant(0), constant(1)
WAS = 2  # label: the cluster of each category when ids were last settled, -1 if it is newer
# box: lower and upper corner (raw coordinates) and mean of each category; with an index by
# covariance, the rows of its scatter matrix
LO, HI, MEAN, MATRIX = 0, 1, 2, 3
# feature: range of the data, its inverse, mean of all data, and two rows of scratch for means; with
# an index by covariance, a row and three matrices of scratch
X_MIN, X_MAX, PER_RANGE, MEAN_ALL, MEAN_A, MEAN_B, AWAY, MATRICES = 0, 1, 2, 3, 4, 5, 6, 7

# The strategies of a step go on here; what is rare is a program of its own, called from Python.
STAGE_LEARN, STAGE_SWAP = 0, 1
DUE_NOTHING, DUE_ROOM, DUE_DECOMPOSITION, DUE_LISTENERS, DUE_BUDGET, DUE_SCALE = range(6)

SPLIT_OFF, SPLIT_ACTIVITY, SPLIT_FULL, SPLIT_PARTIAL = 0, 1, 2, 3


class State(NamedTuple):
    """The network. Matrices that a model does not need have no rows."""

    index: Any  # marker of the validity index; programs are compiled for each (`_jit.by_index`)
    params: Records  # one row
    now: Records  # a row for each partition
    order: Ints  # the rows of the categories, in their order
    cat: Records
    box: Floats  # (LO, HI, MEAN or a row of its matrix, category, feature)
    label: Ints  # (LIVE, TRIAL or WAS, category): its cluster
    clu: Records  # (w, cluster)
    mean: Floats  # (w, cluster, feature)
    distance: Floats  # (w, cluster, cluster): squared, between means (`Room.tables`)
    pair: Floats  # (w, cluster, cluster): pair quantities of the index, if it has any
    apart: Floats  # (w, cluster, cluster): 1 where a person keeps two apart; only with hints
    link: Records  # CONN (`links`)
    weight: Floats  # (category, cluster): W^ab, only if beta_ab < 1; else `label` says all
    scratch: Floats  # (cluster, cluster): room to work in, with tables of distances
    path: Records  # stages of a path of mergers
    feature: Floats
    classes: Records  # supervised classes, and groups of hinted samples
    successor: Ints  # of each id ever given out: the id that it went into, or -1 while it lives
    event: Records  # the latest changes, as a ring; empty if nobody asks
    joined: Ints  # slot that a slot was compressed into, or itself; empty if nobody asks


class Room(NamedTuple):
    """Capacities of the arrays."""

    categories: int = 64
    clusters: int = 16
    classes: int = 0
    links: int = 256
    """Two for each link."""
    ids: int = 256
    events: int = 0
    tables: int = 2
    """How many partitions have a table of distances between clusters: none, the live one, or both.
    Where there is none, distances are measured when they are asked for."""
    apart: bool = False
    """Whether a person keeps clusters apart."""
    plain: bool = False
    """Whether only categories and CONN are kept up to date (StreamART, the rivals)."""


def make_params(**values: float) -> Records:
    """A record of parameters, every field given."""
    params = np.zeros(1, dtype=PARAMS)
    assert set(values) == set(PARAMS.names or ())
    for name, value in values.items():
        params[name] = value
    return params


def allocate(index: Index, params: Records, d: int, room: Room) -> State:
    """An empty network with so much room."""
    if params[0]["split"] == SPLIT_FULL:
        # A cluster taken wholly apart may need as many clusters as there are categories.
        room = room._replace(clusters=max(room.clusters, room.categories + 2))
    categories, clusters = room.categories, room.clusters
    now = np.zeros(2, dtype=NOW)
    now["goodness"] = math.nan
    now["vigilance"] = params[0]["rho"]
    now["group"] = now["free_link"] = -1
    # Twice what a step might add, so that none is overwritten before listeners have it.
    events = max(room.events, 8 * clusters + 2 * categories) if room.events else 0
    classes = np.zeros(room.classes, dtype=CLASS)
    classes["cluster"] = -1

    def table(needed: bool) -> Floats:
        return np.zeros((2, clusters, clusters) if needed else (2, 0, 0))

    works_on_pairs = index.by_scatter or index.by_winners
    corners, rows = (MATRIX + d, MATRICES + 3 * d) if index.by_covariance else (MATRIX, AWAY)

    return State(
        index=index.marker(),
        params=params.copy(),
        now=now,
        order=np.arange(categories),
        cat=np.zeros(categories, dtype=CATEGORY),
        box=np.zeros((corners, categories, d)),
        label=np.zeros((3, categories), dtype=np.int64),
        clu=np.zeros((2, clusters), dtype=CLUSTER),
        mean=np.zeros((2, clusters, d)),
        distance=np.zeros((room.tables, clusters, clusters)),
        pair=table(index.has_pairs and not room.plain),
        apart=table(room.apart),
        link=np.zeros(room.links, dtype=LINK),
        weight=np.zeros((categories, clusters) if params[0]["beta_ab"] < 1.0 else (0, 0)),
        scratch=np.zeros((clusters, clusters) if room.tables and works_on_pairs else (0, 0)),
        path=np.zeros(0 if room.plain else clusters, dtype=STAGE),
        feature=np.zeros((rows, d)),
        classes=classes,
        successor=np.full(room.ids, -1, dtype=np.int64),
        event=np.zeros(events, dtype=EVENT),
        joined=np.zeros(0, dtype=np.int64),
    )


def room_of(state: State) -> Room:
    return Room(
        len(state.cat),
        state.clu.shape[1],
        len(state.classes),
        len(state.link),
        len(state.successor),
        len(state.event),
        len(state.distance),
        state.apart.shape[1] > 0,
        len(state.path) == 0,
    )


def grown(state: State) -> State:
    """The state in arrays twice as large wherever the next step might not fit."""
    room, now = room_of(state), state.now[0]
    return moved(
        state,
        room._replace(
            categories=room.categories * (2 if now["categories"] + 1 > room.categories else 1),
            clusters=room.clusters * (2 if now["k"] + 2 > room.clusters else 1),
            links=room.links * (2 if now["links"] + 2 > room.links else 1),
            ids=room.ids * (2 if now["ids"] + room.clusters > room.ids else 1),
        ),
    )


def moved(state: State, room: Room) -> State:
    """The state in arrays of another size; shares nothing with the original."""
    fresh = allocate(index_of(type(state.index)), state.params, state.box.shape[2], room)
    fresh = fresh._replace(joined=state.joined.copy())
    for name, old, new in zip(State._fields, state, fresh, strict=True):
        if name == "event":
            copy_ring(old, new, int(state.now[0]["events"]))
        elif isinstance(old, np.ndarray) and new.size:
            new[tuple(slice(0, size) for size in old.shape)] = old
    return fresh


def copy_ring(old: Records, new: Records, count: int) -> None:
    """The latest of so many events, each where its number says."""
    kept = np.arange(max(0, count - min(len(old), len(new))), count)
    if len(kept):
        new[kept % len(new)] = old[kept % len(old)]


def copied(state: State) -> State:
    return moved(state, room_of(state))
