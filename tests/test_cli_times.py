"""A half-life in time: times in a column, and how many rows a half-life is."""

import datetime as dt
import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamart.cli.reading.times import half_life_of, seconds_of, time_format
from streamart.cli.running.fading import LONGEST, Fading
from streamart.data.columns import shown_time

pieces = st.lists(
    st.lists(st.floats(0, 1e6), min_size=1, max_size=5).map(np.array), min_size=1, max_size=8
)


@given(pieces, st.floats(1e-3, 1e6))
def test_what_has_faded_is_the_time_that_has_gone_by(times, seconds):
    fading, done, rows = Fading(seconds), 0.0, 0
    for at, piece in enumerate(times):
        half_life = fading.rows_for(piece)
        assert 1 <= half_life <= LONGEST
        done, rows = done + len(piece) / half_life, rows + len(piece)
        if at == len(times) // 2:  # a checkpoint
            fading = Fading(seconds, json.loads(json.dumps(fading.kept())))
    latest = max(piece.max() for piece in times)
    gone = (latest - times[0].min()) / seconds
    # A little fades where no time has gone by, as the longest half-life is finite.
    assert done + fading.kept()["owed"] == pytest.approx(gone, rel=1e-9, abs=rows / LONGEST)


def test_times_are_the_same_whatever_they_are_written_as():
    days = [dt.datetime(2026, 1, 31, 18, 30, tzinfo=dt.UTC), dt.datetime(1970, 1, 2, tzinfo=dt.UTC)]
    seconds = [day.timestamp() for day in days]
    for column in (
        pa.array(seconds),
        pa.array([int(s) for s in seconds]),
        pa.array([str(s) for s in seconds]),
        pa.array([day.isoformat() for day in days]),
        pa.array(["2026-01-31 18:30", "1970-01-02"]),
        pa.array(["2026-01-31T19:30+01:00", "1970-01-02T00:00Z"]),
        pa.array(days, pa.timestamp("ns", "UTC")),
        pa.array([day.replace(tzinfo=None) for day in days], pa.timestamp("s")),
    ):
        assert seconds_of(column).tolist() == seconds
    assert seconds_of(pa.array([dt.date(1970, 1, 2)])).tolist() == [86400]
    for column in (pa.array([None, "", "soon", "inf"]), pa.array([None, np.nan, np.inf])):
        assert np.isnan(seconds_of(column)).all()
    assert np.isnan(seconds_of(pa.array([None], pa.timestamp("us")))).all()


@pytest.mark.parametrize(
    "cells",
    [
        ["31.01.2026 18:30", "01.02.2026 06:30"],
        ["01/31/2026 06:30 PM", "02/01/2026 06:30 AM"],
        ["31/01/2026 18:30:00.5", "01/02/2026 06:30:00.5"],
        ["2026/01/31 18:30", "2026/02/01 06:30"],
        ["1769884200", "1769927400"],
        [1769884200, 1769927400],
        [1769884200000, 1769927400000],
        [1769884200000000000, 1769927400000000000],
    ],
)
def test_times_as_people_write_them(cells):
    column = pa.array([*cells, None])
    found = seconds_of(column, time_format(column))
    assert found[1] - found[0] == 12 * 3600
    assert np.isnan(found[2])
    if not isinstance(cells[0], str) or cells[0].isdecimal():
        assert [shown_time(cell) for cell in cells] == [
            "2026-01-31 18:30:00",
            "2026-02-01 06:30:00",
        ]


def test_a_day_comes_before_a_month_where_times_go_forward_then():
    assert time_format(pa.array(["01/02/2026", "02/02/2026", "01/03/2026"])) == "%d/%m/%Y"
    assert time_format(pa.array(["01/02/2026", "01/03/2026", "02/01/2026"])) == "%m/%d/%Y"


def test_without_a_half_life_no_row_needs_a_time(command, trips):
    code, text, err = command("cluster", trips, "--time", "when", "--json")
    assert code == 0, err
    assert json.loads(text)["run"]["rows_rejected"] == 0


def test_a_half_life_is_rows_or_a_time():
    assert half_life_of("1.5 min", True) == (None, 90)
    assert half_life_of("1e3", False) == (1000, None)


@pytest.fixture
def trips(tmp_path):
    """Two clusters; a week later two others, and a row without a time."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2)) + 20.0 * np.column_stack(
        [np.arange(400) % 2, np.arange(400) > 199]
    )
    days = ["2026-01-01"] * 200 + ["2026-01-08"] * 200
    rows = [f"{a},{day}T10:00:00,{b}" for day, (a, b) in zip(days, X.tolist(), strict=True)]
    path = tmp_path / "trips.csv"
    path.write_text("\n".join(["a,when,b", *rows, "1,soon,2"]) + "\n")
    return path


def test_what_was_before_a_long_silence_is_forgotten(command, trips):
    code, text, err = command("cluster", trips, "--half-life", "6h", "--time", "when", "--json")
    assert code == 0, err
    found = json.loads(text)
    assert found["features"] == ["a", "b"]
    assert found["run"]["reject_reasons"] == {"the time cannot be read": 1}
    assert [round(cluster["mean"][1], -1) for cluster in found["clusters"]] == [20, 20]
    kept = json.loads(
        command("cluster", trips, "--half-life", "600", "--columns", "a,b", "--json")[1]
    )
    assert len(kept["clusters"]) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--half-life", "2h"], "Name it with --time"),
        (["--half-life", "soon"], "such as 2h"),
        (["--half-life", "0.5"], "a number of rows from 1 on"),
        (["--half-life", "0h", "--time", "when"], "neither a number of rows"),
        (["--half-life", "2h", "--time", "wen"], "Did you mean 'when'"),
        (["--half-life", "2h", "--time", "when", "--icvi", "ch"], "Leave out --half-life"),
    ],
)
def test_mistakes(command, trips, arguments, message):
    code, _, err = command("cluster", trips, *arguments)
    assert code == 2
    assert message in err.replace("\n", " ")
