"""The input from which `derivation.derive` derives clusters, and room for them in the state."""

from __future__ import annotations

import numpy as np

from .._typing import Floats
from ..derivation.geometry import PartitionInput
from ..icvi.state import State, moved, room_of
from ..people.hints import HintBook
from ..views import rows_of, table_of_links
from .measure import Extent


def partition_input(
    state: State,
    book: HintBook,
    n: Floats,
    mean: Floats,
    cp: Floats,
    weight: float,
    extent: Extent,
) -> PartitionInput:
    """The categories with these footprints and their hints. `weight` is the weight of one link in
    CONN."""
    rows = rows_of(state)
    count = len(rows)
    conn, apart = table_of_links(state) / weight, np.zeros((count, count))
    groups = state.cat["group"][rows].tolist()
    root = np.array([book.root(g) if g >= 0 else -1 for g in groups], dtype=np.int64)
    for group in np.unique(root[root >= 0]):
        apart[np.ix_(root == group, np.isin(root, book.apart_from(int(group))))] = 1.0
    lost = conn.diagonal().copy()
    np.fill_diagonal(conn, 0.0)
    return PartitionInput(n, np.ascontiguousarray(mean), cp, conn, lost, root, apart, *extent)


def with_room_for(state: State, k: int, apart: bool) -> State:
    """The state with room for `k` clusters and, if needed, for the table of which to keep apart."""
    now, room = state.now[0], room_of(state)
    clusters = max(k, int(now["settled_k"])) + 2
    wanted = room._replace(
        clusters=_doubled(room.clusters, clusters),
        ids=_doubled(room.ids, int(now["ids"]) + clusters),
        apart=apart or room.apart,
    )
    return state if wanted == room else moved(state, wanted)


def _doubled(room: int, wanted: int) -> int:
    while room < wanted:
        room *= 2
    return room
