"""The page of a photo library: what it answers, and what a browser does with it."""

import json
import re
import subprocess
import urllib.error
import urllib.request
from types import SimpleNamespace

import pytest

from drawn_faces import CHOSEN, draw_photo, use_drawn_faces
from streamart.photos import editing
from streamart.photos.library import Library
from streamart.photos.page import api
from streamart.photos.page.server import PageServer
from streamart.photos.scan import scan
from streamart.photos.workers import Readers
from test_photos import check_laws
from test_report import CHROMIUM, QUIET


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A library of four people with 5, 4, 3 and 2 faces, and its page."""
    use_drawn_faces(monkeypatch)
    folder = tmp_path / "album"
    take = 0
    for person, faces in enumerate((5, 4, 3, 2)):
        for _ in range(faces):
            draw_photo(folder / f"{take:02}.png", [person], take)
            take += 1
    with Library(tmp_path / "l.sqlite") as library:
        library.agree(CHOSEN, "streamart")
        scan(folder, library, Readers(CHOSEN, 0))
        with PageServer(library) as server:
            yield library, server.address


def ask(address, path="", body=None):
    """Status and answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read(), error.headers


def sizes(library):
    return [one.faces for one in editing.people(library)]


def test_only_who_has_the_token_and_is_here_is_answered(served):
    _, address = served
    assert address.startswith("http://127.0.0.1:")
    assert len(address.rstrip("/").rpartition("/")[2]) >= 32
    root = address[: address.rstrip("/").rindex("/") + 1]
    for path in ("", "people", "docs", "openapi.json", "x" * 32 + "/people"):
        assert ask(root, path)[0] == 404
    assert ask(address, "people")[0] == 200


def test_every_answer_is_private(served):
    library, address = served
    face = editing.people(library)[0].cover
    for path in ("", "people", "questions", f"faces/{face}.jpg"):
        status, _, headers = ask(address, path)
        assert status == 200
        assert headers["Cache-Control"] == "no-store"
        assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert ask(address, "faces/999.jpg")[0] == 404


def test_corrections_over_the_wire(served):
    library, address = served
    assert sizes(library) == [5, 4, 3, 2]
    people = json.loads(ask(address, "people")[1])["people"]
    one, other, third = (person["id"] for person in people[:3])
    assert ask(address, "name", {"person": one, "name": "Ann"})[0] == 200
    assert ask(address, "merge", {"kept": one, "other": other})[0] == 200
    inside = [face["id"] for face in json.loads(ask(address, f"people/{third}")[1])]
    assert ask(address, "split", {"person": third, "faces": inside[:1]})[0] == 200
    assert ask(address, "different", {"one": one, "other": third})[0] == 200
    check_laws(library)
    assert sizes(library) == [9, 2, 2, 1]
    assert ask(address, "sort", {})[0] == 200
    check_laws(library)
    assert json.loads(ask(address, "undo", {})[1]) == {"undone": "apart"}
    status, answer, _ = ask(address, "merge", {"kept": one, "other": 999})
    assert status == 409
    assert "no person 999" in json.loads(answer)["problem"]
    assert ask(address, "merge", {"kept": "x"})[0] == 422


def test_the_page_asks_for_nothing_from_elsewhere():
    page = api._PAGE.read_text()
    assert not re.search(r"https?://|//[a-z]+\.[a-z]", page)


CLICKS = """
<script>
const until = async (what, test) => {
  for (let i = 0; i < 200; i++) {
    const found = test();
    if (found) return found;
    await new Promise(done => setTimeout(done, 25));
  }
  throw new Error("never: " + what);
};
const seen = selector => [...document.querySelectorAll(selector)].filter(e => e.offsetParent);
const piles = () => seen("#piles .pile");
const sizes = () => piles().map(one => parseInt(one.querySelector(".count").textContent)).join();
const button = text => seen("button").find(one => one.textContent.trim() === text && !one.disabled);
const press = async text => (await until(text, () => button(text))).click();
const is = wanted => until(wanted, () => sizes() === wanted);
const steps = [];
const errors = [];
addEventListener("error", event => errors.push(event.message));
(async () => {
  await is("5,4,3,2"); steps.push("piles, largest first");
  await until("pictures", () => [...document.images].every(
    one => one.complete && one.naturalWidth));
  steps.push("pictures");
  const field = piles()[0].querySelector("input");
  field.value = "<b>Ann</b>"; field.dispatchEvent(new Event("change"));
  await until("named", () => document.getElementById("message").textContent.includes("Ann"));
  await is("5,4,3,2"); steps.push("name");
  piles()[0].querySelector(".stack").click();
  await press("Same person as \\u2026");
  await until("others", () => seen("#others .stack").length === 3);
  seen("#others .stack")[0].click();
  await until("nine", () => seen("#faces button").length === 9); steps.push("merge");
  seen("#faces button").slice(0, 2).forEach(one => one.click());
  await press("Split off as another person");
  await until("seven", () => seen("#faces button").length === 7); steps.push("split");
  seen("#faces button")[0].click();
  await press("Not this person");
  await until("six", () => seen("#faces button").length === 6); steps.push("not this person");
  await press("\\u2190 All people");
  await until("overview", () => piles().length > 3);
  await press("Undo"); await until("undone", () => sizes().startsWith("7,"));
  await press("Undo"); await is("9,3,2");
  await press("Undo"); await is("5,4,3,2"); steps.push("undo");
})().catch(error => errors.push(String(error))).finally(() => {
  document.body.dataset.steps = JSON.stringify({ steps, errors });
});
</script></html>
"""


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")
def test_clicked_in_a_browser(served, tmp_path, monkeypatch):
    library, address = served
    page = tmp_path / "page.html"
    page.write_text(api._PAGE.read_text().replace("</html>", CLICKS))
    monkeypatch.setattr(api, "_PAGE", page)
    done = subprocess.run(
        [CHROMIUM, *QUIET, f"--user-data-dir={tmp_path / 'profile'}",
         "--virtual-time-budget=60000", "--dump-dom", address],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    found = json.loads(re.search(r'data-steps="([^"]*)"', done.stdout)[1].replace("&quot;", '"'))
    assert found["errors"] == []
    assert found["steps"] == [
        "piles, largest first", "pictures", "name", "merge", "split", "not this person", "undo",
    ]  # fmt: skip
    assert sizes(library) == [5, 4, 3, 2]
    assert editing.people(library)[0].name == "<b>Ann</b>"


def test_the_command_serves_the_page(tmp_path, monkeypatch, command):
    """`--open` prints an address that answers, and Ctrl-C ends it."""
    from streamart.cli.commands import photos

    use_drawn_faces(monkeypatch, "dlib")
    folder = tmp_path / "album"
    draw_photo(folder / "1.png", [1, 2])
    answered = []
    monkeypatch.setattr(photos.webbrowser, "open", answered.append)

    def interrupted(seconds):
        answered.append(ask(answered[0], "people")[0])
        raise KeyboardInterrupt

    monkeypatch.setattr(photos, "time", SimpleNamespace(sleep=interrupted))
    library = tmp_path / "l.sqlite"
    code, _, err = command("photos", folder, "--library", library, "--workers", 0, "--open")
    assert answered[1] == 200
    assert answered[0] in err.replace("\n", "")
    assert code == 130
