"""How much the vigilance matters: the paper's sweep, with the other parameters from table 2."""

from __future__ import annotations

from . import paper
from .experiment import Bench, Curves, curves_of
from .figures import sweep_figure
from .grids import ART_RIVALS, NETWORKS, best_settings
from .jobs import Job
from .pages import Picture, Section, Table
from .settings import (
    SELF,
    SELF_TUNING,
    SLOW,
    TENTHS,
    Setting,
    named_networks,
    network,
    thinned,
)

HIGH = 0.95


def sweeps(bench: Bench) -> tuple[Curves, list[dict[str, object]]]:
    """Points by order and model, and a record of each."""
    best = best_settings(bench)
    streams = bench.synthetic.streams()
    jobs = {
        (order, name, rho): Job("cluster", with_vigilance(best[order][name].setting, rho), stream)
        for order, stream in streams.items()
        for name in (*ART_RIVALS, *NETWORKS)
        for rho in _vigilances(bench, name)
    }
    jobs |= {(order, SELF, 0.0): Job("cluster", SELF_TUNING, s) for order, s in streams.items()}
    return curves_of(jobs, bench.lab.results("Robustness", jobs.values()))


def _vigilances(bench: Bench, name: str) -> list[float]:
    """The paper's vigilances; for the indices in `SLOW`, those of their grids."""
    icvi = named_networks().get(name)
    if icvi in SLOW:
        return sorted({one.get("rho") for one in network(icvi, quick=bench.scope.quick)})
    return thinned(TENTHS, 4, bench.scope.quick)


def robustness(bench: Bench) -> Section:
    curves, records = sweeps(bench)
    rows = []
    for order, by_name in curves.items():
        for name, points in by_name.items():
            aris = [result["ari"] for _, result in points]
            high = sum(ari >= HIGH for ari in aris)
            reached = "no vigilance" if name == SELF else f"{high} of {len(aris)}"
            rows.append((order, name, f"{min(aris):.4f}", f"{max(aris):.4f}", reached))
    headings = ("order", "model", "least ARI", "greatest", f"vigilances with ARI ≥ {HIGH}")
    fewer = ", ".join(
        f"{paper.network_name(icvi)} over {len(_vigilances(bench, paper.network_name(icvi)))}"
        for icvi in SLOW
    )
    text = (
        f"The vigilance is swept over {len(_vigilances(bench, NETWORKS[0]))} of the paper's "
        f"{len(TENTHS)} values ({fewer}, which take longest), while all other parameters stay as "
        "in the best of the grid for that order (table 2). WS-DVFA's lower vigilance keeps its "
        "distance from the upper one; the conn_index compresses with the same vigilance."
    )
    picture = Picture(
        "robustness",
        "ARI, categories and clusters over the vigilance, for the ART-based models and three "
        "orders. Dashed: StreamART, which has no vigilance.",
        sweep_figure(curves, r"vigilance $\rho_a$", flat=(SELF,)),
    )
    return Section(
        "Robustness: the vigilance",
        [text, picture, Table("robustness", headings, rows, records)],
    )


def with_vigilance(chosen: Setting, rho: float) -> Setting:
    """The setting with another main vigilance; parameters that depend on it change with it."""
    changed = {"rho": rho}
    if chosen.model == "WSDVFA":
        below = chosen.get("rho") - chosen.get("rho_lower")
        changed["rho_lower"] = round(max(0.0, rho - below), 4)
    if chosen.get("icvi") == "conn":
        changed["rho_c"] = rho
    return chosen.but(**changed)
