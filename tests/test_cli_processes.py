"""The command line as people meet it: processes, pipes, signals, exit codes."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import numpy as np
import pytest

from streamart.data import make_stream
from support import COMPILED

# The interpreter takes its time over whole processes, and coverage does not see them.
pytestmark = pytest.mark.skipif(not COMPILED, reason="processes are run compiled only")

COMMAND = [sys.executable, "-m", "streamart"]
PATIENCE = 120


def streamart(*arguments, **options):
    options = {"capture_output": True, "text": True, "timeout": PATIENCE, **options}
    return subprocess.run([*COMMAND, *map(str, arguments)], **options)


def started(*arguments, **options):
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([*COMMAND, *map(str, arguments)], **{**pipes, **options})


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def csv_lines(n, seed=0, order="random"):
    X, y = make_stream(order, n, seed)
    rows = (f"{a:.6f},{b:.6f},{c}\n" for (a, b), c in zip(X, y, strict=True))
    return ["x1,x2,label\n", *rows]


def test_generate_cluster_predict_inspect(tmp_path):
    made = streamart("generate", "--order", "mixed", "--n", 700, "--seed", 3)
    assert made.returncode == 0
    X, y = make_stream("mixed", 700, 3)
    table = np.loadtxt(made.stdout.splitlines(), delimiter=",", skiprows=1)
    assert np.array_equal(table, np.column_stack([X, y]))

    model, labels = tmp_path / "model", tmp_path / "labels.csv"
    # by a pipe, and with the labels of the end all the same
    run = streamart(
        *("cluster", "-", "--columns", "x1,x2", "--truth", "label", "--json"),
        *("--out", labels, "--save", model),
        input=made.stdout,
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    summary = json.loads(run.stdout)
    assert summary["samples"] == 700 == sum(c["size"] for c in summary["clusters"])
    assert summary["truth"]["ari"] > 0.9

    source = tmp_path / "s.csv"
    source.write_text(made.stdout)
    again = streamart("predict", model, source)
    assert again.returncode == 0, again.stderr
    assert again.stdout == labels.read_text()
    assert "700 rows labelled" in again.stderr

    shown = streamart("inspect", model, "--events", 2, "--aliases")
    assert shown.returncode == 0
    assert shown.stdout.startswith(f"{summary['n_clusters']} clusters of 700 samples")


def test_small_commands():
    assert streamart("--version").stdout.startswith("streamart, version ")
    assert [line.split()[0] for line in streamart("icvis").stdout.splitlines()[1:]] == [
        *("ch", "wb", "pbm", "i", "xb", "db", "gd43", "gd53", "csil", "ps", "pcaes"),
        *("rcip", "rh", "ni", "conn"),
    ]
    warm = streamart("warmup")
    assert warm.returncode == 0
    assert "streamart: ready after" in warm.stderr
    script = streamart("completion", "bash").stdout
    assert "_STREAMART_COMPLETE" in script
    unknown = streamart("klustr")
    assert unknown.returncode == 2
    assert "There are: cluster" in unknown.stderr


def test_demo(tmp_path):
    pytest.importorskip("matplotlib")
    shown = streamart("demo", "--samples", 70, "--out", tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "Picture:" in shown.stdout


def test_a_shell_completes(tmp_path):
    """Through bash itself: what the script makes of a half-typed line."""
    lines = "\n".join(
        [
            'eval "$(_STREAMART_COMPLETE=bash_source streamart)"',
            "COMP_WORDS=(streamart clu) COMP_CWORD=1",
            "_streamart_completion streamart clu streamart",
            'echo "${COMPREPLY[*]}"',
            "COMP_WORDS=(streamart cluster --icvi w) COMP_CWORD=3 COMPREPLY=()",
            "_streamart_completion streamart w --icvi",
            'echo "${COMPREPLY[*]}"',
        ]
    )
    path = f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", lines],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "PATH": path},
    )
    assert done.stdout.split() == ["cluster", "wb"], done.stderr


def test_follow_a_pipe_then_ctrl_c(tmp_path):
    """A label for each line as it comes; Ctrl-C saves; the next run goes on."""
    lines, model = csv_lines(300), tmp_path / "model"
    process = started(
        "cluster", "-", "--follow", "--columns", "x1,x2", "--save", model, text=True, bufsize=1
    )
    process.stdin.write("".join(lines[:101]))
    process.stdin.flush()
    assert process.stdout.readline() == "row,cluster\n"
    got = [process.stdout.readline() for _ in range(100)]
    assert [int(line.split(",")[0]) for line in got] == list(range(1, 101))
    process.stdin.write(lines[101] + lines[102][:5])  # one whole, one half
    process.stdin.flush()
    assert process.stdout.readline().startswith("101,")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert out == ""
    assert process.returncode == 130
    assert "Stopped by Ctrl-C after 101 rows: saved in" in err

    rest = streamart(
        *("cluster", "-", "--follow", "--model", model, "--no-header", "--columns", "1-2"),
        input="".join(lines[102:]),
    )
    assert rest.returncode == 0, rest.stderr
    assert len(rest.stdout.splitlines()) == 200
    assert "of 300 samples" in rest.stderr


def test_follow_a_file_that_grows_and_a_polite_kill(tmp_path):
    lines, source, labels = csv_lines(60), tmp_path / "live.csv", tmp_path / "out.csv"
    source.write_text("".join(lines[:31]))
    process = started("cluster", source, "--follow", "--columns", "1,2", "--out", labels)
    wait_for(lambda: labels.exists() and labels.read_text().count("\n") == 31)
    with open(source, "a") as file:
        file.write("".join(lines[31:]))
    wait_for(lambda: labels.read_text().count("\n") == 61)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 143


def test_a_killed_run_goes_on_exactly(tmp_path):
    """Killed without mercy after a checkpoint: the end is that of a run that was left alone."""
    lines = csv_lines(120_000)
    source = tmp_path / "s.csv"
    source.write_text("".join([*lines[:30_000], "broken\n", *lines[30_000:]]))
    left_alone, killed = tmp_path / "a", tmp_path / "b"
    common = ("cluster", source, "--columns", "x1,x2", "--truth", "label", "--checkpoint-every", 1)

    def files(folder):
        folder.mkdir(exist_ok=True)
        names = {"--out": "labels.csv", "--events": "events.ndjson", "--rejects": "rejects.csv"}
        names |= {"--save": "model", "--report": "report.html"}
        return [part for option, name in names.items() for part in (option, folder / name)]

    assert streamart(*common, *files(left_alone)).returncode == 0

    process = started(*common, *files(killed))
    wait_for(lambda: (killed / "model.checkpoint" / "checkpoint.json").exists())
    process.kill()
    process.communicate(timeout=PATIENCE)
    assert not (killed / "labels.csv").exists()
    resumed = streamart(*common, *files(killed), "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert "going on after" in resumed.stderr
    for name in ("labels.csv", "events.ndjson", "rejects.csv"):
        assert (killed / name).read_bytes() == (left_alone / name).read_bytes(), name
    assert not (killed / "model.checkpoint").exists()


def test_nobody_reads_the_labels(tmp_path):
    """As with ``| head``: no traceback, and the model is saved."""
    errors = tmp_path / "errors"
    with open(errors, "w") as file:
        process = started(
            "cluster", "-", "--follow", "--save", tmp_path / "m", text=True, stderr=file
        )
    with suppress(BrokenPipeError), process.stdin:
        process.stdin.write("".join(csv_lines(20)))
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        for line in csv_lines(3000)[1:]:
            process.stdin.write(line)
            process.stdin.flush()
            time.sleep(0.001)
    assert process.wait(timeout=PATIENCE) == 141
    assert "Traceback" not in errors.read_text()
    assert (tmp_path / "m").exists()
