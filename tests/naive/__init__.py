"""The paper, transcribed: no caches, no numba, nothing shared with the package under test."""

from .network import NaiveTopoARTMAP

__all__ = ["NaiveTopoARTMAP"]
