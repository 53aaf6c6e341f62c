"""Names of clusters, given by `rename` or by hints.

This module reads the state of a network and the book of hints, and changes neither. A name follows
its cluster through mergers and splits.
"""

from __future__ import annotations

from ..history.ids import ClusterIdError, cluster_ids, current_id, is_written_id, living, living_id
from ..icvi.state import State
from .hints import HintBook


def hinted_names(state: State, book: HintBook) -> dict[int, str]:
    """Names given by hints, by the id of the cluster that has their samples."""
    ids = cluster_ids(state)
    found = {name: int(state.classes[group]["cluster"]) for name, group in book.names.items()}
    return {int(ids[place]): name for name, place in found.items() if place >= 0}


class Names:
    """Names given by `rename`, by the id at that time."""

    def __init__(self) -> None:
        self.given: dict[int, str] = {}

    def of_living(self, state: State, book: HintBook) -> dict[int, str]:
        """The name of each living cluster that has one, by id."""
        found: dict[int, str] = {}
        # A cluster's own name comes first; of inherited names, that of the oldest id.
        alive = set(cluster_ids(state).tolist())
        for i in sorted(self.given, key=lambda i: (state.successor[i] >= 0, i)):
            if living(state, i) in alive:
                found.setdefault(living(state, i), self.given[i])
        hinted = hinted_names(state, book)
        found = {i: name for i, name in found.items() if name not in hinted.values()}
        return dict(sorted((found | hinted).items()))

    def resolve(self, state: State, book: HintBook, cluster: int | str) -> int:
        """Id of the present cluster that a name or an id, even an ended one, refers to."""
        if isinstance(cluster, str) and not is_written_id(cluster):
            return self._called(state, book, cluster)
        return current_id(state, cluster)

    def living_id(self, state: State, book: HintBook, cluster: int | str) -> int:
        """The same, but an id that has ended raises an error, which names its successor."""
        if isinstance(cluster, str) and not is_written_id(cluster):
            return self._called(state, book, cluster)
        return living_id(state, cluster)

    def _called(self, state: State, book: HintBook, name: str) -> int:
        for i, shown in self.of_living(state, book).items():
            if shown == name:
                return i
        for i, given in self.given.items():  # its cluster merged into one with another name
            if given == name:
                return living(state, i)
        raise ClusterIdError(f"No cluster is called {name!r}.")

    def owner(self, state: State, book: HintBook, name: str | None) -> int | None:
        """The cluster with this name, if there is one."""
        found = {shown: i for i, shown in self.of_living(state, book).items()}
        return None if name is None else found.get(name)

    def set(self, state: State, book: HintBook, cluster: int, name: str | None) -> None:
        """Name a living cluster; None removes its name."""
        shown = self.of_living(state, book).get(cluster)
        for i in list(self.given):
            if self.given[i] == name or (self.given[i] == shown and living(state, i) == cluster):
                del self.given[i]
        if name is not None:
            self.given[cluster] = name
