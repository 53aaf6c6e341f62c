"""streamart: online clustering of streams. `StreamART` is the model to begin with."""

from importlib.metadata import version
from typing import TYPE_CHECKING

from ._lazy import on_demand

if TYPE_CHECKING:
    from .estimators.classifier import ICVITopoARTMAPClassifier
    from .estimators.network import ICVITopoARTMAP
    from .estimators.scoring import validity_score, validity_scorer
    from .estimators.stream_art import StreamART
    from .history.events import Event
    from .history.ids import ClusterIdError
    from .people.explain import CategoryVerdict, Explanation, Suggestion
    from .people.hints import HintError, Hints, cluster
    from .persistence import ModelFileError, load
    from .report.page import write_report as report  # the module can be called
    from .views import Categories, Clusters

__version__ = version("streamart")

__all__ = [
    "Categories",
    "CategoryVerdict",
    "ClusterIdError",
    "Clusters",
    "Event",
    "Explanation",
    "HintError",
    "Hints",
    "ICVITopoARTMAP",
    "ICVITopoARTMAPClassifier",
    "ModelFileError",
    "StreamART",
    "Suggestion",
    "__version__",
    "cluster",
    "load",
    "report",
    "validity_score",
    "validity_scorer",
]

# Imported when they are first used: the command line answers `--help` and completes a word without
# waiting for the compiler to be loaded.
_HOMES = {
    "Categories": "views",
    "CategoryVerdict": "people.explain",
    "ClusterIdError": "history.ids",
    "Clusters": "views",
    "Event": "history.events",
    "Explanation": "people.explain",
    "HintError": "people.hints",
    "Hints": "people.hints",
    "ICVITopoARTMAP": "estimators.network",
    "ICVITopoARTMAPClassifier": "estimators.classifier",
    "ModelFileError": "persistence",
    "StreamART": "estimators.stream_art",
    "Suggestion": "people.explain",
    "cluster": "people.hints",
    "load": "persistence",
    "report": "report",
    "validity_score": "estimators.scoring",
    "validity_scorer": "estimators.scoring",
}
__getattr__ = on_demand(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
