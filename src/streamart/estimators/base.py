"""OnlineClusterer: scikit-learn's interface around a model, shared by our clusterers.

Checks the input and passes it to the model. A subclass defines the parameters and the engine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .._typing import Floats, Ints
from ..core.learn import all_within
from ..data.encoding import Columns
from ..data.tables import frame_of_profiles
from ..engines.engine import NO_CLASSES, empty_history, extended_history
from ..engines.model import EngineType, Model
from ..history.events import Event, EventLog, Listener, event_room
from ..icvi.state import State
from ..people.explain import Suggestion
from ..people.hints import HintFields, Hints, checked_hints
from ..people.plan import Plan
from ..people.profiles import Profile
from .checks import GREATEST, checked_labels, checked_samples, checking, guard, new_stream
from .reading import Reading

if TYPE_CHECKING:
    import pandas as pd


class OnlineClusterer(BaseEstimator, Generic[EngineType]):
    """Learning, prediction, ids, names, events and corrections of an online clusterer."""

    record_history: bool = False
    record_events: bool | int
    history_: dict[str, Floats | Ints]
    n_features_in_: int
    _model: Model[EngineType]

    # ------------------------------------------------------------------ what a subclass defines

    def _new_engine(self, n_features: int) -> EngineType:
        """A new engine. Raises ValueError if parameters contradict each other."""
        raise NotImplementedError

    def _refuse_change(self) -> None:
        """Raise ValueError if a parameter changed that must stay the same during a stream."""

    def _set_parameters(self, learning: bool) -> None:
        """Pass parameters that may change to the engine, before it learns or is read."""

    # ------------------------------------------------------------------ learning

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Learn a stream from the beginning and forget everything learnt before.

        Ids start at 0 again; names, hints and events are forgotten, too.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples, in the order of their arrival.
        y : Ignored
            Supervised labels go to `partial_fit`.
        """
        self._validate_params()
        with guard(self):
            with checking(self):
                samples = checked_samples(self, X, reset=True, learning=True)
                model = Model(self._new_engine(samples.shape[1]))
            with new_stream(self, self._log, model):
                self._learn(samples, NO_CLASSES, None)
            model.end_fit(samples)
            self._current()
        return self

    def fit_predict(self, X: ArrayLike, y: object = None) -> Ints:
        """Call `fit` and return `labels_`, the position of each sample's cluster."""
        return self.fit(X).labels_

    def partial_fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, hints: Hints | HintFields | None = None
    ) -> Self:
        """Learn a batch. A batch that is refused leaves the model unchanged.

        The size of the batches does not change what is learnt, but with StreamART it decides when
        clusters are derived, and so which ids they get.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            Supervised labels: integers from 0, and -1 for a sample without one. A label decides
            the cluster of its sample, as in the paper; strategies may change that cluster later.
            Hints, in contrast, hold for ever.
        hints : Hints or dict, default=None
            What a person knows: names, samples that belong together, samples that do not.
        """
        self._go_on(X, y, hints)
        return self

    def _go_on(self, X: Any, y: Any, hints: Hints | HintFields | None, named: bool = True) -> None:
        """`partial_fit`. `named` is False if X cannot have feature names."""
        if y is not None and hints is not None:
            raise ValueError("Give either y or hints, not both: a name in hints is a label too.")
        with guard(self):
            first = not hasattr(self, "_model")
            if first:
                self._validate_params()
            else:
                self._refuse_change()
                if hints is not None:
                    self._current()  # hints refer to the present clusters
            with checking(self):
                samples = checked_samples(self, X, first, named, learning=True)
                labels = None if y is None else checked_labels(y, len(samples))
                said = None if hints is None else checked_hints(hints, len(samples))
                model = Model(self._new_engine(samples.shape[1])) if first else self._model
                plan = None if said is None else model.plan(said)
            classes = NO_CLASSES if labels is None else model.engine.rows_of_labels(labels)
            with new_stream(self, self._log, model) if first else nullcontext():
                self._learn(samples, classes, plan)

    def _learn(self, X: Floats, classes: Ints, plan: Plan | None) -> None:
        """Learn a checked batch."""
        model = self._model
        model.make_ring(event_room(self.record_events), self._log)
        self._set_parameters(learning=True)
        history, begun = empty_history(len(X) if self.record_history else 0), model.n_samples()
        try:
            model.learn(X, classes, plan, self._log, history)
        finally:
            if self.record_history:  # also after an interruption
                past = self.__dict__.get("history_")
                rows = history[: model.n_samples() - begun]
                self.history_ = extended_history(past, rows, model.engine.sign)
        model.tell(self._log)

    def learn_one(self, x: ArrayLike, y: int | None = None) -> int:
        """Learn one sample and return the position of its cluster, with fewer checks.

        It learns the same as `partial_fit`. Parameters are checked only when the first sample
        arrives. `y` is a supervised label; None or -1 means none.
        """
        sample = np.array(x, dtype=np.float64, ndmin=1)[None]
        with guard(self):
            state: State | None = getattr(self, "_state", None)
            if (
                state is None
                or y is not None
                or self.record_history
                or bool(self.record_events) != bool(len(state.event))
                or sample.shape != (1, state.feature.shape[1])
                or not all_within(sample[0], GREATEST)
            ):  # with all checks and their error messages
                self._validate_params()
                self._go_on(sample, None if y is None else [y], None, named=False)
                return int(self.labels_[0])
            place = self._model.learn_one(sample, self._log)
            if self._log.is_due(self._state):
                self._model.tell(self._log)
            return place

    def predict(self, X: ArrayLike, *, outliers: bool = False) -> Ints:
        """Position (0 to k - 1) of the nearest cluster for each sample. Nothing is learnt.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        outliers : bool, default=False
            Whether to return -1 for samples that fit no cluster; see `novelty`.
        """
        with self._reading() as model:
            return model.nearest(checked_samples(self, X, reset=False), outliers)

    def predict_ids(self, X: ArrayLike, *, outliers: bool = False) -> Ints:
        """Permanent id of the nearest cluster for each sample; -1 for outliers if `outliers`."""
        with self._reading() as model:
            return model.ids_at(self.predict(X, outliers=outliers))

    def predict_one(self, x: ArrayLike) -> int:
        """`predict` for one sample, with fewer checks."""
        sample = np.array(x, dtype=np.float64, ndmin=1)[None]
        with guard(self):
            model = self._current(for_one=True)
            if sample.shape != (1, self.n_features_in_) or not all_within(sample[0], GREATEST):
                sample = checked_samples(self, sample, reset=False, named=False)
            return int(model.nearest(sample, outliers=False)[0])

    def predict_id(self, x: ArrayLike) -> int:
        """`predict_ids` for one sample, with fewer checks."""
        with guard(self):
            return int(self._model.ids_at(np.array([self.predict_one(x)]))[0])

    # ------------------------------------------------------------------ attributes

    def _current(self, for_one: bool = False) -> Model[EngineType]:
        """The model with up-to-date clusters. `for_one`: to predict a single sample."""
        check_is_fitted(self, "_model")
        self._set_parameters(learning=False)
        self._model.bring_up_to_date(self._log)
        return self._model

    @contextmanager
    def _reading(self) -> Iterator[Model[EngineType]]:
        with guard(self):
            yield self._current()

    @property
    def _state(self) -> State:
        """The present state; clusters may be out of date."""
        return self._model.state

    n_samples_seen_ = Reading(Model.n_samples)
    n_clusters_ = Reading(Model.n_clusters)
    n_categories_ = Reading(Model.n_categories)
    labels_ = Reading(Model.labels)
    ids_ = Reading(Model.ids)
    cluster_ids_ = Reading(Model.cluster_ids)
    aliases_ = Reading(Model.aliases)
    names_ = Reading(Model.living_names)
    icvi_value_ = Reading(Model.icvi_value)
    categories_ = Reading(Model.categories)
    clusters_ = Reading(Model.clusters)
    conn_ = Reading(Model.conn)

    # ------------------------------------------------------------------ names and corrections

    def resolve(self, cluster: int | str) -> int:
        """Id of the present cluster that a name or an id, even an ended one, refers to."""
        with self._reading() as model:
            return model.resolve(cluster)

    def rename(self, cluster: int | str, name: str | None) -> None:
        """Name a cluster, given by id or name; None removes its name.

        The name follows the cluster. When two named clusters merge, the one that keeps its id
        keeps its name, and `resolve` still finds it under the other name."""
        with self._correcting() as model:
            model.corrections.rename(model.engine, model.names, cluster, name)

    def merge(self, a: int | str, b: int | str) -> int:
        """Merge two clusters, given by id or name, and return the id that is kept.
        They stay together whatever is learnt later, until `undo`."""
        with self._correcting() as model:
            return model.corrections.merge(model.engine, model.names, a, b)

    def split(self, cluster: int | str) -> int:
        """Split a cluster, given by id or name, and return the id of the new part.
        The two stay apart whatever is learnt later, until `undo`."""
        with self._correcting() as model:
            return model.corrections.split(model.engine, model.names, cluster)

    def undo(self) -> str:
        """Undo the last `merge`, `split` or `rename`, and return which one it was.

        The last 100 can be undone. After a merger is undone, the categories that existed before it
        are in two clusters again, both ids are valid, and samples learnt since stay in place."""
        with self._correcting() as model:
            return model.corrections.undo(model.engine, model.names)

    @contextmanager
    def _correcting(self) -> Iterator[Model[EngineType]]:
        with self._reading() as model:
            yield model
            model.tell(self._log)

    def merge_suggestions(self, limit: int | None = 10) -> list[Suggestion]:
        """Pairs of clusters that could be merged, the cheapest first, without those that hints keep
        apart. A merger that would leave one cluster costs infinity: the index is undefined."""
        with self._reading() as model:
            return model.merge_suggestions(limit)

    def profiles(self) -> list[Profile]:
        """What sets each cluster apart, largest cluster first; print a profile for a sentence."""
        with self._reading() as model:
            return model.profiles(Columns.of_model(self))

    def profile(self) -> pd.DataFrame:
        """`profiles` as a pandas DataFrame: what sets each cluster apart, in words; medians and
        spreads of all columns; numbers (from 1) of first, last, typical and unusual samples."""
        return frame_of_profiles(self.profiles())

    # ------------------------------------------------------------------ events

    @property
    def events_(self) -> list[Event]:
        """The latest events, oldest first."""
        with self._reading() as model:
            return model.events(event_room(self.record_events))

    def new_events(self) -> Iterator[Event]:
        """Events that no earlier call has yielded, oldest first. The buffer (`record_events`) may
        have lost older ones; then `Event.number` has a gap."""
        while True:
            with self._reading() as model:
                event = model.next_event(self._log, event_room(self.record_events))
            if event is None:
                return
            yield event

    def on_event(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every event from now on; returns a function that removes it.

        Listeners get every event, however small the buffer. They are called in the thread that
        learns, after all samples of a call, and may use the model. An error in a listener ends the
        call; what was learnt stays, and the remaining events follow after the next call. Listeners
        are not copied or saved.
        """
        if not event_room(self.record_events):
            raise ValueError("Events are not recorded. Make the model with record_events=True.")
        with guard(self):
            return self._log.add(listener, getattr(self, "_state", None))

    @property
    def _log(self) -> EventLog:
        log: EventLog = self.__dict__.setdefault("_event_log", EventLog())
        return log

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file (safetensors, no pickle) for `streamart.load`. An existing file
        is replaced only when the new one is complete."""
        from ..persistence import save

        save(self, path)

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        """Cached, because scikit-learn inspects the signature at each call."""
        names: list[str] = super()._get_param_names()
        return names

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and copy: everything except the lock and the listeners."""
        with guard(self):
            kept: dict[str, Any] = dict(super().__getstate__())
            kept.pop("_lock", None)
            if "_model" in kept:
                kept["_model"] = self._model.copied()
                kept["_event_log"] = deepcopy(self._log)
        return kept
