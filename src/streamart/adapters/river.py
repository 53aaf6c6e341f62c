"""Clusterers for river: the network, and the self-tuning StreamART."""

from __future__ import annotations

import inspect
import math
from collections.abc import Collection, Iterator, Mapping
from numbers import Real
from typing import Any, NoReturn

import numpy as np

try:
    import narwhals.stable.v2 as nw
    from river import base
    from river.utils import dataframe
except ImportError as absent:
    raise ImportError(
        "streamart.adapters.river needs river. Install it with: pip install 'streamart[river]'"
    ) from absent

from .._typing import Floats
from ..estimators.base import OnlineClusterer
from ..estimators.network import ICVITopoARTMAP
from ..estimators.stream_art import StreamART

_SHARED = tuple(inspect.signature(ICVITopoARTMAP).parameters)
_TUNING = tuple(inspect.signature(StreamART).parameters)
# Samples beyond this are rare, and are checked again by the network, which has a limit of its own.
_USUAL = 1e100


class _OnlineClusterer(base.Clusterer):
    """What both clusterers do; they differ in the model and its parameters."""

    model: OnlineClusterer[Any]
    features: tuple[Any, ...] | None
    missing: str
    _known: tuple[Any, ...] | None

    def _set_features(self, features: tuple[Any, ...] | None, missing: str) -> None:
        if missing not in ("error", "zero"):
            raise ValueError(f"missing must be 'error' or 'zero'. Got {missing!r} instead.")
        if isinstance(features, str) or len(set(features or ())) < len(features or ()):
            raise ValueError(f"features must be different names in a tuple. Got {features!r}.")
        self.features = features
        self.missing = missing
        self._known = None if features is None else _ordered(features)

    # ------------------------------------------------------------------ learning

    def learn_one(self, x: Mapping[Any, Any]) -> None:
        """Learn a sample. A refused sample leaves everything as it was.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        known = self._features(x)
        vector = self._vector(x, known)
        try:
            self.model.learn_one(vector)
        except ValueError:
            _refuse_values(x, known)
            raise
        self._known = known

    def learn_many(self, X: Any) -> None:
        """Learn a mini-batch, which gives the same model as its rows one by one.

        Parameters
        ----------
        X
            A dataframe (pandas, polars, ...) with a column per feature. Refused as a whole if a
            row is refused.

        """
        frame = dataframe.into_frame(X)
        if len(frame):
            known = self._features(frame.columns)
            self.model.partial_fit(self._matrix(frame, known))
            self._known = known

    # ------------------------------------------------------------------ asking

    def predict_one(self, x: Mapping[Any, Any]) -> int:
        """Permanent number of the cluster nearest to a sample; 0 before anything is learnt.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        known = self._features(x)
        sample = self._vector(x, known)
        if not np.abs(sample).max() <= _USUAL:
            _refuse_values(x, known)
        if not self._has_learnt:
            return 0
        with self.model._guard():
            return self.model._id_at(self.model.predict_one(sample))

    def predict_many(self, X: Any) -> Any:
        """Permanent number of the cluster of each row, as a series like the dataframe.

        Parameters
        ----------
        X
            A dataframe (pandas, polars, ...) with a column per feature.

        """
        frame = dataframe.into_frame(X)
        numbers = np.zeros(len(frame), dtype=np.int64)
        if len(frame):
            matrix = self._matrix(frame, self._features(frame.columns))
            if self._has_learnt:
                with self.model._guard():
                    numbers = self.model.cluster_ids_[self.model.predict(matrix)]
        return dataframe.to_native_series(numbers, name=None, like=frame)

    @property
    def centers(self) -> dict[int, dict[Any, float]]:
        if not self._has_learnt:
            return {}
        known = self._known or ()
        with self.model._guard():
            means, numbers = self.model.clusters_.mean, self.model.cluster_ids_
        rows = zip(numbers.tolist(), means.tolist(), strict=True)
        return {number: dict(zip(known, mean, strict=True)) for number, mean in rows}

    @property
    def aliases(self) -> dict[int, int]:
        return dict(self.model.aliases_) if self._has_learnt else {}

    @property
    def _has_learnt(self) -> bool:
        return "_state" in self.model.__dict__

    # ------------------------------------------------------------------ samples

    def _features(self, names: Collection[Any]) -> tuple[Any, ...]:
        """The features in their order: those known, or before the first sample those it has."""
        if self._known is None:
            if not len(names):
                raise ValueError("The sample has no features.")
            return _ordered(names)
        if self.missing == "error" and len(names) != len(self._known):
            _refuse_features(names, self._known)
        return self._known

    def _vector(self, x: Mapping[Any, Any], known: tuple[Any, ...]) -> Floats:
        try:
            if self.missing == "zero":
                values = [x.get(name, 0.0) for name in known]
            else:
                values = [x[name] for name in known]
        except KeyError:
            _refuse_features(x, known)
        try:
            vector = np.array(values)
        except ValueError:  # lists of different lengths among them
            return _numbers(values, known)
        if vector.dtype.kind not in "fiub" or vector.ndim != 1:
            return _numbers(values, known)
        return vector.astype(np.float64, copy=False)

    def _matrix(self, frame: Any, known: tuple[Any, ...]) -> Floats:
        columns = list(frame.columns)
        kinds = frame.schema.dtypes()
        if not all(kind.is_numeric() or kind == nw.Boolean for kind in kinds):
            rows = (dict(zip(columns, row, strict=True)) for row in frame.iter_rows())
            matrix = np.array([self._vector(row, known) for row in rows])
        else:
            values = dataframe.to_numpy(frame)
            matrix = np.zeros((len(values), len(known)))
            for place, name in enumerate(known):
                if name in columns:
                    matrix[:, place] = values[:, columns.index(name)]
                elif self.missing == "error":
                    _refuse_features(columns, known)
        wrong = np.argwhere(~np.isfinite(matrix))
        if len(wrong):
            row, place = wrong[0]
            _refuse_values({known[place]: matrix[row, place]}, (known[place],))
        return matrix


class StreamARTClusterer(_OnlineClusterer):
    """Online clustering with iCVI-TopoARTMAP, for river.

    Clusters have permanent numbers: `predict_one` gives the same number for the same cluster
    however the others come and go. A number is never used again. When clusters merge, the number
    that ended is found in `aliases`.

    The index that decides measures Euclidean distances, so features with different units need
    `preprocessing.StandardScaler()` in front. Let it see a few samples of all kinds before the
    first one is learnt: while it still changes its mind, clusters move.

    Parameters
    ----------
    icvi
        The index that decides: "ch", "wb", "pbm", "xb", "db" or "conn".
    rho
        Vigilance: larger means smaller categories ("cosine": the greatest distance).
    beta1
        Learning rate of the first winner.
    beta2
        Learning rate of the second winner.
    alpha
        Choice parameter.
    match
        Match function, "fuzzy" or "cosine".
    use_uncommitted
        Whether an uncommitted category competes.
    epsilon
        Match tracking of the map field.
    rho_ab
        Vigilance of the map field.
    beta_ab
        Learning rate of the map field.
    map_learning
        "variable" or "fixed": whether a new category may open a new cluster.
    icvi_match_tracking
        Whether the vigilance is raised while the index gets worse.
    epsilon_icvi
        Step of that; None jumps to `rho_mt` at once.
    rho_mt
        The vigilance that it is raised to.
    merge
        Whether clusters merge.
    split
        Whether clusters split.
    split_type
        "activity", "full" or "partial".
    swap
        Whether categories move to other clusters.
    compress
        Whether categories are compressed.
    rho_c
        Vigilance of compression.
    prune
        Whether small inactive clusters are pruned.
    tau
        Threshold of the tracker.
    phi
        Clusters with fewer samples are pruned once inactive.
    xi
        Samples without a win after which a category counts as inactive.
    second_winner_vigilance
        "user" or "raised".
    escape_single_cluster
        Whether `rho_mt` is used while there is one cluster.
    repartition
        What decides how many clusters there are when they are derived anew, after every `xi`
        samples ("auto", say); None leaves that out.
    record_history
        Whether the model keeps a row per sample; this grows with the stream.
    record_events
        Whether the model keeps the latest changes, and how many of them.
    features
        Names of the features, as a tuple. None takes those of the first sample.
    missing
        What to do with a sample that has other features than these. "error" refuses it; "zero"
        counts an absent feature as 0 and ignores one that is not among them. NaN is an error
        in either case.

    Attributes
    ----------
    model : ICVITopoARTMAP
        The network, with all that can be read from it.
    n_clusters : int
        How many clusters there are now.
    centers : dict
        The mean of each cluster, by its permanent number.
    aliases : dict
        For each number that ended by a merger, the living cluster that took it in.

    Notes
    -----
    Parameters are those of `streamart.ICVITopoARTMAP`, which describes them fully. They are
    checked when the first sample is learnt. The order of the features in a sample does not
    matter, nor does the size of mini-batches: the same model comes out, bit by bit.

    Examples
    --------
    >>> from river import stream
    >>> from streamart.adapters.river import StreamARTClusterer

    >>> X = [[0, 0], [0, 1], [9, 9], [9, 8], [0, 9], [1, 9], [1, 0], [8, 9], [1, 8]]
    >>> model = StreamARTClusterer()
    >>> for x, _ in stream.iter_array(X):
    ...     model.learn_one(x)
    >>> model.n_clusters
    3
    >>> near, far = {0: 0.5, 1: 0.5}, {0: 8.5, 1: 8.5}
    >>> model.predict_one(near) == model.predict_one({1: 0, 0: 1})
    True
    >>> model.centers[model.predict_one(far)]
    {0: 8.667, 1: 8.667}

    """

    def __init__(
        self,
        icvi: str = "ch",
        rho: float = 0.0,
        beta1: float = 1.0,
        beta2: float = 0.0,
        alpha: float = 0.001,
        match: str = "fuzzy",
        use_uncommitted: bool = True,
        epsilon: float = 0.01,
        rho_ab: float = 1.0,
        beta_ab: float = 1.0,
        map_learning: str = "variable",
        icvi_match_tracking: bool = True,
        epsilon_icvi: float | None = None,
        rho_mt: float = 0.9,
        merge: bool = True,
        split: bool = True,
        split_type: str = "activity",
        swap: bool = True,
        compress: bool = True,
        rho_c: float = 0.0,
        prune: bool = True,
        tau: int = 0,
        phi: int = 5,
        xi: int = 200,
        second_winner_vigilance: str = "user",
        escape_single_cluster: bool = True,
        repartition: str | None = None,
        record_history: bool = False,
        record_events: bool | int = False,
        features: tuple[Any, ...] | None = None,
        missing: str = "error",
    ) -> None:
        shared = {name: value for name, value in locals().items() if name in _SHARED}
        # river reads parameters from attributes of the same name
        self.__dict__.update(shared)
        self._set_features(features, missing)
        self.model = ICVITopoARTMAP(**shared)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {}
        yield {"icvi": "conn", "rho": 0.8, "rho_c": 0.8}
        yield {"missing": "zero"}

    @property
    def n_clusters(self) -> int:
        return self.model.n_clusters_ if self._has_learnt else 0


class SelfTuningClusterer(_OnlineClusterer):
    """Online clustering with nothing to set, for river: `streamart.StreamART`.

    Features are scaled, and the number of clusters found, by the model itself, so no scaler is
    needed in front. Clusters have permanent numbers, as those of `StreamARTClusterer` have.

    Parameters
    ----------
    max_categories
        The budget of memory.
    criterion
        What decides how many clusters there are.
    n_clusters
        The number of clusters, if it is known.
    metric
        "auto", "euclidean" (features scaled to their range) or "cosine".
    random_state
        For the sample that tells how many dimensions the stream fills.
    record_events
        Whether the model keeps the latest changes, and how many of them.
    features
        Names of the features, as a tuple. None takes those of the first sample.
    missing
        What to do with a sample that has other features than these: "error" or "zero".

    Attributes
    ----------
    model : StreamART
        The model, with all that can be read from it.
    n_clusters_now : int
        How many clusters there are now.
    centers : dict
        The mean of each cluster, by its permanent number; with "cosine", of unit vectors.
    aliases : dict
        For each number that ended, the living cluster that took most of it in.

    Notes
    -----
    `predict_one` uses clusters that may be a tenth of the stream old; they are derived anew as the
    stream grows. `predict_many` and all attributes derive them at once.

    Examples
    --------
    >>> from river import stream
    >>> from streamart.adapters.river import SelfTuningClusterer
    >>> from streamart.data import make_stream

    >>> X, _ = make_stream("random", 150, random_state=0)
    >>> model = SelfTuningClusterer()
    >>> for x, _ in stream.iter_array(X):
    ...     model.learn_one(x)
    >>> model.n_clusters_now
    7

    """

    def __init__(
        self,
        max_categories: int = 300,
        criterion: str = "auto",
        n_clusters: int | None = None,
        metric: str = "auto",
        random_state: Any = 0,
        record_events: bool | int = False,
        features: tuple[Any, ...] | None = None,
        missing: str = "error",
    ) -> None:
        shared = {name: value for name, value in locals().items() if name in _TUNING}
        self.__dict__.update(shared)
        self._set_features(features, missing)
        self.model = StreamART(**shared)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {}
        yield {"max_categories": 20, "missing": "zero"}

    @property
    def n_clusters_now(self) -> int:
        return self.model.n_clusters_ if self._has_learnt else 0


def _ordered(names: Collection[Any]) -> tuple[Any, ...]:
    """One order whatever the order of the keys: sums of floats depend on it."""
    try:
        return tuple(sorted(names))
    except TypeError:  # names of several types
        return tuple(sorted(names, key=lambda name: (type(name).__name__, repr(name))))


def _numbers(values: list[Any], known: tuple[Any, ...]) -> Floats:
    """Fractions and huge integers are numbers, which numpy does not see; strings are none."""
    for name, value in zip(known, values, strict=True):
        if not isinstance(value, Real | np.bool_):
            raise TypeError(f"Feature {name!r} must be a number. Got {value!r} instead.")
    return np.array([float(value) for value in values])


def _refuse_features(names: Collection[Any], known: tuple[Any, ...]) -> NoReturn:
    absent = [name for name in known if name not in names]
    fresh = [name for name in names if name not in known]
    raise ValueError(
        f"The sample has other features than expected: missing {absent}, unknown {fresh}. "
        "missing='zero' counts missing ones as 0 and ignores unknown ones."
    )


def _refuse_values(x: Mapping[Any, Any], known: tuple[Any, ...]) -> None:
    """Say which feature is NaN or infinite, if one is."""
    for name in known:
        if name in x and not math.isfinite(x[name]):
            raise ValueError(f"Feature {name!r} must be finite. Got {x[name]!r} instead.")
