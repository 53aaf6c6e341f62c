"""The claims in the paper's text, checked one by one against our results."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ..data import ORDERS
from . import paper
from .claim import (
    ALIKE,
    CH,
    CONN,
    DB,
    HEADINGS,
    XB,
    Claim,
    claim,
    each,
    median_wrong,
    names,
    short,
)
from .claims_on_embeddings import claims_on_embeddings
from .experiment import Bench
from .grids import ART_RIVALS, NETWORKS, best_settings
from .one_setting import ALL_ORDERS, runs_of_one_setting
from .pages import Section, Table
from .random_order import best_of_shuffles
from .robustness import sweeps
from .table3 import taught_models, taught_runs
from .tracking import tracks


def claims(bench: Bench) -> Section:
    rows: list[Claim] = []
    for check in (
        _rivals,
        _orders,
        _categories,
        _vigilance,
        _over_time,
        _labels,
        claims_on_embeddings,
    ):
        rows += check(bench)
    text = (
        "The statements in the paper's text about its results, compared with the tables on this "
        "page (best of the grid, unless the row says otherwise). The paper gives no number for "
        f'"consistent" and "comparable"; here, both mean that ARIs differ by less than {ALIKE:g}. '
        "For a statement about several orders or models, the last column says for how many it "
        "holds."
    )
    return Section("The paper's claims, one by one", [text, Table("claims", HEADINGS, rows)])


def _ari(bench: Bench) -> dict[str, dict[str, float]]:
    """Best of the grid, by order and model."""
    return {
        order: {name: float(best.result["ari"]) for name, best in by_name.items()}
        for order, by_name in best_settings(bench).items()
    }


def _papers_ari() -> dict[str, dict[str, float]]:
    return {
        order: {name: rows[number].ari for name, rows in paper.TABLE_2.items()}
        for number, order in enumerate(ORDERS)
    }


def _above(ari: dict[str, float], rivals: Iterable[str] = ART_RIVALS) -> list[str]:
    """The networks that are better than all of these rivals."""
    return [name for name in NETWORKS if ari[name] > max(ari[rival] for rival in rivals)]


# ---------------------------------------------------------------------- the synthetic data


def _rivals(bench: Bench) -> list[Claim]:
    ours, theirs = _ari(bench), _papers_ari()
    rows = []
    for order in ORDERS:
        count, above = len(_above(theirs[order])), _above(ours[order])
        below = [name for name in NETWORKS if name not in above]
        found = f"{len(above)} of 6; not {names(below)}" if below else "6 of 6"
        if order == "random":
            counts = [len(_above(ari)) for ari in best_of_shuffles(bench)]
            found += f"; over all shuffles of both sets of points {min(counts)} to {max(counts)}"
        rows.append(
            claim(
                "3.4",
                f"{order}: {count} of 6 variants are better than all other ART models",
                found,
                [len(above) >= count],
            )
        )
    good = {
        order: [name for name in NETWORKS if ari[name] > max(ari["skm"], ari["iskm"]) - ALIKE]
        for order, ari in ours.items()
    }
    rows.append(
        claim(
            "3.4",
            "most variants are better than skm and iskm, or comparable, in every order",
            "; ".join(f"{order}: {len(some)} of 6 ({names(some)})" for order, some in good.items()),
            [len(some) > 3 for some in good.values()],
        )
    )
    runs = runs_of_one_setting(bench)
    one = {
        (name, order): float(np.mean([result["ari"] for result in found]))
        for (name, order), found in runs.items()
    }
    for name, better, worse in (
        ("skm", "random", "class-incremental"),
        ("iskm", "class-incremental", "random"),
        ("DRN", "class-incremental", "random"),
    ):
        best = ours[better][name], ours[worse][name]
        mean = one[name, better], one[name, worse]
        rows.append(
            claim(
                "3.4, 5",
                f"{name} does worse in {worse} order than in {better} order",
                f"{worse} {best[1]:.4f}, {better} {best[0]:.4f}; with one setting, mean of all "
                f"shuffles and draws: {mean[1]:.4f} and {mean[0]:.4f}",
                [best[0] > best[1], mean[0] > mean[1]],
            )
        )
    return rows


def _orders(bench: Bench) -> list[Claim]:
    """Whether the order of the samples matters little to most variants."""

    def ranges(ari: dict[str, dict[str, float]]) -> dict[str, float]:
        names = [name for name in NETWORKS if all(name in by_name for by_name in ari.values())]
        found = {name: [by_name[name] for by_name in ari.values()] for name in names}
        return {name: max(values) - min(values) for name, values in found.items()}

    ours, theirs = ranges(_ari(bench)), ranges(_papers_ari())
    rows = [
        claim(
            "3.4, 5, 6",
            "all variants but iCONN are consistent over the three orders",
            f"greatest minus least ARI here: {each(ours, '{:.3f}')}; in the paper's own table: "
            f"{each(theirs, '{:.3f}')}",
            [value < ALIKE for name, value in ours.items() if name != CONN],
        )
    ]
    runs = runs_of_one_setting(bench)
    tried = [name for name in NETWORKS if (name, ORDERS[0]) in runs]
    for which, orders in (("three orders", ORDERS), ("four orders", ALL_ORDERS)):
        mean = {
            order: {
                name: float(np.mean([result["ari"] for result in runs[name, order]]))
                for name in tried
            }
            for order in orders
        }
        worst = {
            name: min(float(r["ari"]) for order in orders for r in runs[name, order])
            for name in tried
        }
        apart = ranges(mean)
        rows.append(
            claim(
                "3.4, 5, 6",
                f"the same with one setting instead of the best of a grid, over {which} "
                "(our question, not the paper's)",
                f"range of the mean ARI: {each(apart, '{:.3f}')}; worst run: "
                f"{each(worst, '{:.3f}')}",
                [value < ALIKE for name, value in apart.items() if name != CONN],
            )
        )
    return rows


def _categories(bench: Bench) -> list[Claim]:
    best = best_settings(bench)

    def pairs(number_of: Callable[[str, str], int]) -> list[bool]:
        return [
            number_of(order, name) > number_of(order, rival)
            for order in ORDERS
            for name in NETWORKS
            for rival in ART_RIVALS
        ]

    here = pairs(lambda order, name: best[order][name].result["categories"])
    there = pairs(lambda order, name: paper.TABLE_2[name][ORDERS.index(order)].categories)
    counts = {
        order: (best[order][DB].result["clusters"], best[order][DB].result["categories"])
        for order in ORDERS[:2]
    }
    return [
        claim(
            "3.4, 3.4.1",
            "the variants usually have more categories than the other ART models",
            f"true for {sum(here)} of {len(here)} pairs of a variant and an ART model in the same "
            f"order; in the paper's own table for {sum(there)}",
            [sum(here) > len(here) / 2],
        ),
        claim(
            "3.4",
            "iDB splits into too many clusters and creates too many categories (class-incremental "
            "and mixed order)",
            "; ".join(f"{order}: k {k}, P {P}" for order, (k, P) in counts.items()),
            [k > 14 for k, _ in counts.values()],
        ),
    ]


def _vigilance(bench: Bench) -> list[Claim]:
    """Robustness to the vigilance: how often the ARI is near its best, or above the rivals'."""
    curves, _ = sweeps(bench)
    rows = []
    for order, points in curves.items():
        ari = {
            name: {rho: float(result["ari"]) for rho, result in points[name]}
            for name in (*NETWORKS, *ART_RIVALS)
        }
        near = {
            name: np.mean([value > max(values.values()) - ALIKE for value in values.values()])
            for name, values in ari.items()
        }
        rows.append(
            claim(
                "3.4.1",
                f"{order}: the variants keep their outcome over a wide range of the vigilance, "
                "compared with the other ART models",
                f"share of the vigilances with an ARI within {ALIKE:g} of the model's best: "
                f"{each(near, '{:.0%}')}",
                [near[name] > max(near[rival] for rival in ART_RIVALS) for name in NETWORKS],
            )
        )
        higher = {
            name: np.mean(
                [
                    value > max(ari[rival][rho] for rival in ART_RIVALS)
                    for rho, value in ari[name].items()
                ]
            )
            for name in NETWORKS
        }
        rows.append(
            claim(
                "3.4.1",
                f"{order}: most variants are better than the other ART models at several "
                "vigilances, above all iCH, iWB and iPBM",
                "share of the vigilances at which it is better than all three: "
                f"{each(higher, '{:.0%}')}",
                [bool(value >= 0.3) for value in higher.values()],
            )
        )
    return rows


def _over_time(bench: Bench) -> list[Claim]:
    rows = []
    names = {
        "tracker": "the tracker v",
        "categories": "categories",
        "clusters": "clusters",
    }
    for order, by_name in tracks(bench).items():
        mean = {name: float(np.mean(by_name[name]["ari"])) for name in NETWORKS}
        ranked = sorted(NETWORKS, key=lambda name: -mean[name])
        if order == "random":
            text = "most variants are quickly good and stay so; all but iXB and iCONN"
            parts = [mean[name] > 0.9 for name in NETWORKS if name not in (XB, CONN)]
        else:
            text = "iCH and iXB are good much earlier than the other variants"
            parts = [name in ranked[:2] for name in (CH, XB)]
        high = max(mean.values())
        found = f"ARI, mean over time: {each({name: mean[name] for name in ranked}, '{:.3f}')}"
        rows += [
            claim("Appendix B", f"{order}: {text}", found, parts),
            claim(
                "Appendix B",
                f"{order}: iCH is good earlier than the other variants or as early",
                f"ARI, mean over time: iCH {mean[CH]:.3f}, best {short(ranked[0])} {high:.3f}",
                [mean[CH] > high - ALIKE],
            ),
        ]
        means = {
            what: {name: float(np.mean(by_name[name][what])) for name in NETWORKS} for what in names
        }
        rows.append(
            claim(
                "Appendix B",
                f"{order}: iCH has fewer checks, categories and clusters over time than the others",
                "; ".join(
                    f"{title}: {each(means[what], '{:.0f}')}" for what, title in names.items()
                ),
                [means[what][CH] <= min(means[what].values()) for what in names],
            )
        )
    return rows


# ---------------------------------------------------------------------- labels


def _labels(bench: Bench) -> list[Claim]:
    """The median number of wrong samples over the draws, beside that of the nearest neighbour."""
    rows = []
    for source in (bench.synthetic.first, bench.synthetic.second):
        wrong = median_wrong(taught_runs(bench, "Table 3", taught_models(), source))
        network = {name: value for name, value in wrong.items() if name in NETWORKS}
        rows.append(
            claim(
                "3.4",
                f"points of {source.name}, semi-supervised: all variants but iXB make about a "
                "quarter of the errors of NN; iXB is comparable",
                f"median over the draws: {each(wrong, '{:g}')}",
                [
                    value <= wrong["NN"] / 3 if name != XB else value <= 2 * wrong["NN"]
                    for name, value in network.items()
                ],
            )
        )
    return rows
