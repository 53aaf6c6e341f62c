"""Clusters that keep their id and their name, and a record of what changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ._typing import Ints, Records
from .core import events as core_events
from .icvi.state import LIVE, Room, State, allocate, moved, room_of
from .network import Network

EVENT_BUFFER = 4096
"""Events kept by ``record_events=True``."""

KINDS = (
    "created",
    "merged",
    "split",
    "moved",
    "pruned",
    "compressed",
    "named",
    "vigilance raised",
    "vigilance restored",
)


class Event(NamedTuple):
    """One change.

    `ids`, `amount` by kind:

    - created: the new cluster; its samples.
    - merged, pruned: the cluster that ended, the one that it went into; its samples.
    - split: the cluster, the new one that came out of it; samples of the new one.
    - moved: from which cluster, to which; samples that moved.
    - compressed: the cluster; how many categories fewer.
    - named: the cluster; 0.
    - vigilance raised, restored: none; the vigilance now.

    `before` is the index before the sample arrived (or the person's correction), `after` when the
    change was made. What a step does and undoes itself is no change.
    """

    number: int
    """Counts all events of the model, from 0: a gap means that some were overwritten."""
    sample: int
    """Number of the sample, from 1, that it happened with or after."""
    kind: str
    ids: tuple[int, ...]
    amount: float
    before: float
    after: float


Listener = Callable[[Event], Any]


class Identity(Network):
    """Permanent ids, names, aliases, events.

    `labels_` are places of clusters, 0 to k - 1, and shift when one disappears;
    ``cluster_ids_[labels_]`` are ids, which do not.
    """

    record_events: bool | int
    _unheard: list[Event]

    def _forget(self) -> None:
        """A new stream begins."""
        for name in (
            "_state",
            "_said",
            "_corrections",
            "_names_given",
            "_seen",
            "_unheard",
            "history_",
        ):
            self.__dict__.pop(name, None)

    # ------------------------------------------------------------------ ids

    @property
    def cluster_ids_(self) -> Ints:
        with self._guard():
            k = int(self._now()["k"])
            ids: Ints = self._state.clu[LIVE, :k]["id"].copy()
            return ids

    def _id_at(self, place: int) -> int:
        """The id of a cluster of which the place has just been found."""
        return int(self._state.clu[LIVE, place]["id"])

    @property
    def aliases_(self) -> dict[int, int]:
        with self._guard():
            given = int(self._now()["ids"])
            return {i: self._living(i) for i in range(given) if self._state.heir[i] >= 0}

    def resolve(self, cluster: int | str) -> int:
        """The living cluster that an id ever given out, or a name, stands for today.

        Examples
        --------
        >>> from streamart import ICVITopoARTMAP
        >>> model = ICVITopoARTMAP().partial_fit([[0.0, 0], [9, 9], [0, 1], [8, 9]])
        >>> model.rename(model.cluster_ids_[0], "boiler room")
        >>> model.resolve("boiler room")
        0
        """
        with self._guard():
            return self._resolve(cluster)

    def _resolve(self, cluster: int | str) -> int:
        given = int(self._now()["ids"])
        if isinstance(cluster, str):
            for i, name in self.names_.items():
                if name == cluster:
                    return i
            for i, name in self._names_by_id().items():  # one that gave way in a merger
                if name == cluster:
                    return self._living(i)
            raise KeyError(f"No cluster is called {cluster!r}.")
        if isinstance(cluster, (bool, np.bool_)) or not isinstance(cluster, (int, np.integer)):
            raise TypeError(f"A cluster is an id (int) or a name (str), not {cluster!r}.")
        if not 0 <= cluster < given:
            raise KeyError(f"No cluster has ever had the id {cluster}.")
        return self._living(int(cluster))

    def _living(self, cluster: int) -> int:
        """Follows heirs to the end. Paths are short: every step of one is a merger."""
        heir = self._state.heir
        while heir[cluster] >= 0:
            cluster = int(heir[cluster])
        return cluster

    def _place(self, cluster: int | str) -> int:
        """Where the cluster is among ``cluster_ids_``."""
        return int(np.flatnonzero(self.cluster_ids_ == self.resolve(cluster))[0])

    # ------------------------------------------------------------------ names

    @property
    def names_(self) -> dict[int, str]:
        """Names of living clusters, by id."""
        with self._guard():
            return self._living_names()

    def _living_names(self) -> dict[int, str]:
        self._now()
        found: dict[int, str] = {}
        by_id = self._names_by_id()
        # The cluster's own name first; of those that it inherited, the one of the oldest id.
        for i in sorted(by_id, key=lambda i: (self._state.heir[i] >= 0, i)):
            found.setdefault(self._living(i), by_id[i])
        hinted = self._hinted_names()
        found = {i: name for i, name in found.items() if name not in hinted.values()}
        return dict(sorted((found | hinted).items()))

    def rename(self, cluster: int | str, name: str | None) -> None:
        """Give a cluster a name, which follows it through mergers and splits; None takes it away.

        When two clusters with names merge, the one that keeps its id keeps its name; `resolve`
        knows the other name too.
        """
        with self._guard():
            living = self.resolve(cluster)
            if name is not None and (not isinstance(name, str) or not name):
                raise TypeError(f"A name is a string that is not empty, not {name!r}.")
            owner = {value: i for i, value in self.names_.items()}.get(name) if name else None
            if owner is not None and owner != living:
                raise ValueError(f"Cluster {owner} is called {name!r} already.")
            self._set_name(living, None if name is None else str(name))
            self._tell()

    def _set_name(self, living: int, name: str | None) -> None:
        by_id, shown = self._names_by_id(), self.names_.get(living)
        for i in list(by_id):
            if by_id[i] == name or (by_id[i] == shown and self._living(i) == living):
                del by_id[i]
        if name is not None:
            by_id[living] = name
            self._note("named", (living,), 0.0)

    def _names_by_id(self) -> dict[int, str]:
        names: dict[int, str] = self.__dict__.setdefault("_names_given", {})
        return names

    def _hinted_names(self) -> dict[int, str]:
        """Names that come with hints, by the id of the cluster where their samples are."""
        return {}

    # ------------------------------------------------------------------ events

    def _event_room(self) -> int:
        wanted = self.record_events
        return EVENT_BUFFER if wanted is True else int(wanted)

    def _empty(self, params: Records, d: int) -> State:
        """A network that has learnt nothing."""
        return allocate(self._core_index(), params, d, Room(events=self._event_room()))

    def _with_ring(self, state: State) -> State:
        """The state with the room for events that `record_events` asks for."""
        wanted, there = self._event_room(), len(state.event)
        if wanted > there or (there and not wanted):
            now = state.now[0]
            now["first_event"] = max(now["first_event"], now["events"] - there)
            state = moved(state, room_of(state)._replace(events=wanted))
        state.now[0]["listeners"] = bool(self.__dict__.get("_listeners"))
        return state

    def _recorded(self) -> range:
        """Numbers of the events that are kept."""
        now = self._now()
        count, first = int(now["events"]), int(now["first_event"])
        return range(max(first, count - min(len(self._state.event), self._event_room())), count)

    @property
    def events_(self) -> list[Event]:
        """The latest events, oldest first."""
        with self._guard():
            return [self._event(number) for number in self._recorded()]

    def new_events(self) -> Iterator[Event]:
        """The events that this has not yielded before, oldest first.

        At most as many as the buffer holds (`record_events`); if more came, the oldest are lost,
        which a gap in `Event.number` shows.

        Examples
        --------
        >>> from streamart import ICVITopoARTMAP
        >>> model = ICVITopoARTMAP(record_events=True)
        >>> model = model.partial_fit([[0.0, 0], [9, 9], [0, 1], [8, 9]])
        >>> [(event.sample, event.kind, event.ids) for event in model.new_events()]
        [(1, 'created', (0,)), (2, 'created', (1,)), (3, 'vigilance raised', ())]
        >>> list(model.new_events())
        []
        """
        self._now()
        while True:
            with self._guard():
                waiting = [n for n in self._recorded() if n >= self.__dict__.get("_seen", 0)]
                if not waiting:
                    return
                event = self._event(waiting[0])
                self._seen = waiting[0] + 1
            yield event

    def on_event(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every event, from now on; returns a function that ends that.

        While there are listeners, none of their events is lost, however small the buffer. They are
        called in the thread that learns, when all samples of the call have been learnt, and may use
        the model. A listener that fails ends the call with its error; what was learnt stays, and
        what was not told yet is told after the next call. Listeners are not copied or saved.
        """
        if not self._event_room():
            raise ValueError("Events are not recorded. Make the model with record_events=True.")
        if not callable(listener):
            raise TypeError(f"A listener is a function of one event, not {listener!r}.")
        with self._guard():
            listeners: list[Listener] = self.__dict__.setdefault("_listeners", [])
            if "_state" in self.__dict__:
                if not listeners:
                    self._state.now[0]["handed"] = self._state.now[0]["events"]
                listeners.append(listener)
                self._state = self._with_ring(self._state)
            else:
                listeners.append(listener)

        def end() -> None:
            with self._guard():
                if listener in listeners:
                    listeners.remove(listener)
                    if "_state" in self.__dict__:
                        self._state = self._with_ring(self._state)

        return end

    def _collect(self, state: State) -> None:
        now = state.now[0]
        if self.__dict__.get("_listeners"):
            unheard: list[Event] = self.__dict__.setdefault("_unheard", [])
            for number in range(int(now["handed"]), int(now["events"])):
                unheard.append(self._event(number, state))
        now["handed"] = now["events"]

    def _tell(self) -> None:
        """Listeners hear what they have not heard. What one of them does is told after that."""
        self._collect(self._state)
        if not self.__dict__.get("_unheard") or self.__dict__.get("_telling"):
            return
        self._telling = True
        try:
            while self._unheard:
                event = self._unheard.pop(0)
                for listener in tuple(self.__dict__.get("_listeners", ())):
                    listener(event)
        finally:
            del self._telling

    def _event(self, number: int, state: State | None = None) -> Event:
        state = self._state if state is None else state
        record = state.event[number % len(state.event)]
        return Event(
            number=number,
            sample=int(record["sample"]),
            kind=KINDS[record["kind"]],
            ids=tuple(int(i) for i in (record["first"], record["second"]) if i >= 0),
            amount=float(record["amount"]),
            before=self._index(float(record["before"])),
            after=self._index(float(record["after"])),
        )

    def _note(
        self, kind: str, ids: tuple[int, ...], amount: float, before: float | None = None
    ) -> None:
        """Record a change that was made here and not in the core; telling is left to the caller."""
        now, ring = self._state.now[0], self._state.event
        if len(ring):
            first, second = (*ids, -1, -1)[:2]
            after = now["goodness"]
            before = after if before is None else before
            ring[now["events"] % len(ring)] = (
                now["n"], KINDS.index(kind), first, second, amount, before, after,
            )  # fmt: skip
            now["events"] += 1
            self._collect(self._state)


assert KINDS.index("vigilance restored") == core_events.RESTORED
