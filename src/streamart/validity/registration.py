"""Gives the network the indices of this package, as anybody's program could (`register`).

The paper's network has six indices of its own (`icvi.registry`); these are ours.
"""

from typing import NamedTuple

from ..icvi.registry import BY_NAME, Index, index_of, register
from . import csil, gd43, gd53, pcaes, ps

__all__ = ["BY_NAME", "OURS", "index_of"]


class GeneralizedDunn43(NamedTuple): ...


class GeneralizedDunn53(NamedTuple): ...


class CentroidSilhouette(NamedTuple): ...


class PartitionSeparation(NamedTuple): ...


class PCAES(NamedTuple): ...


_ROWS = (
    ("gd43", GeneralizedDunn43, "generalised Dunn 43", "Bezdek & Pal 1998", gd43),
    ("gd53", GeneralizedDunn53, "generalised Dunn 53", "Bezdek & Pal 1998", gd53),
    ("csil", CentroidSilhouette, "centroid silhouette", "Rawashdeh & Ralescu 2012", csil),
    ("ps", PartitionSeparation, "partition separation", "Lughofer 2008", ps),
    ("pcaes", PCAES, "PCAES", "Wu & Yang 2005", pcaes),
)
for _name, _marker, _title, _reference, _file in _ROWS:
    register(Index(_name, _marker, _title, False, _reference, of_clusters=_file.of_clusters))

OURS = tuple(row[0] for row in _ROWS)
"""Indices that the network can take, though the paper does not have them."""
