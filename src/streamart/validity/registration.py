"""Gives the network the indices of this package, as anybody's program could (`register`).

The paper's network has six indices of its own (`icvi.registry`); these are ours.
"""

from typing import NamedTuple

from ..icvi.registry import BY_NAME, Answers, Index, index_of, register
from . import csil, gd43, gd53, normal, pcaes, ps

__all__ = ["BY_NAME", "OURS", "index_of"]


class GeneralizedDunn43(NamedTuple): ...


class GeneralizedDunn53(NamedTuple): ...


class CentroidSilhouette(NamedTuple): ...


class PartitionSeparation(NamedTuple): ...


class PCAES(NamedTuple): ...


def _of_pairs() -> Answers:
    from .covariances import OF_PAIRS

    return OF_PAIRS


def _of_each() -> Answers:
    from .covariances import OF_EACH

    return OF_EACH


_OF_FOOTPRINTS = (
    ("gd43", GeneralizedDunn43, "generalised Dunn 43", "Bezdek & Pal 1998", gd43),
    ("gd53", GeneralizedDunn53, "generalised Dunn 53", "Bezdek & Pal 1998", gd53),
    ("csil", CentroidSilhouette, "centroid silhouette", "Rawashdeh & Ralescu 2012", csil),
    ("ps", PartitionSeparation, "partition separation", "Lughofer 2008", ps),
    ("pcaes", PCAES, "PCAES", "Wu & Yang 2005", pcaes),
)
for _name, _marker, _title, _reference, _file in _OF_FOOTPRINTS:
    register(Index(_name, _marker, _title, False, _reference, of_clusters=_file.of_clusters))

_BY_COVARIANCE: tuple[tuple[str, type, str, bool], ...] = (
    ("rcip", normal.CrossInformationPotential, "cross information potential", True),
    ("rh", normal.CrossEntropy, "cross-entropy", False),
    ("ni", normal.NegentropyIncrement, "negentropy increment", True),
)
for _name, _kind, _title, _smaller in _BY_COVARIANCE:
    _pairs = _kind in normal.OF_PAIRS
    register(
        Index(
            _name,
            _kind,
            _title,
            _smaller,
            "Araújo, Neto & Martins 2013" if _pairs else "Lago-Fernández & Corbacho 2010",
            by_covariance=True,
            answers=_of_pairs if _pairs else _of_each,
        )
    )

OURS = tuple(str(row[0]) for row in (*_OF_FOOTPRINTS, *_BY_COVARIANCE))
"""Indices that the network can take, though the paper does not have them."""
