# %% [markdown]
# # Topics in short texts
#
# Headlines arrive day by day. Each becomes a vector of word counts, and `StreamART` groups the
# vectors. It notices by itself that only their direction matters (`metric_`). The headlines are
# generated here; at the end you see what to change for texts of your own.

# %%
import numpy as np

THEMES = {
    "cars": "engine wheel brake motor tyre gearbox clutch driver road fuel",
    "space": "planet orbit rocket moon star telescope comet galaxy launch crew",
    "football": "goal match referee league striker keeper penalty derby coach cup",
    "baking": "bread flour oven butter sugar recipe dough yeast cake crust",
    "music": "guitar drum chord melody singer piano rhythm violin album tour",
}
COMMON = ["the", "and", "with", "after", "for", "from", "new", "old", "day", "people"]


def make_headlines(per_theme=60, seed=0):
    """Headlines and their themes; each theme begins before the one before it has ended."""
    rng = np.random.default_rng(seed)
    themes = np.repeat(list(THEMES), per_theme)
    order = np.argsort(np.arange(len(themes)) + rng.uniform(0, 1.5 * per_theme, len(themes)))
    themes = themes[order]
    words = {name: text.split() for name, text in THEMES.items()}
    texts = [" ".join([*rng.choice(words[t], 6), *rng.choice(COMMON, 3)]) for t in themes]
    return texts, themes


texts, themes = make_headlines()
for text in texts[:3]:
    print(text)

# %% [markdown]
# ## From texts to vectors
#
# A vocabulary must stay the same while the stream goes by. A hashing vectorizer needs none.

# %%
from sklearn.feature_extraction.text import HashingVectorizer

vectorizer = HashingVectorizer(n_features=256, alternate_sign=False, stop_words=COMMON)
X = vectorizer.transform(texts).toarray()
print(X.shape)

# %% [markdown]
# ## Learn as they arrive
#
# The number of topics grows as new themes begin.

# %%
from streamart import StreamART

model = StreamART(record_events=True)
for at in range(0, len(X), 60):
    model.partial_fit(X[at : at + 60])
    print(f"{at + 60} headlines: {model.n_clusters_} topics")
print("metric:", model.metric_)

# %% [markdown]
# ## What is each topic about?
#
# The words that are frequent in one topic and rare in the others.

# %%
from sklearn.feature_extraction.text import CountVectorizer

ids = model.predict_ids(X)
counter = CountVectorizer(stop_words=COMMON)
counts = counter.fit_transform(texts).toarray()
words = np.array(counter.get_feature_names_out())
for topic in model.cluster_ids_.tolist():
    inside = counts[ids == topic].mean(axis=0) - counts[ids != topic].mean(axis=0)
    best = words[np.argsort(-inside)[:4]]
    print(f"#{topic}: {(ids == topic).sum()} headlines, {', '.join(best)}")

# %%
from sklearn.metrics import adjusted_rand_score

print("agreement with the themes:", round(adjusted_rand_score(themes, ids), 2))

# %% [markdown]
# ## Coarser or finer
#
# `detail` looks at the same model with about half or twice as many topics; nothing is learnt
# again.

# %%
print(model.n_clusters_at_detail_)

# %% [markdown]
# ## With your own texts
#
# Replace `make_headlines` with your texts. Embeddings of a language model usually separate topics
# better than counts of words: `X = SentenceTransformer("all-MiniLM-L6-v2").encode(texts)` goes
# straight into `partial_fit`. The [BERTopic adapter](../tutorials/bertopic.md) does all this in
# one pipeline.
