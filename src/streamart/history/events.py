"""Events: records of what changed in a model, and the functions that are called with them.

The compiled core writes events into a ring buffer in the state of the network. This module reads
them, adds those that a person causes, and calls listeners. It changes nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..core import events as core_events
from ..icvi.state import State, moved, room_of
from .ids import shown

EVENT_BUFFER = 4096
"""Number of events kept with ``record_events=True``."""

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
    "faded",
)
assert KINDS.index("faded") == core_events.FADED

_SENTENCES = {
    "created": "{0} was created with {samples}",
    "merged": "{0} was merged into {1} ({samples})",
    "split": "{1} was split off from {0} ({samples})",
    "moved": "{samples} moved from {0} to {1}",
    "pruned": "{0} was pruned into {1} ({samples})",
    "compressed": "{0} was compressed ({amount} fewer categories)",
    "named": "{0} was named",
    "vigilance raised": "vigilance raised to {amount}",
    "vigilance restored": "vigilance restored to {amount}",
    "faded": "{0} faded away",
}


class Event(NamedTuple):
    """One change.

    What `ids` (permanent ids of clusters) and `amount` mean for each kind:

    - created: the new cluster; its samples.
    - merged, pruned: the cluster that ended, the one that took it in; samples of the first.
    - split: the cluster, the new part; samples of the new part.
    - moved: the old cluster, the new one; samples that moved.
    - compressed: the cluster; by how many categories.
    - named: the cluster; 0.
    - vigilance raised, restored: none; the vigilance now.
    - faded: the cluster, all of whose samples have been forgotten; 0.

    `before` is the index before the sample (or the correction by a person), `after` the index after
    the change. A change that is undone within the same step is not an event.

    >>> print(Event(3, 250, "merged", (1, 0), 40.0, 11.5, 12.5))
    sample 250: #1 was merged into #0 (40 samples)
    """

    number: int
    """Counts all events of the model, from 0: a gap means that some were overwritten."""
    sample: int
    """Number, from 1, of the last sample learnt before the event or with it."""
    kind: str
    ids: tuple[int, ...]
    amount: float
    before: float
    after: float

    def __str__(self) -> str:
        amount = f"{self.amount:,.10g}"
        samples = f"{amount} sample{'' if self.amount == 1 else 's'}"
        ids = map(shown, self.ids)
        what = _SENTENCES[self.kind].format(*ids, amount=amount, samples=samples)
        return f"sample {self.sample}: {what}"


Listener = Callable[[Event], object]


def event_room(record_events: bool | int) -> int:
    """How many events to keep, from the parameter `record_events`."""
    return EVENT_BUFFER if record_events is True else int(record_events)


def with_ring(state: State, wanted: int, listeners: bool) -> State:
    """The state with room for this number of events. With `listeners`, no event may be overwritten
    before they have been called with it."""
    there = len(state.event)
    if wanted > there or (there and not wanted):
        now = state.now[0]
        now["first_event"] = max(now["first_event"], now["events"] - there)
        state = moved(state, room_of(state)._replace(events=wanted))
    state.now[0]["listeners"] = listeners and len(state.event) > 0
    return state


def recorded(state: State, wanted: int) -> range:
    """Numbers of the events that are still kept."""
    count, first = int(state.now[0]["events"]), int(state.now[0]["first_event"])
    return range(max(first, count - min(len(state.event), wanted)), count)


def read_event(state: State, number: int, sign: int) -> Event:
    """The event with this number; `sign` converts the core's goodness to the index."""
    record = state.event[number % len(state.event)]
    return Event(
        number=number,
        sample=int(record["sample"]),
        kind=KINDS[record["kind"]],
        ids=tuple(int(i) for i in (record["first"], record["second"]) if i >= 0),
        amount=float(record["amount"]),
        before=sign * float(record["before"]),
        after=sign * float(record["after"]),
    )


def note_event(
    state: State, kind: str, ids: tuple[int, ...], amount: float, before: float | None = None
) -> None:
    """Record a change that a person made."""
    now, ring = state.now[0], state.event
    if len(ring):
        first, second = (*ids, -1, -1)[:2]
        after = now["goodness"]
        before = after if before is None else before
        ring[now["events"] % len(ring)] = (
            now["n"], KINDS.index(kind), first, second, amount, before, after,
        )  # fmt: skip
        now["events"] += 1


class EventLog:
    """Listeners, and the events that they have not been called with. Copies have no listeners."""

    def __init__(self) -> None:
        self.listeners: list[Listener] = []
        self.seen = 0
        """Events before this one have been yielded by `new_events`."""
        self._unheard: list[Event] = []
        self._telling = False

    def restart(self) -> None:
        """Begin a new stream; listeners stay."""
        self.seen = 0
        self._unheard.clear()

    def collect(self, state: State, sign: int) -> None:
        """Copy the events that listeners still wait for, before the ring buffer is overwritten."""
        now = state.now[0]
        if self.listeners:
            for number in range(int(now["handed"]), int(now["events"])):
                self._unheard.append(read_event(state, number, sign))
        now["handed"] = now["events"]

    def add(self, listener: Listener, state: State | None) -> Callable[[], None]:
        """Call the listener with every event from now on; returns a function that removes it."""
        if not callable(listener):
            raise TypeError(f"A listener must be a function of one event, not {listener!r}.")
        if state is not None:
            if not self.listeners:
                state.now[0]["handed"] = state.now[0]["events"]
            state.now[0]["listeners"] = 1
        self.listeners.append(listener)

        def end() -> None:
            if listener in self.listeners:
                self.listeners.remove(listener)

        return end

    def next_unseen(self, state: State, wanted: int, sign: int) -> Event | None:
        """The oldest event that no earlier call has returned; None if there is none."""
        kept = recorded(state, wanted)
        number = max(kept.start, self.seen)
        if number >= kept.stop:
            return None
        self.seen = number + 1
        return read_event(state, number, sign)

    def is_due(self, state: State) -> bool:
        """Whether there are events that listeners have not been called with."""
        now = state.now[0]
        return bool(self.listeners) and (now["events"] != now["handed"] or bool(self._unheard))

    def tell(self, state: State, sign: int) -> None:
        """Call the listeners with all waiting events, and then with events that they caused."""
        self.collect(state, sign)
        if self._telling:
            return
        self._telling = True
        try:
            while self._unheard:
                event = self._unheard.pop(0)
                for listener in tuple(self.listeners):
                    listener(event)
        finally:
            self._telling = False

    def __getstate__(self) -> dict[str, Any]:
        return {"seen": self.seen}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__init__()  # type: ignore[misc]
        self.seen = kept["seen"]
