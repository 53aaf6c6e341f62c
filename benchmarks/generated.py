"""Data sets of 29 kinds, from which the score of a cut is learnt (`learn_cut`).

Each family is a function of a random generator that gives samples and labels from 1; 0 is noise.
Sizes, separations, dimensions and shapes are drawn, so no two sets of a family are alike.
"""

from collections.abc import Callable

import numpy as np
from scipy.spatial import cKDTree

Rng = np.random.Generator
Labelled = tuple[np.ndarray, np.ndarray]

MOST = 2500  # samples of a set


def draw_size(rng: Rng, k: int, low: int = 200, high: int = 3000) -> int:
    return int(np.clip(np.exp(rng.uniform(np.log(low), np.log(high))), 12 * k, MOST))


def draw_labels(rng: Rng, k: int, n: int, evenness: float | None) -> np.ndarray:
    """Classes in their order; the greater `evenness`, the more equal their sizes."""
    shares = np.full(k, 1 / k) if evenness is None else rng.dirichlet(np.full(k, evenness))
    return np.repeat(np.arange(k), np.maximum(rng.multinomial(n, shares), max(3, n // (12 * k))))


def rotation(rng: Rng, d: int) -> np.ndarray:
    return np.linalg.qr(rng.normal(size=(d, d)))[0]


def place(rng: Rng, k: int, d: int, apart: float, radius: np.ndarray) -> np.ndarray:
    """Centres that are at least `apart` times their mean radius from each other, packed."""
    centres, box = [np.zeros(d)], 1.0
    while len(centres) < k:
        box *= 1.02
        x = rng.uniform(-1, 1, d) * box * apart * radius.mean() * k ** (1 / d) * 0.6
        gaps = np.linalg.norm(x - np.array(centres), axis=1)
        if np.all(gaps >= apart * (radius[len(centres)] + radius[: len(centres)]) / 2):
            centres.append(x)
            box = max(1.0, box / 1.5)
    return np.array(centres)


def varied(X: np.ndarray) -> np.ndarray:
    """The samples without constant features."""
    return X[:, X.max(axis=0) > X.min(axis=0)]


def with_noise(rng: Rng, X: np.ndarray, y: np.ndarray, share: float) -> Labelled:
    count = int(share * len(X))
    extra = rng.uniform(X.min(axis=0), X.max(axis=0), (count, X.shape[1]))
    return np.vstack([X, extra]), np.r_[y, np.zeros(count, int)]


# ---------------------------------------------------------------------- round clusters


def blobs(rng: Rng) -> Labelled:
    d = int(rng.choice([1, 2, 2, 2, 3, 4, 6, 8, 12, 16]))
    k = int(rng.integers(2, 9)) if rng.random() < 0.6 else int(rng.integers(9, 50))
    k = min(k, 8) if d == 1 else k
    n, centres = draw_size(rng, k), place(rng, k, d, rng.uniform(4, 9), np.ones(k))
    y = draw_labels(rng, k, n, None if rng.random() < 0.5 else 3.0)
    return centres[y] + rng.normal(size=(len(y), d)), y + 1


def scattered(rng: Rng) -> Labelled:
    """Random centres: some clusters are near each other, others far away."""
    d, k = int(rng.choice([2, 2, 3, 4, 5, 6, 8, 10, 16])), int(rng.integers(3, 16))
    n, width, gap = draw_size(rng, k), rng.uniform(2.0, 6.0), rng.uniform(3.6, 6.0)
    nearest = 0.0
    while nearest < gap:
        centres = width * (
            rng.normal(size=(k, d)) if rng.random() < 0.5 else rng.uniform(-2, 2, (k, d))
        )
        gaps = np.linalg.norm(centres[:, None] - centres, axis=2)
        nearest, width = gaps[np.triu_indices(k, 1)].min(), 1.03 * width
    y = draw_labels(rng, k, n, None if rng.random() < 0.5 else 3.0)
    radius = np.ones(k) if rng.random() < 0.6 else rng.uniform(0.7, 1.2, k)
    return centres[y] + rng.normal(size=(len(y), d)) * radius[y][:, None], y + 1


def unequal_blobs(rng: Rng) -> Labelled:
    d, k = int(rng.choice([2, 2, 3, 4, 6, 10])), int(rng.integers(2, 15))
    n, radius = draw_size(rng, k), np.exp(rng.normal(0, 0.5, k))
    centres = place(rng, k, d, rng.uniform(5, 9), radius)
    y = draw_labels(rng, k, n, rng.choice([1.0, 2.0, 5.0]))
    X = np.empty((len(y), d))
    for i in range(k):
        axes = np.exp(rng.normal(0, rng.uniform(0, 0.5), d))
        noise = rng.normal(size=(np.sum(y == i), d)) * axes / np.sqrt(np.mean(axes**2))
        X[y == i] = centres[i] + radius[i] * noise @ rotation(rng, d)
    return X, y + 1


def overlap(rng: Rng) -> Labelled:
    d, k = int(rng.choice([2, 2, 2, 3, 5])), int(rng.integers(2, 25))
    n, centres = draw_size(rng, k, 500, 3500), place(rng, k, d, rng.uniform(2.8, 4.0), np.ones(k))
    y = rng.integers(0, k, n)
    radius = np.ones(k) if rng.random() < 0.5 else rng.uniform(0.8, 1.3, k)
    return centres[y] + rng.normal(size=(n, d)) * radius[y][:, None], y + 1


def ellipses(rng: Rng) -> Labelled:
    """Clusters of one common shape that nearly touch."""
    d, k = int(rng.choice([2, 2, 2, 3, 4])), int(rng.integers(3, 16))
    n, centres = draw_size(rng, k, 400, 3000), place(rng, k, d, rng.uniform(3.8, 6.5), np.ones(k))
    y = draw_labels(rng, k, n, None if rng.random() < 0.5 else 5.0)
    shape = np.exp(rng.normal(0, 0.5, d)) * rotation(rng, d)
    return (centres[y] + rng.normal(size=(len(y), d))) @ shape, y + 1


def bursts(rng: Rng) -> Labelled:
    """Objects that are filmed several times, with several frames in a row each time."""
    d, k, visits = int(rng.integers(8, 30)), int(rng.integers(8, 45)), int(rng.integers(3, 11))
    frames = int(np.clip(MOST / (k * visits), 4, 12))
    objects = rng.normal(size=(k, d)) * np.exp(rng.normal(0, 0.5, d))
    each = objects[:, None] + rng.uniform(0.3, 0.8) * rng.normal(size=(k, visits, d))
    light = rng.uniform(0, 0.6) * rng.normal(size=(k, visits, 1)) * rng.normal(size=d)
    drift = np.cumsum(rng.uniform(0.03, 0.15) * rng.normal(size=(k, visits, frames, d)), axis=2)
    X = (each + light)[:, :, None] + drift
    return X.reshape(-1, d), np.repeat(np.arange(k), visits * frames) + 1


def nested(rng: Rng) -> Labelled:
    d = int(rng.choice([2, 2, 3, 5]))
    a, b = int(rng.integers(2, 6)), int(rng.integers(2, 6))
    n, apart = draw_size(rng, a * b, 400, 3500), rng.uniform(5, 8)
    inner = place(rng, b, d, apart, np.ones(b))
    width = np.sqrt(np.mean(np.sum((inner - inner.mean(axis=0)) ** 2, axis=1))) + 1.5
    outer = place(rng, a, d, rng.uniform(3.5, 6), np.full(a, width))
    centres = np.vstack([outer[i] + place(rng, b, d, apart, np.ones(b)) for i in range(a)])
    y = rng.integers(0, a * b, n)
    return centres[y] + rng.normal(size=(n, d)), y + 1


def in_noise(rng: Rng) -> Labelled:
    d, k = int(rng.choice([2, 2, 2, 3, 5])), int(rng.integers(2, 12))
    n, radius = draw_size(rng, k, 400, 3500), np.exp(rng.normal(0, 0.3, k))
    centres, y = place(rng, k, d, rng.uniform(6, 12), radius), rng.integers(0, k, n)
    X = centres[y] + radius[y][:, None] * rng.normal(size=(n, d))
    return with_noise(rng, X, y + 1, rng.uniform(0.05, 0.35))


def groups(rng: Rng) -> Labelled:
    """Small groups far apart, as of faces."""
    d, k, m = int(rng.choice([32, 128, 256])), int(rng.integers(20, 110)), int(rng.integers(6, 20))
    y = np.repeat(np.arange(k), np.maximum(rng.poisson(m, k), 3))
    noise = rng.uniform(0.45, 0.75) * rng.normal(size=(len(y), d))
    return rng.normal(size=(k, d))[y] + noise, y + 1


# ---------------------------------------------------------------------- shapes


def curve(rng: Rng, kind: str, n: int) -> np.ndarray:
    t = rng.random(n)
    angle = 2 * np.pi * t
    if kind == "line":
        return np.c_[t * 2 - 1, 0 * t]
    if kind == "arc":
        angle = rng.uniform(0.6, 1.6) * np.pi * t
        return np.c_[np.cos(angle), np.sin(angle)]
    if kind == "ring":
        return np.c_[np.cos(angle), np.sin(angle)]
    if kind == "wave":
        return np.c_[t * 2 - 1, 0.5 * np.sin(angle)]
    if kind == "zigzag":
        return np.c_[t * 2 - 1, 0.6 * np.abs((t * 3) % 2 - 1)]
    if kind == "corner":
        along, still = t * 1.6 - 0.8, np.full(n, -0.8)
        first = (rng.random(n) < 0.5)[:, None]
        return np.where(first, np.c_[along, still], np.c_[still, along])
    if kind == "disc":
        angle = 2 * np.pi * rng.random(n)
        return np.sqrt(t)[:, None] * np.c_[np.cos(angle), np.sin(angle)] * 0.8
    if kind == "square":
        return rng.uniform(-0.8, 0.8, (n, 2))
    if kind == "triangle":
        u = rng.random((n, 2))
        return np.where((u.sum(axis=1) > 1)[:, None], 1 - u, u) * 1.6 - 0.6
    return rng.normal(size=(n, 2)) * 0.35


CURVES = ["line", "arc", "ring", "wave", "zigzag", "corner"]
BODIES = ["disc", "square", "triangle", "normal"]


def scene(rng: Rng) -> Labelled:
    """Random shapes in a plane with gaps between them."""
    k = int(rng.integers(2, 9))
    n = draw_size(rng, k, 250, 3500)
    size = np.bincount(draw_labels(rng, k, n, rng.choice([3.0, 10.0])))
    gap, width, reach, shapes = rng.uniform(0.25, 0.7), rng.uniform(0.02, 0.09), 1.5, []
    for _ in range(400):
        if len(shapes) == k:
            break
        kind = str(rng.choice(CURVES + BODIES))
        shape = curve(rng, kind, size[len(shapes)]) * np.exp(rng.normal(0, 0.35))
        if kind in CURVES:
            shape = shape + width * rng.normal(size=shape.shape)
        shape = shape @ rotation(rng, 2) + rng.uniform(-reach, reach, 2)
        if shapes and cKDTree(np.vstack(shapes)).query(shape)[0].min() < gap * 0.6:
            reach *= 1.03
        else:
            shapes.append(shape)
    if len(shapes) < 2:
        return scene(rng)
    X, y = np.vstack(shapes), np.repeat(np.arange(len(shapes)), [len(s) for s in shapes]) + 1
    return with_noise(rng, X, y, rng.uniform(0.02, 0.12)) if rng.random() < 0.3 else (X, y)


def noisy_scene(rng: Rng) -> Labelled:
    X, y = scene(rng)
    while len(X) <= 800:
        X, y = scene(rng)
    low, high = X.min(axis=0), X.max(axis=0)
    X, y = with_noise(rng, X, y, rng.uniform(0.05, 0.15))
    if rng.random() < 0.5:  # and a line of noise through everything
        t = rng.random(len(X) // 25)
        height = rng.uniform(low[1], high[1]) + 0.02 * (high - low)[1] * rng.normal(size=len(t))
        X = np.vstack([X, np.c_[low[0] + t * (high - low)[0], height]])
        y = np.r_[y, np.zeros(len(t), int)]
    return X, y


def moons(rng: Rng) -> Labelled:
    n = draw_size(rng, 2)
    t, y = rng.random(n) * np.pi, rng.integers(0, 2, n)
    upper, lower = np.c_[np.cos(t), np.sin(t)], np.c_[1 - np.cos(t), 0.5 - np.sin(t)]
    X = np.where((y == 0)[:, None], upper, lower) + rng.uniform(0.03, 0.13) * rng.normal(
        size=(n, 2)
    )
    if rng.random() < 0.4:
        d = int(rng.integers(1, 6))
        X = np.c_[X, rng.uniform(0.02, 0.2) * rng.normal(size=(n, d))] @ rotation(rng, d + 2)
    return X, y + 1


def rings(rng: Rng) -> Labelled:
    k, d = int(rng.integers(2, 5)), int(rng.choice([2, 2, 3]))
    n = draw_size(rng, k)
    radius = np.cumsum(rng.uniform(0.7, 1.3, k)) - (0.6 if rng.random() < 0.3 else 0)
    width = rng.uniform(0.03, 0.11)
    y = rng.choice(k, n, p=radius / radius.sum() if rng.random() < 0.5 else np.full(k, 1 / k))
    u = rng.normal(size=(n, d))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    return u * (radius[y] + width * rng.normal(size=n))[:, None], y + 1


def spirals(rng: Rng) -> Labelled:
    k = int(rng.integers(2, 5))
    n, turns = draw_size(rng, k, 250, 2500), rng.uniform(0.5, 1.4)
    y = rng.integers(0, k, n)
    t = np.sqrt(rng.uniform(0.04, 1, n)) if rng.random() < 0.5 else rng.uniform(0.15, 1, n)
    angle = 2 * np.pi * (turns * t + y / k)
    width = rng.uniform(0.004, 0.02) * 4 / k / turns
    X = t[:, None] * np.c_[np.cos(angle), np.sin(angle)] + width * rng.normal(size=(n, 2))
    return X, y + 1


def stripes(rng: Rng) -> Labelled:
    d, k = int(rng.choice([2, 2, 3])), int(rng.integers(2, 7))
    n, length, flat = draw_size(rng, k), rng.uniform(6, 25), rng.random() < 0.5
    y = rng.integers(0, k, n)
    X = rng.uniform(-1.7, 1.7, (n, d)) if flat else rng.normal(size=(n, d))
    X[:, 1] *= length / (2 if flat else 4)
    X[:, 0] += y * rng.uniform(5, 9)
    return (X @ rotation(rng, d) if rng.random() < 0.6 else X), y + 1


def thin(rng: Rng) -> Labelled:
    d, k = int(rng.integers(3, 20)), int(rng.integers(2, 10))
    n = draw_size(rng, k)
    y, X = rng.integers(0, k, n), np.empty((n, d))
    centres = place(rng, k, d, rng.uniform(5, 10), np.full(k, np.sqrt(d) * 0.35))
    for i in range(k):
        part = 0.25 * rng.normal(size=(np.sum(y == i), d))
        part[:, : int(rng.integers(1, 3))] *= rng.uniform(4, 14)
        X[y == i] = centres[i] + part @ rotation(rng, d)
    return X, y + 1


def bodies(rng: Rng) -> Labelled:
    """Filled bodies with sharp borders."""
    d, k = int(rng.choice([2, 2, 3, 4])), int(rng.integers(2, 8))
    n = draw_size(rng, k)
    y = draw_labels(rng, k, n, 5.0)
    centres, X = (
        place(rng, k, d, rng.uniform(2.3, 3.4), np.ones(k)),
        rng.uniform(-1, 1, (len(y), d)),
    )
    if rng.random() < 0.5:
        X = ball(rng, len(y), d)
    else:
        centres = centres * 1.3
    return centres[y] + X, y + 1


def ball(rng: Rng, n: int, d: int) -> np.ndarray:
    X = rng.normal(size=(n, d))
    return X * (rng.random(n) ** (1 / d) / np.linalg.norm(X, axis=1))[:, None]


def neighbours(rng: Rng) -> Labelled:
    """Two or three bodies that touch or nearly."""
    k, d = int(rng.integers(2, 4)), int(rng.choice([2, 2, 3]))
    n, kind = draw_size(rng, k, 250, 3500), str(rng.choice(["normal", "even", "slope", "dense"]))
    y = rng.integers(0, k, n)
    if kind == "normal":
        X = rng.normal(size=(n, d)) * np.exp(rng.normal(0, 0.3, (k, d)))[y]
        X[:, 0] += y * rng.uniform(3.3, 4.5) * 1.1
    elif kind == "even":
        X = rng.uniform(-1, 1, (n, d))
        X[:, 0] += y * rng.uniform(2.12, 2.5)
    elif kind == "slope":
        d, y = 2, y % 2
        X = np.c_[rng.uniform(0, 3, n), rng.beta(1, 1.6, n) * 1.2]
        X[y == 1] *= -1
        X[y == 1, 0] += 3
        X[:, 1] += np.where(y == 1, -1, 1) * rng.uniform(0.08, 0.2)
    else:
        X = rng.normal(size=(n, d))
        X[y == 0] *= rng.uniform(0.15, 0.4)
        X[:, 0] += rng.uniform(2.8, 3.6) * y
    return (X @ rotation(rng, d) if rng.random() < 0.5 else X), y + 1


# ---------------------------------------------------------------------- tables, embeddings, curves


def embeddings(rng: Rng) -> Labelled:
    d, k = int(rng.choice([64, 128, 256])), int(np.exp(rng.uniform(np.log(4), np.log(100))))
    n = int(np.clip(k * rng.uniform(8, 40), 200, MOST))
    centres = rng.normal(size=(k, d))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    y = draw_labels(rng, k, n, rng.choice([2.0, 10.0]))
    q = int(rng.integers(8, d))
    noise = rng.normal(size=(len(y), q)) @ rng.normal(size=(q, d)) / np.sqrt(q * d)
    X = centres[y] + rng.uniform(0.4, 1.1) * noise
    X += rng.uniform(0, 0.3) * rng.normal(size=X.shape) / np.sqrt(d)
    return X / np.linalg.norm(X, axis=1, keepdims=True), y + 1


def hard_embeddings(rng: Rng) -> Labelled:
    d, k = int(rng.choice([64, 128, 256])), int(np.exp(rng.uniform(np.log(5), np.log(80))))
    n = int(np.clip(k * rng.uniform(20, 100), 400, MOST))
    y, q = draw_labels(rng, k, n, rng.choice([2.0, 10.0])), int(rng.integers(10, 60))
    fading = np.exp(-np.arange(q) / q * rng.uniform(0, 2))
    noise = (rng.normal(size=(len(y), q)) * fading) @ rng.normal(size=(q, d)) / np.sqrt(q * d)
    X = rng.normal(size=(k, d))[y] / np.sqrt(d) + rng.uniform(0.9, 1.6) * noise
    X += rng.uniform(0.3, 0.9) * rng.normal(size=X.shape) / np.sqrt(d)
    return X / np.linalg.norm(X, axis=1, keepdims=True), y + 1


def tables(rng: Rng) -> Labelled:
    q, k = int(rng.integers(2, 9)), int(rng.integers(2, 13))
    n, radius = draw_size(rng, k), np.exp(rng.normal(0, 0.3, k))
    centres = place(rng, k, q, rng.uniform(3.2, 6.5), radius)
    y = draw_labels(rng, k, n, rng.choice([2.0, 10.0]))
    Z = np.empty((len(y), q))
    for i in range(k):
        part = rng.normal(size=(np.sum(y == i), q)) * np.exp(rng.normal(0, 0.4, q))
        Z[y == i] = centres[i] + radius[i] * part @ rotation(rng, q)
    d = int(rng.integers(q, 4 * q))
    X = Z @ rng.normal(size=(q, d)) / np.sqrt(q)
    X += rng.uniform(0.02, 0.4) * rng.normal(size=X.shape) * Z.std()
    for f in range(d):
        kind, scaled = rng.random(), X[:, f] / X[:, f].std()
        if kind < 0.15:
            X[:, f] = np.exp(scaled)
        elif kind < 0.3:
            X[:, f] = np.round(scaled * rng.uniform(1, 4))
        elif kind < 0.4:
            X[:, f] = np.tanh(scaled)
    if rng.random() < 0.5:
        X = np.c_[X, rng.normal(size=(len(y), int(rng.integers(1, d + 1))))]
    return varied(X), y + 1


def hard_tables(rng: Rng) -> Labelled:
    """Classes of several overlapping pieces each, unequal, with outliers and skewed features."""
    q, k, pieces = int(rng.integers(2, 7)), int(rng.integers(2, 12)), int(rng.integers(1, 4))
    n, radius = draw_size(rng, k * pieces, 300, 3000), np.exp(rng.normal(0, 0.4, k))
    centres = place(rng, k, q, rng.uniform(3, 5), radius)
    y = draw_labels(rng, k, n, rng.choice([1.5, 5.0]))
    offsets = rng.normal(size=(k, pieces, q)) * rng.uniform(0.5, 1.3)
    piece = rng.integers(0, pieces, len(y))
    noise = offsets[y, piece] + 0.8 * rng.normal(size=(len(y), q))
    Z = centres[y] + radius[y][:, None] * noise
    d = int(rng.integers(q, 3 * q + 2))
    X = Z @ rng.normal(size=(q, d))
    X += rng.uniform(0.02, 0.3) * Z.std() * rng.normal(size=X.shape)
    for f in range(d):
        if rng.random() < 0.3:
            X[:, f] = np.exp(rng.uniform(0.3, 1) * X[:, f] / X[:, f].std())
        elif rng.random() < 0.3:
            X[:, f] = np.round(X[:, f] / X[:, f].std() * rng.uniform(0.7, 3))
    if rng.random() < 0.3:
        X[rng.choice(len(X), max(1, len(X) // 200))] *= rng.uniform(2, 5)
    return varied(X), y + 1


def sheets(rng: Rng, hard: bool = False) -> Labelled:
    """Classes that are curved sheets in many dimensions: digits, letters, textures."""
    d = int(rng.choice([16, 20, 36] if hard else [16, 32, 64]))
    k = int(rng.integers(5, 41)) if hard else int(rng.integers(3, 27))
    n, q = draw_size(rng, k, 500, 3500), int(rng.integers(1, 5))
    share = rng.uniform(0.6, 0.95) if hard else rng.uniform(0.0, 0.7)
    apart = rng.uniform(0.25, 0.7) if hard else 1.0
    spread = 1.0 if hard else rng.uniform(0.6, 1.3)
    y, X, hidden = rng.integers(0, k, n), np.empty((n, d)), 24
    common = rng.normal(size=(q, hidden)), rng.normal(size=(hidden, d))
    for i in range(k):
        Z = rng.normal(size=(np.sum(y == i), q))
        W = share * common[0] + (1 - share) * rng.normal(size=(q, hidden))
        V = share * common[1] + (1 - share) * rng.normal(size=(hidden, d))
        X[y == i] = spread * np.tanh(Z @ W * 0.7) @ V / np.sqrt(hidden) + rng.normal(size=d) * apart
    X += rng.uniform(0.05, 0.4) * rng.normal(size=X.shape)
    if rng.random() < 0.5:
        X = np.round(X * 4) if hard else np.maximum(X, 0)
    return varied(X), y + 1


def hard_sheets(rng: Rng) -> Labelled:
    return sheets(rng, hard=True)


def categories(rng: Rng) -> Labelled:
    """Tables of few values."""
    k, d = int(rng.integers(2, 11)), int(rng.integers(7, 40))
    n, values = draw_size(rng, k, 300, 2500), int(rng.choice([2, 2, 3, 5]))
    y = rng.integers(0, k, n)
    X = rng.integers(0, values, (k, d))[y].astype(float)
    wrong = rng.random((n, d)) < rng.uniform(0.05, 0.3)
    X[wrong] = rng.integers(0, values, wrong.sum())
    return varied(X), y + 1


def series(rng: Rng) -> Labelled:
    length, k = int(rng.choice([24, 48, 90])), int(rng.integers(2, 15))
    n, t = draw_size(rng, k, 200, 2000), np.linspace(0, 1, length)
    y = rng.integers(0, k, n)
    speed, height = rng.uniform(0.5, 4, (k, 3)), rng.normal(size=(k, 3))
    phase = rng.uniform(0, 6.3, (k, 3))[y] + 0.25 * rng.normal(size=(n, 3))
    turns = 2 * np.pi * speed[y] * (1 + 0.03 * rng.normal(size=(n, 3)))
    X = np.sum(height[y][:, :, None] * np.sin(turns[:, :, None] * t + phase[:, :, None]), axis=1)
    X *= 1 + 0.15 * rng.normal(size=(n, 1))
    return X + 0.15 * rng.normal(size=X.shape), y + 1


def small(rng: Rng) -> Labelled:
    """A few samples of another family."""
    kinds = [unequal_blobs, overlap, scene, moons, tables, one, spirals, bodies]
    X, y = kinds[int(rng.integers(len(kinds)))](rng)
    n = int(np.clip(np.exp(rng.uniform(np.log(80), np.log(260))), 8 * y.max(), 400))
    kept = rng.permutation(len(y))[:n]
    return varied(X[kept]), y[kept]


# ---------------------------------------------------------------------- single clusters


def one(rng: Rng) -> Labelled:
    d, n = int(rng.choice([1, 2, 2, 3, 5, 8, 15, 30, 60])), draw_size(rng, 1, 200, 3500)
    return cloud(rng, str(rng.choice(CLOUDS)), n, d), np.ones(n, int)


CLOUDS = [
    "normal",
    "normal",
    "cube",
    "ball",
    "t3",
    "log-normal",
    "exponential",
    "triangular",
    "correlated",
]


def cloud(rng: Rng, kind: str, n: int, d: int) -> np.ndarray:
    if kind == "cube":
        return rng.random((n, d))
    if kind == "ball":
        return ball(rng, n, d)
    if kind == "t3":
        return rng.standard_t(3, size=(n, d))
    if kind == "log-normal":
        return np.exp(rng.uniform(0.3, 1.0) * rng.normal(size=(n, d)))
    if kind == "exponential":
        return rng.exponential(size=(n, d))
    if kind == "triangular":
        return rng.triangular(0, rng.random(), 1, size=(n, d))
    X = rng.normal(size=(n, d))
    return X * np.exp(rng.normal(0, 1, d)) @ rotation(rng, d) if kind == "correlated" else X


def one_shape(rng: Rng) -> Labelled:
    n = draw_size(rng, 1, 250, 2500)
    X = curve(rng, str(rng.choice(CURVES)), n)
    X = X + rng.uniform(0.03, 0.15) * rng.normal(size=X.shape)
    if rng.random() < 0.3:
        d = int(rng.integers(1, 4))
        X = np.c_[X, 0.2 * rng.normal(size=(n, d))] @ rotation(rng, d + 2)
    return X, np.ones(n, int)


FAMILIES: dict[Callable[[Rng], Labelled], tuple[int, float]] = {
    blobs: (54, 1.0),
    scattered: (70, 2.0),
    unequal_blobs: (58, 1.0),
    overlap: (58, 1.5),
    embeddings: (48, 1.0),
    hard_embeddings: (48, 1.0),
    scene: (116, 3.0),
    noisy_scene: (54, 1.0),
    moons: (26, 1.0),
    rings: (36, 1.0),
    spirals: (36, 1.0),
    stripes: (36, 1.0),
    thin: (40, 1.0),
    in_noise: (40, 1.0),
    tables: (80, 2.0),
    hard_tables: (66, 1.0),
    sheets: (80, 1.5),
    hard_sheets: (66, 1.0),
    categories: (36, 1.0),
    nested: (40, 1.0),
    ellipses: (54, 1.0),
    bursts: (36, 1.0),
    bodies: (40, 1.0),
    neighbours: (54, 1.0),
    series: (30, 1.0),
    groups: (24, 1.0),
    small: (90, 1.0),
    one: (90, 0.0),
    one_shape: (30, 0.0),
}
"""Number of sets of each family, and its weight. Single clusters are not used to train the score,
because `one_or_several` decides about them."""


def draw(family: Callable[[Rng], Labelled], number: int) -> Labelled:
    """One set of a family, which depends on its number only."""
    code = [ord(letter) for letter in family.__name__]
    X, y = family(np.random.default_rng([*code, number]))
    if len(y) > MOST:
        kept = np.random.default_rng(number).permutation(len(y))[:MOST]
        X, y = X[kept], y[kept]
    return np.ascontiguousarray(X, dtype=float), y
