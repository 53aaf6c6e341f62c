"""Commands in this process: options, outputs, messages. test_cli_processes.py has the rest."""

import io
import json
import os
import re
import signal
import sys
import threading
import time

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet
from rich.console import Console
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import streamart
from streamart import ICVITopoARTMAP, StreamART, cli
from streamart.cli import app, talk
from streamart.cli.errors import UserError
from streamart.cli.reading.blocks import blocks
from streamart.cli.reading.columns import Choice
from streamart.cli.running import run as running
from streamart.cli.running import scores
from streamart.cli.running.checkpoints import Checkpoints
from streamart.cli.running.job import Job
from streamart.cli.running.scores import Agreement
from streamart.cli.running.writers import CsvWriter, NdjsonWriter
from streamart.data import make_stream
from support import COMPILED

N = 150 if COMPILED else 45


@pytest.fixture
def stream(tmp_path):
    """A file of rows in 7 clusters, with an id and a label that some rows have."""
    X, y = make_stream("random", N, 0)
    rows = ["key,x1,x2,true,said"]
    for i, ((a, b), k) in enumerate(zip(X.round(5).tolist(), y.tolist(), strict=True)):
        rows.append(f"k{i},{a},{b},{k},{'north' if k < 2 and i % 3 == 0 else ''}")
    path = tmp_path / "stream.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


XY = ("--columns", "x1,x2")


def stdin_of(text, monkeypatch):
    """Standard input that is a pipe, with this in it."""
    read, write = os.pipe()

    def fill():
        with os.fdopen(write, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())

    threading.Thread(target=fill).start()
    pipe = os.fdopen(read)
    monkeypatch.setattr(sys, "stdin", pipe)
    return pipe


def test_detail_and_half_life_are_options_and_a_model_can_be_given_others(
    command, stream, tmp_path
):
    model = tmp_path / "model"
    code, text, err = command("cluster", stream, *XY, "--half-life", 60, "--save", model)
    assert code == 0, err
    half, now, twice = streamart.load(model).n_clusters_at_detail_.values()
    assert text.startswith(f"{now} clusters of {N} samples (coarser: {half}, finer: {twice}), ")
    more = ("--model", model, "--detail", 2, "--half-life", 90, "--json")
    found = json.loads(command("cluster", stream, *XY, *more)[1])
    assert (found["parameters"]["detail"], found["parameters"]["half_life"]) == (2, 90)
    assert found["n_clusters"] == found["n_clusters_at_detail"]["now"]
    assert found["n_clusters_at_detail"]["coarser"] < found["n_clusters"]
    assert streamart.load(model).detail == 2


def test_labels_are_those_of_the_finished_model(command, stream, tmp_path):
    out, model = tmp_path / "labels.parquet", tmp_path / "model"
    code, text, err = command(
        *("cluster", stream, *XY, "--id", "key", "--truth", "true", "--out", out, "--save", model),
        *("--events", tmp_path / "events.ndjson"),
    )
    assert code == 0, err
    labels = parquet.read_table(out)
    assert labels.column_names == ["key", "cluster"]
    assert labels["key"].to_pylist() == [f"k{i}" for i in range(N)]
    X, y = make_stream("random", N, 0)
    loaded = streamart.load(model)
    assert isinstance(loaded, StreamART)
    assert loaded.feature_names_in_.tolist() == ["x1", "x2"]
    table = pa.table({"x1": X[:, 0].round(5), "x2": X[:, 1].round(5)})
    ids = loaded.cluster_ids_[loaded.predict(table)]
    assert labels["cluster"].to_pylist() == ids.tolist()
    # the same partition as with fit, which knows nothing of chunks and looks
    assert adjusted_rand_score(StreamART().fit(table).labels_, ids) == 1
    ari, nmi = adjusted_rand_score(y, ids), normalized_mutual_info_score(y, ids)
    assert f"against true: ARI {ari:.4f}, NMI {nmi:.4f} ({N} rows)" in text
    assert f"{loaded.n_clusters_} clusters of {N} samples" in text
    assert "delimiter ',', decimal sign '.', header" in err
    assert re.search(r"x1, x2 +measurement +numbers", err)
    assert re.search(r"said +left out +not among --columns", err)
    events = [json.loads(line) for line in (tmp_path / "events.ndjson").read_text().splitlines()]
    assert [event["number"] for event in events] == list(range(len(events)))
    assert {event["kind"] for event in events} >= {"created"}
    # every id that ended is in the events, and leads to a living one
    summary = json.loads(command("inspect", model, "--json")[1])
    gone = {event["ids"][0] for event in events if event["kind"] in ("merged", "pruned")}
    assert {int(old) for old in summary["aliases"]} == gone
    assert set(summary["aliases"].values()) <= {cluster["id"] for cluster in summary["clusters"]}


def test_what_is_asked_for_does_not_change_ids(command, stream, tmp_path):
    """Nor does the way the rows come in: a file, or a pipe."""
    found = []
    for extra in ([], ["--events", tmp_path / "e"], ["--report", tmp_path / "r.html"]):
        assert command("cluster", stream, *XY, "--out", tmp_path / "o.csv", *extra)[0] == 0
        found.append((tmp_path / "o.csv").read_text())
    assert found[0] == found[1] == found[2]


def test_a_pipe_gives_the_same_as_a_file(command, stream, tmp_path, monkeypatch):
    command("cluster", stream, *XY, "--out", tmp_path / "a.csv")
    with stdin_of(stream.read_text(), monkeypatch):
        code, out, _ = command("cluster", "-", *XY, "--out", "-", "--quiet")
    assert code == 0
    assert out == (tmp_path / "a.csv").read_text()


def test_binary_tables_by_a_pipe(command, tmp_path, monkeypatch):
    X, _ = make_stream("random", 30, 0)
    np.save(tmp_path / "x.npy", X)
    with stdin_of((tmp_path / "x.npy").read_bytes(), monkeypatch):
        code, out, err = command("cluster", "-", "--json")
    assert code == 0, err
    assert json.loads(out)["samples"] == 30


def test_the_papers_network(command, stream, tmp_path):
    model = tmp_path / "model"
    code, out, _ = command(
        *("cluster", stream, *XY, "--icvi", "wb", "--set", "rho=0.2"),
        *("--set", "strategies=merge,swap,prune"),
        *("--save", model, "--json", "--events", tmp_path / "e.ndjson"),
    )
    assert code == 0
    summary = json.loads(out)
    X, _ = make_stream("random", N, 0)
    chosen = ["merge", "swap", "prune"]
    same = ICVITopoARTMAP("wb", rho=0.2, strategies=chosen, record_events=100_000)
    same.partial_fit(X.round(5))
    assert summary["method"] == "topoartmap"
    assert summary["parameters"]["strategies"] == chosen
    assert summary["parameters"]["rho"] == 0.2
    assert summary["index"] == {"name": "wb", "value": same.icvi_value_}
    assert [c["id"] for c in summary["clusters"]] == same.cluster_ids_[
        np.argsort(-same.clusters_.n, kind="stable")
    ].tolist()
    # no event is lost
    lines = (tmp_path / "e.ndjson").read_text().splitlines()
    assert [json.loads(line)["kind"] for line in lines] == [event.kind for event in same.events_]
    assert sum(summary["run"]["events"].values()) == len(lines)


def test_labels_that_some_rows_have(command, stream, tmp_path):
    code, out, err = command(
        *("cluster", stream, *XY, "--label", "said", "--truth", "true"),
        *("--out", tmp_path / "o.ndjson", "--report", tmp_path / "r.html"),
    )
    assert code == 0, err
    assert "north" in out
    rows = [json.loads(line) for line in (tmp_path / "o.ndjson").read_text().splitlines()]
    assert list(rows[0]) == ["row", "cluster", "cluster_name"]
    assert {row["cluster_name"] for row in rows} == {"north", None}
    y = make_stream("random", N, 0)[1]
    said = [i for i in range(0, N, 3) if y[i] < 2]
    named = np.array([row["cluster_name"] == "north" for row in rows])
    assert {int(k) for k in y[said]} == {0, 1}  # two clusters got one name, and are one
    assert named[said].all()
    assert named.sum() > len(said)


def test_several_files_and_rejects(command, tmp_path):
    X, _ = make_stream("random", 60, 0)
    for part in range(2):
        rows = "".join(f"{a},{b}\n" for a, b in X[part * 30 : part * 30 + 30])
        (tmp_path / f"{part}.csv").write_text("a,b\n" + rows + "1,x\n")
    code, out, err = command(
        *("cluster", tmp_path / "[01].csv", "--out", tmp_path / "o.csv", "--json"),
        *("--rejects", tmp_path / "bad.csv"),
    )
    assert code == 0, err
    summary = json.loads(out)["run"]
    assert (summary["rows_learnt"], summary["rows_rejected"]) == (60, 2)
    assert summary["reject_reasons"] == {"b is not a number": 2}
    rejected = (tmp_path / "bad.csv").read_text().splitlines()
    assert rejected[1] == f"{tmp_path / '0.csv'},32,b is not a number: 'x',\"1,x\""
    lines = (tmp_path / "o.csv").read_text().splitlines()
    assert lines[0] == "file,row,cluster"
    assert lines[31].startswith(f"{tmp_path / '1.csv'},1,")

    code, _, err = command("cluster", tmp_path / "[01].csv")
    assert "2 files, read in this order" in err
    assert "2 rows could not be used: b is not a number (2)" in err
    assert "line 32: b is not a number: 'x'" in err
    code, _, err = command("cluster", tmp_path / "0.csv", "--on-error", "stop")
    assert code == 1
    assert err.endswith(
        f"Error: {tmp_path / '0.csv'}, line 32: b is not a number: 'x'.\n"
        "Put it right, or leave such rows out with --on-error skip.\n"
    )


def test_many_rejects_are_not_all_reported(command, tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n" + "1,2\n" * 9 + "x,1\n" * 8)
    _, _, err = command("cluster", tmp_path / "x.csv", "--columns", "a,b")
    assert "... and 3 more; --rejects FILE writes all" in err


def test_no_usable_row(command, tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,inf\n")
    code, _, err = command("cluster", tmp_path / "x.csv", "--columns", "a,b")
    assert code == 3
    assert "all 1 were refused" in err
    (tmp_path / "y.csv").write_text("a,b\n")
    code, _, err = command("cluster", tmp_path / "y.csv", "--columns", "a,b")
    assert code == 3
    assert "holds no rows" in err


def test_a_model_goes_on(command, stream, tmp_path):
    model, other = tmp_path / "model", tmp_path / "other"
    command("cluster", stream, *XY, "--save", model)
    before = model.read_bytes()
    # elsewhere by --save, in place without; columns by the names the model knows
    assert command("cluster", stream, "--model", model, "--save", other, "--quiet")[0] == 0
    assert model.read_bytes() == before
    assert streamart.load(other).n_samples_seen_ == 2 * N
    _, out, _ = command("cluster", stream, "--model", model, "--json")
    summary = json.loads(out)
    assert summary["samples"] == 2 * N
    assert all(cluster["first_seen"] <= cluster["last_seen"] for cluster in summary["clusters"])
    assert streamart.load(model).n_samples_seen_ == 2 * N


def test_follow_in_this_process(command, stream, tmp_path, monkeypatch):
    text = stream.read_text()
    with stdin_of(text, monkeypatch):
        code, out, err = command(
            *("cluster", "-", "--follow", *XY, "--id", "key", "--truth", "true"),
            *("--save", tmp_path / "m", "--out-format", "ndjson", "--checkpoint-every", 50),
        )
    assert code == 0, err
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["key"] for row in rows] == [f"k{i}" for i in range(N)]
    assert "against true: ARI" in err
    known = streamart.load(tmp_path / "m")
    assert all(known.resolve(row["cluster"]) in known.cluster_ids_ for row in rows)


def test_follow_saves_by_itself_and_makes_its_model(command, tmp_path, monkeypatch):
    """While nothing comes, what was learnt is saved; the next run goes on with it."""
    model, labels = tmp_path / "m", tmp_path / "labels.csv"
    lines = "".join(f"{i % 2 * 9},{i % 3}\n" for i in range(30))
    for n_rows in (30, 60):
        read, write = os.pipe()
        monkeypatch.setattr(sys, "stdin", os.fdopen(read))
        os.write(write, ("a,b\n" + lines).encode())
        found = []

        def wait_for_model(n_rows=n_rows, write=write, found=found):
            end = time.monotonic() + 60
            while time.monotonic() < end and not found:
                if model.exists() and streamart.load(model).n_samples_seen_ == n_rows:
                    found.append(n_rows)
                time.sleep(0.05)
            os.close(write)  # only now does the run end

        thread = threading.Thread(target=wait_for_model)
        thread.start()
        args = ("cluster", "-", "--follow", "--model", model, "--out", labels, "--save-every", 0)
        code, _, err = command(*args, "--columns", "a,b")
        thread.join()
        sys.stdin.close()
        assert code == 0, err
        assert found == [n_rows]
    code, _, err = command("cluster", labels, "--save-every", 5)
    assert code == 2
    assert "for --follow" in err


def test_a_signal_while_waiting(command, tmp_path, monkeypatch):
    """In this process: what was learnt is saved, and the half line is not learnt."""
    read, write = os.pipe()
    monkeypatch.setattr(sys, "stdin", os.fdopen(read))
    os.write(write, b"a,b\n1,2\n8,9\n1,3\n9,9\n5")
    labels = tmp_path / "labels.csv"

    def interrupt():
        end = time.monotonic() + 60
        while not (labels.exists() and labels.read_text().count("\n") == 5):
            if time.monotonic() > end:
                break
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    code, _, err = command(
        *("cluster", "-", "--follow", "--save", tmp_path / "m", "--out", labels),
        *("--checkpoint-every", 1000),
    )
    thread.join()
    os.close(write)
    sys.stdin.close()
    assert code == 130
    assert "Stopped by Ctrl-C after 4 rows: saved in" in err
    assert "--resume goes on from here" in err
    assert streamart.load(tmp_path / "m").n_samples_seen_ == 4
    assert Checkpoints(tmp_path / "m").exists()


def test_resume_in_this_process(command, stream, tmp_path, monkeypatch):
    """Stopped between two chunks, then gone on: labels, events, rejects and report as if not."""
    monkeypatch.setattr(blocks, "__defaults__", (N * 6,))
    text = stream.read_text().replace("k30,", "k30,x,")
    stream.write_text(text)
    args = ["cluster", stream, *XY, "--truth", "true", "--id", "key", "--checkpoint-every", 1]

    def files(folder):
        folder.mkdir()
        return [
            *("--save", folder / "m", "--out", folder / "o.csv", "--events", folder / "e"),
            *("--rejects", folder / "j", "--report", folder / "r.html"),
        ]

    whole = files(tmp_path / "whole")
    assert command(*args, *whole)[0] == 0
    cut = files(tmp_path / "cut")
    # the machine fails while a checkpoint is being written: the one before it is whole
    saves = []
    real = Checkpoints.save

    def save(self, *rest):
        saves.append(1)
        if len(saves) == 3:
            raise OSError("gone")
        real(self, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoints, "save", save)
        with pytest.raises(SystemExit):
            app.run([str(part) for part in (*args, *cut)])
    assert command(*args, *cut)[0] == 1  # there is a checkpoint, and no --resume
    code, _, err = command(*args, *cut, "--icvi", "wb", "--resume")
    assert code == 1
    assert "was made with other options of the model" in err
    code, _, err = command(*args, *cut, "--resume")
    assert code == 0, err
    assert "going on after" in err
    for name in ("o.csv", "e", "j"):
        assert (tmp_path / "cut" / name).read_text() == (tmp_path / "whole" / name).read_text()
    assert not Checkpoints(tmp_path / "cut" / "m").exists()

    def shown(folder):
        page = (tmp_path / folder / "r.html").read_text()
        data = json.loads(page.split('type="application/json">')[1].split("</script>")[0])
        del data["summary"]["run"]
        return data

    assert shown("cut") == shown("whole")


def test_a_damaged_checkpoint(command, stream, tmp_path):
    folder = tmp_path / "m.checkpoint"
    folder.mkdir()
    for text, message in (
        ("{", "is damaged"),
        ('{"version": 99, "streamart": "9.9"}', "written by streamart 9.9"),
    ):
        (folder / "checkpoint.json").write_text(text)
        code, _, err = command("cluster", stream, "--save", tmp_path / "m", "--resume")
        assert code == 1
        assert message in err


def test_predict(command, stream, tmp_path, monkeypatch):
    model = tmp_path / "m"
    command("cluster", stream, *XY, "--save", model, "--label", "said", "--quiet")
    far = tmp_path / "far.csv"
    X, y = make_stream("random", N, 0)
    known = X[next(i for i in range(0, N, 3) if y[i] < 2)]
    far.write_text(f"x2,x1\n{known[1]},{known[0]}\n9e4,9e4\nbad,1\n")
    code, out, err = command("predict", model, far, "--outliers", "--rejects", tmp_path / "j")
    assert code == 0, err
    assert out.splitlines()[0] == "row,cluster,cluster_name"
    assert out.splitlines()[1].endswith(",north")
    assert out.splitlines()[2] == "2,-1,"
    assert "1 row could not be used" in err
    code, out, _ = command(
        "predict", model, stream, "--truth", "true", "--out", tmp_path / "o", "--json"
    )
    summary = json.loads(out)
    assert summary["rows_labelled"] == N == sum(summary["sizes"].values())
    code, _, err = command("predict", model, stream, "--truth", "true", "--out", tmp_path / "o")
    assert f"ARI {summary['truth']['ari']:.4f}" in err
    assert command("predict", model, far, "--on-error", "stop", "--out", tmp_path / "p")[0] == 1
    assert not (tmp_path / "p").exists()
    assert not (tmp_path / ".p.part").exists()
    far.write_text("x2,x1\nbad,1\n")
    assert command("predict", model, far, "--columns", "x1,x2")[0] == 3


def test_inspect(command, stream, tmp_path):
    model = tmp_path / "m"
    command("cluster", stream, *XY, "--save", model, "--quiet")
    code, out, _ = command("inspect", model, "--events", 5, "--aliases")
    assert code == 0
    loaded = streamart.load(model)
    assert f"{loaded.n_clusters_} clusters of {N} samples" in out
    assert "detail=1.0" in out
    assert out.count(" is now in ") == len(loaded.aliases_)
    assert loaded.events_[-1].kind in out
    for i in loaded.cluster_ids_.tolist():
        assert f" #{i} " in out  # in the table of clusters
    summary = json.loads(command("inspect", model, "--json", "--events", 3)[1])
    assert len(summary["events"]) == 3
    assert [cluster["size"] for cluster in summary["clusters"]] == sorted(
        loaded.clusters_.n.tolist(), reverse=True
    )


def test_many_clusters_are_not_all_listed(command, tmp_path):
    X = np.arange(40.0)[:, None] ** 3
    model = StreamART(n_clusters=30).fit(X)
    model.save(tmp_path / "m")
    _, out, _ = command("inspect", tmp_path / "m")
    assert "... and 5 smaller ones" in out


def test_small_commands(command, tmp_path):
    assert command("--version")[1].startswith("streamart, version ")
    assert json.loads(command("icvis", "--json")[1])["wb"]["smaller_is_better"] is True
    assert "Calinski-Harabasz" in command("icvis")[1]
    _, out, _ = command("generate", "--n", 9, "--format", "ndjson", "--seed", 1)
    rows = [json.loads(line) for line in out.splitlines()]
    X, y = make_stream("class-incremental", 9, 1)
    assert [[row["x1"], row["x2"], row["label"]] for row in rows] == [
        [*x, k] for x, k in zip(X.tolist(), y.tolist(), strict=True)
    ]
    assert "complete -o" in command("completion", "bash")[1]


def test_warmup(command, monkeypatch):
    learnt = []
    for kind in (StreamART, ICVITopoARTMAP):
        real = kind.partial_fit

        def less(self, X, hints=None, real=real):
            learnt.append(type(self).__name__)
            return real(self, X[:20], hints=hints)

        monkeypatch.setattr(kind, "partial_fit", less)
    code, _, err = command("warmup", "--icvi", "ch")
    assert code == 0
    assert set(learnt) == {"StreamART", "ICVITopoARTMAP"}
    assert "topoartmap, ch: ready after" in err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["cluster"], 2, "Missing argument 'INPUT...'"),
        (["cluster", "{s}", "--method", "streamart", "--icvi", "wb"], 2, "--method topoartmap"),
        (["cluster", "{s}", "--icvi", "wb", "--n-clusters", "3"], 2, "belongs to StreamART"),
        (["cluster", "{s}", "--icvi", "wb", "--half-life", "30"], 2, "Leave out --half-life"),
        (["cluster", "{s}", "--detail", "0"], 2, "0.0 is not in the range x>0"),
        (["cluster", "{s}", "--criterion", "ni"], 2, "'ni' is not one of 'learned', 'ch'"),
        (["cluster", "{s}", "--icvi", "wb", "--criterion", "db"], 2, "belongs to StreamART"),
        (["cluster", "{s}", "--set", "rho"], 2, "no '='"),
        (["cluster", "{s}", "--set", "n_cluster=2"], 2, "Did you mean 'n_clusters'"),
        (["cluster", "{s}", "--set", "metric=furlong"], 2, "'metric' parameter"),
        (["cluster", "{s}", "--model", "{t}/none"], 1, "There is no model"),
        (["cluster", "{s}", "--model", "{s}", "--icvi", "wb"], 2, "its own parameters"),
        (["cluster", "{s}", "--model", "{s}"], 1, "not a model file of streamart"),
        (["cluster", "{s}", "--resume"], 2, "with --save"),
        (["cluster", "{s}", "--out", "-", "--json"], 2, "both want standard output"),
        (["cluster", "{s}", "--save", "{t}/no/where"], 1, "There is no folder"),
        (["cluster", "{s}", "--delimiter", "::"], 2, "is not one sign"),
        (["cluster", "{s}", "--out", "{t}/no/where"], 1, "There is no folder"),
        (["cluster", "{s}", "--out", "{s}"], 2, "is what is read"),
        (["predict", "{m}", "{s}", "--columns", "2", "--out", "{t}/no/where"], 1, "--out: "),
        (["cluster", "{s}", "{t}"], 1, "is a folder"),
        (["cluster", "{s}", "--follow", "--out", "{t}/o.parquet"], 2, "CSV or NDJSON"),
        (["cluster", "{s}", "--columns", "x3"], 2, "--columns: "),
        (["predict", "{t}", "{s}"], 2, "is a directory"),
        (["predict", "{c}", "{s}"], 1, "no clusterer"),
        (["predict", "{e}", "{s}"], 1, "has learnt nothing"),
        (["inspect", "{e}"], 1, "has learnt nothing"),
        (["predict", "{m}", "{s}", "--json"], 2, "both want standard output"),
        (["predict", "{m}", "{s}"], 1, "Choose the right ones with --columns"),
        (["nothing"], 2, "There are: cluster, predict"),
        (["demo", "--samples", "3"], 2, "3 is not in the range"),
    ],
)
def test_mistakes(command, stream, tmp_path, arguments, code, message):
    """What is wrong, where, and what to do; never a traceback."""
    places = {"s": stream, "t": tmp_path, "c": tmp_path / "c", "e": tmp_path / "e"}
    places["m"] = tmp_path / "m"
    streamart.ICVITopoARTMAPClassifier().save(places["c"])
    StreamART().save(places["e"])
    StreamART().fit([[0.0], [1.0]]).save(places["m"])
    found, _, err = command(*(part.format(**places) for part in arguments))
    assert message in err
    assert found == code
    assert "Traceback" not in err


def test_files_that_cannot_be_written(command, stream, tmp_path):
    (tmp_path / "folder").mkdir()
    for option in ("--events", "--rejects", "--save", "--report"):
        code, _, err = command("cluster", stream, *XY, option, tmp_path / "folder")
        assert code == 2, err
        assert "directory" in err


def test_the_demo_is_the_demo(command, monkeypatch, tmp_path):
    called = []
    demo = __import__("streamart.demo", fromlist=["main"])
    monkeypatch.setattr(demo, "main", lambda arguments: called.append(arguments) or 7)
    assert command("demo", "--seed", 4, "--out", tmp_path)[0] == 7
    assert called == [["--seed", "4", "--samples", "1600", "--out", str(tmp_path)]]


def test_what_is_missing_is_told(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 1
    assert "pip install" in capsys.readouterr().err


def test_main_runs_a_command(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["streamart", "--version"])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 0
    assert "version" in capsys.readouterr().out


def test_a_second_signal_ends_at_once(monkeypatch, capsys):
    monkeypatch.setattr(app.app, "main", lambda *a, **k: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(SystemExit) as end:
        app.run([])
    assert end.value.code == 130
    with running.Stop() as stop:
        signal.raise_signal(signal.SIGTERM)
        assert stop.signal == signal.SIGTERM
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)


def test_a_reader_that_went_away(monkeypatch):
    read, write = os.pipe()
    os.close(read)
    monkeypatch.setattr(sys, "stdout", os.fdopen(write, "w"))
    monkeypatch.setattr(app.app, "main", lambda *a, **k: (_ for _ in ()).throw(BrokenPipeError))
    with pytest.raises(SystemExit) as end:
        app.run([])
    assert end.value.code == 141
    sys.stdout.close()


def test_progress_on_a_terminal(stream, monkeypatch, tmp_path):
    """What a person sees: rate, clusters, categories and the index."""
    screen = io.StringIO()
    said = talk.Talk()
    said.errors = Console(file=screen, force_terminal=True, width=140)
    job = Job([str(stream)], choice=Choice("x1,x2", truth="true"), out=str(tmp_path / "o.csv"))
    assert running.Run(job, said).go() == 0
    shown = screen.getvalue()
    for word in ("learning", "labelling", "rows", "/s", "clusters", "categories", "index", "100%"):
        assert word in shown, word


def test_agreement_is_scikit_learns():
    rng = np.random.default_rng(0)
    for k in (1, 3, 20):
        truth, ids = rng.integers(0, 4, 300), rng.integers(0, k, 300)
        ids = np.where(rng.random(300) < 0.5, truth, ids)
        found = Agreement()
        for part in np.array_split(np.arange(300), 7):
            found.add(pa.array(truth[part]), ids[part])
        assert found.ari() == pytest.approx(adjusted_rand_score(truth, ids), abs=1e-12)
        assert found.nmi() == pytest.approx(normalized_mutual_info_score(truth, ids), abs=1e-12)
        assert Agreement(found.kept()).counts == found.counts


def test_an_id_is_no_class(monkeypatch):
    monkeypatch.setattr(scores, "MOST", 5)
    with pytest.raises(UserError, match="not an id"):
        Agreement().add(pa.array([str(i) for i in range(9)]), np.zeros(9, dtype=int))


def test_writers_escape(tmp_path):
    table = pa.table({'a"b': ['x,"y"\n', None, "plain", "back\\slash"], "n": [1.5, None, 2.0, 3.0]})
    with open(tmp_path / "o", "wb") as file:
        NdjsonWriter(file).write(table)
    rows = [json.loads(line) for line in (tmp_path / "o").read_text().splitlines()]
    assert rows == table.to_pylist()
    with open(tmp_path / "o", "wb") as file:
        CsvWriter(file).write(table)
    assert (tmp_path / "o").read_text().startswith('"a""b",n\n"x,""y""\n",1.5\n')


def test_help_has_an_example_for_each_command():
    for name in app.COMMANDS:
        shown = CliRunner().invoke(app.app, [name, "--help"]).output
        assert f"streamart {name}" in shown.split("Example", 1)[1], name


def test_resume_of_the_papers_network(command, stream, tmp_path, monkeypatch):
    """Its events come between looks: those before a checkpoint are written with it."""
    monkeypatch.setattr(blocks, "__defaults__", (N * 2,))
    args = ["cluster", stream, *XY, "--icvi", "ch", "--checkpoint-every", 1]
    assert command(*args, "--save", tmp_path / "a", "--events", tmp_path / "whole")[0] == 0
    real, saves = Checkpoints.save, []

    def save(self, *rest):
        saves.append(1)
        real(self, *rest)
        if len(saves) == 5:
            raise OSError("gone")

    again = [*args, "--save", tmp_path / "b", "--events", tmp_path / "cut"]
    with monkeypatch.context() as patch:
        patch.setattr(Checkpoints, "save", save)
        with pytest.raises(SystemExit):
            app.run([str(part) for part in again])
    with open(tmp_path / "cut", "a") as file:
        file.write("what was written after the checkpoint\n")
    assert command(*again, "--resume")[0] == 0
    assert (tmp_path / "cut").read_text() == (tmp_path / "whole").read_text()
    first, second = (streamart.load(tmp_path / name) for name in "ab")
    assert first.icvi_value_ == second.icvi_value_


def test_resume_of_a_pipe(command, stream, tmp_path, monkeypatch):
    """Fed again from the beginning: what was learnt is skipped."""
    text = stream.read_text()
    lines = text.splitlines(keepends=True)
    args = ["cluster", "-", "--follow", *XY, "--save", tmp_path / "m", "--checkpoint-every", 1]
    args += ["--out", tmp_path / "o.csv", "--truth", "true"]
    real = Checkpoints.remove
    with monkeypatch.context() as patch, stdin_of("".join(lines[:21]), patch):
        patch.setattr(Checkpoints, "remove", lambda self: None)  # as if it had been killed
        assert command(*args)[0] == 0
    assert Checkpoints.remove is real
    with stdin_of(text, monkeypatch):
        code, out, err = command(*args, "--resume")
    assert code == 0, err
    assert "going on after 20 rows" in err
    rows = (tmp_path / "o.csv").read_text().splitlines()
    assert [row.split(",")[0] for row in rows] == ["row", *map(str, range(1, N + 1))]
    assert streamart.load(tmp_path / "m").n_samples_seen_ == N
    assert f"({N} rows)" in out  # scored all, those before the checkpoint too


def test_ctrl_c_while_rows_are_labelled(command, stream, tmp_path, monkeypatch):
    """The model is saved by then; half of the labels would be worse than none."""
    real = running.label_again

    def interrupted(*arguments):
        signal.raise_signal(signal.SIGINT)
        real(*arguments)

    monkeypatch.setattr(running, "label_again", interrupted)
    code, _, err = command(
        "cluster", stream, *XY, "--out", tmp_path / "o.csv", "--save", tmp_path / "m"
    )
    assert code == 130
    assert "The labels are not written." in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m", "stream.csv"]


def test_ctrl_c_while_learning_labels_what_was_learnt(command, stream, tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "__defaults__", (N * 6,))
    real = running.Learner.learn

    def interrupted(self, chunk):
        real(self, chunk)
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(running.Learner, "learn", interrupted)
    code, _, err = command("cluster", stream, *XY, "--out", tmp_path / "o.csv")
    assert code == 143
    assert "not saved (--save)" in err
    rows = len((tmp_path / "o.csv").read_text().splitlines()) - 1
    assert 0 < rows < N
    assert f"after {rows} rows" in err


def test_a_file_that_changes_between_two_readings(command, stream, tmp_path, monkeypatch):
    real = running.Run._save

    def meddle(self):
        real(self)
        stream.write_text("".join(stream.read_text().splitlines(keepends=True)[:-3]))

    monkeypatch.setattr(running.Run, "_save", meddle)
    code, _, err = command("cluster", stream, *XY, "--out", tmp_path / "o.csv")
    assert code == 1
    assert "The input has changed while it was read" in err
    assert not (tmp_path / "o.csv").exists()


def test_a_file_that_shrinks_while_it_is_followed(command, stream, tmp_path):
    labels = tmp_path / "o.csv"

    def shrink():
        end = time.monotonic() + 60
        while time.monotonic() < end and not (labels.exists() and labels.stat().st_size > 100):
            time.sleep(0.01)
        stream.write_text("x1,x2\n")

    thread = threading.Thread(target=shrink)
    thread.start()
    code, _, err = command("cluster", stream, *XY, "--follow", "--out", labels)
    thread.join()
    assert code == 1
    assert "became shorter" in err


def test_nobody_reads_what_follows(command, stream, tmp_path, monkeypatch):
    def broken(self, table):
        raise BrokenPipeError

    monkeypatch.setattr(running.Output, "write", broken)
    with stdin_of(stream.read_text(), monkeypatch):
        code, _, _ = command("cluster", "-", *XY, "--follow", "--save", tmp_path / "m")
    assert code == 141
    assert (tmp_path / "m").exists()


def test_rows_that_come_later_are_not_labelled(command, stream, tmp_path, monkeypatch):
    """A file may grow, and another one come after it, between the two readings."""
    real = running.Run._save

    def meddle(self):
        real(self)
        with open(stream, "a") as file:
            file.write("k,1,1,1,\n" * 3)

    monkeypatch.setattr(running.Run, "_save", meddle)
    args = ["cluster", stream, *XY, "--id", "key", "--truth", "true", "--label", "said"]
    code, _, err = command(*args, "--out", tmp_path / "o.csv")
    assert code == 0, err
    rows = (tmp_path / "o.csv").read_text().splitlines()
    assert [row.split(",")[0] for row in rows] == ["key", *(f"k{i}" for i in range(N))]


def test_what_the_model_refuses_is_told_with_its_rows(command, stream, monkeypatch):
    def refuse(self, X, **rest):
        raise ValueError("that cannot be")

    monkeypatch.setattr(running, "warm_up", lambda model: None)
    monkeypatch.setattr(StreamART, "partial_fit", refuse)
    code, _, err = command("cluster", stream, *XY)
    assert code == 1
    assert f"{stream}, rows 1 to 32: that cannot be" in err


def test_numbers_as_labels(command, tmp_path):
    """3.0 is the name 3; NaN is none."""
    X, y = make_stream("random", 40, 0)
    np.savez(tmp_path / "x.npz", X=X, y=np.where(np.arange(40) % 2, np.nan, y))
    code, out, err = command("cluster", tmp_path / "x.npz", "--label", "y", "--json")
    assert code == 0, err
    names = {cluster["name"] for cluster in json.loads(out)["clusters"]} - {None}
    assert names == {str(k) for k in np.unique(y[::2])}
