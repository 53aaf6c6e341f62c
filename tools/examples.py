"""Write the outputs of the examples (`>>>`) into pages: `python tools/examples.py docs/page.md`.

Use it after a change that should alter them. It lists each altered output. Read the differences
before you commit them, because the examples are tests.
"""

from __future__ import annotations

import contextlib
import io
import sys
import traceback
from pathlib import Path
from typing import Any


def with_outputs(text: str) -> tuple[str, list[str]]:
    """The page with present outputs, and the first line of each example whose output differs.

    >>> with_outputs("1\\n" + ">" * 3 + " 1 + 1\\n3")
    ('1\\n>>> 1 + 1\\n2', ['1 + 1'])
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    lines, written, altered = text.split("\n"), [], []
    while lines:
        line = lines.pop(0)
        written.append(line)
        if not line.startswith(">>> "):
            continue
        source = [line[4:]]
        while lines and lines[0].startswith("..."):
            written.append(lines[0])
            source.append(lines.pop(0)[4:])
        before = []
        while lines and lines[0] and not lines[0].startswith((">>> ", "```")):
            before.append(lines.pop(0))
        if "doctest:" in line:  # its output is not compared literally
            written += before
            continue
        after = _output("\n".join(source) + "\n", names)
        written += after
        if after != before:
            altered.append(source[0])
    return "\n".join(written), altered


def _output(source: str, names: dict[str, Any]) -> list[str]:
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(source, "example", "single"), names)
    except Exception as error:
        last = traceback.format_exception_only(error)[-1].rstrip()
        return ["Traceback (most recent call last):", "...", last]
    return printed.getvalue().rstrip("\n").split("\n") if printed.getvalue() else []


def main() -> None:
    for name in sys.argv[1:]:
        page, altered = with_outputs(Path(name).read_text())
        Path(name).write_text(page)
        print(f"{name}: {len(altered)} altered", *altered, sep="\n  ")


if __name__ == "__main__":
    main()
