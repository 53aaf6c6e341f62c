"""Tables 4 and 5: embeddings of faces, or of anything; an analogue of the paper's experiment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..icvi.registry import BY_NAME
from . import paper
from .diagrams import pipeline_diagram
from .experiment import Bench, Best, best_of, curves_of, figures, in_words, record_of
from .figures import projection_figure, sweep_figure
from .jobs import Job
from .pages import Picture, Section, Table
from .settings import (
    FACE_DISTANCE,
    SELF,
    SELF_TUNING,
    Grid,
    Setting,
    face_network,
    face_rivals,
    face_vigilances,
    module_a,
    named_networks,
    scaled,
    setting,
    taught_faces,
    varied,
)
from .streams import AS_STORED, Source, Stream, load, samples_of, typical_distance
from .table3 import networks, taught_runs, teaching_table

ANALOGUE = (
    "An analogue, not a reproduction: the paper's face images and the network that embedded them "
    "cannot be had here, so its rows stand beside ours for orientation only. The protocol is the "
    "paper's: cosine match, the grids of its appendix, its strategies "
    "(class-incremental order: swap and prune; random order: swap). Only its "
    "vigilances (`rho`) are distances of *its* embeddings; they are "
    f"scaled by the median cosine distance between two samples here, over {FACE_DISTANCE:g} (our "
    "choice; the median of the paper's embeddings is not known)."
)


def table4(bench: Bench) -> Section:
    caption = "The paper's pipeline. Here the embeddings are given, and are others."
    parts: list[Any] = [Picture("pipeline", caption, pipeline_diagram()), ANALOGUE]
    for source in bench.embeddings:
        parts += _unsupervised(bench, source)
    return Section("Table 4: unsupervised, embeddings", parts)


def _streams(source: Source) -> dict[str, Stream]:
    """Class by class (a file is put in this order, if it is not), and shuffled."""
    y = load(source)[1]
    sorted_already = bool(np.all(np.diff(y) >= 0))
    by_class = Stream(source, AS_STORED if sorted_already else "class-incremental")
    return {"class-incremental": by_class, "random": Stream(source, "random", 0)}


def _scale(source: Source) -> float:
    return typical_distance(source) / FACE_DISTANCE


def _grids(source: Source, order: str, quick: bool) -> dict[str, Grid]:
    scale = _scale(source)
    grids = face_rivals(len(np.unique(load(source)[1])), scale, quick)
    for name, icvi in named_networks().items():
        grids[name] = [face_network(icvi, order, rho) for rho in face_vigilances(order, scale)]
    return grids | {SELF: [SELF_TUNING]}


def best_faces(bench: Bench, source: Source) -> dict[str, dict[str, tuple[Best, Grid]]]:
    """The best of each grid, and the grid, by order and model."""
    streams = _streams(source)
    grids = {order: _grids(source, order, bench.scope.quick) for order in streams}
    jobs = [
        Job("cluster", one, stream)
        for order, stream in streams.items()
        for grid in grids[order].values()
        for one in grid
    ]
    results = bench.lab.results(f"Table 4: {source.name}", jobs)
    return {
        order: {name: (best_of(results, grid, stream), grid) for name, grid in grids[order].items()}
        for order, stream in streams.items()
    }


def _unsupervised(bench: Bench, source: Source) -> list[Any]:
    X, y = load(source)
    streams = _streams(source)
    found = best_faces(bench, source)
    rows, records = [], []
    for name in found["random"]:
        row = [name]
        for number, order in enumerate(streams):
            best, grid = found[order][name]
            reported = paper.TABLE_4[name][number] if name in paper.TABLE_4 else None
            row += [
                in_words(*reported) if reported else "",
                in_words(**figures(best.result)),
                f"`{varied(best.setting, grid)}`" if len(grid) > 1 else "",
            ]
            records.append(
                {"samples": source.name, "order": order, "model": name, **record_of(best, reported)}
            )
        rows.append(tuple(row))
    headings = ("model", "paper, by person", "here, by person", "with",
                "paper, shuffled", "here, shuffled", "with")  # fmt: skip
    median = typical_distance(source)
    text = (
        f"{len(X)} samples, {X.shape[1]} features, {len(np.unique(y))} people; median distance "
        f"{median:.3f}, so that `rho` is scaled by {_scale(source):.3f}. Each cell: ARI, k, P of "
        "the best setting. The paper's: 2774 samples, 2048 features, 200 people."
    )
    return [
        f"### {source.name}",
        text,
        Table(f"table4-{source.name}", headings, rows, records),
        _projection(bench, source, streams["random"]),
        *_sensitivity(bench, source, streams),
    ]


def _projection(bench: Bench, source: Source, stream: Stream) -> Picture:
    """The embeddings in the plane, as the paper shows its faces."""
    job = Job("project", SELF_TUNING, stream)
    shown = bench.lab.results(f"Table 4: t-SNE of {source.name}", [job])[job]
    y = samples_of(stream)[1]
    caption = (
        f"{source.name}: t-SNE of the embeddings (scikit-learn, cosine distance). Left: the people "
        "(colour and marker, which repeat). Right: the clusters of StreamART in shuffled order."
    )
    return Picture(f"tsne-{source.name}", caption, projection_figure(shown, y))


# ---------------------------------------------------------------------- how much vigilance matters


def _sensitivity(bench: Bench, source: Source, streams: dict[str, Stream]) -> list[Any]:
    """ARI, clusters and categories over the vigilance, for the models with the cosine match."""
    median = typical_distance(source)
    shares = np.linspace(0.1, 0.8, bench.scope.vigilances).tolist()
    rhos = list(dict.fromkeys(scaled(shares, median)))  # two may be the same to two digits
    made: dict[str, Callable[[str, float], Setting]] = {
        "E-TopoFA": lambda order, rho: module_a(rho)
    }
    for name, icvi in named_networks().items():
        if BY_NAME[icvi].pair is None:
            made[name] = lambda order, rho, icvi=icvi: face_network(icvi, order, rho)  # type: ignore[misc]
    jobs = {
        (order, name, rho): Job("cluster", make(order, rho), stream)
        for order, stream in streams.items()
        for name, make in made.items()
        for rho in rhos
    }
    jobs |= {(order, SELF, 0.0): Job("cluster", SELF_TUNING, s) for order, s in streams.items()}
    results = bench.lab.results(f"Table 4: vigilances, {source.name}", jobs.values())
    curves, records = curves_of(jobs, results)
    rows = [
        (order, name, *(f"{result['ari']:.2f}" for _, result in points))
        for order, by_name in curves.items()
        for name, points in by_name.items()
        if name != SELF
    ]
    headings = ("order", "ARI with rho =", *(f"{rho:g}" for rho in rhos))
    caption = (
        f"{source.name}: what the vigilance does to the models with the cosine match. Dashed: "
        "StreamART, which has none. PBM, XB and DB are left out, because they take too long."
    )
    return [
        Table(f"table4-vigilance-{source.name}", headings, rows, records),
        Picture(
            f"table4-vigilance-{source.name}",
            caption,
            sweep_figure(curves, r"vigilance $\rho_a$ (greatest cosine distance)", flat=(SELF,)),
        ),
    ]


# ---------------------------------------------------------------------- Table 5


def taught_models(source: Source) -> dict[str, Setting]:
    scale = _scale(source)
    models = {"NN": setting("NearestNeighbour", metric="cosine")}
    models |= networks(lambda icvi: taught_faces(icvi, scale))
    return models | {SELF: SELF_TUNING}


def table5(bench: Bench) -> Section:
    draws = bench.scope.labelled_draws
    text = (
        "Registration: one image of each person comes first, with its label; then all others, "
        "shuffled, without labels. NN takes the cosine distance. The network's settings are the "
        "paper's (`rho` 2, no vigilance; `rho_mt` 0.1, scaled as in table 4); "
        f"{draws} draws instead of one. Match tracking by the index never engages, as in table 3. "
        "An analogue, as above."
    )
    parts: list[Any] = [text]
    for source in bench.embeddings:
        parts += [
            f"### {source.name}",
            teaching_table(
                "table5",
                source,
                taught_runs(bench, "Table 5", taught_models(source), source),
                paper.TABLE_5,
            ),
        ]
    return Section("Table 5: semi-supervised, embeddings", parts)
