r"""How much boxes must grow to hold a box of H: what it was told is kept until it asks again.

A box of H asks all others, by coarse copies, again and again: whenever one that it might join, or
one that was in the way, has changed. Between two such questions few others have: the journal tells
which, and only these are asked again. What each box was told is a row of `told`; there are a few,
which are taken in turn.

When the range of the data grows, a feature's part of a growth, which is at most 1, shrinks by no
more than what `drift` grows by: :math:`g' = g\cdot b/b' \ge g - (1 - b/b')` with ranges b < b'. So
what was told before, less the drift since, is a lower bound still.
"""

from ..._jit import TIE, jit, sum_outside
from ...icvi.journal import changed_row, is_recent
from ...icvi.state import (
    FREE,
    HI,
    INNER_HI,
    INNER_LO,
    JOURNAL,
    LO,
    NORM,
    STEPS,
    TOLD,
    State,
)
from ..module_a import coarse_growths

# All are asked again if the range has drifted by so much since: coarse copies are off by more.
MUCH = 0.25


@jit
def coarse_joints(s: State, p: int) -> None:
    r"""Upper bounds of :math:`|p\wedge w|` for all rows, by coarse copies, in ``scan[FREE]``."""
    joints, norms, slack = s.scan[FREE], s.scan[NORM], TIE * s.feature.shape[1]
    coarse_growths(s.coarse, p, s.now[0]["rows"], joints)
    for j in range(s.now[0]["rows"]):
        joints[j] = norms[j] - joints[j] * (1.0 / STEPS) + slack


@jit
def joints_as_told(s: State, p: int) -> None:
    """The same, by what box p was told before of those that have not changed."""
    if not is_told(s, p):
        ask_all(s, p)
    s.cat[p]["told_at"] = s.now[0]["changes"]
    growths, joints, norms = s.told[s.cat[p]["told"]], s.scan[FREE], s.scan[NORM]
    slack, drift = TIE * s.feature.shape[1], s.now[0]["drift"] - s.cat[p]["told_drift"]
    for j in range(s.now[0]["rows"]):
        growth = growths[j] * (1.0 / STEPS) - drift
        joints[j] = norms[j] - (growth if growth > 0.0 else 0.0) + slack


@jit
def is_told(s: State, p: int) -> bool:
    """Does box p know how much others must grow? Those that have changed are asked again."""
    cat, now = s.cat[p], s.now[0]
    if cat["told"] < 0 or s.journal[2 * JOURNAL + cat["told"]] != p:
        return False
    if not is_recent(s, cat["told_at"]) or now["drift"] - cat["told_drift"] > MUCH:
        return False
    lo, hi, growths = s.coarse[INNER_LO, p], s.coarse[INNER_HI, p], s.told[cat["told"]]
    for number in range(cat["told_at"], now["changes"]):
        j = changed_row(s, number)
        if j == p:
            return False
        growths[j] = sum_outside(s.coarse[LO, j], s.coarse[HI, j], lo, hi)
    return True


@jit
def ask_all(s: State, p: int) -> None:
    """What all rows tell box p is kept, in a row that is its own from now on."""
    cat, now, joints = s.cat[p], s.now[0], s.scan[FREE]
    if cat["told"] < 0 or s.journal[2 * JOURNAL + cat["told"]] != p:
        cat["told"] = now["tellings"] % TOLD
        now["tellings"] += 1
        s.journal[2 * JOURNAL + cat["told"]] = p
    cat["told_drift"] = now["drift"]
    coarse_growths(s.coarse, p, now["rows"], joints)
    for j in range(now["rows"]):
        s.told[cat["told"], j] = int(joints[j])
