"""Dual vigilance fuzzy ART with online normalisation and weight re-scaling (WS-DVFA)."""

from __future__ import annotations

from numbers import Real
from typing import Any

from sklearn.utils._param_validation import Interval

from .._jit import NONE, ZERO, jit_entry
from .._typing import Floats
from ..core.module_a import learn_category, next_resonant, present, stretch_range, vigilant
from ..icvi.state import LIVE, State
from ._boxes import BoxBaseline, count_sample, has_room, open_box, unmark


@jit_entry
def learn_all(s: State, X: Floats, rho_lower: float, begin: int) -> int:
    """Learn ``X[begin:]``; returns the number of samples learnt when arrays are full or X ends."""
    rho, beta = s.params[0]["rho"], s.params[0]["beta1"]
    for t in range(begin, X.shape[0]):
        if not has_room(s, ZERO):
            return t
        x = X[t]
        stretch_range(s, x)
        present(s, x)
        unmark(s)
        # The most active category that reaches the lower vigilance decides.
        winner = next_resonant(s, rho_lower, NONE)
        if winner >= 0 and vigilant(s.cat[winner]["match"], rho, s.params[0]["cosine"]):
            learn_category(s, winner, x, beta)
        else:
            cluster = s.now[LIVE]["k"]
            if winner >= 0:
                cluster = s.label[LIVE, winner]
            else:
                s.now[LIVE]["k"] = cluster + 1
            winner = open_box(s, x, cluster)
        count_sample(s, winner, x)
    return X.shape[0]


class WSDVFA(BoxBaseline):
    r"""Dual vigilance fuzzy ART, with online normalisation and weight re-scaling.

    This is fuzzy ART with two vigilances. Categories are searched in descending order of
    activation; the first J whose match reaches the lower vigilance decides:

    .. math:: T_j = \frac{|x\wedge w_j|}{\alpha + |w_j|},\quad M_j = \frac{|x\wedge w_j|}{|x|}

    - :math:`M_J \ge \rho_{ub}`: J learns, :math:`w_J \leftarrow (1-\beta)w_J + \beta(x\wedge w_J)`;
    - :math:`\rho_{ub} > M_J \ge \rho_{lb}`: a new category at x in the cluster of J;
    - no such J: a new category in a new cluster.

    Parameters
    ----------
    rho : float, default=0.7
        The upper vigilance, in [0, 1]. Larger means smaller categories.
    rho_lower : float, default=0.6
        The lower vigilance, in [0, rho]. Larger means smaller clusters.
    alpha : float, default=0.001
        Choice parameter, > 0.
    beta : float, default=1.0
        Learning rate, in (0, 1].

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Predicted cluster of each sample of the last call: that of the most activated category.
    n_clusters_, n_categories_ : int
    n_samples_seen_ : int
    categories_ : Categories

    References
    ----------
    L. E. Brito da Silva, I. Elnabarawy, D. C. Wunsch II, "Dual vigilance fuzzy adaptive resonance
    theory", Neural Networks 109, 2019. The re-scaling is in Section 2 of the iCVI-TopoARTMAP paper.

    Examples
    --------
    >>> from streamart.baselines import WSDVFA
    >>> model = WSDVFA(rho=0.9, rho_lower=0.7)
    >>> model.fit_predict([[0.0], [10.0], [1.0], [3.0], [9.0]]).tolist()
    [0, 1, 0, 0, 1]
    >>> model.n_categories_
    3
    """

    _parameter_constraints = {
        "rho": [Interval(Real, 0, 1, closed="both")],
        "rho_lower": [Interval(Real, 0, 1, closed="both")],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "beta": [Interval(Real, 0, 1, closed="right")],
    }

    def __init__(
        self,
        rho: float = 0.7,
        rho_lower: float = 0.6,
        *,
        alpha: float = 0.001,
        beta: float = 1.0,
    ) -> None:
        self.rho = rho
        self.rho_lower = rho_lower
        self.alpha = alpha
        self.beta = beta

    def _network_params(self) -> dict[str, Any]:
        if self.rho_lower > self.rho:
            raise ValueError(
                f"The 'rho_lower' parameter of {type(self).__name__} must be in the range "
                f"[0, rho] = [0, {self.rho!r}]. Got {self.rho_lower!r} instead."
            )
        return {
            "rho": self.rho,
            "alpha": self.alpha,
            "beta1": self.beta,
            "use_uncommitted": False,
        }

    def _learnt(self, state: State, X: Floats) -> State:
        return self._run(learn_all, state, X, float(self.rho_lower))
