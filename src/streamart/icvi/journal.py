"""What has changed of the categories, in the order in which it did: a ring of their rows.

Whoever has proven something of a category looks here at what came after, instead of proving it
again. When more has come than the ring holds, nothing is known.
"""

from .._jit import jit
from .state import JOURNAL, State


@jit
def note_change(s: State, p: int) -> None:
    """Category p has another box, or is new, or gone, or begins or ceases to be active."""
    s.now[0]["settled"] = 0
    s.journal[s.now[0]["changes"] % JOURNAL] = p
    s.now[0]["changes"] += 1


@jit
def note_move(s: State, p: int) -> None:
    """Category p is in another cluster."""
    s.now[0]["regrouped"] = 1
    note_change(s, ~p)  # told from others by its sign


@jit
def note_all(s: State) -> None:
    """Every category may have changed."""
    s.now[0]["settled"] = 0
    s.now[0]["regrouped"] = 1
    s.now[0]["changes"] += JOURNAL + 1


@jit
def is_recent(s: State, number: int) -> bool:
    """Does the ring hold all that has changed since there were so many changes (-1: never)?"""
    return number >= 0 and s.now[0]["changes"] - number <= JOURNAL


@jit
def changed_row(s: State, number: int) -> int:
    row = s.journal[number % JOURNAL]
    return row if row >= 0 else ~row


@jit
def is_move(s: State, number: int) -> bool:
    """Did that category only go to another cluster?"""
    return s.journal[number % JOURNAL] < 0
