"""Corrections, and what follows from all of them: groups of faces, which are apart, their names.

A correction is kept as it was said, with the faces that it spoke of. `Facts` replays all of them;
where two contradict, the later one holds. Nothing here knows of files or models.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

MERGE, SPLIT, NOT, APART, NAME = "merge", "split", "not", "apart", "name"


class Correction(NamedTuple):
    """What a person said.

    merge
        The faces `one` and `other` are one person.
    split
        The faces `one` are one person, and another than that of `other`.
    not
        Each of the faces `one` is not the person of `other`.
    apart
        `one` is a person, `other` another one.
    name
        The person with the faces `one`, of which the first is typical, is called `name`; None takes
        the name away. Two persons with one name are one.
    """

    kind: str
    one: tuple[int, ...]
    other: tuple[int, ...] = ()
    name: str | None = None

    def without(self, gone: set[int]) -> Correction:
        """The same, of the faces that are left."""
        one, other = (tuple(f for f in part if f not in gone) for part in (self.one, self.other))
        return self._replace(one=one, other=other)

    @property
    def says_something(self) -> bool:
        return bool(self.one) and (self.kind == NAME or bool(self.other))

    def as_json(self) -> dict[str, Any]:
        return self._asdict()

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Correction:
        return cls(kept["kind"], tuple(kept["one"]), tuple(kept["other"]), kept["name"])


class Facts:
    """Groups of faces that are one person each, which of them are apart, and their names.

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
        """One more correction."""
        if said.kind == MERGE:
            self._gather(said.one + said.other)
        elif said.kind == APART:
            self._set_apart(self._gather(said.one), self._gather(said.other))
        elif said.kind == NAME:
            self._call(said.one, said.name)
        else:
            self._part(said)

    def _part(self, said: Correction) -> None:
        """Some leave a person, who keeps the name."""
        spoken_of = {self.group_of[f] for f in said.one + said.other if f in self.group_of}
        name = next((self.name[g] for g in sorted(spoken_of) if g in self.name), None)
        parts = [said.one] if said.kind == SPLIT else [(face,) for face in said.one]
        leaving = [self._gather(part) for part in parts]  # before those who stay are gathered
        stays = self._gather(said.other)
        for group in leaving:
            self.name.pop(group, None)
            self._set_apart(group, stays)
        if name is not None:
            self.name = {g: taken for g, taken in self.name.items() if taken != name}
            self.name[stays] = name

    def _call(self, faces: Sequence[int], name: str | None) -> None:
        """The name goes to the group of the first face; groups that are inside lose theirs."""
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
        """Make a group of these. It inherits from groups that are in it as a whole."""
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
        """Are these two groups different persons for certain?"""
        a, b = self.name.get(first), self.name.get(second)
        return (a is not None and b is not None and a != b) or frozenset((first, second)) in (
            self._apart
        )

    def faces_are_apart(self, first: int, second: int) -> bool:
        one, other = self.group_of.get(first), self.group_of.get(second)
        return one is not None and other is not None and self.are_apart(one, other)

    @property
    def pairs_apart(self) -> Iterator[tuple[int, int]]:
        """Groups that were said to be apart, other than by their names."""
        for pair in sorted(sorted(pair) for pair in self._apart):
            yield pair[0], pair[1]
