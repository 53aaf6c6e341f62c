"""Rows in words: what typical and unusual rows of a cluster hold, for its card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._typing import Floats
from ..data.columns import Column
from ..data.encoding import Columns
from ..people.profiles import Profile, number

SHOWN = 4
"""Columns shown of a row: those that set the cluster apart most, as on its card."""


def rows_in_words(
    columns: Columns, profile: Profile, known: Mapping[int, Floats]
) -> dict[str, list[str]]:
    """By kind (typical, unusual), each row in words; empty where its values are not known."""
    return {
        kind: [_shown(columns, profile, known[i]) if i in known else "" for i in rows]
        for kind, rows in (("typical", profile.typical), ("unusual", profile.unusual))
    }


def _shown(columns: Columns, profile: Profile, x: Floats) -> str:
    places = dict(zip(columns.used, columns.places, strict=True))
    by_name = {column.name: column for column in places}
    features = profile.features[:SHOWN]
    # The only cluster has no features that tell it apart.
    shown = [by_name[feature.name] for feature in features] or columns.used[:SHOWN]
    spreads = {feature.name: feature.spread for feature in features}
    return ", ".join(
        f"{column.name} {value_in_words(column, x[places[column]], spreads.get(column.name, 0.0))}"
        for column in shown
    )


def value_in_words(column: Column, values: Any, spread: float) -> str:
    """The value of a column, from its features.

    >>> value_in_words(Column("a", "measurement", "", True), np.array([9.0321]), 0.4)
    '9.0'
    >>> value_in_words(Column("k", "category", "", True, ("u", "v")), np.array([0.0, 1.0]), 0.5)
    'v'
    """
    if np.isnan(values[0]):
        return "missing"
    if column.kind == "category":
        at = int(np.argmax(values))
        return column.values[at] if at < len(column.values) and values[at] > 0 else "?"
    if column.kind == "yes/no" and values[0] in (0.0, 1.0):
        return "yes" if values[0] else "no"
    return number(float(values[0]), spread)
