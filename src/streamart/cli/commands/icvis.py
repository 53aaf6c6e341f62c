"""``streamart icvis``: the indices."""

from __future__ import annotations

import click

EPILOG = """\b
Example:
  streamart icvis"""


@click.command(epilog=EPILOG)
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def icvis(as_json: bool) -> int:
    """List the cluster validity indices: for --icvi, for `streamart watch`, or both."""
    from rich.table import Table

    from ...validity.catalogue import available
    from ...validity.registration import BY_NAME
    from ..options import WATCHED
    from ..talk import Talk

    talk, known = Talk(as_json=as_json), available()
    if as_json:
        talk.print_json(
            {
                name: {
                    "title": kind.title,
                    "smaller_is_better": not kind.bigger_is_better,
                    "reference": kind.reference,
                    "network": name in BY_NAME,
                    "watch": name in WATCHED,
                }
                for name, kind in known.items()
            }
        )
        return 0
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("name", "index", "better is", "reference"):
        table.add_column(heading, no_wrap=True)
    for name, kind in known.items():
        better = "larger" if kind.bigger_is_better else "smaller"
        table.add_row(name, kind.title, better, kind.reference)
    talk.results.print(table)
    for option, names in (("--icvi", BY_NAME), ("streamart watch", WATCHED)):
        others = ", ".join(name for name in known if name not in names)
        talk.note(f"{option} takes all but {others}.")
    return 0
