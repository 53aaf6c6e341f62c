"""Streams to try the network on."""

from .streams import COVARIANCE, MEANS, ORDERS, SIZES, make_stream, reorder

__all__ = ["COVARIANCE", "MEANS", "ORDERS", "SIZES", "make_stream", "reorder"]
