"""The built-in stream, and the orders in which labelled samples can arrive."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._typing import Floats, Ints

Seed: TypeAlias = int | np.random.Generator | None

MEANS: Floats = np.array(
    [
        [-2.0, 42.0],
        [23.0, 42.0],
        [-25.0, 0.0],
        [-7.0, -6.0],
        [10.0, -6.0],
        [27.0, -6.0],
        [50.0, 0.0],
    ]
)
COVARIANCE: Floats = np.array([[12.0, 4.0], [4.0, 8.0]])
SIZES: Ints = np.array([300, 300, 200, 200, 200, 200, 200])

ORDERS = ("class-incremental", "mixed", "random")
"""Class by class; the first two classes one by one and the others shuffled; all shuffled."""

# How many classes come one by one before the rest is shuffled; None means all of them.
_ONE_BY_ONE: dict[str, int | None] = {"class-incremental": None, "mixed": 2, "random": 0}


def make_stream(
    order: str = "class-incremental", n_samples: int = 1600, random_state: Seed = None
) -> tuple[Floats, Ints]:
    """Draw the paper's synthetic stream: seven Gaussian clusters in the plane.

    Parameters
    ----------
    order : {"class-incremental", "mixed", "random"}, default="class-incremental"
        Cluster by cluster; cluster 0, then 1, then the others shuffled; or all shuffled.
    n_samples : int, default=1600
        At least 7. The clusters share the samples in the proportions of `SIZES`.
    random_state : int, Generator or None, default=None
        The same seed draws the same samples, whatever the order.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The samples, in the order of their arrival.
    y : ndarray of shape (n_samples,)
        The cluster, 0 to 6, that each was drawn from.

    Examples
    --------
    >>> from streamart.data import make_stream
    >>> X, y = make_stream("mixed", n_samples=16, random_state=0)
    >>> X.shape
    (16, 2)
    >>> y[:6].tolist()
    [0, 0, 0, 1, 1, 1]
    >>> sorted(y[6:].tolist())
    [2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    """
    _check_order(order)
    sizes = _shares(n_samples)
    rng = np.random.default_rng(random_state)
    y = np.repeat(np.arange(len(sizes)), sizes)
    # A matrix that turns round noise into noise with the covariance wanted.
    shape = np.linalg.cholesky(COVARIANCE)
    X = MEANS[y] + rng.standard_normal((n_samples, 2)) @ shape.T
    return reorder(X, y, order, rng)


def reorder(
    X: ArrayLike, y: ArrayLike, order: str, random_state: Seed = None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Put labelled samples in one of the orders; samples of one class are shuffled in any case.

    Parameters
    ----------
    X : array-like of shape (n_samples, ...)
    y : array-like of shape (n_samples,)
        The class of each sample; classes come in the order of their sorted labels.
    order : {"class-incremental", "mixed", "random"}
        Class by class; the first two classes one by one, then the others shuffled; all shuffled.
    random_state : int, Generator or None, default=None

    Returns
    -------
    X, y : ndarray
        The same samples and labels, in the new order.

    Examples
    --------
    >>> from streamart.data import reorder
    >>> X, y = reorder([[1.0], [2.0], [3.0]], ["b", "a", "b"], "class-incremental", random_state=0)
    >>> y.tolist()
    ['a', 'b', 'b']
    >>> X[0].tolist()
    [2.0]
    """
    _check_order(order)
    X, y = np.asarray(X), np.asarray(y)
    if y.ndim != 1 or X.ndim == 0 or len(X) != len(y):
        raise ValueError(
            f"X has shape {X.shape} and y has shape {y.shape}; "
            "one row of X and one label are needed per sample."
        )
    classes = np.unique(y, return_inverse=True)[1]
    shuffled = np.random.default_rng(random_state).permutation(len(y))
    turn = np.minimum(classes, _turns_before_shuffle(order, len(y)))
    arrival = shuffled[np.argsort(turn[shuffled], kind="stable")]
    return X[arrival], y[arrival]


def _turns_before_shuffle(order: str, n_samples: int) -> int:
    turns = _ONE_BY_ONE[order]
    return n_samples if turns is None else turns


def _check_order(order: str) -> None:
    if order not in ORDERS:
        raise ValueError(f"order is {order!r}; it must be one of {', '.join(map(repr, ORDERS))}.")


def _shares(n_samples: int) -> Ints:
    """Split a number of samples in the proportions of `SIZES`, by largest remainder."""
    if n_samples < len(SIZES):
        raise ValueError(
            f"n_samples is {n_samples}; at least {len(SIZES)} are needed, one for each cluster."
        )
    # Integers throughout: rounding must not decide between equal remainders.
    whole, remainder = np.divmod(SIZES * n_samples, SIZES.sum())
    left_over = n_samples - int(whole.sum())
    whole[np.argsort(-remainder, kind="stable")[:left_over]] += 1
    shares: Ints = whole
    return shares
