"""Copy figures from a table in docs/benchmarks.md into README.

`python tools/readme.py` writes them; tests/test_docs.py fails if they are out of date.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
STREAM = "Gaussian, d = 16, k = 50, chunks of 1000"
COLUMNS = ("learner", "samples/s", "ARI", "clusters")
LEARNERS = {
    "StreamART": "**StreamART**",
    "streamart wb": "the paper's network (WB)",
    "river DBSTREAM": "river DBSTREAM",
    "river KMeans": "river KMeans",
    "sklearn Birch": "scikit-learn Birch",
    "sklearn MiniBatchKMeans": "scikit-learn MiniBatchKMeans",
}
BEGIN, END = "<!-- figures -->\n", "<!-- end of figures -->"


def figures(page: str) -> str:
    """The rows of the learners that README names."""
    part = page[page.index("<!-- rivals -->") : page.index("<!-- end of rivals -->")]
    tables = part.split("**")
    lines = tables[tables.index(STREAM) + 1].strip().splitlines()
    head = _cells(lines[0])
    places = [head.index(column) for column in COLUMNS]
    rows = {cells[0]: cells for cells in map(_cells, lines[2:])}
    written = ["| | samples/s | ARI | clusters (50 are right) |", "| --- | ---: | ---: | ---: |"]
    for name, shown in LEARNERS.items():
        values = [rows[name][place].replace("(told)", "(given)") for place in places[1:]]
        written.append("| " + " | ".join([shown, *values]) + " |")
    return "\n".join(written) + "\n"


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def with_figures(readme: str, page: str) -> str:
    """README with the figures of the page."""
    marked = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.DOTALL)
    if not marked.search(readme):
        raise ValueError("README.md has no place for the figures.")
    return marked.sub(lambda _: BEGIN + figures(page) + END, readme)


if __name__ == "__main__":
    readme = ROOT / "README.md"
    page = (ROOT / "docs" / "benchmarks.md").read_text()
    readme.write_text(with_figures(readme.read_text(), page))
