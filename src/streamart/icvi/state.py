"""What the network remembers, and the room it works in: one NamedTuple of a few arrays.

Scalars of a kind stand together in structured arrays (``s.cat[p]["n"]``), vectors of a kind in one
array with a leading index (``s.box[LO, p]``).

A category keeps its row in all arrays while it lives. The order of the categories, which decides
ties and in which they are presented to the compressor, is a list of rows (`order`).

There are two partitions of the categories into clusters: `LIVE`, and `TRIAL`, on which strategies
try things out. What belongs to a partition has its number as the first index, w by custom.
"""

import math
from typing import NamedTuple

import numpy as np

from .._jit.handing import Constant, by_pointer
from .._jit.vectors import AT_ONCE, LANES
from .._typing import Bytes, Floats, Ints, Records
from .alignment import zeros
from .records import CATEGORY, CLASS, CLUSTER, EVENT, LINK, NODE, NOW, PARAMS
from .registry import CH, CONN, DB, WB

LIVE, TRIAL = 0, 1
# label: besides, 1 for categories that were inactive when compression last looked; a list of
# categories, while one is needed; the number of the sample that each of them won last; the list of
# inactive ones that have another one of their cluster before them, and the list of all inactive
# ones; the place of each in the order when they were last looked for; and its cluster when ids were
# last settled, -1 if it is newer
RESTING, LISTED, WON, SHARING, INACTIVE, PLACE, WAS = 2, 3, 4, 5, 6, 7, 8
# mean: of clusters of the live partition as they were at some time (`hub_proof`, `growing_floors`)
SEEN = 2
# box: lower and upper corner (raw coordinates) and mean of each category
LO, HI, MEAN = 0, 1, 2
# scan: how each category answers to the present sample; 1 if that is exact, 0 for upper bounds; and
# |w|, which all this needs, valid while the range of the data does not grow (0: nobody's row). How
# much of the way each would move the mean of another cluster (`lasting_moves`). How those answer
# that are on a list of categories, as they stand there. Then the corners of each box in the first
# features, lower and upper: that mostly tells boxes apart (nobody's row: the first is far away)
ACTIVATION, MATCH, EXACT, NORM, SHARE, CORNERS = 0, 1, 2, 3, 4, 7
ACTIVATION_LISTED, MATCH_LISTED = 5, 6
FIRST = 3  # so many features
FREE = EXACT  # to use, between two samples
# coarse: corners in so many steps from 0 to 1, LO and HI rounded outwards, these inwards; kept only
# with so many features
INNER_LO, INNER_HI = 2, 3
STEPS = 255
COARSE_FROM = 16
# feature: range of the data, mean of all data, two means that would change, of those that lean on
# the hub (`sum_bounds`), the present sample, and the next ones (`foreseen`)
X_MIN, X_MAX, PER_RANGE, MEAN_ALL, MEAN_A, MEAN_B, HUB, SAMPLE, NEXT = 0, 1, 2, 3, 4, 5, 6, 7, 8
CENTRE = HUB  # CH and WB, which have no hub: mean of all data when anchors were noted
# each: squared distance of the mean from the present sample; goodness if that joined; 1 if the
# cluster is in its label matrix Y; pair quantity with a cluster that would change, a or b; the
# `version` of the cluster; and what is foreseen of the next samples: of which version that is, the
# part of a squared distance that WGSS grows by, and the squared distances
FROM_X, VALUE, WANTED, WITH_A, WITH_B, VERSION, FORESEEN_OF, PART, FORESEEN = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
)
# matrix: between the clusters of a partition; the last is there only if a person keeps some apart
DISTANCE, PAIR, APART = 0, 1, 2
# journal: how many of the latest changes of categories are kept
JOURNAL = 64
TOLD = 32  # so many boxes of H keep what they were told
UNKNOWN = -1.0  # a `loss`, `off` or `rest` that must be computed
# a cluster has not `changed`, but its moves are to be asked about again
ASK_AGAIN = 2
# branch: with DB, so many rows for bounds of mergers (`merger_rises`)
BOUND_ROWS = 32
# top: the greatest pair quantities of a cluster, then which clusters they are with
TOPS = 3

# The strategies of a step go on here; rarer ones are programs of their own, called from Python.
STAGE_LEARN, STAGE_SWAP, STAGE_PRUNE, STAGE_REPARTITION = 0, 1, 2, 3
DUE_NOTHING, DUE_DECOMPOSITION, DUE_COMPRESSION, DUE_TELLING = 0, 1, 2, 3
DUE_BUDGET, DUE_METRIC, DUE_REPARTITION, DUE_PACKING = 4, 5, 6, 7

SPLIT_OFF, SPLIT_ACTIVITY, SPLIT_FULL, SPLIT_PARTIAL = 0, 1, 2, 3


@by_pointer
class State(NamedTuple):
    """The network.

    Three arrays are None where they are not needed. A compiled function that does different things
    with and without one takes it as an argument (``f(s, s.top, ...)``) and asks ``if top is None``:
    then the branches that are never taken are left out, and all they call. So it is with `family`.
    """

    family: Constant  # the code of the index, CH for WB too: a program is compiled for each
    params: Records  # one row
    now: Records  # a row for each partition
    order: Ints  # the categories: where each one's rows are, then the rows that are free
    cat: Records
    box: Floats
    coarse: Bytes  # the corners again, scaled to 0..STEPS and rounded: quick to compare
    scan: Floats
    label: Ints  # cluster of each category, in each partition, and more
    clu: Records
    mean: Floats  # of each cluster
    each: Floats  # of the clusters, side by side: what every sample asks of all of them
    matrix: Floats
    tree: Records  # of mergers (`ward_tree`; CH and WB)
    branch: Floats  # the mean of each of its nodes; DB, which has none: room for bounds
    top: Floats | None  # indices of pairs: all but CH and WB
    attach: Floats | None  # CONN from a category into a cluster (conn_index)
    link: Records  # CONN: chains of links, in one pool
    feature: Floats
    weight: Floats | None  # W^ab while beta_ab < 1; otherwise one-hot rows, `label` says all
    classes: Records  # supervised classes, and groups of hinted samples
    heir: Ints  # of each id ever given out: the id that it went into, or -1 while it lives
    journal: Ints  # rows of the categories that changed last, as a ring; then some of them again;
    # and whose each row of `told` is
    told: Floats  # how much boxes must grow to hold some boxes of H (`told`)
    event: Records  # the latest changes, as a ring; empty if nobody asks
    joined: Ints  # slot that a slot was compressed into, or itself; empty if nobody asks


class Room(NamedTuple):
    """Capacities of the arrays."""

    categories: int = 64
    clusters: int = 16
    links: int = 256
    classes: int = 0
    ids: int = 256
    events: int = 0
    kinds: int = 2


def make_params(**values: float) -> Records:
    """A record of parameters, every field given."""
    params = np.zeros(1, dtype=PARAMS)
    assert set(values) == set(PARAMS.names or ())
    for name, value in values.items():
        params[name] = value
    return params


def allocate(params: Records, d: int, room: Room) -> State:
    """An empty network with so much room."""
    code, split = int(params[0]["code"]), int(params[0]["split"])
    if split == SPLIT_FULL:
        # A cluster taken wholly apart may need as many clusters as there are categories.
        room = room._replace(clusters=max(room.clusters, room.categories + 2))
    categories, clusters = room.categories, room.clusters
    pairs = code not in (CH, WB)
    coarse = -(-d // LANES) * LANES if d >= COARSE_FROM else 0
    slow_map = params[0]["beta_ab"] < 1.0
    now = np.zeros(2, dtype=NOW)
    now["goodness"] = math.nan
    now["vigilance"] = params[0]["rho"]
    now["away"] = -1
    now["free_link"] = -1
    now["unlike"] = -1
    now["proof_hub"] = -1
    now["restless"] = -1
    now["better_i"] = -1
    now["regrouped"] = 1
    now["group"] = -1
    # Twice what a step might add, so that none is overwritten before listeners have it.
    events = max(room.events, 8 * clusters + 2 * categories) if room.events else 0
    classes = np.zeros(room.classes, dtype=CLASS)
    classes["cluster"] = -1
    return State(
        family=Constant(CH if code == WB else code),
        params=params.copy(),
        now=now,
        order=np.arange(categories),
        cat=zeros((categories,), dtype=CATEGORY),
        box=zeros((3, categories, d)),
        coarse=zeros((4, categories, coarse), dtype=np.uint8),
        scan=zeros((CORNERS + 2 * FIRST, categories)),
        label=np.zeros((9, categories), dtype=np.int64),
        clu=zeros((2, clusters), dtype=CLUSTER),
        mean=zeros((3, clusters, d)),
        each=zeros((FORESEEN + AT_ONCE, clusters)),
        matrix=zeros((2, room.kinds, clusters, clusters)),
        tree=zeros((0 if pairs else 2 * clusters,), dtype=NODE),
        branch=zeros((BOUND_ROWS, clusters) if code == DB else (0 if pairs else 2 * clusters, d)),
        top=np.zeros((2, clusters, 2 * TOPS)) if pairs else None,
        attach=np.zeros((2, categories, clusters)) if code == CONN else None,
        link=zeros((room.links,), dtype=LINK),
        feature=zeros((NEXT + AT_ONCE, d)),
        weight=np.zeros((categories, clusters)) if slow_map else None,
        classes=classes,
        heir=np.full(room.ids, -1, dtype=np.int64),
        journal=np.zeros(2 * JOURNAL + TOLD, dtype=np.int64),
        told=zeros((TOLD, categories if coarse else 0)),
        event=np.zeros(events, dtype=EVENT),
        joined=np.zeros(0, dtype=np.int64),
    )


def room_of(state: State) -> Room:
    return Room(
        len(state.cat),
        state.clu.shape[1],
        len(state.link),
        len(state.classes),
        len(state.heir),
        len(state.event),
        state.matrix.shape[1],
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
    fresh = allocate(state.params, state.box.shape[2], room)
    fresh = fresh._replace(joined=state.joined.copy())
    ring = fresh.event
    for old, new in zip(state, fresh, strict=True):
        if new is ring:
            copy_ring(state.event, ring, int(state.now[0]["events"]))
        elif isinstance(old, np.ndarray) and isinstance(new, np.ndarray):
            new[tuple(slice(0, size) for size in old.shape)] = old
    return fresh


def copy_ring(old: Records, new: Records, count: int) -> None:
    """The latest of so many events, each where its number says."""
    kept = np.arange(max(0, count - min(len(old), len(new))), count)
    if len(kept):
        new[kept % len(new)] = old[kept % len(old)]


def copied(state: State) -> State:
    return moved(state, room_of(state))
