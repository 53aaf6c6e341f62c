"""What is released, and what a public host would run, say the same as the project does."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
if not (ROOT / "pyproject.toml").exists():
    pytest.skip("not in the project's folder", allow_module_level=True)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOW = (ROOT / ".github" / "workflows" / "ci.yml").read_text()


def versions_of_python(texts):
    return {match for text in texts for match in re.findall(r"\b3\.\d+\b", text)}


def test_the_workflow_runs_what_ci_runs():
    commands = re.findall(r"- run: (.*)", WORKFLOW)
    assert commands == ["bash .ci/run", "make test-oldest", "make package"]
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    script = (ROOT / ".ci" / "run").read_text()
    called = re.findall(r"^make (\S+)", script, re.MULTILINE)
    assert "test" in called
    assert {*called, "test-oldest", "package"} <= targets


def test_the_readme_names_the_same_test_command():
    assert "`make test`" in (ROOT / "README.md").read_text()


def test_versions_of_python():
    named = versions_of_python(
        line for line in PROJECT["classifiers"] if line.startswith("Programming Language")
    )
    assert versions_of_python(re.findall(r"python: \[.*\]", WORKFLOW)) == named
    assert min(named, key=lambda v: int(v.split(".")[1])) in PROJECT["requires-python"]


def test_the_oldest_dependencies_are_the_lower_ends():
    lines = (ROOT / "constraints-oldest.txt").read_text().splitlines()
    pinned = dict(line.split("==") for line in lines if "==" in line)
    lowest = dict(re.findall(r"^([\w-]+)>=([\d.]+)", "\n".join(PROJECT["dependencies"]), re.M))

    def numbers(version):
        return [int(part) for part in version.split(".")]

    assert pinned.keys() == lowest.keys()
    for name, version in lowest.items():
        assert numbers(pinned[name])[: len(numbers(version))] == numbers(version), name


def test_constraints_pin_all_that_is_asked_for():
    """Of every extra, too; whatever these need is pinned by hand."""
    pinned = {
        line.split("==")[0].lower().replace("_", "-")
        for line in (ROOT / "constraints.txt").read_text().splitlines()
    }
    extras = PROJECT["optional-dependencies"].values()
    for requirement in [*PROJECT["dependencies"], *(one for extra in extras for one in extra)]:
        name = re.match(r"[\w-]+", requirement)[0].lower().replace("_", "-")
        assert name == "streamart" or name in pinned, requirement
