"""``streamart completion``: the shell completes what is typed."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

EPILOG = """\b
Examples:
  eval "$(streamart completion bash)"                                # in ~/.bashrc
  eval "$(streamart completion zsh)"                                 # in ~/.zshrc
  streamart completion fish > ~/.config/fish/completions/streamart.fish"""


@click.command(epilog=EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> int:
    """Print the script that completes commands, options and their values in a shell."""
    kind = get_completion_class(shell)
    assert kind is not None
    root = context.find_root().command
    click.echo(kind(root, {}, "streamart", "_STREAMART_COMPLETE").source())
    return 0
