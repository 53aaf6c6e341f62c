"""Faces become people: clustered as they arrive, with what is known, and with ids that stay.

Works on arrays; knows nothing of files. A *person* is a number that stays the same from one
clustering to the next; `match_people` sees to that, and `settle` to it that all facts hold.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np

from .._typing import Floats, Ints
from ..estimators.network import ICVITopoARTMAP
from ..estimators.stream_art import StreamART
from ..people.hints import Hints
from .facts import Facts

METHODS = ("streamart", "topoartmap")
ROUNDS = 3
"""Clusterings at most, until no two faces of one photo are one person."""
MAX_CATEGORIES = 1500
"""StreamART's budget for faces: there may be hundreds of people, most of them on few photos."""
MOST_PAIRS = 300
"""Faces of one photo that are kept apart by hints; the others, `settle` keeps apart: each hint is a
category or two that nothing else may join."""
PAPER_DISTANCE = 0.6
"""Median cosine distance of two faces to which the paper's vigilance of 0.2 is related, as in
experiments/settings.py."""

Estimator: TypeAlias = StreamART | ICVITopoARTMAP
Pairs: TypeAlias = set[tuple[int, int]]


class Faces(NamedTuple):
    """All faces, in the order of their arrival."""

    id: Ints
    photo: Ints
    person: Ints
    """-1 for none yet."""
    vector: Floats

    @property
    def directions(self) -> Floats:
        lengths = np.linalg.norm(self.vector, axis=1, keepdims=True)
        unit: Floats = self.vector / np.maximum(lengths, np.finfo(float).tiny)
        return unit


class Clustered(NamedTuple):
    """What came of clustering faces."""

    model: Estimator
    labels: Ints
    pairs: Pairs
    """Faces of one photo that had to be kept apart by a hint."""


def new_model(method: str, vectors: Floats) -> Estimator:
    """A clusterer of faces; `vectors` tell how far apart two faces are."""
    if method == "streamart":
        return StreamART(MAX_CATEGORIES, metric="cosine")
    # The paper's settings for faces, its vigilance scaled as in `streamart reproduce table4`.
    unit = vectors[:3000] / np.linalg.norm(vectors[:3000], axis=1, keepdims=True)
    distance = 1.0 - unit @ unit.T
    pairs = distance[np.triu_indices(len(unit), 1)]
    typical = float(np.median(pairs)) if len(pairs) else PAPER_DISTANCE
    return ICVITopoARTMAP(
        match="cosine", rho=0.2 * typical / PAPER_DISTANCE, beta2=0.0, phi=3, xi=100,
        icvi_match_tracking=False, strategies=("swap",),
    )  # fmt: skip


def cluster(
    faces: Faces, fresh: Ints, facts: Facts, pairs: Pairs, model: Estimator | None, method: str
) -> Clustered:
    """Learn the faces in the rows `fresh`; without a model, all faces, with all that is known.

    Two faces of one photo are told to be apart where they would be one person: the hint makes each
    of them a category of its own, of which there should be few.
    """
    if model is None:
        model = _taught(faces, facts, pairs, method)
    elif len(fresh):
        model.partial_fit(faces.vector[fresh])
    labels = model.predict(faces.vector)
    for _ in range(ROUNDS):
        more = together_in_a_photo(faces, labels, facts) - pairs
        if not more or len(pairs) + len(more) > MOST_PAIRS:
            break
        pairs = pairs | more
        model = _taught(faces, facts, pairs, method)
        labels = model.predict(faces.vector)
    return Clustered(model, labels, pairs)


def _taught(faces: Faces, facts: Facts, pairs: Pairs, method: str) -> Estimator:
    hints = hints_of(faces, facts, pairs)
    return new_model(method, faces.vector).partial_fit(faces.vector, hints=hints)


def hints_of(faces: Faces, facts: Facts, pairs: Iterable[tuple[int, int]]) -> Hints:
    """What is known, for a batch of all faces."""
    row = {face: i for i, face in enumerate(faces.id.tolist())}
    names: dict[int, str] = {}
    together = []
    typical = {}
    for group, members in facts.members.items():
        rows = sorted(row[face] for face in members)
        typical[group] = rows[0]
        if group in facts.name:
            names |= dict.fromkeys(rows, facts.name[group])
        elif len(rows) > 1:
            together.append(tuple(rows))
    apart = [(typical[a], typical[b]) for a, b in facts.pairs_apart]
    group_of = facts.group_of
    apart += [
        (row[a], row[b])
        for a, b in sorted(pairs)
        if group_of.get(a, -1) != group_of.get(b, -2) and not facts.faces_are_apart(a, b)
    ]
    return Hints(names, together, apart)


def together_in_a_photo(faces: Faces, labels: Ints, facts: Facts) -> Pairs:
    """Pairs of faces of one photo with one label, unless a person said that they are one."""
    found: Pairs = set()
    for rows in _groups(zip(faces.photo.tolist(), labels.tolist(), strict=True)):
        for a, b in combinations(faces.id[rows].tolist(), 2):
            if facts.group_of.get(a, -1) != facts.group_of.get(b, -2):
                found.add((a, b))
    return found


def _groups(keys: Iterable[object]) -> list[list[int]]:
    """Rows with the same key, where there are several."""
    rows = defaultdict(list)
    for i, key in enumerate(keys):
        rows[key].append(i)
    return [found for found in rows.values() if len(found) > 1]


def match_people(faces: Faces, labels: Ints, facts: Facts, next_person: int) -> Ints:
    """Person of each face: a cluster is the person with whom it shares most faces.

    A person with a name is where the named faces are. A cluster that shares no face with a person
    that is still free is a new person.
    """
    named = np.isin(faces.id, [f for group in facts.name for f in facts.members[group]])
    known = faces.person >= 0
    keys = np.stack([faces.person[known], labels[known]], axis=1)
    shared, where, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    names = np.bincount(where.ravel(), weights=named[known], minlength=len(shared))
    person_of: dict[int, int] = {}
    taken: set[int] = set()
    order = sorted(zip((-names).tolist(), (-counts).tolist(), shared.tolist(), strict=True))
    for _, _, (person, label) in order:
        if label not in person_of and person not in taken:
            person_of[label] = person
            taken.add(person)
    for label in dict.fromkeys(labels.tolist()):
        if label not in person_of:
            person_of[label], next_person = next_person, next_person + 1
    return np.array([person_of[label] for label in labels.tolist()], dtype=np.int64)


def settle(faces: Faces, facts: Facts, next_person: int) -> Ints:
    """The persons of all faces, changed where a fact asks for it, as little as possible.

    A group of faces is one person: that of most of them. Of groups that are apart, and of two faces
    of one photo, one stays: that with a name, the larger group, the face that fits better.
    """
    person = faces.person.copy()
    rows = _rows_of_groups(faces, facts)
    for inside in rows.values():
        found, counts = np.unique(person[inside], return_counts=True)
        person[inside] = found[np.argmax(counts)]
    at: dict[int, list[int]] = defaultdict(list)
    for group in sorted(rows, key=lambda g: (g not in facts.name, -len(rows[g]), rows[g][0])):
        here = int(person[rows[group][0]])
        if any(facts.are_apart(group, other) for other in at[here]):
            here, next_person = next_person, next_person + 1
            person[rows[group]] = here
        at[here].append(group)
    return _one_in_a_photo(faces._replace(person=person), facts, next_person)


def _rows_of_groups(faces: Faces, facts: Facts) -> dict[int, Ints]:
    row = {face: i for i, face in enumerate(faces.id.tolist())}
    return {
        group: np.array(sorted(row[face] for face in members))
        for group, members in facts.members.items()
    }


def _one_in_a_photo(faces: Faces, facts: Facts, next_person: int) -> Ints:
    """Of two faces of one photo, the one that fits better stays."""
    person = faces.person.copy()
    crowds = _groups(zip(faces.photo.tolist(), person.tolist(), strict=True))
    crowds = [rows for rows in crowds if person[rows[0]] >= 0]  # -1 is no person
    if not crowds:
        return person
    unit = faces.directions
    people, means, _ = means_of(faces)
    for rows in crowds:
        middle = means[np.searchsorted(people, faces.person[rows[0]])]
        group = [facts.group_of.get(face, -1) for face in faces.id[rows].tolist()]
        stays = max(
            range(len(rows)),
            key=lambda i: (group[i] in facts.name, group[i] >= 0, unit[rows[i]] @ middle),
        )
        for i, row in enumerate(rows):
            if i != stays and (group[i] < 0 or group[i] != group[stays]):
                leaves = [row] if group[i] < 0 else _rows_of_groups(faces, facts)[group[i]]
                person[leaves], next_person = next_person, next_person + 1
    return person


def nearest_other(faces: Faces, row: int, facts: Facts) -> int | None:
    """The person whom a face that has to leave its own is like, if there is one.

    Like: as near to that person's mean as three of four faces of people with three or more are to
    their own.
    """
    people, means, reach = means_of(faces)
    face, unit = int(faces.id[row]), faces.directions[row]
    distance = 1.0 - means @ unit
    for i in np.argsort(distance, kind="stable").tolist():
        if not distance[i] <= reach:
            return None
        there = np.flatnonzero(faces.person == people[i])
        others = faces.id[there].tolist()
        if (
            people[i] != faces.person[row]
            and not (faces.photo[there] == faces.photo[row]).any()
            and not any(facts.faces_are_apart(face, other) for other in others)
        ):
            return int(people[i])
    return None


def means_of(faces: Faces) -> tuple[Ints, Floats, float]:
    """People, the mean direction of each, and how far (cosine) three of four faces are from it."""
    people, where, counts = np.unique(faces.person, return_inverse=True, return_counts=True)
    unit = faces.directions
    means = np.zeros((len(people), unit.shape[1]))
    np.add.at(means, where, unit)
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), np.finfo(float).tiny)
    distance = 1.0 - np.sum(unit * means[where], axis=1)
    sure = counts[where] >= 3
    reach = float(np.quantile(distance[sure], 0.75)) if sure.any() else 0.0
    return people, means, reach


def typical_faces(faces: Faces) -> dict[int, int]:
    """Of each person, the face nearest to the mean."""
    people, means, _ = means_of(faces)
    where = np.searchsorted(people, faces.person)
    nearness = np.sum(faces.directions * means[where], axis=1)
    found: dict[int, int] = {}
    for row in np.argsort(-nearness, kind="stable").tolist():
        found.setdefault(int(faces.person[row]), int(faces.id[row]))
    return found
