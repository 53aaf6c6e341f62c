"""Profiles: what sets each cluster apart, in words.

They are computed from the categories. Each category has the mean, spread and number of similar
samples, so medians and quartiles of a cluster can be estimated without its samples, and a few
outliers change little. This module works on arrays and names, not on a model.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._typing import Bools, Floats, Ints
from ..data.columns import Column
from ..data.encoding import Columns

CLEAR = 0.8
"""Effect size from which a feature sets a cluster apart (Cohen's "large" effect)."""
SURE = 2 * CLEAR
"""Effect size from which a feature is certainly high or low. A value between those of others counts
no more than this."""
_IQR = 1.349  # interquartile range of a normal distribution, in standard deviations
_AWAY = 1.5**0.5  # mean and mean +- this many deviations have the same variance


class Footprints(NamedTuple):
    """Categories: weight, mean and standard deviation of each feature, first and last sample."""

    n: Floats
    mean: Floats
    deviation: Floats
    first: Ints
    """Number of the first sample."""
    last: Ints


class Feature(NamedTuple):
    """One column in one cluster."""

    name: str
    effect: float
    """How far it sets the cluster apart from all others. For numbers, the difference of the medians
    in units of the spread (from quartiles); if the cluster lies between others, the difference to
    the nearer ones, up to `SURE`. For a categorical column, Cohen's h of one value."""
    words: str
    short: str
    """Short form for a name, such as "high vibration"."""
    middle: float
    """Median; for a categorical column, the share of the value with the greatest effect."""
    spread: float
    elsewhere: float
    elsewhere_spread: float
    shares: tuple[tuple[str, float], ...] = ()
    """For a categorical or yes/no column: each value and its share in the cluster."""


class Profile(NamedTuple):
    """Description of a cluster. Its id is permanent; samples are numbered from 1."""

    id: int
    name: str | None
    suggested: str
    """A name made of the features that set it apart most."""
    size: int
    share: float
    first: int
    last: int
    features: tuple[Feature, ...]
    """The greatest effect first."""
    typical: tuple[int, ...]
    """Numbers of samples near its middle."""
    unusual: tuple[int, ...]
    """Numbers of samples far from its middle."""

    @property
    def clear(self) -> list[Feature]:
        """The features that set it apart."""
        return [feature for feature in self.features if abs(feature.effect) >= CLEAR]

    @property
    def words(self) -> str:
        if not self.features:
            return "the only cluster"
        found = "; ".join(feature.words for feature in self.clear[:3])
        return found or "like the others in every single column"

    def __str__(self) -> str:
        return f"#{self.id} {self.name or self.suggested}: {self.words}"


def profiles_of(
    given: Footprints,
    labels: Ints,
    ids: Ints,
    sizes: Ints,
    names: Mapping[int, str],
    columns: Columns,
) -> list[Profile]:
    """The profile of every cluster, largest first; `labels` is the cluster of each category."""
    order = np.argsort(-sizes, kind="stable").tolist()
    found = []
    for place in order:
        inside = labels == place
        features = sorted(_features(given, inside, columns), key=lambda f: -abs(f.effect))
        far = _distance_from_middle(given, inside)
        near_first = np.flatnonzero(inside)[np.argsort(far, kind="stable")]
        i = int(ids[place])
        found.append(
            Profile(
                id=i,
                name=names.get(i),
                suggested="",
                size=int(sizes[place]),
                share=float(sizes[place] / max(1, sizes.sum())),
                first=int(given.first[inside].min()),
                last=int(given.last[inside].max()),
                features=tuple(features),
                typical=_samples(given.last, near_first[:3]),
                unusual=_samples(given.last, near_first[:-4:-1]) if len(near_first) > 3 else (),
            )
        )
    return _named(_described_by_gaps(found))


def difference(here: Profile, there: Profile) -> str:
    """How one cluster differs most from another ("higher pressure"); empty if all overlap."""
    others = {feature.name: feature for feature in there.features}
    found = [_difference(f, others[f.name]) for f in here.features if f.name in others]
    effect, words = max(found, default=(0.0, ""))
    return words if effect >= CLEAR else ""


def _difference(here: Feature, there: Feature) -> tuple[float, str]:
    if here.shares:
        shares = dict(there.shares)
        return max((_cohens_h(p, shares.get(v, 0.0)), f"{here.name} {v}") for v, p in here.shares)
    gap = here.middle - there.middle
    unit = max(((here.spread**2 + there.spread**2) / 2) ** 0.5, 1e-3 * abs(gap))
    return abs(gap) / (unit or 1.0), f"{'higher' if gap > 0 else 'lower'} {here.name}"


def _cohens_h(p: Any, q: Any) -> Any:
    return 2 * (np.arcsin(np.sqrt(p)) - np.arcsin(np.sqrt(q)))


def _samples(numbers: Ints, categories: Ints) -> tuple[int, ...]:
    return tuple(dict.fromkeys(numbers[categories].tolist()))


def _distance_from_middle(given: Footprints, inside: Bools) -> Floats:
    """Distance of each category of a cluster from its median, in units of the overall spread."""
    middle, _ = quartiles(given, inside)
    _, unit = quartiles(given, np.ones(len(inside), dtype=bool))
    extent = np.ptp(given.mean, axis=0)
    unit = np.maximum(unit, 1e-6 * np.where(extent > 0, extent, 1.0))
    return np.asarray(np.sum(((given.mean[inside] - middle) / unit) ** 2, axis=1))


def quartiles(given: Footprints, inside: Bools) -> tuple[Floats, Floats]:
    """Median and spread (a robust standard deviation) of every feature over some categories.

    >>> given = Footprints(np.ones(5), np.array([[1.0], [2], [3], [4], [900]]), np.zeros((5, 1)),
    ...                    np.arange(5), np.arange(5))
    >>> [value.tolist() for value in quartiles(given, np.ones(5, dtype=bool))][0]
    [3.0]
    """
    mean, deviation = given.mean[inside], _AWAY * given.deviation[inside]
    points = np.concatenate([mean - deviation, mean, mean + deviation])
    weight = np.tile(given.n[inside] / 3, 3)
    at = np.argsort(points, axis=0, kind="stable")
    points = np.take_along_axis(points, at, axis=0)
    share = np.cumsum(weight[at], axis=0) / weight.sum()
    low, middle, high = (
        np.take_along_axis(points, (share >= q - 1e-9).argmax(axis=0)[None], axis=0)[0]
        for q in (0.25, 0.5, 0.75)
    )
    return middle, (high - low) / _IQR


def _features(given: Footprints, inside: Bools, columns: Columns) -> list[Feature]:
    if inside.all():
        return []
    here, there = quartiles(given, inside), quartiles(given, ~inside)
    weight = given.n[:, None]
    share_here = (weight * given.mean)[inside].sum(axis=0) / weight[inside].sum()
    share_there = (weight * given.mean)[~inside].sum(axis=0) / weight[~inside].sum()
    extent = np.ptp(given.mean, axis=0)
    found = []
    for column, at in zip(columns.used, columns.places, strict=True):
        if column.kind == "measurement" or _holds_other_numbers(given, column, at.start):
            f = at.start
            middle, spread, other, around = (float(part[f]) for part in (*here, *there))
            found.append(_measurement(column.name, middle, spread, other, around, float(extent[f])))
        else:
            p, q = (np.clip(part[at], 0.0, 1.0) for part in (share_here, share_there))
            effects = _cohens_h(p, q)
            best = int(np.argmax(np.abs(effects) + 1e-6 * (effects > 0)))
            values_of = column.values
            if column.kind == "yes/no":
                values_of, p, q = ("yes",), p[:1], q[:1]
                if effects[0] < 0:
                    values_of, p, q, effects = ("no",), 1 - p, 1 - q, -effects
            value = values_of[best] if best < len(values_of) else "?"
            feature = _share(
                column.name, value, float(p[best]), float(q[best]), float(effects[best])
            )
            shares = dict(zip(values_of, p.tolist(), strict=False))
            if column.kind == "yes/no":
                shares["no" if value == "yes" else "yes"] = 1 - float(p[0])
            found.append(feature._replace(shares=tuple(shares.items())))
    return found


def _holds_other_numbers(given: Footprints, column: Column, at: int) -> bool:
    """Whether a yes/no column has received other numbers than 0 and 1."""
    mean = given.mean[:, at]
    return column.takes_numbers and bool(mean.min() < 0 or mean.max() > 1)


def _measurement(
    name: str, middle: float, spread: float, other: float, around: float, extent: float
) -> Feature:
    unit = max(((spread**2 + around**2) / 2) ** 0.5, 1e-3 * extent)
    effect = (middle - other) / unit if unit > 0 else 0.0
    there = f"{number(other, around)} ± {number(around, around)}"
    words = f"{name} {number(middle, spread)}, elsewhere {there}"
    short = f"{'high' if effect > 0 else 'low'} {name}"
    return Feature(name, effect, words, short, middle, spread, other, around)


def _share(name: str, value: str, here: float, there: float, effect: float) -> Feature:
    words = f"{name} {value} {here:.0%}, elsewhere {there:.0%}"
    short = f"{name} {value}" if effect > 0 else f"{name} not {value}"
    spread, around = ((p * (1 - p)) ** 0.5 for p in (here, there))
    return Feature(name, effect, words, short, here, spread, there, around)


def number(value: float, spread: float) -> str:
    """A number with as many digits as its spread justifies.

    >>> number(9.0321, 0.41), number(1234.6, 30.0), number(0.00123, 0.0002)
    ('9.0', '1,235', '0.0012')
    """
    if spread <= 0 or not np.isfinite(spread):
        return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    digits = int(np.clip(-np.floor(np.log10(spread)), 1 if spread < 10 else 0, 12))
    text = f"{value:,.{digits}f}"
    return text.removeprefix("-") if not float(text.replace(",", "")) else text


def _described_by_gaps(profiles: Sequence[Profile]) -> list[Profile]:
    """A cluster may differ little from all others taken together, and lie clear of each: some are
    below it in a feature, some above. Then the gaps to the next ones are what tells it apart."""
    middles: dict[str, list[Feature]] = {}
    for profile in profiles:
        for feature in profile.features:
            middles.setdefault(feature.name, []).append(feature)
    for of_one in middles.values():
        of_one.sort(key=lambda feature: feature.middle)
    found = []
    for profile in profiles:
        described = (_between(f, middles[f.name]) for f in profile.features)
        features = sorted(described, key=lambda f: -abs(f.effect))
        found.append(profile._replace(features=tuple(features)))
    return found


def _between(feature: Feature, in_order: Sequence[Feature]) -> Feature:
    """The feature, described by the smaller gap to its neighbours if that is clearer."""
    at = bisect_left(in_order, feature.middle, key=lambda f: f.middle)
    beyond = bisect_right(in_order, feature.middle, key=lambda f: f.middle)
    if feature.shares or abs(feature.effect) >= SURE or not 0 < at <= beyond < len(in_order):
        return feature
    low, high = in_order[at - 1], in_order[beyond]
    gap = min(_difference(feature, other)[0] for other in (low, high))
    if beyond - at > 1 or gap < max(CLEAR, abs(feature.effect)):
        return feature
    ends = f"{number(low.middle, low.spread)} and {number(high.middle, high.spread)}"
    words = f"{feature.name} {number(feature.middle, feature.spread)}, between {ends}"
    return feature._replace(effect=min(gap, SURE), words=words, short=f"medium {feature.name}")


def _named(profiles: Sequence[Profile]) -> list[Profile]:
    """Suggest names of two features, or of more if two names would be the same."""
    taken: dict[str, int] = {}
    found = []
    for profile in profiles:
        shorts = [feature.short for feature in profile.clear]
        name = ", ".join(shorts[:2]) or ("average" if profile.features else "everything")
        for more in range(3, len(shorts) + 1):
            if name not in taken:
                break
            name = ", ".join(shorts[:more])
        taken[name] = taken.get(name, 0) + 1
        if taken[name] > 1:
            name = f"{name} ({taken[name]})"
        found.append(profile._replace(suggested=name))
    return found
