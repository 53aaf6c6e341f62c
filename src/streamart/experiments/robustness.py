"""How much the vigilance matters: the paper's sweep, all else as in the best of the grid."""

from __future__ import annotations

from typing import Any

from . import paper
from .experiment import Bench, curves_of, grid_results
from .figures import sweep_figure
from .grids import best_settings
from .jobs import Job
from .pages import Picture, Section, Table
from .settings import SELF, SELF_TUNING, TENTHS, Setting, thinned

ART = tuple(name for name in paper.TABLE_2 if name not in ("skm", "iskm"))


def robustness(bench: Bench) -> Section:
    best = best_settings(bench)
    streams = bench.synthetic.streams()
    rhos = thinned(TENTHS, 4, bench.scope.quick)
    jobs = {
        (order, name, rho): Job("cluster", with_vigilance(best[order][name].setting, rho), stream)
        for order, stream in streams.items()
        for name in ART
        for rho in rhos
    }
    jobs |= {(order, SELF, 0.0): Job("cluster", SELF_TUNING, s) for order, s in streams.items()}
    results: dict[Job, Any] = {}
    for order, stream in streams.items():
        chosen = [job.setting for (where, _, _), job in jobs.items() if where == order]
        results |= grid_results(bench.lab, f"Robustness, {order}", {"all": chosen}, [stream])
    curves, records = curves_of(jobs, results)
    rows = []
    for order, by_name in curves.items():
        for name, points in by_name.items():
            aris = [result["ari"] for _, result in points]
            good = sum(ari >= 0.95 for ari in aris)
            if name == SELF:
                rows.append((order, name, f"{aris[0]:.4f}", f"{aris[0]:.4f}", "no vigilance"))
            else:
                rows.append(
                    (order, name, f"{min(aris):.4f}", f"{max(aris):.4f}", f"{good} of {len(aris)}")
                )
    headings = ("order", "model", "least ARI", "greatest", "vigilances with ARI ≥ 0.95")
    text = (
        f"The vigilance is swept over {len(rhos)} of the paper's {len(TENTHS)} values while all "
        "other parameters stay as in the best of the grid for that order (table 2). WS-DVFA's "
        "lower vigilance keeps its distance from the upper one; the conn_index compresses with the "
        "same vigilance."
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
    """The same with another main vigilance; what is tied to it moves along."""
    changed = {"rho": rho}
    if chosen.model == "WSDVFA":
        below = chosen.get("rho") - chosen.get("rho_lower")
        changed["rho_lower"] = round(max(0.0, rho - below), 4)
    if chosen.get("icvi") == "conn":
        changed["rho_c"] = rho
    return chosen.but(**changed)
