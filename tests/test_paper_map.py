"""docs/paper-map.md names files and functions that exist."""

import re
from pathlib import Path

import pytest

import streamart

PACKAGE = Path(streamart.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "paper-map.md"


def named_places():
    """Each ``folder/file.py`` in the page's tables, with the functions that follow it."""
    for line in PAGE.read_text().splitlines():
        current = None
        for name in re.findall(r"`([^`]+)`", line) if line.startswith("|") else []:
            if name.endswith(".py") and not name.startswith("tests/"):
                if "/" not in name:  # in the folder of the file before it
                    name = f"{current.rsplit('/', 1)[0]}/{name}"
                current = name
                yield current, None
            elif current and re.fullmatch(r"[a-z_]+", name):
                yield current, name


@pytest.mark.parametrize(("file", "function"), sorted(set(named_places()), key=str))
def test_what_the_page_names_exists(file, function):
    code = (PACKAGE / file).read_text()
    assert function is None or re.search(rf"^(def |){function}( = |\()", code, re.MULTILINE)


def test_the_page_names_functions():
    assert sum(function is not None for _, function in named_places()) > 25
