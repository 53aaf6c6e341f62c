# %% [markdown]
# # Faces
#
# Photos of 60 people arrive in random order. A network made for faces (dlib's) has turned each
# photo into 128 numbers; `StreamART` groups them by person without knowing how many people there
# are.
#
# The embeddings come from *Labeled Faces in the Wild* and are not part of the project. Put
# `faces106x14_128d.npz` in a folder and name it in `STREAMART_DATA`.

# needs: faces106x14_128d.npz

# %%
import os
from pathlib import Path

import numpy as np

folder = Path(os.environ.get("STREAMART_DATA", "../shared/data"))
with np.load(folder / "faces106x14_128d.npz") as file:
    X, person = file["X"].astype(float), file["y"]
order = np.random.default_rng(0).permutation(np.flatnonzero(person < 60))
X, person = X[order], person[order]
print(f"{len(X)} photos of {len(np.unique(person))} people, {X.shape[1]} numbers each")

# %% [markdown]
# ## Learn as the photos arrive

# %%
from sklearn.metrics import adjusted_rand_score

from streamart import StreamART

model = StreamART()
for batch in np.array_split(X, 2):
    model.partial_fit(batch)
    print(f"{model.n_samples_seen_} photos: {model.n_clusters_} people")
print("agreement with the truth:", round(adjusted_rand_score(person, model.predict(X)), 2))

# %% [markdown]
# ## One photo names them all
#
# You recognise one photo. Its cluster gets the name, and so do all photos of it.

# %%
somebody = int(person[3])
model.rename(model.predict_ids(X[3:4])[0], "Alice")
alice = model.predict_ids(X) == model.resolve("Alice")
print(
    f"{alice.sum()} photos are called Alice; {(person[alice] == somebody).sum()} of them are right"
)
print(f"there are {(person == somebody).sum()} photos of her")

# %% [markdown]
# ## A person knows better
#
# You say that two photos show the same person, or two different ones. Such hints hold for ever.

# %%
from streamart import Hints

first, second = np.flatnonzero(person == somebody)[:2]
model.partial_fit(X[[first, second]], hints=Hints(together=[(0, 1)]))
print("same cluster:", bool(model.ids_[0] == model.ids_[1]))

# %% [markdown]
# ## Somebody new
#
# A model that has never seen the people with the highest numbers calls many of their photos
# outliers.

# %%
known = person < 50
fresh = StreamART().fit(X[known])
unknown = fresh.predict(X[~known], outliers=True) == -1
familiar = fresh.predict(X[known], outliers=True) == -1
print(f"outliers among photos of strangers: {unknown.mean():.0%}")
print(f"outliers among photos of people seen: {familiar.mean():.0%}")
