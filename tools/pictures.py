"""Draw the pictures of README and docs, in light and dark: `make pictures`.

The pictures of the report need Chromium.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from notebooks import FOLDER, cells_of
from rich.console import Console

from streamart import ICVITopoARTMAP, StreamART
from streamart.data import ORDERS, make_stream
from streamart.demo import _learn
from streamart.report import (
    DARK,
    LIGHT,
    Theme,
    draw_clusters,
    draw_history,
    draw_model,
    draw_overview,
)
from streamart.report.style import COLOURS, new_figure, tidy

IMAGES = Path(__file__).parent.parent / "docs" / "images"
SIZE = (1000, 1198)
"""Width and height of the report's picture, which ends below the cards of the clusters."""


def categories_picture(theme: Theme) -> Figure:
    """From samples to categories to clusters."""
    X, _ = make_stream("random", 1600, 0)
    model = StreamART(max_categories=60).fit(X)
    figure = new_figure(11, 3.6, theme)
    samples, categories, clusters = figure.subplots(1, 3, sharex=True, sharey=True)
    samples.scatter(X[:, 0], X[:, 1], s=6, color=theme.faint, linewidths=0)
    samples.set_title("1. samples arrive, and are not stored", fontsize=11)
    means, n = model.categories_.mean, model.categories_.n
    categories.scatter(means[:, 0], means[:, 1], s=3 * n, color=COLOURS[0], alpha=0.5)
    links = model.conn_.tocoo()
    for p, q, weight in zip(links.row, links.col, links.data, strict=True):
        if p < q:
            ends = means[[p, q]]
            width = 0.4 + 2.5 * float(np.sqrt(weight / links.data.max()))
            categories.plot(ends[:, 0], ends[:, 1], color=theme.text, linewidth=width, alpha=0.6)
    categories.set_title(f"2. {model.n_categories_} categories summarise them", fontsize=11)
    draw_clusters(clusters, model, X, theme)
    clusters.set_title(f"3. {model.n_clusters_} clusters, derived when you look", fontsize=11)
    for ax in (samples, categories, clusters):
        tidy(ax, theme)
    return figure


def detail_picture(theme: Theme) -> Figure:
    """The same model at three details."""
    X, _ = make_stream("random", 1600, 0)
    model = StreamART().fit(X)
    figure = new_figure(11, 3.6, theme)
    for ax, detail in zip(figure.subplots(1, 3, sharey=True), (0.5, 1, 2), strict=True):
        model.set_params(detail=detail)
        draw_clusters(ax, model, X, theme)
        for label in list(ax.texts):
            label.remove()
        ax.set_title(f"detail={detail}: {model.n_clusters_} clusters", fontsize=11)
        tidy(ax, theme)
    return figure


def demo_picture(theme: Theme) -> Figure:
    """The picture of `make demo`."""
    with open("/dev/null", "w") as nowhere:
        console = Console(file=nowhere)
        return draw_overview([_learn(console, order, 1600, 0)[0] for order in ORDERS], theme)


def network_picture(theme: Theme) -> Figure:
    """The paper's network in three orders: categories, links and history."""
    figure = new_figure(10, 10, theme)
    grid = figure.subplots(
        5, 3, sharey="row", squeeze=False, gridspec_kw={"height_ratios": [3.6, 1.2, 1, 1, 1.4]}
    )
    for column, order in zip(grid.T, ORDERS, strict=True):
        X, _ = make_stream(order, 1600, 0)
        model = ICVITopoARTMAP(record_history=True).fit(X)
        draw_model(column[0], model, X, model.labels_, theme)
        column[0].set_title(f"{order}: {model.n_clusters_} clusters, {model.n_categories_} boxes")
        draw_history(column[1:], model.history_, "index (CH)", theme)
    for ax in grid[:, 1:].flat:
        ax.set_ylabel("")
    return figure


def report_pictures(folder: Path) -> None:
    """Screenshots of the report on the table of the first notebook, with a few labels."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("Chromium is not installed: the report's pictures were not made.")
    names: dict[str, Any] = {}
    exec(cells_of((FOLDER / "sensors.py").read_text())[1].text.split("\nreadings, ")[0], names)
    table, modes = names["make_readings"](6000)
    said = np.random.default_rng(0).random(len(table)) < 0.004
    table["operator"] = np.where(said & (modes != "cooling"), modes, "")
    table.to_csv(folder / "readings.csv", index=False)
    report = folder / "report.html"
    arguments = ["--id", "time", "--label", "operator", "--report", str(report), "--quiet"]
    command = [sys.executable, "-m", "streamart", "cluster", "readings.csv", *arguments]
    subprocess.run(command, check=True, cwd=folder)
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    for look in ("light", "dark"):
        target = IMAGES / f"report-{look}.png"
        subprocess.run(
            [
                *(chromium, *flags, "--hide-scrollbars", f"--window-size={SIZE[0]},{SIZE[1]}"),
                *(f"--screenshot={target}", f"file://{report}#{look}"),
            ],
            check=True,
            capture_output=True,
            timeout=120,
        )


PICTURES: dict[str, Callable[[Theme], Figure]] = {
    "demo": demo_picture,
    "categories": categories_picture,
    "detail": detail_picture,
    "network": network_picture,
}


def main() -> None:
    for name, draw in PICTURES.items():
        for look, theme in (("light", LIGHT), ("dark", DARK)):
            draw(theme).savefig(IMAGES / f"{name}-{look}.png", dpi=100)
    with tempfile.TemporaryDirectory() as folder:
        report_pictures(Path(folder))


if __name__ == "__main__":
    main()
