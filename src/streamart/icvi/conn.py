r"""conn_index, larger is better: a graph index on CONN, for clusters of several prototypes.

.. math:: \text{conn} = \text{intra}\,(1 - \text{inter}),\quad
   \text{intra} = \operatorname{mean}_c \frac{\frac12\sum_{p,q\in c} CONN(p,q)}{n_c},\quad
   \text{inter} = \operatorname{mean}_c \max_{l\ne c} I(c,l)

I(c, l) and the questions about it are in `graph`.
"""

from .._jit import jit


@jit
def value(k: int, intra: float, inter: float) -> float:
    """From the sums over clusters of intra-connectivity and of max I(c, l)."""
    return intra / k * (1.0 - inter / k)
