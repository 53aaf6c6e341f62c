"""Performance over time, sample by sample, with the settings of table 2."""

from __future__ import annotations

from typing import Any

import numpy as np

from .experiment import Bench
from .figures import tracking_figure
from .grids import NETWORKS, jobs_of_best
from .pages import Picture, Section, Table
from .protocols import Result
from .settings import SELF
from .streams import samples_of

TRACKED = (*NETWORKS, SELF)


def tracks(bench: Bench) -> dict[str, dict[str, Result]]:
    """Results of the protocol "track", by order and model."""
    jobs = jobs_of_best(bench, "track", TRACKED)
    results = bench.lab.results("Tracking", jobs.values())
    found: dict[str, dict[str, Result]] = {}
    for (order, name), job in jobs.items():
        found.setdefault(order, {})[name] = results[job]
    return found


def tracking(bench: Bench) -> Section:
    streams, tracked = bench.synthetic.streams(), tracks(bench)
    parts: list[Any] = [
        "After every sample, all samples so far are presented again and the ARI of the answers is "
        "taken, as in the paper. Index values are scaled to the range 0 to 1 for each model "
        "(2nd to 98th percentile; values outside are clipped)."
    ]
    rows = []
    for order, stream in streams.items():
        arrivals = np.unique(samples_of(stream)[1], return_index=True)[1]
        caption = (
            f"Over time in {order} order: ARI, index, tracker v, vigilance, categories, clusters. "
            "Dotted: the first sample of a true cluster."
        )
        parts.append(
            Picture(
                f"tracking-{order}", caption, tracking_figure(tracked[order], arrivals.tolist())
            )
        )
        for name, track in tracked[order].items():
            ari = np.array(track["ari"])
            half = ari[len(ari) // 2 :]
            rows.append(
                (order, name, f"{ari.mean():.4f}", f"{half.mean():.4f}", f"{ari[-1]:.4f}",
                 f"{max(track['clusters'])}", f"{max(track['categories'])}")
            )  # fmt: skip
    headings = (
        "order",
        "model",
        "ARI: mean over time",
        "second half",
        "at the end",
        "most k",
        "most P",
    )
    parts.append(Table("tracking", headings, rows))
    return Section("Tracking", parts)
