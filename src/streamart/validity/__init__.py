"""Validity indices on their own: footprints of anybody's clusters, every index, and batch forms.

`streamart.icvi` shows what is here to users: ``from streamart import icvi``. All of it is imported
when it is first used.
"""

from importlib import import_module
from typing import Any

from .._lazy import on_demand

_HOMES = {
    "Footprint": "given",
    "Footprints": "footprints",
    "ValidityIndex": "index",
    "ConnIndex": "connections",
    "winners_of": "connections",
    "available": "catalogue",
    "load": "loading",
    **dict.fromkeys(
        (
            *("CalinskiHarabasz", "WB", "PakhiraBandyopadhyayMaulik", "IIndex", "XieBeni"),
            *("DaviesBouldin", "GeneralizedDunn43", "GeneralizedDunn53", "CentroidSilhouette"),
            *("PartitionSeparation", "PCAES"),
        ),
        "indices",
    ),
    **dict.fromkeys(
        ("NegentropyIncrement", "CrossInformationPotential", "CrossEntropy"), "information"
    ),
}
__all__ = ["batch", *_HOMES]
_find = on_demand(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    return import_module(f"{__name__}.batch") if name == "batch" else _find(name)
