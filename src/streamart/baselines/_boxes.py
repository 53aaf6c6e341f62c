"""Base of the rivals of the ART family, whose boxes and state are those of the network (module A).

A box is kept in raw coordinates and normalised when it is used. This is equivalent to online
normalisation with weight re-scaling ("WS"; see `core/module_a.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._jit import jit
from .._typing import Floats, Ints
from ..core.categories import open_category, remove_others
from ..core.learn import predict
from ..estimators.checks import guard
from ..estimators.network import ICVITopoARTMAP
from ..estimators.parameters import core_params
from ..icvi.footprints import add_sample
from ..icvi.links import drop_links, has_room_for_links
from ..icvi.state import LIVE, MEAN, MEAN_ALL, Room, State, allocate, moved, room_of
from ..validity.registration import BY_NAME
from ..views import Categories, categories_of
from ._base import Baseline


@jit
def has_room(s: State, links: int) -> bool:
    """Whether there is room for one more category and this number of links."""
    return s.now[0]["categories"] < s.cat.shape[0] and has_room_for_links(s, links)


@jit
def unmark(s: State) -> None:
    """Clear all marks, before a search or a removal."""
    for p in range(s.now[0]["categories"]):
        s.cat[p]["mark"] = 0


@jit
def open_box(s: State, x: Floats, cluster: int) -> int:
    """Open a category at x; returns its row."""
    p = open_category(s, x)
    s.label[LIVE, p] = cluster
    return p


@jit
def count_sample(s: State, p: int, x: Floats) -> None:
    """Add x to the footprint of category p and to that of all samples."""
    add_sample(s.cat[p], s.box[MEAN, p], x)
    add_sample(s.now[0], s.feature[MEAN_ALL], x)
    s.cat[p]["won"] = s.now[0]["n"]


@jit
def remove_marked(s: State) -> None:
    """Remove categories with mark 1; the others have mark 0. Rows change, but not the order."""
    kept = 0
    for place in range(s.now[0]["categories"]):
        row = s.order[place]
        if s.cat[row]["mark"] == 0:
            s.order[kept] = row
            kept += 1
        else:
            drop_links(s, row)
    remove_others(s, kept)


class BoxBaseline(Baseline):
    """A rival whose categories are boxes."""

    _state: State

    def _network_params(self) -> dict[str, Any]:
        """The parameters that the rival shares with the network, by the network's names."""
        raise NotImplementedError

    def _empty(self, d: int) -> State:
        given = ICVITopoARTMAP().get_params() | self._network_params()
        params = core_params(type(self).__name__, given)
        return allocate(BY_NAME["ch"], params, d, Room(tables=0, plain=True))

    def _run(self, program: Callable[..., Any], state: State, X: Floats, *settings: Any) -> State:
        """Learn all samples with a program that returns early when arrays are full."""
        reached = 0
        while reached < len(X):
            reached = program(state, X, *settings, reached)
            if reached < len(X):
                room = room_of(state)
                if state.now[0]["categories"] == room.categories:
                    room = room._replace(categories=2 * room.categories)
                else:
                    room = room._replace(links=2 * room.links)
                state = moved(state, room)
        return state

    def _categories_of(self, X: Floats, among: State | None = None) -> Ints:
        """Row of the most activated category for each sample, without vigilance."""
        rows = np.empty(len(X), dtype=np.int64)
        predict(self._state if among is None else among, X, rows, np.empty(0))
        return rows

    def _clusters_of(self, X: Floats) -> Ints:
        clusters: Ints = self._state.label[LIVE, self._categories_of(X)]
        return clusters

    # ------------------------------------------------------------------ what can be read

    @property
    def n_clusters_(self) -> int:
        return int(self._fitted().now[0]["k"])

    @property
    def n_categories_(self) -> int:
        return int(self._fitted().now[0]["categories"])

    @property
    def n_samples_seen_(self) -> int:
        return int(self._fitted().now[0]["n"])

    @property
    def categories_(self) -> Categories:
        with guard(self):
            return categories_of(self._fitted())
