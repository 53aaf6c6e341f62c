"""The documentation is true: links lead somewhere, code blocks run, nothing public is left out.

How blocks of code on a page are run:

- ```pycon: by pytest's doctest (pyproject.toml), which compares outputs.
- ```python: here, one after the other in one namespace; if a ```text block follows, it
  must be what was printed.
- ```sh: here, in this process. Lines with `streamart` are run on small files; lines with `make` and
  `pip` must name targets and extras that exist.
- A block after a comment `<!-- not run: reason -->` is not run. Other blocks are not code.
"""

import contextlib
import io
import json
import re
import shlex
import sys
import tomllib
import warnings
from pathlib import Path

import notebooks
import pytest
import readme
from threadpoolctl import threadpool_limits

import streamart
from streamart import baselines, data, icvi, report, validity
from streamart.cli import app
from streamart.data import make_stream
from streamart.history.events import KINDS
from support import COMPILED, DATA

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")], key=lambda page: str(page))
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
BLOCK = re.compile(
    r"^(?P<skip><!-- not run: .+ -->\n)?```(?P<kind>[\w-]*)\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
compiled_only = pytest.mark.skipif(not COMPILED, reason="streams that take the interpreter minutes")


def blocks(text, *kinds):
    return [block for block in BLOCK.finditer(text) if block["kind"] in kinds]


# ---------------------------------------------------------------------- links


def without_code(text):
    return re.sub(r"`[^`\n]*`", "``", BLOCK.sub("", text))


def anchors(text):
    """The anchors of a page's headings, as GitHub and the site make them."""
    found = set()
    for heading in re.findall(r"^#+ (.+)$", BLOCK.sub("", text), re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", re.sub(r"\[(.*?)\]\(.*?\)", r"\1", heading).lower())
        found.add(plain.strip().replace(" ", "-"))
    return found


def test_anchors_are_made_as_github_does():
    assert anchors("# `A` and B: c, d\n## What's [up](x.md)?\n") == {"a-and-b-c-d", "whats-up"}


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_somewhere(page):
    text = without_code(page.read_text())
    links = re.findall(r"\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"", text)
    for link in (first or second for first, second in links):
        if re.match(r"[a-z]+:", link):
            assert link.startswith("https://"), link
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target.read_text()), link


def test_every_page_is_in_the_navigation():
    config = (ROOT / "mkdocs.yml").read_text()
    listed = re.findall(r"[\w/-]+\.md", config[config.index("\nnav:") :])
    assert len(listed) == len(set(listed))
    made = {"changelog.md", "contributing.md"}
    made |= {f"notebooks/{path.stem}.md" for path in notebooks.FOLDER.glob("*.ipynb")}
    written = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    assert set(listed) == made | written


# ---------------------------------------------------------------------- code


@pytest.fixture
def small_files(tmp_path, monkeypatch):
    """The files that the pages speak of, in the folder in which their blocks run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    X, y = make_stream("mixed", 210, 0)
    rows = list(zip(X[:, 0].tolist(), X[:, 1].tolist(), y.tolist(), strict=True))
    table = [f"{a:.3f},{b:.3f},{k}" for a, b, k in rows]
    Path("readings.csv").write_text("x1,x2,label\n" + "\n".join(table) + "\n")
    Path("big.csv").write_text(
        "x1,x2\n" + "\n".join(row[: row.rindex(",")] for row in table) + "\n"
    )
    lines = [{"id": i, "a": a, "b": b, "c": a + b} for i, (a, b, _) in enumerate(rows)]
    Path("logs.ndjson").write_text("".join(json.dumps(line) + "\n" for line in lines))
    Path("faces.npz").write_bytes(b"")
    return tmp_path


def with_blocks(*kinds):
    found = [
        pytest.param(page, id=name)
        for page, name in zip(PAGES, NAMES, strict=True)
        if blocks(page.read_text(), *kinds)
    ]
    assert found
    return found


@compiled_only
@pytest.mark.parametrize("page", with_blocks("python"))
def test_python_blocks_run(page, small_files):
    text = page.read_text()
    if "bertopic" in page.name:
        pytest.importorskip("bertopic", reason="BERTopic is not installed: make test-bertopic")
        warnings.simplefilter("ignore")
    names = {"__name__": "__main__"}
    printed = ""
    for block in blocks(text, "python", "text"):
        if block["skip"]:
            continue
        if block["kind"] == "text":
            assert block["code"] == printed
            continue
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(block["code"], str(page), "exec"), names)
        printed = said.getvalue()


@compiled_only
def test_a_wrong_output_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1)\n```\n\n```text\n2\n```\n")
    with pytest.raises(AssertionError):
        test_python_blocks_run(page, None)


def run_line(line, monkeypatch):
    """Run the `streamart` commands of a line, each on what the one before it printed."""
    line, _, target = line.partition(" > ")
    given = b""
    for command in line.split(" | "):
        words = shlex.split(command, comments=True)
        assert words[0] == "streamart", f"not run: {line}"
        Path("stdin").write_bytes(given)
        out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
        with open("stdin") as file, monkeypatch.context() as patched:
            patched.setattr(sys, "stdin", file)
            patched.setattr(sys, "stdout", out)
            patched.setattr(sys, "stderr", err)
            with pytest.raises(SystemExit) as end:
                app.run(words[1:])
        assert end.value.code in (0, None), (line, err.getvalue())
        out.flush()
        given = out.buffer.getvalue()
    if target:
        Path(target.strip()).write_bytes(given)


@compiled_only
@pytest.mark.parametrize("page", with_blocks("sh", "bash", "console", ""))
def test_shell_blocks_run(page, small_files, monkeypatch):
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    for block in blocks(page.read_text(), "sh", "bash", "console", ""):
        if page.name == "reproduction.md":  # shows commands that take hours
            continue
        assert block["kind"] == "sh", "say `sh` for commands, `text` for what is not code"
        if block["skip"]:
            continue
        for line in block["code"].splitlines():
            words = shlex.split(line, comments=True)
            if not words:
                continue
            if words[0] == "make":
                assert {word for word in words[1:] if "=" not in word} <= targets, line
            elif words[0] in ("pip", "git", "cd"):
                named = re.findall(r"\[([\w,-]+)\]", line)
                assert {extra for group in named for extra in group.split(",")} <= set(extras), line
            else:
                run_line(line, monkeypatch)


@compiled_only
@pytest.mark.parametrize(
    "script", sorted(notebooks.FOLDER.glob("*.py")), ids=lambda path: path.stem
)
def test_notebooks_say_what_they_did(script, monkeypatch):
    """Their cells are those of the script, and give the same outputs. Pictures are not compared."""
    text = script.read_text()
    for needed in notebooks.NEEDS.findall(text):
        if not (DATA / needed).exists():
            pytest.skip(f"real data {needed} is not here (STREAMART_DATA says where)")
    monkeypatch.setenv("STREAMART_DATA", str(DATA))
    pytest.importorskip("matplotlib")
    cells = notebooks.cells_of(text)
    kept = json.loads(script.with_suffix(".ipynb").read_text())["cells"]
    assert ["".join(cell["source"]) for cell in kept] == [cell.text for cell in cells]
    # Small matrices: several threads would wait for each other on a busy machine.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")  # of pyplot, when it is imported
        made = notebooks.run(cells)
    for cell, outputs in zip(kept, made, strict=True):
        assert [texts(each) for each in cell.get("outputs", [])] == [texts(o) for o in outputs]


def texts(output):
    return output.get("text") or output["data"].get("text/plain", "a picture")


# ---------------------------------------------------------------------- nothing is left out


def documented():
    text = "".join(page.read_text() for page in (ROOT / "docs" / "api").glob("*.md"))
    return set(re.findall(r"^::: ([\w.]+)$", text, re.MULTILINE)), text


def test_every_public_name_is_in_the_reference():
    found, text = documented()
    public = {f"streamart.{name}" for name in streamart.__all__ if name != "__version__"}
    public.remove("streamart.report")  # a module that can be called
    assert "`streamart.report(" in text
    public |= {f"streamart.baselines.{name}" for name in baselines.__all__}
    public |= {f"streamart.validity.{home}.{name}" for name, home in validity._HOMES.items()}
    assert public <= found, public - found
    for module in (data, report):
        for name in module.__all__:
            assert f"{module.__name__}.{name}" in found or f"`{name}`" in text, name
    adapters = re.compile(r"^(?:class|def) ([A-Za-z]\w*)", re.MULTILINE)
    for path in (Path(streamart.__file__).parent / "adapters").glob("*.py"):
        for name in adapters.findall(path.read_text()):
            assert f"streamart.adapters.{path.stem}.{name}" in found, name


def test_every_name_in_the_reference_exists():
    for name in documented()[0]:
        module, _, attribute = name.rpartition(".")
        if "adapters.river" in module:
            pytest.importorskip("river")
        __import__(module)
        assert getattr(sys.modules[module], attribute).__doc__, name


def test_every_kind_of_event_is_explained():
    page = (ROOT / "docs" / "tutorials" / "ids-and-events.md").read_text()
    assert set(re.findall(r"^\| `([\w ]+)` \|", page, re.MULTILINE)) == set(KINDS)


def test_every_index_is_explained():
    """Those of the paper where the network is explained, all on the page on indices."""
    network = (ROOT / "docs" / "tutorials" / "network.md").read_text()
    paper = {"ch", "wb", "pbm", "xb", "db", "conn"}
    assert set(re.findall(r"^\| `\"(\w+)\"` \|", network, re.MULTILINE)) == paper
    rows = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "indices.md").read_text(), re.MULTILINE)
    assert set(rows) >= set(icvi.available()) > paper


def test_the_glossary_is_short_and_sorted():
    page = (ROOT / "docs" / "glossary.md").read_text()
    terms = [row for row in re.findall(r"^\| ([^|]+) \|", page, re.MULTILINE) if row != "term"]
    assert len(terms) <= 25
    plain = [re.sub(r"[^a-z ]", "", term.lower()) for term in terms]
    assert plain == sorted(plain)


def test_the_figures_in_readme_are_those_of_the_benchmarks():
    text = (ROOT / "README.md").read_text()
    page = (ROOT / "docs" / "benchmarks.md").read_text()
    assert readme.with_figures(text, page) == text, "run: make readme"


def test_the_changelog_is_short():
    lines = (ROOT / "CHANGELOG.md").read_text().splitlines()
    assert len(lines) <= 44  # title, version, and forty lines


def test_old_names_are_gone():
    gone = "SelfTuning" + "Clusterer|" + "report.demo" + r"_picture|tutorial-" + r"\w+\.md"
    for folder in ("src", "tests", "docs", "benchmarks", "tools"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".md", ".toml", ".yml", ".js"):
                assert not re.search(gone, path.read_text()), path


def test_the_pages_have_no_address_of_a_machine():
    for page in PAGES:
        assert not re.search(r"/(?:home|work|tmp|root)/|localhost", page.read_text()), page
