"""The demo and its pictures, on short streams."""

import io
import re
import sys

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from streamart import ICVITopoARTMAP, demo
from streamart.data import ORDERS, make_stream

pytest.importorskip("rich")
image = pytest.importorskip("matplotlib.image")

import matplotlib.colors  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from rich.console import Console  # noqa: E402

from streamart import report  # noqa: E402
from streamart.report import picture, style  # noqa: E402
from support import COMPILED  # noqa: E402


@pytest.fixture(autouse=True)
def _no_forced_terminal(monkeypatch):
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def learnt():
    X, y = make_stream("random", 60, 0)
    return ICVITopoARTMAP(record_history=True).fit(X), X, y


def test_demo_in_a_pipe(tmp_path, capsys):
    out = tmp_path / "made" / "by the demo"
    assert demo.main(["--samples", "70", "--seed", "3", "--out", str(out)]) == 0
    printed = capsys.readouterr().out

    path = out / "streamart-demo.png"
    assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    height, width, _ = image.imread(path).shape
    assert 1000 <= width <= 3000
    assert 500 <= height <= 3000
    assert 40_000 < path.stat().st_size < 400_000
    assert f"Picture: {path}" in printed.splitlines()

    assert "\x1b" not in printed
    assert "\r" not in printed
    orders = [line for line in printed.splitlines() if re.search(r"[01]\.\d{3} +\d", line)]
    assert [line.split()[0] for line in orders] == list(ORDERS)
    assert len([line for line in printed.splitlines() if line.startswith(" #")]) >= 2
    assert re.search(r"^  sample \d+: #\d+ was ", printed, re.MULTILINE)
    assert all(len(line) <= 80 for line in printed.splitlines() if not line.startswith("Picture"))


def test_demo_reports_what_the_model_says():
    n = 200 if COMPILED else 60
    run, found = demo._learn(Console(file=io.StringIO()), "mixed", n, 1)
    X, y = make_stream("mixed", n, 1)
    assert np.array_equal(run.X, X)
    assert found.clusters == run.model.n_clusters_
    assert found.ari == adjusted_rand_score(y, run.model.predict(X))
    assert found.speed > 0
    assert run.record.snapshots[-1].n == n
    assert set(run.model.names_.values()) <= set(demo.PLACES)


def test_demo_shows_progress_in_a_terminal():
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=100)
    demo._learn(console, "random", 20, 0)
    assert "random" in screen.getvalue()
    assert "100%" in screen.getvalue()


@pytest.mark.parametrize("missing", ["rich", "matplotlib"])
def test_demo_says_what_to_install(missing, monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, missing, None)
    assert demo.main(["--out", str(tmp_path)]) == 1
    message = capsys.readouterr().err
    assert missing in message
    assert 'pip install "streamart[demo]"' in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--samples", "6"], "'6' is not an integer of at least 7"),
        (["--seed", "-1"], "'-1' is not an integer of at least 0"),
        (["--seed", "x"], "'x' is not an integer of at least 0"),
        (["--out", __file__], "argument --out"),
    ],
)
def test_demo_refuses_bad_options(arguments, message, capsys):
    with pytest.raises(SystemExit):
        demo.main(arguments)
    assert message in capsys.readouterr().err


def test_partition_shows_every_category_and_link(learnt):
    model, X, _ = learnt
    ax = Figure().subplots()
    report.draw_model(ax, model, X, model.labels_)
    boxes, *_ = (found for found in ax.collections if type(found).__name__ == "PatchCollection")
    assert len(boxes.get_paths()) == model.n_categories_
    edges, *_ = (found for found in ax.collections if type(found).__name__ == "LineCollection")
    assert len(edges.get_segments()) == np.count_nonzero(np.triu(model.conn_.toarray(), 1))
    ids = {text.get_text() for text in ax.texts}
    assert ids == {f"#{cluster}" for cluster in np.unique(model.ids_)}


def test_partition_of_one_sample_has_no_edges():
    X = np.zeros((1, 2))
    model = ICVITopoARTMAP().fit(X)
    ax = Figure().subplots()
    report.draw_model(ax, model, X, model.labels_)
    assert not [found for found in ax.collections if type(found).__name__ == "LineCollection"]


def test_partition_needs_two_features():
    X = np.array([[0.0], [1.0]])
    model = ICVITopoARTMAP().fit(X)
    with pytest.raises(ValueError, match="at least two features"):
        report.draw_model(Figure().subplots(), model, X, model.labels_)


def test_history_has_all_curves(learnt):
    model, _, _ = learnt
    axes = Figure().subplots(4)
    report.draw_history(axes, model.history_, "WB")
    assert [len(ax.lines) for ax in axes] == [1, 1, 1, 2]
    assert axes[0].get_ylabel() == "WB"
    with pytest.raises(ValueError, match="3 axes given; 4 are needed"):
        report.draw_history(axes[:3], model.history_)


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ([np.nan, 0.0, 1e-6, 1.0], "log"),
        ([np.nan, 0.5, 1.0], "linear"),
        ([-1.0, 1e-6, 1.0], "linear"),
        ([np.nan], "linear"),
    ],
)
def test_index_axis_follows_its_span(values, scale):
    ax = Figure().subplots()
    picture._draw_index(ax, np.arange(len(values)), np.array(values))
    assert ax.get_yscale() == scale


def test_many_clusters_look_different():
    looks = {(style.colour_of(c), style.marker_of(c)) for c in range(49)}
    assert len(looks) == 49


# ---------------------------------------------------------------------- clusters, and their river


@pytest.fixture(scope="module")
def followed():
    """A model with a name, clusters that have ended, and the record of it."""
    X, _ = make_stream("mixed", 400 if COMPILED else 80, 0)
    model, record = ICVITopoARTMAP(record_events=True), report.Record()
    for chunk in np.array_split(X, 16):
        model.partial_fit(chunk)
        record.look(model)
        record.note(model.new_events())
    model.rename(int(model.cluster_ids_[0]), "boiler room")
    return model, X, record


def test_clusters_have_names_and_sizes(followed):
    model, X, _ = followed
    ax = Figure().subplots()
    report.draw_clusters(ax, model, X)
    texts = {text.get_text() for text in ax.texts}
    ids, sizes = model.cluster_ids_.tolist(), model.clusters_.n.tolist()
    names = [model.names_.get(i, f"#{i}") for i in ids]
    assert texts == {f"{name}\n{n:.0f}" for name, n in zip(names, sizes, strict=True)}
    assert any(text.startswith("boiler room") for text in texts)
    shown = sum(len(points.get_offsets()) for points in ax.collections)
    assert shown == len(X)
    with pytest.raises(ValueError, match="at least two features"):
        report.draw_clusters(ax, model, X[:, :1])


def test_the_river_ends_with_the_sizes_of_now(followed):
    model, X, record = followed
    ax = Figure().subplots()
    report.draw_river(ax, model, record)
    assert {text.get_text() for text in ax.texts} == {
        model.names_.get(i, f"#{i}") for i in model.cluster_ids_.tolist()
    }
    heights = []
    for band in ax.collections:
        corners = band.get_paths()[0].vertices
        last = corners[corners[:, 0] == len(X), 1]
        if len(last):
            heights.append(float(last.max() - last.min()))
    n = np.sort(model.clusters_.n)
    # Bands are drawn to four digits of the whole height.
    assert np.allclose(np.sort(heights) / sum(heights), n / n.sum(), atol=1e-3)


def test_an_overview_has_two_panels_for_each_run(followed):
    model, X, record = followed
    runs = [report.Run("once", X, model, record), report.Run("twice", X, model, record)]
    figure = report.draw_overview(runs, report.DARK)
    assert [ax.get_title() for ax in figure.axes] == ["once", "twice", "", ""]
    assert matplotlib.colors.to_hex(figure.get_facecolor()).upper() == report.DARK.background
