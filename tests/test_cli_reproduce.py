"""``streamart reproduce``: what it says, writes, and refuses."""

import io
import json
import sqlite3
import sys
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest
from rich.console import Console

from streamart.cli import app
from streamart.cli.commands.reproduce import NAMES
from streamart.cli.running.jobs import JobProgress
from streamart.cli.talk import Talk
from streamart.experiments import EXPERIMENTS, reproduction
from streamart.experiments.jobs import Job, Workers, done
from streamart.experiments.settings import setting
from streamart.experiments.streams import Stream, file_source
from support import COMPILED


@pytest.fixture
def command(capsys, monkeypatch, tmp_path):
    """Run it in a folder of its own; returns exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reproduction, "warm_up", lambda: None)

    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            app.run(["reproduce", *map(str, arguments)])
        return end.value.code, *capsys.readouterr()

    return run


@pytest.fixture
def in_this_process(monkeypatch):
    """No workers: jobs are done here, as far as `table3` of made-up data needs them."""

    def do(self, jobs):
        for job in jobs:
            if COMPILED or job.setting.model == "NearestNeighbour":
                yield job, *done(job)
            else:
                yield job, {"accuracy": 0.9, "wrong": 1, "wrong_at_once": 2, "wrong_in_training": 0,
                            "clusters": 7, "categories": 8}, 0.5  # fmt: skip

    monkeypatch.setattr(Workers, "do", do)


def test_the_command_knows_all_experiments():
    assert tuple(EXPERIMENTS) == NAMES


def test_a_table_is_written_and_the_second_time_nothing_is_done(
    command, in_this_process, tmp_path, monkeypatch
):
    code, out, err = command("table3", "--quick", "--out", "paper")
    assert (code, out) == (0, "paper.md\n")
    assert "Table 3: draw 1: 21 of 21" in err
    page = (tmp_path / "paper.md").read_text()
    assert "streamart reproduce table3 --quick" in page
    assert "| iCH-TopoFAM | 10, 0.9937, 7, 8 |" in page
    with sqlite3.connect(tmp_path / "paper" / "results.sqlite") as file:
        assert file.execute("SELECT count(*) FROM results").fetchone() == (117,)

    def refuse(self, jobs):
        assert not list(jobs)
        return iter(())

    monkeypatch.setattr(Workers, "do", refuse)
    code, out, err = command("table3", "--quick", "--out", "paper")
    assert code == 0
    assert (tmp_path / "paper.md").read_text() == page


@pytest.mark.skipif(not COMPILED, reason="workers would not have the compiler")
def test_workers_give_what_this_process_gives(command, tmp_path):
    np.savez(
        tmp_path / "few.npz", X=np.random.default_rng(0).uniform(size=(40, 3)), y=np.arange(40) % 4
    )
    code, _, err = command("table5", "--quick", "--workers", 2, "--embeddings", "few.npz")
    assert code == 0, err
    assert "### few" in (tmp_path / "reproduction.md").read_text()
    job = Job("teach", setting("NearestNeighbour", metric="cosine"),
              Stream(file_source(tmp_path / "few.npz")), 1)  # fmt: skip
    with sqlite3.connect(tmp_path / "reproduction" / "results.sqlite") as file:
        kept = file.execute("SELECT result FROM results WHERE key = ?", (job.key,)).fetchone()
    assert json.loads(kept[0]) == done(job)[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["table2", "--data", "."], "exp1.csv: No such file or directory."),
        (["table4", "--embeddings", "none.npz"], "none.npz: No such file or directory."),
        (["table4", "--embeddings", "empty.npz"], "must have the arrays X and y, but X is missing"),
        (["table3", "--out", "mine"], "mine.md was not written by this command"),
        (
            ["table3", "--out", "taken"],
            "taken/results.sqlite, where results are kept, cannot be used",
        ),
    ],
)
def test_what_cannot_be_read_or_written_is_named(command, tmp_path, arguments, said):
    np.savez(tmp_path / "empty.npz", Z=np.zeros(3))
    (tmp_path / "mine.md").write_text("# My own notes")
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "results.sqlite").mkdir()
    code, _, err = command(*arguments)
    assert code == 1
    assert said in err
    assert "Traceback" not in err
    assert not (tmp_path / "reproduction").exists()


def test_a_wrong_name_is_answered_with_the_right_ones(command):
    code, _, err = command("table6")
    assert code == 2
    assert all(name in err for name in (*NAMES, "all"))


def test_a_worker_that_dies_is_reported(command, monkeypatch):
    def die(self, jobs):
        raise BrokenProcessPool

    monkeypatch.setattr(Workers, "do", die)
    code, _, err = command("table3", "--quick")
    assert code == 1
    assert "run the same command again" in err


def test_ctrl_c_keeps_what_was_done(command, monkeypatch):
    def stop(self, jobs):
        raise KeyboardInterrupt

    monkeypatch.setattr(Workers, "do", stop)
    code, _, err = command("table3", "--quick")
    assert code == 130
    assert "the same command goes on" in err


def test_without_matplotlib_it_says_what_to_install(command, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("streamart.experiments")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.axes", None)
    code, _, err = command("table3")
    assert code == 1
    assert 'pip install "streamart[experiments]"' in err


def test_a_terminal_gets_a_bar():
    talk = Talk()
    talk.errors = Console(file=io.StringIO(), force_terminal=True, width=100)
    with JobProgress(talk) as progress:
        progress.begin("Table 9", 3, 1)
        progress.advance()
        progress.end()
    shown = talk.errors.file.getvalue()
    assert "Table 9" in shown
    assert "2/3" in shown


def test_elsewhere_a_line_now_and_then(monkeypatch, capsys):
    monkeypatch.setattr("streamart.cli.running.jobs._SILENCE", -1.0)
    with JobProgress(Talk()) as progress:
        progress.begin("Table 9", 2, 0)
        progress.advance()
        progress.advance()
        progress.end()
    said = capsys.readouterr().err.splitlines()
    assert said[:3] == ["Table 9: 0 of 2", "Table 9: 1 of 2", "Table 9: 2 of 2"]
    with JobProgress(Talk(quiet=True)) as progress:
        progress.note("nothing")
        progress.begin("Table 9", 1, 0)
    assert capsys.readouterr().err == ""
