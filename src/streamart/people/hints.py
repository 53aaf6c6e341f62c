"""Hints: what a person says about samples and clusters, and whether the hints contradict.

This module works on the hints alone and does not touch the network. A *group* is a set of samples
that must be in one cluster: those with the same name, those that a hint puts together, or a single
sample that a hint keeps apart from another. Facts are kept as they were said, so that each can be
undone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

import numpy as np

from ..history.ids import is_written_id, shown


class HintError(ValueError):
    """A hint that contradicts earlier ones, or itself."""


class cluster(NamedTuple):
    """An existing cluster in a hint, by its permanent id: ``cluster(7)``."""

    id: int


Member = int | str | cluster
"""A member of a hint: the number of a sample in the batch, a name, or ``cluster(id)``."""
SampleNames = Sequence[str | None] | Mapping[int, str]
Fact = tuple[str, int, Any]
"""("together", group, group), ("apart", group, group) or ("named", group, name)."""


class HintFields(TypedDict, total=False):
    """`Hints` as a dict."""

    names: SampleNames | None
    together: Iterable[Sequence[Member]]
    apart: Iterable[Sequence[Member]]


class Hints:
    """Hints for a batch.

    Parameters
    ----------
    names : sequence of str or None, one for each sample, or mapping of sample number to name
        Samples with the same name share a cluster, which gets the name. Samples with different
        names are in different clusters.
    together : iterable of tuples
        Each tuple lists members that must be in one cluster: numbers of samples in the batch (int),
        names (str), or existing clusters (``cluster(id)``).
    apart : iterable of tuples
        Each tuple lists members that must be in different clusters.

    Examples
    --------
    >>> from streamart import Hints, ICVITopoARTMAP
    >>> X = [[0.0, 0], [9, 9], [0, 1], [8, 9], [1, 0]]
    >>> model = ICVITopoARTMAP().partial_fit(X, hints=Hints(names={0: "west", 1: "east"}))
    >>> [model.names_[i] for i in model.ids_]
    ['west', 'east', 'west', 'east', 'west']
    >>> model.partial_fit(X[:2], hints=Hints(names={0: "west", 1: "east"}, together=[(0, 1)]))
    Traceback (most recent call last):
    ...
    streamart.people.hints.HintError: sample 0 and sample 1 cannot be together: they are called
    'west' and 'east'.
    """

    def __init__(
        self,
        names: SampleNames | None = None,
        together: Iterable[Sequence[Member]] = (),
        apart: Iterable[Sequence[Member]] = (),
    ) -> None:
        self.names = names
        self.together = [tuple(members) for members in together]
        self.apart = [tuple(members) for members in apart]

    def __repr__(self) -> str:
        return f"Hints(names={self.names!r}, together={self.together!r}, apart={self.apart!r})"


def checked_hints(hints: Hints | HintFields, n_samples: int) -> Hints:
    """Hints in a valid form: names by sample number, and valid members."""
    if isinstance(hints, Mapping):
        unknown = set(hints) - {"names", "together", "apart"}
        if unknown:
            raise HintError(f"Hints have names, together and apart, not {sorted(unknown)}.")
        hints = Hints(**hints)
    if not isinstance(hints, Hints):
        raise TypeError(f"hints must be Hints or a dict of its parameters, not {hints!r}.")
    for members in hints.together + hints.apart:
        if len(members) < 2:
            raise HintError(f"A hint needs at least two members; {members!r} has {len(members)}.")
    members_of = [[_checked_member(m, n_samples) for m in group] for group in hints.together]
    apart_of = [[_checked_member(m, n_samples) for m in group] for group in hints.apart]
    return Hints(_checked_names(hints.names, n_samples), members_of, apart_of)


def _checked_names(names: Any, n_samples: int) -> dict[int, str]:
    if names is None:
        return {}
    if isinstance(names, Mapping):
        pairs = list(names.items())
    elif isinstance(names, str) or len(names) != n_samples:
        raise HintError(
            f"names holds {'a string' if isinstance(names, str) else len(names)}; one name or None "
            f"for each of the {n_samples} samples, or a dict by sample number, is needed."
        )
    else:
        pairs = list(enumerate(names))
    found = {}
    for sample, name in pairs:
        if name is None or (isinstance(name, float) and np.isnan(name)):
            continue
        if not is_name(name):
            raise HintError(wrong_name(name))
        found[_checked_sample(sample, n_samples)] = str(name)
    return found


def _checked_sample(sample: Any, n_samples: int) -> int:
    if isinstance(sample, (bool, np.bool_)) or not isinstance(sample, (int, np.integer)):
        raise HintError(f"A sample is given by its number in the batch, not by {sample!r}.")
    if not 0 <= sample < n_samples:
        raise HintError(f"There is no sample {sample} in a batch of {n_samples}.")
    return int(sample)


def _checked_member(member: Any, n_samples: int) -> Member:
    if isinstance(member, cluster):
        return member
    if isinstance(member, str):
        return str(member)
    return _checked_sample(member, n_samples)


def is_name(name: object) -> bool:
    """Whether this can be the name of a cluster. ``"#12"`` is an id."""
    return isinstance(name, str) and name != "" and not is_written_id(name)


def wrong_name(name: object) -> str:
    """Why this cannot be the name of a cluster."""
    if isinstance(name, str) and name:
        return f"{name!r} is an id, not a name. Choose a name without the number sign."
    return f"A name must be a string that is not empty, not {name!r}."


def named(member: Member) -> str:
    """How messages refer to a member."""
    if isinstance(member, cluster):
        return f"cluster {shown(member.id)}"
    return f"{member!r}" if isinstance(member, str) else f"sample {member}"


class HintBook:
    """All facts so far, and what follows from them.

    Groups are numbers. Facts are ``(kind, first, second)``.

    >>> book = HintBook()
    >>> a, b, c = book.new_group(), book.new_group(), book.new_group()
    >>> book.add("together", a, b)
    >>> book.add("apart", b, c)
    >>> book.are_apart(a, c)
    True
    """

    def __init__(self, groups: Iterable[int] = (), facts: Iterable[Fact] = ()) -> None:
        self.groups = list(groups)
        self.facts: list[Fact] = [(kind, first, second) for kind, first, second in facts]
        self._conclude()

    def __getstate__(self) -> dict[str, Any]:
        return {"groups": self.groups, "facts": self.facts}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__init__(kept["groups"], kept["facts"])  # type: ignore[misc]

    def copy(self) -> HintBook:
        return HintBook(self.groups, self.facts)

    def new_group(self, number: int | None = None) -> int:
        number = len(self.groups) if number is None else number
        self.groups.append(number)
        self._root[number] = number
        return number

    def _conclude(self) -> None:
        self._root = {group: group for group in self.groups}
        self._name: dict[int, str] = {}
        self._apart: set[frozenset[int]] = set()
        for kind, first, second in self.facts:
            if kind == "together":
                self._join(first, second)
        for fact in self.facts:
            self._note(*fact)

    def _note(self, kind: str, first: int, second: Any) -> None:
        if kind == "named":
            self._name[self.root(first)] = second
        elif kind == "apart":
            self._apart.add(frozenset((self.root(first), self.root(second))))

    def _join(self, first: int, second: int) -> None:
        kept, gone = sorted((self.root(first), self.root(second)))
        for group, root in self._root.items():
            if root == gone:
                self._root[group] = kept

    def root(self, group: int) -> int:
        """The representative of all groups that are known to be together with this one."""
        return self._root[group]

    def name(self, group: int) -> str | None:
        return self._name.get(self.root(group))

    @property
    def names(self) -> dict[str, int]:
        """Named groups."""
        return {name: group for group, name in self._name.items()}

    def are_apart(self, first: int, second: int) -> bool:
        a, b = self.root(first), self.root(second)
        both_named = a in self._name and b in self._name and self._name[a] != self._name[b]
        return both_named or frozenset((a, b)) in self._apart

    @property
    def any_apart(self) -> bool:
        return len(self._name) > 1 or bool(self._apart)

    def apart_from(self, group: int) -> list[int]:
        """Roots of the groups from which this one must be apart."""
        return [other for other in sorted(set(self._root.values())) if self.are_apart(group, other)]

    def why_apart(self, first: int, second: int) -> str:
        a, b = self.name(first), self.name(second)
        if a is not None and b is not None and a != b:
            return f"they are called {a!r} and {b!r}"
        return "an earlier hint keeps them apart"

    def add(self, kind: str, first: int, second: Any) -> None:
        """Add a fact that is known not to contradict others."""
        self.facts.append((kind, first, second))
        if kind == "together":
            self._join(first, second)
            self._name = {self.root(group): name for group, name in self._name.items()}
            self._apart = {frozenset(self.root(g) for g in pair) for pair in self._apart}
        else:
            self._note(kind, first, second)

    def remove(self, facts: Iterable[Fact], groups: Iterable[int] = ()) -> None:
        """Remove facts, each once, and those of these groups that no other fact mentions."""
        for fact in facts:
            self.facts.remove(fact)
        mentioned = {group for _, first, second in self.facts for group in (first, second)}
        gone = set(groups) - mentioned
        self.groups = [group for group in self.groups if group not in gone]
        self._conclude()

    def say_together(self, first: int, second: int, who: tuple[Member, Member]) -> None:
        if self.are_apart(first, second):
            why = self.why_apart(first, second)
            if all(isinstance(member, str) for member in who):
                why = "different names are different clusters"
            raise HintError(f"{named(who[0])} and {named(who[1])} cannot be together: {why}.")
        if self.root(first) != self.root(second):
            self.add("together", first, second)

    def say_apart(self, first: int, second: int, who: tuple[Member, Member]) -> None:
        if self.root(first) == self.root(second):
            same = self.name(first)
            why = "earlier hints say that they are together"
            if same is not None:
                why = f"both are called {same!r}, or together with one that is"
            raise HintError(f"{named(who[0])} and {named(who[1])} cannot be apart: {why}.")
        if not self.are_apart(first, second):
            self.add("apart", first, second)

    def say_name(self, group: int, name: str, who: Member) -> None:
        known = self.name(group)
        if known is not None and known != name:
            raise HintError(f"{named(who)} cannot be called {name!r}: its name is {known!r}.")
        if known is None:
            self.add("named", group, name)
