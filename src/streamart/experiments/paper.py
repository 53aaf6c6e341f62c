"""The numbers that the paper reports: its tables 2 to 5, and nothing else."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """Row of an unsupervised experiment: adjusted Rand index, clusters, categories."""

    ari: float
    clusters: int
    categories: int


class Taught(NamedTuple):
    """Row of a semi-supervised experiment: accuracy on test samples, number of errors, ...

    In every row, the labelled samples are all correct (ACC 1.0000, 0 wrong).
    """

    accuracy: float
    wrong: int
    classes: int
    categories: int


INDICES = {"ch": "iCH", "wb": "iWB", "pbm": "iPBM", "xb": "iXB", "db": "iDB", "conn": "iCONN"}
"""What the paper calls the network with each index; it adds "-TopoFAM"."""

SYNTHETIC_ORDERS = ("class-incremental", "mixed", "random")
FACE_ORDERS = ("class-incremental", "random")

TABLE_2: dict[str, tuple[Row, Row, Row]] = {
    "skm": (Row(0.2474, 7, 7), Row(0.2985, 7, 7), Row(0.9890, 7, 7)),
    "iskm": (Row(0.9878, 7, 7), Row(0.9975, 7, 7), Row(0.0, 1, 1)),
    "DRN": (Row(0.8463, 13, 13), Row(0.7705, 9, 9), Row(0.7458, 17, 17)),
    "WS-DVFA": (Row(0.5989, 21, 21), Row(0.7423, 15, 235), Row(0.8770, 8, 137)),
    "WS-TopoFA": (Row(0.8531, 9, 73), Row(0.6183, 10, 62), Row(0.7846, 5, 26)),
    "iCH-TopoFAM": (Row(0.9926, 7, 11), Row(0.9963, 7, 29), Row(0.9890, 7, 27)),
    "iWB-TopoFAM": (Row(0.9902, 7, 19), Row(0.9975, 7, 32), Row(0.9902, 7, 33)),
    "iPBM-TopoFAM": (Row(0.9914, 7, 13), Row(0.9969, 8, 28), Row(0.9902, 9, 49)),
    "iXB-TopoFAM": (Row(0.9766, 9, 37), Row(0.9842, 7, 59), Row(0.8561, 6, 59)),
    "iDB-TopoFAM": (Row(0.8375, 158, 232), Row(0.8519, 40, 141), Row(0.8797, 6, 42)),
    "iCONN-TopoFAM": (Row(0.9576, 10, 50), Row(0.9611, 11, 39), Row(0.4054, 6, 31)),
}

TABLE_3: dict[str, Taught] = {
    "NN": Taught(0.9768, 37, 7, 7),
    "iCH-TopoFAM": Taught(0.9937, 10, 7, 8),
    "iWB-TopoFAM": Taught(0.9937, 10, 7, 8),
    "iPBM-TopoFAM": Taught(0.9937, 10, 7, 8),
    "iXB-TopoFAM": Taught(0.9617, 61, 7, 20),
    "iDB-TopoFAM": Taught(0.9931, 11, 7, 11),
}

TABLE_4: dict[str, tuple[Row, Row]] = {
    "skm": (Row(0.0413, 200, 200), Row(0.4585, 200, 200)),
    "iskm": (Row(0.4025, 240, 240), Row(0.3487, 210, 210)),
    "DRN": (Row(0.9562, 248, 248), Row(0.9045, 303, 303)),
    "WS-DVFA": (Row(0.8197, 279, 279), Row(0.8354, 279, 1194)),
    "WS-TopoFA": (Row(0.5282, 665, 825), Row(0.7366, 358, 778)),
    "E-TopoFA": (Row(0.9782, 239, 239), Row(0.9535, 289, 289)),
    "iCH-TopoFAM": (Row(0.9901, 204, 239), Row(0.9781, 238, 311)),
    "iWB-TopoFAM": (Row(0.9901, 204, 239), Row(0.9778, 239, 314)),
    "iPBM-TopoFAM": (Row(0.9904, 203, 272), Row(0.9770, 241, 316)),
    "iXB-TopoFAM": (Row(0.9910, 203, 352), Row(0.9165, 347, 1152)),
    "iDB-TopoFAM": (Row(0.9591, 243, 920), Row(0.9543, 287, 304)),
    "iCONN-TopoFAM": (Row(0.9901, 204, 239), Row(0.9818, 228, 297)),
}

TABLE_5: dict[str, Taught] = {
    "NN": Taught(0.9868, 34, 200, 200),
    "iCH-TopoFAM": Taught(0.9899, 26, 200, 212),
    "iWB-TopoFAM": Taught(0.9899, 26, 200, 212),
    "iPBM-TopoFAM": Taught(0.9810, 49, 200, 215),
    "iXB-TopoFAM": Taught(0.8578, 366, 200, 527),
    "iDB-TopoFAM": Taught(0.9631, 95, 200, 274),
}


def network_name(icvi: str) -> str:
    """What the paper calls iCVI-TopoARTMAP with this index.

    >>> network_name("conn")
    'iCONN-TopoFAM'
    """
    return f"{INDICES[icvi]}-TopoFAM"
