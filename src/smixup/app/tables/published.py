"""The numbers that the paper reports, in percent: mean and standard deviation over ten runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from smixup.app.tables.cell import Published

PublishedTable = dict[tuple[str, str, str], Published]


def read_rows(columns: Sequence[str], **backbones: Mapping[str, str]) -> PublishedTable:
    """Return the cells of a table whose rows, by backbone and name, are written as
    `72.80 4.08, 71.43 2.60`, one pair per column.
    """
    return {
        (backbone, name, column): Published(*map(float, cell.split()))
        for backbone, rows in backbones.items()
        for name, row in rows.items()
        for column, cell in zip(columns, row.split(","), strict=True)
    }


IMDB_B, IMDB_M, PROTEINS, NCI1 = "IMDB-BINARY", "IMDB-MULTI", "PROTEINS", "NCI1"
REDDIT_B, REDDIT_M5, MOLHIV = "REDDIT-BINARY", "REDDIT-MULTI-5K", "ogbg-molhiv"
TABLE_2_COLUMNS = (IMDB_B, PROTEINS, NCI1, REDDIT_B, IMDB_M, REDDIT_M5, MOLHIV)

TABLE_2_GCN = {
    "Vanilla": "72.80 4.08,71.43 2.60,72.38 1.45,84.85 2.42,49.47 2.60,49.99 1.37,76.84 0.54",
    "DropEdge": "73.20 5.62,71.61 4.28,68.32 1.60,85.15 2.81,49.00 2.94,51.19 1.74,72.31 1.40",
    "DropNode": "73.80 5.71,72.69 3.55,70.73 2.02,83.65 3.63,50.00 4.85,47.71 1.75,71.80 1.68",
    "Subgraph": "70.90 5.07,67.93 3.24,65.05 4.36,68.41 2.57,49.80 3.43,47.31 5.23,68.15 0.79",
    "M-Mixup": "72.00 5.66,71.16 2.87,71.58 1.79,87.05 2.47,49.73 2.67,51.49 2.00,77.42 0.77",
    "SubMix": "72.30 4.75,72.42 2.43,71.65 1.58,85.15 2.37,49.73 2.88,52.87 2.19,69.94 0.48",
    "G-Mixup": "73.20 5.60,70.18 2.44,70.75 1.72,86.85 2.30,50.33 3.67,51.77 1.42,77.42 1.45",
    "S-Mixup": "74.40 5.44,73.05 2.81,75.47 1.49,89.30 2.69,50.73 3.66,53.29 1.97,78.09 0.89",
}
TABLE_2_GIN = {
    "Vanilla": "71.30 4.36,68.28 2.47,79.08 2.12,89.15 2.47,48.80 2.54,53.17 2.26,75.80 1.09",
    "DropEdge": "70.50 3.80,68.01 3.22,76.47 2.34,87.45 3.91,48.73 4.08,54.11 1.94,75.09 1.30",
    "DropNode": "72.00 6.97,69.64 2.98,74.60 2.12,88.60 2.52,45.67 2.59,53.97 2.11,74.96 1.37",
    "Subgraph": "70.40 4.98,66.67 3.10,60.17 2.33,76.80 3.87,43.74 5.74,50.09 4.94,69.45 1.68",
    "M-Mixup": "72.00 5.14,68.65 3.76,79.85 1.88,87.70 2.50,48.67 5.32,52.85 1.03,76.50 1.38",
    "SubMix": "71.70 6.20,69.54 3.15,79.78 1.09,90.45 1.93,49.80 4.01,54.27 2.92,68.50 0.74",
    "G-Mixup": "72.40 5.64,64.69 3.60,78.20 1.58,90.20 2.84,49.93 2.82,54.33 1.99,76.37 1.10",
    "S-Mixup": "73.40 6.26,69.37 2.86,80.02 2.45,90.55 2.11,50.13 4.34,55.19 1.99,77.02 1.09",
}
TABLE_2 = read_rows(TABLE_2_COLUMNS, gcn=TABLE_2_GCN, gin=TABLE_2_GIN)

CORRUPTION = (0.2, 0.4, 0.6)
TABLE_3_COLUMNS = tuple(
    f"{dataset}, {share:.0%}" for dataset in (IMDB_B, IMDB_M) for share in CORRUPTION
)
TABLE_3 = read_rows(
    TABLE_3_COLUMNS,
    gcn={
        "Vanilla": "69.50 7.83, 62.70 7.93, 45.80 6.63, 48.00 3.37, 44.87 2.91, 36.20 3.78",
        "M-Mixup": "70.60 3.69, 64.90 6.20, 47.60 6.79, 48.40 2.83, 44.07 2.18, 38.60 3.97",
        "SubMix": "71.00 5.23, 62.80 5.74, 48.40 6.83, 47.80 5.16, 44.20 6.75, 36.80 5.44",
        "G-Mixup": "69.90 5.01, 63.20 6.01, 48.70 5.28, 48.53 3.08, 44.67 2.42, 39.27 5.12",
        "S-Mixup": "70.20 5.69, 65.10 5.58, 48.90 4.61, 49.40 3.06, 46.27 3.86, 39.27 4.57",
    },
)

TABLE_4_COLUMNS = (IMDB_B, PROTEINS, REDDIT_B, IMDB_M)
TABLE_4 = read_rows(
    TABLE_4_COLUMNS,
    gcn={
        "Vanilla": "72.80 4.08, 71.43 2.60, 84.85 2.42, 49.47 2.60",
        "S-Mixup, same class only": "73.07 5.78, 72.23 3.56, 87.60 1.74, 50.27 2.86",
        "S-Mixup, lambda in [0, 1]": "73.00 5.87, 72.15 3.86, 88.70 2.18, 49.07 4.06",
        "S-Mixup": "74.40 5.44, 73.05 2.81, 89.30 2.69, 50.73 3.66",
    },
)

TABLE_5_COLUMNS = (IMDB_B, IMDB_M)
TABLE_5 = read_rows(
    TABLE_5_COLUMNS,
    gin={
        "Vanilla": "71.30 4.36, 48.80 2.54",
        "S-Mixup": "73.40 6.26, 50.13 4.43",
        "S-Mixup with RRWM": "72.80 5.81, 50.11 3.37",
    },
)

TABLE_6_COLUMNS = (IMDB_B, PROTEINS, NCI1, REDDIT_B, IMDB_M, REDDIT_M5)
TABLE_6 = read_rows(
    TABLE_6_COLUMNS,
    gcn={
        "Sinkhorn": "73.20 6.13, 72.80 3.72, 74.89 1.34, 90.50 1.80, 50.40 2.83, 53.13 2.33",
        "Softmax": "74.40 5.44, 73.05 2.81, 75.47 1.49, 89.30 2.69, 50.73 3.66, 53.29 1.97",
    },
    gin={
        "Sinkhorn": "73.10 6.62, 69.09 2.84, 79.95 2.15, 91.25 1.70, 50.23 4.70, 55.09 1.54",
        "Softmax": "73.40 6.26, 69.37 2.86, 80.02 2.45, 90.55 2.11, 50.13 4.34, 55.19 1.99",
    },
)

TABLE_7_COLUMNS = (REDDIT_B, IMDB_M)
TABLE_7 = read_rows(
    TABLE_7_COLUMNS,
    gcn={
        "Vanilla": "84.85 2.42, 49.47 2.60",
        "alpha 0.1": "89.10 2.09, 50.47 3.38",
        "alpha 0.2": "89.15 2.10, 50.73 3.66",
        "alpha 0.5": "89.30 2.69, 49.67 2.89",
        "alpha 1": "84.70 6.17, 50.53 2.77",
        "alpha 2": "81.40 8.01, 50.29 3.91",
        "alpha 5": "77.25 5.39, 49.20 3.34",
    },
)

SECTION_5_1 = {
    ("gin", "Vanilla", "1500 graphs"): Published(91.47),
    ("gin", "random order", "1500 graphs"): Published(52.88),
}
"""The paper does not say how many graphs it has of MOTIF, nor of which size or with which
features.
"""
