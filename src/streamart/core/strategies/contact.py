"""How well two clusters touch, when a tree joins them."""

import math

from ..._jit import jit, jit_entry
from ..._typing import Floats, Ints


@jit_entry
def measure_contacts(
    n: Floats,
    merges: Ints,
    distance: Floats,
    link: Floats,
    home: Ints,
    member: Ints,
    size: Floats,
    inside: Floats,
    away: Floats,
    contact: Floats,
) -> None:
    r"""For each merger, how well the two touch, and the samples of the smaller one.

    .. math:: v = \log\frac{L_{IJ}+1}{\min(L_{II}+n_I, L_{JJ}+n_J)+1} + \frac{\log m}{r}

    of the side with the minimum m is the number of categories and r the participation ratio of
    their means, the number of dimensions that it fills: a border grows more slowly than what is
    inside it, by just that. So v is on one scale for clusters of all sizes and shapes. `link` is
    used up.
    """
    count = n.shape[0]
    for i in range(count):
        home[i] = i
        size[i] = n[i]
        inside[i] = 0.0
    for stage in range(merges.shape[0]):
        i, j = merges[stage, 0], merges[stage, 1]
        side = i if inside[i] + size[i] < inside[j] + size[j] else j
        members = 0
        for p in range(count):
            if home[p] == side:
                member[members] = p
                members += 1
        touching = math.log((link[i, j] + 1.0) / (inside[side] + size[side] + 1.0))
        border = math.log(float(members)) / dimensions_of(n, distance, member, members, away)
        contact[stage, 0] = touching + border
        contact[stage, 1] = min(size[i], size[j])
        inside[i] += inside[j] + link[i, j]
        size[i] += size[j]
        for other in range(count):
            link[i, other] += link[j, other]
            link[other, i] = link[i, other]
            if home[other] == j:
                home[other] = i


@jit
def dimensions_of(n: Floats, distance: Floats, member: Ints, members: int, away: Floats) -> float:
    """The participation ratio of the means of some categories, from their squared distances."""
    samples, scatter = 0.0, 0.0
    for i in range(members):
        samples += n[member[i]]
        away[i] = 0.0
        for j in range(members):
            away[i] += n[member[j]] * distance[member[i], member[j]]
    for i in range(members):
        scatter += 0.5 * n[member[i]] * away[i] / samples
    squares = 0.0
    for i in range(members):  # `away` becomes the squared distance from the common mean
        away[i] = (away[i] - scatter) / samples
    for i in range(members):
        for j in range(members):
            product = 0.5 * (away[i] + away[j] - distance[member[i], member[j]])
            squares += n[member[i]] * n[member[j]] * product * product
    return scatter * scatter / squares if squares > 0.0 else 1.0


@jit_entry
def contacts_at(contact: Floats, crumb: float, touched: Floats, touching: Floats) -> None:
    """For each number of clusters: of mergers done, the median of the last three; of those to come,
    the best.

    Only mergers whose smaller side has at least ``crumb / k`` samples count; where there is none,
    what was there stays.
    """
    count = contact.shape[0] + 1
    for k in range(2, min(touched.shape[0], count + 1)):
        stage, found = count - k, 0
        first, second, third = 0.0, 0.0, 0.0
        for at in range(stage, contact.shape[0]):
            if contact[at, 1] * k >= crumb:
                touching[k] = max(touching[k], contact[at, 0])
        for back in range(stage):
            if contact[stage - 1 - back, 1] * k >= crumb and found < 3:
                first, second, third = contact[stage - 1 - back, 0], first, second
                found += 1
        if found == 1:
            touched[k] = first
        elif found == 2:
            touched[k] = 0.5 * (first + second)
        elif found == 3:
            touched[k] = max(min(first, second), min(max(first, second), third))
