"""The report: one HTML file that needs nothing else, no network either.

What it shows is computed here and put into the page as JSON; page.js draws it, page.css says how it
looks in light and dark. A policy in the page forbids the browser to fetch anything.
"""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.decomposition import PCA
from sklearn.utils.validation import check_is_fitted

from .._typing import Bools, Floats, Ints
from ..data.columns import shown_time
from ..data.encoding import Columns
from ..data.tables import as_arrow
from ..engines.measure import unit_vectors
from ..estimators.checks import checked_samples
from ..estimators.stream_art import StreamART
from ..files import replace_file
from ..gaps import enough, filled, has_gaps
from ..history.events import Event
from .advice import advice_of, news_of, sizes_over_time
from .describe import Notes, describe_model
from .record import ROWS, Record
from .river import river_of
from .rows import rows_in_words

FAR = 4.0
"""Novelty of an outlier in the map, at least."""
EDGES = 800
"""CONN edges drawn; the strongest."""


class Page(NamedTuple):
    """What a report is about."""

    summary: dict[str, Any]
    """The summary: clusters, parameters, version; of a run also its inputs."""
    model: Any
    record: Record
    features: list[str]
    notes: Notes | None = None
    """Names and times of samples; by default those that the model keeps."""


def write_page(path: Path, page: Page) -> None:
    """Write the report, all of it or nothing: a file that was there stays until it is replaced."""
    html = html_of(page)
    if path.exists() and not path.is_file():  # a device must not be replaced
        path.write_text(html, encoding="utf-8")
        return
    replace_file(path, [html.encode()])


def write_report(model: Any, table: Any, path: str | os.PathLike[str]) -> None:
    """The report of a model that was learnt in Python, with these rows in its map."""
    check_is_fitted(model)
    with unnamed():
        X = checked_samples(model, table, reset=False)
    record = Record(ROWS)
    record.sample.offer(X, np.arange(len(X)))
    learnt = _learnt_rows(model, X)
    record.rows = dict(enumerate(X[learnt], 1))
    record.look(model)
    if model.record_events:
        record.note(model.events_)
    notes = _times_of(model, table, np.flatnonzero(learnt), record.events) or None
    summary = describe_model(model, notes=notes)
    write_page(Path(path), Page(summary, model, record, summary["features"], notes))


def _learnt_rows(model: Any, X: Floats) -> Bools:
    """Which rows are samples 1, 2, ... of the model: none, if they are not all that it learnt."""
    learnt = np.ones(len(X), dtype=bool)
    if has_gaps(X):
        learnt = enough(X, Columns.of_model(model).share)
    return learnt if learnt.sum() == model.n_samples_seen_ else np.zeros(len(X), dtype=bool)


def _times_of(
    model: Any, table: Any, learnt: Ints, events: Iterable[Event]
) -> dict[int, tuple[None, str | None]]:
    """The times of the samples that the report speaks of, if a column of the table has them."""
    columns = as_arrow(table) or {}
    times = [c.name for c in Columns.of_model(model) if c.kind == "time" and c.name in columns]
    if not times or not len(learnt):
        return {}
    cells = columns[times[0]]
    wanted = {event.sample for event in events}
    for profile in model.profiles():
        wanted |= {profile.first, profile.last}
    # An event may have come before the first sample.
    found = ((i, cells[int(learnt[i - 1])].as_py()) for i in sorted(wanted) if 0 < i <= len(learnt))
    return {i: (None, shown_time(cell)) for i, cell in found}


def html_of(page: Page) -> str:
    parts = files(__package__)

    def part(name: str) -> str:
        return parts.joinpath(name).read_text(encoding="utf-8")

    # "</script>" in a name must not end the script.
    data = json.dumps(page_data(page), allow_nan=False, separators=(",", ":"))
    data = data.replace("<", "\\u003c")
    html = part("page.html")
    for mark, text in (
        ("css", part("page.css")),
        ("js", part("page.js").replace("/*cards*/", part("cards.js"), 1)),
        ("data", data),
    ):
        html = html.replace(f"/*{mark}*/", text, 1)
    return html


def page_data(page: Page) -> dict[str, Any]:
    """Everything that is drawn."""
    record, summary = page.record, page.summary
    looks = list(zip(*record.looks, strict=True)) or [()] * 6
    names = ("n", "value", "tracker", "vigilance", "categories", "clusters")
    river = river_of(record.snapshots, record.origins, record.ends)
    return {
        "summary": summary,
        "map": _map(page),
        "looks": {name: _rounded(column) for name, column in zip(names, looks, strict=True)},
        "self_tuning": isinstance(page.model, StreamART),
        "river": {
            "columns": river.columns,
            "bands": [
                {
                    "id": band.id,
                    "first": band.first,
                    "low": _rounded(band.low, 4),
                    "high": _rounded(band.high, 4),
                    "sizes": band.sizes,
                }
                for band in river.bands
            ],
            "ribbons": [
                {
                    "kind": ribbon.kind,
                    "source": ribbon.source,
                    "target": ribbon.target,
                    "column": ribbon.column,
                    "low": _rounded(ribbon.low, 4),
                    "high": _rounded(ribbon.high, 4),
                }
                for ribbon in river.ribbons
            ],
            "hidden": river.hidden,
        },
        "ends": {str(i): [end.sample, end.successor] for i, end in record.ends.items()},
        "origins": {str(i): list(origin) for i, origin in record.origins.items()},
        "events": [
            [event.sample, event.kind, list(event.ids), _number(event.amount), _number(event.after)]
            for event in record.events
        ],
        "kinds": dict(record.kinds),
        "rows": {
            str(profile.id): rows_in_words(Columns.of_model(page.model), profile, record.rows)
            for profile in page.model.profiles()
        },
        "sizes": sizes_over_time(record),
        "news": news_of(page.model, list(record.events), page.notes),
        "advice": advice_of(page.model, summary),
    }


def _map(page: Page) -> dict[str, Any]:
    """The sample of rows in the plane, and what the model has put there."""
    model, sample = page.model, page.record.sample
    X, features = sample.X, page.features
    if not len(X):
        return {"x": [], "y": [], "cluster": [], "n": [], "title": "", "axes": ["", ""]}
    ids: Ints = _predicted_ids(model, X)
    outliers = _outliers(model, X)
    cosine = _is_cosine(model)
    if cosine:
        X = unit_vectors(X)
    directions = ", as directions" if cosine else ""
    boxes: list[Any] = []
    edges: list[Any] = []
    d = X.shape[1]
    if d == 1:
        plane = np.stack([sample.numbers + 1.0, X[:, 0]], axis=1)
        axes, title = ["sample", features[0]], "every row, in order of arrival"
    elif d == 2 and not has_gaps(X):
        plane, axes, title = X, features, f"the data{directions}"
        boxes, edges = _boxes(model), _edges(model)
    else:
        scaled = isinstance(model, StreamART) and not cosine
        measured = filled(model._model.engine.as_measured(X) if scaled else X)
        plane, share = _principal(measured, ~outliers)
        axes = [f"component {i + 1} ({share[i]:.1%})" for i in range(2)]
        how = ", as the model scales the data" if scaled else directions
        title = f"principal components{how}: {share.sum():.1%} of the variance"
    shown = f"{len(X):,} of {page.summary['samples']:,} rows, chosen at random"
    return {
        "x": _rounded(plane[:, 0]),
        "y": _rounded(plane[:, 1]),
        "cluster": ids.tolist(),
        "outlier": outliers.astype(int).tolist(),
        "n": (sample.numbers + 1).tolist(),
        "axes": axes,
        "title": title,
        "shown": shown if len(X) < page.summary["samples"] else f"all {len(X):,} rows",
        "boxes": boxes,
        "edges": edges,
    }


def _outliers(model: Any, X: Floats) -> Bools:
    """Rows that are set apart in the map, so that they do not squash it: a twentieth at most."""
    if not isinstance(model, StreamART):
        return np.zeros(len(X), dtype=bool)
    with unnamed():
        strange = model.novelty(X)
    return np.asarray(strange > max(FAR, float(np.quantile(strange, 0.95))))


def _principal(X: Floats, usual: Bools) -> tuple[Floats, Floats]:
    """The first two principal components of the usual rows, and what each explains."""
    usual = usual if usual.sum() > 1 else np.ones(len(X), dtype=bool)
    if len(X) < 2:
        return np.zeros((len(X), 2)), np.zeros(2)
    scale = float(np.abs(X).max()) or 1.0  # squares must not overflow
    pca = PCA(2).fit(X[usual] / scale)
    return scale * pca.transform(X / scale), np.nan_to_num(pca.explained_variance_ratio_)


@contextmanager
def unnamed() -> Iterator[None]:
    """Samples are given without the names of their features."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        yield


def _predicted_ids(model: Any, X: Floats) -> Ints:
    with unnamed():
        ids: Ints = model.predict_ids(X)
    return ids


def _is_cosine(model: Any) -> bool:
    found = model.metric_ if isinstance(model, StreamART) else model.match
    return bool(found == "cosine")


def _boxes(model: Any) -> list[Any]:
    found, ids = model.categories_, model.cluster_ids_
    corners = np.hstack([found.lower, found.upper])
    return [
        [*_rounded(corner), int(ids[place])]
        for corner, place in zip(corners, found.cluster.tolist(), strict=True)
    ]


def _edges(model: Any) -> list[Any]:
    links = model.conn_.tocoo()
    once = links.row < links.col
    rows, columns, weights = links.row[once], links.col[once], links.data[once]
    strongest = np.argsort(-weights, kind="stable")[:EDGES]
    means = model.categories_.mean
    top = float(weights.max()) if len(weights) else 1.0
    return [
        _rounded([*means[rows[i]], *means[columns[i]], weights[i] / top])
        for i in strongest.tolist()
    ]


def _number(value: float) -> float | None:
    """Six digits are enough for a picture; JSON has no NaN."""
    return float(f"{value:.6g}") if math.isfinite(value) else None


def _rounded(values: Any, digits: int = 6) -> list[float | None]:
    return [
        float(f"{value:.{digits}g}") if math.isfinite(value) else None
        for value in np.asarray(values, dtype=float).tolist()
    ]
