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
@click.option("--quiet", is_flag=True, help="Print errors only.")
def warmup(icvis: tuple[str, ...], quiet: bool) -> int:
    """Compile the core now, so that the next run starts at once.

    The machine code is kept on the disk: once for each machine (or image) and version is enough. It
    stands where NUMBA_CACHE_DIR says, else beside the package.
    """
    from ...estimators.network import ICVITopoARTMAP
    from ...estimators.stream_art import StreamART
    from ...estimators.warm_up import notice_if_slow, warm_up
    from ..talk import Talk

    talk = Talk(quiet)
    models = {"streamart": StreamART()}
    models |= {f"topoartmap, {icvi}": ICVITopoARTMAP(icvi) for icvi in icvis}
    for name, model in models.items():
        begun = time.perf_counter()
        with notice_if_slow(talk.note):
            warm_up(model)
        talk.note(f"{name}: ready after {time.perf_counter() - begun:.1f} s")
    return 0
