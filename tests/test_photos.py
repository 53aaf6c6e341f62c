"""Photos: what is read, kept, sorted, and what a person says of it. Faces are drawn."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFilter

import drawn_faces
from drawn_faces import (
    CHOSEN,
    DrawnDetector,
    DrawnEmbedder,
    Killing,
    draw_photo,
    use_drawn_faces,
)
from streamart.photos import editing, reading
from streamart.photos.database import LibraryError
from streamart.photos.facts import APART, MERGE, NAME, NOT, SPLIT, Correction, Facts
from streamart.photos.finding import find_photos
from streamart.photos.labelled import embed_labelled
from streamart.photos.library import Library
from streamart.photos.people import Faces, match_people, settle
from streamart.photos.reading import read_photo
from streamart.photos.scan import scan
from streamart.photos.workers import Readers

TAKES = 12


@pytest.fixture
def album(tmp_path, monkeypatch):
    """A folder with photos of six people, and an empty library."""
    use_drawn_faces(monkeypatch)
    folder = tmp_path / "album"
    for take in range(TAKES):
        draw_photo(folder / f"{take // 4}" / f"{take:02}.png", [take % 6, (take + 1) % 6], take)
    with Library(tmp_path / "album.sqlite") as library:
        library.agree(CHOSEN, "streamart")
        yield folder, library


def run(folder, library, **options):
    return scan(folder, library, Readers(CHOSEN, 0), **options)


def who(library):
    """Person of each photo and drawn face, by the place in the photo."""
    query = (
        "SELECT path, round(x0 * width), person FROM faces JOIN photos ON photos.id = photo"
        " ORDER BY path, x0"
    )
    return {(os.fsdecode(path), place): person for path, place, person in library.rows(query)}


def check_laws(library):
    """All that was said holds, and no two faces of a photo are one person unless it was said."""
    facts = library.facts()
    person = dict(library.rows("SELECT id, person FROM faces WHERE person >= 0"))
    home = {}
    for group, members in facts.members.items():
        assert len({person[face] for face in members}) == 1, (group, members)
        home[group] = person[min(members)]
    for one in home:
        for other in home:
            if one != other and facts.are_apart(one, other):
                assert home[one] != home[other]
    names = dict(library.rows("SELECT id, name FROM people WHERE name IS NOT NULL"))
    assert names == {home[group]: name for group, name in facts.name.items()}
    in_photo = defaultdict(list)
    for face, photo, one in library.rows("SELECT id, photo, person FROM faces WHERE person >= 0"):
        in_photo[photo, one].append(facts.group_of.get(face, -face - 1))
    assert all(len(set(groups)) == 1 for groups in in_photo.values())


# ---------------------------------------------------------------------- reading one photo


def read(path):
    return read_photo(str(path), DrawnDetector(), DrawnEmbedder())


def test_a_photo_is_read_upright_whatever_its_exif_says(tmp_path):
    path = draw_photo(tmp_path / "a.png", [1, 2])
    upright = read(path)
    image = Image.open(path)
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by 90 degrees
    image.rotate(90, expand=True).save(tmp_path / "b.png", exif=exif)
    turned = read(tmp_path / "b.png")
    assert [face.box for face in turned.faces] == [face.box for face in upright.faces]
    assert [face.vector for face in turned.faces] == [face.vector for face in upright.faces]
    image.save(tmp_path / "c.webp", lossless=True)
    assert [face.vector for face in read(tmp_path / "c.webp").faces] == [
        face.vector for face in upright.faces
    ]
    image.save(tmp_path / "d.jpg")  # the marks of drawn faces do not survive
    assert read(tmp_path / "d.jpg").status == reading.READ


@pytest.mark.parametrize("cut", [0, 1, 40, 0.5, 0.9])
def test_a_broken_image_is_no_error(tmp_path, cut):
    whole = draw_photo(tmp_path / "a.png", [1]).read_bytes()
    cut = int(len(whole) * cut) if isinstance(cut, float) else cut
    (tmp_path / "b.png").write_bytes(whole[:cut])
    found = read(tmp_path / "b.png")
    assert found.status == reading.BROKEN
    assert found.reason
    assert not found.faces


def test_a_file_of_another_kind_is_no_image(tmp_path):
    (tmp_path / "a.jpg").write_bytes(b"GIF89a" + bytes(100))
    assert read(tmp_path / "a.jpg").reason == "it is not a JPEG, PNG or WebP image"


def test_100_megapixels_are_not_decoded(tmp_path, monkeypatch):
    path = tmp_path / "huge.png"
    Image.new("1", (10_100, 10_000)).save(path)  # 15 KB
    began = time.perf_counter()
    found = read(path)
    assert (found.status, found.reason[:14]) == (reading.TOO_LARGE, "101 megapixels")
    assert time.perf_counter() - began < 5
    monkeypatch.setattr(reading, "MOST_BYTES", 1000)
    assert read(draw_photo(tmp_path / "large.png", [1, 2, 3])).status == reading.TOO_LARGE


def test_a_file_that_changes_while_it_is_read_is_read_by_the_next_run(tmp_path, monkeypatch):
    path = draw_photo(tmp_path / "a.png", [1])
    original = Path.read_bytes

    def slow(self):
        data = original(self)
        if self == path:
            with path.open("ab") as file:
                file.write(b"more")
        return data

    monkeypatch.setattr(Path, "read_bytes", slow)
    found = read(path)
    assert found.status == reading.CHANGED
    assert not found.is_final
    monkeypatch.undo()
    assert read(tmp_path / "gone.png").status == reading.UNREADABLE


def test_small_and_blurred_faces_are_skipped(tmp_path):
    path = draw_photo(tmp_path / "a.png", [1])
    image = np.asarray(Image.open(path).convert("RGB"))
    sharp = reading.sharpness(image)
    blurred = Image.fromarray(image).filter(ImageFilter.GaussianBlur(8))
    assert sharp > reading.LEAST_SHARPNESS > reading.sharpness(np.asarray(blurred))
    small = DrawnDetector().find(image)[0]._replace(right=20.0)
    kept, why = reading.usable(image, [small, small._replace(right=120.0)])
    assert (len(kept), why) == (1, ["small"])
    assert reading.usable(np.asarray(blurred), kept) == ([], ["blurred"])


def test_links_are_followed_once(tmp_path):
    draw_photo(tmp_path / "a" / "b" / "1.png", [1])
    (tmp_path / "a" / "b" / "up").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "self.png").symlink_to("self.png")
    (tmp_path / "a" / "other").symlink_to(tmp_path / "a" / "b")
    (tmp_path / "a" / "nowhere.png").symlink_to("missing.png")
    found = list(find_photos(tmp_path))
    assert sum(not one.problem for one in found) == 2  # also by its other name
    assert sum(bool(one.problem) for one in found) == 4


def test_a_process_that_dies_takes_one_photo_with_it(tmp_path):
    for name, rows in zip("abcd", (40, 50, 40, 40), strict=True):
        Image.new("RGB", (40, rows)).save(tmp_path / f"{name}.png")
    with Readers(Killing(), 1) as readers:
        found = [photo.status for photo in readers.read(str(tmp_path / f"{n}.png") for n in "abcd")]
    assert found == [reading.READ, reading.BROKEN, reading.READ, reading.READ]


# ---------------------------------------------------------------------- the library


def test_people_are_found_and_a_second_run_reads_nothing(album):
    folder, library = album
    before = {path: path.read_bytes() for path in folder.rglob("*.png")}
    report = run(folder, library)
    assert (report.found, report.read, report.faces) == (TAKES, TAKES, 2 * TAKES)
    people = editing.people(library)
    assert [one.faces for one in people] == [4] * 6
    check_laws(library)
    again = run(folder, library)
    assert (again.unchanged, again.read) == (TAKES, 0)
    assert {path: path.read_bytes() for path in folder.rglob("*.png")} == before
    assert oct(library.path.stat().st_mode)[-3:] == "600"


def test_later_photos_keep_ids_and_names(album):
    folder, library = album
    run(folder, library)
    before = who(library)
    for one in editing.people(library)[:3]:
        editing.name(library, one.id, f"name {one.id}")
    for take in range(TAKES, TAKES + 6):
        draw_photo(folder / "new" / f"{take}.png", [take % 6], take)
    report = run(folder, library)
    assert (report.read, report.unchanged) == (6, TAKES)
    after = who(library)
    assert {key: after[key] for key in before} == before
    assert set(after.values()) == set(before.values())
    assert sum(one.name is not None for one in editing.people(library)) == 3


def test_what_moves_keeps_its_faces_and_what_changes_is_read_again(album):
    folder, library = album
    run(folder, library)
    faces = library.rows("SELECT id FROM faces ORDER BY id")
    (folder / "0" / "00.png").rename(folder / "moved.png")
    os.utime(folder / "1" / "05.png")
    report = run(folder, library, forget=True)
    assert (report.read, report.gone) == (2, 0)
    assert library.rows("SELECT id FROM faces ORDER BY id") == faces
    draw_photo(folder / "moved.png", [5], 99)  # one face, where there were two
    run(folder, library)
    assert len(library.rows("SELECT id FROM faces")) == len(faces) - 1


def test_forgetting_is_on_request_and_leaves_nothing(album):
    folder, library = album
    run(folder, library)
    (gone,) = {p for (path, place), p in who(library).items() if path == "0/00.png" and place == 0}
    editing.name(library, gone, "Secret Name")
    for path in list(folder.rglob("*.png")):
        name = str(path.relative_to(folder))
        if gone in [person for (other, _), person in who(library).items() if other == name]:
            path.unlink()
    report = run(folder, library)
    assert report.gone == 4
    assert b"Secret Name" in library.path.read_bytes()
    report = run(folder, library, forget=True)
    assert report.forgotten == 4
    assert gone not in {one.id for one in editing.people(library)}
    check_laws(library)
    assert b"Secret Name" not in library.path.read_bytes()
    for path in folder.rglob("*.png"):
        path.unlink()
    with pytest.raises(LibraryError, match="Is the disk mounted"):
        run(folder, library, forget=True)


def test_other_models_need_another_library_or_again(album):
    folder, library = album
    run(folder, library)
    before = who(library)
    first = editing.people(library)[0].id
    editing.name(library, first, "Ann")
    other = CHOSEN._replace(embedder="other.onnx")
    with pytest.raises(LibraryError, match="--again"):
        library.agree(other, "streamart")
    library.agree(other, "streamart", again=True)
    assert run(folder, library).read == TAKES  # the same vectors here, but all read anew
    assert who(library) == before
    assert next(one.name for one in editing.people(library) if one.id == first) == "Ann"


def test_the_papers_network_sorts_too(album):
    folder, library = album
    library.agree(CHOSEN, "topoartmap")
    run(folder, library)
    check_laws(library)
    assert 4 <= len(editing.people(library)) <= 10


def test_a_file_that_is_no_library_is_refused(tmp_path):
    (tmp_path / "a.sqlite").write_bytes(b"something else, and long enough" * 100)
    with pytest.raises(LibraryError, match="not a photo library"):
        Library(tmp_path / "a.sqlite")
    sqlite3.connect(tmp_path / "b.sqlite").execute("CREATE TABLE other (x)")
    with pytest.raises(LibraryError, match="another kind"):
        Library(tmp_path / "b.sqlite")


def test_the_library_is_whole_after_a_kill(tmp_path):
    folder = tmp_path / "album"
    for take in range(60):
        draw_photo(folder / f"{take}.png", [take % 6, (take + 2) % 6], take)
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import time, drawn_faces\n"
        "from pathlib import Path\n"
        "from streamart.photos import models, scan, workers, library\n"
        "models.DETECTORS['drawn'] = 'drawn_faces:DrawnDetector'\n"
        "models.EMBEDDERS['drawn'] = 'drawn_faces:DrawnEmbedder'\n"
        "scan.BATCH = 2\n"
        "kept = library.Library(Path(sys.argv[3]))\n"
        "kept.agree(drawn_faces.CHOSEN, 'streamart')\n"
        "show = lambda done, of, report: (print(done, flush=True), time.sleep(0.01))\n"
        "scan.scan(Path(sys.argv[2]), kept, workers.Readers(drawn_faces.CHOSEN, 0), show=show)\n"
    )
    path = tmp_path / "l.sqlite"
    here = os.path.dirname(drawn_faces.__file__)
    for how, after in ((signal.SIGKILL, 9), (signal.SIGINT, 20)):
        process = subprocess.Popen(
            [sys.executable, "-c", program, here, str(folder), str(path)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        while int(process.stdout.readline() or 99) < after:
            pass
        process.send_signal(how)
        process.wait()
        process.stdout.close()
        with sqlite3.connect(path) as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            photos = db.execute("SELECT count(*) FROM photos").fetchone()[0]
            faces = db.execute("SELECT count(*) FROM faces").fetchone()[0]
        assert photos >= after - 2
        assert faces == 2 * photos


# ---------------------------------------------------------------------- what is said

faces_of_six = st.lists(st.integers(1, 9), min_size=1, max_size=4, unique=True).map(tuple)


@st.composite
def corrections(draw):
    kind = draw(st.sampled_from([MERGE, SPLIT, NOT, APART, NAME]))
    one = draw(faces_of_six)
    if kind == NAME:
        return Correction(NAME, one, name=draw(st.sampled_from(["Ann", "Ben", None])))
    rest = sorted(set(range(1, 10)) - set(one))
    other = draw(st.lists(st.sampled_from(rest), min_size=1, max_size=4, unique=True))
    return Correction(kind, one, tuple(other))


@given(st.lists(corrections(), min_size=1, max_size=12))
def test_the_last_word_holds(said):
    facts = Facts(said)
    everything = [face for members in facts.members.values() for face in members]
    assert sorted(everything) == sorted(facts.group_of)  # each face is in one group
    assert all(face in facts.members[group] for face, group in facts.group_of.items())
    assert set(facts.name) <= set(facts.members)
    assert len(set(facts.name.values())) == len(facts.name)  # a name is one person's
    assert all({a, b} <= set(facts.members) and a != b for a, b in facts.pairs_apart)
    last = said[-1]
    groups = [facts.group_of.get(face) for face in last.one]
    others = {facts.group_of[face] for face in last.other}
    if last.kind == MERGE:
        assert {*groups, *others} == {groups[0]}
    elif last.kind == NAME:
        assert facts.name.get(groups[0]) == last.name
    else:
        assert len(others) == 1
        assert all(facts.are_apart(group, other) for group in groups for other in others)
    twin = [Correction.from_json(json.loads(json.dumps(one.as_json()))) for one in said]
    assert Facts(twin).members == facts.members


@given(
    st.lists(corrections(), max_size=8),
    st.lists(st.integers(0, 3), min_size=9, max_size=9),
    st.lists(st.integers(0, 5), min_size=9, max_size=9),
)
def test_settling_makes_all_facts_true_and_changes_nothing_twice(said, person, photo):
    vectors = np.random.default_rng(0).standard_normal((9, 4))
    faces = Faces(np.arange(1, 10), np.array(photo), np.array(person), vectors)
    facts = Facts(said)
    settled = settle(faces, facts, 10)
    home = {
        group: {int(settled[face - 1]) for face in members}
        for group, members in facts.members.items()
    }
    assert all(len(one) == 1 for one in home.values())
    for one in home:
        for other in home:
            if one != other and facts.are_apart(one, other):
                assert home[one] != home[other]
    for i in range(9):
        for j in range(i):
            if photo[i] == photo[j] and settled[i] == settled[j]:
                assert facts.group_of[i + 1] == facts.group_of[j + 1]
    again = settle(faces._replace(person=settled), facts, int(settled.max()) + 1)
    assert again.tolist() == settled.tolist()


def test_settling_keeps_what_no_fact_touches():
    faces = Faces(np.arange(6), np.arange(6), np.array([0, 0, 0, 1, 1, 1]), np.eye(6))
    facts = Facts([Correction(NOT, (2,), (0, 1))])
    assert settle(faces, facts, 2).tolist() == [0, 0, 2, 1, 1, 1]


def test_a_cluster_is_the_person_with_whom_it_shares_most():
    faces = Faces(np.arange(6), np.arange(6), np.array([4, 4, 4, 7, 7, -1]), np.eye(6))
    assert match_people(faces, np.array([1, 1, 0, 0, 0, 2]), Facts(), 8).tolist() == [
        4, 4, 7, 7, 7, 8,
    ]  # fmt: skip
    named = Facts([Correction(NAME, (2,), name="Ann")])  # face 2 says who is person 4
    assert match_people(faces, np.array([1, 1, 0, 0, 0, 2]), named, 8).tolist() == [
        8, 8, 4, 4, 4, 9,
    ]  # fmt: skip


ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["merge", "split", "not", "name", "apart", "undo", "sort", "new", "gone"]),
        st.integers(0, 5),
        st.integers(0, 5),
    ),
    min_size=2,
    max_size=9,
)


@settings(max_examples=12)
@given(actions=ACTIONS)
def test_corrections_hold_for_ever(tmp_path_factory, actions):
    """Whatever is said, learnt, removed or sorted again, and after the library is opened again."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        use_drawn_faces(monkeypatch)
        home = tmp_path_factory.mktemp("album")
        folder = home / "photos"
        for take in range(6):
            draw_photo(folder / f"{take}.png", [take % 3, 3 + take % 2], take)
        library = Library(home / "l.sqlite")
        library.agree(CHOSEN, "streamart")
        run(folder, library)
        for step, (action, a, b) in enumerate(actions):
            _act(action, a, b, step, folder, library)
            check_laws(library)
        said = library.corrections()
        before = who(library)
        library.close()
        with Library(home / "l.sqlite") as library:
            assert library.corrections() == said
            assert who(library) == before
            library.sort()
            check_laws(library)


def _act(action, a, b, step, folder, library):
    people = [one.id for one in editing.people(library)]
    one, other = people[a % len(people)], people[b % len(people)]
    faces = editing.faces_of(library, one)
    try:
        if action == "merge":
            editing.merge(library, one, other)
            assert set(faces) <= set(editing.faces_of(library, one))
        elif action == "split":
            editing.split(library, one, faces[: 1 + b % 2])
        elif action == "not":
            editing.not_this_person(library, one, faces[:1])
            assert faces[0] not in editing.faces_of(library, one)
        elif action == "name":
            editing.name(library, one, ["Ann", "Ben", "Cleo", ""][b % 4])
        elif action == "apart":
            editing.are_different(library, one, other)
        elif action == "undo":
            library.undo()
        elif action == "sort":
            library.sort()
        elif action == "new":
            draw_photo(folder / f"new{step}.png", [a % 5], 20 + step)
            run(folder, library)
        else:
            present = sorted(folder.glob("*.png"))
            if len(present) > 1:
                present[b % len(present)].unlink()
            run(folder, library, forget=True)
    except LibraryError:
        pass  # one person already, all faces chosen, nothing to undo


def test_undo_brings_back_what_was(album):
    folder, library = album
    run(folder, library)
    states = [(who(library), [one.name for one in editing.people(library)])]
    first, other, third = (person.id for person in editing.people(library)[:3])
    for act in (
        lambda: editing.name(library, first, "Ann"),
        lambda: editing.merge(library, first, other),
        lambda: editing.split(library, third, editing.faces_of(library, third)[:2]),
        lambda: editing.not_this_person(library, first, editing.faces_of(library, first)[:1]),
        lambda: editing.name(library, third, "Ann"),  # merges
        lambda: editing.are_different(library, first, editing.people(library)[-1].id),
    ):
        act()
        states.append((who(library), [one.name for one in editing.people(library)]))
    for expected in reversed(states[:-1]):
        library.undo()
        assert (who(library), [one.name for one in editing.people(library)]) == expected
    with pytest.raises(LibraryError, match="nothing to undo"):
        library.undo()


def test_later_photos_follow_a_correction(album):
    """People 0 and 1 are one, a person says; so are their later photos."""
    folder, library = album
    run(folder, library)
    at = who(library)
    one, other = at["0/00.png", 0], at["0/00.png", 120]
    editing.merge(library, one, other)
    for take in (30, 31):
        draw_photo(folder / f"{take}.png", [take % 2], take)
    run(folder, library)
    after = who(library)
    assert after["30.png", 0] == after["31.png", 0] == one


def test_questions_come_in_the_order_of_what_they_change(album, monkeypatch):
    folder, library = album
    run(folder, library)
    large = editing.people(library)[0].id
    inside = editing.faces_of(library, large)
    library.say(Correction(NAME, (inside[0],), name="x"), {inside[0]: -1, inside[1]: -1})
    asked = editing.questions(library)
    assert {asked[0].one, asked[0].other} == {large, editing.people(library)[-1].id}
    assert [one.gain for one in asked] == sorted((one.gain for one in asked), reverse=True)
    editing.are_different(library, asked[0].one, asked[0].other)
    assert asked[0][:2] not in [one[:2] for one in editing.questions(library)]


def test_a_wrong_correction_is_refused_and_changes_nothing(album):
    folder, library = album
    run(folder, library)
    one = editing.people(library)[0].id
    inside = editing.faces_of(library, one)
    for act in (
        lambda: editing.merge(library, one, one),
        lambda: editing.are_different(library, one, one),
        lambda: editing.merge(library, one, 999),
        lambda: editing.merge(library, -1, one),
        lambda: editing.split(library, one, inside),
        lambda: editing.split(library, one, []),
        lambda: editing.not_this_person(library, one, [999]),
        lambda: editing.name(library, one, "#3"),
    ):
        with pytest.raises(LibraryError):
            act()
    assert library.corrections() == []


# ---------------------------------------------------------------------- the command


def test_the_command(tmp_path, monkeypatch, command):
    use_drawn_faces(monkeypatch, "dlib")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "album"
    for take in range(TAKES):
        draw_photo(folder / f"{take}.png", [take % 6, (take + 1) % 6], take)
    (folder / "broken.jpg").write_bytes(b"no image")
    draw_photo(folder / "empty.png", [])
    code, out, err = command("photos", folder, "--workers", 0)
    assert (code, out.strip()) == (0, f"{TAKES + 2} photos ({TAKES + 1} new), 24 faces, 6 people")
    assert "broken (1)" in err
    assert "no face (1)" in err
    assert "broken.jpg: it is not a JPEG" in err
    (kept,) = (tmp_path / "state" / "streamart" / "photos").glob("album-*.sqlite")
    code, out, _ = command("photos", folder, "--workers", 0, "--json")
    found = json.loads(out)
    assert (found["unchanged"], found["read"], found["people"]) == (TAKES + 2, 0, 6)
    assert found["library"] == str(kept)
    code, _, err = command("photos", folder, "--workers", 0, "--embedder", "missing.onnx")
    assert code == 1
    assert "Traceback" not in err
    (folder / "0.png").unlink()
    assert "--forget" in command("photos", folder, "--workers", 0)[2]
    assert "Forgot 1" in command("photos", folder, "--workers", 0, "--forget")[2]


def test_following_a_folder(tmp_path, monkeypatch, command):
    """Photos that arrive are read and lines of; Ctrl-C ends it."""
    from streamart.cli.commands import photos

    use_drawn_faces(monkeypatch, "dlib")
    folder = tmp_path / "album"
    for take in range(8):
        draw_photo(folder / f"{take}.png", [take % 4], take)
    arriving = iter([lambda: draw_photo(folder / "new.png", [0, 1], 50), lambda: None])

    def wait(seconds):
        next(arriving, _stop)()

    monkeypatch.setattr(photos, "time", SimpleNamespace(sleep=wait))
    code, out, err = command(
        "photos", folder, "--library", tmp_path / "l.sqlite", "--workers", 0, "--follow"
    )
    assert code == 130
    lines = [line.rpartition(", ")[0] for line in out.splitlines()]
    assert lines == ["8 photos (8 new), 8 faces", "9 photos (1 new), 10 faces"]
    assert "goes on from there" in err


def _stop():
    raise KeyboardInterrupt


def test_photos_of_known_people_become_embeddings(tmp_path, monkeypatch):
    use_drawn_faces(monkeypatch)
    for take in range(6):
        draw_photo(tmp_path / "photos" / f"{take % 3}-{take:02}.png", [take % 3], take)
    draw_photo(tmp_path / "photos" / "2-99.png", [])
    target = tmp_path / "out" / "faces.npz"
    assert embed_labelled(tmp_path / "photos", target, CHOSEN, 0) == (7, 6)
    made = target.stat().st_mtime_ns
    with np.load(target) as arrays:
        assert arrays["y"].tolist() == [0, 0, 1, 1, 2, 2]
        assert arrays["X"].shape == (6, 16)
    assert embed_labelled(tmp_path / "photos", target, CHOSEN, 0) == (7, 6)
    assert target.stat().st_mtime_ns == made  # nothing was read again
    draw_photo(tmp_path / "photos" / "1-98.png", [1], 98)
    assert embed_labelled(tmp_path / "photos", target, CHOSEN, 0) == (8, 7)
