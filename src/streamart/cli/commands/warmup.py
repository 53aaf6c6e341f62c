"""``streamart warmup``: compile now."""

from __future__ import annotations

import time

import click

from ..options import ICVIS

EPILOG = """\b
Examples:
  streamart warmup
  streamart warmup --icvi wb --icvi conn"""


@click.command(epilog=EPILOG)
@click.option(
    "--icvi",
    "icvis",
    type=click.Choice(ICVIS),
    multiple=True,
    help="Also compile the paper's network with this index. Can be repeated.",
)
@click.option("--quiet", is_flag=True, help="Say nothing but errors.")
def warmup(icvis: tuple[str, ...], quiet: bool) -> int:
    """Compile the core now, so that the next run starts at once.

    The machine code is kept on the disk: once for each machine (or image) and version is enough. It
    stands where NUMBA_CACHE_DIR says, else beside the package.
    """
    from ...data import make_stream
    from ...model import ICVITopoARTMAP
    from ...self_tuning import StreamART
    from ..talk import Talk

    talk = Talk(quiet)
    X, _ = make_stream("mixed", 400, 0)
    models = {"streamart": StreamART(record_events=True)}
    # Compression is compiled when it is first due: soon, with categories that count as inactive.
    models |= {
        f"topoartmap, {icvi}": ICVITopoARTMAP(icvi, xi=3, record_events=True) for icvi in icvis
    }
    for name, model in models.items():
        begun = time.perf_counter()
        model.partial_fit(X).predict(X)
        model.partial_fit(X[:2], hints={"names": {0: "a"}})
        talk.note(f"{name}: ready after {time.perf_counter() - begun:.1f} s")
    return 0
