"""The demo and its pictures, on short streams."""

import io
import re
import sys

import numpy as np
import pytest

from streamart import ICVITopoARTMAP, StreamART, demo
from streamart.data import ORDERS, make_stream

pytest.importorskip("rich")
image = pytest.importorskip("matplotlib.image")

from matplotlib.figure import Figure  # noqa: E402
from rich.console import Console  # noqa: E402

from streamart import report  # noqa: E402
from streamart.report import picture  # noqa: E402


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
    assert 800 <= height <= 3000
    assert 50_000 < path.stat().st_size < 400_000
    assert printed.splitlines()[-1] == f"Picture: {path}"

    assert "\x1b" not in printed
    assert "\r" not in printed
    table_rows = [line for line in printed.splitlines() if any(order in line for order in ORDERS)]
    assert len(table_rows) == 6
    for line, order in zip(table_rows, np.repeat(ORDERS, 2).tolist(), strict=True):
        assert order in line
        assert re.search(r"[01]\.\d{3} +\d", line)


def test_demo_reports_what_the_model_says():
    fresh = ICVITopoARTMAP(record_history=True)
    outcome, speed = demo._learn(Console(file=io.StringIO()), "mixed", 30, 1, fresh)
    X, _ = make_stream("mixed", 30, 1)
    model = ICVITopoARTMAP().fit(X)
    assert np.array_equal(outcome.labels, model.labels_)
    assert outcome.model.n_clusters_ == model.n_clusters_
    assert -0.5 <= outcome.ari <= 1
    assert speed > 0
    assert len(outcome.model.history_["rho"]) == 30


def test_demo_shows_progress_in_a_terminal():
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=100)
    demo._learn(console, "random", 20, 0, StreamART())
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
    looks = {(picture.colour_of(c), picture.marker_of(c)) for c in range(49)}
    assert len(looks) == 49
