"""Metric, scale and faded categories, which are checked from time to time during a stream.

Each of the first 256 samples (`WARM_UP`) is a category of its own, so until then the metric can
still change: means are recomputed from the reservoir, and CONN is counted again. Afterwards the
metric is fixed and only the scale is updated.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from .._typing import Floats
from ..core.self_tuning.budget import BEGUN, Budget
from ..core.self_tuning.room import drop_massless
from ..core.self_tuning.scale import WEIGHT, compactnesses_of, images_of, no_scale
from ..gaps import filled, has_gaps
from ..icvi.links import link_anew
from ..icvi.state import HI, LO, MEAN, State
from ..views import rows_of
from .scaling import fitted_scale

WARM_UP = 256
"""Samples after which the metric is final. Half the size of the reservoir, which keeps them all."""
LEAST_LEFT = 0.5
"""A category is dropped when less than this many samples are left of it."""
RENEWED = 0.1
"""The scale is fitted again after this share of the samples so far, or of the half-life; but not
before 32 more samples."""


def known_samples(s: State, b: Budget) -> Floats:
    """The samples in the reservoir, with estimates for missing values."""
    return filled(b.reservoir[: int(s.now[0]["n"])])


def images(b: Budget, X: Floats) -> Floats:
    """Samples (with the cosine metric: unit vectors) in the units of distances."""
    if b.account[0]["by_range"] == 0:
        return X
    Z = np.empty_like(X)
    images_of(b.scale, X, Z)
    return np.where(np.isnan(X), X, Z) if has_gaps(X) else Z


def compactnesses(s: State, b: Budget) -> Floats:
    """CP of each category, by row, in the units of the images; a new sample has weight 1."""
    found = np.empty(int(s.now[0]["categories"]))
    compactnesses_of(b.scale, b.spread, s.box[MEAN], found)
    return np.asarray(found / b.account[0]["weight"])


def next_look(s: State, b: Budget) -> int:
    """When to fit the scale next: after 1 to 8, 16, 32, ..., WARM_UP samples, then less often."""
    n, half_life = int(s.now[0]["n"]), float(b.account[0]["half_life"])
    if n < 8:
        return n + 1
    if n < WARM_UP:
        return min(2 * n, WARM_UP)
    return n + max(32, int(RENEWED * (half_life or n)))


def scale_again(s: State, b: Budget) -> None:
    """Fit the scale to the reservoir, and convert the radius and opening costs to it."""
    before = compactnesses(s, b).sum()
    forgets = b.account[0]["half_life"] > 0
    b.scale[:] = fitted_scale(known_samples(s, b), b.scale, forgets)
    count = int(s.now[0]["categories"])
    images_of(b.scale, s.box[MEAN, :count], b.image[:count])
    if before > 0:
        ratio = compactnesses(s, b).sum() / before
        b.account["radius"] *= ratio
        b.opening[:] *= ratio


def measure_first_samples(s: State, b: Budget, by_range: bool, first: Floats) -> None:
    """Apply a metric while each category is still one sample and its copies. `first` has the
    samples in this metric, in their order."""
    rows, births = rows_of(s), s.cat["birth"][rows_of(s)] - 1
    b.account["by_range"] = by_range
    s.box[LO, rows] = s.box[HI, rows] = s.box[MEAN, rows] = first[births]
    plain = no_scale(first.shape[1])
    plain[WEIGHT] = b.scale[WEIGHT]
    b.scale[:] = fitted_scale(first, plain, False) if by_range else plain
    b.seen[rows] = ~np.isnan(b.reservoir[births]) * b.mass[rows, None]
    b.image[rows] = images(b, np.ascontiguousarray(first[births]))
    _link_again(s, b, images(b, first))


def _link_again(s: State, b: Budget, first: Floats) -> None:
    """Count CONN again for the first samples: a link from each to the nearest earlier one."""
    rows, births = rows_of(s), s.cat["birth"][rows_of(s)] - 1
    known = b.reservoir[: len(first)] + 0.0  # a negative zero is a zero
    row_of = dict(zip((x.tobytes() for x in known[births]), rows, strict=True))
    own = np.array([row_of[x.tobytes()] for x in known])
    own[births] = rows  # a sample with gaps is never a copy
    far = cdist(first, first[births], "sqeuclidean")
    far[(births >= np.arange(len(first))[:, None]) | (rows == own[:, None])] = np.inf
    beside = rows[far.argmin(axis=1)]
    linked = np.isfinite(far.min(axis=1))
    link_anew(s, own[linked], beside[linked])


def fade(s: State, b: Budget) -> None:
    """With a half-life, drop categories that have faded."""
    if b.account[0]["half_life"] > 0:
        drop_faded(s, b)
        renew_weights(s, b)


def set_half_life(b: Budget, half_life: float) -> None:
    """Set the half-life from now on; 0 means none."""
    b.account["half_life"] = half_life
    b.account["growth"] = 2.0 ** (1.0 / half_life) if half_life else 1.0


# ------------------------------------------------------------------ room


def begin_room(b: Budget) -> None:
    """Start making room."""
    account = b.account
    account["limit"], account["unit"] = account["asked"], account["weight"]
    account["searched"] = account["merged"] = 0
    account["making"] = BEGUN


def finish_room(b: Budget) -> None:
    """Set the radius from the costs of the mergers that made room."""
    account, before = b.account.copy(), b.account[0]
    prices = b.price[: min(int(before["merged"]), len(b.price))]
    if len(prices):
        account["radius"] = max(before["radius"], np.median(prices))
        opened = b.opening[: min(int(before["opened"]), len(b.opening))]
        if len(opened) and before["limit"] <= before["asked"]:
            account["radius"] = max(account["radius"][0], np.quantile(opened, 0.25))
    account["opened"] = account["making"] = 0
    b.account[:] = account


def drop_faded(s: State, b: Budget) -> None:
    """Drop categories of which less is left than of one sample after a half-life."""
    mass = b.mass[: int(s.now[0]["categories"])]
    faded = mass < LEAST_LEFT * b.account[0]["weight"]
    faded[s.now[0]["winner"]] = False
    if faded.any():
        mass[faded] = 0.0
        drop_massless(s, b)


def renew_weights(s: State, b: Budget) -> None:
    """Divide all weights, so that a new sample has weight 1 again, before they overflow."""
    weight = float(b.account[0]["weight"])
    if weight > 1e60:
        for kept in (b.mass, b.seen, b.spread, s.link["weight"]):
            kept /= weight
        b.account["weight"] = 1.0
