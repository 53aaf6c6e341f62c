"""The fields of what the network remembers of each category, cluster and so on (`state`)."""

import numpy as np

CATEGORY = np.dtype(
    [
        ("n", "i8"),
        ("cp", "f8"),
        ("head", "i8"),  # first link of its chain in CONN
        ("mark", "i8"),  # free for a strategy to use
        ("asked", "i8"),  # number of the last search that asked about it
        ("era", "i8"),  # when its moves were looked at last (PBM, `lasting_moves`),
        ("noted", "f8"),  # how far means had gone by then,
        ("from_home", "f8"),  # how far it was from the mean of its cluster,
        ("span", "f8"),  # how far apart means would be, and how far they may go
        ("leeway", "f8"),  # before it might leave
        ("slot", "i8"),  # where the samples of the present batch are: sample -> slot -> category
        ("between", "f8"),  # CONN with one other category, while a question needs it
        ("gain", "f8"),  # what WGSS would fall by if it left its cluster,
        ("aside", "f8"),  # how far it is from the mean of its cluster at most,
        ("loss", "f8"),  # at least so much it would grow by in any cluster that it is connected to
        ("off", "f8"),  # PBM: greatest squared distance of another mean from its own, or UNKNOWN
        # (XB: of the mean of the cluster that is nearest to its own, if that has still
        ("off_from", "i8"),  # this version),
        ("rest", "f8"),  # and from the mean of its cluster without it
        ("guard", "i8"),  # what kept it last from the unit that it would have chosen, -1 for none,
        ("rear_guard", "i8"),  # and from the others
        ("stuck", "i8"),  # when so much had changed, it was proven to join no other; -1: never.
        ("keeper", "i8"),  # That holds while these two (-1: none) are in the way of others,
        ("rear_keeper", "i8"),
        ("rivals", "i8"),  # while these do not change (a bit for each row, modulo 63; and 61),
        ("also_rivals", "i8"),
        ("bar", "f8"),  # while no other category is so active, unless it is less active
        ("lead", "f8"),  # than this and matches
        ("lead_rho", "f8"),  # worse than this,
        ("stop", "f8"),  # or the same of these two,
        ("stop_rho", "f8"),
        ("open", "f8"),  # or is more active than this, how active those are at most that keepers
        ("open_match", "f8"),  # are not in the way of, and matches nearly as well as these,
        ("room", "f8"),  # and while the range of the data has drifted by less than this
        ("drift", "f8"),  # since then.
        ("held", "f8"),  # Those that the keepers are in the way of are at most so active
        ("rear_held", "f8"),
        ("held_match", "f8"),  # and matched so well then,
        ("rear_held_match", "f8"),
        ("held_norm", "f8"),  # and their norms are at least this
        ("rear_held_norm", "f8"),
        ("told", "i8"),  # its row of `told`, if that is still its own, -1: none yet;
        ("told_at", "i8"),  # when so much had changed, that was up to date,
        ("told_drift", "f8"),  # and when the range had drifted so far, it was asked for
        ("group", "i8"),  # the group of hinted samples that it has learnt from, -1 for none
        ("birth", "i8"),  # number of the sample that it was made for: no other has the same
    ]
)
CLUSTER = np.dtype(
    [
        ("size", "i8"),  # number of categories
        ("n", "i8"),
        ("cp", "f8"),
        ("inside", "f8"),  # CONN summed over its categories, both directions (conn_index)
        ("into_a", "f8"),  # pair quantity with a cluster that would change, a ...
        ("into_b", "f8"),  # ... or b
        ("least", "f8"),  # lower bound of what a merger with any other costs (`merger_cost`),
        ("cheapest", "i8"),  # which is with this one, or -1 if that is not known,
        ("second", "f8"),  # lower bound of that with all the others
        ("far", "f8"),  # upper bound of its squared distance from any other
        ("near", "i8"),  # a cluster that was nearest at some time, -1 for none
        ("updates", "i8"),  # of its row of distances by Stewart's theorem, since it was exact
        ("taken", "i8"),  # categories from its footprint, since that was added up (XB)
        ("version", "i8"),  # no other mean, of this or another cluster, has had the same number
        ("changed", "i8"),  # 1: since swaps were last found useless; 2: not, but not all were
        # (XB: all but those of its core),
        ("core", "i8"),  # 1: of which only this search knows that it stays
        ("weighed", "i8"),  # 1: the `gain` of its categories is known,
        ("most", "f8"),  # the root of the greatest is at most this when `shift` is 0,
        ("heaviest", "f8"),  # and grows by no more than this times `shift` (`weighing`),
        ("shift", "f8"),  # how far its mean has gone at most since its categories were weighed,
        ("room", "f8"),  # and may go before one of them might leave;
        ("strayed", "f8"),  # the same since categories that might come were asked about,
        ("grant", "f8"),  # and before one of them might come
        ("moved", "i8"),  # 1: since every `off` and `rest` was up to date
        ("reach", "f8"),  # how far the farthest other mean is (PBM, while swaps are looked for)
        ("born", "i8"),  # the `era` in which it was opened
        ("only", "i8"),  # its category, if it has but one (PBM, while a split is looked at)
        ("pair_i", "i8"),  # near pairs of clusters (XB, while swaps are looked for): which two,
        ("pair_j", "i8"),
        ("apart", "f8"),  # and their squared distance, infinite if there is none
        ("leaning", "i8"),  # the first of those whose greatest quantity is with it, -1 for none,
        ("beside", "i8"),  # and the next one with the same (DB, while swaps are looked for),
        ("hanging", "f8"),  # what of the sum hangs on it (`merger_sums`); how many lean on it;
        ("leaned_on", "i8"),  # the first of those whose two greatest quantities are with it and a
        ("entwined", "i8"),  # later one, -1 for none, and the next one with the same (DB, while
        ("abreast", "i8"),  # mergers are looked for)
        ("stake", "f8"),  # at most so much of the sum is lost with it (DB, see `sum_bounds`)
        ("spread", "f8"),  # CP/n
        ("from_hub", "f8"),  # squared distance from the mean of those that lean on the hub
        ("peak", "f8"),  # its greatest quantity when swaps were last looked for (DB),
        ("rival", "i8"),  # and with whom
        ("seen", "f8"),  # R with the hub as a part of `hub_proof`, 0 if it is none,
        ("seen_weight", "f8"),  # that over the squared distance,
        ("unseen", "i8"),  # and 1 if it has changed since
        ("asked", "i8"),  # number of the last search that asked about it
        ("floor", "f8"),  # WGSS is at least so great in so many groups as this row's number
        ("greatest", "f8"),  # BGSS of so many was at most so great when anchors were noted
        ("anchor", "f8"),  # samples that it had then, 0 if it was not there (`growing_floors`)
        ("average", "f8"),  # see `merge_bounds.average_distances` (XB)
        ("path_i", "i8"),  # the mergers of a walk, by stage: which two clusters
        ("path_j", "i8"),
        ("best_i", "i8"),  # the same for the best walk so far
        ("best_j", "i8"),
        ("id", "i8"),  # permanent; of the cluster that was here when ids were last settled
        ("kin", "i8"),  # free to count with
        ("into", "i8"),  # whose category has taken in its last one since ids were settled, or -1
        ("barred", "i8"),  # 1: a person keeps the present sample out of this cluster
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
NODE = np.dtype(
    [
        ("first", "i8"),  # the two that it was made of,
        ("second", "i8"),
        ("cost", "f8"),  # and what that costs
        ("n", "f8"),
        ("version", "i8"),  # of the cluster that a leaf is
        ("row", "f8"),  # what it costs to merge it with another node, while that is looked at
        ("at", "i8"),  # its place among those that have not merged yet,
        ("alive", "i8"),  # who is in this place,
        ("turn", "i8"),  # who is made in this turn,
        ("done", "i8"),  # 1: it has been
    ]
)
LINK = np.dtype([("to", "i8"), ("following", "i8"), ("preceding", "i8"), ("weight", "f8")])
NOW = np.dtype(
    [
        ("k", "i8"),  # of a partition: number of clusters,
        ("within", "f8"),  # WGSS,
        ("goodness", "f8"),  # index value, larger is better
        ("categories", "i8"),  # of the network (in the first row only)
        ("rows", "i8"),  # all rows from this one on are nobody's
        ("links", "i8"),  # how much of the pool has been used so far
        ("free_link", "i8"),  # first of those that are free again, -1 for none
        ("winner", "i8"),  # category that has the last sample
        ("slots", "i8"),
        ("ahead", "i8"),  # the two that are most active by their upper bounds, -1 for none,
        ("runner_up", "i8"),
        ("second_most", "f8"),  # and how active all but one or two are at most
        ("third_most", "f8"),
        ("tracker", "i8"),  # v
        ("vigilance", "f8"),  # of module A between samples
        ("step_vigilance", "f8"),  # of module A for the present sample
        ("start", "f8"),  # goodness before the present sample
        ("stage", "i8"),  # of the present step: where the strategies go on
        ("due", "i8"),  # the program that is to be called before that
        ("settled", "i8"),  # 1: compression found nothing, and no box or label has changed since
        ("sharing", "i8"),  # so many inactive categories have another one of their cluster before
        # them in the order, so that one might go
        ("inactive", "i8"),  # so many there are
        ("regrouped", "i8"),  # 1: that has to be looked at again,
        ("next_rest", "i8"),  # as at this sample, when some category may become inactive
        ("changes", "i8"),  # of categories, in the journal, since the beginning,
        ("seen", "i8"),  # and when compression last looked;
        ("digested", "i8"),  # up to here, news since then are summed up: from this one on,
        ("news_since", "i8"),
        ("news", "i8"),  # who has changed (a bit for each row, modulo 63; and 61),
        ("other_news", "i8"),
        ("newly", "i8"),  # and how many of those are inactive: the rows after the ring
        ("drift", "f8"),  # by how much the growing range has moved any norm at most
        ("unlike", "i8"),  # with so many changes, no inactive one was like another; -1: never,
        ("unlike_drift", "f8"),  # and with this drift; that holds while it grows by less than so
        ("unlike_room", "f8"),
        ("hub", "i8"),  # the cluster that most others lean on, -1 for none (`sum_bounds`),
        ("hub_sum", "f8"),  # of the R of those,
        ("hub_greatest", "f8"),  # the greatest of them,
        ("hub_weight", "f8"),  # of the R over the squared distances,
        ("hub_rest", "f8"),  # V,
        ("hub_low", "f8"),  # and the least and greatest of their spreads
        ("hub_high", "f8"),
        ("weighed", "i8"),  # of a partition: 1 if all its clusters are,
        ("calm", "i8"),  # and 1 if none has `changed`
        ("restless", "i8"),  # the category of a calm cluster that has learnt the present sample, or
        ("beside", "i8"),  # has joined it, and whom it is connected to since; -1 for none
        ("era", "i8"),  # so often, clusters have been opened (`lasting_moves`);
        ("unnoted", "i8"),  # 1: of some categories, nothing is known of their moves; 2: of any;
        ("stray", "f8"),  # how far means have gone since the beginning, in sum
        ("least_squares", "f8"),  # the least denominator of late in `sum_of_leaning`
        ("proof_hub", "i8"),  # of which hub moves are proven of no use (`hub_proof`), -1: of none,
        ("proof_margin", "f8"),  # M,
        ("proof_spent", "f8"),  # what was lost of it since,
        ("proof_sum", "f8"),  # T,
        ("proof_squares", "f8"),  # the least Q,
        ("proof_reach", "f8"),  # how far categories are from where they come from, at most,
        ("proof_rest", "f8"),  # minus the least rest,
        ("proof_low", "f8"),  # and between which spreads it holds
        ("proof_high", "f8"),
        ("search", "i8"),  # number of the present search for a useful swap
        ("largest", "i8"),  # the cluster with the most samples, and how many the next one has
        ("next_largest", "i8"),  # (XB, while swaps are looked for)
        ("merge_walks", "i8"),  # what was done, and what was proven needless, since the beginning
        ("merge_proofs", "i8"),
        ("merge_paths", "i8"),
        ("floor_renewals", "i8"),
        ("splits", "i8"),
        ("split_proofs", "i8"),
        ("swap_searches", "i8"),
        ("swap_proofs", "i8"),
        ("compressions", "i8"),
        ("compressions_in_place", "i8"),
        ("compress_proofs", "i8"),
        ("n", "i8"),  # of all data
        ("cp", "f8"),
        ("debt", "f8"),  # what categories that left their cluster may have lowered floors by,
        ("away", "i8"),  # the category that left last,
        ("away_from", "i8"),  # from which cluster,
        ("away_debt", "f8"),  # and the debt without it
        ("wait", "i8"),  # so many times more, floors are not computed anew when they do not do,
        ("patience", "i8"),  # and so many times after an attempt that fails
        ("anchors", "i8"),  # so many clusters there were when anchors were noted, 0: never,
        ("anchored", "i8"),  # and so many samples
        ("next_growth", "i8"),  # floors are not let grow before there are so many,
        ("growth_pause", "i8"),  # the last time that they did not do, for so many
        ("least", "f8"),  # of a partition: no cluster's `least` is less
        ("foreseen", "i8"),  # of so many samples, distances from all means are known in advance
        ("versions", "i8"),  # of means of clusters so far,
        ("unmerged", "i8"),  # and how many when it was last proven that no merger helps (XB);
        ("better_i", "i8"),  # a merger that is better and the best of all, -1 if none is known
        ("better_j", "i8"),
        ("next_grouping", "i8"),  # from this sample on, groupings are looked at (`groupings`),
        ("grouping_pause", "i8"),  # and if in vain, not for so many
        ("leaves", "i8"),  # the tree of mergers is known, and has so many; 0: it is not
        ("sure_below", "i8"),  # the last proof by floors (`standing`): for fewer groups than this,
        ("sure_ratio", "f8"),  # floors were so many times what was needed,
        ("tightest", "i8"),  # as they were for so many groups,
        ("sure_cp", "f8"),  # when all data had this CP,
        ("sure_price", "f8"),  # a group this price,
        ("sure_debt", "f8"),  # floors this debt,
        ("sure_within", "f8"),  # and clusters this WGSS
        ("group", "i8"),  # of the present sample, -1 for none
        ("rearranged", "i8"),  # 1: categories have changed clusters since ids were settled,
        ("settled_k", "i8"),  # when there were so many
        ("tellings", "i8"),  # rows of `told` given out so far
        ("ids", "i8"),  # given out so far
        ("events", "i8"),  # recorded so far,
        ("first_event", "i8"),  # the ring has none before this one
        ("told", "i8"),  # of these put aside for listeners,
        ("listeners", "i8"),  # if there are any: then none may be overwritten before
    ]
)
PARAMS = np.dtype(
    [
        (name, "i8")
        for name in (
            "code",
            "cosine",
            "use_uncommitted",
            "variable",
            "icvi_match_tracking",
            "merge",
            "split",
            "swap",
            "compress",
            "prune",
            "tau",
            "phi",
            "xi",
            "second_raised",
            "escape",
            "repartition",
            "prove",  # 0: every shortcut is left out, for tests to compare with
        )
    ]
    + [
        (name, "f8")
        for name in (
            "rho",
            "beta1",
            "beta2",
            "alpha",
            "epsilon",
            "rho_ab",
            "beta_ab",
            "epsilon_icvi",
            "rho_mt",
            "rho_c",
        )
    ]
)
