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
NONE_CHOSEN = constant(0)


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
    """Place of the nearest box that is not among the first `so_far` of `chosen`, or -1.

    The activation exp(-alpha * distance) falls with the distance, so the nearest box is the most
    active one, and nothing underflows. Of equals, the latest is returned.
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
    r"""Whether the box around both is small compared with the global one: :math:`(M-S)/M > \rho`.

    M and S are the sums of the sides. While all samples are equal, M is 0 and everything resonates.
    """
    whole, joint = 0.0, 0.0
    for f in range(lo.shape[0]):
        whole += s.feature[X_MAX, f] - s.feature[X_MIN, f]
        joint += max(hi[f], other_hi[f]) - min(lo[f], other_lo[f])
    return whole == 0.0 or whole - joint > (s.params[0]["rho"] + TIE) * whole


@jit
def connect(s: State, chosen: Ints, count: int) -> bool:
    """Link all chosen categories with each other; returns whether there was a new link."""
    new = False
    for i in range(count):
        for j in range(i):
            new = new or link_between(s, chosen[i], chosen[j]) < 0
            add_link(s, chosen[i], chosen[j], 1.0)
    return new


@jit
def turn(seed: int, draw: int, i: int, j: int) -> int:
    """The turn of the pair of places i < j; the pair with the least number is grouped first.

    Without a seed this is their order, otherwise a pseudo-random one. (It squares modulo a prime,
    without overflow in 64 bits, so it is the same with and without the compiler.)
    """
    if seed == NO_SEED:
        return i * PRIME + j
    number = (seed % PRIME + 7919 * draw) % PRIME
    for part in (i, j, 12345):
        number = (number * number + 48271 * part + 1) % PRIME
    return number


@jit
def group(s: State, seed: int) -> None:
    """Join linked categories that resonate with each other, one pair after the other."""
    cat, found = s.cat, True
    while found:
        found, least, kept, gone = False, 0, 0, 0
        # The number of joins so far: nodes disappear in no other way, and each had its own slot.
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
    """Join category q into p, with its links."""
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
    # Linked categories can begin to resonate only after the global weight has grown or a link is
    # new, because their boxes only grow. So they are grouped only then.
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
    """Learn ``X[begin:]``; returns the number of samples learnt when arrays are full or X ends.
    `chosen` has room for nu + 1 categories."""
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
        labels[t] = nearest_place(s, X[t], labels, NONE_CHOSEN)


class DRN(BoxBaseline):
    r"""Developmental resonance network: ART without normalisation, with nodes that merge.

    A node is a box, and so is the global weight, which encloses all samples. First the global
    weight learns the sample (with rate :math:`\eta_g`). Then the `nu` nearest nodes are chosen by
    activation

    .. math:: T_j = \exp(-\alpha\, d(x, w_j)),\quad d \text{ Euclidean, from the box}

    and the first of them learns the sample with rate :math:`\eta`, if the box around node and
    sample stays small compared with the global one,

    .. math:: \frac{M - S}{M} > \rho,\quad S = |w_j \cup x|_1,\ M = |w_g|_1

    Otherwise a new node begins at x. The chosen nodes and the new one are connected. *Grouping*:
    connected nodes whose common box passes the same test become one node. Every node is a cluster.

    Parameters
    ----------
    rho : float, default=0.7
        Vigilance, in [0, 1): larger means smaller nodes.
    eta, eta_g : float, default=1.0
        Learning rates of nodes and of the global weight, in (0, 1].
    nu : int, default=2
        Number of nodes that are chosen and connected at each sample; >= 1.
    alpha : float, default=1.0
        Slope of activations and of the strengths of connections, > 0. It changes neither which
        node is most active nor which nodes are grouped.
    random_state : int or None, default=None
        Which of several pairs is grouped first: the oldest nodes (None) or a pseudo-random pair
        (with a seed). The authors' program draws it.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Predicted cluster of each sample of the last call: the nearest node; of equals, the latest.
    n_clusters_, n_categories_ : int
        A category is a node.
    n_samples_seen_ : int
    categories_ : Categories
    global_weight_ : ndarray of shape (2, n_features)
        Lower and upper corner of the global box.
    strengths_ : scipy.sparse.csr_array of shape (n_categories_, n_categories_)
        :math:`\exp(-\alpha\|m_i - m_j\|)` for connected nodes, where m are the centres of boxes.

    Notes
    -----
    Nodes are grouped right after a new connection, not when the next sample arrives, so `predict`
    changes nothing. While all samples are equal, they belong to the first node.

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
            np.fill_diagonal(links, 0.0)  # joined nodes are linked with themselves
            rows, columns = np.nonzero(links)
            centres = self._state.box[[LO, HI]][:, nodes].mean(axis=0)
            distances = np.linalg.norm(centres[rows] - centres[columns], axis=1)
            strengths = np.exp(-self._first_params["alpha"] * distances)
            return csr_array((strengths, (rows, columns)), shape=(len(nodes), len(nodes)))
