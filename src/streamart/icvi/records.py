"""The fields of the records that the network keeps (`state`)."""

import numpy as np

CATEGORY = np.dtype(
    [
        ("n", "i8"),  # samples
        ("cp", "f8"),  # compactness: sum of squared distances from the mean
        ("norm", "f8"),  # |w|, valid while the range of the data does not grow
        ("activation", "f8"),  # T of the box that was presented last
        ("match", "f8"),  # M of the same; smaller is better with the cosine match
        ("joint", "f8"),  # |x ^ w| of the same
        ("rank", "i8"),  # its place in the order of categories
        ("won", "i8"),  # number of the sample that it won last
        ("birth", "i8"),  # number of the sample that it was made for; unique
        ("slot", "i8"),  # where the samples of the present batch are: sample -> slot -> category
        ("links", "i8"),  # first row of its links, -1 for none (`links`)
        ("shared", "f8"),  # scratch: samples that its clusters before and now share (`identity`)
        ("mark", "i8"),  # scratch: 1 for the categories that a strategy has selected
        ("group", "i8"),  # the group of hinted samples that it has learnt from, -1 for none
    ]
)
CLUSTER = np.dtype(
    [
        ("size", "i8"),  # number of categories
        ("n", "i8"),
        ("cp", "f8"),
        ("inside", "f8"),  # CONN summed over its categories, both directions (conn_index)
        ("greatest", "f8"),  # its greatest pair quantity (indices of pairs) ...
        ("partner", "i8"),  # ... and the cluster that this is with
        ("with_a", "f8"),  # in a what-if question: pair quantity with a cluster that changes, a ...
        ("with_b", "f8"),  # ... or b
        ("from_x", "f8"),  # squared distance of its mean from a sample or category
        ("value", "f8"),  # goodness if the present sample joined
        ("wanted", "i8"),  # 1: in the label matrix Y of the present sample
        ("changed", "i8"),  # 1: since swap last found no useful move
        ("barred", "i8"),  # 1: a person keeps the present sample out of this cluster
        ("id", "i8"),  # permanent; of the cluster that was here when ids were last settled
        ("count", "i8"),  # scratch: a count, of a strategy or of `identity`
        ("into", "i8"),  # cluster whose category absorbed its last one since then, -1 for none
    ]
)
STAGE = np.dtype(
    [
        ("first", "i8"),  # the two clusters that merge at this stage of a path of mergers, by
        ("second", "i8"),  # their places at that time,
        ("first_row", "i8"),  # and by their places at the beginning (`strategies.ward`)
        ("second_row", "i8"),
        ("best_first", "i8"),  # the same for the best path so far (`strategies.split`)
        ("best_second", "i8"),
        ("n", "i8"),  # Ward's path: samples of the cluster in this row, 0 if it has merged,
        ("partner", "i8"),  # and its cheapest partner
    ]
)
LINK = np.dtype(
    [
        ("other", "i8"),  # the category at the other end
        ("next", "i8"),  # next row of the same category, -1 for none
        ("weight", "f8"),  # CONN of the two
    ]
)
CLASS = np.dtype(
    [
        ("cluster", "i8"),  # of its samples, -1 if none has come yet
        ("anchored", "i8"),  # 1: a group of hinted samples, whose categories strategies leave alone
    ]
)
EVENT = np.dtype(
    [
        ("sample", "i8"),
        ("kind", "i8"),
        ("first", "i8"),  # ids of the clusters, -1 for none
        ("second", "i8"),
        ("amount", "f8"),
        ("before", "f8"),  # goodness
        ("after", "f8"),
    ]
)
NOW = np.dtype(
    [
        ("k", "i8"),  # of a partition: number of clusters,
        ("within", "f8"),  # WGSS,
        ("goodness", "f8"),  # index value, larger is better
        # all others are of the network, and stand in the first row only
        ("categories", "i8"),
        ("n", "i8"),  # of all data
        ("cp", "f8"),
        ("winner", "i8"),  # category that has the last sample
        ("tracker", "i8"),  # v
        ("vigilance", "f8"),  # of module A between samples
        ("step_vigilance", "f8"),  # of module A for the present sample
        ("start", "f8"),  # goodness before the present sample
        ("group", "i8"),  # of hinted samples, of the present sample; -1 for none
        ("stage", "i8"),  # of the present step: where the strategies go on
        ("due", "i8"),  # what Python is to do before that
        ("boxes_changed", "i8"),  # 1: compression may find something new
        ("inactive", "i8"),  # number of inactive categories when compression last looked
        ("slots", "i8"),  # given out in this batch
        ("rearranged", "i8"),  # 1: categories have changed clusters since ids were settled,
        ("settled_k", "i8"),  # when there were so many clusters
        ("links", "i8"),  # rows of links in use, with those that are free again
        ("free_link", "i8"),  # the first of these, -1 for none
        ("ids", "i8"),  # given out so far
        ("events", "i8"),  # recorded so far
        ("first_event", "i8"),  # the ring has none before this one
        ("handed", "i8"),  # events that were handed to the listeners
        ("listeners", "i8"),  # 1: there are some, so no event may be overwritten before
    ]
)
_SWITCHES = [
    *("cosine", "use_uncommitted", "second_raised", "escape", "variable", "icvi_match_tracking"),
    *("merge", "split", "swap", "compress", "prune", "tau", "phi", "xi"),
]
_NUMBERS = [
    *("rho", "beta1", "beta2", "alpha", "epsilon", "rho_ab", "beta_ab"),
    *("epsilon_icvi", "rho_mt", "rho_c"),
]
PARAMS = np.dtype([(name, "i8") for name in _SWITCHES] + [(name, "f8") for name in _NUMBERS])
