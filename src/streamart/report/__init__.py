"""Pictures and pages of what a model has learnt.

The pictures need matplotlib: ``pip install "streamart[plot]"``. The HTML page needs nothing.
"""

from typing import TYPE_CHECKING

from .._lazy import on_demand

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
# A page must not need matplotlib.
__getattr__ = on_demand(__name__, _HOMES)
