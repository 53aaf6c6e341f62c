"""Try all readings of what the descriptions of the paper's rivals leave open.

This uses the paper's data (``../shared/data``, or the folder that STREAMART_DATA names), and puts
the tables into docs/rivals.md. It takes some minutes on one core. ``streamart reproduce table2``
gives the rows themselves.
"""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from common import HERE, fill_docs, markdown_table, progress
from scipy.sparse.csgraph import connected_components
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from streamart.baselines import DRN, SequentialKMeans, WSTopoFA
from streamart.experiments.paper import TABLE_2, Row
from streamart.experiments.protocols import made
from streamart.experiments.settings import rivals

sys.path.append(str(HERE.parent / "tests"))  # the naive transcriptions, for a variant of one
from naive import NaiveDRN

DATA = Path(os.environ.get("STREAMART_DATA", HERE.parent.parent / "shared" / "data"))
PAGE = "rivals.md"
GRIDS = {name: [made(setting) for setting in grid] for name, grid in rivals(7).items()}
SHUFFLES_OF_SKM = 300
SHUFFLES = 20  # of the others, each with its whole grid
DRAWS = 500  # of DRN's order of grouping
DRAWS_OF_VARIANT = 20  # by the transcription, which is slow


def read(name: str) -> tuple[np.ndarray, np.ndarray]:
    table = np.loadtxt(DATA / f"{name}.csv", delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1].astype(int)


def shuffled(X: np.ndarray, y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    order = np.random.default_rng(seed).permutation(len(y))
    return X[order], y[order]


def row_of(model: Any, X: np.ndarray, y: np.ndarray) -> Row:
    model = clone(model).fit(X)
    return Row(float(adjusted_rand_score(y, model.labels_)), model.n_clusters_, model.n_categories_)


def best_of(grid: list[Any], X: np.ndarray, y: np.ndarray) -> Row:
    """The row with the highest ARI; of equals, the first."""
    return max((row_of(model, X, y) for model in grid), key=lambda row: row.ari)


SPREAD = ("ARI, mean ± sd", "least", "median", "greatest")


def spread(values: Iterable[float]) -> list[str]:
    a = np.array(list(values))
    figures = (a.min(), np.median(a), a.max())
    return [f"{a.mean():.3f} ± {a.std():.3f}", *(f"{figure:.4f}" for figure in figures)]


def in_words(row: Row) -> str:
    return f"{row.ari:.4f}, {row.clusters}, {row.categories}"


# ---------------------------------------------------------------------- the parts of the page


def table_of_drn() -> str:
    """The effect of the random order of grouping and of the rule for equal distances."""
    lines = []
    for data, rho in (("exp1", 0.7), ("exp1", 0.8), ("exp2", 0.7)):
        X, y = read(data)
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
    X, y = read("exp1")
    rows = []
    for setting in GRIDS["WS-TopoFA"]:
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
    lines = []
    for data in ("exp1", "exp2"):
        X, y = read(data)
        for init in ("first", "k-means++"):
            progress(f"skm on {data}, {init}: {SHUFFLES_OF_SKM} shuffles")
            rows = [
                row_of(SequentialKMeans(7, init=init, random_state=s), *shuffled(X, y, s))
                for s in range(SHUFFLES_OF_SKM)
            ]
            lines.append([f"skm, {init}", data, *in_random_order(TABLE_2["skm"][2], rows)])
        for rival in ("iskm", "DRN", "WS-DVFA", "WS-TopoFA"):
            rows = []
            for s in range(SHUFFLES):
                progress(f"{rival} on {data}: shuffle {s + 1} of {SHUFFLES}")
                rows.append(best_of(GRIDS[rival], *shuffled(X, y, s)))
            lines.append(
                [f"{rival}, best of grid", data, *in_random_order(TABLE_2[rival][2], rows)]
            )
    paper = ("paper: ARI, k, P", "shuffles", "not below the paper's")
    headings = ("rival", "data", *paper, *SPREAD, "k", "P")
    return markdown_table(headings, lines)


def in_random_order(paper: Row, rows: list[Row]) -> list[str]:
    share = np.mean([round(row.ari, 4) >= paper.ari for row in rows])
    return [
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


def main() -> None:
    if not DATA.exists():
        sys.exit(f"The paper's data is not in {DATA}; STREAMART_DATA says where it is.")
    parts = {
        "topofa": lambda: in_words(topofa_with_all_categories()),
        "drn": table_of_drn,
        "random order": table_of_random_order,
    }
    with threadpool_limits(limits=1):
        for part, made in parts.items():
            text = made()
            print(text, end="\n\n", flush=True)
            fill_docs(part, text, PAGE)


if __name__ == "__main__":
    main()
