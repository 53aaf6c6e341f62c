"""Sorting in place, without making an array."""

from .._jit import jit
from .._typing import Floats, Ints


@jit
def sort_pairs(keys: Floats, values: Floats, length: int) -> None:
    """The first `length` keys in rising order, each with its value (heap sort).

    >>> import numpy as np
    >>> keys, values = np.array([3.0, 1.0, 2.0]), np.array([30.0, 10.0, 20.0])
    >>> sort_pairs(keys, values, 3)
    >>> keys.tolist(), values.tolist()
    ([1.0, 2.0, 3.0], [10.0, 20.0, 30.0])
    """
    make_heap(keys, values, length)
    for end in range(length - 1, 0, -1):
        keys[0], keys[end] = keys[end], keys[0]
        values[0], values[end] = values[end], values[0]
        sift_down(keys, values, 0, end)


@jit
def make_heap(keys: Floats, values: Floats, length: int) -> None:
    """The greatest key comes first, and none is greater than the one above it."""
    for root in range(length // 2 - 1, -1, -1):
        sift_down(keys, values, root, length)


@jit
def sift_down(keys: Floats, values: Floats, root: int, length: int) -> None:
    """The root goes below all that are greater."""
    key, value = keys[root], values[root]
    while True:
        child = 2 * root + 1
        if child >= length:
            break
        if child + 1 < length and keys[child + 1] > keys[child]:
            child += 1
        if keys[child] <= key:
            break
        keys[root], values[root] = keys[child], values[child]
        root = child
    keys[root], values[root] = key, value


@jit
def is_before(order: Ints, p: int, other: int) -> bool:
    """Does p come before another one in a list that has both?"""
    at = 0
    while order[at] not in (p, other):
        at += 1
    return order[at] == p
