"""The command line: ``streamart``, or ``python -m streamart``."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry of the console script."""
    try:
        import click  # noqa: F401
        import pyarrow  # noqa: F401
        import rich  # noqa: F401
    except ImportError as missing:
        sys.stderr.write(
            f"The command line needs {missing.name}, which is not installed. "
            "Install all it needs with: pip install --upgrade --force-reinstall streamart\n"
        )
        raise SystemExit(1) from None
    from .app import run

    run()
