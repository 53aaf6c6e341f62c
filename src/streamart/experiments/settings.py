"""The models and settings that the paper's appendix tries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from ..validity.registration import BY_NAME, OURS
from .paper import INDICES, network_name

TENTHS = [step / 10 for step in range(10)]
XIS = [100, 200, 300, 400, 500, 600]


class Setting(NamedTuple):
    """Name of a class of models, and parameters; hashable, and can be stored."""

    model: str
    params: tuple[tuple[str, Any], ...] = ()

    def get(self, name: str) -> Any:
        return dict(self.params).get(name)

    def but(self, **changed: Any) -> Setting:
        return Setting(self.model, tuple((dict(self.params) | changed).items()))


Grid = list[Setting]


def setting(model: str, **params: Any) -> Setting:
    """
    >>> setting("DRN", rho=0.7)
    Setting(model='DRN', params=(('rho', 0.7),))
    """
    return Setting(model, tuple(params.items()))


# ---------------------------------------------------------------------- synthetic data


def rivals(k: int, quick: bool = False) -> dict[str, Grid]:
    """The paper's rivals, with its grids for synthetic data."""
    few = partial(thinned, quick=quick)
    return {
        "skm": [setting("SequentialKMeans", n_clusters=k)],
        "iskm": [
            setting("IncrementalSequentialKMeans", forgetting=step / 100)
            for step in few(range(1, 101), 10)
        ],
        "DRN": [setting("DRN", rho=rho) for rho in few(TENTHS, 4)],
        "WS-DVFA": dual_vigilances(few(range(10), 3), quick),
        "WS-TopoFA": [
            setting("WSTopoFA", rho=rho, beta2=beta2, tau=tau)
            for rho in few(TENTHS, 3)
            for beta2 in (0.0, 0.6)
            for tau in few(XIS, 2)
        ],
    }


def dual_vigilances(uppers: Iterable[int], quick: bool = False) -> Grid:
    """Upper vigilances in tenths, and lower ones at most 0.09 below."""
    return [
        setting("WSDVFA", rho=upper / 10, rho_lower=lower / 100)
        for upper in uppers
        for lower in thinned(range(max(0, 10 * upper - 9), 10 * upper + 1), 3, quick)
    ]


SLOW = {"pbm": ([0.0, 0.3, 0.6, 0.9], [100, 300, 600]), "db": ([0.0, 0.9], [100, 300])}
"""Indices for which one run can take minutes, with the appendix's values of rho and xi that are
tried."""


def network(icvi: str, second_winner: str = "user", quick: bool = False) -> Grid:
    """iCVI-TopoARTMAP, with the paper's grid for synthetic data, or a part of it (see `SLOW`)."""
    rhos, xis = SLOW.get(icvi, (TENTHS, XIS))
    if quick:
        rhos, xis = thinned(rhos, 2), thinned(xis, 2)
    return [
        setting(
            "ICVITopoARTMAP",
            icvi=icvi,
            rho=rho,
            rho_c=rho if icvi == "conn" else 0.0,
            tau=tau,
            xi=xi,
            phi=5,
            rho_mt=0.9,
            second_winner_vigilance=second_winner,
        )
        for rho in rhos
        for tau in (0, 5)
        for xi in xis
    ]


def our_networks(quick: bool = False) -> dict[str, Grid]:
    """The network with indices that the paper does not have: a thinned grid, the same for all."""
    if quick:
        return {}
    return {
        our_name(icvi): [
            one for one in network(icvi) if one.get("rho") == 0.0 and one.get("xi") in OUR_XIS
        ]
        for icvi in OUR_INDICES
    }


def our_name(icvi: str) -> str:
    return f"the network with {BY_NAME[icvi].title}, ours"


OUR_XIS = (100, 400)
OUR_INDICES = tuple(icvi for icvi in OURS if not BY_NAME[icvi].by_covariance and icvi != "csil")
"""The others make hundreds of clusters of few samples of these data, and a run takes hours. To the
centroid silhouette, clusters of one sample are perfect; indices by covariance get nearly singular
ones."""

OUR_FIXED = ("gd43", "gd53")
"""Those of them in the table with one setting: with `xi` 400, a run of the others takes up to three
minutes."""

NEVER = 1_000_000
"""A threshold that the tracker cannot reach, so that the index never engages match tracking. The
appendix gives no threshold for semi-supervised learning."""
TAUS = (0, 1, 5, 20, 100, NEVER)


def taught(icvi: str, tau: int) -> Setting:
    """The semi-supervised network, for synthetic data."""
    return setting(
        "ICVITopoARTMAP", icvi=icvi, rho=0.0, rho_c=0.0, rho_mt=0.9, xi=100, tau=tau,
        map_learning="fixed", strategies=("compress",),
    )  # fmt: skip


def package_default(icvi: str) -> Setting:
    """The network with its defaults."""
    return setting("ICVITopoARTMAP", icvi=icvi)


NOT_FIXED = ("db",)
"""Left out of the table with one setting for everything, because a run can take minutes."""


def fixed(icvi: str) -> Setting:
    """One setting for all orders, chosen on other shuffles than those in the table.

    The conn_index needs several categories in each cluster.
    """
    rho = 0.9 if icvi == "conn" else 0.0
    return setting("ICVITopoARTMAP", icvi=icvi, rho=rho, rho_c=rho, tau=0, xi=400)


SELF = "StreamART"
SELF_TUNING = setting(SELF)

# ---------------------------------------------------------------------- embeddings

FACE_TENTHS = (0.1, 0.2, 0.3)
FACE_DISTANCE = 0.6
"""The paper's vigilances for faces are scaled by the median cosine distance over this number, which
is about that median in embeddings of this kind. The median of the paper's is not known."""


def face_rivals(people: int, scale: float, quick: bool = False) -> dict[str, Grid]:
    """The paper's rivals, with its grids for faces; `scale` multiplies cosine distances."""
    few = partial(thinned, quick=quick)
    return {
        "skm": [setting("SequentialKMeans", n_clusters=people)],
        "iskm": [
            setting("IncrementalSequentialKMeans", forgetting=step / 100)
            for step in few(range(18, 100, 9), 3)
        ],
        "DRN": [setting("DRN", rho=rho) for rho in few(TENTHS, 4)],
        "WS-DVFA": dual_vigilances(few(range(10), 2), quick),
        "WS-TopoFA": [
            setting("WSTopoFA", rho=rho, beta2=0.6, phi=0, tau=100) for rho in few(TENTHS, 3)
        ],
        "E-TopoFA": [module_a(rho) for rho in scaled(FACE_TENTHS, scale)],
    }


def scaled(values: Sequence[float], scale: float) -> list[float]:
    """To two digits, as in a grid.

    >>> scaled([0.1, 0.2, 0.3], 0.2728)
    [0.027, 0.055, 0.082]
    """
    return [float(f"{value * scale:.2g}") for value in values]


def module_a(rho: float) -> Setting:
    return setting("ETopoFA", match="cosine", rho=rho)


def face_network(icvi: str, order: str, rho: float) -> Setting:
    """iCVI-TopoARTMAP for faces; categories are pruned in class-incremental order only."""
    return setting(
        "ICVITopoARTMAP", icvi=icvi, match="cosine", rho=rho, beta2=0.6 if icvi == "conn" else 0.0,
        phi=3, xi=100, icvi_match_tracking=False,
        strategies=("swap", "prune") if order == "class-incremental" else ("swap",),
    )  # fmt: skip


def face_vigilances(order: str, scale: float) -> list[float]:
    return scaled(FACE_TENTHS if order == "class-incremental" else FACE_TENTHS[1:], scale)


def taught_faces(icvi: str, scale: float) -> Setting:
    """The semi-supervised network, for faces. Only match tracking uses a vigilance."""
    return setting(
        "ICVITopoARTMAP", icvi=icvi, match="cosine", rho=2.0, xi=300,
        rho_mt=scaled([0.1], scale)[0],
        tau=NEVER, map_learning="fixed", strategies=("compress",),
    )  # fmt: skip


# ---------------------------------------------------------------------- helpers


def thinned(values: Sequence[Any], count: int, quick: bool = True) -> list[Any]:
    """If `quick`, `count` of the values, from the first to the last.

    >>> thinned([0, 1, 2, 3, 4, 5, 6], 3)
    [0, 3, 6]
    """
    values = list(values)
    if not quick or count >= len(values):
        return values
    step = (len(values) - 1) / max(1, count - 1)
    return [values[round(i * step)] for i in range(count)]


def named_networks() -> dict[str, str]:
    """Index of each network, by the paper's name."""
    return {network_name(icvi): icvi for icvi in INDICES}


def varied(chosen: Setting, grid: Grid) -> str:
    """The parameters that the grid varies, with their chosen values.

    >>> grid = [setting("DRN", rho=0.1, nu=2), setting("DRN", rho=0.2, nu=2)]
    >>> varied(grid[0], grid)
    'rho=0.1'
    """
    tried: dict[str, set[str]] = {}
    for other in grid:
        for name, value in other.params:
            tried.setdefault(name, set()).add(repr(value))
    return ", ".join(f"{n}={v:g}" if isinstance(v, float) else f"{n}={v}"
                     for n, v in chosen.params if len(tried[n]) > 1)  # fmt: skip
