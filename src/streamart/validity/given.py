"""What users give: samples, labels, and footprints of clusters or parts of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._typing import Floats, Ints
from .sums import Sums, add_samples, add_sums, allocate

GREATEST = 1e140
"""Beyond this, squares would overflow."""


class Footprint(NamedTuple):
    """One cluster, or a part of one: what `Footprints.footprint` gives and `split` takes."""

    n: float
    mean: Floats
    cp: float
    """Sum of squared distances from the mean."""
    scatter: Floats | None = None
    """The matrix whose trace is `cp`, where covariances are kept."""

    @classmethod
    def of(cls, X: ArrayLike) -> Footprint:
        """The footprint of samples.

        >>> Footprint.of([[0.0], [2.0]])
        Footprint(n=2, mean=array([1.]), cp=2.0, scatter=array([[2.]]))
        """
        samples = checked(X)
        away = samples - samples.mean(axis=0)
        return cls(len(samples), samples.mean(axis=0), float((away**2).sum()), away.T @ away)


def one_row(x: ArrayLike) -> Floats:
    """One sample as a matrix."""
    sample = np.asarray(x, dtype=np.float64)
    if sample.ndim != 1:
        raise ValueError(f"A sample is one row of features. Got the shape {sample.shape}.")
    return sample[None]


def checked(X: ArrayLike, d: int = 0) -> Floats:
    """Samples as a matrix; with d features, if that is known."""
    samples = np.array(X, dtype=np.float64, order="C", ndmin=1)
    if samples.ndim != 2:
        if samples.size == 0:
            return samples.reshape(0, max(d, 1))
        raise ValueError(
            f"Samples must be rows of features. Got an array of shape {samples.shape}."
        )
    if samples.shape[1] == 0:
        raise ValueError("The samples have no features.")
    if d:
        same_width(samples.shape[1], d)
    if not np.abs(samples).max(initial=0.0) <= GREATEST:  # False for NaN, too
        row = int(np.argmin(np.all(np.abs(samples) <= GREATEST, axis=1)))
        raise ValueError(f"Sample {row} has a value that is no finite number below {GREATEST:g}.")
    return samples


def same_width(got: int, expected: int) -> None:
    if got != expected:
        raise ValueError(f"Expected {expected} features, got {got}.")


def distinct(labels: Iterable[Hashable]) -> tuple[list[Hashable], Ints]:
    """The different labels in the order in which they first appear, and which one each is."""
    if isinstance(labels, np.ndarray) and labels.ndim == 1 and labels.dtype.kind in "biuU":
        values, first, place = np.unique(labels, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        return values[order].tolist(), rank[place]
    kinds: dict[Hashable, int] = {}
    rows = [kinds.setdefault(plain(label), len(kinds)) for label in labels]
    return list(kinds), np.array(rows, dtype=np.int64)


def plain(label: Any) -> Hashable:
    """A label that is equal to itself, and not a number of numpy's."""
    if isinstance(label, np.generic):
        label = label.item()
    try:
        hash(label)
    except TypeError:
        raise TypeError(f"A label must be hashable. Got {label!r}.") from None
    if label != label:
        raise ValueError("A label is NaN, which is no label.")
    return label


def sums_of(part: Footprint, d: int, with_products: bool) -> Sums:
    """The sums of a part, from its footprint."""
    n, mean, cp = float(part.n), checked(one_row(part.mean), d)[0], float(part.cp)
    if n < 1 or not np.isfinite(n) or not 0 <= cp <= GREATEST**2:
        raise ValueError(f"No samples have n={part.n!r} and cp={part.cp!r}.")
    if with_products and part.scatter is None:
        raise ValueError("The part needs its scatter matrix, since covariances are kept.")
    sums, centre = allocate(1, len(mean), with_products), allocate(1, len(mean), with_products)
    add_samples(centre, sums, mean[None], np.zeros(1, dtype=np.int64), 1.0)
    # n times the sums of the mean alone, in exact doubling steps, then the scatter about it.
    whole = allocate(1, len(mean), with_products)
    times = int(n)
    while times:
        if times % 2:
            add_sums(whole, 0, sums, 0, 1.0)
        times //= 2
        if times:
            add_sums(sums, 0, sums, 0, 1.0)
    extra = allocate(1, len(mean), with_products)
    extra.square[0, 0] = cp
    if with_products:
        extra.product[0, 0] = np.asarray(part.scatter, dtype=float)
    add_sums(whole, 0, extra, 0, 1.0)
    return whole
