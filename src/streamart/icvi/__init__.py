"""Incremental cluster validity indices: for the network here, and for any clustering.

Users find the indices of `streamart.validity` here; they are imported when they are first used:
``from streamart import icvi; index = icvi.DaviesBouldin()``.
"""

from importlib import import_module
from typing import Any

from .._lazy import on_demand

_HOMES = {
    "Footprint": ".validity.given",
    "Footprints": ".validity.footprints",
    "ValidityIndex": ".validity.index",
    "load": ".validity.loading",
    **dict.fromkeys(("ConnIndex", "winners_of"), ".validity.connections"),
    "available": ".validity.available",
    **dict.fromkeys(
        (
            *("CalinskiHarabasz", "WB", "PakhiraBandyopadhyayMaulik", "IIndex", "XieBeni"),
            *("DaviesBouldin", "GeneralizedDunn43", "GeneralizedDunn53", "CentroidSilhouette"),
            *("PartitionSeparation", "PCAES"),
        ),
        ".validity.indices",
    ),
    **dict.fromkeys(
        ("NegentropyIncrement", "CrossInformationPotential", "CrossEntropy"),
        ".validity.information",
    ),
}
_find = on_demand(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    return import_module("streamart.validity.batch") if name == "batch" else _find(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, "batch"})
