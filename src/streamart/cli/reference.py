"""The command reference, made of what ``--help`` says: ``python -m streamart.cli.reference``."""

from __future__ import annotations

import sys

import click

from .app import COMMANDS, app

_WIDTH = 100
_HEAD = """# Commands

What `streamart COMMAND --help` says; `make docs` makes this page of it. What the options mean
together is explained in [command-line.md](command-line.md).
"""


def reference() -> str:
    """The page, in Markdown."""
    root = click.Context(app, info_name="streamart")
    parts = [_HEAD, _section("streamart", app.get_help(_wide(root)))]
    for name in COMMANDS:
        command = app.get_command(root, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=root)
        parts.append(_section(f"streamart {name}", command.get_help(_wide(context))))
    return "\n".join(parts)


def _wide(context: click.Context) -> click.Context:
    """As wide in every terminal."""
    context.terminal_width = context.max_content_width = _WIDTH
    context.help_option_names = ["-h", "--help"]
    return context


def _section(title: str, text: str) -> str:
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return f"## {title}\n\n```text\n{lines}\n```\n"


if __name__ == "__main__":
    sys.stdout.write(reference())
