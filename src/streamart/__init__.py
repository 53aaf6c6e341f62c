"""streamart: online clustering of streams, after iCVI-TopoARTMAP."""

from importlib.metadata import version
from typing import TYPE_CHECKING

from ._lazy import on_demand

if TYPE_CHECKING:
    from .classifier import ICVITopoARTMAPClassifier
    from .hints import HintError, Hints, cluster
    from .identity import Event
    from .model import ICVITopoARTMAP
    from .persistence import ModelFileError, load
    from .scoring import validity_score, validity_scorer
    from .self_tuning import StreamART
    from .views import Categories, Clusters

__version__ = version("streamart")

__all__ = [
    "Categories",
    "Clusters",
    "Event",
    "HintError",
    "Hints",
    "ICVITopoARTMAP",
    "ICVITopoARTMAPClassifier",
    "ModelFileError",
    "StreamART",
    "__version__",
    "cluster",
    "load",
    "validity_score",
    "validity_scorer",
]

# Imported when they are first used: the command line answers `--help` and completes a word without
# waiting for the compiler to be loaded.
_HOMES = {
    "Categories": "views",
    "Clusters": "views",
    "Event": "identity",
    "HintError": "hints",
    "Hints": "hints",
    "ICVITopoARTMAP": "model",
    "ICVITopoARTMAPClassifier": "classifier",
    "ModelFileError": "persistence",
    "StreamART": "self_tuning",
    "cluster": "hints",
    "load": "persistence",
    "validity_score": "scoring",
    "validity_scorer": "scoring",
}
__getattr__ = on_demand(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
