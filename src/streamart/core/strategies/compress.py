"""Compress: inactive categories of one cluster become fewer, by a fuzzy ARTMAP trained on them.

The categories inactive for at least xi samples (H) are presented, box and cluster, to a modified
fuzzy ARTMAP in which the active ones (not H) compete but never resonate: one of the same cluster is
passed over, one of another cluster engages match tracking. Epochs go on until each box of H finds
what it found in the epoch before; the result replaces the categories if there are fewer.
"""

from typing import NamedTuple

import numpy as np

from ..._jit import TIE, jit
from ..._typing import Floats, Ints
from ...icvi.footprints import merge_into
from ...icvi.links import relabel_links
from ...icvi.partition import rebuild
from ...icvi.registry import CONN
from ..map_field import tracked
from ..module_a import norm_with_box
from ..state import Params, State

# A box that moved by less than this share of the range did not move (beta1 < 1 only creeps).
STILL = 1e-9
# Epochs at most; with beta1 = 1 a handful is enough.
MAX_EPOCHS = 100


class Compressor(NamedTuple):
    """The modified fuzzy ARTMAP: active categories first, then its own."""

    lo: Floats
    hi: Floats
    label: Ints
    creator: Ints  # category whose box it was first, or which it is


@jit
def inactive_categories(state: State, params: Params) -> Ints:
    """H, in index order; empty unless two of them share a cluster, so that one could go."""
    part, inactivity = state.part, state.a.inactivity
    inactive = np.empty(state.ground.count[0], dtype=np.int64)
    found = 0
    for p in range(state.ground.count[0]):
        if inactivity[p] >= params.xi:
            inactive[found] = p
            found += 1
    if found < 2:
        return inactive[:0]
    seen = np.zeros(part.k[0], dtype=np.int64)
    for h in range(found):
        c = part.label[inactive[h]]
        seen[c] += 1
        if seen[c] == 2:
            return inactive[:found]
    return inactive[:0]


@jit
def choose(
    net: Compressor,
    count: int,
    frozen: int,
    per_range: Floats,
    lo: Floats,
    hi: Floats,
    label: int,
    params: Params,
    activation: Floats,
    match: Floats,
) -> int:
    """The resonant category for one box of H; -1 if a new one is needed."""
    d = float(per_range.shape[0])
    for j in range(count):
        joint, own = norm_with_box(per_range, net.lo[j], net.hi[j], lo, hi)
        activation[j] = joint / (params.alpha + own)
        match[j] = joint / d
    rho, last = params.rho_c, -1
    while True:
        found = -1
        for j in range(count):
            if match[j] < rho - TIE or (j < frozen and net.label[j] == label):
                continue
            if last >= 0:
                lead = activation[last] - activation[j]
                if lead < -TIE or (lead <= TIE and j <= last):
                    continue
            if found < 0 or activation[j] > activation[found] + TIE:
                found = j
        if found < 0 or net.label[found] == label:
            return found
        rho = tracked(match[found], params.epsilon, False)
        last = found


@jit
def doubled(net: Compressor) -> Compressor:
    size, d = net.lo.shape
    bigger = Compressor(
        np.empty((2 * size, d)),
        np.empty((2 * size, d)),
        np.empty(2 * size, dtype=np.int64),
        np.empty(2 * size, dtype=np.int64),
    )
    bigger.lo[:size] = net.lo
    bigger.hi[:size] = net.hi
    bigger.label[:size] = net.label
    bigger.creator[:size] = net.creator
    return bigger


@jit
def learn_union(net: Compressor, j: int, lo: Floats, hi: Floats, beta: float) -> None:
    """The box of j learns another box."""
    for f in range(lo.shape[0]):
        if lo[f] < net.lo[j, f]:
            net.lo[j, f] = lo[f] if beta == 1.0 else net.lo[j, f] + beta * (lo[f] - net.lo[j, f])
        if hi[f] > net.hi[j, f]:
            net.hi[j, f] = hi[f] if beta == 1.0 else net.hi[j, f] + beta * (hi[f] - net.hi[j, f])


@jit
def compress_strategy(state: State, params: Params) -> None:
    a, part = state.a, state.part
    before, d = state.ground.count[0], state.a.x_min.shape[0]
    inactive = inactive_categories(state, params)
    if inactive.shape[0] == 0:
        return
    net = Compressor(
        np.empty((before + inactive.shape[0], d)),
        np.empty((before + inactive.shape[0], d)),
        np.empty(before + inactive.shape[0], dtype=np.int64),
        np.empty(before + inactive.shape[0], dtype=np.int64),
    )
    count = 0
    for p in range(before):
        if a.inactivity[p] < params.xi:
            net.lo[count], net.hi[count] = a.lo[p], a.hi[p]
            net.label[count], net.creator[count] = part.label[p], p
            count += 1
    frozen = count
    chosen = np.full(inactive.shape[0], -1, dtype=np.int64)
    last_lo = np.empty((inactive.shape[0], d))
    last_hi = np.empty((inactive.shape[0], d))
    activation, match = np.empty(net.label.shape[0]), np.empty(net.label.shape[0])
    for epoch in range(MAX_EPOCHS):
        changed = epoch == 0
        for h in range(inactive.shape[0]):
            p = inactive[h]
            j = choose(
                net,
                count,
                frozen,
                a.per_range,
                a.lo[p],
                a.hi[p],
                part.label[p],
                params,
                activation,
                match,
            )
            if j < 0:
                if count == net.label.shape[0]:
                    net = doubled(net)
                    activation = np.empty(net.label.shape[0])
                    match = np.empty(net.label.shape[0])
                j = count
                net.lo[j], net.hi[j] = a.lo[p], a.hi[p]
                net.label[j], net.creator[j] = part.label[p], p
                count += 1
            else:
                learn_union(net, j, a.lo[p], a.hi[p], params.beta1)
            if epoch > 0:
                for f in range(d):
                    step = abs(net.lo[j, f] - last_lo[h, f]) + abs(net.hi[j, f] - last_hi[h, f])
                    if a.per_range[f] * step > STILL:
                        changed = True
            last_lo[h], last_hi[h] = net.lo[j], net.hi[j]
            chosen[h] = j
        if not changed:
            break
    adopt(state, params, net, count, frozen, inactive, chosen)


@jit
def adopt(
    state: State,
    params: Params,
    net: Compressor,
    count: int,
    frozen: int,
    inactive: Ints,
    chosen: Ints,
) -> None:
    """Replace the categories by the compressor's, if these are fewer."""
    a, ground, part, trace = state.a, state.ground, state.part, state.trace
    before, slow_map = ground.count[0], state.field.weight.shape[0] > 0
    place_of = np.full(count, -1, dtype=np.int64)
    for h in range(chosen.shape[0]):
        place_of[chosen[h]] = 0
    after = frozen
    for j in range(frozen, count):
        if place_of[j] == 0:
            place_of[j] = after
            after += 1
    if after >= before:
        return
    place = np.full(before, -1, dtype=np.int64)
    for j in range(frozen):
        place[net.creator[j]] = j
    for h in range(inactive.shape[0]):
        place[inactive[h]] = place_of[chosen[h]]

    cats = ground.cats
    n, mean, cp = cats.n[:before].copy(), cats.mean[:before].copy(), cats.cp[:before].copy()
    inactivity, slot = a.inactivity[:before].copy(), trace.slot[:before].copy()
    rows = state.field.weight[:before].copy()
    for q in range(after):
        cats.n[q] = 0
    for p in range(before):
        q = place[p]
        if cats.n[q] == 0:
            cats.n[q], cats.cp[q], cats.mean[q] = n[p], cp[p], mean[p]
            a.inactivity[q], trace.slot[q] = inactivity[p], slot[p]
        else:
            merge_into(cats.n, cats.mean, cats.cp, q, n[p], mean[p], cp[p])
            a.inactivity[q] = min(a.inactivity[q], inactivity[p])
            trace.joined[slot[p]] = trace.slot[q]
    for j in range(count):
        q = j if j < frozen else place_of[j]
        if q < 0:
            continue
        a.lo[q], a.hi[q] = net.lo[j], net.hi[j]
        part.label[q] = net.label[j]
        if slow_map:
            state.field.weight[q] = rows[net.creator[j]]
    relabel_links(ground.links, place, before)
    ground.count[0] = after
    if params.code == CONN:  # footprints of clusters stay, what hangs on CONN does not
        rebuild(params.code, part, ground, part.k[0])
    else:
        for c in range(part.k[0]):
            part.size[c] = 0
        for p in range(after):
            part.size[part.label[p]] += 1
