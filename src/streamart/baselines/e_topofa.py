"""Enhanced topological fuzzy ART (E-TopoFA): module A alone."""

from __future__ import annotations

from numbers import Real
from typing import Any

from sklearn.utils._param_validation import Interval, StrOptions

from .._typing import Floats
from ..icvi.state import State
from ._boxes import BoxBaseline
from ._topological import learn_all


class ETopoFA(BoxBaseline):
    r"""Module A of iCVI-TopoARTMAP alone: every category is a cluster.

    The most active category J that passes T^u and vigilance learns,

    .. math:: T_j = \frac{|x\wedge w_j|}{\alpha + |w_j|} > T^u = \frac{d}{\alpha+2d},\quad
              w_J \leftarrow (1-\beta_1)w_J + \beta_1(x\wedge w_J)

    and the next one also learns, with :math:`\beta_2`. If none passes, a new category begins at x.

    Parameters
    ----------
    rho : float, default=0.7
        Vigilance. With ``match="fuzzy"`` in [0, 1], larger means smaller categories; with "cosine"
        in [0, 2], the greatest distance from the mean of a category.
    match : {"fuzzy", "cosine"}, default="fuzzy"
        :math:`|x\wedge w_j| / |x| \ge \rho`, or the cosine distance of x from the mean of the
        samples that the category learnt.
    alpha : float, default=0.001
        Choice parameter, > 0.
    beta1, beta2 : float, default=1.0 and 0.0
        Learning rates of the first and second winner, ``0 <= beta2 <= beta1``, ``0 < beta1 <= 1``.
    use_uncommitted : bool, default=True
        Whether an uncommitted category competes (T^u).

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Predicted cluster of each sample of the last call: the most activated category.
    n_clusters_, n_categories_ : int
    n_samples_seen_ : int
    categories_ : Categories

    References
    ----------
    L. E. Brito da Silva, N. Rayapati, D. C. Wunsch II, "Incremental cluster validity index-guided
    online learning for performance and robustness to presentation order", Section 2.

    Examples
    --------
    >>> from streamart.baselines import ETopoFA
    >>> ETopoFA().fit_predict([[0.0, 0], [9, 9], [1, 0], [8, 9]]).tolist()
    [0, 1, 0, 1]
    """

    _parameter_constraints = {
        "rho": [Interval(Real, 0, 2, closed="both")],
        "match": [StrOptions({"fuzzy", "cosine"})],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "beta1": [Interval(Real, 0, 1, closed="right")],
        "beta2": [Interval(Real, 0, 1, closed="both")],
        "use_uncommitted": ["boolean"],
    }

    def __init__(
        self,
        rho: float = 0.7,
        *,
        match: str = "fuzzy",
        alpha: float = 0.001,
        beta1: float = 1.0,
        beta2: float = 0.0,
        use_uncommitted: bool = True,
    ) -> None:
        self.rho = rho
        self.match = match
        self.alpha = alpha
        self.beta1 = beta1
        self.beta2 = beta2
        self.use_uncommitted = use_uncommitted

    def _network_params(self) -> dict[str, Any]:
        return self.get_params()

    def _learnt(self, state: State, X: Floats) -> State:
        return self._run(learn_all, state, X, 0)
