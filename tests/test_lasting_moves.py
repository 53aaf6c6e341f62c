"""PBM and XB with few clusters: what is noted of moves, and proven of splits, is true."""

import numpy as np

import operations as op
from streamart import ICVITopoARTMAP
from streamart.icvi.compare import SLACK
from streamart.icvi.lasting_moves import FEW
from streamart.icvi.split_bounds import COMES_BACK
from streamart.icvi.state import LIVE, SHARE, copied
from support import COMPILED

STEPS = 250 if COMPILED else 20
# features, standard deviation of the means; minutes, without the compiler
SHAPES = ((8, 1.0), (16, 1.0), (70, 1.0), (128, 3.0)) if COMPILED else ((8, 1.0),)


def states(seed, icvi="pbm"):
    """Those of networks that have few clusters for their categories, after every sample."""
    rng = np.random.default_rng(seed)
    for d, spread in SHAPES:
        means = rng.normal(scale=spread, size=(40, d))
        X = means[rng.integers(40, size=400 + STEPS)] + rng.normal(size=(400 + STEPS, d))
        model = ICVITopoARTMAP(icvi, xi=100 if icvi == "pbm" else 50).partial_fit(X[:400])
        for x in X[400:]:
            model.partial_fit(x[None])
            state = model._state
            k, good = state.now[LIVE]["k"], state.now[LIVE]["goodness"]
            if k > 1 and FEW * k <= state.now[0]["categories"] and 0.0 < abs(good) < np.inf:
                yield state


def of_several(state):
    """Categories that are not alone in their cluster."""
    for p in state.order[: state.now[0]["categories"]]:
        if state.clu[LIVE, state.label[LIVE, p]]["size"] > 1:
            yield int(p)


def targets(state, p):
    """Clusters that a category may go to."""
    for target in range(state.now[LIVE]["k"]):
        if target != state.label[LIVE, p] and op.is_linked_to(state, p, target):
            yield target


def check_moves_that_stand(learnt):
    """What was noted some samples ago still says that a category should stay where it is."""
    state, good, stood = copied(learnt), learnt.now[LIVE]["goodness"], 0
    op.note_all_moves(state)
    for p in of_several(state):
        if state.scan[SHARE, p] == 0.0:
            assert not list(targets(state, p))
        elif op.move_stands(state, p):
            stood += state.cat[p]["noted"] < state.now[0]["stray"]
            for target in targets(state, p):
                assert op.ask(state, op.MOVE, p, target) <= good * (1.0 + SLACK)
    return stood


def check_moves_that_fall_short(learnt):
    """A bound that is so sharp, mostly, must not be too sharp."""
    state, asked, sharp = copied(learnt), 0, 0
    for p in of_several(state):
        for target in targets(state, p):
            value = op.ask(state, op.MOVE, p, target)
            assert not op.move_falls_short(state, p, target, value * (1.0 - 10.0 * SLACK))
            asked += 1
            sharp += op.move_falls_short(state, p, target, value * (1.0 + 10.0 * SLACK))
    return asked, sharp


def check_split_that_is_foreseen(learnt, number):
    """After the split, the swap that is best is the one that was foreseen."""
    chosen = list(of_several(learnt))
    if not chosen:
        return 0
    p = chosen[number % len(chosen)]
    goes, target = op.foresee_after_split(copied(learnt), p)
    if goes < COMES_BACK:
        return 0
    split = copied(learnt)
    split.params[0]["prove"] = 0
    k, home = int(split.now[LIVE]["k"]), int(split.label[LIVE, p])
    op.operate(split, op.MOVE, p, k)
    assert op.best_swap(split) == ((p, home) if goes == COMES_BACK else (goes, target))
    return 1


def test_what_is_noted_and_foreseen(seed):
    """All in one, since to learn these networks takes longest without the compiler."""
    stood, foreseen, asked, sharp = 0, 0, 0, 0
    for number, state in enumerate(states(seed)):
        stood += check_moves_that_stand(state)
        foreseen += check_split_that_is_foreseen(state, number)
        some, of_these = check_moves_that_fall_short(state)
        asked, sharp = asked + some, sharp + of_these
    assert sharp >= 0.8 * asked
    assert (stood > 0 and foreseen > 0) or not COMPILED


def test_what_is_foreseen_with_xb(seed):
    foreseen = 0
    for number, state in enumerate(states(seed, "xb")):
        foreseen += check_split_that_is_foreseen(state, number)
    assert foreseen > 0 or not COMPILED
