"""The input of all experiments (lab, streams, scope), and functions that they share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..data import MEANS
from . import paper
from .jobs import Job, Lab
from .pages import slug
from .protocols import Result
from .settings import Grid, Setting
from .streams import AS_STORED, DataError, Source, Stream, embeddings, file_source, load, plane

N_TRUE = len(MEANS)
PAPERS = ("c6bf06a309b790b7", "8b1c2868c0735cf4")
"""Digests of the paper's own exp1.csv and exp2.csv."""


class Scope(NamedTuple):
    """How many settings, shuffles and draws are run."""

    quick: bool
    shuffles: int  # of the samples, with a fixed setting
    draws: int  # of the generator, with a fixed setting
    grid_shuffles: int  # in random order, each with the whole grid
    labelled_draws: int  # of the labelled samples
    vigilances: int  # of the sweep over embeddings
    kmeans_shuffles: int  # in random order, of sequential k-means alone
    slow_shuffles: int  # with a fixed setting, for the indices that take longest
    slow_draws: int


FULL = Scope(
    False, 30, 10, 3, 30, vigilances=12, kmeans_shuffles=300, slow_shuffles=10, slow_draws=5
)
QUICK = Scope(True, 3, 2, 1, 3, vigilances=4, kmeans_shuffles=20, slow_shuffles=3, slow_draws=2)


class Synthetic(NamedTuple):
    """The three streams of the paper's synthetic experiments."""

    first: Source
    second: Source
    papers: bool  # its own points

    def streams(self) -> dict[str, Stream]:
        """Class-incremental, mixed and random order; see `table2` for which points are whose."""
        if self.first.path:
            stored = Stream(self.first, AS_STORED), Stream(self.second, AS_STORED)
        else:
            stored = Stream(self.first, "class-incremental"), Stream(self.second, "mixed")
        return {
            "class-incremental": stored[0],
            "mixed": stored[1],
            "random": Stream(self.first, "random", 0),
        }


class Bench(NamedTuple):
    """The lab, the scope and the data."""

    lab: Lab
    scope: Scope
    synthetic: Synthetic
    embeddings: list[Source]


def synthetic_data(folder: Path | None, scope: Scope) -> Synthetic:
    """exp1.csv and exp2.csv of a folder, or two draws of the built-in generator."""
    if folder is None:
        samples = 800 if scope.quick else 1600
        return Synthetic(plane(1, samples), plane(2, samples), papers=False)
    first, second = (file_source(folder / name) for name in ("exp1.csv", "exp2.csv"))
    for source in (first, second):
        X, y = load(source)
        if X.shape[1] != 2 or len(np.unique(y)) != N_TRUE:
            raise DataError(f"{source.path} must have two features and {N_TRUE} classes.")
    return Synthetic(first, second, papers=(first.digest, second.digest) == PAPERS)


def embedding_sources(paths: Iterable[Path]) -> list[Source]:
    """The given files, or made-up embeddings if there are none."""
    sources = [file_source(path) for path in paths]
    if len({slug(source.name) for source in sources}) < len(sources):
        raise DataError("Two files of embeddings have the same name, or nearly.")
    return sources or [embeddings(seed=1)]


class Best(NamedTuple):
    """The setting with the highest ARI of a grid."""

    setting: Setting
    result: Result


def grid_results(
    lab: Lab, title: str, grids: Mapping[str, Grid], streams: Iterable[Stream]
) -> dict[Job, Result]:
    """The result of every setting on every stream."""
    return lab.results(
        title, [Job("cluster", one, s) for s in streams for grid in grids.values() for one in grid]
    )


def best_of(
    results: Mapping[Job, Result], grid: Grid, stream: Stream, reported: paper.Row | None = None
) -> Best:
    """Of settings with the same ARI, the one that gives the reported row, or else the first."""
    found = [Best(one, results[Job("cluster", one, stream)]) for one in grid]
    highest = max(best.result["ari"] for best in found)
    equals = [best for best in found if best.result["ari"] == highest]
    if reported is not None:
        equals.sort(key=lambda best: not same_row(best.result, reported))
    return equals[0]


def same_row(result: Result, reported: paper.Row) -> bool:
    """Whether a result is the reported row in all digits."""
    return (
        f"{result['ari']:.4f}" == f"{reported.ari:.4f}"
        and result["clusters"] == reported.clusters
        and result["categories"] == reported.categories
    )


def figures(result: Result) -> Result:
    """The columns of the paper's tables."""
    return {what: result[what] for what in paper.Row._fields}


def record_of(best: Best, reported: paper.Row | None) -> dict[str, Any]:
    """For a CSV file: the paper's row, ours, and the setting."""
    given = reported._asdict() if reported else {}
    return {
        **{f"paper_{key}": value for key, value in given.items()},
        **figures(best.result),
        "setting": "; ".join(f"{key}={value}" for key, value in best.setting.params),
    }


Curves = dict[str, dict[str, list[tuple[float, Result]]]]


def curves_of(
    jobs: Mapping[tuple[str, str, float], Job], results: Mapping[Job, Result]
) -> tuple[Curves, list[dict[str, Any]]]:
    """Points by order and model, and a record of each, for jobs by order, model and vigilance."""
    curves: Curves = {}
    records = []
    for (order, name, rho), job in jobs.items():
        curves.setdefault(order, {}).setdefault(name, []).append((rho, results[job]))
        records.append({"order": order, "model": name, "rho": rho, **results[job]})
    return curves, records


def in_words(ari: float, clusters: int, categories: int) -> str:
    """As in the paper's tables: ARI, k, P."""
    return f"{ari:.4f}, {clusters}, {categories}"
