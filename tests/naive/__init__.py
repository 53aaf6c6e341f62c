"""The paper and its rivals, transcribed: no caches, no numba, nothing shared with the package."""

from .drn import NaiveDRN
from .fuzzy_art import NaiveDVFA, NaiveETopoFA, NaiveTopoFA
from .kmeans import NaiveISKM, NaiveSequentialKMeans
from .network import NaiveTopoARTMAP

__all__ = [
    "NaiveDRN",
    "NaiveDVFA",
    "NaiveETopoFA",
    "NaiveISKM",
    "NaiveSequentialKMeans",
    "NaiveTopoARTMAP",
    "NaiveTopoFA",
]
