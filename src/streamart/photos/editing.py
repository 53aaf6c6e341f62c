"""Corrections that a user makes (name, merge, split, "not this person"), and questions to the user.

Every correction is stored in the library as a `Correction`, and moves faces at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..people.hints import is_name, wrong_name
from .database import LibraryError
from .facts import APART, MERGE, NAME, NOT, SPLIT, Correction
from .library import Library
from .people import Faces, means_of, nearest_other, typical_faces


class Person(NamedTuple):
    """A person and the number of faces."""

    id: int
    name: str | None
    faces: int
    cover: int
    """The most typical face."""


class Question(NamedTuple):
    """Whether two people are the same person. `gain` is how many faces the answer would move, on
    average."""

    one: int
    other: int
    likely: float
    gain: float


def people(library: Library) -> list[Person]:
    """All people, those with most faces first."""
    faces = _sorted_only(library.faces())
    covers = typical_faces(faces) if len(faces.id) else {}
    names = dict(library.rows("SELECT id, name FROM people"))
    numbers, counts = np.unique(faces.person, return_counts=True)
    found = [
        Person(person, names.get(person), count, covers[person])
        for person, count in zip(numbers.tolist(), counts.tolist(), strict=True)
    ]
    return sorted(found, key=lambda one: (-one.faces, one.id))


def _sorted_only(faces: Faces) -> Faces:
    known = faces.person >= 0
    return Faces(faces.id[known], faces.photo[known], faces.person[known], faces.vector[known])


def faces_of(library: Library, person: int) -> list[int]:
    """The faces of a person, oldest first."""
    query = "SELECT id FROM faces WHERE person = ? AND length(vector) ORDER BY id"
    return [face for (face,) in library.rows(query, [person])]


def _faces_of(library: Library, person: int) -> tuple[int, ...]:
    found = tuple(faces_of(library, person)) if person >= 0 else ()
    if not found:
        raise LibraryError(f"There is no person {person}.", "Perhaps it was merged into another.")
    return found


def _chosen(inside: tuple[int, ...], chosen: list[int]) -> tuple[int, ...]:
    wanted = tuple(dict.fromkeys(chosen))
    if not wanted or not set(wanted) <= set(inside):
        raise LibraryError("Choose faces of this person.")
    if len(wanted) == len(inside):
        raise LibraryError("These are all faces of this person. Leave at least one.")
    return wanted


def merge(library: Library, kept: int, other: int) -> None:
    """Merge two people; `kept` keeps its id, and its name if it has one."""
    if kept == other:
        raise LibraryError(f"{kept} is already one person.")
    one, two = _faces_of(library, kept), _faces_of(library, other)
    library.say(Correction(MERGE, one, two), dict.fromkeys(two, kept))


def split(library: Library, person: int, chosen: list[int]) -> None:
    """Make some faces of a person one other person."""
    inside = _faces_of(library, person)
    out = _chosen(inside, chosen)
    rest = tuple(face for face in inside if face not in set(out))
    library.say(Correction(SPLIT, out, rest), dict.fromkeys(out, -1))


def not_this_person(library: Library, person: int, chosen: list[int]) -> None:
    """Move each of these faces to the person that it resembles, or else to a new one."""
    inside = _faces_of(library, person)
    out = _chosen(inside, chosen)
    rest = tuple(face for face in inside if face not in set(out))
    faces, facts = _sorted_only(library.faces()), library.facts()
    row = {face: i for i, face in enumerate(faces.id.tolist())}
    moves = {}
    for i, face in enumerate(out):
        other = nearest_other(faces, row[face], facts)
        moves[face] = -1 - i if other is None else other
    library.say(Correction(NOT, out, rest), moves)


def name(library: Library, person: int, called: str | None) -> None:
    """Name a person, or remove the name. Two people with the same name are merged."""
    inside = _faces_of(library, person)
    called = (called or "").strip() or None
    if called is not None and not is_name(called):
        raise LibraryError(wrong_name(called))
    cover = typical_faces(_sorted_only(library.faces()))[person]
    typical = (cover, *(face for face in inside if face != cover))
    same = library.rows("SELECT id FROM people WHERE name = ? AND id != ?", [called, person])
    if same and faces_of(library, same[0][0]):
        merge(library, same[0][0], person)
    else:
        library.say(Correction(NAME, typical, name=called), {})


def are_different(library: Library, one: int, other: int) -> None:
    """Note that two people are different, even if they look alike."""
    if one == other:
        raise LibraryError(f"{one} is one person. Split off some of the faces instead.")
    said = Correction(APART, _faces_of(library, one), _faces_of(library, other))
    library.say(said, {})


def questions(library: Library, limit: int = 10) -> list[Question]:
    """Pairs of people who may be the same, ordered by the expected number of faces to move.

    The probability that two people are the same follows from the distance of their means, compared
    with the distance of faces from the mean of their own person.
    """
    faces = _sorted_only(library.faces())
    if len(faces.id) < 2:
        return []
    facts = library.facts()
    numbers, means, reach = means_of(faces)
    counts = np.unique(faces.person, return_counts=True)[1]
    groups: dict[int, set[int]] = {}
    for face, person in zip(faces.id.tolist(), faces.person.tolist(), strict=True):
        if face in facts.group_of:
            groups.setdefault(person, set()).add(facts.group_of[face])
    reach = max(reach, 1e-9)
    likely = 1.0 / (1.0 + np.exp((1.0 - means @ means.T - 2 * reach) / (0.5 * reach)))
    gain = likely * np.minimum(counts[:, None], counts[None])
    found: list[Question] = []
    for pair in np.argsort(-np.triu(gain, 1), axis=None, kind="stable"):
        i, j = divmod(int(pair), len(numbers))
        if i >= j or likely[i, j] < 0.02 or len(found) == limit:
            break
        one, other = int(numbers[i]), int(numbers[j])
        if not any(
            facts.are_apart(a, b) for a in groups.get(one, ()) for b in groups.get(other, ())
        ):
            if counts[j] > counts[i]:
                one, other = other, one
            found.append(Question(one, other, float(likely[i, j]), float(gain[i, j])))
    return found
