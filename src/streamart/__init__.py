"""streamart: online clustering of streams, after iCVI-TopoARTMAP."""

from importlib.metadata import version

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
