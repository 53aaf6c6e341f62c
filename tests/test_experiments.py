"""The paper's experiments: settings, protocols, the store, the page."""

import csv
import json
import re
import shutil
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from streamart import ICVITopoARTMAP, StreamART
from streamart.data import make_stream
from streamart.experiments import EXPERIMENTS, claims, jobs, paper
from streamart.experiments.experiment import (
    FULL,
    QUICK,
    Bench,
    Synthetic,
    best_of,
    embedding_sources,
    synthetic_data,
)
from streamart.experiments.jobs import Job, Lab, Store, code_version
from streamart.experiments.one_setting import one_setting
from streamart.experiments.pages import Table, write_page
from streamart.experiments.protocols import PROTOCOLS, contingency, made, rand_of_table
from streamart.experiments.robustness import with_vigilance
from streamart.experiments.settings import (
    SELF_TUNING,
    SLOW,
    face_network,
    face_rivals,
    network,
    rivals,
    setting,
    taught,
    taught_faces,
)
from streamart.experiments.streams import (
    AS_STORED,
    OTHER_SEQUENCE,
    DataError,
    Stream,
    file_source,
    load,
    plane,
    samples_of,
    typical_distance,
)
from support import DATA

PAPER = DATA.parent / "paper" / "icvi-topoartmap.tex"


# ---------------------------------------------------------------------- what the paper says


def test_the_papers_numbers_are_those_of_its_tables():
    if not PAPER.exists():
        pytest.skip("the paper's source is not here")
    text = re.sub(r"\\text(bf|it)\{([^}]*)\}", r"\2", PAPER.read_text())
    tables = [part for part in text.split(r"\begin{tabular}")[1:] if "model" in part[:300]]
    found = [dict(rows_of(table)) for table in tables]
    assert len(found) == 4
    reported = (paper.TABLE_2, paper.TABLE_3, paper.TABLE_4, paper.TABLE_5)
    for table, ours in zip(found, reported, strict=True):
        assert set(table) == set(ours)
        for name, numbers in table.items():
            assert numbers == figures(ours[name]), name


def rows_of(table):
    """Name and numbers of each row of a TeX table."""
    body = table.split(r"\midrule", 1)[1].split(r"\bottomrule")[0]
    for row in re.sub(r"\\(midrule|cmidrule\S*)", "", body).split(r"\\"):
        cells = [cell.strip() for cell in row.split("&")]
        if len(cells) > 4:
            yield re.split(r"[~ (]", cells[0])[0], [float(cell) for cell in cells[1:]]


def figures(reported):
    if isinstance(reported, paper.Taught):
        return [1.0, 0.0, *reported]
    return [number for row in reported for number in row]


def test_grids_have_the_sizes_of_the_appendix():
    sizes = {name: len(grid) for name, grid in rivals(7).items()}
    assert sizes == {"skm": 1, "iskm": 100, "DRN": 10, "WS-DVFA": 91, "WS-TopoFA": 120}
    whole = [icvi for icvi in paper.INDICES if icvi not in SLOW]
    assert len(whole) == 4
    assert all(len(network(icvi)) == 120 for icvi in whole)
    faces = {name: len(grid) for name, grid in face_rivals(200, 1.0).items()}
    assert (faces["iskm"], faces["WS-TopoFA"], faces["E-TopoFA"]) == (10, 10, 3)


def test_every_setting_is_one_that_its_model_knows():
    grids = [*rivals(7).values(), *face_rivals(200, 0.5).values()]
    grids += [network(icvi, second) for icvi in paper.INDICES for second in ("user", "raised")]
    grids.append([face_network(i, o, 0.1) for i in paper.INDICES for o in paper.FACE_ORDERS])
    grids.append([taught(icvi, 0) for icvi in paper.INDICES])
    grids.append([taught_faces(icvi, 0.5) for icvi in paper.INDICES])
    for grid in grids:
        assert len(set(grid)) == len(grid)
        for chosen in grid:
            params = made(chosen).get_params()
            assert {name: params[name] for name, _ in chosen.params} == dict(chosen.params)


GRID = {"phi": 5, "rho_mt": 0.9, "alpha": 0.001, "beta1": 1.0, "beta2": 0.0, "epsilon": 0.01}
ALL_ON = {"strategies": ("merge", "split", "swap", "compress", "prune")}
TEACHING = {"strategies": ("compress",)}
FACES = {"icvi_match_tracking": False}


@pytest.mark.parametrize(
    ("chosen", "appendix"),
    [
        (network("wb")[0], GRID | ALL_ON | {"icvi": "wb", "rho_c": 0.0, "match": "fuzzy"}),
        (network("conn")[-1], GRID | ALL_ON | {"rho": 0.9, "rho_c": 0.9, "tau": 5, "xi": 600}),
        (
            taught("pbm", 0),
            TEACHING
            | {"rho": 0.0, "rho_c": 0.0, "rho_mt": 0.9, "xi": 100, "map_learning": "fixed"}
            | {"icvi_match_tracking": True, "use_uncommitted": True},
        ),
        (
            face_network("ch", "class-incremental", 0.2),
            FACES
            | {"match": "cosine", "beta2": 0.0, "phi": 3, "xi": 100}
            | {"strategies": ("swap", "prune")},
        ),
        (face_network("conn", "random", 0.2), FACES | {"beta2": 0.6, "strategies": ("swap",)}),
        (
            taught_faces("xb", 1.0),
            TEACHING
            | {"match": "cosine", "rho": 2.0, "rho_mt": 0.1, "xi": 300, "map_learning": "fixed"}
            | {"icvi_match_tracking": True, "use_uncommitted": True},
        ),
        (rivals(7)["WS-TopoFA"][0], {"alpha": 0.001, "beta1": 1.0, "phi": 5}),
        (face_rivals(9, 1.0)["WS-TopoFA"][0], {"beta2": 0.6, "phi": 0, "tau": 100}),
        (rivals(7)["WS-DVFA"][0], {"alpha": 0.001, "beta": 1.0}),
        (rivals(7)["DRN"][0], {"eta": 1.0, "eta_g": 1.0, "nu": 2, "alpha": 1.0}),
        (
            face_rivals(9, 1.0)["E-TopoFA"][0],
            {"rho": 0.1, "match": "cosine", "alpha": 0.001, "beta1": 1.0, "beta2": 0.0},
        ),
    ],
    ids=lambda value: f"{value.model} {value.get('icvi')}" if hasattr(value, "model") else "",
)
def test_settings_are_those_of_the_appendix(chosen, appendix):
    params = made(chosen).get_params()
    assert {name: params[name] for name in appendix} == appendix


def test_grids_go_over_the_values_of_the_appendix():
    tenths = {step / 10 for step in range(10)}
    xis = {100, 200, 300, 400, 500, 600}
    for icvi in paper.INDICES:
        grid = network(icvi)
        some_rhos, some_xis = SLOW.get(icvi, (tenths, xis))
        assert {one.get("rho") for one in grid} == set(some_rhos) <= tenths
        assert {one.get("tau") for one in grid} == {0, 5}
        assert {one.get("xi") for one in grid} == set(some_xis) <= xis
    topo = rivals(7)["WS-TopoFA"]
    assert {one.get("rho") for one in topo} == tenths
    assert {one.get("beta2") for one in topo} == {0.0, 0.6}
    assert {one.get("tau") for one in topo} == {100, 200, 300, 400, 500, 600}
    dual = rivals(7)["WS-DVFA"]
    assert {one.get("rho") for one in dual} == tenths
    assert all(-1e-9 <= one.get("rho") - one.get("rho_lower") <= 0.09 + 1e-9 for one in dual)
    assert {one.get("forgetting") for one in face_rivals(9, 1.0)["iskm"]} == {
        round(0.18 + 0.09 * step, 2) for step in range(10)
    }


def test_of_equal_settings_the_papers_row_is_shown():
    grid, stream = [setting("DRN", rho=rho) for rho in (0.1, 0.2, 0.3)], Stream(plane(1))
    rows = [(0.5, 9, 9), (0.9, 7, 10), (0.9, 7, 11)]
    results = {
        Job("cluster", one, stream): dict(zip(("ari", "clusters", "categories"), row, strict=True))
        for one, row in zip(grid, rows, strict=True)
    }
    assert best_of(results, grid, stream).setting == grid[1]
    assert best_of(results, grid, stream, paper.Row(0.9, 7, 11)).setting == grid[2]
    assert best_of(results, grid, stream, paper.Row(0.8, 7, 11)).setting == grid[1]


def test_the_conn_index_compresses_with_its_own_vigilance():
    assert all(chosen.get("rho") == chosen.get("rho_c") for chosen in network("conn"))
    assert all(chosen.get("rho_c") == 0.0 for chosen in network("wb"))


def test_a_sweep_moves_what_is_tied_to_the_vigilance():
    dual = with_vigilance(setting("WSDVFA", rho=0.8, rho_lower=0.75), 0.5)
    assert dict(dual.params) == {"rho": 0.5, "rho_lower": 0.45}
    assert with_vigilance(network("conn")[0], 0.7).get("rho_c") == 0.7
    assert with_vigilance(network("ch")[0], 0.7).get("rho_c") == 0.0


# ---------------------------------------------------------------------- streams


def test_orders_of_a_source():
    source = plane(3, samples=70)
    X, y = samples_of(Stream(source, AS_STORED))
    np.testing.assert_array_equal(X, load(source)[0])
    A, b = samples_of(Stream(source, OTHER_SEQUENCE, 5))
    assert np.all(np.diff(b) >= 0)  # class by class
    sequence = [int(y[np.flatnonzero((x == X).all(axis=1))[0]]) for x in A]
    assert sequence != sorted(sequence)  # but not from the first to the last
    assert adjusted_rand_score(sequence, b) == 1.0


def test_files_that_cannot_be_used_are_refused_with_a_reason(tmp_path):
    cases = {
        "no X": {"y": np.zeros(3)},
        "another length": {"X": np.ones((3, 2)), "y": np.zeros(2)},
        "not finite": {"X": np.full((3, 2), np.nan), "y": np.zeros(3)},
        "one dimension": {"X": np.ones(3), "y": np.zeros(3)},
        "empty": {"X": np.ones((0, 2)), "y": np.zeros(0)},
    }
    for name, arrays in cases.items():
        path = tmp_path / f"{name}.npz"
        np.savez(path, **arrays)
        with pytest.raises(DataError, match=re.escape(str(path))):
            file_source(path)
    for name in ("missing.npz", "missing.csv"):
        with pytest.raises(DataError, match="No such file"):
            file_source(tmp_path / name)
    (tmp_path / "words.csv").write_text("x,label\nred,1\n")
    (tmp_path / "cut.npz").write_bytes(b"PK\x03\x04 cut")
    for name in ("words.csv", "cut.npz"):
        with pytest.raises(DataError, match="cannot be read"):
            file_source(tmp_path / name)


def test_two_files_of_one_name_are_refused(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        np.savez(tmp_path / folder / "faces.npz", X=np.eye(3), y=np.arange(3))
    paths = [tmp_path / folder / "faces.npz" for folder in ("a", "b")]
    with pytest.raises(DataError, match="same name"):
        embedding_sources(paths)


def test_typical_distance_is_the_median_of_all_pairs(tmp_path):
    X = np.array([[1.0, 0.0], [3.0, 0.0], [0.0, 2.0]])  # two of three pairs are at right angles
    np.savez(tmp_path / "three.npz", X=X, y=np.arange(3))
    assert typical_distance(file_source(tmp_path / "three.npz")) == pytest.approx(1.0)
    X = np.random.default_rng(0).standard_normal((200, 5))
    np.savez(tmp_path / "many.npz", X=X, y=np.arange(200))
    many = file_source(tmp_path / "many.npz")
    assert typical_distance(many, 100) == pytest.approx(typical_distance(many), abs=0.05)


def test_a_first_line_of_numbers_is_a_sample(tmp_path):
    lines = ["1,2,0", "3,4,1", "5,6,1"]
    (tmp_path / "bare.csv").write_text("\n".join(lines))
    (tmp_path / "named.csv").write_text("\n".join(["a,b,class", *lines]))
    for name in ("bare", "named"):
        X, y = load(file_source(tmp_path / f"{name}.csv"))
        assert X.tolist() == [[1, 2], [3, 4], [5, 6]]
        assert y.tolist() == [0, 1, 1]


def test_synthetic_data_has_two_features_and_seven_classes(tmp_path):
    X, y = make_stream("random", 70, random_state=0)
    for name in ("exp1", "exp2"):
        np.savetxt(tmp_path / f"{name}.csv", np.column_stack([X, y]), delimiter=",")
    found = synthetic_data(tmp_path, FULL)
    assert not found.papers
    assert found.streams()["class-incremental"].order == AS_STORED
    np.savetxt(tmp_path / "exp2.csv", np.column_stack([X, y % 3]), delimiter=",")
    with pytest.raises(DataError, match="two features and 7 classes"):
        synthetic_data(tmp_path, FULL)
    if (DATA / "exp1.csv").exists():
        assert synthetic_data(DATA, FULL).papers


# ---------------------------------------------------------------------- protocols


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40))
def test_the_quick_rand_index_is_scikit_learns(pairs):
    y, labels = np.array(pairs).T
    ours = rand_of_table(contingency(y, labels))
    assert ours == pytest.approx(adjusted_rand_score(y, labels), abs=1e-12)


def stream_of(n=70):
    return make_stream("mixed", n, random_state=0)


@pytest.mark.parametrize(
    "chosen",
    [
        setting("ICVITopoARTMAP", icvi="wb"),
        SELF_TUNING,
        setting("SequentialKMeans", n_clusters=3),
        setting("DRN", rho=0.7),
        setting("WSTopoFA", rho=0.8, phi=1),
    ],
    ids=lambda chosen: chosen.model,
)
def test_what_is_drawn_is_what_the_model_has_learnt(chosen):
    X, y = stream_of()
    shown = json.loads(json.dumps(PROTOCOLS["partition"](chosen, X, y, 0)))
    result = PROTOCOLS["cluster"](chosen, X, y, 0)
    model = made(chosen).fit(X)
    assert shown["labels"] == model.predict(X).tolist()
    for what in ("ari", "clusters", "categories"):
        assert shown[what] == result[what]
    assert result["ari"] == adjusted_rand_score(y, model.predict(X))
    if "centres" in shown:
        assert len(shown["centres"]) == model.n_clusters_
        return
    assert len(shown["lower"]) == len(shown["box_clusters"]) == model.n_categories_
    rows, columns, strength = shown["links"]
    assert len(rows) == len(columns) == len(strength)
    assert all(i < j for i, j in zip(rows, columns, strict=True))
    assert ("outer" in shown) == (chosen.model == "DRN")


@pytest.mark.parametrize("chosen", [setting("ICVITopoARTMAP"), SELF_TUNING], ids=str)
def test_tracking_presents_all_samples_so_far(chosen):
    X, y = stream_of(50)
    found = PROTOCOLS["track"](chosen, X, y, 0)
    model = ICVITopoARTMAP(record_history=True) if chosen != SELF_TUNING else StreamART()
    for t in range(50):
        model.partial_fit(X[t : t + 1])
        # StreamART's number of clusters depends on when somebody looked before.
        ari = adjusted_rand_score(y[: t + 1], model.predict(X[: t + 1]))
        if t % 7 == 0 or t == 49:
            assert found["ari"][t] == pytest.approx(ari, abs=1e-12)
            assert found["clusters"][t] == model.n_clusters_
            assert found["categories"][t] == model.n_categories_
    if chosen != SELF_TUNING:
        assert found["tracker"] == model.history_["tracker"].tolist()
        assert found["rho"] == model.history_["rho"].tolist()


@pytest.mark.parametrize(
    "chosen",
    [setting("NearestNeighbour"), taught("ch", 0), taught("db", 100), SELF_TUNING],
    ids=lambda chosen: f"{chosen.model} {chosen.get('icvi')}",
)
def test_one_labelled_sample_of_each_class_is_enough_where_classes_are_far_apart(chosen):
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(3), 12)
    X = 50.0 * np.array([[0, 0], [1, 0], [0, 1]])[y] + rng.standard_normal((36, 2))
    for seed in range(3):
        result = PROTOCOLS["teach"](chosen, X, y, seed)
        assert result["wrong"] == result["wrong_at_once"] == result["wrong_in_training"] == 0
        assert (result["accuracy"], result["clusters"]) == (1.0, 3)


def test_wrong_answers_are_counted():
    """The nearest neighbour of two classes that lie in one place is right half of the time."""
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((200, 2)), np.repeat([0, 1], 100)
    result = PROTOCOLS["teach"](setting("NearestNeighbour"), X, y, 0)
    assert 40 < result["wrong"] < 160
    assert result["accuracy"] == pytest.approx(1 - result["wrong"] / 198)


def test_the_ceiling_is_given_the_truth():
    X, y = make_stream("random", 300, random_state=1)
    assert PROTOCOLS["ceiling"](setting("QDA"), X, y, 0)["ari"] > 0.95


# ---------------------------------------------------------------------- jobs and the store


def test_a_job_is_known_by_what_its_result_depends_on(tmp_path):
    np.savez(tmp_path / "one.npz", X=np.eye(4), y=np.arange(4))
    np.savez(tmp_path / "two.npz", X=np.eye(4), y=np.arange(4))
    np.savez(tmp_path / "other.npz", X=2 * np.eye(4), y=np.arange(4))
    one, two, other = (
        Job("cluster", setting("DRN", rho=0.5), Stream(file_source(tmp_path / f"{name}.npz")))
        for name in ("one", "two", "other")
    )
    assert one.key == two.key != other.key
    different = [
        one._replace(seed=1),
        one._replace(protocol="track"),
        one._replace(setting=setting("DRN", rho=0.6)),
        one._replace(setting=setting("ETopoFA", rho=0.5)),
        one._replace(stream=one.stream._replace(order="random")),
        one._replace(stream=one.stream._replace(order="random", seed=1)),
        one._replace(stream=Stream(plane(1))),
        one._replace(stream=Stream(plane(2))),
    ]
    assert len({job.key for job in (one, *different)}) == 9


def test_the_order_of_parameters_does_not_matter():
    stream = Stream(plane(1))
    assert (
        Job("cluster", setting("DRN", rho=0.5, nu=2), stream).key
        == Job("cluster", setting("DRN", nu=2, rho=0.5), stream).key
    )


def test_another_version_of_the_code_does_the_work_again(monkeypatch, tmp_path):
    job = Job("cluster", setting("DRN"), Stream(plane(1)))
    before = job.key
    copy = tmp_path / "streamart"
    shutil.copytree(jobs._PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(jobs, "_PACKAGE", copy)

    def key_now():
        code_version.cache_clear()
        return job.key

    try:
        assert key_now() == before
        for name in ("report/page.py", "cli/app.py", "experiments/table2.py"):
            (copy / name).write_text("# another\n")
            assert key_now() == before  # no result depends on it
        for name in (
            "core/learn.py",
            "baselines/drn.py",
            "experiments/protocols.py",
            "data/streams.py",
        ):
            earlier = key_now()
            (copy / name).write_text("# another\n")
            assert key_now() != earlier
        monkeypatch.setattr(jobs, "version", lambda library: "another")
        assert key_now() not in (before, earlier)
    finally:
        code_version.cache_clear()


class Stages:
    """A progress bar that remembers."""

    def __init__(self):
        self.said = []

    def begin(self, title, jobs, known):
        self.said.append([title, jobs, known])

    def advance(self):
        self.said[-1][2] += 1

    def end(self):
        pass


class Hands:
    """Workers that count; they fail after a number of jobs."""

    def __init__(self, strength=1000):
        self.strength = strength
        self.did = 0

    def do(self, jobs):
        for job in jobs:
            if self.did == self.strength:
                raise KeyboardInterrupt
            self.did += 1
            yield job, {"ari": 0.5, "seed": job.seed}, 2.0


def test_a_stopped_run_goes_on_where_it_was(tmp_path):
    jobs = [Job("cluster", setting("DRN"), Stream(plane(1)), seed) for seed in range(10)]
    store = Store(tmp_path / "results.sqlite")
    with pytest.raises(KeyboardInterrupt):
        Lab(store, Hands(strength=4), Stages()).results("first", jobs)
    store.close()

    store, hands, stages = Store(tmp_path / "results.sqlite"), Hands(), Stages()
    lab = Lab(store, hands, stages)
    found = lab.results("again", jobs + jobs)
    assert hands.did == 6
    assert stages.said == [["again", 10, 10]]
    assert [found[job]["seed"] for job in jobs] == list(range(10))
    assert lab.tally[:2] == (10, 20.0)
    assert len(lab.tally.days) == 1
    store.close()


# ---------------------------------------------------------------------- pages


class MadeUp:
    """A lab that makes results up: what is tested is the page, not the models."""

    def __init__(self):
        self.tally = Lab(None, None, None).tally._replace(days=("2026-01-01", "2026-01-02"))

    def results(self, title, jobs):
        return {job: getattr(self, job.protocol)(job) for job in jobs}

    def cluster(self, job):
        chance = zlib.crc32(job.key.encode()) / 2**32
        return {"ari": chance, "clusters": 7, "categories": 9, "seconds": 0.1}

    def ceiling(self, job):
        return {"ari": 0.99}

    def teach(self, job):
        wrong = zlib.crc32(job.key.encode()) % 50
        return {"accuracy": 1 - wrong / 100, "wrong": wrong, "wrong_at_once": wrong,
                "wrong_in_training": 0, "clusters": 7, "categories": 8}  # fmt: skip

    def project(self, job):
        X, y = samples_of(job.stream)
        return {"points": X[:, :2].tolist(), "labels": y.tolist(), "ari": 0.9, "clusters": 7}

    def partition(self, job):
        X, y = samples_of(job.stream)
        shown = {"ari": 0.9, "clusters": 7, "categories": 2, "labels": y.tolist()}
        if "KMeans" in job.setting.model:
            return shown | {"centres": X[:3].tolist()}
        corners = {"lower": X[:2].tolist(), "upper": (X[:2] + 1).tolist()}
        shown |= corners | {"box_clusters": [0, -1], "middles": X[:2].tolist()}
        if job.setting.model == "WSDVFA":
            return shown
        outer = {"outer": [[0.0, 0.0], [1.0, 1.0]]} if job.setting.model == "DRN" else {}
        links = [[], [], []] if outer else [[0], [1], [3.0]]
        return shown | outer | {"links": links}

    def track(self, job):
        n = len(samples_of(job.stream)[0])
        found = {"ari": [0.5] * n, "clusters": [7] * n, "categories": [9] * n}
        if job.setting == SELF_TUNING:
            return found
        value = [float("nan")] * n if job.setting.get("icvi") == "xb" else list(range(n))
        return found | {"icvi_value": value, "tracker": [0] * n, "rho": [0.9] * n}


def page_of(names, papers, tmp_path):
    """The page of these experiments, and the folder beside it."""
    synthetic = Synthetic(plane(1, 70), plane(2, 70), papers=papers)
    bench = Bench(MadeUp(), FULL if papers else QUICK, synthetic, embedding_sources([]))
    page, folder = tmp_path / "page.md", tmp_path / "page"
    write_page(page, folder, "Title", "Intro", [EXPERIMENTS[name](bench) for name in names])
    return page.read_text(), folder


def test_the_page_has_every_table_and_figure(tmp_path, monkeypatch):
    # `make quick-reproduction` draws them for real.
    monkeypatch.setattr(
        "matplotlib.figure.Figure.savefig",
        lambda figure, path, **options: path.write_bytes(bytes(2000)),
    )
    text, folder = page_of(EXPERIMENTS, False, tmp_path)
    pictures = re.findall(r"\]\((page/[^)]*)\)", text)
    assert len(pictures) == len(list(folder.glob("*.png"))) == 13
    for target in pictures:
        assert (tmp_path / target).stat().st_size > 1000
    for name, rows in paper.TABLE_2.items():
        for row in rows:
            assert f"| {name} | {row.ari:.4f}, {row.clusters}, {row.categories} |" in text
    for name, row in (*paper.TABLE_3.items(), *paper.TABLE_5.items()):
        assert (
            f"| {name} | {row.wrong}, {row.accuracy:.4f}, {row.classes}, {row.categories} |" in text
        )
    for by_order in paper.TABLE_4.values():
        assert all(f"{row.ari:.4f}, {row.clusters}, {row.categories}" in text for row in by_order)
    assert "What differs, and why" not in text  # other points than the paper's
    # Every table is a CSV file too, and no row has lost a cell.
    for path in folder.glob("*.csv"):
        with path.open() as file:
            rows = list(csv.reader(file))
        assert len(rows) > 1
        assert len({len(row) for row in rows}) == 1


def test_the_papers_own_points_are_compared_with_its_rows(tmp_path):
    text, folder = page_of(["table2", "table3"], True, tmp_path)
    assert "Of the 22 rows of the two orders whose points are known, 0 are the same" in text
    assert "numbers of categories are nearest to the paper's with `tau`" in text
    with (folder / "table2-checks.csv").open() as file:
        checks = list(csv.DictReader(file))
    assert len(checks) == 14
    for check in checks:
        held = float(check["found"]) >= float(check["at least"].removeprefix("≥ "))
        assert check["reached"] == ("yes" if held else "**no**")


def test_the_worst_run_names_the_orders_it_covers(tmp_path):
    """A model that fails only where the classes come in another sequence."""

    class Fails(MadeUp):
        def cluster(self, job):
            ari = 0.25 if job.stream.order == OTHER_SEQUENCE else 0.99
            return {"ari": ari, "clusters": 7, "categories": 9, "seconds": 0.1}

    synthetic = Synthetic(plane(1, 70), plane(2, 70), papers=True)
    _, checks = one_setting(Bench(Fails(), FULL, synthetic, []))
    worst = {check.claim: check for check in checks if "worst" in check.claim}
    assert len(worst) == 4
    for claim, check in worst.items():
        four = OTHER_SEQUENCE in claim
        assert four or "the paper's three orders" in claim
        assert (check.found, check.holds) == ((0.25, False) if four else (0.99, True))


def test_a_claim_holds_if_all_of_its_parts_do():
    assert [claims.claim("", "", "", parts).holds for parts in ([True], [True] * 3)] == ["yes"] * 2
    assert claims.claim("", "", "", [True, False, True]).holds == "in 2 of 3"
    assert claims.claim("", "", "", [False, False]).holds == "**no**"


def test_the_papers_table_bears_out_its_counts_of_variants():
    """Section 3.4: 5, 6 and 4 of 6 variants are better than all other ART models."""
    counts = [len(claims._above(ari)) for ari in claims._papers_ari().values()]
    assert counts == [5, 6, 4]


def test_rows_of_a_table_are_as_long_as_its_heading():
    table = Table("name", ("model", "ARI", "note"), [("a", "0.5 ± 0.1", "x"), ("b", "0.25", "")])
    assert table.markdown().splitlines() == [
        "| model | ARI | note |",
        "| --- | ---: | --- |",
        "| a | 0.5 ± 0.1 | x |",
        "| b | 0.25 |  |",
    ]
