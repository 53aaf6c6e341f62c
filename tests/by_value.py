"""The network without shortcuts: it computes the index for every merger and move."""

from typing import NamedTuple

from streamart import ICVITopoARTMAP
from streamart.engines.network import NetworkEngine
from streamart.icvi.registry import BY_NAME, register
from streamart.icvi.state import allocate, room_of


class CHByValue(NamedTuple):
    """Marker of CH without `by_scatter`, so that no shortcut applies."""


class WBByValue(NamedTuple):
    """Marker of WB without `by_scatter`."""


for name, marker in (("ch", CHByValue), ("wb", WBByValue)):
    register(BY_NAME[name]._replace(name=f"{name} by value", marker=marker, by_scatter=False))


class ByValue(ICVITopoARTMAP):
    """The same network with every shortcut left out."""

    def _new_engine(self, n_features):
        state = super()._new_engine(n_features).state
        index = BY_NAME[f"{self.icvi} by value"]
        room = room_of(state)._replace(tables=2)
        return NetworkEngine(allocate(index, state.params, n_features, room))

    def _refuse_change(self):
        """Its index is not the one that the parameter names."""
