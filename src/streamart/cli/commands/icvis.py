"""``streamart icvis``: the indices."""

from __future__ import annotations

import click

EPILOG = """\b
Example:
  streamart icvis"""


@click.command(epilog=EPILOG)
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def icvis(as_json: bool) -> int:
    """List the cluster validity indices that --icvi takes."""
    from rich.table import Table

    from ...validity.registration import BY_NAME
    from ..talk import Talk

    talk = Talk(as_json=as_json)
    if as_json:
        talk.print_json(
            {
                index.name: {
                    "title": index.title,
                    "smaller_is_better": index.smaller_is_better,
                    "reference": index.reference,
                }
                for index in BY_NAME.values()
            }
        )
        return 0
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("--icvi", "index", "better is", "reference"):
        table.add_column(heading, no_wrap=True)
    for index in BY_NAME.values():
        better = "smaller" if index.smaller_is_better else "larger"
        table.add_row(index.name, index.title, better, index.reference)
    talk.results.print(table)
    return 0
