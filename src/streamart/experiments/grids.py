"""The grids of table 2, and the best setting of each, which other experiments use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from . import paper
from .experiment import N_TRUE, Bench, Best, best_of, grid_results
from .jobs import Job
from .settings import (
    SELF,
    SELF_TUNING,
    SLOW,
    Grid,
    named_networks,
    network,
    our_networks,
    rivals,
    setting,
)
from .streams import Stream

USER, RAISED = "user", "raised"
CEILING = setting("QDA")
ART_RIVALS = ("DRN", "WS-DVFA", "WS-TopoFA")
NETWORKS = tuple(paper.network_name(icvi) for icvi in paper.INDICES)


class Grids(NamedTuple):
    """Grids of the rivals and of the network with each index."""

    rivals: dict[str, Grid]
    networks: dict[str, dict[str, Grid]]  # by setting of the second winner, then by name
    ours: dict[str, Grid]  # the network with indices that the paper does not have

    def all(self) -> dict[str, Grid]:
        """All grids, with the second winner tested as in the paper's text, and StreamART."""
        return self.rivals | self.networks[USER] | {SELF: [SELF_TUNING]}

    def every(self) -> dict[str, Grid]:
        """The same, the networks with the other test of the second winner, and `ours`."""
        raised = {f"{name}, raised": grid for name, grid in self.networks[RAISED].items()}
        return self.all() | raised | self.ours


def grids(quick: bool) -> Grids:
    return Grids(
        rivals(N_TRUE, quick),
        {
            second: {
                name: network(icvi, second, quick)
                for name, icvi in named_networks().items()
                if second == USER or icvi not in SLOW
            }
            for second in (USER, RAISED)
        },
        our_networks(quick),
    )


def best_settings(bench: Bench) -> dict[str, dict[str, Best]]:
    """The best of each model's grid, by order and by name."""
    all_grids = grids(bench.scope.quick).every()
    streams = bench.synthetic.streams()
    results = grid_results(bench.lab, "Table 2: grids", all_grids, streams.values())
    return {
        order: {
            name: best_of(results, grid, stream, reported(name, number))
            for name, grid in all_grids.items()
        }
        for number, (order, stream) in enumerate(streams.items())
    }


def jobs_of_best(bench: Bench, protocol: str, names: Iterable[str]) -> dict[tuple[str, str], Job]:
    """A job for each of these models with its best setting for each order."""
    best, streams = best_settings(bench), bench.synthetic.streams()
    return {
        (order, name): Job(protocol, best[order][name].setting, stream)
        for order, stream in streams.items()
        for name in names
    }


def reported(name: str, number: int) -> paper.Row | None:
    """The paper's row of a model for the order with this number."""
    return paper.TABLE_2[name][number] if name in paper.TABLE_2 else None


def ceilings(bench: Bench, streams: Iterable[Stream]) -> dict[Stream, float]:
    """ARI of a classifier that is trained on the true classes."""
    jobs = {stream: Job("ceiling", CEILING, stream) for stream in streams}
    results = bench.lab.results("Table 2: ceilings", jobs.values())
    return {stream: results[job]["ari"] for stream, job in jobs.items()}
