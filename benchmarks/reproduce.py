"""The rows of the paper's tables that its rivals have: how near the baselines come, and why not
nearer.

Fits every setting of the paper's grids on the paper's data (``../shared/data``, or the folder that
STREAMART_DATA names) and puts the tables into docs/reproduction.md; some minutes on one core. As in
the paper, a model is judged by presenting all samples again when it has learnt them.
"""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from common import HERE, fill_docs, markdown_table, progress
from paper_grids import ROWS, SYNTHETIC, Row, faces
from scipy.sparse.csgraph import connected_components
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from streamart import ICVITopoARTMAP
from streamart.baselines import DRN, NearestNeighbour, SequentialKMeans, WSTopoFA

sys.path.append(str(HERE.parent / "tests"))  # the naive transcriptions, for a variant of one
from naive import NaiveDRN

DATA = Path(os.environ.get("STREAMART_DATA", HERE.parent.parent / "shared" / "data"))
PAGE = "reproduction.md"
SHUFFLES_OF_SKM = 300
SHUFFLES = 20  # of the others, each with its whole grid
DRAWS = 500  # of DRN's order of grouping
DRAWS_OF_VARIANT = 20  # by the transcription, which is slow
DRAWS_OF_SAMPLES = 100  # one of each class, for NN


def read(name: str) -> tuple[np.ndarray, np.ndarray]:
    if name.endswith(".csv"):
        table = np.loadtxt(DATA / name, delimiter=",", skiprows=1)
        return table[:, :-1], table[:, -1].astype(int)
    with np.load(DATA / name) as arrays:
        return arrays["X"].astype(float), arrays["y"]


def shuffled(X: np.ndarray, y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    order = np.random.default_rng(seed).permutation(len(y))
    return X[order], y[order]


def row_of(model: Any, X: np.ndarray, y: np.ndarray) -> Row:
    model = clone(model).fit(X)
    return Row(float(adjusted_rand_score(y, model.labels_)), model.n_clusters_, model.n_categories_)


def best_of(grid: list[Any], X: np.ndarray, y: np.ndarray) -> tuple[Row, Any]:
    """The row with the highest ARI, and the setting; the first of equals."""
    rows = [row_of(model, X, y) for model in grid]
    at = int(np.argmax([row.ari for row in rows]))
    return rows[at], grid[at]


SPREAD = ("ARI, mean ± sd", "least", "median", "greatest")


def spread(values: Iterable[float]) -> list[str]:
    a = np.array(list(values))
    figures = (a.min(), np.median(a), a.max())
    return [f"{a.mean():.3f} ± {a.std():.3f}", *(f"{figure:.4f}" for figure in figures)]


def in_words(row: Row) -> str:
    return f"{row.ari:.4f}, {row.clusters}, {row.categories}"


def settings(model: Any, grid: list[Any]) -> str:
    """The parameters that the grid varies."""
    given = model.get_params()
    tried = {name: {repr(other.get_params()[name]) for other in grid} for name in given}
    chosen = [f"{name}={given[name]}" for name in given if len(tried[name]) > 1]
    return f"`{', '.join(chosen)}`" if chosen else ""


# ---------------------------------------------------------------------- the parts of the page


def table_of_rows() -> str:
    lines = []
    for rival, grid in SYNTHETIC.items():
        for order, name in enumerate(("exp1", "exp2")):
            progress(f"{rival} on {name}: {len(grid)} settings")
            ours, model = best_of(grid, *read(f"{name}.csv"))
            paper = ROWS[rival][order]
            same = f"{ours.ari:.4f}" == f"{paper.ari:.4f}" and ours[1:] == paper[1:]
            verdict = "the same" if same else f"{ours.ari - paper.ari:+.4f}"
            lines.append(
                [rival, name, in_words(paper), in_words(ours), verdict, settings(model, grid)]
            )
    headings = ("rival", "data", "paper: ARI, k, P", "here: ARI, k, P", "difference", "with")
    return markdown_table(headings, lines)


def table_of_drn() -> str:
    """What the order of grouping, which is drawn, and the rule for equal distances come to."""
    lines = []
    for data, rho in (("exp1", 0.7), ("exp1", 0.8), ("exp2", 0.7)):
        X, y = read(f"{data}.csv")
        progress(f"DRN on {data}, rho {rho}: {DRAWS} draws, {DRAWS_OF_VARIANT} of the variant")
        rows = [row_of(DRN(rho, random_state=seed), X, y) for seed in range(DRAWS)]
        lines.append([data, str(rho), "the latest", *drawn(rows)])
        rows = [first_of_equals(rho, X, y, seed) for seed in range(DRAWS_OF_VARIANT)]
        lines.append([data, str(rho), "the first", *drawn(rows)])
    headings = ("data", "rho", "of equals", "draws", "k", *SPREAD)
    return markdown_table(headings, lines)


def drawn(rows: list[Row]) -> list[str]:
    return [str(len(rows)), between([row.clusters for row in rows]), *spread(r.ari for r in rows)]


class FirstOfEquals(NaiveDRN):
    """The transcription with the other rule for nodes at the same distance."""

    def nearest(self, x: np.ndarray, count: int) -> list[int]:
        away = [node.distance(x) for node in self.nodes]
        return sorted(range(len(away)), key=lambda j: away[j])[:count]


def first_of_equals(rho: float, X: np.ndarray, y: np.ndarray, seed: int) -> Row:
    model = FirstOfEquals(rho, random_state=seed)
    for x in X:
        model.learn(x)
    labels = [model.predict_one(x) for x in X]
    return Row(adjusted_rand_score(y, labels), len(model.nodes), len(model.nodes))


def topofa_with_all_categories() -> Row:
    """The best row of exp1 if categories with fewer than phi samples made clusters too."""
    X, y = read("exp1.csv")
    rows = []
    for setting in SYNTHETIC["WS-TopoFA"]:
        model: WSTopoFA = clone(setting).fit(X)
        boxes, span = model.categories_, np.ptp(X, axis=0)
        size = X.shape[1] - ((boxes.upper - boxes.lower) / span).sum(axis=1)
        joint = np.maximum(X[:, None], boxes.upper) - np.minimum(X[:, None], boxes.lower)
        activation = (X.shape[1] - (joint / span).sum(axis=2)) / (model.alpha + size)
        k, cluster = connected_components(model.links_, directed=False)
        ari = adjusted_rand_score(y, cluster[activation.argmax(axis=1)])
        rows.append(Row(float(ari), k, model.n_categories_))
    return max(rows)


def table_of_random_order() -> str:
    X, y = read("exp2.csv")
    lines = []
    for init in ("first", "k-means++"):
        progress(f"skm, {init}: {SHUFFLES_OF_SKM} shuffles")
        rows = [
            row_of(SequentialKMeans(7, init=init, random_state=s), *shuffled(X, y, s))
            for s in range(SHUFFLES_OF_SKM)
        ]
        lines.append(in_random_order(f"skm, {init}", ROWS["skm"][2], rows))
    for rival in ("iskm", "DRN", "WS-DVFA", "WS-TopoFA"):
        rows = []
        for s in range(SHUFFLES):
            progress(f"{rival}: shuffle {s + 1} of {SHUFFLES}")
            rows.append(best_of(SYNTHETIC[rival], *shuffled(X, y, s))[0])
        lines.append(in_random_order(f"{rival}, best of grid", ROWS[rival][2], rows))
    paper = ("paper: ARI, k, P", "shuffles", "not below the paper's")
    headings = ("rival", *paper, *SPREAD, "k", "P")
    return markdown_table(headings, lines)


def in_random_order(name: str, paper: Row, rows: list[Row]) -> list[str]:
    share = np.mean([round(row.ari, 4) >= paper.ari for row in rows])
    return [
        name,
        in_words(paper),
        str(len(rows)),
        f"{share:.0%}",
        *spread(row.ari for row in rows),
        between([row.clusters for row in rows]),
        between([row.categories for row in rows]),
    ]


def between(values: list[int]) -> str:
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low} to {high}"


def table_of_faces() -> str:
    lines = []
    for name in ("faces40x10_1024d", "faces106x14_128d"):
        X, y = read(f"{name}.npz")
        people = len(np.unique(y))
        ours = ICVITopoARTMAP(
            "ch", match="cosine", merge=False, split=False, compress=False, prune=False,
            icvi_match_tracking=False,
        )  # fmt: skip
        grids = faces(people)
        grids["iCH-TopoARTMAP"] = [clone(ours).set_params(rho=rho) for rho in (0.1, 0.2, 0.3)]
        if people == 106:  # people are nearer to each other here than in the paper's embeddings
            for rival, made in (("E-TopoFA", grids["E-TopoFA"][0]), ("iCH-TopoARTMAP", ours)):
                grids[rival] = [clone(made).set_params(rho=step / 100) for step in range(4, 13)]
        for rival, grid in grids.items():
            progress(f"{rival} on {name}: {len(grid)} settings, in two orders")
            by_person, model = best_of(grid, X, y)
            at_random, other = best_of(grid, *shuffled(X, y, 0))
            lines.append(
                [
                    rival,
                    str(people),
                    f"{in_words(by_person)} {settings(model, grid)}",
                    f"{in_words(at_random)} {settings(other, grid)}",
                ]
            )
    return markdown_table(("rival", "people", "by person: ARI, k, P", "shuffled: ARI, k, P"), lines)


def table_of_neighbours() -> str:
    lines = []
    for name, metric, paper in (
        ("exp2.csv", "euclidean", "0.9768"),
        ("faces40x10_1024d.npz", "cosine", "(0.9868, other faces)"),
        ("faces106x14_128d.npz", "cosine", "(0.9868, other faces)"),
    ):
        progress(f"NN on {name}: {DRAWS_OF_SAMPLES} draws")
        X, y = read(name)
        scores = []
        for seed in range(DRAWS_OF_SAMPLES):
            A, b = shuffled(X, y, seed)
            first = np.unique(b, return_index=True)[1]
            model = NearestNeighbour(metric).fit(A[first], b[first])
            rest = np.setdiff1d(np.arange(len(b)), first)
            scores.append(float(np.mean(model.predict(A[rest]) == b[rest])))
        lines.append([name.partition(".")[0], metric, paper, *spread(scores)])
    headings = ("data", "distance", "paper", SPREAD[0].replace("ARI", "accuracy"), *SPREAD[1:])
    return markdown_table(headings, lines)


def main() -> None:
    if not DATA.exists():
        sys.exit(f"The paper's data is not in {DATA}; STREAMART_DATA says where it is.")
    parts = {
        "rows": table_of_rows,
        "topofa": lambda: in_words(topofa_with_all_categories()),
        "drn": table_of_drn,
        "random order": table_of_random_order,
        "neighbours": table_of_neighbours,
        "faces": table_of_faces,
    }
    with threadpool_limits(limits=1):
        for part, made in parts.items():
            text = made()
            print(text, end="\n\n", flush=True)
            fill_docs(part, text, PAGE)


if __name__ == "__main__":
    main()
