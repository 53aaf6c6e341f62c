"""Incremental cluster validity indices: for the network here, and for any clustering.

Users find what is in `streamart.validity` here, imported when it is first used:
``from streamart import icvi; print(list(icvi.available()))``.
"""

from importlib import import_module
from typing import Any

SHOWN = "streamart.validity"


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(SHOWN), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *import_module(SHOWN).__all__})
