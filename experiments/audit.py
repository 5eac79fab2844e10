"""What the mixes of every method look like: `python -m experiments.audit --help`.

The judge, a GIN trained without augmentation, and matchers learn from the training split; what is
mixed are held-out graphs.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from scipy.stats import ks_2samp
from torch import Tensor

from experiments.matchers import Row, paper_settings, table
from experiments.mixes import Mixes, make_mixes
from smixup.app.runs.config import configure
from smixup.app.runs.registry import make_method
from smixup.app.runs.run import train_on
from smixup.augment import Augmentation
from smixup.classifiers import Classifier
from smixup.datasets import load_dataset
from smixup.graphs import Graphs
from smixup.graphs.ragged import row_means
from smixup.matching import Matcher
from smixup.progress import silent
from smixup.seeding import generator

Settings = Mapping[str, Any]
RATIOS: Mapping[str, Settings] = {
    "m-mixup": {"alpha": 1.0, "per_pair": True},
    "g-mixup": {"amount": 1.0, "low": 0.5, "high": 1.0},
    "submix": {"share": 1.0},
    "graph-transplant": {},
    "if-mixup": {"a": 1.0, "b": 1.0},
    "fgw-mixup": {"amount": 1.0, "alpha": 1.0},
    "geomix": {"per_pair": 1, "high": 0.5},
    "ged-mixup": {"partners": 2, "alpha": 1.0},
    "s-mixup": {"partners": None, "amount": 1.0, "alpha": 1.0},
}
"""Settings that spread ratios evenly: at one half a mix far from both graphs would seem right."""
ROWS: Mapping[str, Settings] = {name: {} for name in RATIOS} | {
    "s-mixup, paper's cosine": {"transport": "paper"} | paper_settings(),
    "s-mixup, random alignment": {"matcher": "random-order", "matcher.partial": True},
}
"""What is audited: a method and, behind a comma, what its settings are about."""
PARTS = {
    "what a judge says of their labels": "lam label null floor",
    "what a network sees": "degree degree_error features outside",
    "Table 1": "instance_level preserves_motif mixes_features input_level size",
}
MOST_NODES = 150  # of graphs that are mixed
ROUNDING = 1e-4


def audit(
    dataset: str,
    titles: Sequence[str] = (),
    seed: int = 0,
    number: int = 200,
    epochs: int = 100,
    options: Settings | None = None,
) -> dict[str, Row]:
    """Measure the rows of these titles, or all: `number` mixes of at most so many originals."""
    options = dict(options or {})
    config = configure(dataset, "gin", "vanilla", seed, epochs=epochs, dataset_options=options)
    trained = train_on(load_dataset(dataset, **options), config)
    train, judge = trained.data.train, trained.model.eval()
    held_out = Graphs.cat([trained.data.validation, trained.data.test])
    order = torch.randperm(len(held_out), generator=generator(seed, "audited graphs"))
    order = order[held_out.sizes[order] <= MOST_NODES][:number]
    graphs, rows = held_out[order].renumbered(), dict[str, Row]()
    for title in titles or ROWS:
        name = title.split(",")[0]
        method = make_method(name, seed, {**RATIOS[name], **ROWS[title]})
        if isinstance(matcher := getattr(method, "matcher", None), Matcher):
            matcher.fit(train, silent)
        mixes = make_mixes(deepcopy(method), graphs, number, judge, seed)
        fidelity, drifts = label_fidelity(mixes, judge), drift(mixes)
        rows[title] = fidelity | drifts | properties(method, mixes, judge)
    return rows


@torch.no_grad()
def label_fidelity(mixes: Mixes, judge: Classifier) -> Row:
    """Return the mean lambda, and mean total variations from `lam p(G1) + (1 - lam) p(G2)`, of
    pairs in two classes: of the mix; of G1 untouched (null); of mixed representations (floor).
    """
    parents = mixes.parents
    if parents is None or len(parents.pairs) == 0:
        return {}
    h = judge.embed(mixes.originals)
    p = judge.head(h).softmax(1)
    classes, pairs = p.argmax(1), parents.pairs
    apart = pairs[classes[parents.left[pairs]] != classes[parents.right[pairs]]]
    of_mix = mixes.h if mixes.graphs is None else judge.embed(mixes.graphs)
    chosen = parents[apart]
    seen = {"label": of_mix[apart], "null": h[chosen.left], "floor": chosen.expected(h)}
    promised = chosen.expected(p)
    return {"lam": float(parents.lam[pairs].mean())} | {
        name: float((judge.head(each).softmax(1) - promised).abs().sum(1).mean() / 2)
        for name, each in seen.items()
    }


def drift(mixes: Mixes) -> Row:
    """Return the mean weighted degree over what is promised, and its mean relative error; the mean
    distance of mean features from theirs, in standard deviations of a node; and the share of nodes
    with features beyond those of all originals.
    """
    if mixes.graphs is None or mixes.parents is None:
        return {}
    promised, both = mixes.parents.expected, (mixes.graphs, mixes.originals)
    made, before = (row_means(g.adj.row_sums().unsqueeze(1), g.ptr).squeeze(1) for g in both)
    due = promised(before)
    row: Row = {"degree": float(made.mean() / due.mean())}
    row["degree_error"] = float((made[due > 0] / due[due > 0] - 1).abs().mean())
    new, x = (graphs.floating().x for graphs in both)
    scale = x.var(0, correction=0).sum().sqrt()
    scale = scale if scale > 1e-6 else x.mean(0).norm().clamp(min=1e-12)  # all nodes look alike
    made, before = (row_means(graphs.floating().x, graphs.ptr) for graphs in both)
    row["features"] = float((made - promised(before)).norm(dim=1).mean() / scale)
    outside = (new < x.amin(0) - ROUNDING) | (new > x.amax(0) + ROUNDING)
    return row | {"outside": float(outside.any(1).float().mean())}


def properties(method: Augmentation, mixes: Mixes, judge: Classifier) -> Row:
    """Measure what Table 1 asks. Motifs are preserved in the share of mixes of one class that a
    judge finds in that class; size is the Kolmogorov-Smirnov distance.
    """
    graphs = mixes.originals.replace(graph_attrs={})
    row: Row = {"instance_level": mixes.parents is not None, "input_level": False, "size": 0.0}
    if mixes.graphs is None:
        new = mixes.h is not None and is_new(mixes.h, judge.embed(graphs))
        return row | {"mixes_features": new}
    x = torch.randn(graphs.x.shape, generator=generator(0, "properties"))
    unlike = graphs.replace(x=x, degree_encoding=None)
    featured = make_mixes(deepcopy(method), unlike, len(mixes.graphs), judge).graphs
    row["mixes_features"] = featured is not None and is_new(featured.x, x)
    right: list[bool] = []
    for label in graphs.labels.unique():
        alone = graphs[(graphs.labels == label).nonzero().squeeze(1)].renumbered()
        made = make_mixes(deepcopy(method), alone, len(alone), judge).graphs
        right += [] if made is None else (judge(made).argmax(1) == label).tolist()
    row["preserves_motif"] = float(np.mean(right)) if right else None
    sizes = ks_2samp(graphs.sizes.numpy(), mixes.graphs.sizes.numpy())
    return row | {"input_level": True, "size": float(sizes.statistic)}


def is_new(rows: Tensor, before: Tensor) -> bool:
    """Return whether most of the rows are none of those before."""
    known, whole = (part.unique(dim=0) for part in (before, torch.cat([before, rows])))
    return 2 * (len(whole) - len(known)) > len(rows.unique(dim=0))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the audit of a dataset."""
    parser = ArgumentParser(prog="python -m experiments.audit", description=__doc__)
    parser.add_argument("row", nargs="*", help=f"any of: {'; '.join(ROWS)}; all by default")
    parser.add_argument("--data", default="MOTIF")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mixes", type=int, default=200, help="of every row")
    chosen = parser.parse_args(arguments)
    rows = audit(chosen.data, chosen.row, chosen.seed, chosen.mixes)
    for title, columns in PARTS.items():
        print(f"\n{chosen.data}: {title}\n\n{table(rows, columns.split())}")


if __name__ == "__main__":
    main()
