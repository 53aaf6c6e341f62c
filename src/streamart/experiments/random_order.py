"""Random order: the best of each grid over several shuffles, and how much skm depends on luck."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import paper
from .experiment import N_TRUE, Bench, best_of, grid_results, in_words
from .figures import histogram_figure
from .grids import ceilings, grids
from .jobs import Job
from .pages import Picture, Table, between, spread
from .protocols import Result
from .settings import Setting, setting
from .streams import Source, Stream, samples_of

KMEANS = "SequentialKMeans"


def shuffles_of(source: Source, count: int) -> list[Stream]:
    return [Stream(source, "random", seed) for seed in range(count)]


def _best_over_shuffles(bench: Bench) -> dict[Stream, dict[str, Result]]:
    """The best result of each grid, by shuffle and model."""
    tried = grids(bench.scope.quick).all()
    streams = [
        stream
        for source in (bench.synthetic.first, bench.synthetic.second)
        for stream in shuffles_of(source, bench.scope.grid_shuffles)
    ]
    results = grid_results(bench.lab, "Table 2: grids over shuffles", tried, streams)
    return {
        stream: {name: best_of(results, grid, stream).result for name, grid in tried.items()}
        for stream in streams
    }


def best_of_shuffles(bench: Bench) -> list[dict[str, float]]:
    """For each shuffle of either set of points: the best ARI of each model."""
    return [
        {name: float(result["ari"]) for name, result in by_name.items()}
        for by_name in _best_over_shuffles(bench).values()
    ]


def random_order(bench: Bench) -> list[Any]:
    """The best of the grid, over shuffles of either set of points."""
    shuffles = bench.scope.grid_shuffles
    sources = [bench.synthetic.first, bench.synthetic.second]
    streams = {source.name: shuffles_of(source, shuffles) for source in sources}
    best = _best_over_shuffles(bench)
    highest = ceilings(bench, [some[0] for some in streams.values()])
    rows = []
    for name in grids(bench.scope.quick).all():
        reported = paper.TABLE_2.get(name)
        row = [name, in_words(*reported[2]) if reported else ""]
        for some in streams.values():
            found = [best[stream][name] for stream in some]
            mean, least, greatest = spread(result["ari"] for result in found)
            row += [mean, f"{least} to {greatest}", between(result["clusters"] for result in found)]
        rows.append(tuple(row))
    last = ["ceiling (QDA)", ""]
    for some in streams.values():
        last += [f"{highest[some[0]]:.4f}", "", ""]
    rows.append(tuple(last))
    headings = ["model", "paper: ARI, k, P"]
    for name in streams:
        headings += [f"{name}: ARI", "range", "k"]
    text = (
        f"The best of the grid for each of {shuffles} shuffles of either set of points: mean ± "
        "standard deviation, range."
        if shuffles > 1
        else "One shuffle of either set of points."
    )
    if bench.synthetic.papers:
        text += (
            " The paper reports one shuffle, and does not say of which points. Its best row, "
            f"{max(row[2].ari for row in paper.TABLE_2.values()):.4f}, lies just below the ceiling "
            "of exp1, and below what the same models reach on exp2: compare the two halves of the "
            "table. So it was probably the points of exp1 that were shuffled."
        )
    return [
        "### Random order",
        text,
        Table("table2-random-order", tuple(headings), rows),
        *_luck_of_kmeans(bench, sources),
    ]


def _luck_of_kmeans(bench: Bench, sources: list[Source]) -> list[Any]:
    """Sequential k-means over many shuffles: how rare the paper's row is, and why."""
    count = bench.scope.kmeans_shuffles
    chosen: Setting = setting(KMEANS, n_clusters=N_TRUE)
    theirs = paper.TABLE_2["skm"][2].ari
    rows, records, values = [], [], {}
    for source in sources:
        streams = shuffles_of(source, count)
        jobs = {stream: Job("cluster", chosen, stream) for stream in streams}
        results = bench.lab.results(f"Table 2: skm on {source.name}", jobs.values())
        ari = np.array([results[job]["ari"] for job in jobs.values()])
        hit = np.array([len(np.unique(samples_of(stream)[1][:N_TRUE])) for stream in streams])
        values[source.name] = ari
        records += [
            {"points": source.name, "shuffle": stream.seed, "clusters_started_in": int(h),
             "ari": float(a)}
            for stream, h, a in zip(streams, hit, ari, strict=True)
        ]  # fmt: skip
        for started in (*np.unique(hit).tolist(), None):
            some = ari if started is None else ari[hit == started]
            rows.append(
                (
                    source.name,
                    "any" if started is None else str(started),
                    str(len(some)),
                    f"{np.mean(some):.4f}",
                    f"{np.median(some):.4f}",
                    f"{some.max():.4f}",
                    str(int(np.sum(np.round(some, 4) >= theirs))),
                )
            )
    headings = ("points", "clusters that the first seven samples are from", "shuffles",
                "ARI: mean", "median", "greatest", f"at least {theirs:.4f}")  # fmt: skip
    text = (
        f"**skm.** Its first {N_TRUE} samples are its first prototypes (the rows of the other two "
        "orders are the paper's to the last digit with this rule). In random order these samples "
        f"are rarely from {N_TRUE} different clusters, and a cluster without a prototype has to "
        f"wait until one moves there. So the ARI depends on the shuffle; over {count} shuffles of "
        f"either set of points, the paper's {theirs:.4f} is a rare draw:"
    )
    caption = f"skm in random order: ARI of {count} shuffles. Dashed: the paper's row."
    figure = histogram_figure(values, theirs)
    return [
        text,
        Table("table2-skm", headings, rows, records),
        Picture("skm", caption, figure),
    ]
