"""Photos that go, change, come back, or come in another order: ids, names and corrections."""

import os
import shutil
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from sklearn.metrics import adjusted_rand_score

from drawn_faces import CHOSEN, draw_photo, use_drawn_faces
from streamart.photos import editing, finding, library, scan
from streamart.photos.database import LibraryError
from streamart.photos.library import Library
from streamart.photos.workers import Readers
from test_photos import ACTIONS, _act, album, check_laws, run, who

__all__ = ["album"]  # a fixture


def person_named(library, name):
    return next(one.id for one in editing.people(library) if one.name == name)


def name_two(folder, library):
    """Names the people of the first photo, and says that one face of the first is somebody else."""
    run(folder, library)
    at = who(library)
    editing.name(library, at["0/00.png", 0], "Ann")
    editing.name(library, at["0/00.png", 120], "Ben")
    ann = editing.faces_of(library, at["0/00.png", 0])
    editing.not_this_person(library, at["0/00.png", 0], ann[-1:])
    library.sort()
    return who(library), library.corrections()


def test_photos_that_come_back_find_their_people(album, tmp_path):
    folder, library = album
    before, said = name_two(folder, library)
    shutil.move(folder / "0", tmp_path / "away")
    report = run(folder, library)
    assert (report.gone, report.forgotten) == (4, 0)
    assert who(library) == before
    shutil.move(tmp_path / "away", folder / "0")
    os.utime(folder / "0" / "00.png")  # copied back without its time: it is read again
    assert run(folder, library).read == 1
    assert (who(library), library.corrections()) == (before, said)


def test_forgotten_photos_that_come_back_are_new_photos_of_people_known_by_name(album, tmp_path):
    folder, library = album
    name_two(folder, library)
    library.undo()  # it was not true
    library.sort()
    before, ann = who(library), person_named(library, "Ann")
    shutil.move(folder / "0" / "00.png", tmp_path / "00.png")
    assert run(folder, library, forget=True).forgotten == 1
    check_laws(library)
    assert person_named(library, "Ann") == ann
    shutil.move(tmp_path / "00.png", folder / "0" / "00.png")
    run(folder, library)
    check_laws(library)
    assert who(library) == before


def test_a_damaged_photo_keeps_its_faces_until_it_is_repaired(album):
    folder, library = album
    before, said = name_two(folder, library)
    path = folder / "0" / "00.png"
    whole = path.read_bytes()
    path.write_bytes(whole[:200])
    report = run(folder, library)
    assert (report.skipped["broken"], report.gone) == (1, 0)
    assert who(library) == before
    assert run(folder, library).unchanged == 12  # and it is not read in vain
    path.write_bytes(whole)
    run(folder, library)
    assert (who(library), library.corrections()) == (before, said)


def test_another_picture_under_the_same_name_gets_no_correction(album):
    folder, library = album
    name_two(folder, library)
    draw_photo(folder / "0" / "00.png", [4, 5], 30)
    run(folder, library)
    check_laws(library)
    after = who(library)
    assert after["0/00.png", 0] == after["1/04.png", 0]  # person 4
    assert after["0/00.png", 0] != person_named(library, "Ann")
    image = Image.open(folder / "0" / "00.png")
    image.putpixel((60, 5), (0, 0, 0))
    image.save(folder / "0" / "00.png")  # the same picture, retouched
    ids = library.rows("SELECT id FROM faces ORDER BY id")
    assert run(folder, library).read == 1
    assert library.rows("SELECT id FROM faces ORDER BY id") == ids


def test_a_folder_that_cannot_be_read_is_not_forgotten(album, monkeypatch):
    folder, library = album
    before, _ = name_two(folder, library)
    scandir = os.scandir

    def refused(path):
        if str(path).endswith("/1"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(finding.os, "scandir", refused)
    report = run(folder, library, forget=True)
    assert (report.found, report.gone, report.forgotten) == (8, 0, 0)
    assert who(library) == before


HARM = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from(["gone", "damaged", "rewritten", "moved"])),
    min_size=1,
    max_size=5,
    unique_by=lambda one: one[0],
)


@settings(max_examples=10)
@given(actions=ACTIONS, harm=HARM)
def test_corrections_survive_what_happens_to_files(tmp_path_factory, actions, harm):
    with pytest.MonkeyPatch.context() as monkeypatch:
        use_drawn_faces(monkeypatch)
        home = tmp_path_factory.mktemp("album")
        folder = home / "photos"
        for take in range(6):
            draw_photo(folder / f"{take}.png", [take % 3, 3 + take % 2], take)
        with Library(home / "l.sqlite") as library:
            library.agree(CHOSEN, "streamart")
            run(folder, library)
            for step, (action, a, b) in enumerate(actions):
                if action != "gone":
                    _act(action, a, b, step, folder, library)
            library.sort()
            before, said = who(library), library.corrections()
            shutil.copytree(folder, home / "copy")
            for number, how in harm:
                do_harm(folder / f"{number}.png", how)
            run(folder, library)
            check_laws(library)
            assert library.corrections() == said
            shutil.rmtree(folder)
            shutil.copytree(home / "copy", folder)
            run(folder, library)
            check_laws(library)
            assert library.corrections() == said
            assert {key: who(library)[key] for key in before} == before


def do_harm(path, how):
    if how == "gone":
        path.unlink()
    elif how == "damaged":
        path.write_bytes(path.read_bytes()[:100])
    elif how == "rewritten":
        Image.open(path).save(path, compress_level=1)
    else:
        path.rename(path.with_name(f"moved {path.name}"))


def test_the_order_of_upload_does_not_change_who_is_who(tmp_path, monkeypatch):
    """Nor what corrections do that are made after it."""
    use_drawn_faces(monkeypatch)
    drawn = [
        draw_photo(tmp_path / "drawn" / f"{take:02}.png", [take % 6, (take * 5 + 1) % 6], take)
        for take in range(18)
    ]
    found = []
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(18) if seed else np.arange(18)
        folder = tmp_path / f"album {seed}"
        folder.mkdir()
        with Library(tmp_path / f"{seed}.sqlite") as library:
            library.agree(CHOSEN, "streamart")
            for part in np.array_split(order, 6 if seed else 1):
                for take in part:
                    shutil.copy(drawn[take], folder)
                run(folder, library)
            at = who(library)
            editing.name(library, at["00.png", 0], "Ann")
            editing.merge(library, at["01.png", 0], at["02.png", 0])
            three = at["03.png", 0]
            query = "SELECT faces.id FROM faces JOIN photos ON photos.id = photo WHERE path = ?"
            face = next(
                face
                for (face,) in library.rows(query, [b"03.png"])
                if face in editing.faces_of(library, three)
            )
            editing.not_this_person(library, three, [face])
            library.sort()
            check_laws(library)
            found.append(who(library))
    people = [list(dict(sorted(one.items())).values()) for one in found]
    assert [adjusted_rand_score(people[0], other) for other in people] == [1.0] * 3


def test_an_embedder_with_other_content_is_another_embedder(album, tmp_path):
    _, library = album
    model = tmp_path / "model.onnx"
    model.write_bytes(b"one")
    chosen = CHOSEN._replace(embedder=str(model))
    library.agree(chosen, "streamart", again=True)
    library.agree(chosen, "streamart")
    model.write_bytes(b"another")
    with pytest.raises(LibraryError, match="--again"):
        library.agree(chosen, "streamart")


def test_the_page_can_read_while_faces_are_clustered(album, monkeypatch):
    folder, kept = album
    run(folder, kept)
    people = editing.people(kept)
    kept.rows("SELECT 1")
    kept._db.execute("DELETE FROM model")
    clustering, read = threading.Event(), threading.Event()
    original = library.cluster

    def slow(*arguments):
        clustering.set()
        assert read.wait(10)
        return original(*arguments)

    monkeypatch.setattr(library, "cluster", slow)
    thread = threading.Thread(target=kept.sort)
    thread.start()
    assert clustering.wait(10)
    assert editing.people(kept) == people
    read.set()
    thread.join(10)
    assert editing.people(kept) == people


def test_clustering_takes_a_small_share_of_the_time(album, monkeypatch):
    folder, library = album
    sorts = []

    class Clock:
        now = 0.0

        def monotonic(self):
            return self.now

    clock = Clock()

    def sort(library):
        sorts.append(clock.now)
        clock.now += 2.0

    monkeypatch.setattr(scan, "time", clock)
    monkeypatch.setattr(scan, "BATCH", 1)
    monkeypatch.setattr(Library, "sort", sort)

    def show(done, of, report):
        clock.now += 10.0

    report = scan.scan(folder, library, Readers(CHOSEN, 0), show=show)
    assert sorts == [30.0, 92.0, 124.0]  # after 20 s, then 50 s after it ended, and at the end
    assert report.seconds_sorting == 6.0
    assert report.seconds_reading == pytest.approx(120.0)
