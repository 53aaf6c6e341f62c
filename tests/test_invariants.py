"""What must hold after any sequence of operations, in any order."""

import math

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import operations as op
from naive.indices import MIN_OPTIMAL, conn_index, sum_of_squares_index
from streamart.core.learn import run
from streamart.core.strategies.split import decompose
from streamart.estimators.network import ICVITopoARTMAP
from streamart.estimators.parameters import core_params
from streamart.icvi.registry import BY_NAME
from streamart.icvi.state import (
    LIVE,
    MEAN,
    SPLIT_FULL,
    SPLIT_PARTIAL,
    Room,
    allocate,
    copied,
    grown,
    moved,
    room_of,
)
from streamart.integrity import check_links
from streamart.views import table_of_links
from support import COMPILED

CLOSE = {"rtol": 1e-9, "atol": 1e-9}


class Operations(RuleBasedStateMachine):
    """Samples arrive with every strategy off; the operations are called from here."""

    @initialize(
        index=st.sampled_from(["ch", "wb", "pbm", "xb", "db", "conn"]),
        d=st.integers(1, 4),
        split=st.sampled_from(["full", "partial"]),
        seed=st.integers(0, 2**32 - 1),
        coarse=st.booleans(),
        tables=st.integers(0, 2),
    )
    def start(self, index, d, split, seed, coarse, tables):
        model = ICVITopoARTMAP(index, rho=0.75, rho_c=0.3, xi=5, phi=4, strategies=())
        self.name, self.coarse = index, coarse
        self.rng = np.random.default_rng(seed)
        params = core_params("", model.get_params())
        params["split"] = SPLIT_FULL if split == "full" else SPLIT_PARTIAL
        tables = 2 if index not in ("ch", "wb") else tables
        self.state = allocate(BY_NAME[index], params, d, Room(8, 8, links=8, tables=tables))
        self.state.params["split"] = 0  # asked for below, not while samples are learnt
        self.split = params["split"][0]
        self.X = np.empty((0, d))
        self.category_of = np.empty(0, dtype=np.int64)
        self.learn(6)

    def k(self):
        return int(self.state.now[LIVE]["k"])

    def goodness(self):
        return float(self.state.now[LIVE]["goodness"])

    def categories(self):
        return int(self.state.now[0]["categories"])

    def rows(self):
        """Where the categories are in the arrays, in their order."""
        return self.state.order[: self.categories()]

    def labels(self):
        return self.state.label[LIVE, self.rows()]

    @rule(n=st.integers(1, 8))
    def learn(self, n):
        d = self.X.shape[1]
        X = self.rng.normal(size=(n, d)) + 6 * self.rng.integers(0, 3, size=(n, 1))
        if self.coarse:
            X = np.round(X)
        for x in X:
            self.learn_one(x)

    def learn_one(self, x):
        state = self.state._replace(joined=np.arange(self.categories() + 1))
        state.cat["slot"][self.rows()] = np.arange(self.categories())
        state.now[0]["slots"] = self.categories()
        slot = np.empty(1, dtype=np.int64)
        names, history = np.empty(0, dtype=np.int64), np.empty((0, 5))
        while run(state, x[None].copy(), names, slot, history, 0) == 0:
            state = grown(state)
        self.state = state
        self.X = np.vstack([self.X, x])
        self.category_of = np.append(self.category_of, slot[0])

    def make_room(self):
        """For one more cluster, or for a cluster of each category."""
        room = room_of(self.state)
        clusters = max(room.clusters, self.k() + 2, self.categories() + 2)
        self.state = moved(self.state, room._replace(clusters=clusters))

    def is_not_worse_than(self, before):
        if not math.isnan(before):
            after = self.goodness()
            assert after >= before or math.isclose(after, before, rel_tol=1e-9)

    @precondition(lambda self: self.k() > 2)
    @rule(data=st.data())
    def merge(self, data):
        i = data.draw(st.integers(0, self.k() - 2))
        j = data.draw(st.integers(i + 1, self.k() - 1))
        expected = op.ask(self.state, op.MERGE, i, j)
        op.operate(self.state, op.MERGE, i, j)
        np.testing.assert_allclose(self.goodness(), expected, rtol=1e-9, equal_nan=True)

    @precondition(lambda self: self.k() > 2)
    @rule(data=st.data())
    def move(self, data):
        self.make_room()
        p = data.draw(st.integers(0, self.categories() - 1))
        home = self.labels()[p]
        others = [c for c in range(self.k() + 1) if c != home]
        if np.count_nonzero(self.labels() == home) == 1:
            others.remove(self.k())  # a cluster of one cannot be split
        target = data.draw(st.sampled_from(others))
        expected = op.ask(self.state, op.MOVE, self.rows()[p], target)
        op.operate(self.state, op.MOVE, self.rows()[p], target)
        np.testing.assert_allclose(self.goodness(), expected, rtol=1e-9, equal_nan=True)

    @rule(data=st.data())
    def split_then_merge_restores(self, data):
        self.make_room()
        labels = self.labels()
        several = [p for p in range(len(labels)) if np.count_nonzero(labels == labels[p]) > 1]
        if not several:
            return
        p = data.draw(st.sampled_from(several))
        before, home = copied(self.state), labels[p]
        op.operate(self.state, op.MOVE, self.rows()[p], self.k())
        op.operate(self.state, op.MERGE, home, self.k() - 1)
        k = self.k()
        assert np.array_equal(before.label[LIVE], self.state.label[LIVE])
        for field in ("n", "cp", "size"):
            np.testing.assert_allclose(
                before.clu[field][LIVE, :k], self.state.clu[field][LIVE, :k], **CLOSE
            )
        np.testing.assert_allclose(before.mean[LIVE, :k], self.state.mean[LIVE, :k], **CLOSE)
        np.testing.assert_allclose(
            before.now[LIVE]["goodness"], self.goodness(), rtol=1e-9, equal_nan=True
        )

    @rule(kind=st.sampled_from([op.MERGE_STRATEGY, op.SWAP_STRATEGY]))
    def improve(self, kind):
        self.state.now[0]["tracker"] = 0
        before, k = self.goodness(), self.k()
        if kind == op.MERGE_STRATEGY and not len(self.state.scratch):
            return
        op.operate(self.state, kind, 0, 0)
        self.is_not_worse_than(before)
        if k >= 2:
            assert self.k() >= 2

    @rule()
    def split_recent(self):
        self.make_room()
        op.operate(self.state, op.SPLIT_RECENT, 0, 0)

    @rule()
    def decompose(self):
        self.make_room()
        before = self.goodness()
        self.state.params["split"] = self.split
        decompose(self.state)
        self.state.params["split"] = 0
        if self.split == SPLIT_FULL:
            self.is_not_worse_than(before)

    @rule()
    def prune(self):
        op.operate(self.state, op.PRUNE, 0, 0)

    @rule()
    def compress(self):
        n = self.categories()
        self.state = self.state._replace(joined=np.arange(n))
        self.state.cat["slot"][self.rows()] = np.arange(n)
        before, labels = self.goodness(), self.labels().copy()
        op.compress(self.state)
        joined = self.state.joined
        slots = self.state.cat["slot"][self.rows()].tolist()
        place = {slot: p for p, slot in enumerate(slots)}
        self.category_of = np.array([place[int(joined[c])] for c in self.category_of])
        assert self.categories() <= n
        assert labels[slots].tolist() == self.labels().tolist()
        if self.name != "conn":
            assert before == self.goodness() or math.isnan(before)

    # ------------------------------------------------------------------ after every rule

    @invariant()
    def every_sample_is_counted_once(self):
        n = self.categories()
        assert self.state.now[0]["n"] == len(self.X)
        counts = np.bincount(self.category_of, minlength=n)
        assert counts.tolist() == self.state.cat["n"][self.rows()].tolist()
        assert self.state.clu["n"][LIVE, : self.k()].sum() == len(self.X)

    @invariant()
    def rows_of_the_map_field_are_one_hot(self):
        assert self.k() >= 1
        assert sorted(set(self.labels().tolist())) == list(range(self.k()))
        sizes = np.bincount(self.labels(), minlength=self.k())
        assert sizes.tolist() == self.state.clu["size"][LIVE, : self.k()].tolist()

    def conn(self):
        return table_of_links(self.state)

    @invariant()
    def conn_is_symmetric(self):
        conn = self.conn()
        assert np.array_equal(conn, conn.T)

    @invariant()
    def links_are_in_one_list_each(self):
        """And no two lists hold the same link."""
        check_links(self.state, self.categories())
        other, weight = self.state.link["other"], self.state.link["weight"]
        ends = np.flatnonzero(weight)
        pairs = set(zip(other[ends], other[ends ^ 1], strict=True))
        loops = sum(p == q for p, q in pairs)
        assert len(pairs) + loops == len(ends)
        assert np.array_equal(weight[ends], weight[ends ^ 1])

    @invariant()
    def footprints_are_those_of_the_samples(self):
        for p, row in enumerate(self.rows()):
            points = self.X[self.category_of == p]
            np.testing.assert_allclose(self.state.box[MEAN, row], points.mean(axis=0), **CLOSE)
        cluster_of = self.labels()[self.category_of]
        for c in range(self.k()):
            points = self.X[cluster_of == c]
            mean = points.mean(axis=0)
            np.testing.assert_allclose(self.state.mean[LIVE, c], mean, **CLOSE)
            cp = np.sum((points - mean) ** 2)
            np.testing.assert_allclose(self.state.clu[LIVE, c]["cp"], cp, **CLOSE)

    @invariant()
    def cached_index_is_the_definition(self):
        if self.k() < 2:
            assert math.isnan(self.goodness())
            return
        if self.name == "conn":
            counts = self.state.clu["n"][LIVE, : self.k()]
            value = conn_index(self.labels(), self.conn(), counts)
        else:
            cluster_of = self.labels()[self.category_of]
            value = sum_of_squares_index(self.name, self.X, cluster_of, self.k())
        if self.name in MIN_OPTIMAL:
            value = -value
        np.testing.assert_allclose(self.goodness(), value, rtol=1e-9, equal_nan=True)

    @invariant()
    def caches_are_those_of_a_fresh_partition(self):
        live = copied(self.state)
        op.rebuilt_on_trial(live)
        k = self.k()
        others = ~np.eye(k, dtype=bool)
        for table in (live.distance, live.pair):
            if table.shape[1] and len(table) == 2:
                block = table[:, :k, :k][:, others]
                np.testing.assert_allclose(block[0], block[1], **CLOSE)

    @invariant()
    def rows_are_the_first_ones_and_ranks_their_order(self):
        rows = self.rows()
        assert sorted(rows.tolist()) == list(range(self.categories()))
        assert self.state.cat["rank"][rows].tolist() == list(range(self.categories()))


Operations.TestCase.settings = settings(stateful_step_count=25, max_examples=40)
# To compile each operation by itself would take longer than all other tests.
TestOperations = pytest.mark.skipif(COMPILED, reason="runs without the compiler")(
    Operations.TestCase
)
