"""The clusters derived from categories, transcribed: every number by its definition."""

import numpy as np

TIE = 1e-12


def links(n, mean, cp, conn, neighbours=3):
    spread = cp / n
    count = len(n)
    far = np.array(
        [
            [np.sum((mean[p] - mean[q]) ** 2) + spread[p] + spread[q] for q in range(count)]
            for p in range(count)
        ]
    )
    link = given_back(n, np.array(conn, dtype=float))
    for p in range(count):
        others = sorted(far[p, q] for q in range(count) if q != p)
        limit = others[min(neighbours, count - 1) - 1] * (1 + TIE)
        for q in range(count):
            if q != p and far[p, q] <= limit:
                link[p, q] += 3 / neighbours
                link[q, p] += 3 / neighbours
    sigma = [min(far[p, q] for q in range(count) if q != p) for p in range(count)]
    for p in range(count):
        for q in range(count):
            reach = np.sqrt(sigma[p] * sigma[q])
            if p != q and reach < far[p, q]:
                link[p, q] *= reach / far[p, q]
    return far, link


def given_back(n, conn):
    """CONN as if all had lost the same share of their links; lost links are on the diagonal."""
    lost = np.diag(conn).tolist()
    conn = conn - np.diag(lost)
    linked = [sum(row) for row in conn]
    loss = [1 + lost[p] / linked[p] if linked[p] else 1.0 for p in range(len(n))]
    usual = sum(n[p] * loss[p] for p in range(len(n))) / sum(n)
    share = [min(max(loss[p] / usual, 1 / 1.1), 1.1) for p in range(len(n))]
    return np.array([[conn[p][q] * np.sqrt(share[p] * share[q]) for q in range(len(n))]
                     for p in range(len(n))])  # fmt: skip


def tree(n, far, link, group, apart):
    """Pairs of clusters (lists of categories) in the order in which they join."""
    clusters = [[p] for p in range(len(n))]
    for p in range(len(n)):
        for q in range(p + 1, len(n)):
            if group[p] >= 0 and group[p] == group[q] and [q] in clusters:
                home = next(c for c in clusters if p in c)
                if home[0] == p or group[home[0]] == group[p]:
                    yield list(home), [q]
                    clusters.remove([q])
                    home.append(q)
    while True:
        best = None
        for i, one in enumerate(clusters):
            for other in clusters[i + 1 :]:
                if apart[np.ix_(one, other)].any():
                    continue
                size = n[one].sum() * n[other].sum()
                strength = link[np.ix_(one, other)].sum() / size
                weight = np.outer(n[one], n[other]) / size
                away = np.sum(weight * far[np.ix_(one, other)])
                if best is None or better(strength, away, *best[:2]):
                    best = strength, away, one, other
        if best is None:
            return
        _, _, one, other = best
        yield list(one), list(other)
        clusters.remove(other)
        one.extend(other)


def better(strength, away, best_strength, best_away):
    if abs(strength - best_strength) > TIE * max(strength, best_strength):
        return strength > best_strength
    return away < best_away * (1 - TIE)


def stages(count, joins):
    """Labels by number of clusters; a cluster has the number of its first category."""
    home = np.arange(count)
    found = {count: home.copy()}
    for one, other in joins:
        home[other] = home[one[0]]
        found[len(np.unique(home))] = home.copy()
    return found


def criteria(n, mean, cp, link, home, dimension):
    """Modularity, silhouette, likelihood, smallest size and evenness of one partition."""
    names = np.unique(home)
    k, samples = len(names), n.sum()
    centre = {c: n[home == c] @ mean[home == c] / n[home == c].sum() for c in names}
    within = sum(cp[p] + n[p] * np.sum((mean[p] - centre[home[p]]) ** 2) for p in range(len(n)))
    middle = n @ mean / samples
    scatter = cp.sum() + n @ np.sum((mean - middle) ** 2, axis=1)
    total, modularity = link.sum(), 0.0
    for c in names:
        here = home == c
        modularity += link[np.ix_(here, here)].sum() / total - (link[here].sum() / total) ** 2
    silhouette = 0.0
    for p in range(len(n)):
        away = {c: np.sqrt(np.sum((mean[p] - centre[c]) ** 2) + cp[p] / n[p]) for c in names}
        own = away.pop(home[p])
        if away and n[home == home[p]].sum() > 1 and max(own, min(away.values())) > 0:
            nearest = min(away.values())
            silhouette += n[p] * (nearest - own) / max(nearest, own) / samples
    sizes = np.array([n[home == c].sum() for c in names])
    s2 = within / (dimension * (samples - k))
    t2 = 0.0
    if k > 1:
        t2 = ((scatter - within) / dimension - (k - 1) * s2) / (samples - sizes @ sizes / samples)
        t2 = max(t2, 0.0)
    likelihood = -dimension / 2 * (samples - k) * np.log(s2)
    likelihood -= dimension / 2 * np.sum(np.log(s2 + sizes * t2))
    likelihood += sizes @ np.log(sizes / samples) - k / 2 * np.log(samples)
    share = sizes / samples
    evenness = np.exp(-share @ np.log(share)) / k
    return (
        modularity,
        silhouette,
        2 * likelihood / (dimension * samples),
        sizes.min() * k / samples,
        evenness,
    )


def contact(n, mean, link, one, other):
    """Contact of two clusters."""
    inside = {}
    for name, side in (("one", one), ("other", other)):
        inside[name] = link[np.ix_(side, side)].sum() / 2 + n[side].sum()
    side = one if inside["one"] < inside["other"] else other
    touching = np.log((link[np.ix_(one, other)].sum() + 1) / (min(inside.values()) + 1))
    centre = n[side] @ mean[side] / n[side].sum()
    away = np.sqrt(n[side])[:, None] * (mean[side] - centre)
    values = np.linalg.eigvalsh(away.T @ away)
    squares = np.sum(values**2)
    dimensions = values.sum() ** 2 / squares if squares > 0 else 1.0
    return touching + np.log(len(side)) / dimensions, min(n[one].sum(), n[other].sum())
