"""How each index behaves with the true clusters, with too few and with too many.

This draws docs/images/indices-light.png and -dark.png, and puts a table into docs/indices.md: for
how many random streams the true partition is better than one in which two neighbouring classes are
one cluster, and than one in which a class is cut in two.
"""

import argparse

import numpy as np
from common import DOCS, fill_docs, markdown_table, progress
from sklearn.cluster import KMeans

from streamart import icvi
from streamart.data import make_stream
from streamart.report import DARK, LIGHT
from streamart.report.style import new_figure, tidy

TRUE, JOINED, CUT = "the true classes", "two classes as one cluster", "a class cut in two"
COLOURS = {TRUE: "#0072B2", JOINED: "#D55E00", CUT: "#009E73"}
PROTOTYPES = 8
"""Number of prototypes of each class, for the conn_index."""


def partitions(X, y, seed):
    """True classes, the nearest two of them as one, and the widest of them cut in two."""
    k = int(y.max()) + 1
    means = np.array([X[y == c].mean(axis=0) for c in range(k)])
    far = ((means[:, None] - means) ** 2).sum(-1)
    np.fill_diagonal(far, np.inf)
    a, b = divmod(int(far.argmin()), k)
    joined = np.where(y == max(a, b), min(a, b), y)
    widest = max(range(k), key=lambda c: ((X[y == c] - means[c]) ** 2).mean())
    inside = y == widest
    half = KMeans(2, n_init=1, random_state=seed).fit_predict(X[inside])
    cut = y.copy()
    cut[np.flatnonzero(inside)[half == 1]] = k
    return {TRUE: y, JOINED: joined, CUT: cut}


def drawn(seed):
    """Normal clusters of unequal sizes and shapes, in 2 or 5 features."""
    rng = np.random.default_rng(seed)
    d, k = (2, 5)[seed % 2], int(rng.integers(4, 9))
    parts, labels = [], []
    for c in range(k):
        n = int(rng.integers(60, 300))
        turn = np.linalg.qr(rng.normal(size=(d, d)))[0] * np.exp(rng.normal(0.0, 0.5, size=d))
        parts.append(8.0 * rng.normal(size=d) + rng.normal(size=(n, d)) @ turn.T)
        labels += [c] * n
    order = rng.permutation(len(labels))
    return np.concatenate(parts)[order], np.array(labels)[order]


def prototypes_of(X, y, seed):
    found = [
        KMeans(PROTOTYPES, n_init=1, random_state=seed).fit(X[y == c]).cluster_centers_
        for c in range(int(y.max()) + 1)
    ]
    return np.concatenate(found)


def course(name, X, labels, prototypes):
    """The index after each sample; the conn_index with the winners among fixed prototypes."""
    if name != "conn":
        return icvi.available()[name]().course(X, labels)
    index, values = icvi.ConnIndex(), []
    winners = icvi.winners_of(X, labels, prototypes)
    known = set()
    for (first, second), label in zip(winners, labels.tolist(), strict=True):
        known.add(first)
        index.update((first, second if second in known else None), label)
        values.append(index.value)
    return np.array(values)


def value(name, X, labels, prototypes):
    if name == "conn":
        try:
            return icvi.batch.conn(X, labels, prototypes)
        except ValueError:  # a cluster that overlaps others so much that no prototype is its own
            return np.nan
    return getattr(icvi.batch, name)(X, labels)


def draw(names):
    X, y = make_stream("class-incremental", 1600, 0)
    X = X / X.std(axis=0)
    prototypes = prototypes_of(X, y, 0)
    courses = {
        (name, case): course(name, X, labels, prototypes)
        for name in names
        for case, labels in partitions(X, y, 0).items()
    }
    for look, theme in (("light", LIGHT), ("dark", DARK)):
        figure = picture(names, courses, np.flatnonzero(np.diff(y)) + 1, theme)
        figure.savefig(DOCS / "images" / f"indices-{look}.png", dpi=100)


def picture(names, courses, begins, theme):
    figure = new_figure(10.0, 12.0, theme)
    panels = figure.subplots(5, 3, sharex=True).ravel()
    for panel, name in zip(panels, names, strict=True):
        kind = icvi.available()[name]
        for case, colour in COLOURS.items():
            values = courses[name, case]
            panel.plot(np.where(np.isfinite(values), values, np.nan), color=colour, lw=1.3)
        direction = "larger is better ↑" if kind.bigger_is_better else "smaller is better ↓"
        panel.set_title(f"{name}: {direction}", loc="left", fontsize=10, color=theme.text)
        for begin in begins:
            panel.axvline(begin, color=theme.faint, lw=0.5, ls=":")
        if name in ("rcip", "wb", "xb", "pbm", "i"):
            panel.set_yscale("log")
        tidy(panel, theme)
    for panel in panels[-3:]:
        panel.set_xlabel("samples", color=theme.text)
    handles = [panels[0].plot([], [], color=c, label=case)[0] for case, c in COLOURS.items()]
    figure.legend(
        handles=handles, loc="outside upper center", ncols=3, frameon=False, labelcolor=theme.text
    )
    return figure


def count(names, draws):
    """In how many streams the true partition is better than each of the others."""
    wins = {name: np.zeros(2) for name in names}
    for seed in range(draws):
        X, y = drawn(seed)
        prototypes = prototypes_of(X, y, seed)
        cases = partitions(X, y, seed)
        for name in names:
            sign = 1.0 if icvi.available()[name].bigger_is_better else -1.0
            found = [sign * value(name, X, labels, prototypes) for labels in cases.values()]
            wins[name] += [found[0] > found[1], found[0] > found[2]]
    return [[name, *(f"{100 * won / draws:.0f} %" for won in wins[name])] for name in names]


def main() -> None:
    parser = argparse.ArgumentParser(description="How each index behaves.")
    parser.add_argument("--draws", type=int, default=60)
    chosen = parser.parse_args()
    names = list(icvi.available())
    progress("drawing")
    draw(names)
    progress("counting")
    rows = count(names, chosen.draws)
    table = markdown_table(["index", "better than two classes as one", "than a class in two"], rows)
    print(table)
    fill_docs("behaviour", table, "indices.md")


if __name__ == "__main__":
    main()
