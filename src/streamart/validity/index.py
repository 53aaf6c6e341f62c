"""What every index can do, beside its formula."""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from .._typing import Floats, Ints
from ..icvi.compare import better
from .evaluation import NOBODY
from .footprints import Footprints
from .given import Footprint
from .stored import Document, Tensors, write
from .sums import Sums

if TYPE_CHECKING:
    import os

_better = getattr(better, "py_func", better)  # compiled, it can be called by compiled code only


class AnyIndex(ABC):
    """What is known of an index, how its values compare, and its file."""

    name: ClassVar[str]
    title: ClassVar[str]
    bigger_is_better: ClassVar[bool]
    range: ClassVar[tuple[float, float]]
    """Least and greatest value that can come out."""
    reference: ClassVar[str]

    @property
    @abstractmethod
    def value(self) -> float:
        """The index now, in its own direction."""

    def better_than(self, other: float | AnyIndex) -> bool:
        """Is the index now strictly better than a value, or than the same index of another stream?

        Undefined (NaN) is worse than any number; values that differ in rounding only are equal.
        """
        if isinstance(other, AnyIndex):
            if other.name != self.name:
                raise ValueError(f"{self.name!r} cannot be compared with {other.name!r}.")
            other = other.value
        sign = 1.0 if self.bigger_is_better else -1.0
        return bool(_better(sign * self.value, sign * float(other)))

    def parameters(self) -> dict[str, Any]:
        """What the index was made with, beside footprints."""
        return {}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to a file, all of it or nothing; `icvi.load` reads it.

        Labels must be texts, numbers, booleans, None or tuples of them.
        """
        tensors, document = self._described()
        write(path, tensors, document | {"index": self.name, "parameters": self.parameters()})

    @abstractmethod
    def _described(self) -> tuple[Tensors, Document]:
        """What has been seen, for a file."""


class ValidityIndex(AnyIndex):
    """A cluster validity index that is kept up to date while samples and clusters come and go.

    All indices take the same calls. They change `footprints`, in which several indices may share
    what they have seen.

    Parameters
    ----------
    footprints : Footprints or None, default=None
        What has been seen. None begins with nothing.

    Examples
    --------
    >>> from streamart import icvi
    >>> index = icvi.CalinskiHarabasz()
    >>> index.update_many([[0.0], [1.0], [8.0], [9.0]], ["a", "a", "b", "b"])
    >>> index.value
    128.0
    >>> index.move([8.0], "b", "a")
    >>> index.value, index.better_than(128.0)
    (1.42, False)
    """

    needs_covariances: ClassVar[bool] = False

    def __init__(self, footprints: Footprints | None = None) -> None:
        if footprints is None:
            footprints = Footprints(self.needs_covariances)
        elif not isinstance(footprints, Footprints):
            raise TypeError(f"footprints must be icvi.Footprints. Got {footprints!r} instead.")
        elif self.needs_covariances and not footprints.covariances:
            raise ValueError(
                f"{type(self).__name__} needs covariances: give it "
                "icvi.Footprints(covariances=True)."
            )
        self.footprints = footprints

    def __repr__(self) -> str:
        seen = self.footprints
        return (
            f"<{type(self).__name__}: {self.value:.6g}; {seen.n_samples} samples "
            f"in {seen.n_clusters} clusters>"
        )

    # ------------------------------------------------------------------ values

    @property
    def value(self) -> float:
        """The index now, in its own direction.

        NaN with fewer than two clusters, or where the formula says 0/0; a cluster of copies of one
        sample may make it infinite.
        """
        seen, found = self.footprints, np.empty(1)
        if seen.n_clusters < 2:
            return math.nan
        self._follow(seen.n_clusters, np.empty((0, seen.n_features)), NOBODY, 1, found)
        return float(found[0] if self.bigger_is_better else -found[0])

    def course(self, X: ArrayLike, labels: Iterable[Hashable], every: int = 1) -> Floats:
        """As `update_many`; the value after every so many samples is returned.

        >>> from streamart import icvi
        >>> icvi.DaviesBouldin().course([[0.0], [1.0], [8.0], [9.0]], [0, 0, 1, 1], every=2)
        array([      nan, 0.0078125])
        """
        if every < 1:
            raise ValueError(f"every must be at least 1. Got {every!r} instead.")
        seen = self.footprints
        k = seen.n_clusters
        samples, rows = seen.prepare(X, labels)
        found = np.empty(len(samples) // every)
        if len(samples):
            self._follow(k, samples, rows, every, found)
        return found if self.bigger_is_better else -found

    @abstractmethod
    def _follow(self, k: int, X: Floats, rows: Ints, every: int, out: Floats) -> None:
        """Add samples to the k clusters there were, and others; `out` has the goodness (the value,
        negated where small ones are good) after so many each, or now if there are no samples."""

    def _seen(self) -> tuple[Sums, Sums, Floats]:
        seen = self.footprints
        return seen._everything, seen._clusters, seen._distance

    def _described(self) -> tuple[Tensors, Document]:
        return self.footprints.described()

    # ------------------------------------------------------------------ verbs

    def update(self, x: ArrayLike, label: Hashable) -> None:
        """A sample joins a cluster, which begins if there is none of this label."""
        self.footprints.update(x, label)

    def update_many(self, X: ArrayLike, labels: Iterable[Hashable]) -> None:
        """Samples join clusters. All of them are refused if one is."""
        self.footprints.update_many(X, labels)

    def remove(self, x: ArrayLike, label: Hashable) -> None:
        """A sample leaves its cluster, which ends if that was the last one."""
        self.footprints.remove(x, label)

    def move(self, x: ArrayLike, source: Hashable, target: Hashable) -> None:
        """A sample changes its cluster."""
        self.footprints.move(x, source, target)

    def merge(self, a: Hashable, b: Hashable) -> None:
        """Cluster b joins cluster a, and ends."""
        self.footprints.merge(a, b)

    def split(self, label: Hashable, part: Footprint | ArrayLike, into: Hashable) -> None:
        """A part of a cluster, its samples or its footprint, leaves it for another."""
        self.footprints.split(label, part, into)

    def join(self, other: ValidityIndex) -> Self:
        """Add all that another index has seen; clusters of the same label become one."""
        self.footprints.join(other.footprints)
        return self

    # ------------------------------------------------------------------ copies and files

    def copy(self) -> Self:
        """An index that goes on from here by itself."""
        twin = copy.copy(self)
        twin.footprints = self.footprints.copy()
        return twin
