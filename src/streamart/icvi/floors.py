r"""How small WGSS can be when the clusters of the live partition are merged into `left` groups.

``clu[LIVE, left]["floor"]`` is at most the WGSS of any such grouping. Three arguments give one:

- **Costs.** Let :math:`l_1\le l_2\le\dots` be the least costs of a merger of each cluster. A group
  of m clusters costs, with sums over its own ones in the order of l,

  .. math:: \tfrac{1}{n_G}\sum_{i<j}(n_i+n_j)\,c_{ij} \ge \tfrac{1}{n_G}\sum_{i<j}(n_i+n_j)\,l_j
            \ge \sum_{j=2}^m l_j

  (Abel's summation: the factors of :math:`l_1,\dots,l_q` sum up to no more than q - 1, those of all
  to m - 1). So t mergers cost at least :math:`l_2+\dots+l_{t+1}` of all clusters.
- **Company.** Merging costs, with :math:`N_i` the samples of the group that cluster i is in, and
  however two clusters share what their pair costs, :math:`\theta_{ij}+\theta_{ji}=1`,

  .. math:: \sum_G \tfrac{1}{n_G}\sum_{i<j\in G} n_i n_j D_{ij}
            = \sum_i \tfrac{n_i}{N_i}\sum_{j\in G} n_j \theta_{ij} D_{ij}
            \ge \sum_i \tfrac{n_i}{N_i} A_i(N_i - n_i)

  where A_i(M) is the same sum over the M samples of other clusters for which it is least. There are
  :math:`\sum_i n_i/N_i` groups, which is `left`; so for every price u of a group

  .. math:: \text{cost} \ge \sum_i n_i \min_N \frac{A_i(N - n_i) + u}{N} - u\cdot left

  The minimum is at a point where the group of i ends with a whole cluster. Small clusters, cheap to
  merge, count for little here; this is what the least cost of a merger cannot do. A large cluster
  in the middle of all others is near to each of them, but can be the company of few: so the smaller
  one bears more, :math:`\theta_{ij} = n_j^b/(n_i^b+n_j^b)` (`BURDEN`), which on such streams is
  better than halves by a tenth to a third.
- **Eigenvalues.** The scatter between the groups is at most the sum of the ``left - 1`` greatest
  eigenvalues of the scatter between the clusters (d by d), whose Gram matrix (k by k) has the same
  eigenvalues, but for zeros. G is the smaller of the two. By Hölder's inequality m of them sum to
  at most :math:`m^{1-1/p}(\sum\lambda^p)^{1/p}`, and :math:`\sum\lambda^{2q} = \|G^q\|_F^2`: G
  itself gives p = 2, its square p = 4. Then they are computed (`eigenvalues`).

A floor, once found, **stays valid** while samples come and clusters merge: a sample makes no WGSS
smaller, a sample that opens a cluster neither, and groups of merged clusters are groups of the
clusters before. Only a category that leaves its cluster may lower it, by no more than what its
samples can contribute: `debt` keeps account (`partition.owe`). So floors are computed rarely. Those
by eigenvalues grow with the data (`growing_floors`).
"""

import math

from .._jit import jit, jit_sums
from .._typing import Floats
from .compare import SLACK
from .cost_bounds import tighten_bounds
from .debts import raise_floor, settle_debt
from .eigenvalues import add_multiple, dot, find_eigenvalues
from .footprints import squared_distance
from .growing_floors import note_anchors
from .registry import CH, DB
from .sorting import make_heap, sift_down, sort_pairs
from .state import DISTANCE, LIVE, MEAN_ALL, PAIR, TRIAL, State

# Prices of a group that are tried, from 1/16 of BGSS/k on, each sqrt(2) times the one before.
PRICES = 12
# b: of 0 to 1 by quarters and 0.4, 0.6, best or nearly so for 3 to 160 groups on four streams.
BURDEN = 0.6
# A debt of more than this share of WGSS is settled before floors are raised.
LARGE_DEBT = 0.002
# Of looking for higher floors: p = 2, p = 4 (not with CH and WB), all eigenvalues, company.
EFFORTS = 4


# ------------------------------------------------------------------ costs


@jit
def raise_by_costs(s: State) -> None:
    """The first argument, with bounds of costs as they are; works in the trial partition's room."""
    k, clu, within = s.now[LIVE]["k"], s.clu[LIVE], s.now[LIVE]["within"]
    costs, unused = s.matrix[TRIAL, PAIR, 0], s.matrix[TRIAL, PAIR, 1]
    if s.now[0]["debt"] > LARGE_DEBT * within:
        settle_debt(s)
    for c in range(k):
        costs[c] = clu[c]["least"]
        unused[c] = 0.0
    sort_pairs(costs, unused, k)
    for left in range(k - 1, 1, -1):
        within += costs[k - left] * (1.0 - SLACK)
        raise_floor(s, left, within)


# ------------------------------------------------------------------ company


@jit
def raise_by_company(s: State, between: float) -> None:
    """The second argument, in O(k^2) and a little more; works in the trial partition's room."""
    k, clu, within = s.now[LIVE]["k"], s.clu[LIVE], s.now[LIVE]["within"]
    distances, samples = s.matrix[TRIAL, DISTANCE, 0], s.matrix[TRIAL, DISTANCE, 1]
    prices, totals = s.matrix[TRIAL, PAIR, 0], s.matrix[TRIAL, PAIR, 1]
    shares, tried = s.matrix[TRIAL, PAIR, 2], min(PRICES, k)
    burdens = s.matrix[TRIAL, DISTANCE, 2]
    for c in range(k):
        burdens[c] = float(clu[c]["n"]) ** BURDEN
    for t in range(tried):
        prices[t] = between / k * 2.0 ** (0.5 * t - 4.0)
        totals[t] = 0.0
    for i in range(k):
        n, others = float(clu[i]["n"]), 0
        for j in range(k):
            if j != i:
                part = burdens[j] / (burdens[i] + burdens[j])
                distances[others] = -part * s.matrix[LIVE, DISTANCE, i, j]
                samples[others] = clu[j]["n"]
                others += 1
        find_least_shares(distances, samples, others, n, prices, shares, tried)
        for t in range(tried):
            totals[t] += n * shares[t]
    for t in range(tried):
        for left in range(2, k):
            raise_floor(s, left, within + totals[t] - prices[t] * left)


@jit
def find_least_shares(
    distances: Floats,
    samples: Floats,
    others: int,
    own: float,
    prices: Floats,
    shares: Floats,
    tried: int,
) -> None:
    """The minimum of the second argument for each price, which rise; distances are negative.

    The others come one by one, the nearest first. A / N rises as they do: when it alone is as much
    as the minimum of the highest price, no later one counts, for any price.
    """
    cost, total = 0.0, own
    for t in range(tried):
        shares[t] = prices[t] / own
    make_heap(distances, samples, others)
    for left in range(others - 1, -1, -1):
        cost -= samples[0] * distances[0]
        total += samples[0]
        if cost >= shares[tried - 1] * total:
            break
        for t in range(tried):
            shares[t] = min(shares[t], (cost + prices[t]) / total)
        distances[0], samples[0] = distances[left], samples[left]
        sift_down(distances, samples, 0, left)


# ------------------------------------------------------------------ eigenvalues


@jit
def size_of_g(s: State) -> int:
    """Rows of G, at least two."""
    k, d = s.now[LIVE]["k"], s.feature.shape[1]
    return d if 2 <= d < k else k


@jit
def write_g(s: State, between: float) -> None:
    """G, divided by its trace, which is BGSS, into the trial partition's room."""
    if size_of_g(s) < s.now[LIVE]["k"]:
        write_scatter(s, between)
    else:
        write_gram(s, between)


@jit
def write_scatter(s: State, between: float) -> None:
    r""":math:`\sum_i n_i(\mu_i-\mu)(\mu_i-\mu)^\top`"""
    d, scatter, centred = s.feature.shape[1], s.matrix[TRIAL, DISTANCE], s.matrix[TRIAL, PAIR, 0]
    for f in range(d):
        for g in range(d):
            scatter[f, g] = 0.0
    for c in range(s.now[LIVE]["k"]):
        for f in range(d):
            centred[f] = s.mean[LIVE, c, f] - s.feature[MEAN_ALL, f]
        weight = s.clu[LIVE, c]["n"] / between
        for f in range(d):
            add_multiple(scatter[f], centred, weight * centred[f], f + 1)
    for f in range(d):
        for g in range(f):
            scatter[g, f] = scatter[f, g]


@jit
def write_gram(s: State, between: float) -> None:
    r""":math:`G_{ij} = \sqrt{n_i n_j}\langle\mu_i-\mu,\mu_j-\mu\rangle`"""
    k, clu, gram = s.now[LIVE]["k"], s.clu[LIVE], s.matrix[TRIAL, DISTANCE]
    for c in range(k):
        clu[c]["into_a"] = squared_distance(s.mean[LIVE, c], s.feature[MEAN_ALL])
        clu[c]["into_b"] = math.sqrt(clu[c]["n"] / between)
    for i in range(k):
        for j in range(i + 1):
            distance = s.matrix[LIVE, DISTANCE, i, j] if i != j else 0.0
            inner = 0.5 * (clu[i]["into_a"] + clu[j]["into_a"] - distance)
            gram[i, j] = clu[i]["into_b"] * clu[j]["into_b"] * inner
            gram[j, i] = gram[i, j]


@jit_sums
def inner_products(
    a: Floats, b: Floats, c: Floats, d: Floats, length: int
) -> tuple[float, float, float, float]:
    """Of a and b with c and d: four at once, which reads each of them half as often."""
    ac, ad, bc, bd = 0.0, 0.0, 0.0, 0.0
    for f in range(length):
        ac += a[f] * c[f]
        ad += a[f] * d[f]
        bc += b[f] * c[f]
        bd += b[f] * d[f]
    return ac, ad, bc, bd


@jit
def square_gram(s: State, source: int, target: int) -> None:
    """Two rows and two columns at a time; of an odd number, the last ones twice."""
    size, old, new = size_of_g(s), s.matrix[TRIAL, source], s.matrix[TRIAL, target]
    for row in range(0, size, 2):
        i = min(row, size - 2)
        for column in range(0, i + 2, 2):
            j = min(column, size - 2)
            ac, ad, bc, bd = inner_products(old[i], old[i + 1], old[j], old[j + 1], size)
            new[i, j], new[i, j + 1], new[i + 1, j], new[i + 1, j + 1] = ac, ad, bc, bd
            new[j, i], new[j + 1, i], new[j, i + 1], new[j + 1, i + 1] = ac, ad, bc, bd


@jit
def raise_by_norm(s: State, between: float, kind: int, power: float) -> None:
    """The third argument, from the power/2-th power of G."""
    k, size, total = s.now[LIVE]["k"], size_of_g(s), 0.0
    for i in range(size):
        total += dot(s.matrix[TRIAL, kind, i], s.matrix[TRIAL, kind, i], size)
    greatest = between * total ** (1.0 / power) * (1.0 + SLACK)
    for left in range(2, k):
        between_groups = (left - 1.0) ** (1.0 - 1.0 / power) * greatest
        raise_floor(s, left, s.now[0]["cp"] - between_groups)


@jit
def raise_by_eigenvalues(s: State, between: float) -> None:
    """The third argument, exactly; G is overwritten."""
    k, values, unused = s.now[LIVE]["k"], s.matrix[TRIAL, PAIR, 0], s.matrix[TRIAL, PAIR, 1]
    gram, work = s.matrix[TRIAL, DISTANCE], s.matrix[TRIAL, PAIR, 2]
    size = size_of_g(s)
    if not find_eigenvalues(gram, size, values, unused, work):
        return
    for i in range(size):
        unused[i] = 0.0
    sort_pairs(values, unused, size)
    greatest = SLACK * between
    for left in range(2, k):
        if left <= size + 1:
            greatest += max(values[size + 1 - left], 0.0) * between
        s.clu[LIVE, left]["greatest"] = min(greatest, between * (1.0 + SLACK))
        raise_floor(s, left, s.now[0]["cp"] - s.clu[LIVE, left]["greatest"])
    if s.family == CH:
        note_anchors(s)


@jit
def renew_floors(s: State, effort: int) -> None:
    """Look for higher floors; every effort goes on where the one before has ended."""
    between = s.now[0]["cp"] - s.now[LIVE]["within"]
    if not between > 0.0:
        return
    if effort == 0:
        settle_debt(s)
        if s.family != DB:
            for c in range(s.now[LIVE]["k"]):
                tighten_bounds(s, LIVE, c)
            raise_by_costs(s)
        write_g(s, between)
        raise_by_norm(s, between, DISTANCE, 2.0)
    elif effort == 1:
        if s.family != CH:
            square_gram(s, DISTANCE, PAIR)
            raise_by_norm(s, between, PAIR, 4.0)
    elif effort == 2:
        raise_by_eigenvalues(s, between)
    else:
        raise_by_company(s, between)
