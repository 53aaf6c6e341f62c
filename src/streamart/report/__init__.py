"""Pictures and pages of what a model has learnt.

The pictures need matplotlib: ``pip install "streamart[plot]"``. The HTML page needs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .page import write_page
    from .picture import Outcome, demo_picture, draw_history, draw_model
    from .record import Record

__all__ = ["Outcome", "Record", "demo_picture", "draw_history", "draw_model", "write_page"]

_HOMES = {
    "Outcome": "picture",
    "demo_picture": "picture",
    "draw_history": "picture",
    "draw_model": "picture",
    "Record": "record",
    "write_page": "page",
}


def __getattr__(name: str) -> Any:
    """Names are looked up when they are used: a page must not need matplotlib."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
