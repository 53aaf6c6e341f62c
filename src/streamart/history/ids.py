"""Permanent ids of clusters: which are alive, and which clusters took in the others.

This module reads the state of a network and changes nothing. A *position* (0 to k - 1) is the place
of a cluster in `labels_` and in arrays; it shifts when a cluster disappears. An *id* is never
reused, and is printed as ``#12``.
"""

from __future__ import annotations

import re

import numpy as np

from .._typing import Ints
from ..icvi.state import LIVE, State

_WRITTEN = re.compile(r"#\d+", re.ASCII)
_LISTED = 8  # living ids listed in an error message


class ClusterIdError(KeyError):
    """An id or name that no living cluster has. The message suggests the right one if it can."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would put the message in quotes


def shown(cluster: int) -> str:
    """An id as it is printed.

    >>> shown(12)
    '#12'
    """
    return f"#{cluster}"


def is_written_id(text: str) -> bool:
    """Whether this is an id as it is printed.

    >>> is_written_id("#12"), is_written_id("kitchen")
    (True, False)
    """
    return _WRITTEN.fullmatch(text) is not None


def cluster_ids(state: State) -> Ints:
    """The id of the cluster at each position."""
    ids: Ints = state.clu[LIVE, : int(state.now[0]["k"])]["id"].copy()
    return ids


def living(state: State, cluster: int) -> int:
    """The living id that took in an id, possibly through several mergers."""
    while state.successor[cluster] >= 0:
        cluster = int(state.successor[cluster])
    return cluster


def aliases(state: State) -> dict[int, int]:
    """The living id of every id that has ended, except for those that have faded."""
    given, alive = int(state.now[0]["ids"]), set(cluster_ids(state).tolist())
    ended = {i: living(state, i) for i in range(given) if state.successor[i] >= 0}
    return {i: now for i, now in ended.items() if now in alive}


def position(state: State, cluster: int) -> int:
    """Position of a living cluster."""
    return int(np.flatnonzero(cluster_ids(state) == cluster)[0])


def current_id(state: State, cluster: object) -> int:
    """The living id of any id ever given out, an integer or written ``"#12"``."""
    found = _checked(cluster)
    if not 0 <= found < int(state.now[0]["ids"]):
        raise ClusterIdError(_no_such_id(state, found))
    now = living(state, found)
    if now not in cluster_ids(state):
        raise ClusterIdError(f"Cluster {shown(now)} has faded: all its samples are forgotten.")
    return now


def living_id(state: State, cluster: object) -> int:
    """The same id if it is alive. Otherwise raise an error that names its successor."""
    found = _checked(cluster)
    now = current_id(state, found)
    if now != found:
        raise ClusterIdError(
            f"Cluster {shown(found)} has ended: its samples are now in {shown(now)}. "
            f"Use {shown(now)}.{_position_hint(state, found)}"
        )
    return now


def _checked(cluster: object) -> int:
    if isinstance(cluster, str) and is_written_id(cluster):
        return int(cluster[1:])
    if isinstance(cluster, (bool, np.bool_)) or not isinstance(cluster, (int, np.integer)):
        raise TypeError(f"A cluster must be an id (int) or a name (str), not {cluster!r}.")
    return int(cluster)


def _no_such_id(state: State, cluster: int) -> str:
    hint = _position_hint(state, cluster)
    if not hint:
        ids = sorted(cluster_ids(state).tolist())
        more = ", ..." if len(ids) > _LISTED else ""
        hint = f" Living clusters: {', '.join(map(shown, ids[:_LISTED]))}{more}."
    return f"There is no cluster {shown(cluster)}.{hint}"


def _position_hint(state: State, cluster: int) -> str:
    ids = cluster_ids(state)
    if not 0 <= cluster < len(ids):
        return ""
    return (
        f" Positions are not ids: the cluster at position {cluster} is {shown(int(ids[cluster]))}."
    )
