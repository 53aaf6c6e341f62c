r"""How features are scaled: one monotone map for each, so that no single value sets the scale.

Statistics are kept in the units of the data; distances are measured between images of means. When
the map changes, only the images are computed anew, so a change of scale is exact.

With the 2.5 % and 97.5 % quantiles q of a uniform sample of the stream (the reservoir) and their
distance B, a value between the fences :math:`q_{.025} - 2B` and :math:`q_{.975} + 2B` is divided by
the range of the data there. A value at u times B beyond a fence is measured as if it were at
:math:`u/(1+u)` times B: far values stay far, but an error code of -9999 does not squash all
others. A positive feature whose upper tail is 20 times as long as its lower one is measured by its
logarithm.
"""

import math

import numpy as np

from ..._jit import jit, jit_entry
from ..._typing import Floats

# rows of a map: fences, B, factor, least value if it is measured by its logarithm (else 0), the
# least and greatest value ever seen in the reservoir, and the weight beside other features
LOW, HIGH, REACH, FACTOR, FLOOR, SEEN_LOW, SEEN_HIGH, WEIGHT = 0, 1, 2, 3, 4, 5, 6, 7


def no_scale(d: int) -> Floats:
    """Of a stream that has not begun, or of unit vectors: every value stays what it is."""
    scale = np.zeros((8, d))
    scale[LOW], scale[HIGH], scale[[REACH, FACTOR, WEIGHT]] = -np.inf, np.inf, 1.0
    scale[SEEN_LOW], scale[SEEN_HIGH] = np.inf, -np.inf
    return scale


@jit
def image_of(scale: Floats, x: Floats, z: Floats) -> None:
    """Where a sample or mean is, as distances are measured."""
    for f in range(x.shape[0]):
        value = x[f]
        if scale[FLOOR, f] > 0.0:
            value = math.log(max(value, scale[FLOOR, f]))
        if value > scale[HIGH, f]:
            beyond = (value - scale[HIGH, f]) / scale[REACH, f]
            value = scale[HIGH, f] + scale[REACH, f] * (beyond / (1.0 + beyond))
        elif value < scale[LOW, f]:
            beyond = (scale[LOW, f] - value) / scale[REACH, f]
            value = scale[LOW, f] - scale[REACH, f] * (beyond / (1.0 + beyond))
        z[f] = value * scale[FACTOR, f]


@jit_entry
def images_of(scale: Floats, X: Floats, Z: Floats) -> None:
    for t in range(X.shape[0]):
        image_of(scale, X[t], Z[t])


@jit
def squared_slope(scale: Floats, value: float, f: int) -> float:
    """What a small squared distance at this value of a feature is multiplied by."""
    slope = scale[FACTOR, f]
    if scale[FLOOR, f] > 0.0:
        value = max(value, scale[FLOOR, f])
        slope /= value
        value = math.log(value)
    if value > scale[HIGH, f]:
        beyond = 1.0 + (value - scale[HIGH, f]) / scale[REACH, f]
        slope /= beyond * beyond
    elif value < scale[LOW, f]:
        beyond = 1.0 + (scale[LOW, f] - value) / scale[REACH, f]
        slope /= beyond * beyond
    return slope * slope


@jit
def compactness(scale: Floats, spread: Floats, mean: Floats) -> float:
    """CP of a category as distances are measured, from sums of squares in units of the data."""
    total = 0.0
    for f in range(mean.shape[0]):
        total += spread[f] * squared_slope(scale, mean[f], f)
    return total


@jit_entry
def compactnesses_of(scale: Floats, spread: Floats, mean: Floats, found: Floats) -> None:
    for p in range(found.shape[0]):
        found[p] = compactness(scale, spread[p], mean[p])
