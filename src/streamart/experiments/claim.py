"""A claim in the paper's text, whether it holds, and how values are listed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from . import paper
from .grids import ART_RIVALS, NETWORKS

ALIKE = 0.05
"""ARIs that differ by less count as consistent or comparable; the paper gives no number."""
OTHERS = ("skm", "iskm", *ART_RIVALS)
CH, XB, DB, CONN = (paper.network_name(icvi) for icvi in ("ch", "xb", "db", "conn"))
HEADINGS = ("where", "the paper says", "found here", "holds")


class Claim(NamedTuple):
    where: str
    claim: str
    found: str
    holds: str


def claim(where: str, text: str, found: str, parts: Iterable[bool]) -> Claim:
    """A claim holds if all of its parts do; otherwise the row says how many do."""
    flags = list(parts)
    held = sum(flags)
    if held == len(flags):
        return Claim(where, text, found, "yes")
    return Claim(where, text, found, f"in {held} of {len(flags)}" if held else "**no**")


def each(values: dict[str, Any], form: str = "{}") -> str:
    """
    >>> each({"iCH-TopoFAM": 0.5, "skm": 0.25}, "{:.2f}")
    'iCH 0.50, skm 0.25'
    """
    return ", ".join(f"{short(name)} {form.format(value)}" for name, value in values.items())


def short(name: str) -> str:
    return name.removesuffix("-TopoFAM")


def names(names: Iterable[str]) -> str:
    return ", ".join(short(name) for name in names) or "none"


def median_wrong(runs: dict[str, list[dict[str, Any]]]) -> dict[str, float]:
    return {
        name: float(np.median([result["wrong"] for result in found]))
        for name, found in runs.items()
        if name == "NN" or name in NETWORKS
    }
