"""Pictures of every model's clusters of the synthetic data, with the settings of table 2."""

from __future__ import annotations

from typing import Any

from .experiment import Bench
from .figures import arrival_figure, partitions_figure
from .grids import NETWORKS, jobs_of_best
from .pages import Picture, Section
from .settings import SELF
from .streams import samples_of

# As the paper arranges them: three in a row.
SHOWN = (*NETWORKS, SELF,
         "WS-DVFA", "WS-TopoFA", "DRN", "skm", "iskm")  # fmt: skip


def partitions(bench: Bench) -> Section:
    streams = bench.synthetic.streams()
    jobs = jobs_of_best(bench, "partition", SHOWN)
    results = bench.lab.results("Partitions", jobs.values())
    parts: list[Any] = [
        Picture(
            "data",
            "The synthetic data in its three orders. The darker a sample, the earlier it arrives.",
            arrival_figure({order: samples_of(stream)[0] for order, stream in streams.items()}),
        )
    ]
    for order, stream in streams.items():
        panels = {name: results[jobs[order, name]] for name in SHOWN}
        caption = (
            f"The clusters of each model in {order} order, with its best setting. Colours: "
            "clusters. Boxes: categories. Lines: CONN, or the links that a rival keeps; wider is "
            "stronger. Crosses: prototypes. DRN's outer box is its global weight."
        )
        figure = partitions_figure(samples_of(stream)[0], panels)
        parts.append(Picture(f"partitions-{order}", caption, figure))
    return Section("Partitions", parts)
