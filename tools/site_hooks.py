"""Hooks of mkdocs: more pages, and a check that no page needs a network.

CHANGELOG.md and CONTRIBUTING.md become pages; each notebook becomes a page of Markdown. After the
build, every page is searched for anything that a browser would fetch from another server.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File
from notebooks import as_markdown

ROOT = Path(__file__).parent.parent
PAGES = {"changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md"}
# Elements that a browser fetches by itself. Links that a reader may follow are allowed.
FETCHED = re.compile(
    r"""<(?:script|img|iframe|source|link)\b[^>]*?"""
    r"""\b(?:src|srcset|href)=["']?(?:https?:)?//[^"'> ]+"""
    r"""|@import\s+url\([^)]*//[^)]*\)|<[^>]*class="mermaid""",
    re.IGNORECASE,
)


def on_files(files: Any, config: Any) -> Any:
    for page, source in PAGES.items():
        text = (ROOT / source).read_text().replace("](docs/", "](")
        files.append(File.generated(config, page, content=text))
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        page = f"notebooks/{path.stem}.md"
        files.append(File.generated(config, page, content=as_markdown(path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let links to a notebook lead to its page, except the link to the file on that page."""
    if page.file.src_uri.startswith("notebooks/"):
        return markdown
    return re.sub(r"(notebooks/\w+)\.ipynb\)", r"\1.md)", markdown)


def on_post_build(config: Any) -> None:
    for path in sorted(Path(config["site_dir"]).rglob("*")):
        if path.suffix in (".html", ".css") and (found := FETCHED.search(path.read_text())):
            raise PluginError(f"{path.name} would fetch from the network: {found[0]}")
        if path.suffix == ".html" and re.search(r"\.\. math::|<m[io]>\\", path.read_text()):
            raise PluginError(f"{path.name} shows a part of a formula as text")
