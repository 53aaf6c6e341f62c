"""The claims in section 4 of the paper, checked on other embeddings than the paper's."""

from __future__ import annotations

import numpy as np

from .claim import ALIKE, DB, OTHERS, XB, Claim, claim, each, median_wrong, names, short
from .experiment import Bench
from .faces import best_faces, taught_models
from .grids import NETWORKS
from .streams import Source, load
from .table3 import taught_runs


def claims_on_embeddings(bench: Bench) -> list[Claim]:
    """Section 4, on other embeddings than the paper's."""
    rows = []
    for source in bench.embeddings:
        rows += _orders_of_embeddings(bench, source)
        for order, by_name in best_faces(bench, source).items():
            ari = {name: float(best.result["ari"]) for name, (best, _) in by_name.items()}
            module = ari["E-TopoFA"]
            rival = max(OTHERS, key=lambda name: ari[name])
            above = [name for name in NETWORKS if ari[name] > ari[rival]]
            further = [name for name in NETWORKS if ari[name] > module]
            where = f"4.4 ({source.name}, {order})"
            rows += [
                claim(
                    where,
                    "E-TopoFA is better than skm, iskm and the other ART models",
                    f"{module:.4f}; best of the others: {rival} {ari[rival]:.4f}",
                    [module > ari[rival]],
                ),
                claim(
                    where,
                    "all variants are better than these",
                    f"{len(above)} of 6: {names(above)}",
                    [name in above for name in NETWORKS],
                ),
                claim(
                    where,
                    "the vast majority of the variants improves on E-TopoFA",
                    f"{len(further)} of 6: {names(further)}",
                    [len(further) >= 5],
                ),
            ]
        runs = taught_runs(bench, "Table 5", taught_models(source), source)
        wrong = median_wrong(runs)
        rows.append(
            claim(
                f"4.4 ({source.name})",
                "semi-supervised: iCH and iWB make about a quarter fewer errors than NN",
                f"median over the draws: {each(wrong, '{:g}')}",
                [wrong[name] <= 0.85 * wrong["NN"] for name in NETWORKS[:2]],
            )
        )
    return rows


def _orders_of_embeddings(bench: Bench, source: Source) -> list[Claim]:
    """What the order does to the models on embeddings."""
    best = {
        order: {name: each for name, (each, _) in by_name.items()}
        for order, by_name in best_faces(bench, source).items()
    }
    ari = {
        order: {name: float(each.result["ari"]) for name, each in by_name.items()}
        for order, by_name in best.items()
    }
    apart = {name: abs(ari["class-incremental"][name] - ari["random"][name]) for name in NETWORKS}
    people = len(np.unique(load(source)[1]))
    many = {
        (name, order): best[order][name].result["clusters"]
        for name, order in ((XB, "random"), (DB, "class-incremental"), (DB, "random"))
    }
    where = f"4.4 ({source.name})"
    rows = [
        claim(
            where,
            f"{name} does worse in {worse} order than in {better} order",
            f"{worse} {ari[worse][name]:.4f}, {better} {ari[better][name]:.4f}",
            [ari[worse][name] < ari[better][name]],
        )
        for name, worse, better in (
            ("skm", "class-incremental", "random"),
            ("iskm", "random", "class-incremental"),
        )
    ]
    return [
        *rows,
        claim(
            where,
            "all variants are consistent over both orders",
            f"difference of the ARIs: {each(apart, '{:.3f}')}",
            [value < ALIKE for value in apart.values()],
        ),
        claim(
            where,
            "iXB (random order) and iDB (both orders) find far too many clusters",
            "; ".join(f"{short(name)} ({order}): k {k}" for (name, order), k in many.items())
            + f"; {people} people",
            [k > 1.2 * people for k in many.values()],
        ),
    ]
