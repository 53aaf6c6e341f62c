"""`streamart watch`, the metric for river, and scores: indices of other people's clusters."""

import csv
import io
import json
import math

import numpy as np
import pytest

from streamart import icvi, validity_score, validity_scorer
from streamart.cli.running.watching import sparkline
from streamart.data import make_stream
from support import COMPILED
from test_cli_commands import stdin_of

N = 60


@pytest.fixture
def table(tmp_path):
    """Rows with a cluster each, but for some."""
    X, y = make_stream("random", N, 0)
    lines = ["x1,x2,group"]
    for i, ((a, b), c) in enumerate(zip(X.round(4).tolist(), y.tolist(), strict=True)):
        lines.append(f"{a},{b},{'' if i % 10 == 3 else 'noise' if i % 10 == 7 else f'c{c}'}")
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(lines) + "\n")
    used = [i for i in range(N) if i % 10 not in (3, 7)]
    return path, X.round(4)[used], [f"c{c}" for c in y[used].tolist()]


def test_watch_follows_the_indices(command, table, tmp_path):
    path, X, labels = table
    out = tmp_path / "course.csv"
    names = ("--index", "db", "--index", "csil")
    asked = ("watch", path, "--cluster", "group", "--noise", "noise", "--every", "10", *names)
    code, shown, told = command(*asked, "--out", out, "--picture", tmp_path / "course.svg")
    assert code == 0
    assert "48 rows in 7 clusters; 12 rows without a cluster left out" in told
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [int(row["rows"]) for row in rows] == [10, 20, 30, 40, 48]
    for name in ("db", "csil"):
        expected = icvi.available()[name]().course(X, labels)
        for row in rows:
            assert float(row[name]) == expected[int(row["rows"]) - 1]
    assert "smaller" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert "Davies-Bouldin" in (tmp_path / "course.svg").read_text()
    code, shown, _ = command(*asked, "--json")
    found = json.loads(shown)
    assert found["indices"]["db"]["value"] == float(rows[-1]["db"])
    best = min(float(row["db"]) for row in rows)
    assert (found["indices"]["db"]["best"], found["clusters"]) == (best, 7)


def test_watch_reads_standard_input_and_writes_at_once(command, table, monkeypatch):
    path, _, _ = table
    with stdin_of(path.read_text(), monkeypatch):
        code, shown, _ = command("watch", "-", "--cluster", "3", "--index", "db", "--out", "-")
    assert code == 0
    head, last = shown.splitlines()[0], shown.splitlines()[-1].split(",")
    assert (head, last[:2]) == ("rows,clusters,db", ["54", "8"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--cluster", "nobody"), "--cluster: "),
        (("--cluster", "group", "--picture", "x.gif"), "a picture is a .png, .svg, .pdf file"),
        (("--cluster", "group", "--index", "conn"), "'conn' is not one of"),
        (("--cluster", "group", "--out", "-", "--json"), "both want standard output"),
        ((), "Missing option '--cluster'"),
    ],
)
def test_watch_mistakes(command, table, arguments, said):
    code, _, told = command("watch", table[0], *arguments)
    assert code == 2
    assert said in told


def test_watch_without_a_cluster(command, tmp_path):
    (tmp_path / "none.csv").write_text("a,b,c\n1,2,\n3,4,\n")
    code, _, told = command("watch", tmp_path / "none.csv", "--cluster", "c", "--columns", "a,b")
    assert code == 3
    assert "0 rows in 0 clusters; 2 rows without a cluster left out" in told


def test_sparkline():
    assert sparkline([math.nan, math.inf, 0.0, 5.0, 10.0]) == "  ▁▅█"
    assert sparkline([2.0, 2.0]) == "▁▁"
    assert sparkline([math.nan]) == " "
    assert len(sparkline(range(1000))) < 40


def test_scores_take_every_index_of_samples(seed):
    X, y = make_stream("random", 120, seed)
    shuffled = np.random.default_rng(seed).permutation(y)
    names = [name for name in icvi.available() if name not in ("conn", "gd53")]
    for name in names if not COMPILED else ["ch", "db", "ni"]:
        assert validity_score(X, y, name) > validity_score(X, shuffled, name), name

    class Predictor:
        def predict(self, X):
            return y

    assert validity_scorer("db")(Predictor(), X) == -icvi.batch.db(X, y)


# ------------------------------------------------------------------ river


def test_river_metric(seed):
    river = pytest.importorskip("river")
    from river import cluster, evaluate, metrics, stream

    from streamart.adapters.river_metric import ValidityMetric

    assert river.__version__
    X, y = make_stream("random", 80, seed)
    samples = [{"a": a, "b": b} for a, b in X.tolist()]
    metric, index = ValidityMetric("csil"), icvi.CentroidSilhouette()
    for x, label in zip(samples, y.tolist(), strict=True):
        metric.update(dict(reversed(x.items())) if label % 2 and index.value > 0 else x, label)
        index.update(list(x.values()), label)
    assert metric.get() == index.value
    assert metric.bigger_is_better
    before = metric.get()
    metric.update({"a": 1.0, "b": 2.0}, "other")
    metric.revert({"a": 1.0, "b": 2.0}, "other")
    assert metric.get() == before
    for wrong, message in [
        (lambda: metric.update({"a": 1.0}, 0), "features"),
        (lambda: metric.update({"a": 1.0, "b": 1.0}, 0, w=2.0), "weight"),
        (lambda: ValidityMetric("conn"), "index must be one of"),
    ]:
        with pytest.raises(ValueError, match=message):
            wrong()
    assert isinstance(metric, metrics.base.ClusteringMetric)
    assert repr(metric).startswith("ValidityMetric: 0.")
    # In river's own evaluation, of river's own clusterer.
    score = evaluate.progressive_val_score(
        stream.iter_array(X, y), cluster.KMeans(n_clusters=3, seed=1), ValidityMetric("db")
    )
    assert 0 < score.get() < math.inf
