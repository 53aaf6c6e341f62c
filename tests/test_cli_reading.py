"""Reading: what is guessed, what is refused and why, and that chunks change nothing."""

import gzip
import json
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from streamart.cli.errors import UserError
from streamart.cli.reading import blocks as blocks_module
from streamart.cli.reading import sources
from streamart.cli.reading.blocks import Records, blocks
from streamart.cli.reading.columns import Choice
from streamart.cli.reading.inputs import Writing, sources_of
from streamart.cli.reading.parts import Position
from streamart.cli.reading.reader import read_ahead, reader_for
from streamart.cli.reading.sniff import sniffed
from streamart.cli.stopping import Stop


def reader(*paths, model=None, **choice):
    found = sources_of([str(path) for path in paths], Writing(), Stop())
    return reader_for(found, Choice(**choice), model)


def everything(found, start=None):
    chunks = [chunk.without_gaps() for chunk in read_ahead(found.chunks(start))]
    X = np.concatenate([chunk.X for chunk in chunks])
    return X, [reject for chunk in chunks for reject in chunk.rejects], chunks


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of a few lines, so that many meet."""
    monkeypatch.setattr(blocks, "__defaults__", (64,))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,2\n3,4\n", (",", ".", True, 2)),
        ("1,2\n3,4\n", (",", ".", False, 2)),
        ("a;b\n1,5;2,5\n3,5;4\n", (";", ",", True, 2)),
        ("a;b\n1.5;2\n3;4\n", (";", ".", True, 2)),
        ("a\tb\n1\t2\n", ("\t", ".", True, 2)),
        ("x|y\n1|2\n", ("|", ".", True, 2)),
        ("1 2 3\n4 5 6\n", (" ", ".", False, 3)),
        ("a\n1\n2\n", (",", ".", True, 1)),
        ('n,a\n"Smith, J",1\n"Doe, K",2\n', (",", ".", True, 2)),
        ("name,kind\nu,x\nv,y\n", (",", ".", True, 2)),
        ("a,b\n", (",", ".", True, 2)),
        ("a,b\n1,NA\n2,\n", (",", ".", True, 2)),
    ],
)
def test_sniffing(text, expected):
    assert sniffed(text, True)[:4] == expected


def test_what_is_given_is_not_guessed():
    assert sniffed("1;2\n3;4\n", True, ",", ".", True)[:4] == (",", ".", True, 1)


def test_a_line_that_is_cut_is_not_looked_at():
    assert sniffed("1,2\n3,4\n5", False).width == 2


@pytest.mark.usefixtures("small_blocks")
def test_chunks_change_nothing(tmp_path):
    """Quoted line ends, empty lines, Windows line ends: rows, lines and places fit at every cut."""
    lines = ["id,a,b\r\n"]
    for i in range(40):
        lines.append(f'"no\n{i}",{i},{i / 2}\r\n' if i % 7 == 3 else f"{i},{i},{i / 2}\n")
        if i % 5 == 0:
            lines.append("\n")
        if i % 11 == 4:
            lines.append("only,two\n")
    path = tmp_path / "x.csv"
    path.write_text("".join(lines), newline="")
    X, rejects, chunks = everything(reader(path, ids=["id"], columns="a,b"))
    assert np.array_equal(X, [[i, i / 2] for i in range(40)])
    assert len(chunks) > 5
    raw = "".join(lines).split("\n")
    assert [raw[reject.line - 1] for reject in rejects] == ["only,two"] * 4
    assert [reject.text for reject in rejects] == ["only,two"] * 4
    assert chunks[-1].end.line == "".join(lines).count("\n")
    ids = pa.concat_arrays([chunk.ids[0] for chunk in chunks]).to_pylist()
    assert ids[3] == "no\n3"
    # rows are numbered by their place in the file; rows that were refused count
    kept = [line for line in lines[1:] if line != "\n"]
    numbers = [at for at, line in enumerate(kept, start=1) if line != "only,two\n"]
    assert np.concatenate([chunk.records for chunk in chunks]).tolist() == numbers
    # going on from the end of any chunk gives the rest
    for at, chunk in enumerate(chunks[:-1]):
        rest, _, more = everything(reader(path, ids=["id"], columns="a,b"), chunk.end)
        assert np.array_equal(rest, X[sum(len(c.X) for c in chunks[: at + 1]) :])
        assert more[-1].records.tolist() == chunks[-1].records.tolist()
        assert more[-1].end == chunks[-1].end


@pytest.mark.usefixtures("small_blocks")
def test_reasons_and_lines_of_a_csv(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a;b\n" + "1,5;2\n" * 20 + "abc;1\n1;\n\n1;-inf\n1.5;2\n1e200;3\n7;8\n")
    X, rejects, _ = everything(reader(path))
    assert X.shape == (21, 2)
    assert X[[0, -1]].tolist() == [[1.5, 2], [7, 8]]
    assert [(r.line, r.reason, r.text) for r in rejects] == [
        (22, "a is not a number: 'abc'", "abc;1"),
        (23, "b is missing", "1;"),
        (25, "b is infinite", "1;-inf"),
        (26, "a is not a number: '1.5'", "1.5;2"),
        (27, "a is beyond 1e+140", "1e200;3"),
    ]


@pytest.mark.usefixtures("small_blocks")
def test_reasons_and_lines_of_ndjson(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "LOOK", 300)  # no further than the good rows
    path = tmp_path / "x.ndjson"
    rows = [json.dumps({"a": i, "b": 0.5, "id": i, "t": "k"}) for i in range(9)]
    bad = ['{"a": "x", "b": 1, "id": 9}', "", "{", '{"a": 1}', "[1, 2]", '{"a": 1, "b": true}']
    bad += ['{"a": 1, "b": 2, "id": "ten"}', '{"a": 2, "b": 3, "id": 11, "t": 5}']
    path.write_text("\n".join(rows + bad))
    X, rejects, chunks = everything(reader(path, ids=["id"], truth="t", columns="a,b"))
    assert X.tolist() == [[i, 0.5] for i in range(9)] + [[2, 3]]
    assert [(r.line, r.reason.split(": ")[0]) for r in rejects] == [
        (10, "a is not a number"),
        (12, "no JSON"),
        (13, "b is missing"),
        (14, "no JSON object"),
        (15, "b is not a number"),
        (16, "id is no whole number as it was before"),
    ]
    assert chunks[-1].ids[0].to_pylist()[-1] == 11
    assert chunks[-1].truths.to_pylist()[-1] == "5"


def test_one_table_in_all_formats(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)).round(3), rng.integers(0, 3, 100)
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y})
    rows = [[*map(str, row), str(k)] for row, k in zip(X.tolist(), y.tolist(), strict=True)]
    text = "a,b,c,y\n" + "".join(",".join(row) + "\n" for row in rows)
    (tmp_path / "t.csv").write_text(text)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "t.tsv").write_text(text.replace(",", "\t"))
    (tmp_path / "plain").write_text(text)
    (tmp_path / "t.txt").write_text("\n".join(" ".join(f"{v:8}" for v in row) for row in rows))
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    parquet.write_table(table, tmp_path / "t.parquet", row_group_size=30)
    np.save(tmp_path / "t.npy", np.column_stack([X, y]))
    np.save(tmp_path / "f.npy", np.asfortranarray(np.column_stack([X, y])))
    np.savez(tmp_path / "t.npz", X=np.column_stack([X, y]), names=np.array(["u"] * 100))
    np.savez_compressed(tmp_path / "c.npz", table=np.column_stack([X, y]).astype(">f8"))
    for path in sorted(tmp_path.iterdir()):
        found = reader(path, columns="1-3", truth="4")
        Z, rejects, chunks = everything(found)
        assert np.array_equal(Z, X), path
        assert not rejects
        truths = [float(value) for chunk in chunks for value in chunk.truths.to_pylist()]
        assert truths == y.tolist()
        assert found.share(chunks[-1].end) in (1.0, None)
        if path.suffix in (".parquet", ".npy", ".npz"):
            rest, _, _ = everything(found, Position(record=41))
            assert np.array_equal(rest, X[41:]), path


def test_tables_refuse_rows_too(tmp_path):
    table = pa.table({"a": [1.0, None, 3.0], "b": [1, 2, 3], "k": ["x", "y", "z"]})
    parquet.write_table(table, tmp_path / "t.parquet")
    X, rejects, chunks = everything(reader(tmp_path / "t.parquet", ids=["k"]))
    assert X.tolist() == [[1, 1], [3, 3]]
    assert [(r.line, r.reason) for r in rejects] == [(2, "a is missing")]
    assert chunks[0].ids[0].to_pylist() == ["x", "z"]
    np.savez(tmp_path / "t.npz", X=[[1.0, np.nan], [2, 3]], y=["p", "q"])
    X, rejects, chunks = everything(reader(tmp_path / "t.npz", truth="y"))
    assert X.tolist() == [[2, 3]]
    assert chunks[0].truths.to_pylist() == ["q"]
    assert rejects[0].reason == "x2 is missing"


def test_several_files_may_have_other_orders(tmp_path):
    (tmp_path / "1.csv").write_text("a,b\n1,2\n")
    (tmp_path / "2.csv").write_text("b,z,a\n4,9,3\n")
    X, _, chunks = everything(reader(tmp_path / "*.csv"))
    assert X.tolist() == [[1, 2], [3, 4]]
    assert [chunk.end.source for chunk in chunks] == [0, 1]


def test_other_encodings(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes("größe,n\n1,ä\n2,ö\n".encode("latin-1"))
    found = reader(path, ids=["n"])
    assert found.features == ["größe"]
    assert "windows-1252" in found.first.described
    assert everything(found)[2][0].ids[0].to_pylist() == ["ä", "ö"]
    path.write_bytes(b"\xef\xbb\xbfa,b\n1,2\n")
    assert reader(path).features == ["a", "b"]


def test_columns_of_a_model(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("b,z,a\n4,9,3\n")
    named = SimpleNamespace(n_features_in_=2, feature_names_in_=["a", "b"])
    assert everything(reader(path, model=named))[0].tolist() == [[3, 4]]
    path.write_text("4,9,3\n")
    with pytest.raises(UserError, match="3 columns would be used"):
        reader(path, model=SimpleNamespace(n_features_in_=2))


@pytest.mark.parametrize(
    ("name", "content", "choice", "message"),
    [
        ("x.csv", "", {}, "is empty"),
        ("x.csv", "a,b\n,\n,\n", {}, "no numeric column"),
        ("x.csv", "alpha,b\n1,2\n", {"columns": "alpa"}, "Did you mean 'alpha'"),
        ("x.csv", "a,b\n1,2\n", {"columns": "1-3"}, "has no column '3'"),
        ("x.csv", "a,b\n1,2\n", {"truth": "c"}, "--truth: "),
        ("x.csv", b"\xff\xfea\0,\0", {}, "UTF-16"),
        ("x.csv", b"a\0b", {}, "zero bytes"),
        ("x.ndjson", "[1]\n", {}, "no JSON object"),
        ("x.parquet", "PAR1", {}, "no Parquet file"),
        ("x.npy", "text", {}, "no NPY or NPZ"),
        ("x.csv.gz", "text", {}, "cannot be"),
    ],
)
def test_what_cannot_be_read_is_reported(tmp_path, name, content, choice, message):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(UserError) as told:
        everything(reader(path, **choice))
    assert message in str(told.value)
    assert name in str(told.value)


def test_more_that_cannot_be_read(tmp_path):
    stop = Stop()
    for paths, message in (
        ([tmp_path / "none.csv"], "There is no file"),
        ([tmp_path], "is a folder"),
        ([tmp_path / "*.csv"], "No file matches"),
        (["-", "-"], "only once"),
    ):
        with pytest.raises(UserError, match=message):
            sources_of([str(path) for path in paths], Writing(), stop)
    np.savez(tmp_path / "two.npz", a=np.ones((2, 2)), b=np.ones((2, 2)))
    with pytest.raises(UserError, match="the one that is called X"):
        reader(tmp_path / "two.npz")
    parquet.write_table(pa.table({"a": ["x"]}), tmp_path / "t.parquet")
    assert everything(reader(tmp_path / "t.parquet", columns="a"))[0].tolist() == [[1, 0, 0, 0]]
    np.save(tmp_path / "cut.npy", np.ones((50, 2)))
    whole = (tmp_path / "cut.npy").read_bytes()
    (tmp_path / "cut.npy").write_bytes(whole[:-10])
    with pytest.raises(UserError, match="cut short"):
        everything(reader(tmp_path / "cut.npy"))
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    (tmp_path / "b.csv").write_text("a,c\n1,2\n")
    (tmp_path / "n.csv").write_text("1\n2\n")
    with pytest.raises(UserError, match="has no column b"):
        reader(tmp_path / "a.csv", tmp_path / "b.csv")
    with pytest.raises(UserError, match="1 columns, fewer"):
        reader(tmp_path / "a.csv", tmp_path / "n.csv")
    with pytest.raises(UserError, match="takes one source"):
        sources_of([str(tmp_path / "a.csv")] * 2, Writing(), stop, follow=True)
    with pytest.raises(UserError, match="does not grow"):
        sources_of([str(tmp_path / "t.parquet")], Writing(), stop, follow=True)
    (tmp_path / "z.csv.gz").write_bytes(gzip.compress(b"a\n1\n"))
    with pytest.raises(UserError, match="cannot be followed"):
        sources_of([str(tmp_path / "z.csv.gz")], Writing(), stop, follow=True)


def test_a_quotation_mark_without_end(monkeypatch):
    monkeypatch.setattr(blocks_module, "LONGEST", 100)
    data = iter([b'"' + b"x\n" * 60, b"more"])
    with pytest.raises(UserError, match="a quotation mark is missing"):
        list(blocks(lambda size: next(data, b""), 0, "x.csv", True))


def test_records_of_a_block():
    data = b'a,b\r\n\r\n"1\n2",3\n4,5'
    found = Records(data, True)
    assert [found.text(i) for i in range(len(found))] == ["a,b", '"1\n2",3', "4,5"]
    assert found.lines.tolist() == [0, 2, 4]
