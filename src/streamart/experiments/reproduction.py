"""All experiments of the paper, or some of them, and the page that they give."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .claims import claims
from .experiment import FULL, QUICK, Bench, embedding_sources, synthetic_data
from .faces import table4, table5
from .jobs import Lab, Store, Tally, Workers
from .pages import Section, write_page
from .partitions import partitions
from .robustness import robustness
from .settings import package_default
from .streams import DataError
from .table2 import table2
from .table3 import table3
from .tracking import tracking

EXPERIMENTS: dict[str, Callable[[Bench], Section]] = {
    "table2": table2,
    "table3": table3,
    "table4": table4,
    "table5": table5,
    "robustness": robustness,
    "partitions": partitions,
    "tracking": tracking,
    "claims": claims,
}
TITLE = "The paper, reproduced"
HEADING = f"# {TITLE}\n"
WARM_UP = "Loading the core; the first time it is compiled, which takes a minute or two."


class Written(NamedTuple):
    """Where everything is, and what it took."""

    page: Path
    folder: Path
    tally: Tally


def reproduce(
    names: Sequence[str],
    out: Path,
    progress: Any,
    data: Path | None = None,
    embeddings: Iterable[Path] = (),
    quick: bool = False,
    workers: int | None = None,
) -> Written:
    """Run experiments, and write ``out.md`` and the folder `out` beside it.

    Parameters
    ----------
    names : sequence of str
        Which, of `EXPERIMENTS`.
    out : Path
        Results are kept in ``out/results.sqlite``, so that a stopped run goes on.
    progress : object
        Has ``note(text)``, ``begin(title, jobs, known)``, ``advance()`` and ``end()``.
    data : Path or None, default=None
        Folder with the paper's exp1.csv and exp2.csv; None: the built-in generator.
    embeddings : iterable of Path, default=()
        NPZ files with X and y for tables 4 and 5; none: made-up ones.
    quick : bool, default=False
        Whether to thin out grids and draws.
    workers : int or None, default=None
        Processes; None: as many as there are cores.
    """
    scope = QUICK if quick else FULL
    synthetic = synthetic_data(data, scope)
    sources = embedding_sources(embeddings)
    out = out.resolve()
    page = page_beside(out)
    out.mkdir(parents=True, exist_ok=True)

    def prepare() -> None:
        progress.note(WARM_UP)
        warm_up()

    store, pool = Store(out / "results.sqlite"), Workers(workers or cores(), prepare)
    try:
        lab = Lab(store, pool, progress)
        bench = Bench(lab, scope, synthetic, sources)
        sections = [EXPERIMENTS[name](bench) for name in EXPERIMENTS if name in names]
        write_page(page, out, TITLE, _intro(bench, names, lab.tally), sections)
        return Written(page, out, lab.tally)
    finally:
        pool.close()
        store.close()


def page_beside(out: Path) -> Path:
    """``out.md``; refused, if it is something else than a page of ours."""
    page = out.with_name(f"{out.name}.md")
    if not out.name:
        raise DataError(f"{out} cannot have a page beside it; give the name of a folder.")
    if page.exists() and (page.is_dir() or not page.read_bytes().startswith(HEADING.encode())):
        raise DataError(f"{page} is not a page of this command, and is left alone.")
    return page


def cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _intro(bench: Bench, names: Sequence[str], tally: Tally) -> str:
    form = "quick form (grids and draws thinned out)" if bench.scope.quick else "full form"
    told = ["--quick"] if bench.scope.quick else []
    told += ["--data FOLDER"] if bench.synthetic.first.path else []
    told += [f"--embeddings {s.name}.npz" for s in bench.embeddings if s.path]
    which = "all" if set(names) == set(EXPERIMENTS) else " ".join(names)
    command = " ".join(["streamart reproduce", which, *told])
    days = tally.days[-1:] if len(tally.days) < 2 else (tally.days[0], tally.days[-1])
    return (
        "Written by the command below, tables, figures and counts alike; do not edit. The "
        "experiments are those of *L. E. Brito da Silva, N. Rayapati, D. C. Wunsch II: Incremental "
        "cluster validity index-guided online learning for performance and robustness to "
        "presentation order*, with the settings of its appendix, the paper's numbers beside ours; "
        "and what one table of best rows does not show.\n\n"
        f"```\n{command}\n```\n\n"
        f"The {form}: {' to '.join(days)}, {tally.jobs:,} runs, {_minutes(tally.seconds)} of one "
        "core in all. The folder beside this page has every table as CSV, with more columns than "
        "are shown here, and the pictures."
    )


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def warm_up() -> None:
    """Compile what the experiments use, once: workers then load it."""
    from ..data import make_stream
    from .paper import INDICES
    from .protocols import made
    from .settings import SELF_TUNING, rivals

    X, _ = make_stream(n_samples=280, random_state=0)
    for icvi in INDICES:
        made(package_default(icvi).but(xi=3)).partial_fit(X).predict(X)
    made(SELF_TUNING).partial_fit(X).predict(X)
    for grid in rivals(7, quick=True).values():
        made(grid[-1]).partial_fit(X).predict(X)
