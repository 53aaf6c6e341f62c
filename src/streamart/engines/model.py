"""Model: an engine with the names and corrections that people gave.

It learns batches, delivers events to listeners, and brings the clusters up to date before they are
read.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Generic, Self, TypeVar

import numpy as np
from scipy.sparse import csr_array

from .._typing import Floats, Ints
from ..data.encoding import Columns
from ..history.events import Event, EventLog, read_event, recorded, with_ring
from ..history.ids import aliases, cluster_ids
from ..icvi.state import LIVE, State
from ..people.corrections import Corrections
from ..people.explain import Suggestion, merge_suggestions
from ..people.hints import Hints
from ..people.names import Names
from ..people.plan import Plan, plan_hints
from ..people.profiles import Profile, profiles_of
from ..views import Categories, Clusters, categories_of, clusters_of, conn_of, rows_of
from .engine import Collect, Engine

EngineType = TypeVar("EngineType", bound=Engine)


class Model(Generic[EngineType]):
    """What was learnt of a stream, with names and corrections."""

    def __init__(self, engine: EngineType) -> None:
        self.engine = engine
        self.names = Names()
        self.corrections = Corrections()

    def plan(self, hints: Hints) -> Plan:
        """What the hints for a batch require. Raises HintError if they contradict each other."""
        engine = self.engine
        state = engine.state if engine.state.now[0]["n"] else None
        return plan_hints(
            hints,
            engine.book,
            self.names,
            state,
            engine.rows_taken(),
            engine.holds_whole_clusters,
        )

    def learn(
        self, X: Floats, classes: Ints, plan: Plan | None, log: EventLog, history: Floats
    ) -> None:
        """Learn a checked batch. Rows are written to `history` unless that is empty."""
        self.collect(log)
        self.engine.learn(X, classes, history, plan, self._collecting(log))

    def _collecting(self, log: EventLog) -> Collect:
        return lambda state: log.collect(state, self.engine.sign)

    def end_fit(self, X: Floats) -> None:
        """After `fit`, assign its samples to the final clusters."""
        engine = self.engine
        if engine.sample_rows is not None:
            engine.sample_rows = engine.rows_after_fit(X, engine.sample_rows)

    def learn_one(self, sample: Floats, log: EventLog) -> int:
        """Learn one sample, an array of one row, and return the position of its cluster."""
        return self.engine.learn_one(sample, self._collecting(log))

    def bring_up_to_date(self, log: EventLog) -> None:
        """Derive the clusters if they are out of date, and tell listeners about changes."""
        if not self.engine.is_derived:
            self.collect(log)
            self.engine.derive()
            log.tell(self.engine.state, self.engine.sign)

    # ------------------------------------------------------------------ events

    def make_ring(self, wanted: int, log: EventLog) -> None:
        """Make room for this number of events."""
        self.engine.state = with_ring(self.engine.state, wanted, bool(log.listeners))

    def collect(self, log: EventLog) -> None:
        log.collect(self.engine.state, self.engine.sign)

    def tell(self, log: EventLog) -> None:
        """Deliver events to listeners."""
        if log.listeners:
            self.bring_up_to_date(log)
        log.tell(self.engine.state, self.engine.sign)

    # ------------------------------------------------------------------ attributes

    @property
    def state(self) -> State:
        return self.engine.state

    def n_samples(self) -> int:
        return int(self.state.now[0]["n"])

    def n_clusters(self) -> int:
        return int(self.state.now[0]["k"])

    def n_categories(self) -> int:
        return int(self.state.now[0]["categories"])

    def labels(self) -> Ints:
        """Position of the cluster of each sample in the last call; -1 if it was set aside."""
        rows = self.engine.sample_rows
        if rows is None:
            rows = self.state.now["winner"][:1]
        return np.where(rows < 0, -1, self.state.label[LIVE, rows])

    def ids(self) -> Ints:
        """Permanent id of the cluster of each sample of the last call."""
        return self.ids_at(self.labels())

    def ids_at(self, positions: Ints) -> Ints:
        """Permanent ids of the clusters at these positions; -1 stays -1."""
        ids: Ints = np.append(self.cluster_ids(), -1)[positions]
        return ids

    def cluster_ids(self) -> Ints:
        """Permanent id of the cluster at each position."""
        return cluster_ids(self.state)

    def aliases(self) -> dict[int, int]:
        """For each id that has ended, the id of the cluster that took it in."""
        return aliases(self.state)

    def living_names(self) -> dict[int, str]:
        """Names of the present clusters, by id."""
        return self.names.of_living(self.state, self.engine.book)

    def resolve(self, cluster: int | str) -> int:
        """Id of the present cluster that a name or an id, even an ended one, refers to."""
        return self.names.resolve(self.state, self.engine.book, cluster)

    def icvi_value(self) -> float:
        """Value of the validity index."""
        return self.engine.icvi_value()

    def categories(self) -> Categories:
        return categories_of(self.state)

    def clusters(self) -> Clusters:
        return clusters_of(self.state)

    def conn(self) -> csr_array:
        """CONN: how often two categories were first and second winner together."""
        return conn_of(self.state)

    def nearest(self, X: Floats, outliers: bool) -> Ints:
        """Position of the cluster of each sample; -1 for samples with too few values and, if
        `outliers`, for outliers. Nothing is learnt."""
        labels: Ints = self.state.label[LIVE, self.engine.nearest(X)]
        if outliers:
            labels = np.where(self.engine.is_outlier(X), -1, labels)
        return np.where(self.engine.is_usable(X), labels, -1)

    def events(self, wanted: int) -> list[Event]:
        """The latest events, at most `wanted`, oldest first."""
        numbers = recorded(self.state, wanted)
        return [read_event(self.state, number, self.engine.sign) for number in numbers]

    def next_event(self, log: EventLog, wanted: int) -> Event | None:
        """The oldest event that the log has not given out yet; None if there is none."""
        return log.next_unseen(self.state, wanted, self.engine.sign)

    def profiles(self, columns: Columns) -> list[Profile]:
        """What sets each cluster apart, largest cluster first."""
        sizes, labels = self.clusters().n, self.state.label[LIVE, rows_of(self.state)]
        return profiles_of(
            self.engine.footprints(),
            labels,
            self.cluster_ids(),
            sizes,
            self.living_names(),
            columns,
        )

    def merge_suggestions(self, limit: int | None) -> list[Suggestion]:
        engine, now = self.engine, self.icvi_value()
        return merge_suggestions(self.state, engine.index_if_merged(), now, engine.sign, limit)

    def copied(self) -> Self:
        """A copy that shares no data with this model and has no listeners."""
        twin = type(self)(self.engine.copied())
        twin.names, twin.corrections = deepcopy(self.names), deepcopy(self.corrections)
        return twin
