"""streamart: online clustering of streams, after iCVI-TopoARTMAP."""

from importlib.metadata import version

from .model import Categories, Clusters, ICVITopoARTMAP
from .persistence import ModelFileError, load

__version__ = version("streamart")

__all__ = ["Categories", "Clusters", "ICVITopoARTMAP", "ModelFileError", "__version__", "load"]
