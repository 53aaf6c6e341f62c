"""Parameters of the network and of StreamART: their ranges, and their form in the core."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Interval, StrOptions

from .._typing import Records
from ..derivation.criterion import CRITERIA
from ..icvi.state import SPLIT_ACTIVITY, SPLIT_FULL, SPLIT_OFF, SPLIT_PARTIAL, make_params
from ..validity.registration import BY_NAME

STRATEGIES = ("merge", "split", "swap", "compress", "prune")
"""The paper's post-processing strategies, in the order in which they run."""
_SPLITS = {"activity": SPLIT_ACTIVITY, "full": SPLIT_FULL, "partial": SPLIT_PARTIAL}

CONSTRAINTS: dict[str, list[Any]] = {
    "icvi": [StrOptions(set(BY_NAME))],
    "rho": [Interval(Real, 0, 2, closed="both")],
    "beta1": [Interval(Real, 0, 1, closed="right")],
    "beta2": [Interval(Real, 0, 1, closed="both")],
    "alpha": [Interval(Real, 0, None, closed="neither")],
    "match": [StrOptions({"fuzzy", "cosine"})],
    "use_uncommitted": ["boolean"],
    "epsilon": [Interval(Real, -1, 1, closed="both")],
    "rho_ab": [Interval(Real, 0, 1, closed="both")],
    "beta_ab": [Interval(Real, 0, 1, closed="right")],
    "map_learning": [StrOptions({"variable", "fixed"})],
    "icvi_match_tracking": ["boolean"],
    "epsilon_icvi": [Interval(Real, 0, None, closed="neither"), None],
    "rho_mt": [Interval(Real, 0, 2, closed="both")],
    "strategies": [tuple, list, set, frozenset],
    "split_type": [StrOptions(set(_SPLITS))],
    "rho_c": [Interval(Real, 0, 1, closed="both")],
    "tau": [Interval(Integral, 0, None, closed="left")],
    "phi": [Interval(Integral, 0, None, closed="left")],
    "xi": [Interval(Integral, 1, None, closed="left")],
    "second_winner_vigilance": [StrOptions({"user", "raised"})],
    "escape_single_cluster": ["boolean"],
    "record_history": ["boolean"],
    "record_events": ["boolean", Interval(Integral, 0, None, closed="left")],
}

STREAM_ART_CONSTRAINTS: dict[str, list[Any]] = {
    "max_categories": [Interval(Integral, 8, None, closed="left")],
    "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
    "detail": [Interval(Real, 0, None, closed="neither")],
    "criterion": [StrOptions(set(CRITERIA))],
    "half_life": [Interval(Real, 1, None, closed="left"), None],
    "metric": [StrOptions({"auto", "euclidean", "cosine"})],
    "random_state": ["random_state"],
    "record_events": CONSTRAINTS["record_events"],
}


# Names of the core's fields that differ from those of the parameters.
_NAMES = dict.fromkeys(STRATEGIES, "strategies") | {
    "cosine": "match",
    "variable": "map_learning",
    "second_raised": "second_winner_vigilance",
    "escape": "escape_single_cluster",
}


def changed_params(before: Records, now: Records) -> list[str]:
    """Names of the parameters that differ between two records."""
    names = before.dtype.names or ()
    changed = [name for name in names if before[0][name] != now[0][name]]
    found = [_NAMES.get(name, name) for name in changed]
    if "split" in changed and before[0]["split"] != SPLIT_OFF and now[0]["split"] != SPLIT_OFF:
        found[changed.index("split")] = "split_type"
    return list(dict.fromkeys(found))


def core_params(owner: str, given: Mapping[str, Any]) -> Records:
    """The record of parameters for the core. `owner` is the class named in errors."""
    if given["match"] == "fuzzy":
        for name in ("rho", "rho_mt"):
            if given[name] > 1:
                raise ValueError(
                    f"The {name!r} parameter of {owner} must be in the range [0, 1] "
                    f"with match='fuzzy'. Got {given[name]!r} instead."
                )
    if given["beta2"] > given["beta1"]:
        raise ValueError(
            f"The 'beta2' parameter of {owner} must be in the range [0, beta1] = "
            f"[0, {given['beta1']!r}]. Got {given['beta2']!r} instead."
        )
    strategies = given["strategies"]
    for strategy in strategies:
        if strategy not in STRATEGIES:
            raise ValueError(
                f"The 'strategies' parameter of {owner} must contain only {STRATEGIES}. "
                f"Got {strategy!r} instead."
            )
    rho, rho_mt, step = given["rho"], given["rho_mt"], given["epsilon_icvi"]
    if step is None:
        step = rho - rho_mt if given["match"] == "cosine" else rho_mt - rho
    same = (
        "use_uncommitted icvi_match_tracking tau phi xi rho beta1 beta2 alpha epsilon rho_ab "
        "beta_ab rho_mt rho_c"
    )
    return make_params(
        cosine=given["match"] == "cosine",
        variable=given["map_learning"] == "variable",
        split=_SPLITS[given["split_type"]] if "split" in strategies else SPLIT_OFF,
        second_raised=given["second_winner_vigilance"] == "raised",
        escape=given["escape_single_cluster"],
        epsilon_icvi=step,
        **{name: name in strategies for name in ("merge", "swap", "compress", "prune")},
        **{name: given[name] for name in same.split()},
    )
