"""What columns are taken for, and mixed tables with gaps: from Python and on the command line."""

import json
import re
import sys
import warnings

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.metrics import adjusted_rand_score

import streamart
from streamart import StreamART
from streamart.data import make_stream
from streamart.data.columns import Asked, column_of
from streamart.data.encoding import OTHER, Columns
from streamart.data.numbers import as_numbers
from streamart.engines import fine_categories
from streamart.estimators.mixed_tables import (
    ColumnsWarning,
    code_like,
    doubts_of_columns,
    label_like,
)
from streamart.icvi.state import MEAN
from streamart.views import rows_of
from support import COMPILED

RNG = np.random.default_rng(0)
N = 400 if COMPILED else 60


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("a", RNG.normal(size=30), "measurement"),
        ("a", RNG.integers(0, 1000, 30), "measurement"),
        ("a", range(5, 95, 3), "counter"),
        ("a", np.cumsum(RNG.integers(1, 50, 30)), "counter"),
        ("t", 0.1 * np.arange(30), "counter"),
        ("a", RNG.permutation(30), "identifier"),
        ("sensor_id", RNG.permutation(3) * 1000, "identifier"),
        ("a", 1_700_000_000 + 60 * np.arange(30), "time"),
        ("when", 1_700_000_000_000 + RNG.integers(0, 10**9, 30), "time"),
        ("a", ["2026-01-02 03:04:05", "2026-01-02"] * 9, "time"),
        ("a", ["01.02.2026 10:30", "13.02.2026"], "time"),
        ("a", [7.0] * 30, "constant"),
        ("a", ["M1", None] * 15, "constant"),
        ("a", ["yes"] * 30, "constant"),
        ("a", [True] * 30, "constant"),
        ("a", ["7,5"] * 30, "constant"),
        ("a", ["M1"] * 10, "category"),
        ("a", [None] * 25 + [1.0, 2.0, 3.0], "mostly empty"),
        ("a", [None, None], "mostly empty"),
        ("a", ["x", "y", "x"], "category"),
        ("a", ["yes", "No"], "yes/no"),
        ("a", [True, None, False], "yes/no"),
        ("a", [0, 1, 1], "yes/no"),
        ("a", [f"u{i}" for i in range(30)], "identifier"),
        ("a", [f"text {i // 2}" for i in range(300)], "identifier"),
        ("a", ["$12.50", "1,234.5", "n/a"], "measurement"),
        ("a", ["1.500,00", "2,5"], "measurement"),
        ("a", ["1\u202f500,5", "2\xa0000"], "measurement"),
        ("a", [[1], [2]], "left out"),
    ],
)
def test_what_a_column_is(name, values, kind):
    found = column_of(name, pa.array(list(values)))
    assert found.kind == kind, found
    assert found.used == (kind in ("measurement", "category", "yes/no"))
    assert found.reason


def test_what_somebody_says_comes_first():
    ids = pa.array(range(30))
    assert column_of("i", ids, Asked(columns=["i"])).used
    assert column_of("i", pa.array([1.5]), Asked(columns=["j"])).reason == "not among --columns"
    times = pa.array(["2026-01-02", "2026-01-03"])
    assert column_of("t", times, Asked(columns=["j"]))[1:4:2] == ("time", False)
    assert not column_of("i", pa.array([1.5]), Asked(exclude=["i"])).used
    assert column_of("i", ids, Asked(categories=["i"])).kind == "category"
    assert column_of("i", pa.array([1.5]), Asked(time="i")).kind == "time"
    assert column_of("k", pa.array(["a", "b"] * 40), Asked(columns=["k"])).kind == "category"


@given(st.floats(-1e9, 1e9), st.sampled_from([".", ","]), st.sampled_from(["", "$", "€"]))
def test_numbers_as_people_write_them(value, decimal, sign):
    text = f"{sign}{value:,.2f}" if value >= 0 else f"-{sign}{-value:,.2f}"
    if decimal == ",":
        text = text.translate(str.maketrans(",.", ".,"))
    for written in (text, f" {text}", f"{text} %"):
        (found,) = as_numbers(pa.array([written]), decimal).to_pylist()
        assert found == pytest.approx(value, abs=0.005)


@given(st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=60))
def test_one_category_column_does_not_outweigh_one_measurement(values):
    """Its variance, as distances are measured, is at most that of an even measurement."""
    table = {"k": pa.array(values)}
    X, columns = Columns([column_of("k", table["k"], Asked(categories=["k"]))]).encoded(table)
    assert np.sum(np.var(X * columns.weights, axis=0)) <= 1 / 12 + 1e-12
    yes = Columns([column_of("y", pa.array([True]))])
    flags = np.isin(values, list("abcd")).astype(float)
    assert np.var(flags * yes.weights[0]) <= 1 / 12 * (1 / 2) + 1e-12


def test_the_weight_holds_in_distances():
    """A difference in a category is one of 1/sqrt(6) of the range of a measurement."""
    table = pa.table({"x": np.arange(100) % 10 / 9, "k": ["u", "v"] * 50})
    with pytest.warns(ColumnsWarning):
        model = StreamART().fit(table)
    rows = {"x": [0.0, 0.0, 1.0], "k": ["u", "v", "u"]}
    Z, _ = model.columns_.encoded({name: pa.array(v) for name, v in rows.items()}, False)
    from streamart.engines.measuring import images

    z = images(model._model.engine.budget, Z)
    assert np.sum((z[0] - z[1]) ** 2) == pytest.approx(1 / 6)
    assert np.sum((z[0] - z[2]) ** 2) == pytest.approx(1)


def test_new_values_at_any_time():
    columns = Columns([column_of("k", pa.array(["a", "b"]))])
    slots = columns[0].slots
    for i in range(9):
        X, columns = columns.encoded({"k": pa.array([f"new{i}", "a", None])})
        assert X.shape == (3, slots)
        assert X[0].sum() == X[1].sum() == 1
        assert np.isnan(X[2]).all()
    assert columns[0].values[-1] == OTHER
    before = columns[0].values
    X, after = columns.encoded({"k": pa.array(["unseen"])}, learning=False)
    assert after[0].values == before
    assert X[0, -1] == 1  # with the others for which there was no room


def machine(rng, n):
    y = rng.integers(3, size=n)
    return y, {
        "id": np.arange(n) + 1000,
        "when": 1.7e9 + np.arange(n) * 60.0,
        "vibration": y * 3 + rng.normal(size=n) * 0.3,
        "state": np.array(["ok", "warn", "bad"])[y],
        "speed": rng.normal(size=n),
        "const": np.full(n, 7.0),
    }


def test_mixed_frames_of_all_libraries(tmp_path):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    y, columns = machine(np.random.default_rng(1), N)
    found = []
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        frame = make(columns)
        model = StreamART()
        with pytest.warns(ColumnsWarning, match=r"id +counter +left out: grows by 1") as told:
            model.fit(frame)
        assert len(told) == 1
        assert told[0].filename == __file__
        assert adjusted_rand_score(y, model.labels_) > 0.95
        found.append(model.labels_.tolist())
        with warnings.catch_warnings():  # said once
            warnings.simplefilter("error")
            model.partial_fit(frame[:9] if make is not pa.table else frame.slice(0, 9))
            model.predict(frame)
    assert found[0] == found[1] == found[2]
    kinds = [column.kind for column in model.columns_]
    assert kinds == ["counter", "time", "measurement", "category", "measurement", "constant"]
    model.save(tmp_path / "m")
    twin = streamart.load(tmp_path / "m")
    assert repr(twin.columns_) == repr(model.columns_)
    other = pd.DataFrame(columns)[["speed", "state", "vibration"]]  # by name, in any order
    assert twin.predict(other).tolist() == model.predict(frame).tolist()
    with pytest.raises(ValueError, match="no column 'state'"):
        twin.predict(other[["speed", "vibration"]])


def test_zeros_and_ones_may_be_followed_by_other_numbers(command, tmp_path):
    """They are yes/no at first; a later 2 is a 2. With --columns, they are a measurement."""
    rng = np.random.default_rng(4)
    rows = np.arange(1300)
    flag = np.where(rows < 1100, rows % 2, rows % 4)
    x = flag * 9 + rng.normal(size=len(rows))
    path = tmp_path / "f.csv"
    path.write_text("x,flag\n" + "".join(f"{a},{b}\n" for a, b in zip(x, flag, strict=True)))
    for more, kind in (((), "yes/no +0 or 1"), (("--columns", "x,flag"), "measurement +by --col")):
        code, _, err = command("cluster", path, *more)
        assert code == 0, err
        assert re.search(f"flag +{kind}", err)
        assert "could not be used" not in err
    with pytest.warns(ColumnsWarning, match="0 or 1"):
        model = StreamART().partial_fit(pa.table({"x": x[:90], "flag": flag[:90]}))
    model.partial_fit(pa.table({"x": x[1100:], "flag": flag[1100:]}))
    assert model.n_set_aside_ == 0
    assert any("flag 3" in profile.words for profile in model.profiles())
    path.write_text("x,on\n" + "".join(f"{i % 9},yes\n{i % 7},no\n" for i in range(600)) + "1,ja\n")
    _, _, err = command("cluster", path)
    assert "on is not yes or no: 'ja' (--categories on takes all)" in err


def test_what_cannot_be_read_is_not_set_aside_in_silence():
    rng = np.random.default_rng(5)
    good = {"a": rng.normal(size=60), "b": rng.normal(size=60), "on": ["yes", "no"] * 30}
    with pytest.warns(ColumnsWarning):
        model = StreamART().partial_fit(pa.table(good))
    bad = pa.table({"a": ["x", None], "b": ["u", "v"], "on": ["no", "yes"]})
    with (
        pytest.warns(ColumnsWarning, match=r"a is not a number in 1 row \('x'\); b .* 2 rows"),
        pytest.warns(UserWarning, match="all 2 lack half of their values or more") as told,
    ):
        model.partial_fit(bad)
    assert {warning.filename for warning in told} == {__file__}
    assert model.n_set_aside_ == 2
    when = pa.array([0, 1], pa.timestamp("s"))
    with pytest.raises(ValueError, match=r"'a' holds timestamp\[s\] now, and was learnt as meas"):
        model.predict(pa.table({"a": when, "b": [1.0, 2], "on": ["no", "yes"]}))
    with warnings.catch_warnings():  # a gap is nothing to tell, nor is one sample by itself
        warnings.simplefilter("error")
        model.partial_fit(pa.table({"a": [None, 1.0], "b": [2.0, 3], "on": ["no", "yes"]}))
        assert model.learn_one([np.nan, np.nan, 1.0]) == -1


def test_words_of_yes_and_no_come_again():
    """Also where no column is left out."""
    table = pa.table({"a": np.arange(60) % 7 / 2, "on": ["yes", "no"] * 30})
    with pytest.warns(ColumnsWarning):
        model = StreamART().fit(table)
    assert model.predict(table).tolist() == model.partial_fit(table).labels_.tolist()


def test_a_table_without_anything_to_learn_is_refused():
    with pytest.raises(ValueError, match="no column to learn from"):
        StreamART().fit(pa.table({"a": [1.0] * 30}))
    with (
        pytest.warns(ColumnsWarning),
        pytest.raises(ValueError, match="directions"),
    ):
        StreamART(metric="cosine").fit(pa.table({"a": [1.0, 2], "k": ["x", "y"]}))


def test_a_label_among_the_columns_is_named():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=N)
    X = rng.normal(size=(N, 2)) + 12 * np.stack([y == 1, y == 2], axis=1)
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "class": y, "c": rng.normal(size=N)})
    assert label_like(StreamART().fit(table)) == ["class"]
    assert label_like(StreamART().fit(X)) == []


def test_codes_that_part_every_cluster_are_named():
    rng = np.random.default_rng(0)
    y, code = rng.integers(3, size=N), rng.integers(3, size=N)
    X = rng.normal(size=(N, 2)) + 12 * np.stack([y == 1, y == 2], axis=1)
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "code": 7 * code, "c": rng.normal(size=N)})
    model = StreamART(n_clusters=9).fit(table)
    assert code_like(model) == ["code"]
    assert label_like(model) == []
    assert doubts_of_columns(model)[0].startswith("code has few values, and no cluster mixes them.")
    few = table.set_column(2, "code", pa.array(np.round(X[:, 0] / 4)))
    assert code_like(StreamART(n_clusters=3).fit(few)) == []


# ---------------------------------------------------------------------- gaps


def with_gaps(rng, X, share=0.2):
    X = np.array(X, dtype=float)
    X[rng.random(X.shape) < share] = np.nan
    return X


@pytest.mark.parametrize("name", ["wine", "breast cancer", "stream"] if COMPILED else ["wine"])
def test_gaps_cost_little(name):
    """20 % of the values missing at random; over five orders, as one of them says little.

    Of two features, half are missing where one is: these rows are set aside.
    """
    load = load_wine if name == "wine" else load_breast_cancer
    whole, gaps = [], []
    for seed in range(5 if COMPILED else 1):
        rng = np.random.default_rng(seed)
        X, y = (
            make_stream("mixed", random_state=seed) if name == "stream" else load(return_X_y=True)
        )
        order = np.arange(len(X)) if name == "stream" else rng.permutation(len(X))
        X, y = X[order], y[order]
        whole.append(adjusted_rand_score(y, StreamART().fit(X).labels_))
        labels = StreamART().fit(with_gaps(rng, X)).labels_
        there = labels >= 0
        assert there.mean() > (0.6 if name == "stream" else 0.97)
        gaps.append(adjusted_rand_score(y[there], labels[there]))
    assert np.median(gaps) > np.median(whole) - (0.05 if COMPILED else 0.15)


@given(number=st.integers(0, 10**6))
def test_counts_and_sums_of_what_is_there_are_exact(number):
    """Through joins and mergers: every value that was there counts once, others not at all."""
    rng = np.random.default_rng(number)
    n, d = int(rng.integers(20, 90)), int(rng.integers(3, 6))
    X = with_gaps(rng, rng.normal(size=(n, d)) * 5, 0.15)
    X = X[np.isnan(X).sum(axis=1) < d / 2]
    model = StreamART(max_categories=int(rng.integers(8, 20))).partial_fit(X)
    engine = model._model.engine
    rows = rows_of(engine.state)
    seen, mean = engine.budget.seen[rows], engine.state.box[MEAN, rows]
    np.testing.assert_allclose(seen.sum(axis=0), (~np.isnan(X)).sum(axis=0))
    np.testing.assert_allclose((seen * mean).sum(axis=0), np.nansum(X, axis=0), atol=1e-8)
    assert np.all(seen <= engine.budget.mass[rows, None] * (1 + 1e-12))
    assert np.isfinite(engine.budget.spread[rows]).all()


def test_gaps_in_one_go_and_row_by_row_are_the_same():
    rng = np.random.default_rng(3)
    X = with_gaps(rng, rng.normal(size=(N, 5)) + 6 * rng.integers(3, size=N)[:, None])
    kept = X.copy()
    whole, single = StreamART().partial_fit(X), StreamART()
    assert np.array_equal(X, kept, equal_nan=True)  # the caller's array is not filled
    for x in X:
        single.learn_one(x)
    assert whole.n_set_aside_ == single.n_set_aside_ > 0
    assert whole.categories_.mean.tobytes() == single.categories_.mean.tobytes()
    labels = whole.labels_
    assert np.array_equal(labels < 0, np.isnan(X).sum(axis=1) >= 2.5)
    assert whole.n_samples_seen_ == np.sum(labels >= 0)
    assert np.array_equal(whole.predict(X) < 0, labels < 0)
    assert whole.explain(X[labels >= 0][0]).predicted in whole.cluster_ids_


def test_a_batch_is_measured_once(monkeypatch):
    """Not again whenever the compiled loop is interrupted: complete rows pay nothing for gaps."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 120)) + 9 * rng.normal(size=(8, 120))[rng.integers(8, size=600)]
    model = StreamART(max_categories=20).partial_fit(X[:300])
    assert model.metric_ == "cosine"
    rows, known = [], fine_categories.unit_vectors
    monkeypatch.setattr(fine_categories, "unit_vectors", lambda X: rows.append(len(X)) or known(X))
    model.partial_fit(X[300:])
    assert rows.count(300) == 1


def test_what_gaps_do_not_go_with():
    X = np.array([[1.0, np.nan, np.nan], [np.nan, np.nan, 2.0]])
    model = StreamART()
    with pytest.raises(ValueError, match="more than half"):
        model.partial_fit(X)
    assert not hasattr(model, "columns_")
    with pytest.raises(ValueError, match="NaN"):
        StreamART(metric="cosine").fit([[1.0, np.nan, 3.0]])
    words = np.random.default_rng(0).normal(size=(300, 120))
    model = StreamART().partial_fit(words)
    assert model.metric_ == "cosine"
    words[3, 5] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(words)
    assert StreamART().partial_fit(words).metric_ == "euclidean"
    with pytest.raises(ValueError, match="A hint refers to"):
        StreamART().partial_fit([[1.0, 2], [np.nan, 1]], hints={"names": {1: "a"}})


# ---------------------------------------------------------------------- on the command line


def test_columns_are_shown_and_kept(command, tmp_path):
    y, columns = machine(np.random.default_rng(2), N)
    rows = [
        ",".join(columns),
        *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True)),
    ]
    path = tmp_path / "m.csv"
    path.write_text("\n".join(rows) + "\n")
    out, model = tmp_path / "o.csv", tmp_path / "model"
    code, text, err = command(
        *("cluster", path, "--out", out, "--out-columns", "all", "--save", model)
    )
    assert code == 0, err
    for line in ("counter", "time", r"category +3 values: bad, ok, warn", "constant"):
        assert re.search(line, err)
    assert "state looks like class labels" in err
    shown = text + err.partition("\n")[2].partition("Warning:")[0]
    assert max(len(line) for line in shown.splitlines() if str(tmp_path) not in line) <= 80
    loaded = streamart.load(model)
    assert [c.name for c in loaded.columns_.used] == ["vibration", "state", "speed"]
    head, *lines = out.read_text().splitlines()
    assert head == "id,when,vibration,state,speed,const,cluster,cluster_name,distance"
    assert lines[0].startswith("1000,1700000000.0,") or lines[0].startswith("1000,1700000000,")
    labels = [line.split(",")[6] for line in lines]
    assert adjusted_rand_score(y, labels) > 0.95
    code, _, err = command("predict", model, path, "--id", "id", "--id", "when", "--out", out)
    assert code == 0, err
    assert out.read_text().startswith("id,when,cluster\n1000,")
    assert command("predict", model, path, "--out-columns", "all", "--out", out)[0] == 0
    assert out.read_text().splitlines()[0] == head  # also of a model without names
    code, _, err = command("cluster", path, "--exclude", "vibration,speed", "--categories", "const")
    assert code == 0, err
    assert "by --exclude" in err
    assert "by --categories" in err
    assert command("cluster", path, "--exclude", "vibratoin")[0] == 2
    _, text, _ = command("cluster", path, "--icvi", "ch", "--json")
    assert json.loads(text)["features"] == ["vibration", "speed"]


def test_rows_with_too_little_are_set_aside(command, tmp_path):
    lines = ["a,b,c", *(f"{i % 3 * 9 + i / 99},{i % 7},{i % 5 / 3}" for i in range(60))]
    lines[7], lines[9] = "1,,", ",2,1"
    path = tmp_path / "m.csv"
    path.write_text("\n".join(lines) + "\n")
    code, text, err = command("cluster", path, "--json", "--rejects", tmp_path / "r.csv")
    assert code == 0, err
    found = json.loads(text)["run"]
    assert (found["rows_learnt"], found["rows_rejected"]) == (59, 1)
    assert (
        (tmp_path / "r.csv")
        .read_text()
        .splitlines()[1]
        .startswith(f"{path},8,2 of 3 values are missing")
    )


def test_nested_ndjson(command, tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        {"m": {"x": float(k * 9 + e), "kind": "uv"[k]}, "on": bool(k), "price": f"${k + 1},000.5"}
        for k, e in zip(rng.integers(0, 2, 60).tolist(), rng.normal(size=60).tolist(), strict=True)
    ]
    path = tmp_path / "n.ndjson"
    path.write_text(
        "".join(json.dumps(row) + "\n" for row in rows)
        + '{"m": 3}\n{"m": {"x": "w"}, "price": "5", "on": true}\n'
    )
    code, text, err = command("cluster", path, "--json", "--rejects", tmp_path / "r.csv")
    assert code == 0, err
    found = json.loads(text)
    assert found["n_clusters"] == 2
    assert found["features"][0] == "m.x"
    assert found["run"]["reject_reasons"] == {
        "4 of 4 values are missing": 1,
        "m.x is not a number": 1,
    }


def test_excel(command, tmp_path, monkeypatch):
    pytest.importorskip("python_calamine")
    path = write_xlsx(
        tmp_path / "s.xlsx",
        [["a", "kind"], *([i % 2 * 9 + i / 50, "uv"[i % 2]] for i in range(40))],
    )
    code, text, err = command("cluster", path, "--json", "--columns", "a,kind")
    assert code == 0, err
    found = json.loads(text)
    assert (found["samples"], found["n_clusters"]) == (40, 2)
    rows = [["price", "size"], *([f"${i % 2 + 1},{i:03}.50", i % 2 + i / 99] for i in range(40))]
    code, text, err = command("cluster", write_xlsx(tmp_path / "t.xlsx", rows), "--json")
    assert code == 0, err
    assert json.loads(text)["features"] == ["price", "size"]
    assert json.loads(text)["n_clusters"] == 2
    (tmp_path / "bad.xlsx").write_bytes(path.read_bytes()[:200])
    code, _, err = command("cluster", tmp_path / "bad.xlsx")
    assert code == 1
    assert "is no Excel file" in err
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    code, _, err = command("cluster", path)
    assert code == 1
    assert "streamart[excel]" in err
    assert "save the sheet as CSV" in err


def write_xlsx(path, rows):
    """The least that is an Excel file."""
    import zipfile

    def cell(value):
        if isinstance(value, str):
            return f'<c t="inlineStr"><is><t>{value}</t></is></c>'
        return f"<c><v>{value}</v></c>"

    sheet = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default '
        'Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets><sheet name="S" '
        'sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/>'
        "</Relationships>",
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{sheet}'
        "</sheetData></worksheet>",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return path
