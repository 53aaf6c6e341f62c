"""``streamart inspect``: what a saved model has learnt."""

from __future__ import annotations

from pathlib import Path

import click

from ..options import FILE

EPILOG = """\b
Examples:
  streamart inspect stars.model
  streamart inspect stars.model --events 20 --aliases
  streamart inspect stars.model --json"""


@click.command(epilog=EPILOG)
@click.argument("model", type=FILE)
@click.option(
    "--events", type=click.IntRange(min=1), metavar="N", help="Also list the latest N events."
)
@click.option("--aliases", is_flag=True, help="Also list where every cluster that has ended went.")
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON.")
def inspect(model: Path, events: int | None, aliases: bool, as_json: bool) -> int:
    """Show what a saved model has learnt: clusters, parameters, and what happened lately."""
    from ...report.describe import describe_model
    from ..running.events import as_json as event_as_json
    from ..running.models import fitted_model
    from ..running.summary import ended, headline, print_clusters, sentences_of
    from ..talk import Talk

    found = fitted_model(model)
    summary = describe_model(found)
    latest = found.events_[-events:] if events else []
    talk = Talk(as_json=as_json)
    if as_json:
        talk.print_json({**summary, "events": [event_as_json(event) for event in latest]})
        return 0
    console = talk.results
    console.print(headline(summary), style="bold")
    console.print(
        f"{summary['method']}: "
        + ", ".join(f"{name}={value}" for name, value in summary["parameters"].items())
    )
    print_clusters(console, summary)
    if aliases:
        for old, new in summary["aliases"].items():
            console.print(f"  #{old} is now in #{new}")
    elif ended(summary):
        console.print(ended(summary))
    if latest:
        for line in sentences_of(found, latest):
            console.print(f"  {line}", markup=False, soft_wrap=True)
    return 0
