"""Checks that every index in the arrays of a loaded model is within its range.

Compiled code has no bounds checks, so a forged file with a valid checksum could make it read and
write anywhere in memory. All checks raise ValueError.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .core.events import FADED
from .core.self_tuning.budget import FINISHED, LUCK, METRICS, RESERVOIR, Budget
from .icvi.state import DUE_SCALE, LIVE, STAGE_SWAP, TRIAL, WAS, State, room_of


def check_state(state: State) -> None:
    """Refuse a network with an index out of range."""
    now = state.now[LIVE]
    room, places = len(state.cat), state.clu.shape[1]
    count, k, ids = int(now["categories"]), int(now["k"]), int(now["ids"])
    _within("now.categories", count, 0, room)
    for w in (LIVE, TRIAL):
        _within("now.k", state.now[w]["k"], 0, min(places, room))
    _within("now.settled_k", now["settled_k"], 0, places)
    _within("now.ids", ids, 0, len(state.successor))
    _within("now.winner", now["winner"], -1, max(count - 1, 0))
    _within("now.group", now["group"], -1, len(state.classes) - 1)
    _within("now.stage", now["stage"], 0, STAGE_SWAP)
    _within("now.due", now["due"], 0, DUE_SCALE)
    for name in ("n", "slots", "events", "first_event", "handed", "inactive"):
        _within(f"now.{name}", now[name], 0, _GREATEST)
    _within("now.handed", now["handed"], 0, now["events"])
    _check_categories(state, count, k, places)
    _check_clusters(state, k, places)
    if not room_of(state).plain:  # otherwise clusters are derived late, and may be out of date
        _check_sizes(state, count, k)
    _check_ids(state, k, ids)
    _check_events(state, ids)


_GREATEST = 2**62


def _within(name: str, found: Any, least: int, greatest: int) -> None:
    if np.any(found < least) or np.any(found > greatest):
        raise ValueError(f"{name} is outside of its range, {least} to {greatest}")


def _check_categories(state: State, count: int, k: int, places: int) -> None:
    cat, order = state.cat[:count], state.order[:count]
    if not np.array_equal(np.sort(order), np.arange(count)):
        raise ValueError("order is not a permutation")
    if not np.array_equal(cat["rank"][order], np.arange(count)):
        raise ValueError("cat.rank is not the inverse of order")
    n = int(state.now[LIVE]["n"])
    _within("cat.n", cat["n"], 1, n)
    _within("cat.won", cat["won"], 0, n)
    _within("cat.birth", cat["birth"], 1, n)
    _within("cat.slot", cat["slot"], 0, _GREATEST)
    check_links(state, count)
    _within("cat.group", cat["group"], -1, len(state.classes) - 1)
    _within("label", state.label[LIVE, :count], 0, max(k - 1, 0))
    _within("label of the trial", state.label[TRIAL, :count], 0, places - 1)
    _within("label before", state.label[WAS, :count], -1, state.now[LIVE]["settled_k"] - 1)
    if len(state.joined):
        _within("joined", state.joined, 0, len(state.joined) - 1)
        _within("cat.slot", cat["slot"], 0, len(state.joined) - 1)
        _within("now.slots", state.now[LIVE]["slots"], 0, len(state.joined))


def check_links(state: State, count: int) -> None:
    """Each used row of links is in exactly one list, and both ends of a link agree."""
    used = int(state.now[LIVE]["links"])
    _within("now.links", used, 0, len(state.link))
    _within("now.links", used % 2, 0, 0)
    link, first = state.link[:used], state.cat["links"][:count]
    _within("cat.links", first, -1, used - 1)
    _within("link.next", link["next"], -1, used - 1)
    gone = link["weight"] == 0
    _within("link.other", link["other"][~gone], 0, count - 1)
    if not np.array_equal(gone[::2], gone[1::2]):
        raise ValueError("link.weight is not that of both ends")
    seen, free = np.zeros(used, dtype=np.int64), int(state.now[LIVE]["free_link"])
    _within("now.free_link", free, -1, used - 1)
    owners = np.arange(count)[first >= 0]
    rows = first[first >= 0]
    while len(rows):
        seen[rows] += 1
        if np.any(gone[rows]) or seen.max() > 1 or np.any(link["other"][rows ^ 1] != owners):
            raise ValueError("link.next leads to a link of another category")
        owners, rows = owners[link["next"][rows] >= 0], link["next"][rows]
        rows = rows[rows >= 0]
    while free >= 0:
        if free % 2 or not gone[free] or seen[free]:
            raise ValueError("now.free_link leads to a link in use")
        seen[free : free + 2] = 1
        free = int(link["next"][free])
    if not seen.all():
        raise ValueError("a link is in no list")


def _check_sizes(state: State, count: int, k: int) -> None:
    sizes = np.bincount(state.label[LIVE, :count], minlength=k)
    if not np.array_equal(state.clu[LIVE, :k]["size"], sizes) or np.any(sizes == 0):
        raise ValueError("clu.size is not the number of categories")
    _within("clu.n", state.clu[LIVE, :k]["n"], 1, state.now[LIVE]["n"])


def _check_clusters(state: State, k: int, places: int) -> None:
    for name in ("partner", "into"):
        _within(f"clu.{name}", state.clu[LIVE][name], -1, places - 1)
    for name in ("wanted", "changed", "barred"):
        _within(f"clu.{name}", state.clu[name], 0, 1)
    for name in state.path.dtype.names or ():
        if name != "n":
            _within(f"path.{name}", state.path[name], -1, places - 1)
    _within("classes.cluster", state.classes["cluster"], -1, k - 1)
    _within("classes.anchored", state.classes["anchored"], 0, 1)


def _check_ids(state: State, k: int, ids: int) -> None:
    """Ids that have ended lead to living ids, which are those of the present clusters."""
    successor, own = state.successor[:ids], state.clu[LIVE, :k]["id"]
    _within("clu.id", own, 0, ids - 1)
    _within("clu.id", state.clu[LIVE, : state.now[LIVE]["settled_k"]]["id"], 0, ids - 1)
    _within("successor", successor, -1, ids - 1)
    last = np.where(successor < 0, np.arange(ids), successor)
    for _ in range(ids.bit_length()):  # doubles the distance each time
        last = last[last]
    ends = np.unique(last)  # the clusters, and those that have faded away
    if np.any(successor[last] >= 0) or len(np.unique(own)) < k or not np.all(np.isin(own, ends)):
        raise ValueError("successor does not lead to the present clusters")


def _check_events(state: State, ids: int) -> None:
    if not len(state.event):
        return
    now = state.now[LIVE]
    first = max(int(now["first_event"]), int(now["events"]) - len(state.event))
    kept = state.event[np.arange(first, int(now["events"])) % len(state.event)]
    _within("event.kind", kept["kind"], 0, FADED)
    for name in ("first", "second"):
        _within(f"event.{name}", kept[name], -1, ids - 1)


def check_budget(budget: Budget, state: State) -> None:
    """Refuse a budget that does not fit its network."""
    account, now = budget.account[0], state.now[LIVE]
    if budget.spread.shape[1] != state.box.shape[2] or len(budget.mass) < now["categories"]:
        raise ValueError("mass and spread do not fit the categories")
    _within("account.limit", account["limit"], 1, _GREATEST)
    _within("account.asked", account["asked"], 1, _GREATEST)
    _within("account.luck", account["luck"], 1, LUCK - 1)
    _within("account.metric", account["metric"], 0, len(METRICS) - 1)
    _within("account.opened", account["opened"], 0, _GREATEST)
    _within("account.making", account["making"], 0, FINISHED)
    _within("account.searched", account["searched"], 0, now["categories"])
    _within("account.merged", account["merged"], 0, _GREATEST)
    nearest = budget.nearest[: account["searched"]]
    _within("nearest", nearest, -1, now["categories"] - 1)
    if np.any(nearest == np.arange(len(nearest))):
        raise ValueError("nearest is itself")
    if not account["decided"]:  # every category is one of the samples in the reservoir
        _within("now.n", now["n"], 0, RESERVOIR)


def check_engine(kept: dict[str, Any]) -> None:
    """Refuse labels and hints whose rows do not exist in the network."""
    rows = [*kept["label_rows"].values(), *kept["book"].groups]
    _within("label_rows", np.array(rows, dtype=np.int64), 0, len(kept["state"].classes) - 1)
    if kept["sample_rows"] is not None:
        _within("sample_rows", kept["sample_rows"], -1, kept["state"].now[0]["categories"] - 1)
    if "budget" in kept:
        check_budget(kept["budget"], kept["state"])


def check_model(kept: dict[str, Any]) -> None:
    """Refuse names and corrections of clusters that do not exist."""
    state = kept["engine"].state
    now = state.now[LIVE]
    named = [i for step in kept["corrections"].steps for i in _ids_in(step)]
    named += list(kept["names"].given)
    _within("names", np.array(named, dtype=np.int64), 0, now["ids"] - 1)


def _ids_in(step: dict[str, Any]) -> list[int]:
    """Ids of the clusters in a correction."""
    return [*step.get("ids", ()), *(step[key] for key in ("id", "kept", "gone") if key in step)]
