"""The rivals that the paper compares with, with the same interface as the network."""

from .drn import DRN
from .e_topofa import ETopoFA
from .incremental_kmeans import IncrementalSequentialKMeans
from .nearest_neighbour import NearestNeighbour
from .sequential_kmeans import SequentialKMeans
from .ws_dvfa import WSDVFA
from .ws_topofa import WSTopoFA

__all__ = [
    "DRN",
    "WSDVFA",
    "ETopoFA",
    "IncrementalSequentialKMeans",
    "NearestNeighbour",
    "SequentialKMeans",
    "WSTopoFA",
]
