"""Ward's path, for an index that depends on WGSS alone.

The best merger is then the one that adds least to WGSS: Ward's pair. The whole path follows from
the costs of mergers, by the formula of Lance and Williams:

    cost(i+j, c) = ((n_i + n_c) cost(i, c) + (n_j + n_c) cost(j, c) - n_c cost(i, j))
                   / (n_i + n_j + n_c)

Each row of the table of costs remembers its cheapest partner among the later rows. A merger changes
one row, and only rows whose partner was one of the two have to be searched again, so the path takes
O(k^2) in practice. Pairs are compared in the order i < j, so ties go to the first pair, as they do
when every pair is asked.
"""

import math

from ..._jit import NONE, TIE, jit, jit_part
from ...icvi.compare import better
from ...icvi.hints import are_kept_apart
from ...icvi.scatter import merger_rise, value_at
from ...icvi.state import LIVE, State


@jit
def find_partner(s: State, i: int) -> None:
    """The cheapest partner of row i among the later rows, NONE if there is none."""
    found, least = NONE, math.inf
    for j in range(i + 1, s.now[LIVE]["k"]):
        if s.path[j]["n"] > 0 and s.scratch[i, j] < least * (1.0 - TIE):
            found, least = j, s.scratch[i, j]
    s.path[i]["partner"] = found


@jit_part
def prepare(s: State) -> None:
    """The costs of all mergers; infinite for clusters that a person keeps apart."""
    k = s.now[LIVE]["k"]
    for i in range(k):
        s.path[i]["n"] = s.clu[LIVE, i]["n"]
        for j in range(i + 1, k):
            cost = merger_rise(s, LIVE, i, j)
            s.scratch[i, j] = math.inf if are_kept_apart(s, LIVE, i, j) else cost
            s.scratch[j, i] = s.scratch[i, j]
    for i in range(k):
        find_partner(s, i)


@jit_part
def cheapest_row(s: State) -> int:
    """The row with the cheapest merger, NONE if no merger is left."""
    found, least = NONE, math.inf
    for i in range(s.now[LIVE]["k"]):
        if s.path[i]["n"] > 0 and s.path[i]["partner"] >= 0:
            cost = s.scratch[i, s.path[i]["partner"]]
            if cost < least * (1.0 - TIE):
                found, least = i, cost
    return found


@jit_part
def merge_rows(s: State, i: int, j: int) -> None:
    """Row j joins row i < j: costs by Lance and Williams, then the partners that may change."""
    k, cost, path = s.now[LIVE]["k"], s.scratch, s.path
    n_i, n_j, rise = float(path[i]["n"]), float(path[j]["n"]), cost[i, j]
    path[i]["n"] += path[j]["n"]
    path[j]["n"] = 0
    for c in range(k):
        n = float(path[c]["n"])
        if n > 0.0 and c != i:
            both = (n_i + n) * cost[i, c] + (n_j + n) * cost[j, c] - n * rise
            cost[i, c] = both / (n_i + n_j + n)
            cost[c, i] = cost[i, c]
    for c in range(k):
        if path[c]["n"] > 0 and c < j:
            partner = path[c]["partner"]
            cheaper = c < i and (partner < 0 or cost[c, i] <= cost[c, partner] * (1.0 + TIE))
            if c == i or partner in (i, j) or cheaper:
                find_partner(s, c)


@jit
def place_now(s: State, stage: int, c: int) -> int:
    """Place of a cluster after the first `stage` mergers, each of which removed its second one."""
    place = c
    for earlier in range(stage):
        if s.path[earlier]["second_row"] < c:
            place -= 1
    return place


@jit_part
def find_wards_path(s: State) -> int:
    """The pairs of Ward's path into `path`, by their places; returns the best stage, 0 for none."""
    prepare(s)
    k, within, best_stage = s.now[LIVE]["k"], s.now[LIVE]["within"], 0
    best = s.now[LIVE]["goodness"]
    for stage in range(k - 2):
        i = cheapest_row(s)
        if i < 0:
            break
        j = s.path[i]["partner"]
        within += s.scratch[i, j]
        s.path[stage]["first_row"] = i
        s.path[stage]["second_row"] = j
        value = value_at(s, k - stage - 1, within)
        if better(value, best):
            best_stage, best = stage + 1, value
        merge_rows(s, i, j)
    for stage in range(best_stage):
        s.path[stage]["first"] = place_now(s, stage, s.path[stage]["first_row"])
        s.path[stage]["second"] = place_now(s, stage, s.path[stage]["second_row"])
    return best_stage
