"""The scale of features, from a sample of the stream; `core.self_tuning.scale` says what it is."""

from __future__ import annotations

import numpy as np

from .._typing import Floats
from ..core.self_tuning.scale import (
    FACTOR,
    FLOOR,
    HIGH,
    LOW,
    REACH,
    SEEN_HIGH,
    SEEN_LOW,
    WEIGHT,
    no_scale,
)

TRIM = 0.025
"""Share of the samples at either end that does not set the scale. In a stream with 1 % of wrong
values, more than 12 of 512 samples (2.5 %) are wrong once in 600 times. A smaller cluster beyond
the fences is measured as nearer than it is, but still as far away."""
FENCE = 2.0
"""Distance of the fences, in B. A cluster of 2 % that is three times as far as all others are wide
is measured as it is."""
SKEW = 20.0
"""A tail is this much longer than the other in log-normal data of sigma 1.3 and more; in
exponential data it is 7 times as long."""
ENOUGH = 64
"""Samples from which on quantiles mean something; before, the range is all that is known."""
NARROWEST = 1e-150
"""A smaller range is taken as none: its inverse, squared, would overflow."""


def fitted_scale(known: Floats, before: Floats, forgets: bool) -> Floats:
    """The map for these samples. What was `before` widens the range, unless the stream forgets."""
    scale, weight = no_scale(known.shape[1]), before[WEIGHT]
    enough = len(known) >= ENOUGH
    if enough:
        low, middle, high = _quantiles(known)
        skewed = (known.min(axis=0) > 0) & (middle > low) & (high - middle > SKEW * (middle - low))
        scale[FLOOR] = np.where(skewed, known.min(axis=0), 0.0)
        known = np.where(skewed, np.log(np.where(skewed, known, 1.0)), known)
    scale[SEEN_LOW], scale[SEEN_HIGH] = known.min(axis=0), known.max(axis=0)
    if not forgets:
        same = (scale[FLOOR] > 0) == (before[FLOOR] > 0)
        least, greatest = before[SEEN_LOW, same], before[SEEN_HIGH, same]
        scale[SEEN_LOW, same] = np.minimum(scale[SEEN_LOW, same], least)
        scale[SEEN_HIGH, same] = np.maximum(scale[SEEN_HIGH, same], greatest)
    if enough:
        low, _, high = _quantiles(known)
        bulk = high - low
        many = bulk > NARROWEST
        scale[LOW, many], scale[HIGH, many] = (
            (low - FENCE * bulk)[many],
            (high + FENCE * bulk)[many],
        )
        scale[REACH, many] = bulk[many]
    span = np.minimum(scale[SEEN_HIGH], scale[HIGH]) - np.maximum(scale[SEEN_LOW], scale[LOW])
    scale[FACTOR] = np.divide(weight, span, out=np.zeros_like(span), where=span > NARROWEST)
    scale[WEIGHT] = weight
    return scale


def _quantiles(known: Floats) -> tuple[Floats, Floats, Floats]:
    """Each feature without TRIM at either end, but at least one sample; and its median."""
    count = len(known)
    low = max(1, int(TRIM * count))
    parts = np.partition(known, [low, count // 2, count - 1 - low], axis=0)
    return parts[low], parts[count // 2], parts[count - 1 - low]
