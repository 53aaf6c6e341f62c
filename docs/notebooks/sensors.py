# %% [markdown]
# # A sensor table
#
# A machine reports temperature, flow, power and valve position once a minute. Nobody has listed
# its operating modes, and new ones appear while it runs. `StreamART` finds the modes, keeps their
# ids, and says what changed. The data are generated here, so that you can run this anywhere.

# %%
import numpy as np
import pandas as pd

MODES = {  # mean of each feature, and the minute from which the mode occurs
    "idle": ([35, 0.4, 3.0, 0.5], 0),
    "heating": ([62, 2.1, 18.0, 6.5], 0),
    "standby": ([24, 0.1, 1.0, 0.3], 0),
    "cooling": ([18, 1.6, 14.0, 5.0], 1600),
    "cleaning": ([48, 3.0, 6.0, 2.0], 2800),
}


def make_readings(n=4800, seed=0):
    """A table of readings, and the mode of each row, which the model never sees."""
    rng = np.random.default_rng(seed)
    mode, rows, modes = "idle", [], []
    for minute in range(n):
        if rng.random() < 0.02:
            mode = str(rng.choice([name for name, (_, start) in MODES.items() if start <= minute]))
        rows.append(np.array(MODES[mode][0]) + rng.normal(size=4) * [2.0, 0.15, 1.2, 0.5])
        modes.append(mode)
    columns = ["temperature_c", "flow_lpm", "power_kw", "valve_mm"]
    table = pd.DataFrame(np.round(rows, 3), columns=columns)
    table.insert(0, "time", pd.date_range("2026-03-01", periods=n, freq="min"))
    return table, np.array(modes)


readings, modes = make_readings()
print(readings.head(3).to_string(index=False))

# %% [markdown]
# ## Learn batch by batch
#
# Every four hours a batch arrives. Rows are not stored and not read twice. Columns in different
# units need no scaling; the model does that itself. (`time` is not a feature.)

# %%
from streamart import StreamART
from streamart.report import Record

features = readings.drop(columns="time")
model, record = StreamART(record_events=True), Record()
for at in range(0, len(features), 240):
    model.partial_fit(features[at : at + 240])
    record.look(model)
    record.note(model.new_events())

print(model.n_clusters_, "clusters")

# %% [markdown]
# ## Name what you recognise
#
# An operator knows what some readings were. A name follows its cluster from now on.

# %%
for name in ("idle", "heating", "cooling"):
    minute = int(np.flatnonzero(modes == name)[0])  # a reading that the operator remembers
    model.rename(model.predict_ids(features[minute : minute + 1])[0], name)
for cluster, size in zip(model.cluster_ids_.tolist(), model.clusters_.n, strict=True):
    print(f"#{cluster} {model.names_.get(cluster, '(no name)')}: {size:.0f} readings")

# %% [markdown]
# ## What changed, and when?
#
# The bands show which share of all readings each mode has had so far. Cooling and cleaning begin
# late.

# %%
import matplotlib.pyplot as plt

from streamart.report import draw_river

figure, ax = plt.subplots(figsize=(8, 3), layout="constrained")
draw_river(ax, model, record)

# %%
for event in record.events:
    if event.kind != "moved":
        print(event)

# %% [markdown]
# ## Was it right?
#
# Usually you cannot ask that. Here the true modes are known: 1.0 would be perfect agreement.

# %%
from sklearn.metrics import adjusted_rand_score

print(round(adjusted_rand_score(modes, model.predict(features)), 2))

# %% [markdown]
# ## Readings that fit nothing
#
# `predict(..., outliers=True)` answers -1 for a reading that is like nothing seen before.

# %%
odd = pd.DataFrame([[35.0, 0.4, 3.0, 0.5], [90.0, 0.0, 40.0, 9.0]], columns=features.columns)
print(model.predict(odd, outliers=True).tolist(), model.novelty(odd).round(1).tolist())
