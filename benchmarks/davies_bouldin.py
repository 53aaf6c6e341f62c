"""Which form of the Davies-Bouldin index the paper's rows agree with.

Registers other forms of the index from outside of the package, runs the network with each of them
on the paper's data (``../shared/data``, or the folder that STREAMART_DATA names), and puts the
table into docs/davies-bouldin.md. Half an hour on one core: every form is compiled, and with some
of them there are more than a hundred clusters.
"""

import math
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
from common import HERE, fill_docs, markdown_table, progress

import streamart
from streamart._jit import jit
from streamart.experiments.jobs import Job, done
from streamart.experiments.paper import TABLE_2
from streamart.experiments.settings import network
from streamart.experiments.streams import Stream, file_source
from streamart.icvi import db
from streamart.icvi.compare import NOTHING
from streamart.icvi.registry import Index, register

DATA = Path(os.environ.get("STREAMART_DATA", HERE.parent.parent / "shared" / "data"))
PAGE = "davies-bouldin.md"
SHUFFLES = 3


class Root(NamedTuple):
    """The original form: a root of CP/n, and the distance."""


class RootOverSquare(NamedTuple):
    """A root of CP/n, and the squared distance."""


class SquareOverRoot(NamedTuple):
    """CP/n, and the distance."""


@jit
def root(distance, spread_i, spread_j, scatter, samples):
    if distance <= NOTHING * scatter / samples:
        return math.inf if spread_i + spread_j == 0.0 else db.INFINITE
    return (math.sqrt(max(spread_i, 0.0)) + math.sqrt(max(spread_j, 0.0))) / math.sqrt(distance)


@jit
def root_over_square(distance, spread_i, spread_j, scatter, samples):
    if distance <= NOTHING * scatter / samples:
        return math.inf if spread_i + spread_j == 0.0 else db.INFINITE
    return (math.sqrt(max(spread_i, 0.0)) + math.sqrt(max(spread_j, 0.0))) / distance


@jit
def square_over_root(distance, spread_i, spread_j, scatter, samples):
    if distance <= NOTHING * scatter / samples:
        return math.inf if spread_i + spread_j == 0.0 else db.INFINITE
    return (spread_i + spread_j) / math.sqrt(distance)


FORMS = {
    "db": "CP/n over D, this package's",
    "db-root": "√(CP/n) over √D, the original with q = p = 2",
    "db-root-over-square": "√(CP/n) over D",
    "db-square-over-root": "CP/n over √D",
}


def register_forms() -> None:
    """Under the names above, and allowed as the parameter `icvi`."""
    for name, marker, pair in (
        ("db-root", Root, root),
        ("db-root-over-square", RootOverSquare, root_over_square),
        ("db-square-over-root", SquareOverRoot, square_over_root),
    ):
        register(Index(name, marker, FORMS[name], True, "this script", db.goodness, pair))
    network_class = streamart.ICVITopoARTMAP
    allowed = network_class._parameter_constraints | {"icvi": [str]}
    network_class._parameter_constraints = allowed


def main() -> None:
    register_forms()
    first, second = (file_source(DATA / f"{name}.csv") for name in ("exp1", "exp2"))
    random = [Stream(first, "random", seed) for seed in range(SHUFFLES)]
    theirs = TABLE_2["iDB-TopoFAM"]
    lines = []
    grid = network("db")
    ends = [one for one in grid if one.get("rho") in (0.0, 0.9)]  # where there are many clusters
    for title, streams, row, tried, forms in (
        ("random", random, theirs[2], grid, list(FORMS)),
        ("mixed", [Stream(second)], theirs[1], ends, ["db", "db-root"]),
        ("class-incremental", [Stream(first)], theirs[0], ends, ["db", "db-root"]),
    ):
        lines.append([title, "the paper", "", f"{row.ari:.4f}, {row.clusters}, {row.categories}",
                      "", "", ""])  # fmt: skip
        for form in forms:
            for number, stream in enumerate(streams, 1):
                progress(f"{title}, {form}, {number} of {len(streams)}")
                found = [done(Job("cluster", one.but(icvi=form), stream))[0] for one in tried]
                best = max(found, key=lambda result: result["ari"])
                name = f"{title}, shuffle {number}" if len(streams) > 1 else title
                lines.append(
                    [name, FORMS[form], str(len(found)),
                     f"{best['ari']:.4f}, {best['clusters']}, {best['categories']}",
                     *(f"{np.median([result[what] for result in found]):{form_of}}"
                       for what, form_of in (("ari", ".4f"), ("clusters", "g"),
                                             ("categories", "g")))]
                )  # fmt: skip
                progress("; ".join(lines[-1]))
    headings = ("order", "form", "runs", "best: ARI, k, P", "median ARI", "k", "P")
    fill_docs("forms", markdown_table(headings, lines), PAGE)


if __name__ == "__main__":
    main()
