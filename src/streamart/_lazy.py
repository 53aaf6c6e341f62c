"""Import the names of a package when they are first used."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def on_demand(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package. `homes` has the module of each name, or the name itself if
    it is a module."""

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = import_module(f".{homes[name]}", package)
        return home if homes[name] == name else getattr(home, name)

    return find
