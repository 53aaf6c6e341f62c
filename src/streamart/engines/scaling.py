"""Fit the scale of features (see `core.self_tuning.scale`) to a sample of the stream."""

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
"""Share of the samples that is ignored at either end. In a stream with 1 % of wrong values, more
than 12 of 512 samples (2.5 %) are wrong in one of 600 cases. The distance of a smaller cluster
beyond the fences is shortened, but the cluster stays outside."""
FENCE = 2.0
"""Distance of the fences from the bulk, in widths of the bulk. A cluster of 2 % of the samples is
measured correctly up to three times as far away as all others are wide."""
SKEW = 20.0
"""Ratio of the tails' lengths above which a feature is measured by its logarithm. Log-normal data
with sigma 1.3 have such tails; in exponential data, the ratio is 7."""
ENOUGH = 64
"""Number of samples needed for quantiles; with fewer, the range is used."""
NARROWEST = 1e-150
"""A smaller range counts as zero, because the square of its inverse would overflow."""


def fitted_scale(known: Floats, before: Floats, forgets: bool) -> Floats:
    """The scale for these samples. The range `before` is included, unless the stream forgets."""
    scale, weight = no_scale(known.shape[1]), before[WEIGHT]
    enough = len(known) >= ENOUGH
    if enough:
        low, middle, high = _quantiles(known)
        skewed = (known.min(axis=0) > 0) & (middle > low) & (high - middle > SKEW * (middle - low))
        if skewed.any():
            scale[FLOOR] = np.where(skewed, known.min(axis=0), 0.0)
            known = np.where(skewed, np.log(np.where(skewed, known, 1.0)), known)
            low, middle, high = _quantiles(known)
    scale[SEEN_LOW], scale[SEEN_HIGH] = known.min(axis=0), known.max(axis=0)
    if not forgets:
        same = (scale[FLOOR] > 0) == (before[FLOOR] > 0)
        least, greatest = before[SEEN_LOW, same], before[SEEN_HIGH, same]
        scale[SEEN_LOW, same] = np.minimum(scale[SEEN_LOW, same], least)
        scale[SEEN_HIGH, same] = np.maximum(scale[SEEN_HIGH, same], greatest)
    if enough:
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
    """Low and high quantile of each feature (at least one sample is trimmed), and its median."""
    count = len(known)
    low = max(1, int(TRIM * count))
    parts = np.partition(known, [low, count // 2, count - 1 - low], axis=0)
    return parts[low], parts[count // 2], parts[count - 1 - low]
