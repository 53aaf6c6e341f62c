"""The command line: ``streamart``, or ``python -m streamart``."""

from __future__ import annotations

import sys
from importlib.util import find_spec


def main() -> None:
    """Entry of the console script."""
    for name in ("click", "pyarrow", "rich"):  # which are imported when they are needed
        if find_spec(name) is None:
            sys.stderr.write(
                f"The command line needs {name}, which is not installed. "
                "Install all it needs with: pip install --upgrade --force-reinstall streamart\n"
            )
            raise SystemExit(1)
    from .app import run

    run()
