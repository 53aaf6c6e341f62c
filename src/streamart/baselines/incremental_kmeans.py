"""Incremental sequential k-means (iskm): adds and removes prototypes, guided by iXB."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils._param_validation import Interval

from .._jit import TIE, constant, jit, jit_entry
from .._typing import Floats, Ints, Records
from ..icvi.footprints import assign, move_towards, squared_distance
from ._prototypes import PrototypeBaseline, learn_at, nearest, step_to

CURRENT = constant(0)
CONTROL = constant(1)
# Means and variances are kept of the two indices and of their difference.
DIFFERENCE = 2
SIGMAS = 1.5  # standard deviations from the mean that count as a change
FIRST_TO_ADD, FIRST_TO_REMOVE = 11, 16  # first sample at which prototypes change
LOCAL_FORGETTING = 0.9  # forgetting factor of the compactness of each prototype
ROOM = 16

_NOW = np.dtype([("n", "i8"), ("added", "i8"), ("removed", "i8")])
_SIDE = np.dtype(
    [
        ("k", "i8"),  # prototypes
        ("apart", "f8"),  # h, the least squared distance between two of them
        ("pair", "i8"),  # one of these two; -1 if they must be found again
        ("other", "i8"),  # the other one
        ("index", "f8"),  # iXB with forgetting
        ("mean", "f8"),  # mean of the index, with forgetting
        ("variance", "f8"),
    ]
)


class Pair(NamedTuple):
    """The two models: Current, which predicts, and Control, which begins with one more prototype.

    Prototype i of Current corresponds to i + 1 of Control; the first corresponds to two.
    """

    now: Records
    side: Records  # Current, Control, and their difference (only mean and variance)
    centres: Floats  # of both
    counts: Ints
    near: Floats  # compactness C and weight Psi of each prototype of Current
    pull: Floats  # G of each prototype: weighted sum of its samples minus its centre
    share: Floats  # fuzzy membership of the present sample
    drift: Floats  # movement of a centre in this step


def allocate(d: int, rows: int) -> Pair:
    return Pair(
        now=np.zeros(1, dtype=_NOW),
        side=np.zeros(3, dtype=_SIDE),
        centres=np.zeros((2, rows, d)),
        counts=np.zeros((2, rows), dtype=np.int64),
        near=np.zeros((2, rows)),
        pull=np.zeros((rows, d)),
        share=np.zeros(rows),
        drift=np.zeros(d),
    )


def grown(pair: Pair) -> Pair:
    """The same models in arrays with room for twice as many prototypes."""
    fresh = allocate(pair.pull.shape[1], 2 * len(pair.pull))
    for old, new in zip(pair, fresh, strict=True):
        new[tuple(slice(0, size) for size in old.shape)] = old
    return fresh


@jit
def separate(p: Pair, w: int, moved: int) -> None:
    """Update the least squared distance between two prototypes in different places.

    Only `moved` has moved. Unless it is one of the two nearest, only its own distances matter.
    """
    side = p.side[w]
    if side["pair"] < 0 or moved in (side["pair"], side["other"]):
        before = side["apart"]
        side["apart"], side["pair"] = math.inf, -1
        for i in range(side["k"]):
            nearer_than_before(p, w, i, i)
        if side["pair"] < 0:  # all are in one place
            side["apart"] = before
    else:
        nearer_than_before(p, w, moved, side["k"])


@jit
def nearer_than_before(p: Pair, w: int, i: int, count: int) -> None:
    """Compare prototype i with the first `count`, and keep the least distance."""
    side = p.side[w]
    for j in range(count):
        distance = squared_distance(p.centres[w, i], p.centres[w, j])
        if 0.0 < distance < side["apart"]:
            side["apart"], side["pair"], side["other"] = distance, i, j


@jit
def fuzzy_shares(p: Pair, w: int, x: Floats) -> float:
    r"""Membership :math:`u_i = \|x-v_i\|^{-2} / \sum_j \|x-v_j\|^{-2}` of x, left in `share`.

    Returns :math:`\sum_i u_i^2 \|x-v_i\|^2`. If prototypes are at x, the first has membership 1.
    """
    k, total = p.side[w]["k"], 0.0
    for i in range(k):
        distance = squared_distance(p.centres[w, i], x)
        if distance == 0.0:
            for j in range(k):
                p.share[j] = 0.0
            p.share[i] = 1.0
            return 0.0
        p.share[i] = 1.0 / distance
        total += p.share[i]
    cost = 0.0
    for i in range(k):
        inverse = p.share[i]
        p.share[i] = inverse / total
        cost += p.share[i] * p.share[i] / inverse
    return cost


@jit
def follow_index(p: Pair, w: int, x: Floats, moved: int, forgetting: float) -> None:
    r""":math:`XB \leftarrow (\lambda h' XB + (1-\lambda) \sum_i u_i^2\|x-v_i\|^2) / h`.

    h' is the separation before the sample. With a single prototype, it is the greatest squared
    distance of a sample so far.
    """
    side = p.side[w]
    before = side["apart"]
    if side["k"] == 1:
        side["apart"] = max(before, squared_distance(p.centres[w, 0], x))
    else:
        separate(p, w, moved)
    cost = fuzzy_shares(p, w, x)
    side["index"] = (forgetting * before * side["index"] + (1.0 - forgetting) * cost) / side[
        "apart"
    ]


@jit
def follow_compactness(p: Pair, x: Floats, moved: int) -> None:
    r"""Update C, G and Psi of Current's prototypes; only `moved` has moved, by `drift`.

    With :math:`s = v' - v` (before minus now), memberships u and :math:`\lambda = 0.9`:

    .. math:: C \leftarrow \lambda(C + 2 s\cdot G + \|s\|^2\Psi) + u^2\|x-v\|^2,\quad
              G \leftarrow \lambda(G + s\Psi) + u^2(x-v),\quad \Psi \leftarrow \lambda\Psi + u^2
    """
    for i in range(p.side[CURRENT]["k"]):
        if i == moved:
            recentre(p, i)
        weight = p.share[i] * p.share[i]
        distance = squared_distance(p.centres[CURRENT, i], x)
        p.near[0, i] = LOCAL_FORGETTING * p.near[0, i] + weight * distance
        p.near[1, i] = LOCAL_FORGETTING * p.near[1, i] + weight
        for f in range(x.shape[0]):
            p.pull[i, f] = LOCAL_FORGETTING * p.pull[i, f] + weight * (
                x[f] - p.centres[CURRENT, i, f]
            )


@jit
def recentre(p: Pair, i: int) -> None:
    """Update C and G of a prototype whose centre moved by -`drift`."""
    along, square = 0.0, 0.0
    for f in range(p.drift.shape[0]):
        along += p.drift[f] * p.pull[i, f]
        square += p.drift[f] * p.drift[f]
        p.pull[i, f] += p.drift[f] * p.near[1, i]
    p.near[0, i] += 2.0 * along + square * p.near[1, i]


@jit
def follow_moments(side: Any, value: float, forgetting: float) -> None:
    r""":math:`\sigma^2 \leftarrow \lambda\sigma^2 + \frac{1-\lambda^2}{2}(z-m)^2`, then
    :math:`m \leftarrow \lambda m + (1-\lambda)z`.
    """
    off = value - side["mean"]
    side["variance"] = (
        forgetting * side["variance"] + (1.0 - forgetting * forgetting) / 2.0 * off * off
    )
    side["mean"] = forgetting * side["mean"] + (1.0 - forgetting) * value


@jit
def rises(side: Any, value: float, scale: float) -> bool:
    """Whether a value is at least 1.5 standard deviations above the mean, up to rounding."""
    return value >= side["mean"] + SIGMAS * math.sqrt(side["variance"]) - TIE * scale


@jit
def falls(side: Any, value: float, scale: float) -> bool:
    return value <= side["mean"] - SIGMAS * math.sqrt(side["variance"]) + TIE * scale


@jit
def open_prototype(p: Pair, w: int, x: Floats) -> None:
    k = p.side[w]["k"]
    p.side[w]["k"] = k + 1
    p.side[w]["pair"] = -1
    assign(p.centres[w, k], x)
    p.counts[w, k] = 1


@jit
def add_prototype(p: Pair, x: Floats) -> None:
    """Add a prototype at x to both models, unless x is nearer to one than Control's are to each
    other."""
    home = nearest(p.centres[CURRENT], p.side[CURRENT]["k"], x)
    if squared_distance(p.centres[CURRENT, home], x) < p.side[CONTROL]["apart"] * (1.0 - TIE):
        return
    k = p.side[CURRENT]["k"]
    open_prototype(p, CURRENT, x)
    open_prototype(p, CONTROL, x)
    p.near[0, k] = 0.0
    p.near[1, k] = 0.0
    for f in range(x.shape[0]):
        p.pull[k, f] = 0.0
    p.now[0]["added"] += 1


@jit
def neighbour(p: Pair, i: int) -> tuple[int, float]:
    """Nearest other prototype of Current, and its distance; -1 if all are in the same place."""
    found, least = -1, math.inf
    for j in range(p.side[CURRENT]["k"]):
        distance = squared_distance(p.centres[CURRENT, i], p.centres[CURRENT, j])
        if 0.0 < distance < least * (1.0 - TIE):
            found, least = j, distance
    return found, math.sqrt(least)


@jit
def remove_worst(p: Pair) -> None:
    """Join the prototype with the worst local index to the nearest one; the first always stays.

    The local index is compactness per sample, divided by the distance to the nearest prototype.
    """
    worst, greatest = 0, -1.0
    for i in range(p.side[CURRENT]["k"]):
        other, distance = neighbour(p, i)
        if other >= 0:
            local = p.near[0, i] / p.counts[CURRENT, i] / distance
            if local > greatest * (1.0 + TIE):
                worst, greatest = i, local
    kept = neighbour(p, worst)[0]
    if worst == 0 or kept < 0:
        return
    merge_compactness(p, kept, worst)
    merge_prototypes(p, CURRENT, kept, worst)
    merge_prototypes(p, CONTROL, kept + 1, worst + 1)
    for i in range(worst, p.side[CURRENT]["k"]):
        p.near[0, i] = p.near[0, i + 1]
        p.near[1, i] = p.near[1, i + 1]
        assign(p.pull[i], p.pull[i + 1])
    p.now[0]["removed"] += 1


@jit
def merge_compactness(p: Pair, kept: int, gone: int) -> None:
    """Add up C, G and Psi of two prototypes, around their common mean."""
    share = p.counts[CURRENT, gone] / (p.counts[CURRENT, gone] + p.counts[CURRENT, kept])
    for f in range(p.drift.shape[0]):
        p.drift[f] = -share * (p.centres[CURRENT, gone, f] - p.centres[CURRENT, kept, f])
    recentre(p, kept)
    for f in range(p.drift.shape[0]):
        p.drift[f] = (1.0 - share) * (p.centres[CURRENT, gone, f] - p.centres[CURRENT, kept, f])
    recentre(p, gone)
    p.near[0, kept] += p.near[0, gone]
    p.near[1, kept] += p.near[1, gone]
    for f in range(p.drift.shape[0]):
        p.pull[kept, f] += p.pull[gone, f]


@jit
def merge_prototypes(p: Pair, w: int, kept: int, gone: int) -> None:
    total = p.counts[w, kept] + p.counts[w, gone]
    move_towards(p.centres[w, kept], p.centres[w, gone], p.counts[w, gone] / total)
    p.counts[w, kept] = total
    k = p.side[w]["k"] - 1
    p.side[w]["k"] = k
    p.side[w]["pair"] = -1
    for i in range(gone, k):
        assign(p.centres[w, i], p.centres[w, i + 1])
        p.counts[w, i] = p.counts[w, i + 1]


@jit
def begin_with(p: Pair, x: Floats) -> None:
    """The first sample is the first prototype, the first that differs is Control's second."""
    current, control = p.side[CURRENT], p.side[CONTROL]
    if current["k"] == 0:
        open_prototype(p, CURRENT, x)
        open_prototype(p, CONTROL, x)
        return
    distance = squared_distance(p.centres[CURRENT, 0], x)
    learn_at(p.centres[CURRENT], p.counts[CURRENT], 0, x)
    if distance == 0.0:
        p.counts[CONTROL, 0] += 1
        return
    open_prototype(p, CONTROL, x)
    current["apart"] = distance
    control["apart"] = distance
    current["index"] = 0.5  # one of two samples lies off the prototype, by all the separation


@jit
def learn_one(p: Pair, x: Floats, forgetting: float, forgetting_moments: float) -> None:
    """One step: both k-means models and their indices, then added and removed prototypes."""
    number = p.now[0]["n"] + 1
    p.now[0]["n"] = number
    if p.side[CONTROL]["k"] < 2:
        begin_with(p, x)
        return
    current, control, difference = p.side[CURRENT], p.side[CONTROL], p.side[DIFFERENCE]
    moved = nearest(p.centres[CURRENT], current["k"], x)
    assign(p.drift, p.centres[CURRENT, moved])
    learn_at(p.centres[CURRENT], p.counts[CURRENT], moved, x)
    for f in range(x.shape[0]):
        p.drift[f] -= p.centres[CURRENT, moved, f]
    also_moved = step_to(p.centres[CONTROL], p.counts[CONTROL], control["k"], x)
    follow_index(p, CONTROL, x, also_moved, forgetting)
    follow_index(p, CURRENT, x, moved, forgetting)  # leaves Current's `share`
    follow_compactness(p, x, moved)
    delta, scale = control["index"] - current["index"], control["index"] + current["index"]
    grows = rises(difference, delta, scale) and rises(control, control["index"], scale)
    shrinks = falls(difference, delta, scale) and rises(current, current["index"], scale)
    if grows and number >= FIRST_TO_ADD:
        add_prototype(p, x)
    if shrinks and number >= FIRST_TO_REMOVE and current["k"] > 1:
        remove_worst(p)
    follow_moments(difference, delta, forgetting_moments)
    follow_moments(current, current["index"], forgetting_moments)
    follow_moments(control, control["index"], forgetting_moments)


@jit_entry
def learn_all(p: Pair, X: Floats, forgetting: float, forgetting_moments: float, begin: int) -> int:
    """Learn ``X[begin:]``; returns the number of samples learnt when arrays are full or X ends."""
    for t in range(begin, X.shape[0]):
        if p.side[CONTROL]["k"] + 2 > p.counts.shape[1]:
            return t
        learn_one(p, X[t], forgetting, forgetting_moments)
    return X.shape[0]


class IncrementalSequentialKMeans(PrototypeBaseline):
    r"""Incremental sequential k-means (iskm), which finds the number of prototypes.

    Two sequential k-means models learn side by side: Current, which begins with one prototype and
    predicts, and Control, which has one more. The Xie-Beni index of each is updated with a
    forgetting factor,

    .. math:: XB \leftarrow \frac{1}{h}\left(\lambda h' XB +
              (1-\lambda)\sum_i u_i^2 \|x - v_i\|^2\right)

    with fuzzy memberships u and the least squared distance h between two prototypes (h' before the
    sample). Means and variances of the indices and of their difference (Control minus Current) are
    updated in the same way. If the difference and Control's index rise by 1.5 standard deviations,
    both models get a prototype at the sample, unless it is nearer to an old one than Control's are
    to each other. If the difference falls and Current's index rises by that much, the prototype
    with the worst local index joins the nearest other one.

    Parameters
    ----------
    forgetting : float, default=0.99
        :math:`\lambda` of the indices, in [0, 1]. With 1, no prototype is ever added.
    forgetting_moments : float or None, default=None
        :math:`\lambda` of means and variances. None means that of `forgetting`, as in the paper's
        experiments.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Predicted cluster of each sample of the last call.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
    counts_ : ndarray of shape (n_clusters_,)
        Number of samples that each prototype has learnt.
    n_clusters_, n_categories_ : int
        A category is a prototype here.
    n_added_, n_removed_ : int
        Numbers of prototypes that were added and removed.
    n_samples_seen_ : int

    Notes
    -----
    Where the authors' program differs from the text of the method, this class follows the text: the
    second sample moves Current's prototype; the first value of Current's index is 1/2; C, G and Psi
    of two prototypes that join are added up around their common mean. None of this changes the
    paper's rows. Two rules are ours: while all samples are equal, there is no separation, and
    Control waits for its second prototype; prototypes in the same place do not count as a pair.

    References
    ----------
    M. Chenaghlou, "Data stream clustering and anomaly detection", PhD thesis, University of
    Melbourne, 2019, chapter 6. M. Moshtaghi et al., "Online cluster validity indices for
    performance monitoring of streaming data clustering", Int. J. Intelligent Systems 34, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from streamart.baselines import IncrementalSequentialKMeans
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (50, 2)), rng.normal(30, 1, (50, 2))])
    >>> model = IncrementalSequentialKMeans().fit(X)
    >>> model.n_clusters_
    2
    >>> model.predict([[0, 0], [30, 30]]).tolist()
    [0, 1]
    """

    _parameter_constraints = {
        "forgetting": [Interval(Real, 0, 1, closed="both")],
        "forgetting_moments": [Interval(Real, 0, 1, closed="both"), None],
    }

    def __init__(
        self, forgetting: float = 0.99, *, forgetting_moments: float | None = None
    ) -> None:
        self.forgetting = forgetting
        self.forgetting_moments = forgetting_moments

    def _empty(self, d: int) -> Pair:
        return allocate(d, ROOM)

    def _learnt(self, state: Pair, X: Floats) -> Pair:
        moments = self.forgetting if self.forgetting_moments is None else self.forgetting_moments
        reached = 0
        while reached < len(X):
            reached = learn_all(state, X, float(self.forgetting), float(moments), reached)
            if reached < len(X):
                state = grown(state)
        return state

    def _prototypes(self) -> tuple[Floats, Ints]:
        state: Pair = self._fitted()
        return state.centres[CURRENT], state.counts[CURRENT, : state.side[CURRENT]["k"]]

    @property
    def n_samples_seen_(self) -> int:
        return int(self._fitted().now[0]["n"])

    @property
    def n_added_(self) -> int:
        return int(self._fitted().now[0]["added"])

    @property
    def n_removed_(self) -> int:
        return int(self._fitted().now[0]["removed"])
