"""The HTML report: what it says, and what a browser makes of it."""

import json
import re
import shutil
import subprocess
from itertools import pairwise

import numpy as np
import pytest

import streamart
from streamart import ICVITopoARTMAP, StreamART, report
from streamart.data import make_stream
from streamart.history.events import Event
from streamart.report import page, record, river
from streamart.report.describe import describe_model
from streamart.report.page import Page, html_of, page_data
from streamart.report.record import End, Origin, Record, Sample, Snapshot, next_look
from streamart.report.river import OTHERS, river_of
from support import COMPILED

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # what it asks for by itself
)


def learnt(model, X, names=None):
    kept = Record(record.ROWS)
    n = 0
    while n < len(X):
        end = min(len(X), next_look(model, n))
        model.partial_fit(X[n:end])
        kept.sample.offer(X[n:end], np.arange(n, end))
        kept.look(model)
        kept.note(model.new_events())
        n = end
    kept.rows = dict(enumerate(X, 1))
    summary = describe_model(model)
    names = names or summary["features"]
    return Page(summary, model, kept, names)


def network():
    return ICVITopoARTMAP(record_events=True)


# ---------------------------------------------------------------------- what is kept


def test_looks_depend_on_the_count_alone():
    for model in (network(), StreamART()):
        looks = [0]
        while looks[-1] < 10**7:
            looks.append(next_look(model, looks[-1]))
        assert np.all(np.diff(looks) > 0)
        assert len(looks) < (200 if isinstance(model, StreamART) else 3000)


def test_a_record_does_not_grow(monkeypatch):
    monkeypatch.setattr(record, "LOOKS", 10)
    monkeypatch.setattr(record, "SNAPSHOTS", 6)
    X, _ = make_stream("mixed", 150, 0)
    model, kept = network(), Record()
    for x in X:
        model.partial_fit(x[None])
        kept.note(model.new_events())
        kept.look(model)
        assert len(kept.looks) <= 10
        assert len(kept.snapshots) <= 6
    kept.look(model)  # again at the same count: no second entry
    assert [look.n for look in kept.looks][-1] == 150
    assert len({look.n for look in kept.looks}) == len(kept.looks)
    seen = {i for shot in kept.snapshots for i in shot.ids.tolist()}
    assert set(kept.ends) <= seen | set(kept.ends)
    assert sum(kept.kinds.values()) == len(model.events_)


def test_the_sample_is_fair_and_does_not_depend_on_chunks():
    X = np.arange(5000.0)[:, None]
    found = []
    for size in (1, 7, 5000):
        sample = Sample(300)
        for begin in range(0, 5000, size):
            sample.offer(X[begin : begin + size], np.arange(begin, min(5000, begin + size)))
        assert np.array_equal(sample.X[:, 0], sample.numbers)
        found.append(sample.numbers.tolist())
    assert found[0] == found[1] == found[2]
    assert 2200 < np.mean(found[0]) < 2800
    assert len(Sample(0).X) == 0


def test_what_merges_makes_the_heir_older():
    kept = Record()
    blank = (0.0, 0.0, 0.0)
    kept.note(
        [
            Event(0, 1, "created", (0,), *blank),
            Event(1, 5, "split", (0, 1), *blank),
            Event(2, 9, "merged", (0, 1), *blank),
        ]
    )
    assert kept.origins[1] == Origin(1, 0)
    assert kept.ends[0] == End(9, 1)


def test_a_record_comes_back_from_json():
    found = learnt(network(), make_stream("mixed", 60, 0)[0])
    document, arrays = found.record.kept()
    twin = Record(record.ROWS)
    twin.restore(json.loads(json.dumps(document)), arrays)
    first = page_data(found)
    assert page_data(found._replace(record=twin)) == first


# ---------------------------------------------------------------------- the river


def shot(n, **sizes):
    ids = [int(name[1:]) for name in sizes]
    return Snapshot(n, np.array(ids), np.array(list(sizes.values())))


def test_bands_fill_the_height_and_ribbons_meet_them():
    shots = [shot(10, c0=6, c1=4), shot(20, c0=10, c2=6, c3=4), shot(30, c0=26, c2=4)]
    origins = {2: Origin(15, 0), 3: Origin(16, -1)}
    ends = {1: End(12, 0), 3: End(25, 2)}
    found = river_of(shots, origins, ends)
    bands = {band.id: band for band in found.bands}
    assert set(bands) == {0, 1, 2, 3}
    assert bands[0].sizes == [6, 10, 26]
    for column in range(3):
        edges = sorted(
            (band.low[column - band.first], band.high[column - band.first])
            for band in found.bands
            if 0 <= column - band.first < len(band.low)
        )
        assert edges[0][0] == 0
        assert edges[-1][1] == pytest.approx(1)
        assert all(low >= high for (_, high), (low, _) in pairwise(edges))
    assert [(r.kind, r.source, r.target, r.column) for r in found.ribbons] == [
        *(("merged", 1, 0, 0), ("split", 0, 2, 0), ("merged", 3, 2, 1))
    ]
    ribbon = found.ribbons[0]
    assert ribbon.low[0] == bands[1].low[0]
    assert bands[0].low[1] <= ribbon.low[1] <= ribbon.high[1] <= bands[0].high[1] + 1e-12


def test_many_clusters_share_a_band(monkeypatch):
    monkeypatch.setattr(river, "BANDS", 2)
    monkeypatch.setattr(river, "COLUMNS", 2)
    shots = [shot(9, c0=5, c1=3, c2=1), shot(10, c0=5, c1=4, c2=1), shot(30, c0=20, c1=10)]
    found = river_of(shots, {}, {0: End(3, 1), 1: End(3, 0)})  # even if they lead round
    assert [band.id for band in found.bands][-1] == OTHERS
    assert found.hidden == 1
    assert found.columns == [9, 30]
    assert found.bands[-1].sizes == [1]
    assert river_of([], {}, {}).bands == []


def test_a_band_that_was_away():
    shots = [shot(4, c0=2, c1=2), shot(8, c0=8), shot(12, c0=8, c1=4)]
    bands = {band.id: band for band in river_of(shots, {1: Origin(9, 0)}, {1: End(5, 0)}).bands}
    assert bands[1].sizes == [2, 0, 4]


# ---------------------------------------------------------------------- the page


@pytest.fixture(scope="module")
def two_d():
    return learnt(network(), make_stream("mixed", 300 if COMPILED else 120, 0)[0], ["<b>", "y"])


def test_page_in_two_dimensions(two_d):
    data = page_data(two_d)
    model = two_d.model
    assert len(data["map"]["boxes"]) == model.n_categories_
    assert len(data["map"]["edges"]) == np.count_nonzero(np.triu(model.conn_.toarray(), 1))
    assert data["map"]["axes"] == ["<b>", "y"]
    assert data["looks"]["clusters"][-1] == model.n_clusters_
    assert data["looks"]["n"][-1] == model.n_samples_seen_
    assert len(data["events"]) == len(model.events_)
    html = html_of(two_d)
    assert "<b>" not in html.split("<script id")[1]  # names do no harm
    outside = re.findall(r"(?:https?:)?//[\w.]+", re.sub(r'"http://www.w3.org/2000/svg"', "", html))
    assert [found for found in outside if found != "//"] == []


def test_page_in_one_and_in_many_dimensions(two_d):
    one = page_data(learnt(StreamART(record_events=True), make_stream("random", 40, 0)[0][:, :1]))
    assert one["map"]["axes"] == ["sample", "x1"]
    assert one["map"]["x"] == list(range(1, 41))
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(3, 5)), 15, axis=0) + 0.01 * rng.normal(size=(45, 5))
    many = page_data(learnt(ICVITopoARTMAP(match="cosine", rho=0.3, record_events=True), X))
    assert re.fullmatch(r"component 1 \([\d.]+%\)", many["map"]["axes"][0])
    assert "as directions" in many["map"]["title"]
    assert many["map"]["boxes"] == []
    empty = page_data(two_d._replace(record=Record()))
    assert empty["map"]["x"] == []


def test_names_are_found_when_they_are_needed():
    assert report.write_page is page.write_page
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        report.nothing  # noqa: B018


def test_the_map_is_in_the_models_scale_and_outliers_do_not_squash_it():
    """One feature is a million times as large as the others, one row is far away."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=200)
    X = rng.normal(size=(200, 4)) + 20.0 * np.stack([y == 1, y == 2, y == 3, y == 4], axis=1)
    X[:, 3] = rng.normal(size=200) * 1e6
    X[7] = [500, -500, 500, 3e8]
    found = page_data(learnt(StreamART(n_clusters=3), X))["map"]
    assert "as the model scales the data" in found["title"]
    assert found["outlier"][7] == 1
    assert sum(found["outlier"]) <= 10
    plane = np.array([found["x"], found["y"]]).T
    usual = np.array(found["outlier"]) == 0
    centres = np.array([plane[usual & (y == k)].mean(axis=0) for k in range(3)])
    within = np.mean([plane[usual & (y == k)].std(axis=0).mean() for k in range(3)])
    apart = min(np.linalg.norm(centres[i] - centres[j]) for i, j in ((0, 1), (0, 2), (1, 2)))
    assert apart > 2 * within


def test_a_report_from_python(tmp_path):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=60) + 9 * (np.arange(60) % 2), "k": ["u", "v"] * 30})
    frame["at"] = pd.date_range("2026-01-31 10:00", periods=60, freq="min")
    frame.loc[3, "a"] = np.nan
    with pytest.warns(UserWarning, match="How the columns"):
        model = StreamART(record_events=True).fit(frame)
    streamart.report(model, frame, tmp_path / "r.html")
    html = (tmp_path / "r.html").read_text()
    data = json.loads(html.split('type="application/json">')[1].split("</script>")[0])
    assert [column["kind"] for column in data["summary"]["columns"]] == [
        *("measurement", "category", "time")
    ]
    # sample 59 is row 59, as row 3 is set aside
    assert max(c["last_time"] for c in data["summary"]["clusters"]) == "2026-01-31 10:59:00"
    assert min(c["first_time"] for c in data["summary"]["clusters"]) == "2026-01-31 10:00:00"
    assert all(line.startswith("2026-01-31 10:") for line in data["news"])
    assert len(data["map"]["x"]) == 60
    assert any("have no name yet" in line for line in data["advice"])
    assert any(line.startswith("1 row was set aside: half of") for line in data["advice"])
    for profile in model.profiles():
        words = data["rows"][str(profile.id)]["typical"]
        assert words
        for row, told in zip(profile.typical, words, strict=True):
            # frame.iloc[3] is set aside, and has no number
            a, k = frame.drop(index=3).iloc[row - 1][["a", "k"]]
            assert f"k {k}" in told
            assert float(re.search(r"a (-?[\d.]+)", told)[1]) == pytest.approx(a, abs=0.5)
    with pytest.raises(ValueError, match="not fitted"):
        streamart.report(StreamART(), frame, tmp_path / "r.html")


def test_a_report_of_a_file_has_rows_and_reasons(command, tmp_path):
    """Also after an interruption, which a checkpoint brings over."""
    rng = np.random.default_rng(0)
    lines = [f"k{i},{rng.normal() + 9 * (i % 2):.3f},{'uv'[i % 2]}" for i in range(90)]
    lines[40] = "k40,zero,u"
    path, out = tmp_path / "t.csv", tmp_path / "r.html"
    path.write_text("key,a,kind\n" + "\n".join(lines) + "\n")
    assert command("cluster", path, "--id", "key", "--report", out, "--quiet")[0] == 0
    html = out.read_text()
    data = json.loads(html.split('type="application/json">')[1].split("</script>")[0])
    assert f"1 row was set aside: a is not a number ({path}, line 42)." in data["advice"]
    for cluster in data["summary"]["clusters"]:
        for kind in ("typical", "unusual"):
            words = data["rows"][str(cluster["id"])][kind]
            for row, told in zip(cluster[kind], words, strict=True):
                _, a, letter = lines[int(row[1:])].split(",")
                assert f"kind {letter}" in told
                assert float(re.search(r"a (-?[\d.]+)", told)[1]) == pytest.approx(
                    float(a), abs=0.5
                )


def test_rows_are_kept_for_a_report_only():
    few, none = Record(10), Record()
    for kept in (few, none):
        kept.keep_rows(np.array([2, 3]), np.array([2, 4]), np.array([[1.0], [2.0]]))
        kept.keep_rows(np.array([2, 5]), np.array([5]), np.array([[3.0]]))
    assert none.rows == {}
    assert {i: x.tolist() for i, x in few.rows.items()} == {2: [1.0], 5: [3.0]}
    document, arrays = few.kept()
    again = Record(10)
    again.restore(json.loads(json.dumps(document)), arrays)
    assert list(again.rows) == [2, 5]


# ---------------------------------------------------------------------- in a browser


def opened(path, log, hash_="", size="1400,2400"):
    """The page after all scripts, what the console said, and what was asked of the network."""
    done = subprocess.run(
        [
            *(CHROMIUM, *QUIET, f"--user-data-dir={log}", f"--window-size={size}"),
            *("--enable-logging=stderr", "--virtual-time-budget=4000"),
            *(f"--log-net-log={log}/net.json", "--dump-dom", f"file://{path}#{hash_}"),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    # One event a line. What the browser asks for by itself has no origin.
    lines = (log / "net.json").read_text().splitlines()
    jobs = [line for line in lines if '"initiator":' in line and "not an origin" not in line]
    asked = set(re.findall(r'"url":"(?!file:|data:)([^"]+)"', "\n".join(jobs)))
    attributes = dict(re.findall(r'data-([\w-]+)="([^"]*)"', done.stdout.split(">", 2)[1]))
    return attributes, console, asked


def many_clusters():
    """300 clusters, on a lattice."""
    rng = np.random.default_rng(0)
    centres = np.array([(i % 20, i // 20) for i in range(300)]) * 10.0
    X = centres[rng.permutation(np.repeat(np.arange(300), 5))]
    return X + rng.normal(scale=0.3, size=X.shape)


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")
@pytest.mark.skipif(not COMPILED, reason="the page is the same; compiled only")
@pytest.mark.parametrize("clusters", [3, 300])
def test_page_in_a_browser(tmp_path, clusters):
    if clusters == 3:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(300, 2)) + np.repeat([[0, 0], [20, 0], [0, 20]], 100, axis=0)
        found = learnt(network(), X)
    else:
        X = many_clusters()
        model = StreamART(400, n_clusters=300, record_events=True)
        found = learnt(model, X)
        assert model.n_clusters_ == 300
    path = tmp_path / "report.html"
    report.write_page(path, found)
    for theme in ("light", "dark"):
        log = tmp_path / theme
        log.mkdir()
        drawn, console, asked = opened(path, log, theme)
        assert console == []
        assert asked == set()
        assert drawn["drawn"] == "yes"
        assert drawn["theme"] == theme
        assert int(drawn["rows-drawn"]) == len(X)
        assert int(drawn["boxes-drawn"]) == found.model.n_categories_
        assert int(drawn["bars-drawn"]) == found.model.n_clusters_
        assert int(drawn["clusters-listed"]) == found.model.n_clusters_
        assert int(drawn["charts-drawn"]) == (5 if clusters == 3 else 4)
        assert int(drawn["bands-drawn"]) == len(page_data(found)["river"]["bands"])
        assert int(drawn["numbers-drawn"]) >= 3
        assert int(drawn["cards-drawn"]) == min(12, found.model.n_clusters_)


USED = """
const key = (to, key) => to.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
const all = (what) => [...document.querySelectorAll(what)];
const seen = {}, root = document.documentElement.dataset, find = document.getElementById("find");
const look = (text) => { find.value = text; find.dispatchEvent(new Event("input")); };
look(all("#clusters tbody td")[0].textContent);
seen.one = all("article").length + all("#clusters tbody tr").length;
look("nothing of the kind"); seen.none = all("article").length;
look("x2"); seen.feature = all("article").length > 0;
look("");
const card = all("article")[1];
seen.tab = card.tabIndex === 0;
key(card, "Enter");
seen.dimmed = all("article").filter((other) => other.style.opacity === "0.25").length;
key(card.querySelector("summary"), "Enter"); // opens the rows, and chooses nothing
seen.still = all("article").filter((other) => other.style.opacity === "0.25").length;
seen.rows = all("article details p").every((row) => row.textContent.includes("x1 "));
all("#clusters th button")[0].click();
seen.sorted = all("#clusters tbody tr").map((row) => row.firstChild.textContent).join("");
root.theme = "dark"; dispatchEvent(new Event("beforeprint"));
seen.printed = root.theme + all("article details[open]").length;
dispatchEvent(new Event("afterprint")); seen.after = root.theme;
root.used = JSON.stringify(seen).replaceAll('"', "'");
"""


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")
@pytest.mark.skipif(not COMPILED, reason="the page is the same; compiled only")
def test_the_page_can_be_searched_sorted_printed_and_used_by_keyboard(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2)) + np.repeat([[0, 0], [20, 0], [0, 20]], 100, axis=0)
    found = learnt(StreamART(n_clusters=3, record_events=True), X)
    path = tmp_path / "report.html"
    path.write_text(html_of(found).replace("</body>", f"<script>{USED}</script></body>"))
    drawn, console, _ = opened(path, tmp_path, "light")
    assert console == []
    assert json.loads(drawn["used"].replace("'", '"')) == {
        "one": 2,
        "none": 0,
        "feature": True,
        "tab": True,
        "dimmed": 2,
        "still": 2,
        "rows": True,
        "sorted": "".join(f"#{i}" for i in sorted(found.model.cluster_ids_.tolist())),
        "printed": "light3",
        "after": "dark",
    }


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")
@pytest.mark.skipif(not COMPILED, reason="the page is the same; compiled only")
def test_the_browser_would_tell_of_a_fault(tmp_path, two_d):
    """The test above can fail: a script that breaks, and a request that leaves, are seen."""
    html = html_of(two_d).replace('"use strict";', '"use strict"; console.error("broken");')
    html = html.replace("default-src 'none'", "default-src *")
    html = html.replace("</body>", '<img src="http://127.0.0.1:9/picture.png"></body>')
    html = html.replace("img-src data:", "img-src *")
    path = tmp_path / "report.html"
    path.write_text(html)
    _, console, asked = opened(path, tmp_path)
    assert any("broken" in line for line in console)
    assert asked == {"http://127.0.0.1:9/picture.png"}
