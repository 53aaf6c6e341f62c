"""Pictures and pages of what a model has learnt. ``streamart.report(model, df, "report.html")``
writes the page.

The pictures need matplotlib: ``pip install "streamart[plot]"``. The HTML page needs nothing.
"""

import os
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

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


class _Report(ModuleType):
    """The module can be called, as most people want the page."""

    def __call__(self, model: Any, table: Any, path: str | os.PathLike[str]) -> None:
        """Write the report of a fitted model, with the rows of a table or an array in its map.

        Parameters
        ----------
        model : StreamART or ICVITopoARTMAP
        table : array-like or table
            Rows like those that were learnt; of more than 6000, some by lot.
        path : str or os.PathLike
            Of the HTML file: one file, which needs no network.
        """
        from .page import write_report

        write_report(model, table, path)


sys.modules[__name__].__class__ = _Report
