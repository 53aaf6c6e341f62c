"""The network without shortcuts: every merger and move is valued by the index itself."""

from typing import NamedTuple

from streamart import ICVITopoARTMAP
from streamart.icvi.registry import BY_NAME, register


class CHByValue(NamedTuple):
    """The marker of CH, which is not known to depend on WGSS alone."""


class WBByValue(NamedTuple):
    """The same of WB."""


for name, marker in (("ch", CHByValue), ("wb", WBByValue)):
    register(BY_NAME[name]._replace(name=f"{name} by value", marker=marker, by_scatter=False))


class ByValue(ICVITopoARTMAP):
    """The same network with every shortcut left out."""

    def _core_index(self):
        return BY_NAME[f"{self.icvi} by value"]
