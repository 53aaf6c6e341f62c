"""Every index from samples and labels: ``icvi.batch.db(X, labels)``.

There is a function for each name of `icvi.available()`, which takes the parameters of the index,
too. Footprints are computed from the samples in two passes, not added up, so this is what the
incremental indices are compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .catalogue import available
from .connections import nearest_two
from .evaluation import conn_index
from .footprints import Footprints
from .given import checked, distinct
from .index import ValidityIndex


def conn(X: ArrayLike, labels: ArrayLike, prototypes: ArrayLike) -> float:
    """The conn_index of samples, labels and prototypes; see `connections.winners_of`.

    >>> X, labels = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]], [0, 0, 0, 1, 1, 1]
    >>> conn(X, labels, prototypes=[[0.5], [2.0], [7.0], [8.5]])
    1.0
    """
    first, second, owner = nearest_two(X, labels, prototypes)
    links = np.zeros((len(owner), len(owner)))
    np.add.at(links, (first, second), 1.0)
    used = owner >= 0
    counts = np.bincount(first, minlength=len(owner))
    return conn_index((links + links.T)[np.ix_(used, used)], owner[used], counts[used])


def footprints_of(X: ArrayLike, labels: Iterable[Hashable], covariances: bool) -> Footprints:
    """Footprints to evaluate an index on; nothing can be added to them."""
    samples = checked(X)
    kinds, place = distinct(labels)
    if len(place) != len(samples):
        raise ValueError(f"There are {len(samples)} samples and {len(place)} labels.")
    found = Footprints(covariances)
    if len(samples):
        found.fill(kinds, [samples[place == c] for c in range(len(kinds))], samples)
    return found


def _of_samples(kind: type[ValidityIndex]) -> Callable[..., float]:
    def compute(X: ArrayLike, labels: Iterable[Hashable], **parameters: Any) -> float:
        seen = footprints_of(X, labels, kind.needs_covariances)
        return kind(seen, **parameters).value

    compute.__name__ = compute.__qualname__ = kind.name
    compute.__doc__ = f"The {kind.title} of samples and labels; see `icvi.{kind.__name__}`."
    return compute


for _name, _kind in available().items():
    if issubclass(_kind, ValidityIndex):
        globals()[_name] = _of_samples(_kind)


def __getattr__(name: str) -> Callable[..., float]:
    """For type checkers: all other names are found before."""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
