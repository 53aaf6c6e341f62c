"""Who is inactive (H), in the order of the categories, and who of it shares its cluster.

Mostly one category becomes inactive, or wins again, and nothing else changes: then the lists are
corrected. They are made anew when categories are in other clusters, or in another order.
"""

from ..._jit import jit
from ..._typing import Ints
from ...icvi.hints import is_anchored
from ...icvi.journal import note_change
from ...icvi.state import INACTIVE, LIVE, PLACE, RESTING, SHARING, WANTED, WON, State

# Not one category, but more
SEVERAL = -2


@jit
def note_activity(s: State, p: int) -> None:
    """Category p has won: it is inactive no more, and when it may be again."""
    now = s.now[0]
    if s.label[RESTING, p] == 1 and may_correct(s):
        leave_inactive(s, p)
    elif s.label[RESTING, p] == 1:
        now["regrouped"] = 1
    now["next_rest"] = min(now["next_rest"], s.label[WON, p] + s.params[0]["xi"])


@jit
def may_correct(s: State) -> bool:
    """Are the lists as they were, but for what is to be corrected? And is nobody anchored?"""
    return s.now[0]["regrouped"] == 0 and s.classes.shape[0] == 0 and s.params[0]["prove"] == 1


@jit
def look_for_inactive(s: State) -> None:
    """Notes who is in H now, and who of it shares its cluster with one before it in the order."""
    now = s.now[0]
    if now["regrouped"] == 1:
        find_inactive(s)
    elif now["n"] >= now["next_rest"]:
        p = who_rests_now(s) if may_correct(s) else SEVERAL
        if p >= 0:
            join_inactive(s, p)
        elif p == SEVERAL:
            find_inactive(s)


@jit
def find_inactive(s: State) -> None:
    """The same by a look at all categories."""
    now, xi, sharing, resting = s.now[0], s.params[0]["xi"], 0, 0
    next_rest, all_free = now["n"] + xi, s.classes.shape[0] == 0  # then nobody is anchored
    for c in range(s.now[LIVE]["k"]):
        s.each[WANTED, c] = 0
    for place in range(now["categories"]):
        p = s.order[place]
        s.label[PLACE, p] = place
        inactive = 0
        if now["n"] - s.label[WON, p] < xi:
            next_rest = min(next_rest, s.label[WON, p] + xi)
        elif all_free or not is_anchored(s, p):
            inactive = 1
            s.label[INACTIVE, resting] = p
            resting += 1
            if s.each[WANTED, s.label[LIVE, p]] == 1:
                s.label[SHARING, sharing] = p
                sharing += 1
            s.each[WANTED, s.label[LIVE, p]] = 1
        if s.label[RESTING, p] != inactive:
            s.label[RESTING, p] = inactive
            note_change(s, p)
    now["sharing"] = sharing
    now["inactive"] = resting
    now["next_rest"] = next_rest
    now["regrouped"] = 0


@jit
def who_rests_now(s: State) -> int:
    """The one that has become inactive, -1 for none, or `SEVERAL`; and when the next may.

    Rows of categories that are gone do not count: whoever joined another was in H.
    """
    now, xi, won, resting = s.now[0], s.params[0]["xi"], s.label[WON], s.label[RESTING]
    next_rest, count, last, latest = now["n"] + xi, 0, -1, now["n"] - xi
    for j in range(now["rows"]):  # without branches, several are compared at once
        active = int(resting[j] == 0)
        due = int(won[j] <= latest) & active
        count += due
        last = j if due == 1 else last
        waits = int(won[j] > latest) & active
        rest = won[j] + xi if waits == 1 else next_rest
        next_rest = min(next_rest, rest)
    if count > 1 or (count == 1 and s.cat[last]["n"] == 0):
        return SEVERAL
    now["next_rest"] = next_rest
    return last


@jit
def leave_inactive(s: State, p: int) -> None:
    """Category p is in H no more. The next one of its cluster may be the first of it then."""
    now, home, inactive, sharing = s.now[0], s.label[LIVE, p], s.label[INACTIVE], s.label[SHARING]
    s.label[RESTING, p] = 0
    note_change(s, p)
    at = 0
    while inactive[at] != p:
        at += 1
    take_from(inactive, now["inactive"], at)
    now["inactive"] -= 1
    gone = -1
    for i in range(now["sharing"] - 1, -1, -1):
        j = sharing[i]
        if j == p or (s.label[LIVE, j] == home and (gone < 0 or sharing[gone] != p)):
            gone = i
    if gone >= 0:
        take_from(sharing, now["sharing"], gone)
        now["sharing"] -= 1


@jit
def join_inactive(s: State, p: int) -> None:
    """Category p is in H now. If others of its cluster are, all but the first of them share it."""
    now, home, inactive = s.now[0], s.label[LIVE, p], s.label[INACTIVE]
    s.label[RESTING, p] = 1
    note_change(s, p)
    first = p
    for i in range(now["inactive"] - 1, -1, -1):
        j = inactive[i]
        if s.label[LIVE, j] == home:
            first = j
    if first != p:
        behind = p if s.label[PLACE, first] < s.label[PLACE, p] else first
        put_in_place(s, s.label[SHARING], now["sharing"], behind)
        now["sharing"] += 1
    put_in_place(s, inactive, now["inactive"], p)
    now["inactive"] += 1


@jit
def take_from(rows: Ints, count: int, at: int) -> None:
    """One of so many goes from a list."""
    for i in range(at, count - 1):
        rows[i] = rows[i + 1]


@jit
def put_in_place(s: State, rows: Ints, count: int, p: int) -> None:
    """Category p comes into a list of so many that is in the order of the categories."""
    at = count
    while at > 0 and s.label[PLACE, rows[at - 1]] > s.label[PLACE, p]:
        rows[at] = rows[at - 1]
        at -= 1
    rows[at] = p
