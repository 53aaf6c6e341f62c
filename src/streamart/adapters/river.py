"""Clusterers for river: `StreamARTClusterer`, and the paper's network, `ICVITopoARTMAPClusterer`.

Each holds an estimator (`model`), which has all parameters and methods. This module converts
river's dictionaries of features to the estimator's samples.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, SupportsFloat

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
from ..estimators.checks import guard
from ..estimators.network import ICVITopoARTMAP
from ..estimators.stream_art import StreamART

if TYPE_CHECKING:
    from narwhals.stable.v2.typing import IntoDataFrame, IntoSeries

# Larger values are rare, and the estimator checks them again with its own limit.
_USUAL = 1e100


class _OnlineClusterer(base.Clusterer):
    """Base of both clusterers, which differ in the estimator whose parameters they take."""

    model: StreamART | ICVITopoARTMAP
    _estimator: ClassVar[type[StreamART | ICVITopoARTMAP]]
    _known: tuple[Any, ...] | None

    def __init__(
        self, *, features: tuple[Any, ...] | None = None, missing: str = "error", **params: Any
    ) -> None:
        if missing not in ("error", "zero"):
            raise ValueError(f"missing must be 'error' or 'zero'. Got {missing!r} instead.")
        if isinstance(features, str) or len(set(features or ())) < len(features or ()):
            raise ValueError(f"features must be different names in a tuple. Got {features!r}.")
        self.features = features
        self.missing = missing
        self.params = params  # river looks for keyword arguments here
        self.model = self._estimator(**params)
        self._known = None if features is None else _ordered(features)

    # ------------------------------------------------------------------ learning and prediction

    def learn_one(self, x: Mapping[Any, SupportsFloat]) -> None:
        """Learn a sample. A sample that is refused leaves the model unchanged."""
        known = self._features(x)
        vector = self._vector(x, known)
        try:
            self.model.learn_one(vector)
        except ValueError:
            _refuse_values(x, known)
            raise
        self._known = known

    def learn_many(self, X: IntoDataFrame) -> None:
        """Learn the rows of a data frame (pandas, polars and others), or none if one is refused.

        This learns the same as `learn_one` for each row, but clusters are derived less often, so
        they may have other ids.
        """
        frame = dataframe.into_frame(X)
        if len(frame):
            known = self._features(frame.columns)
            self.model.partial_fit(self._matrix(frame, known))
            self._known = known

    def predict_one(self, x: Mapping[Any, SupportsFloat]) -> int:
        """Permanent id of the cluster nearest to a sample; 0 before anything is learnt."""
        known = self._features(x)
        sample = self._vector(x, known)
        if not np.abs(sample).max() <= _USUAL:
            _refuse_values(x, known)
        return self.model.predict_id(sample) if self._has_learnt else 0

    def predict_many(self, X: IntoDataFrame) -> IntoSeries:
        """Permanent id of the cluster of each row, as a series of the data frame's library."""
        frame = dataframe.into_frame(X)
        ids = np.zeros(len(frame), dtype=np.int64)
        if len(frame):
            matrix = self._matrix(frame, self._features(frame.columns))
            if self._has_learnt:
                ids = self.model.predict_ids(matrix)
        return dataframe.to_native_series(ids, name="cluster", like=frame)

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return self.model.n_clusters_ if self._has_learnt else 0

    @property
    def centers(self) -> dict[int, dict[Any, float]]:
        """The mean of each cluster, by its permanent id."""
        if not self._has_learnt:
            return {}
        known = self._known or ()
        with guard(self.model):
            ids, means = self.model.cluster_ids_.tolist(), self.model.clusters_.mean.tolist()
        return {i: dict(zip(known, mean, strict=True)) for i, mean in zip(ids, means, strict=True)}

    @property
    def aliases(self) -> dict[int, int]:
        """For each id that has ended, the id of the cluster that took it in."""
        return self.model.aliases_ if self._has_learnt else {}

    @property
    def _has_learnt(self) -> bool:
        return hasattr(self.model, "n_features_in_")

    # ------------------------------------------------------------------ samples

    def _features(self, names: Collection[Any]) -> tuple[Any, ...]:
        """The known features in order; before the first sample, those of this sample."""
        if self._known is None:
            if not len(names):
                raise ValueError("The sample has no features.")
            return _ordered(names)
        if self.missing == "error" and len(names) != len(self._known):
            _refuse_features(names, self._known)
        return self._known

    def _vector(self, x: Mapping[Any, SupportsFloat], known: tuple[Any, ...]) -> Floats:
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
    """Online clustering with nothing to set, for river: `streamart.StreamART`.

    The model finds the number of clusters and scales the features itself, so it needs no scaler in
    front. Clusters have permanent ids: `predict_one` returns the same id for the same cluster,
    whatever happens to the others. An id is never reused. `aliases` says which cluster took in a
    cluster that has ended.

    Parameters
    ----------
    features
        Names of the features, as a tuple. None takes those of the first sample.
    missing
        What to do with a sample whose features differ from these. "error" refuses it; "zero"
        counts a missing feature as 0 and ignores an unknown one. NaN is an error in either case.
    params
        Parameters of `streamart.StreamART`, as keywords. They are checked when the first sample is
        learnt.

    Notes
    -----
    `model` is the `StreamART` estimator, with all its attributes and methods. The order of the
    features in a sample does not matter, and the size of mini-batches does not change what is
    learnt.

    `predict_one` derives the clusters again only when the stream has grown by a tenth. All
    attributes and `predict_many` derive them at once.

    Examples
    --------
    >>> from river import stream
    >>> from streamart.adapters.river import StreamARTClusterer
    >>> from streamart.data import make_stream

    >>> X, _ = make_stream("random", 150, random_state=0)
    >>> model = StreamARTClusterer()
    >>> for x, _ in stream.iter_array(X):
    ...     model.learn_one(x)
    >>> model.n_clusters
    7

    """

    _estimator = StreamART

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {}
        yield {"max_categories": 20, "missing": "zero"}


class ICVITopoARTMAPClusterer(_OnlineClusterer):
    """The paper's network for river: `streamart.ICVITopoARTMAP`.

    Its index measures Euclidean distances, so features with different units need
    `preprocessing.StandardScaler()` in front. Let the scaler see a few samples of every kind before
    the first one is learnt: while its mean and variance still change, learnt clusters end up in the
    wrong place.

    Parameters
    ----------
    features, missing
        As for `StreamARTClusterer`.
    params
        Parameters of `streamart.ICVITopoARTMAP`, as keywords.

    Examples
    --------
    >>> from river import stream
    >>> from streamart.adapters.river import ICVITopoARTMAPClusterer

    >>> X = [[0, 0], [0, 1], [9, 9], [9, 8], [0, 9], [1, 9], [1, 0], [8, 9], [1, 8]]
    >>> model = ICVITopoARTMAPClusterer()
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

    _estimator = ICVITopoARTMAP

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {}
        yield {"icvi": "conn", "rho": 0.8, "rho_c": 0.8}
        yield {"missing": "zero"}


def _ordered(names: Collection[Any]) -> tuple[Any, ...]:
    """Names in an order that does not depend on the sample, as rounding depends on it."""
    try:
        return tuple(sorted(names))
    except TypeError:  # names of several types
        return tuple(sorted(names, key=lambda name: (type(name).__name__, repr(name))))


def _numbers(values: list[Any], known: tuple[Any, ...]) -> Floats:
    """Numbers that numpy keeps as objects, such as fractions and huge integers, as floats."""
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


def _refuse_values(x: Mapping[Any, SupportsFloat], known: tuple[Any, ...]) -> None:
    """Raise ValueError with the name of a feature that is NaN or infinite, if there is one."""
    for name in known:
        if name in x and not math.isfinite(x[name]):
            raise ValueError(f"Feature {name!r} must be finite. Got {x[name]!r} instead.")
