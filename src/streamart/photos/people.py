"""Cluster faces into people, so that all facts hold and people keep their ids.

This module works on arrays and does not use files. A *person* is a number that stays the same from
one clustering to the next; `match_people` makes sure of that, and `settle` enforces the facts.
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
"""Greatest number of clusterings until no two faces of one photo are the same person."""
MAX_CATEGORIES = 1500
"""StreamART's budget for faces. There may be hundreds of people, most of them on few photos."""
MOST_PAIRS = 300
"""Greatest number of hints that keep faces of one photo apart; `settle` separates the others. A
hint takes one or two categories that no other face may join."""
PAPER_DISTANCE = 0.6
"""Median cosine distance of two faces at which the paper's vigilance of 0.2 is used unscaled, as
in experiments/settings.py."""

Estimator: TypeAlias = StreamART | ICVITopoARTMAP
Pairs: TypeAlias = set[tuple[int, int]]


class Faces(NamedTuple):
    """All faces, in the order of their arrival."""

    id: Ints
    photo: Ints
    person: Ints
    """-1 if there is none yet."""
    vector: Floats

    @property
    def directions(self) -> Floats:
        lengths = np.linalg.norm(self.vector, axis=1, keepdims=True)
        unit: Floats = self.vector / np.maximum(lengths, np.finfo(float).tiny)
        return unit


class Clustered(NamedTuple):
    """The result of clustering faces."""

    model: Estimator
    labels: Ints
    pairs: Pairs
    """Pairs of faces of one photo that hints keep apart."""


def new_model(method: str, vectors: Floats) -> Estimator:
    """A new clusterer of faces; `vectors` show how far apart two faces usually are."""
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
    """Learn the faces in the rows `fresh`; without a model, all faces with all facts.

    If two faces of one photo come out as the same person, a hint keeps them apart. Only these pairs
    get a hint, because each hinted face takes a category of its own.
    """
    if model is None:
        model = _learn_all(faces, facts, pairs, method)
    elif len(fresh):
        model.partial_fit(faces.vector[fresh])
    labels = model.predict(faces.vector)
    for _ in range(ROUNDS):
        more = together_in_a_photo(faces, labels, facts) - pairs
        if not more or len(pairs) + len(more) > MOST_PAIRS:
            break
        pairs = pairs | more
        model = _learn_all(faces, facts, pairs, method)
        labels = model.predict(faces.vector)
    return Clustered(model, labels, pairs)


def _learn_all(faces: Faces, facts: Facts, pairs: Pairs, method: str) -> Estimator:
    hints = hints_of(faces, facts, pairs)
    return new_model(method, faces.vector).partial_fit(faces.vector, hints=hints)


def hints_of(faces: Faces, facts: Facts, pairs: Iterable[tuple[int, int]]) -> Hints:
    """The facts as hints for a batch of all faces."""
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
    """Pairs of faces of one photo with the same label, unless a fact makes them one person."""
    found: Pairs = set()
    for rows in _groups(zip(faces.photo.tolist(), labels.tolist(), strict=True)):
        for a, b in combinations(faces.id[rows].tolist(), 2):
            if facts.group_of.get(a, -1) != facts.group_of.get(b, -2):
                found.add((a, b))
    return found


def _groups(keys: Iterable[object]) -> list[list[int]]:
    """Rows that share a key with other rows, by key."""
    rows = defaultdict(list)
    for i, key in enumerate(keys):
        rows[key].append(i)
    return [found for found in rows.values() if len(found) > 1]


def match_people(faces: Faces, labels: Ints, facts: Facts, next_person: int) -> Ints:
    """Person of each face: each cluster becomes the person with whom it shares most faces.

    A person with a name goes to the cluster that has the named faces. A cluster that shares no face
    with a person who is still free becomes a new person.
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
    """The persons of all faces, changed as little as possible so that all facts hold.

    A group of faces becomes the person of most of them. If two different groups, or two faces of
    one photo, are the same person, one of them stays: the one with a name, the larger group, or the
    face that fits better.
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
    """If two faces of one photo are the same person, keep the one that fits better."""
    person = faces.person.copy()
    crowded = _groups(zip(faces.photo.tolist(), person.tolist(), strict=True))
    crowded = [rows for rows in crowded if person[rows[0]] >= 0]  # -1 means no person
    if not crowded:
        return person
    unit = faces.directions
    people, means, _ = means_of(faces)
    for rows in crowded:
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
    """The person that a face resembles most after its own, if there is one.

    The face must be as near to the mean of that person as three quarters of the faces are to the
    mean of their own (of people with three faces or more).
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
    """People, the mean direction of each, and the 75 % quantile of the cosine distance to it."""
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
    """For each person, the face nearest to the mean."""
    people, means, _ = means_of(faces)
    where = np.searchsorted(people, faces.person)
    nearness = np.sum(faces.directions * means[where], axis=1)
    found: dict[int, int] = {}
    for row in np.argsort(-nearness, kind="stable").tolist():
        found.setdefault(int(faces.person[row]), int(faces.id[row]))
    return found
