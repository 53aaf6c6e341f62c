"""Profiles, sentences about events, and corrections of saved models."""

import json
import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import streamart
from streamart import ICVITopoARTMAP, StreamART
from streamart.data import make_stream
from streamart.data.columns import Column
from streamart.data.encoding import Columns
from streamart.history.events import Event
from streamart.people.profiles import Footprints, profiles_of, quartiles
from streamart.people.sentences import sentences
from support import COMPILED

N = 300 if COMPILED else 60


def stream(seed=0, n=N):
    """Three clusters: in the first column, in the second, and in none of the third."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    X = np.stack([9.0 * (y == 1), -4.0 * (y == 2), 0.0 * y], axis=1)
    return X + rng.normal(size=(n, 3)) * [0.4, 0.2, 1.0], y


def test_a_profile_says_what_is_so():
    X, y = stream()
    model = StreamART(n_clusters=3).fit(X)
    profiles = {profile.id: profile for profile in model.profiles()}
    assert sum(profile.size for profile in profiles.values()) == N
    for k, feature, sign in ((1, "x1", 1), (2, "x2", -1)):
        profile = profiles[int(np.bincount(model.ids_[y == k]).argmax())]
        strongest = profile.features[0]
        assert (strongest.name, np.sign(strongest.effect)) == (feature, sign)
        assert profile.suggested.startswith(("high" if sign > 0 else "low") + f" {feature}")
        assert "x3" not in [feature.name for feature in profile.clear]
        column = X[y == k][:, int(feature[1]) - 1]
        assert strongest.middle == pytest.approx(np.median(column), abs=0.3)
        assert strongest.spread == pytest.approx(column.std(), rel=0.6)
        assert strongest.words in str(profile)
    names = [profile.suggested for profile in profiles.values()]
    assert len(set(names)) == 3


@pytest.mark.parametrize("seed", range(3))
def test_first_and_last_are_exact_where_clusters_were_derived_again(seed):
    X, _ = make_stream("class-incremental", 4 * N, seed)
    model = StreamART(record_events=True)
    for at in range(0, len(X), 37):
        model.partial_fit(X[at : at + 37])
        model.n_clusters_  # noqa: B018  derives them, and gives ids
    model.partial_fit(X[-1:])
    whole = StreamART().fit(np.vstack([X, X[-1:]]))
    for profile in whole.profiles():
        there = np.flatnonzero(whole.ids_ == profile.id) + 1
        assert (profile.first, profile.last) == (there[0], there[-1])
        assert set(profile.typical + profile.unusual) <= set(there.tolist())
    spans = sorted((p.first, p.last) for p in model.profiles())
    assert spans == sorted((p.first, p.last) for p in whole.profiles())


@given(st.integers(0, 10**6))
def test_far_samples_change_little(number):
    """A twentieth of the weight anywhere moves the median by less than a spread."""
    rng = np.random.default_rng(number)
    mean = rng.normal(size=(40, 2))
    n, zero = rng.uniform(1, 5, size=40), np.zeros((40, 2))
    times = np.arange(40)
    inside = np.ones(40, dtype=bool)
    middle, spread = quartiles(Footprints(n, mean, zero, times, times), inside)
    mean[0], n[0] = 1e9, n[1:].sum() / 20
    far, wide = quartiles(Footprints(n, mean, zero, times, times), inside)
    assert np.all(np.abs(far - middle) < 1.0)
    assert np.all(wide < 3 * spread + 1)


def test_categories_in_words():
    columns = Columns(
        [Column("k", "category", "", True, ("u", "v"), 2), Column("on", "yes/no", "", True)]
    )
    mean = np.array([[1.0, 0, 1], [0, 1, 0], [0.1, 0.9, 0]])
    given_ = Footprints(np.array([10.0, 10, 10]), mean, 0 * mean, np.arange(3), np.arange(3))
    labels = np.array([0, 1, 1])
    first, second = profiles_of(
        given_, labels, np.array([7, 8]), np.array([10, 20]), {7: "pump"}, columns
    )[::-1]
    assert str(first).startswith("#7 pump: on yes 100%, elsewhere 0%")
    assert "k u 100%, elsewhere 5%" in first.words
    assert second.suggested == "on no, k v"


def test_the_profile_is_a_frame():
    pd = pytest.importorskip("pandas")
    X, _ = stream()
    model = StreamART(n_clusters=3).fit(pd.DataFrame(X, columns=["a", "b", "c"]))
    frame = model.profile()
    assert len(frame) == 3
    assert frame["size"].is_monotonic_decreasing
    for column in ("id", "suggested_name", "share", "first_seen", "tells_apart", "a", "a spread"):
        assert column in frame
    network = ICVITopoARTMAP(rho=0.3).partial_fit(X[:60])
    assert len(network.profile()) == network.n_clusters_
    assert len(StreamART().fit(np.ones((9, 2))).profile()) == 1


def test_a_cluster_between_others_is_described_by_that():
    """No feature tells it from all others taken together."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=N)
    X = np.stack([5.0 * y + rng.normal(scale=0.3, size=N), rng.normal(size=N)], axis=1)
    model = StreamART(n_clusters=3).fit(X)
    (middle,) = (p for p in model.profiles() if p.id == model.ids_[y == 1][0])
    assert re.fullmatch(r"x1 [45]\.\d, between -?0\.\d and (9\.9|10\.\d)", middle.words)
    assert middle.suggested == "medium x1"
    (only,) = StreamART(n_clusters=1).fit(X).profiles()
    assert (only.words, only.suggested) == ("the only cluster", "everything")


def test_what_decides_between_two_clusters():
    X, y = stream()
    model = StreamART(n_clusters=3).fit(X)
    between = np.median(X[y == 0], axis=0) + np.array([2.0, 0.0, 0.0])
    found = model.explain(between)
    assert sum(abs(share) for _, share in found.deciding) == pytest.approx(1)
    text = str(model.explain(np.median(X[y == 1], axis=0)))
    assert "decided by x1" in text
    gap = between.copy()
    gap[0] = np.nan
    assert model.explain(gap).deciding[-1] == ("x1", 0.0)


def test_one_row_of_a_mixed_table_is_explained_whatever_holds_it():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    kind = rng.integers(2, size=N)
    frame = pd.DataFrame({"a": 9.0 * kind + rng.normal(size=N), "k": np.array(["u", "v"])[kind]})
    with pytest.warns(UserWarning, match="How the columns"):
        model = StreamART(n_clusters=2).fit(frame)
    table = pl.from_pandas(frame)
    for row in (frame.iloc[3], frame.iloc[[3]], table[3], table.row(3, named=True)):
        found = model.explain(row)
        assert found.predicted == model.ids_[3]
        assert {name for name, _ in found.deciding} == {"a", "k"}
        parts = [abs(part) for _, part in found.deciding]
        assert parts == sorted(parts, reverse=True)
        assert found.deciding == model.explain(frame.iloc[3]).deciding
    with pytest.raises(ValueError, match="this table has"):
        model.explain(frame)
    with pytest.raises(ValueError, match="no column 'k'"):
        model.explain({"a": 1.0})
    profile = model.profile()
    assert sorted(profile["k"]) == ["u", "v"]
    assert profile["k spread"].max() < 0.1


def test_events_in_sentences():
    events = [
        Event(0, 5, "created", (0,), 5.0, 1, 2),
        Event(1, 9, "moved", (0, 1), 2.0, 1, 2),
        Event(2, 9, "moved", (1, 0), 3.0, 1, 2),
        Event(3, 12, "merged", (1, 0), 40.0, 1, 2),
    ]
    assert sentences(events, {12: "10:32"}, [], 1000) == [
        "sample 5: #0 was created with 5 samples",
        "2 small moves between clusters (5 samples)",
        "10:32: #1 was merged into #0 (40 samples)",
    ]


def test_many_clusters_of_one_moment_are_one_line():
    events = [Event(i, 9, "created", (i,), 5.0, 1, 2) for i in range(9)]
    assert sentences(events[:6], {}, [], 1000)[5] == "sample 9: #5 was created with 5 samples"
    assert sentences(events, {9: "10:32"}, [], 1000) == [
        "10:32: 9 clusters were created (#0, #1, #2 and 6 more)"
    ]


def test_a_split_says_what_differs():
    """Not by what tells the new cluster from all others."""
    rng = np.random.default_rng(0)
    k = rng.integers(3, size=4 * N)
    table = pa.table(
        {
            "heat": np.where(k == 0, 0.0, 50.0) + rng.normal(size=len(k)),
            "flow": np.where(k == 2, 9.0, 0.0) + rng.normal(size=len(k)),
            "mode": np.where(k == 2, "fast", "slow"),
        }
    )
    with pytest.warns(UserWarning, match="columns_"):
        model = StreamART(n_clusters=3).fit(table)
    slow, fast = (int(np.bincount(model.ids_[k == i]).argmax()) for i in (1, 2))
    event = Event(0, 9, "split", (slow, fast), 40.0, 1, 2)
    (line,) = sentences([event], {}, model.profiles(), 1000)
    assert line.endswith((": higher flow", ": mode fast"))
    (line,) = sentences([event._replace(ids=(fast, slow))], {}, model.profiles(), 1000)
    assert line.endswith((": lower flow", ": mode slow"))


# ---------------------------------------------------------------------- corrections


@pytest.fixture
def saved(command, tmp_path):
    X, y = stream()
    lines = ["key,when,a,b,c"]
    lines += [
        f"k{i},2026-03-01 10:{i // 60:02}:{i % 60:02},{a},{b},{c}" for i, (a, b, c) in enumerate(X)
    ]
    path, model = tmp_path / "m.csv", tmp_path / "model"
    path.write_text("\n".join(lines) + "\n")
    code, _, err = command("cluster", path, "--id", "key", "--save", model, "--quiet")
    assert code == 0, err
    return model, path, X, y


def test_corrections_on_the_command_line(command, saved, tmp_path):
    model, *_ = saved
    before = model.read_bytes()
    first = streamart.load(model)
    a, b, c = sorted(first.cluster_ids_.tolist())
    assert command("rename", model, a, "pump")[:2] == (0, f"#{a} is called pump.\n")
    code, out, _ = command("merge", model, "pump", str(b))
    assert code == 0, out
    assert out.startswith(f"pump and #{b} are now one cluster: #")
    loaded = streamart.load(model)
    assert loaded.n_clusters_ == 2
    assert [event.kind for event in loaded.events_[-2:]] == ["named", "merged"]
    old = tmp_path / "old"
    old.write_bytes(before)
    code, out, _ = command("diff", old, model)
    assert code == 0
    assert f"#{b} is now in #{a}" in out or f"#{a} is now in #{b}" in out
    assert "is now called pump" in out
    named = tmp_path / "named"
    named.write_bytes(model.read_bytes())
    said = f"#{loaded.resolve('pump')} no longer has a name.\n"
    assert command("rename", named, "pump", "")[1] == said
    assert "no longer has a name" in command("diff", model, named)[1]
    assert json.loads(command("diff", old, old, "--json")[1])["changes"][1:] == [
        "No cluster has changed."
    ]
    assert "The last merge was taken back." in command("undo", model)[1]
    assert streamart.load(model).n_clusters_ == 3
    assert "was split off from" in command("split", model, c)[1]
    assert streamart.load(model).n_clusters_ == 4
    text = command("inspect", model, "--events", 9)[1]
    assert "2026-03-01 10:" in text
    assert max(map(len, text.partition("cluster")[2].splitlines()[1:9])) <= 80
    found = json.loads(command("inspect", model, "--json")[1])
    for cluster in found["clusters"]:
        assert cluster["first_time"].startswith("2026-03-01 10:")
        assert all(row.startswith("k") for row in cluster["typical"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["merge", "{m}", "77", "0"], "There is no cluster #77"),
        (["merge", "{m}", "0", "0"], "are already the same cluster"),
        (["rename", "{m}", "nobody", "x"], "No cluster is called 'nobody'"),
        (["undo", "{m}"], "nothing to undo"),
        (["split", "{t}", "0"], "is a directory"),
        (["rename", "{e}", "0", "x"], "has learnt nothing"),
        (["diff", "{m}", "{c}"], "is not a model file"),
        (["label", "{m}", "{c}"], "--label: "),
    ],
)
def test_mistakes_leave_the_model_as_it_was(command, saved, tmp_path, arguments, message):
    model, path, *_ = saved
    empty = tmp_path / "empty"
    StreamART().save(empty)
    before = model.read_bytes()
    places = {"m": model, "t": tmp_path, "e": empty, "c": path}
    code, _, err = command(*(part.format(**places) for part in arguments))
    assert code != 0
    assert message in err
    assert "Traceback" not in err
    assert model.read_bytes() == before


def test_only_states_of_one_model_are_compared(command, saved, tmp_path):
    model, path, *_ = saved
    later, other = tmp_path / "later", tmp_path / "other"
    for saved_as, more in ((later, ["--model", model]), (other, ["--columns", "a,b"])):
        assert command("cluster", path, "--save", saved_as, "--quiet", *more)[0] == 0
    assert command("diff", model, later)[0] == 0
    code, _, err = command("diff", later, model)
    assert code == 1
    assert f"it has seen {N:,} samples, the other {2 * N:,}" in err
    code, _, err = command("diff", model, other)
    assert code == 1
    assert "only one of them has learnt the column 'c'" in err


def test_labels_teach_a_saved_model(command, saved, tmp_path):
    model, _, X, y = saved
    known = tmp_path / "known.csv"
    known_rows = zip(X[:40], y[:40], strict=True)
    rows = [f"{a},{b},{c},{'two' if k == 2 else 'one'}" for (a, b, c), k in known_rows]
    known.write_text("a,b,c,type\n" + "\n".join(rows) + "\n")
    code, _, err = command("label", model, known, "--label", "type")
    assert code == 0, err
    assert "a, b, c" in err
    assert "key" not in err  # a column that the model left out, and this file does not have
    loaded = streamart.load(model)
    assert set(loaded.names_.values()) == {"one", "two"}
    assert loaded.n_samples_seen_ == N + 40
    two = loaded.resolve("two")
    table = pa.table(dict(zip("abc", X[y == 2].T, strict=True)))
    assert np.mean(loaded.predict_ids(table) == two) > 0.9
