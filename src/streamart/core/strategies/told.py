r"""How much boxes must grow to hold a box of H: what it was told is kept until it asks again.

A box of H asks all others, by coarse copies, again and again: whenever one that it might join, or
one that was in the way, has changed. Between two such questions few others have: the journal tells
which, and only these are asked again. What each box was told is a row of `told`; there are a few,
which are taken in turn. Where an exact answer was needed, it takes the place of the coarse one, so
that the next question needs few exact ones.

When the range of the data grows, a feature's part of a growth, which is at most 1, shrinks by no
more than what `drift` grows by: :math:`g' = g\cdot b/b' \ge g - (1 - b/b')` with ranges b < b'. So
what was told before, less the drift since, is a lower bound still. What is told later is noted as
if it had been told when all others were.
"""

from ..._jit import TIE, jit
from ..._jit.vectors import sum_outside
from ...icvi.journal import changed_row, is_recent
from ...icvi.state import (
    FREE,
    HI,
    INNER_HI,
    INNER_LO,
    JOURNAL,
    LO,
    NORM,
    RESTING,
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
    cat, now = s.cat[p], s.now[0]
    if not is_told(s, p):
        ask_all(s, p)
    elif now["drift"] - cat["told_drift"] > MUCH:
        ask_all_again(s, p)
    cat["told_at"] = now["changes"]
    growths, joints, norms = s.told[cat["told"]], s.scan[FREE], s.scan[NORM]
    slack, drift = TIE * s.feature.shape[1], now["drift"] - cat["told_drift"]
    for j in range(now["rows"]):
        growth = growths[j] - drift
        joints[j] = norms[j] - (growth if growth > 0.0 else 0.0) + slack


@jit
def has_row(s: State, p: int) -> bool:
    """Has box p a row of `told`, and is it still its own?"""
    return s.cat[p]["told"] >= 0 and s.journal[2 * JOURNAL + s.cat[p]["told"]] == p


@jit
def is_told(s: State, p: int) -> bool:
    """Does box p know how much others must grow? Those that have changed are asked again."""
    cat, now = s.cat[p], s.now[0]
    if not has_row(s, p) or not is_recent(s, cat["told_at"]):
        return False
    lo, hi, growths = s.coarse[INNER_LO, p], s.coarse[INNER_HI, p], s.told[cat["told"]]
    drift = now["drift"] - cat["told_drift"]
    for number in range(cat["told_at"], now["changes"]):
        j = changed_row(s, number)
        if j == p:
            return False
        growth = sum_outside(s.coarse[LO, j], s.coarse[HI, j], lo, hi)
        growths[j] = growth * (1.0 / STEPS) + drift
    return True


@jit
def ask_all(s: State, p: int) -> None:
    """What all rows tell box p is kept, in a row that is its own from now on."""
    cat, now = s.cat[p], s.now[0]
    if not has_row(s, p):
        cat["told"] = free_row(s)
        s.journal[2 * JOURNAL + cat["told"]] = p
    cat["told_drift"] = now["drift"]
    growths = s.told[cat["told"]]
    coarse_growths(s.coarse, p, now["rows"], growths)
    for j in range(now["rows"]):
        growths[j] *= 1.0 / STEPS


@jit
def free_row(s: State) -> int:
    """The next row of `told` in turn whose box is not in H any more, or the next one."""
    now = s.now[0]
    for i in range(TOLD):
        row = (now["tellings"] + i) % TOLD
        owner = s.journal[2 * JOURNAL + row]
        if s.cat[owner]["told"] != row or s.cat[owner]["n"] == 0 or s.label[RESTING, owner] != 1:
            now["tellings"] = row + 1
            return row
    now["tellings"] += 1
    return int(now["tellings"] - 1) % TOLD


@jit
def ask_all_again(s: State, p: int) -> None:
    """The range has drifted by much: what all rows tell now, if that is more than what is known."""
    cat, now, fresh = s.cat[p], s.now[0], s.scan[FREE]
    growths, drift = s.told[cat["told"]], now["drift"] - cat["told_drift"]
    coarse_growths(s.coarse, p, now["rows"], fresh)
    for j in range(now["rows"]):
        growths[j] = max(growths[j] - drift, fresh[j] * (1.0 / STEPS))
    cat["told_drift"] = now["drift"]


@jit
def tell_exactly(s: State, p: int, j: int, joint: float) -> None:
    r"""What :math:`|p\wedge w|` is for category j is kept, if what box p was told is."""
    if has_row(s, p):
        growth = s.scan[NORM, j] - joint
        s.told[s.cat[p]["told"], j] = growth + s.now[0]["drift"] - s.cat[p]["told_drift"]
