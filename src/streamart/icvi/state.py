"""What the network remembers, and the room it works in: one NamedTuple of a few arrays.

Scalars of a kind stand together in structured arrays (``s.cat[p]["n"]``), vectors of a kind in one
array with a leading index (``s.box[LO, p]``). Few large arrays, because every array that is handed
to a function costs time to compile.

A category keeps its row in all arrays while it lives. The order of the categories, which decides
ties and in which they are presented to the compressor, is a list of rows (`order`).

There are two partitions of the categories into clusters: `LIVE`, and `TRIAL`, on which strategies
try things out. What belongs to a partition has its number as the first index, w by custom.
"""

import math
from typing import NamedTuple

import numpy as np

from .._jit import LANES
from .._typing import Bytes, Floats, Ints, Records
from .alignment import zeros
from .registry import CH, CONN, WB

LIVE, TRIAL = 0, 1
# label: besides, 1 for categories that were inactive when compression last looked; a list of
# categories, while one is needed; the number of the sample that each of them won last; the list of
# inactive ones that have another one of their cluster before them, and the list of all inactive
# ones; and the place of each in the order when they were last looked for
RESTING, LISTED, WON, SHARING, INACTIVE, PLACE = 2, 3, 4, 5, 6, 7
# mean: of clusters of the live partition as they were at some time (`hub_proof`, `growing_floors`)
SEEN = 2
# box: lower and upper corner (raw coordinates) and mean of each category
LO, HI, MEAN = 0, 1, 2
# scan: how each category answers to the present sample; 1 if that is exact, 0 for upper bounds; and
# |w|, which all this needs, valid while the range of the data does not grow (0: nobody's row). How
# much of the way each would move the mean of another cluster (`lasting_moves`). Then the corners of
# each box in the first features, lower and upper: that mostly tells boxes apart
ACTIVATION, MATCH, EXACT, NORM, SHARE, CORNERS = 0, 1, 2, 3, 4, 5
FIRST = 3  # so many features
FREE = EXACT  # to use, between two samples
# coarse: corners in so many steps from 0 to 1, LO and HI rounded outwards, these inwards; kept only
# with so many features
INNER_LO, INNER_HI = 2, 3
STEPS = 255
COARSE_FROM = 16
# feature: range of the data, mean of all data, two means that would change, of those that lean on
# the hub (`sum_bounds`), and the present sample
X_MIN, X_MAX, PER_RANGE, MEAN_ALL, MEAN_A, MEAN_B, HUB, SAMPLE = 0, 1, 2, 3, 4, 5, 6, 7
CENTRE = HUB  # CH and WB, which have no hub: mean of all data when anchors were noted
# each: squared distance of the mean from the present sample; goodness if that joined; 1 if the
# cluster is in its label matrix Y; pair quantity with a cluster that would change, a or b
FROM_X, VALUE, WANTED, WITH_A, WITH_B = 0, 1, 2, 3, 4
# matrix: between the clusters of a partition; the last is there only if a person keeps some apart
DISTANCE, PAIR, APART = 0, 1, 2
# journal: how many of the latest changes of categories are kept
JOURNAL = 64
UNKNOWN = -1.0  # a `loss`, `off` or `rest` that must be computed
# a cluster has not `changed`, but its moves are to be asked about again
ASK_AGAIN = 2
# top: the greatest pair quantities of a cluster, then which clusters they are with
TOPS = 3

# The strategies of a step go on here; rarer ones are programs of their own, called from Python.
STAGE_LEARN, STAGE_SWAP, STAGE_PRUNE, STAGE_REPARTITION = 0, 1, 2, 3
DUE_NOTHING, DUE_DECOMPOSITION, DUE_COMPRESSION, DUE_TELLING = 0, 1, 2, 3
DUE_BUDGET, DUE_METRIC, DUE_REPARTITION, DUE_PACKING = 4, 5, 6, 7

SPLIT_OFF, SPLIT_ACTIVITY, SPLIT_FULL, SPLIT_PARTIAL = 0, 1, 2, 3

CATEGORY = np.dtype(
    [
        ("n", "i8"),
        ("cp", "f8"),
        ("head", "i8"),  # first link of its chain in CONN
        ("mark", "i8"),  # free for a strategy to use
        ("asked", "i8"),  # number of the last search that asked about it
        ("era", "i8"),  # when its moves were looked at last (PBM, `lasting_moves`),
        ("noted", "f8"),  # how far means had gone by then,
        ("from_home", "f8"),  # how far it was from the mean of its cluster,
        ("span", "f8"),  # how far apart means would be, and how far they may go
        ("leeway", "f8"),  # before it might leave
        ("slot", "i8"),  # where the samples of the present batch are: sample -> slot -> category
        ("between", "f8"),  # CONN with one other category, while a question needs it
        ("gain", "f8"),  # what WGSS would fall by if it left its cluster,
        ("aside", "f8"),  # how far it is from the mean of its cluster at most,
        ("loss", "f8"),  # at least so much it would grow by in any cluster that it is connected to
        ("off", "f8"),  # PBM: greatest squared distance of another mean from its own, or UNKNOWN
        # (XB: of the mean that is nearest to that of its cluster, while swaps are looked for),
        ("rest", "f8"),  # and from the mean of its cluster without it
        ("guard", "i8"),  # what kept it last from the unit that it would have chosen, -1 for none,
        ("rear_guard", "i8"),  # and from the others
        ("stuck", "i8"),  # when so much had changed, it was proven to join no other; -1: never.
        ("keeper", "i8"),  # That holds while these two (-1: none) are in the way of others,
        ("rear_keeper", "i8"),
        ("rivals", "i8"),  # while these do not change (a bit for each row, modulo 63; and 61),
        ("also_rivals", "i8"),
        ("bar", "f8"),  # while no other category is so active, unless it is less active
        ("lead", "f8"),  # than this and matches
        ("lead_rho", "f8"),  # worse than this,
        ("stop", "f8"),  # or the same of these two,
        ("stop_rho", "f8"),
        ("open", "f8"),  # or is more active than this, how active those are at most that keepers
        ("open_match", "f8"),  # are not in the way of, and matches nearly as well as these,
        ("room", "f8"),  # and while the range of the data has drifted by less than this
        ("drift", "f8"),  # since then.
        ("held", "f8"),  # Those that the keepers are in the way of are at most so active
        ("rear_held", "f8"),
        ("held_match", "f8"),  # and matched so well then,
        ("rear_held_match", "f8"),
        ("held_norm", "f8"),  # and their norms are at least this
        ("rear_held_norm", "f8"),
        ("was", "i8"),  # its cluster when ids were last settled, -1 if it is newer
        ("group", "i8"),  # the group of hinted samples that it has learnt from, -1 for none
        ("birth", "i8"),  # number of the sample that it was made for: no other has the same
    ]
)
_CLUSTER = np.dtype(
    [
        ("size", "i8"),  # number of categories
        ("n", "i8"),
        ("cp", "f8"),
        ("inside", "f8"),  # CONN summed over its categories, both directions (conn_index)
        ("into_a", "f8"),  # pair quantity with a cluster that would change, a ...
        ("into_b", "f8"),  # ... or b
        ("least", "f8"),  # lower bound of what a merger with any other costs (`merger_cost`),
        ("cheapest", "i8"),  # which is with this one, or -1 if that is not known,
        ("second", "f8"),  # lower bound of that with all the others
        ("far", "f8"),  # upper bound of its squared distance from any other
        ("near", "i8"),  # a cluster that was nearest at some time, -1 for none
        ("updates", "i8"),  # of its row of distances by Stewart's theorem, since it was exact
        ("version", "i8"),  # no other mean, of this or another cluster, has had the same number
        ("changed", "i8"),  # 1: since swaps were last found useless; 2: not, but not all were
        ("weighed", "i8"),  # 1: the `gain` of its categories is known,
        ("most", "f8"),  # the root of the greatest is at most this when `shift` is 0,
        ("heaviest", "f8"),  # and grows by no more than this times `shift` (`weighing`),
        ("shift", "f8"),  # how far its mean has gone at most since its categories were weighed,
        ("room", "f8"),  # and may go before one of them might leave;
        ("strayed", "f8"),  # the same since categories that might come were asked about,
        ("grant", "f8"),  # and before one of them might come
        ("moved", "i8"),  # 1: since every `off` and `rest` was up to date
        ("reach", "f8"),  # how far the farthest other mean is (PBM, while swaps are looked for)
        ("born", "i8"),  # the `era` in which it was opened
        ("only", "i8"),  # its category, if it has but one (PBM, while a split is looked at)
        ("pair_i", "i8"),  # near pairs of clusters (XB, while swaps are looked for): which two,
        ("pair_j", "i8"),
        ("apart", "f8"),  # and their squared distance, infinite if there is none
        ("leaning", "i8"),  # the first of those whose greatest quantity is with it, -1 for none,
        ("beside", "i8"),  # and the next one with the same (DB, while swaps are looked for),
        ("hanging", "f8"),  # what of the sum hangs on it (`merger_sums`); how many lean on it;
        ("leaned_on", "i8"),  # the first of those whose two greatest quantities are with it and a
        ("entwined", "i8"),  # later one, -1 for none, and the next one with the same (DB, while
        ("abreast", "i8"),  # mergers are looked for)
        ("stake", "f8"),  # at most so much of the sum is lost with it (DB, see `sum_bounds`)
        ("spread", "f8"),  # CP/n
        ("from_hub", "f8"),  # squared distance from the mean of those that lean on the hub
        ("peak", "f8"),  # its greatest quantity when swaps were last looked for (DB),
        ("rival", "i8"),  # and with whom
        ("seen", "f8"),  # R with the hub as a part of `hub_proof`, 0 if it is none,
        ("seen_weight", "f8"),  # that over the squared distance,
        ("unseen", "i8"),  # and 1 if it has changed since
        ("asked", "i8"),  # number of the last search that asked about it
        ("floor", "f8"),  # WGSS is at least so great in so many groups as this row's number
        ("greatest", "f8"),  # BGSS of so many was at most so great when anchors were noted
        ("anchor", "f8"),  # samples that it had then, 0 if it was not there (`growing_floors`)
        ("average", "f8"),  # see `merge_bounds.average_distances` (XB)
        ("path_i", "i8"),  # the mergers of a walk, by stage: which two clusters
        ("path_j", "i8"),
        ("best_i", "i8"),  # the same for the best walk so far
        ("best_j", "i8"),
        ("id", "i8"),  # permanent; of the cluster that was here when ids were last settled
        ("kin", "i8"),  # free to count with
        ("into", "i8"),  # whose category has taken in its last one since ids were settled, or -1
        ("barred", "i8"),  # 1: a person keeps the present sample out of this cluster
    ]
)
_CLASS = np.dtype(
    [
        ("cluster", "i8"),  # of its samples, -1 if none has come yet
        ("anchored", "i8"),  # 1: a group of hinted samples, whose categories strategies leave alone
    ]
)
EVENT = np.dtype(
    [
        ("sample", "i8"),
        ("kind", "i8"),
        ("first", "i8"),  # ids of the clusters, -1 for none
        ("second", "i8"),
        ("amount", "f8"),
        ("before", "f8"),  # goodness
        ("after", "f8"),
    ]
)
_NODE = np.dtype(
    [
        ("first", "i8"),  # the two that it was made of,
        ("second", "i8"),
        ("cost", "f8"),  # and what that costs
        ("n", "f8"),
        ("version", "i8"),  # of the cluster that a leaf is
        ("row", "f8"),  # what it costs to merge it with another node, while that is looked at
        ("at", "i8"),  # its place among those that have not merged yet,
        ("alive", "i8"),  # who is in this place,
        ("turn", "i8"),  # who is made in this turn,
        ("done", "i8"),  # 1: it has been
    ]
)
_LINK = np.dtype([("to", "i8"), ("following", "i8"), ("weight", "f8")])
_NOW = np.dtype(
    [
        ("k", "i8"),  # of a partition: number of clusters,
        ("within", "f8"),  # WGSS,
        ("goodness", "f8"),  # index value, larger is better
        ("categories", "i8"),  # of the network (in the first row only)
        ("rows", "i8"),  # all rows from this one on are nobody's
        ("links", "i8"),  # how much of the pool has been used so far
        ("free_link", "i8"),  # first of those that are free again, -1 for none
        ("winner", "i8"),  # category that has the last sample
        ("slots", "i8"),
        ("ahead", "i8"),  # the two that are most active by their upper bounds, -1 for none,
        ("runner_up", "i8"),
        ("second_most", "f8"),  # and how active all but one or two are at most
        ("third_most", "f8"),
        ("tracker", "i8"),  # v
        ("vigilance", "f8"),  # of module A between samples
        ("step_vigilance", "f8"),  # of module A for the present sample
        ("start", "f8"),  # goodness before the present sample
        ("stage", "i8"),  # of the present step: where the strategies go on
        ("due", "i8"),  # the program that is to be called before that
        ("settled", "i8"),  # 1: compression found nothing, and no box or label has changed since
        ("sharing", "i8"),  # so many inactive categories have another one of their cluster before
        # them in the order, so that one might go
        ("inactive", "i8"),  # so many there are
        ("regrouped", "i8"),  # 1: that has to be looked at again,
        ("next_rest", "i8"),  # as at this sample, when some category may become inactive
        ("changes", "i8"),  # of categories, in the journal, since the beginning,
        ("seen", "i8"),  # and when compression last looked;
        ("digested", "i8"),  # up to here, news since then are summed up: from this one on,
        ("news_since", "i8"),
        ("news", "i8"),  # who has changed (a bit for each row, modulo 63; and 61),
        ("other_news", "i8"),
        ("newly", "i8"),  # and how many of those are inactive: the rows after the ring
        ("drift", "f8"),  # by how much the growing range has moved any norm at most
        ("unlike", "i8"),  # with so many changes, no inactive one was like another; -1: never,
        ("unlike_drift", "f8"),  # and with this drift
        ("hub", "i8"),  # the cluster that most others lean on, -1 for none (`sum_bounds`),
        ("hub_sum", "f8"),  # of the R of those,
        ("hub_greatest", "f8"),  # the greatest of them,
        ("hub_weight", "f8"),  # of the R over the squared distances,
        ("hub_rest", "f8"),  # V,
        ("hub_low", "f8"),  # and the least and greatest of their spreads
        ("hub_high", "f8"),
        ("weighed", "i8"),  # of a partition: 1 if all its clusters are,
        ("calm", "i8"),  # and 1 if none has `changed`
        ("restless", "i8"),  # the category of a calm cluster that has learnt the present sample, or
        ("beside", "i8"),  # has joined it, and whom it is connected to since; -1 for none
        ("era", "i8"),  # so often, clusters have been opened (`lasting_moves`);
        ("unnoted", "i8"),  # 1: of some categories, nothing is known of their moves; 2: of any;
        ("stray", "f8"),  # how far means have gone since the beginning, in sum
        ("least_squares", "f8"),  # the least denominator of late in `sum_of_leaning`
        ("proof_hub", "i8"),  # of which hub moves are proven of no use (`hub_proof`), -1: of none,
        ("proof_margin", "f8"),  # M,
        ("proof_spent", "f8"),  # what was lost of it since,
        ("proof_sum", "f8"),  # T,
        ("proof_squares", "f8"),  # the least Q,
        ("proof_reach", "f8"),  # how far categories are from where they come from, at most,
        ("proof_rest", "f8"),  # minus the least rest,
        ("proof_low", "f8"),  # and between which spreads it holds
        ("proof_high", "f8"),
        ("search", "i8"),  # number of the present search for a useful swap
        ("merge_walks", "i8"),  # what was done, and what was proven needless, since the beginning
        ("merge_proofs", "i8"),
        ("merge_paths", "i8"),
        ("floor_renewals", "i8"),
        ("splits", "i8"),
        ("split_proofs", "i8"),
        ("swap_searches", "i8"),
        ("swap_proofs", "i8"),
        ("compressions", "i8"),
        ("compressions_in_place", "i8"),
        ("compress_proofs", "i8"),
        ("n", "i8"),  # of all data
        ("cp", "f8"),
        ("debt", "f8"),  # what categories that left their cluster may have lowered floors by,
        ("away", "i8"),  # the category that left last,
        ("away_from", "i8"),  # from which cluster,
        ("away_debt", "f8"),  # and the debt without it
        ("wait", "i8"),  # so many times more, floors are not computed anew when they do not do,
        ("patience", "i8"),  # and so many times after an attempt that fails
        ("anchors", "i8"),  # so many clusters there were when anchors were noted, 0: never,
        ("anchored", "i8"),  # and so many samples
        ("next_growth", "i8"),  # floors are not let grow before there are so many,
        ("growth_pause", "i8"),  # the last time that they did not do, for so many
        ("least", "f8"),  # of a partition: no cluster's `least` is less
        ("versions", "i8"),  # of means of clusters so far,
        ("unmerged", "i8"),  # and how many when it was last proven that no merger helps (XB);
        ("intricate", "i8"),  # 1: on the last walk that was followed, many merged without the hub
        ("short", "i8"),  # 1: the last walk that was made was soon known to lose
        ("better_i", "i8"),  # a merger that is better and the best of all, -1 if none is known
        ("better_j", "i8"),
        ("next_grouping", "i8"),  # from this sample on, groupings are looked at (`groupings`),
        ("grouping_pause", "i8"),  # and if in vain, not for so many
        ("leaves", "i8"),  # the tree of mergers is known, and has so many; 0: it is not
        ("sure_below", "i8"),  # the last proof by floors (`standing`): for fewer groups than this,
        ("sure_ratio", "f8"),  # floors were so many times what was needed,
        ("tightest", "i8"),  # as they were for so many groups,
        ("sure_cp", "f8"),  # when all data had this CP,
        ("sure_price", "f8"),  # a group this price,
        ("sure_debt", "f8"),  # floors this debt,
        ("sure_within", "f8"),  # and clusters this WGSS
        ("group", "i8"),  # of the present sample, -1 for none
        ("rearranged", "i8"),  # 1: categories have changed clusters since ids were settled,
        ("settled_k", "i8"),  # when there were so many
        ("ids", "i8"),  # given out so far
        ("events", "i8"),  # recorded so far,
        ("first_event", "i8"),  # the ring has none before this one
        ("told", "i8"),  # of these put aside for listeners,
        ("listeners", "i8"),  # if there are any: then none may be overwritten before
    ]
)
_PARAMS = np.dtype(
    [
        (name, "i8")
        for name in (
            "code",
            "cosine",
            "use_uncommitted",
            "variable",
            "icvi_match_tracking",
            "merge",
            "split",
            "swap",
            "compress",
            "prune",
            "tau",
            "phi",
            "xi",
            "second_raised",
            "escape",
            "repartition",
            "prove",  # 0: every shortcut is left out, for tests to compare with
        )
    ]
    + [
        (name, "f8")
        for name in (
            "rho",
            "beta1",
            "beta2",
            "alpha",
            "epsilon",
            "rho_ab",
            "beta_ab",
            "epsilon_icvi",
            "rho_mt",
            "rho_c",
        )
    ]
)


class State(NamedTuple):
    """The network.

    Three arrays are None where they are not needed. A compiled function that does different things
    with and without one takes it as an argument (``f(s, s.top, ...)``) and asks ``if top is None``:
    of an argument that is None, numba leaves out the branches that need it, and all they call.
    """

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
    branch: Floats  # the mean of each of its nodes
    top: Floats | None  # indices of pairs: all but CH and WB
    attach: Floats | None  # CONN from a category into a cluster (conn_index)
    link: Records  # CONN: chains of links, in one pool
    feature: Floats
    weight: Floats | None  # W^ab while beta_ab < 1; otherwise one-hot rows, `label` says all
    classes: Records  # supervised classes, and groups of hinted samples
    heir: Ints  # of each id ever given out: the id that it went into, or -1 while it lives
    journal: Ints  # rows of the categories that changed last, as a ring; then some of them again
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
    params = np.zeros(1, dtype=_PARAMS)
    assert set(values) == set(_PARAMS.names or ())
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
    now = np.zeros(2, dtype=_NOW)
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
    classes = np.zeros(room.classes, dtype=_CLASS)
    classes["cluster"] = -1
    return State(
        params=params.copy(),
        now=now,
        order=np.arange(categories),
        cat=zeros((categories,), dtype=CATEGORY),
        box=zeros((3, categories, d)),
        coarse=zeros((4, categories, coarse), dtype=np.uint8),
        scan=zeros((CORNERS + 2 * FIRST, categories)),
        label=np.zeros((8, categories), dtype=np.int64),
        clu=zeros((2, clusters), dtype=_CLUSTER),
        mean=zeros((3, clusters, d)),
        each=zeros((5, clusters)),
        matrix=zeros((2, room.kinds, clusters, clusters)),
        tree=zeros((0 if pairs else 2 * clusters,), dtype=_NODE),
        branch=zeros((0 if pairs else 2 * clusters, d)),
        top=np.zeros((2, clusters, 2 * TOPS)) if pairs else None,
        attach=np.zeros((2, categories, clusters)) if code == CONN else None,
        link=np.zeros(room.links, dtype=_LINK),
        feature=zeros((8, d)),
        weight=np.zeros((categories, clusters)) if slow_map else None,
        classes=classes,
        heir=np.full(room.ids, -1, dtype=np.int64),
        journal=np.zeros(2 * JOURNAL, dtype=np.int64),
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
        elif old is not None and new is not None:
            new[tuple(slice(0, size) for size in old.shape)] = old
    return fresh


def copy_ring(old: Records, new: Records, count: int) -> None:
    """The latest of so many events, each where its number says."""
    kept = np.arange(max(0, count - min(len(old), len(new))), count)
    if len(kept):
        new[kept % len(new)] = old[kept % len(old)]


def copied(state: State) -> State:
    return moved(state, room_of(state))
