"""What all our estimators share: a network, how it learns a batch, and what can be read of it."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import cache
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.utils.validation import (
    _check_n_features,
    check_array,
    check_is_fitted,
    validate_data,
)

from ._typing import Floats, Ints, Records
from .core.learn import predict, run
from .core.strategies.split import decompose
from .data.tables import as_table
from .icvi.registry import BY_NAME, Index, index_of
from .icvi.state import (
    DUE_DECOMPOSITION,
    DUE_LISTENERS,
    DUE_REPARTITION,
    HI,
    LIVE,
    LO,
    MEAN,
    State,
    copied,
    grown,
    moved,
    room_of,
)
from .views import Categories, Clusters

# Squared distances, times the number of samples, must stay finite.
GREATEST = 1e140
HISTORY_COLUMNS = ("icvi_value", "tracker", "rho", "n_categories", "n_clusters")
NO_CLASSES = np.empty(0, dtype=np.int64)
NO_HISTORY = np.empty((0, len(HISTORY_COLUMNS)))
# What a copy must not share.
_OWN = ("_names", "_names_given", "_said", "_corrections", "_labels", "_budget")


class Network(BaseEstimator):
    """A network that learns batches. What its parameters are, a subclass says."""

    icvi: str
    record_history: bool
    _state: State
    _sample_rows: Ints | None

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        """The same for ever; scikit-learn looks at the signature each time."""
        names: list[str] = super()._get_param_names()
        return names

    # ------------------------------------------------------------------ learning

    def _learn(
        self, state: State, X: Floats, classes: Ints, past: dict[str, Any] | None, plan: Any = None
    ) -> None:
        """Run the compiled core over a batch and take over what it leaves.

        `classes` holds a row of ``state.classes`` for each sample or -1, or is empty; `plan` is
        what hints come to.
        """
        categories = int(state.now[0]["categories"])
        state = state._replace(joined=np.arange(categories + len(X)))
        state.cat["slot"][state.order[:categories]] = state.joined[:categories]
        state.now[0]["slots"] = categories
        slots = np.empty(len(X), dtype=np.int64)
        history = np.empty((len(X), len(HISTORY_COLUMNS))) if self.record_history else NO_HISTORY
        if plan is None:
            state = self._run_over(state, X, classes, slots, history)
        else:
            state = self._run_hinted(state, X, classes, slots, history, plan)
        self._sample_rows = rows_of_slots(state, slots)
        self._state = state._replace(joined=NO_CLASSES)
        if self.record_history:
            self._extend_history(history, past)

    def _run_over(
        self, state: State, X: Floats, classes: Ints, slots: Ints, history: Floats, begin: int = 0
    ) -> State:
        """Learn a batch, whatever it takes; the arrays may be other ones afterwards."""
        reached = begin
        while reached < len(X):
            reached = run(state, X, classes, slots, history, reached)
            if reached < len(X):
                due = state.now[0]["due"]
                if due == DUE_DECOMPOSITION:
                    decompose(state)
                elif due == DUE_LISTENERS:
                    self._collect(state)
                elif due == DUE_REPARTITION:
                    state = self._repartition(state)
                else:
                    state = grown(state)
        return state

    def _run_hinted(
        self, state: State, X: Floats, classes: Ints, slots: Ints, history: Floats, plan: Any
    ) -> State:
        raise NotImplementedError

    def _repartition(self, state: State) -> State:
        """Derive the clusters anew."""
        raise NotImplementedError

    def _collect(self, state: State) -> None:
        """Put the events aside that listeners have not heard."""

    def _clusters_of_samples(self) -> Ints:
        """Of the last call, by the categories that have them now."""
        with self._guard():
            self._now()
            rows = self._sample_rows
            if rows is None:  # learn_one leaves it to the network
                rows = self._state.now["winner"][:1]
            clusters: Ints = self._state.label[LIVE, rows]
            return clusters

    def _extend_history(self, history: Floats, past: dict[str, Any] | None) -> None:
        history[:, 0] *= self._sign()
        fresh = {
            name: column if name in ("icvi_value", "rho") else column.astype(np.int64)
            for name, column in zip(HISTORY_COLUMNS, history.T, strict=True)
        }
        if past:
            fresh = {name: np.concatenate([past[name], fresh[name]]) for name in fresh}
        self.history_ = fresh

    def _nearest(self, X: Floats, measure: bool = False) -> tuple[Ints, Floats]:
        """The most activated category of each sample; to `measure`, how badly the best one fits."""
        winners = np.empty(len(X), dtype=np.int64)
        badness = np.empty(len(X) if measure else 0)
        predict(self._state, X, winners, badness)
        return winners, badness

    # ------------------------------------------------------------------ checks

    @contextmanager
    def _checking(self) -> Iterator[None]:
        """If a check in here fails, what scikit-learn has noted of the features is as before."""
        remembered = ("n_features_in_", "feature_names_in_")
        before = {name: self.__dict__[name] for name in remembered if name in self.__dict__}
        try:
            yield
        except Exception:
            for name in remembered:
                self.__dict__.pop(name, None)
            self.__dict__.update(before)
            raise

    def _checked_samples(self, X: ArrayLike, reset: bool, named: bool = True) -> Floats:
        """Samples as the core wants them; `named`: their features may have names to compare."""
        if not reset and is_plain(X, self):
            return X
        form: dict[str, Any] = {"dtype": np.float64, "order": "C"}
        with self._checking():
            if named or reset:
                checked: Floats = validate_data(self, as_table(X), reset=reset, **form)
            else:
                checked = check_array(X, estimator=self, **form)
                _check_n_features(self, checked, reset=False)
            if np.abs(checked).max() > GREATEST:
                raise ValueError(
                    f"X holds values beyond {GREATEST:g}, whose squares overflow a 64-bit float; "
                    "scale it down."
                )
        return np.require(checked, requirements=("C", "ALIGNED", "WRITEABLE"))

    def _refuse_change(self, params: Records) -> None:
        """The arrays of a model are laid out for its parameters."""
        same_index = type(self._state.index) is self._core_index().marker
        if same_index and self._state.params.tobytes() == params.tobytes():
            return
        before, now = self._state.params[0], params[0]
        names = self._state.params.dtype.names or ()
        changed = [name for name in names if before[name] != now[name]]
        changed += [] if same_index else ["icvi"]
        if changed:
            raise ValueError(
                f"Parameters changed since the model began to learn ({', '.join(changed)}). "
                "Use fit to start anew, or set them back."
            )

    # ------------------------------------------------------------------ what can be read

    def _sign(self) -> int:
        return -1 if self._icvi().smaller_is_better else 1

    def _icvi(self) -> Index:
        """The index that the network learns with; the parameter may have been changed since."""
        state = self.__dict__.get("_state")
        return BY_NAME[self.icvi] if state is None else index_of(type(state.index))

    def _core_index(self) -> Index:
        """The index of a network that is about to learn."""
        return BY_NAME[self.icvi]

    def _now(self) -> Any:
        check_is_fitted(self, "_state")
        return self._state.now[0]

    def _index(self, goodness: float) -> float:
        """The index in its own direction."""
        return goodness if math.isnan(goodness) else self._sign() * goodness

    @property
    def n_samples_seen_(self) -> int:
        return int(self._now()["n"])

    @property
    def n_clusters_(self) -> int:
        return int(self._now()["k"])

    @property
    def n_categories_(self) -> int:
        return int(self._now()["categories"])

    @property
    def icvi_value_(self) -> float:
        return self._index(float(self._now()["goodness"]))

    @property
    def tracker_(self) -> int:
        return int(self._now()["tracker"])

    @property
    def rho_(self) -> float:
        return float(self._now()["step_vigilance"])

    @property
    def categories_(self) -> Categories:
        with self._guard():
            samples = self._now()["n"]
            state, rows = self._state, rows_of(self._state)
            return Categories(
                state.box[LO, rows],
                state.box[HI, rows],
                state.cat["n"][rows],
                state.box[MEAN, rows],
                state.cat["cp"][rows],
                samples - state.cat["won"][rows],
                state.label[LIVE, rows],
            )

    @property
    def clusters_(self) -> Clusters:
        with self._guard():
            k = int(self._now()["k"])
            clusters = self._state.clu[LIVE, :k]
            return Clusters(
                clusters["n"].copy(),
                self._state.mean[LIVE, :k].copy(),
                clusters["cp"].copy(),
                clusters["size"].copy(),
            )

    @property
    def conn_(self) -> csr_array:
        with self._guard():
            self._now()
            return csr_array(table_of_links(self._state))

    # ------------------------------------------------------------------ threads, copies, files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, from which `streamart.load` reads it.

        safetensors and JSON, no pickle; with a checksum; an older file of this name is replaced at
        one stroke.
        """
        from .persistence import save

        save(self, path)

    def _guard(self) -> threading.RLock:
        lock: threading.RLock | None = self.__dict__.get("_lock")
        if lock is None:
            lock = self.__dict__.setdefault("_lock", threading.RLock())
        return lock

    def __getstate__(self) -> dict[str, Any]:
        """What pickle and copy take: all but the lock and listeners, while nobody learns."""
        with self._guard():
            kept: dict[str, Any] = dict(super().__getstate__())
            for name in ("_lock", "_listeners", "_unheard", "_telling"):
                kept.pop(name, None)
            for name in _OWN:
                if name in kept:
                    kept[name] = deepcopy(kept[name])
            if "_state" in kept:
                kept["_state"] = copied(kept["_state"])
                kept["_state"].now[0]["listeners"] = 0
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Arrays may come from a file that was mapped into memory and cannot be written."""
        super().__setstate__(kept)
        if "_state" in self.__dict__:
            self._state = copied(self._state)


def is_plain(X: ArrayLike, estimator: Any) -> TypeGuard[Floats]:
    """Is it, at a glance, what all checks would let through as it is?

    They take a quarter of a millisecond, as long as it takes to learn a hundred samples.
    """
    return (
        type(X) is np.ndarray
        and X.dtype == np.float64
        and X.ndim == 2
        and len(X) > 0
        and X.shape[1] == estimator.__dict__.get("n_features_in_")
        and "feature_names_in_" not in estimator.__dict__
        and X.flags.carray
        and bool(np.abs(X).max() <= GREATEST)  # not so if there is a NaN
    )


def rows_of(state: State) -> Ints:
    """Where the categories are in the arrays, in their order."""
    rows: Ints = state.order[: int(state.now[0]["categories"])]
    return rows


def table_of_links(state: State) -> Floats:
    """CONN, categories in their order; on its diagonal, what linked merged ones."""
    rows = rows_of(state)
    table: Floats = state.conn[np.ix_(rows, rows)]
    return table


def with_classes(state: State, count: int) -> State:
    """The state with room for so many supervised classes and groups."""
    if count <= len(state.classes):
        return state
    return moved(state, room_of(state)._replace(classes=count))


def rows_of_slots(state: State, slots: Ints) -> Ints:
    """Category of each sample of the batch, through all compressions since it was learnt."""
    joined, rows = state.joined, rows_of(state)
    while not np.array_equal(joined, joined[joined]):
        joined = joined[joined]
    row = np.zeros(len(joined), dtype=np.int64)
    row[state.cat["slot"][rows]] = rows
    found: Ints = row[joined[slots]]
    return found
