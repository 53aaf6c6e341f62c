"""Pictures and pages of what a model has learnt.

The pictures need matplotlib: ``pip install "streamart[plot]"``. The HTML page needs nothing.
"""

from typing import TYPE_CHECKING

from .._lazy import on_demand

if TYPE_CHECKING:
    from .overview import Run, draw_clusters, draw_overview, draw_river
    from .page import write_page
    from .picture import draw_history, draw_model
    from .record import Record
    from .style import DARK, LIGHT, Theme

__all__ = [
    "DARK",
    "LIGHT",
    "Record",
    "Run",
    "Theme",
    "draw_clusters",
    "draw_history",
    "draw_model",
    "draw_overview",
    "draw_river",
    "write_page",
]

_HOMES = {
    "DARK": "style",
    "LIGHT": "style",
    "Record": "record",
    "Run": "overview",
    "Theme": "style",
    "draw_clusters": "overview",
    "draw_history": "picture",
    "draw_model": "picture",
    "draw_overview": "overview",
    "draw_river": "overview",
    "write_page": "page",
}
# A page must not need matplotlib.
__getattr__ = on_demand(__name__, _HOMES)
