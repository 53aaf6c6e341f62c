"""Topological fuzzy ART with online normalisation and weight re-scaling (WS-TopoFA)."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils._param_validation import Interval

from .._typing import Floats, Ints
from ..estimators.checks import guard
from ..icvi.state import LIVE, State
from ..views import conn_of, rows_of
from ._boxes import BoxBaseline
from ._topological import learn_all


class WSTopoFA(BoxBaseline):
    r"""Topological fuzzy ART (one module), with online normalisation and weight re-scaling.

    The two most active categories that pass vigilance learn, with their own rates, and are linked:

    .. math:: T_j = \frac{|x\wedge w_j|}{\alpha + |w_j|},\quad \frac{|x\wedge w_j|}{|x|} \ge \rho,
              \quad w_j \leftarrow (1-\beta)w_j + \beta(x\wedge w_j)

    If none passes, a new category begins at x. After every `tau` samples, categories that have
    learnt fewer than `phi` samples are removed with their links. Clusters are the connected
    components of the categories that have learnt at least `phi` samples.

    Parameters
    ----------
    rho : float, default=0.9
        Vigilance, in [0, 1]: larger means smaller categories.
    phi : int, default=5
        Number of samples that makes a category permanent; >= 0.
    tau : int, default=200
        Number of samples between two prunings; 0 for no pruning.
    alpha : float, default=0.001
        Choice parameter, > 0.
    beta1, beta2 : float, default=1.0 and 0.6
        Learning rates of the first and second winner, ``0 <= beta2 <= beta1``, ``0 < beta1 <= 1``.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Predicted cluster of each sample of the last call: that of the most activated category with
        at least `phi` samples.
    n_clusters_ : int
    n_categories_ : int
        All categories, permanent or not.
    n_samples_seen_ : int
    categories_ : Categories
        The cluster of a category with fewer than `phi` samples is -1.
    links_ : scipy.sparse.csr_array of shape (n_categories_, n_categories_)
        How often two categories were the two winners of a sample.

    Notes
    -----
    A pruning that would remove all categories is left out, and while no category has learnt `phi`
    samples, all of them count, so a fitted model can always predict. Prediction uses the activation
    of learning, as in the network. TopoART has another activation for this, which gives the same
    rows on the paper's data.

    References
    ----------
    M. Tscherepanow, "TopoART: a topology learning hierarchical ART network", ICANN, 2010. The
    re-scaling is in Section 2 of the iCVI-TopoARTMAP paper.

    Examples
    --------
    >>> import numpy as np
    >>> from streamart.baselines import WSTopoFA
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 1, (400, 2)) + 9 * rng.integers(2, size=(400, 1))
    >>> model = WSTopoFA(rho=0.9).fit(X)
    >>> model.n_clusters_
    2
    """

    _parameter_constraints = {
        "rho": [Interval(Real, 0, 1, closed="both")],
        "phi": [Interval(Integral, 0, None, closed="left")],
        "tau": [Interval(Integral, 0, None, closed="left")],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "beta1": [Interval(Real, 0, 1, closed="right")],
        "beta2": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        rho: float = 0.9,
        *,
        phi: int = 5,
        tau: int = 200,
        alpha: float = 0.001,
        beta1: float = 1.0,
        beta2: float = 0.6,
    ) -> None:
        self.rho = rho
        self.phi = phi
        self.tau = tau
        self.alpha = alpha
        self.beta1 = beta1
        self.beta2 = beta2

    def _network_params(self) -> dict[str, Any]:
        return self.get_params() | {"use_uncommitted": False}

    def _learnt(self, state: State, X: Floats) -> State:
        return self._run(learn_all, state, X, 1)

    def _clusters_of(self, X: Floats) -> Ints:
        """The cluster of the most activated category among those that have a cluster."""
        state = self._state
        rows = rows_of(state)
        permanent = rows[state.label[LIVE, rows] >= 0]
        order, now = state.order.copy(), state.now.copy()
        order[: len(permanent)] = permanent
        now[0]["categories"] = len(permanent)
        clusters: Ints = state.label[
            LIVE, self._categories_of(X, state._replace(order=order, now=now))
        ]
        return clusters

    @property
    def links_(self) -> csr_array:
        with guard(self):
            return conn_of(self._fitted()).astype(np.int64)
