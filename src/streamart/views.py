"""What can be read of a model: small records of arrays."""

from __future__ import annotations

from typing import NamedTuple

from ._typing import Floats, Ints


class Categories(NamedTuple):
    """Module A's categories, one row each."""

    lower: Floats
    """Lower corner of the box, in the units of the data."""
    upper: Floats
    """Upper corner of the box."""
    n: Ints
    """Samples learnt."""
    mean: Floats
    """Mean of these samples."""
    cp: Floats
    """Compactness: sum of squared distances of these samples from their mean."""
    inactivity: Ints
    """Samples since the category last won."""
    cluster: Ints
    """Cluster that the map field gives it."""


class Clusters(NamedTuple):
    """Footprints of the clusters, one row each."""

    n: Ints
    mean: Floats
    cp: Floats
    n_categories: Ints
