"""Corrections by the user, and the facts that follow from all of them.

A correction is stored with the faces that it refers to. `Facts` applies all corrections in their
order; where two contradict each other, the later one holds. This module does not use files or
models.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

MERGE, SPLIT, NOT, APART, NAME = "merge", "split", "not", "apart", "name"


class Correction(NamedTuple):
    """One correction.

    merge
        The faces `one` and `other` are one person.
    split
        The faces `one` are one person, and the faces `other` are a different one.
    not
        None of the faces `one` is the person of the faces `other`.
    apart
        The faces `one` are a person, and the faces `other` are a different one.
    name
        The person with the faces `one`, the first of which is typical, is called `name`; None
        removes the name. Two people with the same name are one person.
    """

    kind: str
    one: tuple[int, ...]
    other: tuple[int, ...] = ()
    name: str | None = None

    def without(self, gone: set[int]) -> Correction:
        """The same correction without the faces that are gone."""
        one, other = (tuple(f for f in part if f not in gone) for part in (self.one, self.other))
        return self._replace(one=one, other=other)

    @property
    def has_effect(self) -> bool:
        return bool(self.one) and (self.kind == NAME or bool(self.other))

    def as_json(self) -> dict[str, Any]:
        return self._asdict()

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Correction:
        return cls(kept["kind"], tuple(kept["one"]), tuple(kept["other"]), kept["name"])


class Facts:
    """Groups of faces that are one person each, which groups differ for certain, and their names.

    >>> facts = Facts([Correction("merge", (1, 2), (3,)), Correction("name", (3,), name="Ann")])
    >>> facts.members
    {0: {1, 2, 3}}
    >>> facts.say(Correction("not", (3,), (1, 2)))
    >>> facts.members, facts.are_apart(facts.group_of[1], facts.group_of[3]), facts.name
    ({1: {3}, 2: {1, 2}}, True, {2: 'Ann'})
    """

    def __init__(self, corrections: Iterable[Correction] = ()) -> None:
        self.group_of: dict[int, int] = {}
        self.members: dict[int, set[int]] = {}
        self.name: dict[int, str] = {}
        self._apart: set[frozenset[int]] = set()
        self._next = 0
        for correction in corrections:
            self.say(correction)

    # ------------------------------------------------------------------ what is said

    def say(self, said: Correction) -> None:
        """Apply one more correction."""
        if said.kind == MERGE:
            self._gather(said.one + said.other)
        elif said.kind == APART:
            self._set_apart(self._gather(said.one), self._gather(said.other))
        elif said.kind == NAME:
            self._call(said.one, said.name)
        else:
            self._part(said)

    def _part(self, said: Correction) -> None:
        """Separate some faces from a person, who keeps the name."""
        mentioned = {self.group_of[f] for f in said.one + said.other if f in self.group_of}
        name = next((self.name[g] for g in sorted(mentioned) if g in self.name), None)
        parts = [said.one] if said.kind == SPLIT else [(face,) for face in said.one]
        leaving = [self._gather(part) for part in parts]  # before the remaining faces are gathered
        stays = self._gather(said.other)
        for group in leaving:
            self.name.pop(group, None)
            self._set_apart(group, stays)
        if name is not None:
            self.name = {g: taken for g, taken in self.name.items() if taken != name}
            self.name[stays] = name

    def _call(self, faces: Sequence[int], name: str | None) -> None:
        """Name the group of the first face. Groups within these faces lose their names."""
        for group in {self.group_of[face] for face in faces if face in self.group_of}:
            if self.members[group] <= set(faces):
                self.name.pop(group, None)
        known = faces[0] in self.group_of
        group = self.group_of[faces[0]] if known else self._gather(faces[:1])
        self.name.pop(group, None)
        for other in [g for g, taken in self.name.items() if taken == name]:
            group = self._gather([*sorted(self.members[other]), *sorted(self.members[group])])
        if name is not None:
            self.name[group] = name

    def _gather(self, faces: Sequence[int]) -> int:
        """Make these faces a group. It inherits the facts of groups that it contains completely."""
        wanted = set(faces)
        group, self._next = self._next, self._next + 1
        before = list(dict.fromkeys(self.group_of[f] for f in faces if f in self.group_of))
        whole = {old for old in before if self.members[old] <= wanted}
        names = [self.name.pop(old) for old in before if old in whole and old in self.name]
        inherited = set()
        for pair in self._apart:
            if not pair & whole:
                inherited.add(pair)
            elif len(rest := pair - whole) == 1:
                inherited.add(rest | {group})
        self._apart = inherited
        for old in before:
            if old in whole:
                del self.members[old]
            else:
                self.members[old] -= wanted
        self.members[group] = wanted
        self.group_of.update(dict.fromkeys(wanted, group))
        if names:
            self.name[group] = names[0]
        return group

    def _set_apart(self, first: int, second: int) -> None:
        if first != second:
            self._apart.add(frozenset((first, second)))

    # ------------------------------------------------------------------ what follows

    def are_apart(self, first: int, second: int) -> bool:
        """Whether these two groups are different people for certain."""
        a, b = self.name.get(first), self.name.get(second)
        return (a is not None and b is not None and a != b) or frozenset((first, second)) in (
            self._apart
        )

    def faces_are_apart(self, first: int, second: int) -> bool:
        one, other = self.group_of.get(first), self.group_of.get(second)
        return one is not None and other is not None and self.are_apart(one, other)

    @property
    def pairs_apart(self) -> Iterator[tuple[int, int]]:
        """Pairs of groups that a correction keeps apart, not just their names."""
        for pair in sorted(sorted(pair) for pair in self._apart):
            yield pair[0], pair[1]
