r"""The tree of Ward's mergers, kept from one sample to the next.

Two clusters that are each other's cheapest partner merge on every path that always takes the
cheapest pair (`ward_path`), whatever else merges first. So a tree is Ward's if its mergers can be
put in some order in which each of them is such a pair at its time.

A sample changes one cluster, h. Take the order of the tree as it was. A merger of two groups A and
B without h is still one of such a pair if the group a of h is not cheaper for either: what it costs
to merge a with A, B and with their union follows from one another (Lance and Williams). A merger of
a with X is one if, at its new cost, nobody is cheaper for a, nor for X. What the union of a and X
costs with others needs those of X: distances of means, but only once for every group that h is in.
All that is O(k) and a little more, where a new tree takes O(k^2). If any answer is no, there may be
another tree, and it is computed afresh.

Leaves are the clusters, in their order; node k + m is the m-th merger that was found.
"""

from .._jit import jit
from .footprints import assign, squared_distance
from .state import DISTANCE, LIVE, PAIR, TRIAL, State

# Costs that differ by less, relatively, count as a tie: far above rounding.
NEARLY = 1e-9
# If more clusters have changed, a new tree is quicker.
MOST_CHANGED = 8


@jit
def cost_with_both(
    n: float, n_i: float, n_j: float, of_i: float, of_j: float, cost: float
) -> float:
    """What n samples cost to merge with i and j as one, which costs so much: see `ward_path`."""
    return ((n_i + n) * of_i + (n_j + n) * of_j - n * cost) / (n_i + n_j + n)


@jit
def plant_leaves(s: State) -> None:
    """A new tree: its leaves are the clusters as they are."""
    s.now[0]["leaves"] = 0  # until it is complete
    for c in range(s.now[LIVE]["k"]):
        write_leaf(s, c)


@jit
def write_leaf(s: State, c: int) -> None:
    s.tree[c]["n"] = s.clu[LIVE, c]["n"]
    s.tree[c]["version"] = s.clu[LIVE, c]["version"]
    assign(s.branch[c], s.mean[LIVE, c])


@jit
def write_node(s: State, node: int, a: int, b: int, cost: float) -> None:
    """The group of two others, whose merger costs so much."""
    n, other, tree = s.tree[a]["n"], s.tree[b]["n"], s.tree[node]
    tree["first"] = a
    tree["second"] = b
    tree["cost"] = cost
    tree["n"] = n + other
    share = other / (n + other)
    for f in range(s.branch.shape[1]):
        s.branch[node, f] = s.branch[a, f] + share * (s.branch[b, f] - s.branch[a, f])


@jit
def finish_tree(s: State) -> None:
    """All mergers are known, in rising order in ``matrix[TRIAL, PAIR]``: costs, and which."""
    k, which = s.now[LIVE]["k"], s.matrix[TRIAL, PAIR, 1]
    for c in range(k):
        s.tree[c]["done"] = 1
    for t in range(k - 1):
        node = k + int(which[t])
        s.tree[t]["turn"] = node
        s.tree[node]["done"] = 0
    for t in range(k - 1):  # no group before its parts; that might be, but for rounding
        node = s.tree[s.tree[t]["turn"]]
        if s.tree[node["first"]]["done"] == 0 or s.tree[node["second"]]["done"] == 0:
            return
        node["done"] = 1
    s.now[0]["leaves"] = k


@jit
def follow_changes(s: State) -> bool:
    """Is the tree, with the clusters as they are now, Ward's?"""
    k, changed, last = s.now[LIVE]["k"], 0, -1
    if s.now[0]["leaves"] != k:
        return False
    for c in range(k):
        if s.tree[c]["version"] != s.clu[LIVE, c]["version"]:
            changed += 1
            last = c
    if changed > MOST_CHANGED:
        return False
    for c in range(last + 1):
        if s.tree[c]["version"] != s.clu[LIVE, c]["version"]:
            if not follow_change(s, c, changed == 1):
                s.now[0]["leaves"] = 0
                return False
    return True


@jit
def follow_change(s: State, h: int, only: bool) -> bool:
    """The same where cluster h has changed; `only`: all others are as the tree has them."""
    k, tree = s.now[LIVE]["k"], s.tree
    write_leaf(s, h)
    n, alive = tree[h]["n"], 0
    for c in range(k):
        if c != h:
            apart = s.matrix[LIVE, DISTANCE, h, c]
            if not only:
                apart = squared_distance(s.branch[h], s.branch[c])
            tree[c]["row"] = n * tree[c]["n"] / (n + tree[c]["n"]) * apart
            enlist(s, c, alive)
            alive += 1
    a = h
    for t in range(k - 1):
        node = tree[t]["turn"]
        first, second, cost = tree[node]["first"], tree[node]["second"], tree[node]["cost"]
        if a in (first, second):
            x = second if a == first else first
            alive = strike_out(s, x, alive)
            if not join_group(s, a, x, node, alive):
                return False
            a = node
            continue
        of_first, of_second = tree[first]["row"], tree[second]["row"]
        if min(of_first, of_second) <= cost * (1.0 + NEARLY):
            return False
        n, n_first, n_second = tree[a]["n"], tree[first]["n"], tree[second]["n"]
        tree[node]["row"] = cost_with_both(n, n_first, n_second, of_first, of_second, cost)
        alive = strike_out(s, second, alive)
        enlist(s, node, tree[first]["at"])
    return True


@jit
def enlist(s: State, node: int, at: int) -> None:
    """Put a group, one of those that are alive besides a, in this place of their list."""
    s.tree[at]["alive"] = node
    s.tree[node]["at"] = at


@jit
def strike_out(s: State, node: int, alive: int) -> int:
    """The last one of the list takes its place. Returns how many are left."""
    enlist(s, s.tree[alive - 1]["alive"], s.tree[node]["at"])
    return alive - 1


@jit
def join_group(s: State, a: int, x: int, node: int, alive: int) -> bool:
    """Is group a, whose costs with all that are alive are known, still each other's with x?

    Then they are one, and its costs with them are known.
    """
    tree = s.tree
    cost, n_a, n_x = tree[x]["row"], tree[a]["n"], tree[x]["n"]
    bar = cost * (1.0 + NEARLY)
    for at in range(alive):
        y = tree[at]["alive"]
        n = tree[y]["n"]
        of_x = n_x * n / (n_x + n) * squared_distance(s.branch[x], s.branch[y])
        if of_x <= bar or tree[y]["row"] <= bar:
            return False
        tree[y]["row"] = cost_with_both(n, n_a, n_x, tree[y]["row"], of_x, cost)
    write_node(s, node, tree[node]["first"], tree[node]["second"], cost)
    return True


@jit
def write_costs_in_order(s: State) -> None:
    """Costs of all mergers of the tree, rising, in the first row of the trial PAIRs.

    They were so before the last changes: hardly any has to be put elsewhere.
    """
    costs = s.matrix[TRIAL, PAIR, 0]
    for t in range(s.now[0]["leaves"] - 1):
        cost, at = s.tree[s.tree[t]["turn"]]["cost"], t
        while at > 0 and costs[at - 1] > cost:
            costs[at] = costs[at - 1]
            at -= 1
        costs[at] = cost
