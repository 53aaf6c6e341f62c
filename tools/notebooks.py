"""Notebooks from scripts: `python tools/notebooks.py` runs docs/notebooks/*.py and writes *.ipynb.

A script has a cell after each line `# %%`; `# %% [markdown]` begins text. What a cell prints, the
value of its last line and its matplotlib figures become outputs, as in Jupyter. tests/test_docs.py
runs the cells again and compares.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent.parent / "docs" / "notebooks"
NEEDS = re.compile(r"^# needs: (\S+)$", re.MULTILINE)
"""A file in the data folder without which a notebook cannot be run."""


class Cell(NamedTuple):
    kind: str
    """"code" or "markdown"."""
    text: str


def cells_of(script: str) -> list[Cell]:
    """The cells of a script.

    >>> cells_of("# %% [markdown]\\n# # Title\\n\\n# %%\\n1 + 1\\n")
    [Cell(kind='markdown', text='# Title'), Cell(kind='code', text='1 + 1')]
    """
    found = []
    for part in re.split(r"^# %%", script, flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        body = body.strip("\n")
        if "[markdown]" in head:
            found.append(Cell("markdown", re.sub(r"^# ?", "", body, flags=re.MULTILINE)))
        else:
            found.append(Cell("code", body))
    return found


def run(cells: list[Cell]) -> list[list[dict[str, Any]]]:
    """The outputs of each cell, in the notebook format."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.close("all")  # figures that other code drew in this process
    names: dict[str, Any] = {"__name__": "__main__"}
    return [_outputs(cell.text, names) if cell.kind == "code" else [] for cell in cells]


def _outputs(code: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    printed, outputs = io.StringIO(), []
    body = ast.parse(code).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        value = None
        if last is not None and not code.rstrip().endswith(";"):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        elif last is not None:
            exec(compile(ast.Module([last], []), "cell", "exec"), names)
    if printed.getvalue():
        outputs.append(_stream(printed.getvalue()))
    if value is not None:
        outputs.append(
            {
                "output_type": "execute_result",
                "execution_count": None,
                "metadata": {},
                "data": {"text/plain": _lines(repr(value))},
            }
        )
    return outputs + [_picture(image) for image in _figures()]


def _figures() -> list[bytes]:
    from matplotlib import pyplot

    images = []
    for number in pyplot.get_fignums():
        file = io.BytesIO()
        pyplot.figure(number).savefig(file, format="png", dpi=80)
        pyplot.close(number)
        images.append(file.getvalue())
    return images


def _stream(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": _lines(text)}


def _picture(image: bytes) -> dict[str, Any]:
    data = {"image/png": base64.b64encode(image).decode()}
    return {"output_type": "display_data", "metadata": {}, "data": data}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def notebook(cells: list[Cell], outputs: list[list[dict[str, Any]]]) -> str:
    """The text of the notebook file."""
    found = []
    for number, (cell, output) in enumerate(zip(cells, outputs, strict=True)):
        made: dict[str, Any] = {
            "id": f"cell-{number}",
            "cell_type": cell.kind,
            "metadata": {},
            "source": _lines(cell.text),
        }
        if cell.kind == "code":
            made |= {"execution_count": None, "outputs": output}
        found.append(made)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = {
        "cells": found,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(book, indent=1) + "\n"


def as_markdown(path: Path) -> str:
    """A notebook as a page of Markdown."""
    parts = []
    for cell in json.loads(path.read_text())["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
            continue
        parts.append(f"```python\n{text}\n```")
        for output in cell["outputs"]:
            if "image/png" in output.get("data", {}):
                parts.append(f"![figure](data:image/png;base64,{output['data']['image/png']})")
            else:
                shown = output.get("text") or output["data"]["text/plain"]
                parts.append(f"```text\n{''.join(shown).rstrip()}\n```")
    return "\n\n".join(parts) + f"\n\n[The notebook]({path.name}) can be downloaded.\n"


def main() -> None:
    for script in sorted(FOLDER.glob("*.py")):
        cells = cells_of(script.read_text())
        script.with_suffix(".ipynb").write_text(notebook(cells, run(cells)))
        print(f"{script.stem}: {len(cells)} cells", file=sys.stderr)


if __name__ == "__main__":
    main()
