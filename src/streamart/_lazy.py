"""Names of a package that are imported when they are first used."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def on_demand(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The package's ``__getattr__``; `homes` says in which of its modules a name is, or
    that it is one."""

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = import_module(f".{homes[name]}", package)
        return home if homes[name] == name else getattr(home, name)

    return find
