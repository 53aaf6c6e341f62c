"""Damaged input, full disks and broken checkpoints: one clear sentence, never a traceback."""

import gzip
import json
import os
import subprocess
import sys
import time
import zipfile

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from streamart import StreamART
from streamart.cli import app
from streamart.cli.reading import tables
from streamart.cli.reading.blocks import blocks
from streamart.cli.reading.columns import unique
from streamart.cli.running import run as running
from streamart.cli.running.checkpoints import Checkpoints

ROWS = "\n".join(f"{i % 7},{i % 5}.5,{i % 3}" for i in range(60))


@pytest.fixture
def refused(command):
    """Run a command that must end with one error; returns its message."""

    def run(*arguments):
        code, _, err = command(*arguments)
        assert code == 1, err
        (line,) = (line for line in err.splitlines() if line.startswith("Error: "))
        return line

    return run


def written(path, data):
    path.write_bytes(data)
    return path


# ---------------------------------------------------------------------- compressed text


def packed_csv(rows=30_000):
    """Noise, so that the packed file has many blocks."""
    numbers = np.random.default_rng(0).normal(size=(rows, 2)).round(6)
    return gzip.compress("\n".join(f"{a},{b}" for a, b in numbers.tolist()).encode())


@pytest.mark.parametrize("kind", ["cut", "flipped"])
def test_a_packed_file_that_is_damaged_beyond_its_beginning(kind, refused, tmp_path, monkeypatch):
    monkeypatch.setattr(running.Learner, "learn", lambda self, chunk: None)  # reading is enough
    data = bytearray(packed_csv())
    if kind == "cut":
        del data[-50_000:]
    else:
        data[-50_000] ^= 0x10
    path = written(tmp_path / "x.csv.gz", bytes(data))
    said = refused("cluster", path)
    assert f"{path} cannot be read" in said


@pytest.mark.parametrize("letter", [b"1", b'"', b",", b"\n"])
def test_a_packed_file_that_unpacks_to_one_endless_line(letter, refused, tmp_path, monkeypatch):
    """Refused after so many bytes, in little memory and time, whatever it would unpack to."""
    monkeypatch.setattr(running.Learner, "learn", lambda self, chunk: None)
    path = tmp_path / "bomb.csv.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"a,b\n1,2\n3,4\n" * 9999 + b'"' * (letter == b"\n"))  # a quote that never ends
        for _ in range(200):
            file.write(letter * (1 << 20))
    begun = time.process_time()
    assert "has a line of more than" in refused("cluster", path)
    assert time.process_time() - begun < 10


def test_blocks_are_cut_in_linear_time():
    """Quotation marks are counted once in what is held, not again with each piece."""
    pieces = [b'"' + b"x" * 9_999] + [b"y" * 10_000] * 600 + [b'"\n']
    begun = time.process_time()
    left = iter(pieces)
    found = list(blocks(lambda size: next(left, b""), 0, "x", True))
    assert len(found) == 1
    assert time.process_time() - begun < 0.5


# ---------------------------------------------------------------------- Parquet


@pytest.fixture
def parquet_file(tmp_path):
    X = np.random.default_rng(0).normal(size=(5_000, 2))
    path = tmp_path / "x.parquet"
    parquet.write_table(pa.table({"a": X[:, 0], "b": X[:, 1]}), path, row_group_size=1000)
    return path


@pytest.mark.parametrize("at", [0.5, 0.9])
def test_a_parquet_file_with_damaged_pages(at, refused, parquet_file, monkeypatch):
    monkeypatch.setattr(running.Learner, "learn", lambda self, chunk: None)
    data = bytearray(parquet_file.read_bytes())
    begin = int(at * parquet.ParquetFile(parquet_file).metadata.row_group(4).column(1).file_offset)
    begin = begin or int(at * 0.9 * len(data))
    data[begin : begin + 20_000] = bytes(20_000)
    parquet_file.write_bytes(data[: parquet_file.stat().st_size])
    said = refused("cluster", parquet_file)
    assert str(parquet_file) in said


def test_a_parquet_file_with_a_damaged_footer(refused, parquet_file):
    """Flipped bytes all over it are in the attacks, since pyarrow might crash."""
    data = parquet_file.read_bytes()
    length = 8 + int.from_bytes(data[-8:-4], "little")
    for broken in (
        data[:-1],
        data[:-400],
        data[:-8] + (1 << 30).to_bytes(4, "little") + data[-4:],
        data[:-length] + bytes(length - 8) + data[-8:],
    ):
        parquet_file.write_bytes(broken)
        assert f"{parquet_file} is no Parquet file, or a damaged one" in refused(
            "cluster", parquet_file
        )


def test_a_parquet_file_with_equal_names(refused, tmp_path):
    path = tmp_path / "x.parquet"
    parquet.write_table(pa.table([[1.0, 2], [3.0, 4]], names=["a", "a"]), path)
    assert "2 columns called 'a'" in refused("cluster", path)


# ---------------------------------------------------------------------- NPY and NPZ


def npy(head, data=b"", version=b"\x01\x00"):
    text = (head if isinstance(head, bytes) else str(head).encode()) + b"\n"
    return b"\x93NUMPY" + version + len(text).to_bytes(2, "little") + text + data


def header(shape, descr="<f8", fortran=False):
    return {"descr": descr, "fortran_order": fortran, "shape": shape}


@pytest.mark.parametrize(
    "content",
    [
        npy("{'descr': '<f8'"),
        npy("[1, 2"),
        npy(b"\xff\xfe{"),
        npy("(" * 300),
        npy(header((3, 2), "nonsense")),
        npy(header((-3, 2)), bytes(48)),
        npy(header((3, -2)), bytes(48)),
        npy(header((10**30, 2)), bytes(48)),
        npy(header((10**12, 2)), bytes(48)),
        npy(header((2, 10**12)), bytes(48)),
        npy(header((3, 2)), bytes(47)),
        npy(header((3, 2), fortran=True), bytes(47)),
        npy(header((3, 2), fortran=True), bytes(40)),
        npy(header((3, 10**9), fortran=True), bytes(48)),
        npy(header((3, 0)), b""),
        npy(header((3, 2)), bytes(48), version=b"\x07\x00"),
        b"\x93NUMPY",
    ],
)
def test_an_npy_file_that_is_damaged(content, refused, tmp_path):
    path = written(tmp_path / "x.npy", content)
    assert str(path) in refused("cluster", path)


def npz(path, method=zipfile.ZIP_DEFLATED):
    array = np.random.default_rng(0).normal(size=(400, 2))
    np.save(path.with_suffix(".npy"), array)
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.write(path.with_suffix(".npy"), "X.npy")
    return bytearray(path.read_bytes())


def test_an_npz_file_that_is_encrypted_or_packed_by_an_unknown_method(refused, tmp_path):
    path = tmp_path / "x.npz"
    for local, central, value, said in ((6, 8, 1, "encrypted"), (8, 10, 97, "compression method")):
        data = npz(path)
        data[local] = value
        data[data.rfind(b"PK\x01\x02") + central] = value
        path.write_bytes(data)
        message = refused("cluster", path)
        assert str(path) in message
        assert said in message


def test_an_npz_file_with_damaged_numbers(refused, tmp_path):
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        path = tmp_path / "x.npz"
        data = npz(path, method)
        data[len(data) // 2] ^= 0xFF
        path.write_bytes(data)
        assert str(path) in refused("cluster", path)


def test_wide_tables_are_read_by_fewer_rows(tmp_path, monkeypatch):
    """Bounded by bytes, not only by rows."""
    monkeypatch.setattr(tables, "BYTES", 64)
    np.save(tmp_path / "x.npy", np.arange(24.0).reshape(12, 2))
    from streamart.cli.reading.columns import Wanted
    from streamart.cli.reading.parts import Position

    file = tables.NumpyFile(tmp_path / "x.npy", "x.npy")
    parts = list(file.parts(Wanted((0, 1)), Position()))
    assert [part.table.num_rows for part in parts] == [4, 4, 4]


# ---------------------------------------------------------------------- NDJSON


def test_ids_beyond_64_bits(command, tmp_path):
    """If the first ones are, ids are text; if a later one is, its row is refused."""
    for ids, labelled in (([2**70, 1, 2], 3), ([1, 2, 2**70, -(2**80)], 2)):
        lines = [json.dumps({"id": i, "a": at + 0.5, "b": 1}) for at, i in enumerate(ids)]
        # The later ones beyond what is looked at first.
        lines[2:2] = [json.dumps({"id": 7, "a": 1, "b": 1})] * 3000
        path = written(tmp_path / "x.ndjson", "\n".join(lines).encode())
        out = tmp_path / "out.csv"
        code, _, err = command("cluster", path, "--columns", "a,b", "--id", "id", "--out", out)
        assert code == 0, err
        assert len(out.read_text().splitlines()) == 1 + 3000 + labelled
        assert ("id is beyond 64 bits" in err) == (labelled == 2)


def test_numbers_too_great_for_a_float(command, tmp_path):
    lines = ['{"a": 1, "b": 2}', '{"a": 3, "b": 1' + "0" * 400 + "}", '{"a": 3, "b": 3}']
    path = written(tmp_path / "x.ndjson", "\n".join(lines).encode())
    code, _, err = command("cluster", path)
    assert code == 0
    assert f"{path}, line 2: b is infinite" in err


def test_lone_surrogates(command, tmp_path):
    """In a value that is carried along: the row is refused. In what is not used: no matter."""
    lines = [
        '{"id": "a", "x": 1, "y": 2, "text": "\\ud800"}',
        '{"id": "b\\ud800", "x": 2, "y": 2}',
        '{"id": "c", "x": 3, "y": 2, "\\udc00": 1}',
    ]
    path = written(tmp_path / "x.ndjson", "\n".join(lines).encode())
    out = tmp_path / "out.ndjson"
    args = ("cluster", path, "--columns", "x,y", "--id", "id", "--out", out)
    code, _, err = command(*args)
    assert code == 0, err
    assert [json.loads(line)["id"] for line in out.read_text().splitlines()] == ["a", "c"]
    assert f"{path}, line 2: id holds half a letter" in err
    rejects = tmp_path / "rejects.csv"
    assert command(*args, "--rejects", rejects)[0] == 0
    assert "half a letter" in rejects.read_text()


# ---------------------------------------------------------------------- columns, reports


def test_many_equal_names_take_linear_time():
    begun = time.process_time()
    names = unique(["a"] * 20_000)
    assert time.process_time() - begun < 0.5
    assert names[:3] == ["a", "a_2", "a_3"]
    assert len(set(names)) == len(names)
    assert unique(["a", "a_2", "a", "a", "a_2"]) == ["a", "a_2", "a_3", "a_4", "a_2_2"]


def test_many_columns_in_two_files_take_linear_time(command, tmp_path, monkeypatch):
    monkeypatch.setattr(running.Learner, "learn", lambda self, chunk: None)
    names = ",".join(["a"] * 3_000)
    text = names + "\n" + ",".join(["1"] * 3_000) + "\n"
    paths = [written(tmp_path / f"{i}.csv", text.encode()) for i in range(2)]
    begun = time.process_time()
    command("cluster", *paths)
    assert time.process_time() - begun < 10


@pytest.mark.parametrize("row", ["1", "1,2", "1,2,3", "1e139,2,3e130"])
def test_a_report_of_one_row(row, command, tmp_path):
    path = written(tmp_path / "x.csv", f"{row}\n".encode())
    report = tmp_path / "r.html"
    code, _, err = command("cluster", path, "--no-header", "--report", report)
    assert code == 0, err
    assert "</html>" in report.read_text()


def test_a_report_of_very_large_numbers(command, tmp_path):
    rows = "\n".join(f"{i}e139,{i % 3}e139,{i % 2}e139" for i in range(8))
    path = written(tmp_path / "x.csv", rows.encode())
    code, _, err = command("cluster", path, "--no-header", "--report", tmp_path / "r.html")
    assert code == 0, err


# ---------------------------------------------------------------------- full disks


@pytest.fixture
def stream(tmp_path):
    return written(tmp_path / "s.csv", (ROWS + "\nx,1,1\n").encode())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full disk")
@pytest.mark.parametrize("option", ["--events", "--rejects", "--report", "--out"])
def test_a_full_disk(option, refused, stream):
    said = refused("cluster", stream, option, "/dev/full")
    assert f"{option}: /dev/full cannot be written: No space left" in said


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full disk")
@pytest.mark.parametrize("option", ["--rejects", "--out"])
def test_a_full_disk_while_labels_are_predicted(option, refused, stream, tmp_path):
    model = tmp_path / "m"
    StreamART().fit(np.arange(30.0).reshape(10, 3)).save(model)
    said = refused("predict", model, stream, "--columns", "1-3", option, "/dev/full")
    assert "cannot be written: No space left" in said


@pytest.fixture
def small_disk():
    """No file may grow beyond 4 KB."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.usefixtures("small_disk")
@pytest.mark.parametrize("option", ["--report", "--save"])
def test_a_disk_that_fills_up_leaves_no_half_file(option, refused, stream, tmp_path):
    target = written(tmp_path / "target", b"before")
    assert f"{target} cannot be written: File too large" in refused(
        "cluster", stream, option, target
    )
    assert target.read_bytes() == b"before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.csv", "target"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full disk")
def test_standard_output_on_a_full_disk():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "streamart", "icvis"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
        )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert "Error: Standard output cannot be written: No space left" in done.stderr


# ---------------------------------------------------------------------- checkpoints


@pytest.fixture
def cut_run(command, stream, tmp_path, monkeypatch):
    """A run that was killed after a checkpoint: its command, and the folder of the checkpoint."""
    monkeypatch.setattr(blocks, "__defaults__", (200,))
    arguments = ("cluster", stream, "--save", tmp_path / "m", "--checkpoint-every", 1)
    real, saves = Checkpoints.save, []

    def save(self, *rest):
        if saves:
            raise MemoryError("killed")
        saves.append(1)
        real(self, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoints, "save", save)
        with pytest.raises(MemoryError):
            app.run([str(part) for part in arguments])
    return [*arguments, "--resume"], tmp_path / "m.checkpoint"


def test_a_damaged_checkpoint(cut_run, refused, command):
    """Every file of it: empty, cut, with one byte changed, and what is JSON but no checkpoint."""
    arguments, folder = cut_run
    for path in sorted(folder.iterdir()):
        if path.name == "lock":
            continue
        data = path.read_bytes()
        middle = len(data) // 2
        flipped = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
        for broken in (b"", data[:-1], data[:middle], flipped, b"[]", b"{}", b"null", b"\xff"):
            path.write_bytes(broken)
            said = refused(*arguments)
            assert f"{folder}" in said, (path, broken[:20], said)
            assert "damaged" in said
        path.unlink()
        if path.name != "checkpoint.json":
            assert "damaged" in refused(*arguments)
        path.write_bytes(data)
    assert command(*arguments)[0] == 0


def test_a_second_run_is_refused_while_the_first_is_running(cut_run, refused, command):
    arguments, folder = cut_run
    first = Checkpoints(folder.with_name("m"))
    with first.locked():
        said = refused(*arguments)
        assert "still running" in said
        assert str(os.getpid()) in said
        assert "still running" in refused(*arguments[:-1])
    assert command(*arguments)[0] == 0
    assert not folder.exists()


def test_a_run_without_checkpoints_leaves_those_of_others_alone(command, stream, tmp_path):
    """It may have begun before the other one had written any."""
    other = Checkpoints(tmp_path / "m")
    real = running.Run._learn

    def learn(self):
        real(self)
        other.folder.mkdir()
        (other.folder / "checkpoint.json").touch()

    running.Run._learn = learn
    try:
        assert command("cluster", stream, "--save", tmp_path / "m")[0] == 0
    finally:
        running.Run._learn = real
    assert other.exists()


def test_a_run_that_never_reached_a_checkpoint_leaves_nothing(refused, command, tmp_path):
    path = written(tmp_path / "x.csv", b"a,b\n1e999,1e999\n")
    arguments = ("cluster", path, "--columns", "a,b", "--save", tmp_path / "m")
    assert command(*arguments, "--checkpoint-every", 1)[0] == 3
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_an_end_of_file_is_no_ctrl_c(refused, monkeypatch, tmp_path):
    """Click takes both for the same."""

    def fail(*_):
        raise EOFError("No data left in file")

    monkeypatch.setattr(running.Run, "go", fail)
    path = written(tmp_path / "x.csv", b"1,2\n")
    assert "No data left in file" in refused("cluster", path)
