"""streamart: online clustering of streams, after iCVI-TopoARTMAP."""

from importlib.metadata import version

from .model import Categories, Clusters, ICVITopoARTMAP

__version__ = version("streamart")

__all__ = ["Categories", "Clusters", "ICVITopoARTMAP", "__version__"]
