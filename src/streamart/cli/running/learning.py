"""Learning chunk by chunk, with a look at the model now and then."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pyarrow as pa

from ..._typing import Floats, Ints
from ...data.columns import shown_time
from ...estimators.stream_art import StreamART
from ...history.events import Event
from ...people.hints import Hints
from ...report.record import Look, Record, next_look
from ..errors import UserError
from ..reading.reader import Chunk, Reader
from .events import EventFile
from .fading import ROWS, Fading
from .models import is_fitted
from .names import text_of


class Learner:
    """A model that learns chunks; what happens to it is recorded."""

    def __init__(
        self,
        model: Any,
        reader: Reader,
        record: Record,
        log: EventFile,
        kept: dict[str, Any] | None = None,
        half_life: float | None = None,
    ) -> None:
        """`half_life`: in seconds; then chunks have times."""
        self.model = model
        self.record = record
        self.learnt = 0
        """Rows of this run."""
        self.n = 0
        """Samples in the model's life."""
        self.last: Look | None = None
        self._reader = reader
        self._log = log
        self._heard: list[Event] = []
        if kept is not None:  # to ask the model for n would make it derive its clusters
            self.n, self.learnt, self._due = kept["n"], kept["learnt"], kept["due"]
        else:
            if is_fitted(model):
                list(model.new_events())  # they are of an earlier run
                self.n = model.n_samples_seen_
            self._due = next_look(model, self.n)
        self._fading = None
        if half_life is not None:
            self._fading = Fading(half_life, None if kept is None else kept["fading"])
        self._listen()

    def _listen(self) -> None:
        # The network may bring more events between two looks than its buffer holds. StreamART
        # brings some only when its clusters are derived, and listeners would have it do that for
        # every chunk.
        if not isinstance(self.model, StreamART):
            self.model.on_event(self._heard.append)

    def kept(self) -> dict[str, Any]:
        """For a checkpoint."""
        fading = None if self._fading is None else self._fading.kept()
        return {"n": self.n, "learnt": self.learnt, "due": self._due, "fading": fading}

    def learn(self, chunk: Chunk) -> None:
        """Learn a chunk, with looks where they are due."""
        at = 0
        while at < len(chunk.X):
            end = min(len(chunk.X), at + self._due - self.n)
            if self._fading is not None:
                end = min(end, at + ROWS)
            self._learn_rows(chunk, at, end)
            at = end
            if self.n >= self._due:
                self.look()
                self._due = next_look(self.model, self.n)

    def learn_now(self, chunk: Chunk) -> Ints:
        """Learn a chunk and say at once which cluster each row is in, by id."""
        self._learn_rows(chunk, 0, len(chunk.X))
        if self.n >= self._due:
            self.look()
            self._due = next_look(self.model, self.n)
        ids: Ints = self.model.ids_
        self._pass_on()
        return ids

    def look(self) -> Look:
        """Derives the clusters, if that is due."""
        self.last = self.record.look(self.model)
        self._pass_on()
        return self.last

    def _pass_on(self) -> None:
        if isinstance(self.model, StreamART):
            self._heard.extend(self.model.new_events())
        self.pass_on_heard()

    def pass_on_heard(self) -> None:
        """What the model has recorded. Reading the model would make it derive its clusters."""
        self.record.note(self._heard)
        self._log.write(self._heard)
        self._heard.clear()

    def _learn_rows(self, chunk: Chunk, begin: int, end: int) -> None:
        X = chunk.X[begin:end]
        if not len(X):
            return
        if isinstance(self.model, StreamART):
            self.model.columns_ = chunk.columns
        hints = hints_of(chunk.labels, begin, end)
        if self._fading is not None and chunk.seconds is not None:
            self.model.set_params(half_life=self._fading.rows_for(chunk.seconds[begin:end]))
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "X does not have valid feature names")
                self.model.partial_fit(self._named(X), hints=hints)
        except (ValueError, TypeError) as error:
            where = f"{chunk.file}, rows {chunk.records[begin]} to {chunk.records[end - 1]}"
            raise UserError(f"{where}: {error}") from error
        self.record.sample.offer(X, np.arange(self.n, self.n + len(X)))
        self._note_rows(chunk, begin, end, X)
        self.n += len(X)
        self.learnt += len(X)

    def _note_rows(self, chunk: Chunk, begin: int, end: int, X: Floats) -> None:
        """What the caller calls the rows by which categories and events are known, and their
        times: these are few, however long the stream is. Their values are for the report only."""
        state = self.model._model.state
        cat = state.cat[: int(state.now[0]["categories"])]
        wanted = np.unique(np.concatenate([cat["birth"], cat["won"], state.event["sample"]]))
        known = self.model.__dict__.get("notes_", {})
        kept = {number: known[number] for number in wanted.tolist() if number in known}
        here = wanted[(wanted > self.n) & (wanted <= self.n + end - begin)] - self.n - 1 + begin
        several = len(self._reader.sources) > 1
        for row in here.tolist():
            name = f"row {chunk.records[row]}" + (f" of {chunk.file}" if several else "")
            if chunk.ids:
                name = " ".join(str(column[row].as_py()) for column in chunk.ids)
            time = None if chunk.times is None else chunk.times[row].as_py()
            kept[int(row - begin + self.n + 1)] = [name, shown_time(time)]
        self.model.notes_ = kept
        self.record.keep_rows(wanted, here - begin + self.n + 1, X[here - begin])

    def _named(self, X: Floats) -> Any:
        """The first samples tell the model the names of its features."""
        if is_fitted(self.model) or not self._reader.first.named:
            return X
        return pa.table(dict(zip(self._reader.columns.learnt_names, X.T, strict=True)))


def hints_of(labels: Any, begin: int, end: int) -> Hints | None:
    """Rows with a label are in the cluster that bears this name."""
    if labels is None:
        return None
    names = text_of(labels.slice(begin, end - begin))
    given = {i: name for i, name in enumerate(names.to_pylist()) if name is not None}
    return Hints(names=given) if given else None
