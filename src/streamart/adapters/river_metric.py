"""Every validity index as a metric of river, for any of its clusterers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

try:
    from river import metrics
except ImportError as absent:
    raise ImportError(
        "streamart.adapters.river_metric needs river. "
        "Install it with: pip install 'streamart[river]'"
    ) from absent

from ..validity.catalogue import available
from ..validity.index import ValidityIndex


class ValidityMetric(metrics.base.ClusteringMetric):
    """A cluster validity index as a metric of river.

    Unlike river's Silhouette it needs no centres: it is computed from the samples and their
    predicted clusters. If a sample is later moved to another cluster, call `revert` with the old
    cluster and `update` with the new one.

    Parameters
    ----------
    index : str, default="db"
        A name of `icvi.available()`, except "conn", which needs more than samples.
    parameters
        Parameters of the index.

    Notes
    -----
    `index` is the index object of `streamart.icvi`. `get` returns NaN while there are fewer than
    two clusters. All samples must have the features of the first one.

    Examples
    --------
    >>> from river import stream
    >>> from streamart.adapters.river_metric import ValidityMetric

    >>> X = [[1, 2], [1, 4], [1, 0], [-4, 2], [-4, 4], [-4, 0]]
    >>> metric = ValidityMetric("db")
    >>> for x, _ in stream.iter_array(X):
    ...     metric.update(x, "right" if x[0] > 0 else "left")  # or model.predict_one(x)
    >>> metric.bigger_is_better, metric.get() > 0
    (False, True)
    """

    def __init__(self, index: str = "db", **parameters: Any) -> None:
        kinds = {
            name: kind for name, kind in available().items() if issubclass(kind, ValidityIndex)
        }
        if index not in kinds:
            raise ValueError(f"index must be one of {', '.join(kinds)}. Got {index!r} instead.")
        self.parameters = parameters
        self.index: ValidityIndex = kinds[index](**parameters)
        self._features: tuple[Any, ...] | None = None

    def update(
        self, x: Mapping[Any, float], y_pred: Hashable, centers: object = None, w: float = 1.0
    ) -> None:
        """Add a sample with its predicted cluster."""
        self.index.update(self._vector(x, w), y_pred)

    def revert(
        self, x: Mapping[Any, float], y_pred: Hashable, centers: object = None, w: float = 1.0
    ) -> None:
        """Undo an `update`."""
        self.index.remove(self._vector(x, w), y_pred)

    def get(self) -> float:
        return self.index.value

    @property
    def bigger_is_better(self) -> bool:
        return self.index.bigger_is_better

    def _vector(self, x: Mapping[Any, float], w: float) -> list[float]:
        if w != 1.0:
            raise ValueError(f"The weight of a sample must be 1. Got {w!r} instead.")
        if self._features is None:
            self._features = tuple(x)
        if len(x) != len(self._features) or any(name not in x for name in self._features):
            raise ValueError(
                f"The sample has the features {list(x)}; the first one had {list(self._features)}."
            )
        return [x[name] for name in self._features]
