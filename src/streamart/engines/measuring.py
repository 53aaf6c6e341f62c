"""What is looked at now and then while a stream is learnt: metric, scale and dimension.

The first 256 samples are categories by themselves (`WARM_UP`), so everything can be decided anew
until then: means are taken from the reservoir again, and CONN is counted again. Afterwards the
metric stays, and only the scale moves.
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
"""Samples after which the metric is final. Half the reservoir, which still holds all of them."""
LEAST_LEFT = 0.5
"""Samples that are left of a category when it is dropped."""
RENEWED = 0.1
"""The scale is looked at again after so many more samples, as a share; of the half-life if there is
one. At least after 32."""


def known_samples(s: State, b: Budget) -> Floats:
    """The reservoir as far as it is filled; what is missing is estimated."""
    return filled(b.reservoir[: int(s.now[0]["n"])])


def images(b: Budget, X: Floats) -> Floats:
    """Samples, as they are measured otherwise, as distances are measured."""
    if b.account[0]["by_range"] == 0:
        return X
    Z = np.empty_like(X)
    images_of(b.scale, X, Z)
    return np.where(np.isnan(X), X, Z) if has_gaps(X) else Z


def compactnesses(s: State, b: Budget) -> Floats:
    """CP of each category, by rows, in the units of the images and in samples of now."""
    found = np.empty(int(s.now[0]["categories"]))
    compactnesses_of(b.scale, b.spread, s.box[MEAN], found)
    return np.asarray(found / b.account[0]["weight"])


def next_look(s: State, b: Budget) -> int:
    """After 1 to 8 samples, twice as many up to WARM_UP, then now and then."""
    n, half_life = int(s.now[0]["n"]), float(b.account[0]["half_life"])
    if n < 8:
        return n + 1
    if n < WARM_UP:
        return min(2 * n, WARM_UP)
    return n + max(32, int(RENEWED * (half_life or n)))


def scale_again(s: State, b: Budget) -> None:
    """The scale by the samples known now; R and what it is compared with change along."""
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
    """While every category is one of the first samples and its copies: `first`, as they are
    measured now, in their order."""
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
    """CONN of the first samples: the category of each, and the nearest that was there before it."""
    rows, births = rows_of(s), s.cat["birth"][rows_of(s)] - 1
    known = b.reservoir[: len(first)] + 0.0  # a negative zero is a zero
    row_of = dict(zip((x.tobytes() for x in known[births]), rows, strict=True))
    own = np.array([row_of[x.tobytes()] for x in known])
    own[births] = rows  # a sample with gaps is nobody's copy
    far = cdist(first, first[births], "sqeuclidean")
    far[(births >= np.arange(len(first))[:, None]) | (rows == own[:, None])] = np.inf
    beside = rows[far.argmin(axis=1)]
    linked = np.isfinite(far.min(axis=1))
    link_anew(s, own[linked], beside[linked])


def fade(s: State, b: Budget) -> None:
    """With a half-life: what has faded goes."""
    if b.account[0]["half_life"] > 0:
        drop_faded(s, b)
        renew_weights(s, b)


def set_half_life(b: Budget, half_life: float) -> None:
    """From now on; 0 for none."""
    b.account["half_life"] = half_life
    b.account["growth"] = 2.0 ** (1.0 / half_life) if half_life else 1.0


# ------------------------------------------------------------------ room


def begin_room(b: Budget) -> None:
    account = b.account
    account["limit"], account["unit"] = account["asked"], account["weight"]
    account["searched"] = account["merged"] = 0
    account["making"] = BEGUN


def finish_room(b: Budget) -> None:
    """Set the radius."""
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
    """Categories go that have less left than a single sample has after a half-life."""
    mass = b.mass[: int(s.now[0]["categories"])]
    faded = mass < LEAST_LEFT * b.account[0]["weight"]
    faded[s.now[0]["winner"]] = False
    if faded.any():
        mass[faded] = 0.0
        drop_massless(s, b)


def renew_weights(s: State, b: Budget) -> None:
    """A sample of now has weight 1 again, before weights overflow."""
    weight = float(b.account[0]["weight"])
    if weight > 1e60:
        for kept in (b.mass, b.seen, b.spread, s.link["weight"]):
            kept /= weight
        b.account["weight"] = 1.0
