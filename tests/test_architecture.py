"""docs/architecture.md names modules that exist, and the code is as it says."""

import ast
import re
from pathlib import Path

import pytest

import streamart
from streamart import ICVITopoARTMAP, ICVITopoARTMAPClassifier, StreamART

PACKAGE = Path(streamart.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"
SUBPACKAGES = ("estimators", "engines", "people", "history")


def named_modules():
    """Every path to a module or folder on the page, as it is in the package."""
    return sorted(set(re.findall(r"`([\w/]+(?:\.py|/))`", PAGE.read_text())))


def test_every_module_on_the_page_exists():
    named = named_modules()
    assert len(named) > 30
    for name in named:
        assert (PACKAGE / name).exists(), name


@pytest.mark.parametrize("folder", SUBPACKAGES)
def test_every_module_is_on_the_page_and_says_what_it_is_for(folder):
    text = PAGE.read_text()
    for path in (PACKAGE / folder).glob("*.py"):
        module = ast.parse(path.read_text())
        assert ast.get_docstring(module), path
        if path.stem not in ("__init__", "reading", "scoring", "warm_up"):  # small helpers
            assert f"{folder}/{path.name}" in text, path


def test_the_top_of_the_package_holds_little():
    assert {path.name for path in PACKAGE.glob("*.py")} == {
        *("__init__.py", "__main__.py", "_jit.py", "_lazy.py", "_typing.py"),
        *("demo.py", "files.py", "gaps.py", "integrity.py", "persistence.py", "views.py"),
    }


@pytest.mark.parametrize("kind", [ICVITopoARTMAP, StreamART, ICVITopoARTMAPClassifier])
def test_an_estimator_is_two_classes_deep(kind):
    ours = [one for one in kind.__mro__ if one.__module__.startswith("streamart")]
    assert len(ours) <= 2


def test_estimators_are_short():
    for path in (PACKAGE / "estimators").glob("*.py"):
        assert len(path.read_text().splitlines()) <= 350, path


def test_nothing_below_calls_an_estimators_private_methods():
    """What starts with an underscore is used by its own object alone."""
    for folder in ("people", "history", "engines"):
        for path in (PACKAGE / folder).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Attribute) and re.match(r"_[a-z]", node.attr):
                    if node.attr in ("_replace", "_fields"):  # of named tuples, public
                        continue
                    owner = node.value
                    assert isinstance(owner, ast.Name), (path, node.attr)
                    assert owner.id == "self", (path, node.attr)
