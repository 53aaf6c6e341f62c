"""All indices by name."""

from __future__ import annotations

from .connections import ConnIndex
from .index import ValidityIndex
from .indices import (
    PCAES,
    WB,
    CalinskiHarabasz,
    CentroidSilhouette,
    DaviesBouldin,
    GeneralizedDunn43,
    GeneralizedDunn53,
    IIndex,
    PakhiraBandyopadhyayMaulik,
    PartitionSeparation,
    XieBeni,
)
from .information import CrossEntropy, CrossInformationPotential, NegentropyIncrement

_CLASSES: tuple[type[ValidityIndex] | type[ConnIndex], ...] = (
    CalinskiHarabasz,
    WB,
    PakhiraBandyopadhyayMaulik,
    IIndex,
    XieBeni,
    DaviesBouldin,
    GeneralizedDunn43,
    GeneralizedDunn53,
    CentroidSilhouette,
    PartitionSeparation,
    PCAES,
    CrossInformationPotential,
    CrossEntropy,
    NegentropyIncrement,
    ConnIndex,
)


def available() -> dict[str, type[ValidityIndex] | type[ConnIndex]]:
    """The class of each index, by its short name.

    >>> " ".join(available())
    'ch wb pbm i xb db gd43 gd53 csil ps pcaes rcip rh ni conn'
    >>> available()["db"].bigger_is_better
    False
    """
    return {kind.name: kind for kind in _CLASSES}
