"""Floors of WGSS (`floors`), and what they may have lost since they were computed: their debts.

Floors hold for all groupings of the clusters as they were. A category that has left its cluster may
make WGSS of some grouping fall.
"""

import math

from .._jit import jit
from .compare import SLACK
from .footprints import squared_distance
from .state import LIVE, MEAN, State


@jit
def owe(s: State, p: int, target: int) -> None:
    """Before category p moves to `target`: floors of WGSS (`floors`) may fall by what it can add.

    In any group of other clusters that is CP_p + n_p r^2 at most, if no mean is farther than r from
    its own. When it comes back to where it left last, nothing has happened.
    """
    now, cat, home = s.now[0], s.cat[p], s.label[LIVE, p]
    if s.clu[LIVE, home]["size"] == 1:
        note_merger(s, target, home)
        return
    n, off = s.clu[LIVE, home]["n"], math.sqrt(squared_distance(s.box[MEAN, p], s.mean[LIVE, home]))
    reach = max(n / (n - cat["n"]) * off, off + math.sqrt(s.clu[LIVE, home]["far"]))
    now["away"] = p
    now["away_from"] = home
    now["away_debt"] = now["debt"]
    now["debt"] += (cat["cp"] + cat["n"] * reach * reach) * (1.0 + SLACK)


@jit
def note_merger(s: State, kept: int, gone: int) -> None:
    """Before cluster `gone` joins `kept`: keep the account of the category that left last."""
    now = s.now[0]
    if now["away"] < 0:
        return
    home, away = now["away_from"], s.label[LIVE, now["away"]]
    if s.clu[LIVE, away]["size"] > 1 or away in (kept, gone):
        if away != home and home in (kept, gone) and s.clu[LIVE, away]["size"] == 1:
            now["debt"] = now["away_debt"]
        now["away"] = -1
        return
    if home == gone:
        home = kept
    now["away_from"] = home - 1 if home > gone else home


@jit
def floor_of(s: State, left: int) -> float:
    """WGSS is at least so great in `left` groups."""
    return s.clu[LIVE, left]["floor"] - s.now[0]["debt"]


@jit
def raise_floor(s: State, left: int, within: float) -> None:
    cluster = s.clu[LIVE, left]
    cluster["floor"] = max(cluster["floor"], within - SLACK * s.now[0]["cp"])


@jit
def settle_debt(s: State) -> None:
    """Floors that categories have moved away from are worth less; from now on they say so."""
    debt = s.now[0]["debt"]
    for left in range(s.clu.shape[1]):
        s.clu[LIVE, left]["floor"] = max(s.clu[LIVE, left]["floor"] - debt, 0.0)
    s.now[0]["debt"] = 0.0
    s.now[0]["away"] = -1
    s.now[0]["sure_ratio"] = 0.0  # it was of another debt
