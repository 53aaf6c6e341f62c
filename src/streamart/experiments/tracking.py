"""What happens over time, sample by sample, with the settings of table 2."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import paper
from .experiment import Bench
from .figures import tracking_figure
from .grids import jobs_of_best
from .pages import Picture, Section, Table
from .settings import SELF
from .streams import samples_of

TRACKED = (*(name for name in paper.TABLE_2 if "TopoFAM" in name), SELF)


def tracking(bench: Bench) -> Section:
    streams = bench.synthetic.streams()
    jobs = jobs_of_best(bench, "track", TRACKED)
    results = bench.lab.results("Tracking", jobs.values())
    parts: list[Any] = [
        "After every sample, all samples so far are presented again and the ARI of the answers is "
        "taken, as in the paper. Index values are brought to the range 0 to 1 for each model "
        "(between their 2nd and 98th percentile; what lies outside is clipped)."
    ]
    rows = []
    for order, stream in streams.items():
        tracks = {name: results[jobs[order, name]] for name in TRACKED}
        arrivals = np.unique(samples_of(stream)[1], return_index=True)[1]
        caption = (
            f"Over time in {order} order: ARI, index, tracker v, vigilance, categories, clusters. "
            "Dotted: the first sample of a true cluster."
        )
        parts.append(
            Picture(f"tracking-{order}", caption, tracking_figure(tracks, arrivals.tolist()))
        )
        for name, track in tracks.items():
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
