"""The validity indices by name, and how compiled code asks them.

An index is one file with its formula and one `Index` row here. Nothing else names an index:
strategies and caches ask for what its row says. There are four ways to answer what-if questions:

- ``by_scatter``: at a given number of clusters the value depends on WGSS alone, and is better the
  smaller it is (`scatter`);
- ``pair``: the value depends on WGSS and on a quantity of pairs of clusters, of which it takes the
  greatest of all, or the sum of each cluster's greatest (`pairs`);
- ``of_clusters``: the index is any function of the footprints, and is evaluated on changed ones
  (`what_if`);
- ``answers``: the index brings what-if answers of its own (`conn`).

A program is compiled for each index, since its marker is a type. `by_index` picks the functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .._jit import by_index, by_index_of_state, jit
from . import ch, db, pbm, wb, xb


class Answers(NamedTuple):
    """The what-if questions; all but the first two return goodness, which is larger when better."""

    measure: Callable[..., None]
    """``(s, w, c)``: bring the caches of cluster c, which has changed, up to date."""
    evaluate: Callable[..., float]
    """``(s, w)``: the goodness of a partition, from the caches."""
    if_added: Callable[..., None]
    """``(s, x)``: for every cluster, ``value`` if x joined it."""
    if_merged: Callable[..., float]
    """``(s, w, i, j)``: if clusters i and j were one."""
    if_moved: Callable[..., float]
    """``(s, w, p, target)``: if category p were in cluster `target`; k stands for a new one."""
    may_merge: Callable[..., bool]
    """``(s, w, i, j)``: whether the index allows this merger."""
    if_winners: Callable[..., float] | None = None
    """``(s, first, second, cluster)``: if a sample had these winners, counted in this cluster.
    Given instead of `if_added` by an index that depends on CONN; see `Index.by_winners`."""
    learn_matrix: Callable[..., None] | None = None
    """``(s, p, x)``: x is about to join category p. Given by an index `by_covariance`."""
    join_matrices: Callable[..., None] | None = None
    """``(s, kept, gone)``: category `gone` is about to join another. Given by the same."""


class Index(NamedTuple):
    """A validity index: what the core, the estimators and the documentation need to know of it."""

    name: str
    marker: type
    """A NamedTuple without fields: the type by which compiled code knows the index."""
    title: str
    smaller_is_better: bool
    reference: str
    value: Callable[..., float] | None = None
    """``(k, samples, within, scatter, greatest, total)``: goodness, that is the index, negated
    where smaller is better. `within` is WGSS, `scatter` CP_0, `greatest` the greatest pair
    quantity, `total` the sum over clusters of the greatest one of each."""
    pair: Callable[..., float] | None = None
    """``(distance, spread_i, spread_j, scatter, samples)``: quantity of two clusters with this
    squared distance between their means and these CP/n."""
    of_clusters: Callable[..., float] | None = None
    """``(rows, n, cp, distance, samples, scatter)``: goodness of the clusters with n > 0 among the
    first so many rows, at least two. Given instead of `value` and `pair`."""
    by_scatter: bool = False
    by_winners: bool = False
    """Whether the index depends on which categories win, and not on where samples are."""
    by_covariance: bool = False
    """Whether the index needs the scatter matrix of each category."""
    answers: Callable[[], Answers] | None = None
    """Imports and returns answers of its own."""

    @property
    def has_pairs(self) -> bool:
        """Whether the index needs a matrix of pairs of clusters."""
        return not self.by_scatter and self.of_clusters is None


_BY_MARKER: dict[type, Index] = {}
BY_NAME: dict[str, Index] = {}


def register(index: Index) -> None:
    """Make an index known under its name."""
    _BY_MARKER[index.marker] = index
    BY_NAME[index.name] = index


def index_of(marker: type) -> Index:
    return _BY_MARKER[marker]


def _answers(marker: type) -> Answers:
    index = _BY_MARKER[marker]
    if index.answers is not None:
        return index.answers()
    if index.by_scatter:
        from . import scatter

        return scatter.ANSWERS
    if index.of_clusters is not None:
        from . import what_if

        return what_if.ANSWERS
    from . import pairs

    return pairs.ANSWERS


def _conn_answers() -> Answers:
    from . import conn

    return conn.ANSWERS


class CalinskiHarabasz(NamedTuple): ...


class WB(NamedTuple): ...


class PakhiraBandyopadhyayMaulik(NamedTuple): ...


class XieBeni(NamedTuple): ...


class DaviesBouldin(NamedTuple): ...


class ConnIndex(NamedTuple): ...


def no_answer(*_: Any) -> float:
    raise NotImplementedError("this index does not answer this question")


@jit
def _nothing(s: Any, p: int, other: Any) -> None:
    """For an index that needs no more than footprints."""


@jit
def _no_pair(
    distance: float, spread_i: float, spread_j: float, scatter: float, samples: float
) -> float:
    """For an index that has no pair quantity, and is not `by_scatter`."""
    return 0.0


register(
    Index(
        "ch",
        CalinskiHarabasz,
        "Calinski-Harabasz",
        False,
        "Calinski & Harabasz 1974",
        ch.goodness,
        by_scatter=True,
    )
)
register(Index("wb", WB, "WB", True, "Zhao, Xu & Fränti 2009", wb.goodness, by_scatter=True))
register(
    Index(
        "pbm",
        PakhiraBandyopadhyayMaulik,
        "Pakhira-Bandyopadhyay-Maulik",
        False,
        "Pakhira et al. 2004",
        pbm.goodness,
        pbm.pair,
    )
)
register(Index("xb", XieBeni, "Xie-Beni", True, "Xie & Beni 1991", xb.goodness, xb.pair))
register(
    Index(
        "db", DaviesBouldin, "Davies-Bouldin", True, "Davies & Bouldin 1979", db.goodness, db.pair
    )
)
register(
    Index(
        "conn",
        ConnIndex,
        "conn_index",
        False,
        "Taşdemir & Merényi 2011",
        by_winners=True,
        answers=_conn_answers,
    )
)

goodness = by_index(lambda marker: _BY_MARKER[marker].value or no_answer)
of_clusters = by_index(lambda marker: _BY_MARKER[marker].of_clusters or no_answer)
pair_quantity = by_index(lambda marker: _BY_MARKER[marker].pair or _no_pair)
measure = by_index_of_state(lambda marker: _answers(marker).measure)
evaluate = by_index_of_state(lambda marker: _answers(marker).evaluate)
if_added = by_index_of_state(lambda marker: _answers(marker).if_added)
if_merged = by_index_of_state(lambda marker: _answers(marker).if_merged)
if_moved = by_index_of_state(lambda marker: _answers(marker).if_moved)
may_merge = by_index_of_state(lambda marker: _answers(marker).may_merge)
if_winners = by_index_of_state(lambda marker: _answers(marker).if_winners or no_answer)
learn_matrix = by_index_of_state(lambda marker: _answers(marker).learn_matrix or _nothing)
join_matrices = by_index_of_state(lambda marker: _answers(marker).join_matrices or _nothing)
