"""Agreement with the truth, from counts alone: memory for classes times clusters, not for rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.metrics import mutual_info_score

from ..._typing import Ints
from ..errors import UserError
from .names import text_of

MOST = 200_000
"""Pairs of class and cluster; beyond this, what was given is no class."""


class Agreement:
    """How often which class met which cluster.

    >>> import pyarrow as pa
    >>> found = Agreement()
    >>> found.add(pa.array(["a", "a", "b", None]), np.array([7, 7, 8, 8]))
    >>> found.ari(), found.nmi(), found.scored
    (1.0, 1.0, 3)
    """

    def __init__(self, counts: Iterable[tuple[str, int, int]] = ()) -> None:
        self.counts: Counter[tuple[str, int]] = Counter()
        for name, cluster, count in counts:
            self.counts[name, cluster] = count

    def add(self, truths: Any, ids: Ints) -> None:
        """Rows without a class are not scored."""
        encoded = text_of(truths).dictionary_encode()
        names = encoded.dictionary.to_pylist()
        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        known = codes >= 0
        pairs, counts = np.unique(np.stack([codes[known], ids[known]]), axis=1, return_counts=True)
        for (code, cluster), count in zip(pairs.T.tolist(), counts.tolist(), strict=True):
            self.counts[names[code], cluster] += count
        if len(self.counts) > MOST:
            raise UserError(
                f"--truth has too many different values: more than {MOST:,} meet a cluster.",
                "It must be a class, not an id or a number that varies.",
            )

    @property
    def scored(self) -> int:
        return sum(self.counts.values())

    def kept(self) -> list[list[Any]]:
        return [[name, cluster, count] for (name, cluster), count in self.counts.items()]

    def _margins(self) -> tuple[list[int], list[int], list[int]]:
        classes: Counter[str] = Counter()
        clusters: Counter[int] = Counter()
        for (name, cluster), count in self.counts.items():
            classes[name] += count
            clusters[cluster] += count
        return list(self.counts.values()), list(classes.values()), list(clusters.values())

    def ari(self) -> float:
        """Adjusted Rand index; whole numbers as far as possible, which cannot overflow."""
        cells, classes, clusters = self._margins()
        n = sum(cells)
        both, of_class, of_cluster = map(_pairs, (cells, classes, clusters))
        all_pairs = n * (n - 1) // 2
        if of_class == of_cluster == both:
            return 1.0
        expected = of_class * of_cluster / all_pairs
        return (both - expected) / ((of_class + of_cluster) / 2 - expected)

    def nmi(self) -> float:
        """Normalised mutual information, by the mean of the entropies."""
        cells, classes, clusters = self._margins()
        if len(classes) == len(clusters) == 1 or not cells:
            return 1.0
        names = {name: at for at, name in enumerate(sorted({name for name, _ in self.counts}))}
        ids = {i: at for at, i in enumerate(sorted({i for _, i in self.counts}))}
        table = np.zeros((len(names), len(ids)))
        for (name, cluster), count in self.counts.items():
            table[names[name], ids[cluster]] = count
        shared = mutual_info_score(None, None, contingency=table)
        whole = (_entropy(classes) + _entropy(clusters)) / 2
        return float(max(0.0, min(1.0, shared / whole)))


def _pairs(counts: list[int]) -> int:
    return sum(count * (count - 1) // 2 for count in counts)


def _entropy(counts: list[int]) -> float:
    share = np.array(counts) / sum(counts)
    return float(-(share * np.log(share)).sum())
