"""Developmental resonance network (DRN)."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils._param_validation import Interval

from .._jit import TIE, constant, jit, jit_entry
from .._typing import Floats, Ints
from ..core.categories import open_category
from ..core.module_a import learn_box
from ..estimators.checks import guard
from ..icvi.footprints import merge_into
from ..icvi.links import add_link, join_links, link_between, links_of
from ..icvi.state import HI, LIVE, LO, MEAN, X_MAX, X_MIN, State
from ..views import rows_of, table_of_links
from ._boxes import BoxBaseline, count_sample, has_room, remove_marked, unmark

NO_SEED = -1
PRIME = 2**31 - 1
NOBODY = constant(0)  # so many are chosen before the first


@jit
def distance_from_box(lo: Floats, hi: Floats, x: Floats) -> float:
    """Squared distance of x from the nearest point of a box."""
    total = 0.0
    for f in range(x.shape[0]):
        off = max(lo[f] - x[f], x[f] - hi[f], 0.0)
        total += off * off
    return total


@jit
def nearest_place(s: State, x: Floats, chosen: Ints, so_far: int) -> int:
    """Place of the nearest box that is not among the first so many of `chosen`; -1 if there is
    none.

    exp(-alpha * distance) falls with the distance, so the nearest is the most active, and there is
    no underflow. The latest of equals.
    """
    best, least = -1, math.inf
    for place in range(s.now[0]["categories"]):
        row, taken = s.order[place], False
        for i in range(so_far):
            taken = taken or chosen[i] == row
        if not taken:
            distance = distance_from_box(s.box[LO, row], s.box[HI, row], x)
            if best < 0 or distance <= least * (1.0 + TIE):
                best, least = place, distance
    return best


@jit
def resonates(s: State, lo: Floats, hi: Floats, other_lo: Floats, other_hi: Floats) -> bool:
    r"""Is the box around both small beside the global one: :math:`(M-S)/M > \rho`, in L1 extents?

    While there is no extent at all, everything is in one place and resonates.
    """
    whole, joint = 0.0, 0.0
    for f in range(lo.shape[0]):
        whole += s.feature[X_MAX, f] - s.feature[X_MIN, f]
        joint += max(hi[f], other_hi[f]) - min(lo[f], other_lo[f])
    return whole == 0.0 or whole - joint > (s.params[0]["rho"] + TIE) * whole


@jit
def connect(s: State, chosen: Ints, count: int) -> bool:
    """Links between all of the chosen categories; were there new ones?"""
    new = False
    for i in range(count):
        for j in range(i):
            new = new or link_between(s, chosen[i], chosen[j]) < 0
            add_link(s, chosen[i], chosen[j], 1.0)
    return new


@jit
def turn(seed: int, draw: int, i: int, j: int) -> int:
    """A number that decides when the pair of places i < j is tried: the least comes first.

    In their order, or as if shuffled. (Squares modulo a prime, with no overflow in 64 bits: the
    same with and without the compiler.)
    """
    if seed == NO_SEED:
        return i * PRIME + j
    number = (seed % PRIME + 7919 * draw) % PRIME
    for part in (i, j, 12345):
        number = (number * number + 48271 * part + 1) % PRIME
    return number


@jit
def group(s: State, seed: int) -> None:
    """Linked categories that resonate with each other become one, pair after pair."""
    cat, found = s.cat, True
    while found:
        found, least, kept, gone = False, 0, 0, 0
        # How many were joined so far: nodes go in no other way, and each had a slot of its own.
        draw = s.now[0]["slots"] - s.now[0]["categories"]
        for p in range(s.now[0]["categories"]):
            for row in links_of(s, p):
                q = s.link[row]["other"]
                if cat[p]["rank"] < cat[q]["rank"]:
                    if resonates(s, s.box[LO, p], s.box[HI, p], s.box[LO, q], s.box[HI, q]):
                        number = turn(seed, draw, cat[p]["rank"], cat[q]["rank"])
                        if not found or number < least:
                            found, least, kept, gone = True, number, p, q
        if found:
            join(s, kept, gone)


@jit
def join(s: State, p: int, q: int) -> None:
    """Category q becomes one with p, links and all."""
    learn_box(s.box[LO, p], s.box[HI, p], s.box[LO, q], s.box[HI, q], 1.0)
    merge_into(s.cat[p], s.box[MEAN, p], s.cat[q]["n"], s.cat[q]["cp"], s.box[MEAN, q])
    s.cat[p]["won"] = max(s.cat[p]["won"], s.cat[q]["won"])
    join_links(s, p, q)
    unmark(s)
    s.cat[q]["mark"] = 1
    remove_marked(s)


@jit
def learn_one(s: State, x: Floats, chosen: Ints, rate_global: float, seed: int) -> None:
    if s.now[0]["n"] == 0:
        for f in range(x.shape[0]):
            s.feature[X_MIN, f] = x[f]
            s.feature[X_MAX, f] = x[f]
        count_sample(s, open_category(s, x), x)
        return
    # What is linked and does not resonate may do so when the global weight has grown or a link is
    # new; boxes only grow, which makes it less likely. So it is looked at only then.
    if learn_box(s.feature[X_MIN], s.feature[X_MAX], x, x, rate_global):
        group(s, seed)
    count = 0
    while count < chosen.shape[0] - 1 and count < s.now[0]["categories"]:
        chosen[count] = s.order[nearest_place(s, x, chosen, count)]
        count += 1
    winner = chosen[0]
    if resonates(s, s.box[LO, winner], s.box[HI, winner], x, x):
        learn_box(s.box[LO, winner], s.box[HI, winner], x, x, s.params[0]["beta1"])
    else:
        winner = open_category(s, x)
        chosen[count] = winner
        count += 1
    count_sample(s, winner, x)
    if connect(s, chosen, count):
        group(s, seed)


@jit_entry
def learn_all(s: State, X: Floats, chosen: Ints, rate_global: float, seed: int, begin: int) -> int:
    """Learn ``X[begin:]``; returns how far it came. `chosen` is room for nu + 1 categories."""
    for t in range(begin, X.shape[0]):
        if not has_room(s, chosen.shape[0] * chosen.shape[0] // 2):
            return t
        learn_one(s, X[t], chosen, rate_global, seed)
    for place in range(s.now[0]["categories"]):
        s.label[LIVE, s.order[place]] = place
    s.now[LIVE]["k"] = s.now[0]["categories"]
    return X.shape[0]


@jit_entry
def nearest_of_all(s: State, X: Floats, labels: Ints) -> None:
    for t in range(X.shape[0]):
        labels[t] = nearest_place(s, X[t], labels, NOBODY)


class DRN(BoxBaseline):
    r"""Developmental resonance network: ART without normalisation, with nodes that merge.

    A node is a box, and so is the global weight around all samples. At each sample the global
    weight learns it (rate :math:`\eta_g`); the `nu` nodes nearest to it are chosen by activation

    .. math:: T_j = \exp(-\alpha\, d(x, w_j)),\quad d \text{ Euclidean, from the box}

    and the first of them learns it with rate :math:`\eta`, if the box around node and sample stays
    small beside the global one,

    .. math:: \frac{M - S}{M} > \rho,\quad S = |w_j \cup x|_1,\ M = |w_g|_1

    or else a new node begins at x. The chosen nodes and the new one are connected. *Grouping*:
    connected nodes whose common box passes the same test become one node. Every node is a cluster.

    Parameters
    ----------
    rho : float, default=0.7
        Vigilance, in [0, 1): larger means smaller nodes.
    eta, eta_g : float, default=1.0
        Learning rates of nodes and of the global weight, in (0, 1].
    nu : int, default=2
        Nodes that are chosen and connected at each sample; >= 1.
    alpha : float, default=1.0
        Of activations and of the strengths of connections, > 0. It does not change which node is
        most active, nor what is grouped.
    random_state : int or None, default=None
        With several pairs to group, which comes first. None: the oldest nodes; a number: as if
        drawn, which is what the authors' program does.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        What `predict` says of the samples of the last call: the nearest node, the latest of equals.
    n_clusters_, n_categories_ : int
        A category is a node.
    n_samples_seen_ : int
    categories_ : Categories
    global_weight_ : ndarray of shape (2, n_features)
        Lower and upper corner of the global box.
    strengths_ : scipy.sparse.csr_array of shape (n_categories_, n_categories_)
        :math:`\exp(-\alpha\|m_i - m_j\|)` of connected nodes, m being the centres of their boxes.

    Notes
    -----
    Grouping is looked at after new connections too, not only when the next sample comes: so
    `predict` changes nothing. While all samples are equal, they belong to the first node.

    References
    ----------
    G.-M. Park, J.-W. Choi, J.-H. Kim, "Developmental resonance network", IEEE Transactions on
    Neural Networks and Learning Systems 30, 2019.

    Examples
    --------
    >>> from streamart.baselines import DRN
    >>> model = DRN(rho=0.5).fit([[0.0], [10.0], [1.0], [9.0]])
    >>> model.labels_.tolist()
    [0, 1, 0, 1]
    >>> model.global_weight_.tolist()
    [[0.0], [10.0]]
    """

    _parameter_constraints = {
        "rho": [Interval(Real, 0, 1, closed="left")],
        "eta": [Interval(Real, 0, 1, closed="right")],
        "eta_g": [Interval(Real, 0, 1, closed="right")],
        "nu": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "random_state": [Interval(Integral, 0, None, closed="left"), None],
    }

    def __init__(
        self,
        rho: float = 0.7,
        *,
        eta: float = 1.0,
        eta_g: float = 1.0,
        nu: int = 2,
        alpha: float = 1.0,
        random_state: int | None = None,
    ) -> None:
        self.rho = rho
        self.eta = eta
        self.eta_g = eta_g
        self.nu = nu
        self.alpha = alpha
        self.random_state = random_state

    def _network_params(self) -> dict[str, Any]:
        return {"rho": self.rho, "alpha": self.alpha, "beta1": self.eta}

    def _learnt(self, state: State, X: Floats) -> State:
        seed = NO_SEED if self.random_state is None else int(self.random_state % PRIME)
        chosen = np.empty(self.nu + 1, dtype=np.int64)
        return self._run(learn_all, state, X, chosen, float(self.eta_g), seed)

    def _clusters_of(self, X: Floats) -> Ints:
        labels = np.empty(len(X), dtype=np.int64)
        nearest_of_all(self._state, X, labels)
        return labels

    @property
    def global_weight_(self) -> Floats:
        corners: Floats = self._fitted().feature[[X_MIN, X_MAX]]
        return corners

    @property
    def strengths_(self) -> csr_array:
        with guard(self):
            nodes = rows_of(self._fitted())
            links = table_of_links(self._state)
            np.fill_diagonal(links, 0.0)  # what has become one node was connected with itself
            rows, columns = np.nonzero(links)
            centres = self._state.box[[LO, HI]][:, nodes].mean(axis=0)
            distances = np.linalg.norm(centres[rows] - centres[columns], axis=1)
            strengths = np.exp(-self._first_params["alpha"] * distances)
            return csr_array((strengths, (rows, columns)), shape=(len(nodes), len(nodes)))
