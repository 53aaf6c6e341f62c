"""Find out which form of the Davies-Bouldin index agrees with the paper's rows.

Registers other forms of the index from outside of the package, runs the network with each of them
on the paper's data (``../shared/data``, or the folder that STREAMART_DATA names), and puts the
table into docs/davies-bouldin.md. This takes about twenty minutes on one core: forms are compiled,
and some find more than a hundred clusters. Results are kept in results/davies_bouldin.json, so a
stopped run can continue. Remove the file if a formula has changed.
"""

import json
import math
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from common import HERE, RESULTS, fill_docs, markdown_table, progress

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
STORE = RESULTS / "davies_bouldin.json"
SHUFFLES = 3


class Root(NamedTuple):
    """The original form: a root of CP/n, and the distance."""


class RootOverSquare(NamedTuple):
    """A root of CP/n, and the squared distance."""


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


FORMS = {
    "db": "CP/n over D, this package's",
    "db-root": "√(CP/n) over √D, the original with q = p = 2",
    "db-root-over-square": "√(CP/n) over D",
}


def register_forms() -> None:
    """Register the forms under the names above, so that `icvi` accepts them."""
    for name, marker, pair in (
        ("db-root", Root, root),
        ("db-root-over-square", RootOverSquare, root_over_square),
    ):
        register(Index(name, marker, FORMS[name], True, "this script", db.goodness, pair))
    network_class = streamart.ICVITopoARTMAP
    allowed = network_class._parameter_constraints | {"icvi": [str]}
    network_class._parameter_constraints = allowed


def kept(job: Job) -> dict[str, Any]:
    """The result of a job, from the file if it is there."""
    RESULTS.mkdir(exist_ok=True)
    known = json.loads(STORE.read_text()) if STORE.exists() else {}
    key = json.dumps([job.setting.params, job.stream.identity])
    if key not in known:
        known[key], _ = done(job)
        STORE.write_text(json.dumps(known, indent=1))
    return known[key]


def main() -> None:
    register_forms()
    first, second = (file_source(DATA / f"{name}.csv") for name in ("exp1", "exp2"))
    random = [Stream(first, "random", seed) for seed in range(SHUFFLES)]
    theirs = TABLE_2["iDB-TopoFAM"]
    lines = []
    grid = [
        network("db")[0].but(rho=rho, tau=tau, xi=xi)
        for rho in (0.0, 0.3, 0.6, 0.9)
        for tau in (0, 5)
        for xi in (100, 300, 600)
    ]
    lowest = [one for one in grid if one.get("rho") == 0.0]
    both = ["db", "db-root"]
    for title, streams, row, tried, forms in (
        ("random", random, theirs[2], grid, both),
        ("random, shuffle 1", random[:1], None, grid, ["db-root-over-square"]),
        ("mixed", [Stream(second)], theirs[1], lowest, ["db-root"]),  # minutes for one run
    ):
        if row:
            words = f"{row.ari:.4f}, {row.clusters}, {row.categories}"
            lines.append([title, "the paper", "", words, "", "", ""])
        for form in forms:
            for number, stream in enumerate(streams, 1):
                progress(f"{title}, {form}, {number} of {len(streams)}")
                found = [kept(Job("cluster", one.but(icvi=form), stream)) for one in tried]
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
