"""The documentation says what the command line does."""

import re
from pathlib import Path

from streamart.cli.reference import reference

ROOT = Path(__file__).parent.parent


def test_reference_is_up_to_date():
    assert (ROOT / "docs" / "commands.md").read_text() == reference(), "run: make docs"


def test_options_that_are_documented_exist():
    known = set(re.findall(r"--[a-z][a-z-]+", reference()))
    for page in ("docs/command-line.md", "README.md"):
        for line in (ROOT / page).read_text().splitlines():
            if "pip install" not in line and "chromium" not in line:
                unknown = set(re.findall(r"(?<!\w)--[a-z][a-z-]+", line)) - known
                assert not unknown, f"{page}: {line}"


def test_every_option_is_explained():
    told = (ROOT / "docs" / "command-line.md").read_text()
    cluster = reference().split("## streamart cluster")[1].split("## streamart predict")[0]
    options = set(re.findall(r"^  (--[a-z-]+)", cluster, re.MULTILINE))
    assert len(options) > 20
    left = {"--format", "--n-clusters", "--out-format"}  # their line in --help says it all
    assert options - left <= set(re.findall(r"--[a-z-]+", told))
