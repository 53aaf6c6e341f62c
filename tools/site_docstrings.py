"""Docstrings as Markdown: formulas become MathML, and examples blocks of code.

mkdocstrings renders docstrings as Markdown, which knows neither ``.. math::`` and ``:math:`` nor
examples (``>>>``) outside of a section "Examples". This extension of griffe replaces both first.
Browsers show MathML without a script or a network.
"""

from __future__ import annotations

import re
from typing import Any

import griffe
from latex2mathml.converter import convert

BLOCK = re.compile(
    r"^(?P<indent> *)\.\. math::(?P<first>.*)\n(?P<rest>(?:(?P=indent) +.*(?:\n|\Z)|[ \t]*\n)*)",
    re.MULTILINE,
)
INLINE = re.compile(r":math:`([^`]+)`")
EXAMPLE = re.compile(r"^(?P<indent> *)>>> .*\n(?:(?P=indent)\S.*\n)*", re.MULTILINE)
SECTION = re.compile(r"^Examples\n-+$", re.MULTILINE)


def as_markdown(docstring: str) -> str:
    def block(found: re.Match[str]) -> str:
        formula = f"{found['first']} {found['rest']}"
        return f"\n{found['indent']}<div>{mathml(formula, 'block')}</div>\n\n"

    def code(found: re.Match[str]) -> str:
        return f"{found['indent']}```pycon\n{found[0]}{found['indent']}```\n"

    text = BLOCK.sub(block, docstring + "\n")
    text = INLINE.sub(lambda found: mathml(found[1], "inline"), text)
    section = SECTION.search(text)
    end = section.start() if section else len(text)
    return (EXAMPLE.sub(code, text[:end]) + text[end:]).rstrip()


def mathml(formula: str, display: str) -> str:
    known = " ".join(formula.split()).replace(r"\arg", r"\operatorname{arg}")
    return str(convert(known, display=display))


class Docstrings(griffe.Extension):
    """Converts the docstring of every object."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)
