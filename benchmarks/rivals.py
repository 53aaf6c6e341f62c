"""Samples per second and quality, compared with other online learners in one run.

Each contender learns the same streams, and returns the cluster of every sample. In each round,
every contender has one turn, in rotating order, so that other load affects all alike. The tables
show medians over the rounds; the ratio ours / rival is taken within each round.

- There is one thread. Everything is compiled before the clock starts.
- Input that a rival needs (scaled samples, dictionaries) is prepared before the clock starts.
- A contender that would need longer than its limit for a turn learns only the first samples of the
  stream, the same number in every round; "samples" says how many. This favours it a little,
  because a model has few categories or micro-clusters early in a stream.
- Quality is the adjusted Rand index (ARI) of the final model's predictions for the last quarter of
  the samples that it has learnt. It is measured once and not timed.
- A rival's settings are the best found on a stream drawn from another seed: highest ARI, and among
  those within 0.01 of it, the fastest. `--tune` searches the whole grid (`CANDIDATES`) and prints
  the winners; the note at `SETTINGS` says how much of it was searched for those in use. Ours runs
  with default parameters.

Prints tables and writes benchmarks/results/rivals.json, .csv and .png. `--docs` also puts tables
and picture into docs/benchmarks.md.
"""

import argparse
import gc
import itertools
import shutil
import statistics
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from artlib import FuzzyART, TopoART
from common import (
    DOCS,
    RESULTS,
    compile_core,
    fill_docs,
    gaussian_stream,
    in_chunks,
    markdown_table,
    pieces_within,
    progress,
    seconds_for,
    write_csv,
    write_results,
)
from river import cluster as river_cluster
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import Birch, MiniBatchKMeans
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from streamart import ICVITopoARTMAP, StreamART
from streamart.data import make_stream

OURS = ("streamart ch", "streamart wb", "StreamART")
TIMED_SEED, TUNING_SEED = 0, 1000
# Enough to compile everything, and to give a k-means of 200 clusters its first centres.
WARM_UP_SAMPLES = 300
# Predicting is slow for some; a few thousand samples settle the quality.
MOST_SAMPLES_JUDGED = 2500
# Worse by this much ARI: then the ratio of speeds is put in brackets.
CLEARLY_WORSE = 0.1
# Below this ARI, the bar of a learner is drawn pale.
POOR = 0.8

# ---------------------------------------------------------------------- streams


@dataclass(frozen=True)
class Shape:
    """A stream, and how samples are passed on."""

    name: str
    title: str
    d: int
    k: int
    n_samples: int
    chunk: int = 1000
    settings_of: str = ""
    """The name of the stream whose settings are used; its own if empty."""

    def draw(self, seed: int, n_samples: int) -> "Stream":
        if self.name.startswith("built-in"):
            X, y = make_stream("random", n_samples, random_state=seed)
        else:
            X, y = gaussian_stream(self.d, self.k, n_samples, seed)
        return Stream(self, X, y)


@dataclass(frozen=True)
class Stream:
    shape: Shape
    X: np.ndarray
    y: np.ndarray

    @cached_property
    def radius(self) -> float:
        """Root of the mean squared distance of a sample from the mean of its cluster."""
        means = np.array([self.X[self.y == label].mean(axis=0) for label in np.unique(self.y)])
        away = self.X - means[np.unique(self.y, return_inverse=True)[1]]
        return float(np.sqrt((away**2).sum(axis=1).mean()))


SHAPES = (
    Shape("built-in", "Built-in stream, d = 2, k = 7, chunks of 1000", 2, 7, 50_000),
    Shape("d16-k50", "Gaussian, d = 16, k = 50, chunks of 1000", 16, 50, 20_000),
    Shape("d128-k50", "Gaussian, d = 128, k = 50, chunks of 1000", 128, 50, 20_000),
    Shape("d128-k200", "Gaussian, d = 128, k = 200, chunks of 1000", 128, 200, 20_000),
    Shape(
        "built-in one by one",
        "Built-in stream, d = 2, k = 7, one sample per call",
        2,
        7,
        50_000,
        chunk=1,
        settings_of="built-in",
    ),
)

# ---------------------------------------------------------------------- contenders


class Contender:
    """A learner behind one interface. Only `learn` is timed."""

    knows_k: ClassVar[bool] = False
    """Whether the learner is given the true number of clusters."""
    needs_chunks: ClassVar[bool] = False
    """Whether it cannot sensibly be given one sample at a time."""

    def __init__(self, stream: Stream, **settings: Any) -> None:
        self.stream = stream
        self.one_by_one = stream.shape.chunk == 1

    def prepared(self, X: np.ndarray) -> Any:
        """The samples in the form that the learner needs."""
        return X

    def pieces(self, n_samples: int) -> list[Any]:
        """The arguments of successive calls of `learn`."""
        samples = self.prepared(self.stream.X[:n_samples])
        return list(samples if self.one_by_one else in_chunks(samples, self.stream.shape.chunk))

    def learn(self, piece: Any) -> Any:
        """Learn a piece and return the clusters of its samples."""
        raise NotImplementedError

    def predict(self, X: np.ndarray) -> list[int]:
        raise NotImplementedError

    def n_clusters(self) -> int:
        raise NotImplementedError


class Ours(Contender):
    """iCVI-TopoARTMAP with default parameters: all strategies on. Without an index: StreamART."""

    def __init__(self, stream: Stream, icvi: str | None = None) -> None:
        super().__init__(stream)
        self.model = StreamART() if icvi is None else ICVITopoARTMAP(icvi)

    def learn(self, piece: np.ndarray) -> Any:
        if not self.one_by_one:
            return self.model.partial_fit(piece).labels_
        return self.model.learn_one(piece)

    def predict(self, X: np.ndarray) -> list[int]:
        return self.model.predict(X).tolist()

    def n_clusters(self) -> int:
        return self.model.n_clusters_


class RiverContender(Contender):
    """river takes a sample as a dictionary, one at a time, whatever the size of the chunk."""

    model: Any

    def prepared(self, X: np.ndarray) -> list[dict[int, float]]:
        return [dict(enumerate(row)) for row in X.tolist()]

    def pieces(self, n_samples: int) -> list[Any]:
        samples = self.prepared(self.stream.X[:n_samples])
        return list(in_chunks(samples, self.stream.shape.chunk))

    def predict(self, X: np.ndarray) -> list[int]:
        return [self.model.predict_one(x) for x in self.prepared(X)]


class RiverDBSTREAM(RiverContender):
    """`radius` is in units of the radius of a cluster."""

    def __init__(self, stream: Stream, radius: float, **settings: Any) -> None:
        super().__init__(stream)
        self.model = river_cluster.DBSTREAM(clustering_threshold=radius * stream.radius, **settings)

    def learn(self, piece: list[dict[int, float]]) -> list[int]:
        labels = []
        for x in piece:
            self.model.learn_one(x)
            labels.append(self.model.predict_one(x))
        return labels

    def n_clusters(self) -> int:
        return self.model.n_clusters


class RiverKMeans(RiverContender):
    """Samples are standardised beforehand, since first centres are drawn around 0.

    `learn_predict_one` gives the label on the way, at half the cost of `learn_one` and
    `predict_one`.
    """

    knows_k = True

    def __init__(self, stream: Stream, **settings: Any) -> None:
        super().__init__(stream)
        self.model = river_cluster.KMeans(stream.shape.k, seed=0, **settings)

    def prepared(self, X: np.ndarray) -> list[dict[int, float]]:
        whole = self.stream.X
        return super().prepared((X - whole.mean(axis=0)) / whole.std(axis=0))

    def learn(self, piece: list[dict[int, float]]) -> list[int]:
        return [self.model.learn_predict_one(x) for x in piece]

    def n_clusters(self) -> int:
        return self.stream.shape.k


class ArtlibContender(Contender):
    """artlib wants samples between 0 and 1 and complement coded: done beforehand, with the bounds
    of the whole stream, which a user would have to know.

    In chunks it learns with `partial_fit`, one by one with `step_fit`, which returns the label and
    spares the checks. Neither prunes.
    """

    model: Any

    def prepared(self, X: np.ndarray) -> np.ndarray:
        low, high = self.stream.X.min(axis=0), self.stream.X.max(axis=0)
        scaled = (X - low) / (high - low)
        return np.hstack([scaled, 1.0 - scaled])

    def learn(self, piece: np.ndarray) -> Any:
        if self.one_by_one and hasattr(self.model, "W"):
            return self.model.step_fit(piece)
        # The first sample must go this way: it makes the list of categories.
        rows = np.atleast_2d(piece)
        return self.model.partial_fit(rows).labels_[-len(rows) :]

    def predict(self, X: np.ndarray) -> list[int]:
        return [self.model.step_pred(x) for x in self.prepared(X)]

    def n_clusters(self) -> int:
        return len(self.model.W)


class ArtlibFuzzyART(ArtlibContender):
    """A cluster is a category."""

    def __init__(self, stream: Stream, rho: float) -> None:
        super().__init__(stream)
        self.model = FuzzyART(rho=rho, alpha=0.001, beta=1.0)


class ArtlibTopoART(ArtlibContender):
    """With `linked`, categories that were first and second winner together are one cluster, as the
    method has it; without, every category is one, which is what artlib returns.
    """

    def __init__(self, stream: Stream, rho: float, beta_lower: float, linked: bool) -> None:
        super().__init__(stream)
        base = FuzzyART(rho=rho, alpha=0.001, beta=1.0)
        self.model = TopoART(base, beta_lower=beta_lower, tau=200, phi=5)
        self.linked = linked

    def cluster_of_category(self) -> np.ndarray:
        if not self.linked:
            return np.arange(len(self.model.W))
        return connected_components(self.model.adjacency > 0, directed=False)[1]

    def predict(self, X: np.ndarray) -> list[int]:
        return self.cluster_of_category()[super().predict(X)].tolist()

    def n_clusters(self) -> int:
        return len(np.unique(self.cluster_of_category()))


class SklearnContender(Contender):
    """scikit-learn learns a chunk and then predicts it."""

    needs_chunks = True
    model: Any

    def learn(self, piece: np.ndarray) -> np.ndarray:
        return self.model.partial_fit(piece).predict(piece)

    def predict(self, X: np.ndarray) -> list[int]:
        return self.model.predict(X).tolist()


class SklearnBirch(SklearnContender):
    """`radius` is in units of the radius of a cluster. With `given_k`, the subclusters are joined
    to the true number of clusters after every chunk; without, every subcluster is a cluster.
    """

    def __init__(self, stream: Stream, radius: float, given_k: bool) -> None:
        super().__init__(stream)
        self.knows_k = given_k
        self.model = Birch(
            threshold=radius * stream.radius, n_clusters=stream.shape.k if given_k else None
        )

    def n_clusters(self) -> int:
        return len(np.unique(self.model.subcluster_labels_))


class SklearnMiniBatchKMeans(SklearnContender):
    knows_k = True

    def __init__(self, stream: Stream, **settings: Any) -> None:
        super().__init__(stream)
        self.model = MiniBatchKMeans(stream.shape.k, random_state=0, **settings)

    def n_clusters(self) -> int:
        return self.stream.shape.k


CONTENDERS: dict[str, Callable[..., Contender]] = {
    "streamart ch": Ours,
    "streamart wb": Ours,
    "StreamART": Ours,
    "river DBSTREAM": RiverDBSTREAM,
    "river KMeans": RiverKMeans,
    "artlib TopoART": ArtlibTopoART,
    "artlib FuzzyART": ArtlibFuzzyART,
    "sklearn Birch": SklearnBirch,
    "sklearn MiniBatchKMeans": SklearnMiniBatchKMeans,
}

# ---------------------------------------------------------------------- settings

CANDIDATES: dict[str, dict[str, list[Any]]] = {
    "river DBSTREAM": {
        "radius": [0.5, 1.0, 1.4, 1.7, 2.0, 2.5],
        "fading_factor": [0.01, 0.001],
        "cleanup_interval": [100],
        "intersection_factor": [0.3],
        "minimum_weight": [1.0, 3.0],
    },
    "river KMeans": {"halflife": [0.05, 0.1, 0.3], "sigma": [0.1, 0.3, 0.5, 1.0]},
    "artlib TopoART": {
        "rho": [0.65, 0.7, 0.75, 0.8, 0.825, 0.85, 0.875, 0.9],
        "beta_lower": [0.5],
        "linked": [False, True],
    },
    "artlib FuzzyART": {"rho": [0.65, 0.7, 0.75, 0.8, 0.825, 0.85, 0.875, 0.9]},
    "sklearn Birch": {"radius": [0.7, 1.0, 1.2, 1.5], "given_k": [False, True]},
    "sklearn MiniBatchKMeans": {"reassignment_ratio": [0.0, 0.01, 0.1]},
}

# Found with parts of this grid, not yet with all of it: the built-in stream and d16-k50 with wider
# lists, d128-k50 with these but fewer vigilances, d128-k200 with a few trials for all but DBSTREAM.
SETTINGS: dict[str, dict[str, dict[str, Any]]] = {
    "built-in": {
        "river DBSTREAM": {
            "radius": 2.0,
            "fading_factor": 0.01,
            "cleanup_interval": 100,
            "intersection_factor": 0.3,
            "minimum_weight": 3.0,
        },
        "river KMeans": {"halflife": 0.3, "sigma": 0.1},
        "artlib TopoART": {"rho": 0.75, "beta_lower": 0.5, "linked": False},
        "artlib FuzzyART": {"rho": 0.7},
        "sklearn Birch": {"radius": 1.5, "given_k": False},
        "sklearn MiniBatchKMeans": {"reassignment_ratio": 0.0},
    },
    "d16-k50": {
        "river DBSTREAM": {
            "radius": 2.0,
            "fading_factor": 0.001,
            "cleanup_interval": 100,
            "intersection_factor": 0.3,
            "minimum_weight": 3.0,
        },
        "river KMeans": {"halflife": 0.3, "sigma": 0.5},
        "artlib TopoART": {"rho": 0.9, "beta_lower": 0.5, "linked": True},
        "artlib FuzzyART": {"rho": 0.85},
        "sklearn Birch": {"radius": 1.2, "given_k": True},
        "sklearn MiniBatchKMeans": {"reassignment_ratio": 0.1},
    },
    "d128-k50": {
        "river DBSTREAM": {
            "radius": 2.0,
            "fading_factor": 0.001,
            "cleanup_interval": 100,
            "intersection_factor": 0.3,
            "minimum_weight": 1.0,
        },
        "river KMeans": {"halflife": 0.3, "sigma": 0.5},
        "artlib TopoART": {"rho": 0.85, "beta_lower": 0.5, "linked": True},
        "artlib FuzzyART": {"rho": 0.825},
        "sklearn Birch": {"radius": 1.5, "given_k": False},
        "sklearn MiniBatchKMeans": {"reassignment_ratio": 0.01},
    },
    "d128-k200": {
        "river DBSTREAM": {
            "radius": 2.0,
            "fading_factor": 0.001,
            "cleanup_interval": 100,
            "intersection_factor": 0.3,
            "minimum_weight": 3.0,
        },
        "river KMeans": {"halflife": 0.3, "sigma": 0.3},
        "artlib TopoART": {"rho": 0.875, "beta_lower": 0.5, "linked": True},
        "artlib FuzzyART": {"rho": 0.875},
        "sklearn Birch": {"radius": 1.5, "given_k": True},
        "sklearn MiniBatchKMeans": {"reassignment_ratio": 0.0},
    },
}


def candidates(rival: str) -> list[dict[str, Any]]:
    grid = CANDIDATES[rival]
    return [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]


def judged(name: str, stream: Stream, settings: dict[str, Any], limit: float) -> dict[str, Any]:
    """Quality and rough speed of one candidate."""
    contender, learnt, seconds = first_pass(name, stream, settings, limit)
    return {
        "settings": settings,
        "ari": quality(contender, learnt),
        "clusters": contender.n_clusters(),
        "rate": learnt / seconds,
    }


def tune(shapes: list[Shape], limit: float, rivals: Iterable[str] = tuple(CANDIDATES)) -> None:
    """Print the best settings of each rival (of this program, unless told) for each stream."""
    for shape in shapes:
        if shape.settings_of:
            continue
        stream = shape.draw(TUNING_SEED, 10_000)
        print(f'    "{shape.name}": {{')
        for rival in rivals:
            tried = [judged(rival, stream, one, limit) for one in candidates(rival)]
            highest = max(one["ari"] for one in tried)
            best = max((t for t in tried if t["ari"] >= highest - 0.01), key=lambda t: t["rate"])
            print(f'        "{rival}": {best["settings"]},', flush=True)
            progress(f"ARI {best['ari']:.3f}, {best['clusters']} clusters, {best['rate']:.0f}/s")
        print("    },")


# ---------------------------------------------------------------------- measuring


def settings_for(name: str, shape: Shape) -> dict[str, Any]:
    if name in OURS:
        return {"icvi": name.split()[-1]} if " " in name else {}
    return SETTINGS[shape.settings_of or shape.name][name]


def first_pass(
    name: str, stream: Stream, settings: dict[str, Any], limit: float
) -> tuple[Contender, int, float]:
    """Compile, then learn what the limit allows: the model, the samples and the seconds."""
    if "icvi" in settings:
        compile_core(settings["icvi"])
    warm_up = CONTENDERS[name](stream, **settings)
    for piece in warm_up.pieces(WARM_UP_SAMPLES):
        warm_up.learn(piece)
    contender = CONTENDERS[name](stream, **settings)
    n_samples = len(stream.X)
    pieces = contender.pieces(n_samples)
    start = time.perf_counter()
    made = pieces_within(contender.learn, pieces, limit)
    seconds = time.perf_counter() - start
    return contender, min(made * stream.shape.chunk, n_samples), seconds


def quality(contender: Contender, learnt: int) -> float:
    begin = max(learnt * 3 // 4, learnt - MOST_SAMPLES_JUDGED)
    stream = contender.stream
    return adjusted_rand_score(stream.y[begin:learnt], contender.predict(stream.X[begin:learnt]))


def one_turn(name: str, stream: Stream, settings: dict[str, Any], n_samples: int) -> float:
    """Samples per second of a new model."""
    contender = CONTENDERS[name](stream, **settings)
    pieces = contender.pieces(n_samples)
    gc.collect()
    return n_samples / seconds_for(contender.learn, pieces)


def rotated(names: list[str], turn: int) -> list[str]:
    turn %= len(names)
    return names[turn:] + names[:turn]


def measure(
    stream: Stream,
    rounds: int,
    limit: float,
    limit_of_ours: float,
    contenders: Iterable[str] = tuple(CONTENDERS),
) -> list[dict[str, Any]]:
    """Contenders (all of this program, unless told) on one stream: a row for each."""
    shape = stream.shape
    names = [
        name
        for name in contenders
        if shape.chunk > 1 or not getattr(CONTENDERS[name], "needs_chunks", False)
    ]
    rows: dict[str, dict[str, Any]] = {}
    for name in names:
        progress(f"{shape.name}: first pass of {name}")
        settings = settings_for(name, shape)
        contender, learnt, _ = first_pass(
            name, stream, settings, limit_of_ours if name in OURS else limit
        )
        rows[name] = {
            "stream": shape.name,
            "contender": name,
            "samples": learnt,
            "ari": quality(contender, learnt),
            "clusters": contender.n_clusters(),
            "knows_k": contender.knows_k,
            "settings": settings,
        }
    rates: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(rounds):
        for name in rotated(names, turn):
            progress(f"{shape.name}: round {turn + 1} of {rounds}, {name}")
            row = rows[name]
            rates[name].append(one_turn(name, stream, row["settings"], row["samples"]))
    return [rows[name] | summary(name, rates) for name in names]


def summary(name: str, rates: dict[str, list[float]]) -> dict[str, Any]:
    """Median speed, its range, and how many times faster ours is."""
    own = rates[name]
    faster = {
        f"{ours} / this": statistics.median(a / b for a, b in zip(rates[ours], own, strict=True))
        for ours in OURS
    }
    return {
        "samples_per_second": statistics.median(own),
        "slowest": min(own),
        "fastest": max(own),
        **faster,
    }


# ---------------------------------------------------------------------- reporting

HEADINGS = (
    "learner",
    "samples/s",
    "ch / this",
    "wb / this",
    "StreamART / this",
    "ARI",
    "clusters",
    "samples",
)


def in_words(number: float) -> str:
    """A speed with three digits."""
    if number < 100:
        return f"{number:.3g}"
    digits = len(str(int(number)))
    return f"{round(number, 3 - digits):,.0f}"


def ratio_in_words(ours: dict[str, Any], row: dict[str, Any]) -> str:
    """Ours / rival, in brackets if ours is clearly worse."""
    if row["contender"] in OURS:
        return ""
    ratio = row[f"{ours['contender']} / this"]
    text = in_words(ratio) if ratio >= 100 else f"{ratio:.2g}"
    return f"({text})" if ours["ari"] < row["ari"] - CLEARLY_WORSE else text


def table_row(row: dict[str, Any], all_ours: list[dict[str, Any]]) -> list[str]:
    return [
        row["contender"],
        in_words(row["samples_per_second"]),
        *(ratio_in_words(ours, row) for ours in all_ours),
        f"{row['ari']:.2f}",
        f"{row['clusters']}{' (given)' if row['knows_k'] else ''}",
        f"{row['samples']:,}",
    ]


def table(shape: Shape, rows: list[dict[str, Any]]) -> str:
    all_ours = [row for row in rows if row["contender"] in OURS]
    lines = [table_row(row, all_ours) for row in rows]
    return f"**{shape.title}**\n\n{markdown_table(HEADINGS, lines)}\n"


def draw(rows: list[dict[str, Any]], shapes: list[Shape]) -> None:
    """One panel of bars per stream, all on one logarithmic axis."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    counts = [sum(row["stream"] == shape.name for row in rows) for shape in shapes]
    figure, panels = plt.subplots(
        len(shapes),
        1,
        figsize=(9, 0.32 * sum(counts) + 0.75 * len(shapes)),
        sharex=True,
        squeeze=False,
        height_ratios=counts,
        layout="constrained",
    )
    for panel, shape in zip(panels[:, 0], shapes, strict=True):
        draw_panel(panel, shape, [row for row in rows if row["stream"] == shape.name])
    panels[-1, 0].set_xlabel(
        "samples learnt and labelled per second, one thread (logarithmic); pale: ARI below 0.8"
    )
    figure.savefig(RESULTS / "rivals.png", dpi=150)
    plt.close(figure)


def draw_panel(panel: Any, shape: Shape, rows: list[dict[str, Any]]) -> None:
    names = [row["contender"] for row in rows]
    rates = [row["samples_per_second"] for row in rows]
    colours = ["#d95f02" if name in OURS else "#7a8b99" for name in names]
    bars = panel.barh(names, rates, color=colours, height=0.75)
    for bar, row in zip(bars, rows, strict=True):
        bar.set_alpha(0.35 if row["ari"] < POOR else 1.0)
    for place, row in enumerate(rows):
        panel.annotate(
            f"{in_words(row['samples_per_second'])}   ARI {row['ari']:.2f}",
            (row["samples_per_second"], place),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
        )
    panel.set_xscale("log")
    # Room on the right for the figures behind the longest bar.
    panel.set_xlim(10, 2e7)
    panel.invert_yaxis()
    panel.set_title(shape.title, loc="left", fontsize=10)
    panel.tick_params(labelsize=8)
    panel.grid(axis="x", alpha=0.3)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Speed and quality beside other online learners.")
    parser.add_argument("--rounds", type=int, default=5, help="turns of every contender (5)")
    parser.add_argument("--seconds", type=float, default=4.0, help="limit of a rival's turn (4)")
    parser.add_argument("--quick", action="store_true", help="short streams, two short rounds")
    parser.add_argument("--stream", action="append", choices=[s.name for s in SHAPES])
    parser.add_argument("--tune", action="store_true", help="look for the rivals' best settings")
    parser.add_argument("--docs", action="store_true", help="put the result into docs/")
    return parser.parse_args()


def chosen_shapes(chosen: argparse.Namespace) -> list[Shape]:
    return [shape for shape in SHAPES if not chosen.stream or shape.name in chosen.stream]


def run(chosen: argparse.Namespace) -> None:
    rounds = 2 if chosen.quick else chosen.rounds
    limit = 0.5 if chosen.quick else chosen.seconds
    shapes = chosen_shapes(chosen)
    rows: list[dict[str, Any]] = []
    tables: list[str] = []
    for shape in shapes:
        stream = shape.draw(TIMED_SEED, 5000 if chosen.quick else shape.n_samples)
        # Ours should see the whole stream.
        measured = measure(stream, rounds, limit, limit_of_ours=10 * limit)
        rows += measured
        tables.append(table(shape, measured))
        print(tables[-1], flush=True)
    write_results("rivals", {"rounds": rounds, "rows": rows})
    write_csv("rivals", rows)
    draw(rows, shapes)
    if chosen.docs:
        fill_docs("rivals", "\n".join(tables))
        shutil.copy(RESULTS / "rivals.png", DOCS / "images" / "rivals.png")


def main() -> None:
    chosen = options()
    # Birch warns that it has found fewer clusters than asked for; the table says so anyway.
    warnings.filterwarnings("ignore", module="sklearn")
    with threadpool_limits(limits=1):
        if chosen.tune:
            tune(chosen_shapes(chosen), limit=1.0)
        else:
            run(chosen)


if __name__ == "__main__":
    main()
