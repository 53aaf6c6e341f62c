"""A few hundred mutated tables: each is read, or refused in plain words."""

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from streamart import StreamART
from streamart.cli.errors import UserError
from streamart.cli.reading.columns import Choice
from streamart.cli.reading.inputs import Writing, sources_of
from streamart.cli.reading.reader import reader_for
from streamart.cli.stopping import Stop
from support import COMPILED

TRIALS = 120
N = 40


def original(kind, path):
    rng = np.random.default_rng(0)
    rows = [
        {
            "id": i,
            "when": f"2026-03-01 10:{i:02}:00",
            "a": round(float(rng.normal()), 3),
            "price": f"${1000 * rng.random():,.2f}",
            "state": "ok" if i % 3 else None,
            "m": {"x": i % 7, "on": bool(i % 2)},
        }
        for i in range(N)
    ]
    if kind == "ndjson":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return
    flat = [{**row, "m": row["m"]["x"]} for row in rows]
    if kind == "csv":
        lines = [";".join("" if v is None else f'"{v}"' for v in row.values()) for row in flat]
        path.write_text(";".join(flat[0]) + "\n" + "\n".join(lines) + "\n")
    else:
        parquet.write_table(pa.Table.from_pylist(flat), path, row_group_size=9)


def mutated(data, rng):
    """Bytes changed, cut out, doubled, or cut off."""
    data = bytearray(data)
    for _ in range(int(rng.integers(1, 6))):
        at = int(rng.integers(len(data)))
        what = rng.integers(5)
        if what == 0:
            data[at] = int(rng.integers(256))
        elif what == 1:
            del data[at : at + int(rng.integers(1, 30))]
        elif what == 2:
            data[at:at] = data[max(0, at - 20) : at]
        elif what == 3:
            data[at:at] = bytes(rng.choice(list(b',;"\\{}[]\n.-e$% \xff\0'), size=3).tolist())
        elif rng.random() < 0.2:
            del data[at:]
        if not data:
            data = bytearray(b"x")
    return bytes(data)


@pytest.mark.parametrize("kind", ["csv", "ndjson", "parquet"])
def test_mutated_tables_are_read_or_refused(tmp_path, kind):
    path = tmp_path / f"t.{kind}"
    original(kind, path)
    data, rng = path.read_bytes(), np.random.default_rng(0)
    read, told = 0, []
    for trial in range(TRIALS):
        path.write_bytes(mutated(data, rng))
        choice = Choice(ids=["id"]) if trial % 3 == 0 else Choice(keep=trial % 3 == 1)
        try:
            found = reader_for(sources_of([str(path)], Writing(), Stop()), choice, StreamART())
            rows = 0
            for chunk in found.chunks():
                assert chunk.X.shape == (len(chunk.records), len(chunk.columns.learnt_names))
                assert not np.isinf(chunk.X).any()
                assert all(len(column) == len(chunk.X) for column in chunk.ids)
                assert chunk.kept is None or chunk.kept.num_rows == len(chunk.X)
                assert all(reject.reason and reject.line >= 1 for reject in chunk.rejects)
                rows += len(chunk.X) + len(chunk.rejects)
            assert rows <= 3 * N
            read += 1
        except UserError as error:
            told.append(error.problem)
    assert read > 0
    assert told
    for text in told:
        assert text.splitlines()[0].endswith(".")
        assert str(path) in text or "--id" in text


@pytest.mark.skipif(not COMPILED, reason="the reader is the same")
def test_what_is_wrong_with_a_cell_is_reported_and_the_rest_is_learnt(command, tmp_path):
    rng = np.random.default_rng(0)
    lines = ["a;on;price"]
    for k, e in zip(rng.integers(0, 2, 1200).tolist(), rng.normal(size=1200), strict=True):
        a = f"{k * 9 + e:.3f}".replace(".", ",")
        lines.append(f"{a};{'yes' if k else 'no'};{k + 1}.500,00 €")
    # beyond the rows that decide what the columns are
    lines[1100], lines[1105] = "1,0;perhaps;1.500,00 €", "1,0;yes;cheap"
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines) + "\n")
    code, out, err = command("cluster", path, "--json")
    assert code == 0, err
    assert json.loads(out)["run"]["reject_reasons"] == {
        "on is not yes or no": 1,
        "price is not a number": 1,
    }


@pytest.mark.parametrize("opened", ['"1.5,2.25', '1.5,"2.25', '"x,2.25', '5" pipe,"2.25'])
def test_an_open_quotation_mark_takes_in_no_other_row(tmp_path, opened):
    lines = [f"{i * 7 % 5}.5,{i % 3}.25" for i in range(60)]
    lines[49] = opened
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "\n".join(lines) + "\n")
    found = reader_for(sources_of([str(path)], Writing(), Stop()), Choice("a,b"), StreamART())
    chunks = list(found.chunks())
    rejects = [reject for chunk in chunks for reject in chunk.rejects]
    assert sum(len(chunk.X) for chunk in chunks) + len(rejects) == 60
    assert chunks[-1].records[-1] == 60
    assert [reject.line for reject in rejects] == (
        [51] if opened[0] == "5" or "x" in opened else []
    )


def test_a_delimiter_before_a_closing_quote_opens_nothing(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"{i}.5,tube {i}\n" for i in range(30))
    path.write_text(f'a,name\n1.5,5" pipe\n{rows}2.5,"x,"\n')
    found = reader_for(sources_of([str(path)], Writing(), Stop()), Choice(keep=True), StreamART())
    chunks = list(found.chunks())
    assert chunks[-1].kept["name"].to_pylist()[-1] == "x,"
    assert sum(len(chunk.X) for chunk in chunks) == 32
