"""Small documents of several themes, which come one theme after the other."""

import numpy as np

THEMES = [
    ["engine", "wheel", "brake", "motor", "tyre", "gearbox", "clutch", "driver"],
    ["planet", "orbit", "rocket", "moon", "star", "telescope", "comet", "galaxy"],
    ["goal", "match", "referee", "league", "striker", "keeper", "penalty", "derby"],
    ["bread", "flour", "oven", "butter", "sugar", "recipe", "dough", "yeast"],
    ["guitar", "drum", "chord", "melody", "singer", "piano", "rhythm", "violin"],
]
COMMON = ["the", "and", "with", "after", "for", "from", "new", "old", "day", "people"]


def make_documents(per_theme, seed):
    """Documents and the theme of each; the next theme begins before the last one has ended."""
    rng = np.random.default_rng(seed)
    themes = np.repeat(np.arange(len(THEMES)), per_theme)
    order = np.argsort(np.arange(len(themes)) + rng.uniform(0, per_theme / 2, len(themes)))
    docs = [
        " ".join([*rng.choice(THEMES[theme], 8), *rng.choice(COMMON, 3)]) for theme in themes[order]
    ]
    return docs, themes[order]


def make_embeddings(docs, d=12):
    """Mean of word vectors, where words of a theme are alike: no language model is needed."""
    rng = np.random.default_rng(1)
    vector = {word: 0.2 * rng.normal(size=d) for word in COMMON}
    for theme in THEMES:
        center = rng.normal(size=d)
        vector |= {word: center + 0.3 * rng.normal(size=d) for word in theme}
    return np.array([np.mean([vector[word] for word in doc.split()], axis=0) for doc in docs])
