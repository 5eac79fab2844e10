"""What the mixes of every method look like: `python -m experiments.audit --help`.

What learns, judge and matchers, learns from the training split; what is mixed are held-out graphs.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from scipy.stats import ks_2samp
from torch import Tensor

from experiments.matchers import Row, motif_mass, paper_settings, stable_colours, table
from experiments.mixes import Mixes, make_mixes
from smixup.app.runs.config import configure
from smixup.app.runs.registry import make_method
from smixup.app.runs.run import train_on
from smixup.augment import Augmentation
from smixup.classifiers import Classifier
from smixup.datasets import load_dataset
from smixup.graphs import Graphs
from smixup.graphs.content import scrambled
from smixup.graphs.ragged import row_means
from smixup.matching import LearnedMatcher, Matcher
from smixup.matching.controls import motif_kept
from smixup.matching.lessons import TripletSampler
from smixup.progress import silent
from smixup.seeding import generator

Settings = Mapping[str, Any]
OTHERS = ("m-mixup", "g-mixup", "submix", "graph-transplant", "if-mixup", "fgw-mixup", "geomix")
AFTER_TRAINING = ("normalization", "temperature", "top_k")
SOFT = {"transport": "paper"}
ROWS: Mapping[str, Settings] = {name: {} for name in (*OTHERS, "ged-mixup", "s-mixup")} | {
    "s-mixup, columns": SOFT | {"matcher.normalization": "columns"},
    "s-mixup, paper's cosine": SOFT | paper_settings(),
    "s-mixup, uniform": SOFT | {"matcher": "uniform"},
    "s-mixup, soft random alignment": SOFT | {"matcher": "random-order"},
    "s-mixup, random alignment": {"matcher": "random-order", "matcher.partial": True},
}
"""What is audited: a method and, behind a comma, what its settings are about."""
RATIOS: Mapping[str, Settings] = {
    "s-mixup": {"partners": None, "amount": 1.0, "alpha": 1.0},
    "if-mixup": {"a": 1.0, "b": 1.0},
    "m-mixup": {"alpha": 1.0, "per_pair": True},
    "g-mixup": {"amount": 1.0, "low": 0.5, "high": 1.0},
    "submix": {"share": 1.0},
    "fgw-mixup": {"amount": 1.0, "alpha": 1.0},
    "geomix": {"per_pair": 1, "high": 0.5},
    "ged-mixup": {"partners": 2, "alpha": 1.0},
}
"""Settings that spread ratios evenly: at one half a mix far from both graphs would seem right."""
PARTS = {
    "what a judge says of their labels": "pairs lam judged label null floor",
    "what a network sees": "degree degree_error density density_error features outside duplicates",
    "alignments": "row_sum_deviation motif_edges motif_mass",
    "Table 1": "instance_level preserves_motif mixes_features input_level size",
}
MOST_NODES = 150  # of graphs that are mixed
DIGITS, ROUNDING = 4, 1e-4


def audit(
    dataset: str,
    titles: Sequence[str] = (),
    seed: int = 0,
    number: int = 200,
    epochs: int = 100,
    options: Settings | None = None,
) -> dict[str, Row]:
    """Measure the rows of these titles, or all: `number` mixes of at most so many originals, and
    what a GIN says of them that was trained for so many epochs without augmentation.
    """
    options = dict(options or {})
    config = configure(dataset, "gin", "vanilla", seed, epochs=epochs, dataset_options=options)
    trained = train_on(load_dataset(dataset, **options), config)
    train, judge = trained.data.train, trained.model.eval()
    held_out = Graphs.cat([trained.data.validation, trained.data.test])
    order = torch.randperm(len(held_out), generator=generator(seed, "audited graphs"))
    order = order[held_out.sizes[order] <= MOST_NODES][:number]
    graphs, fitted = held_out[order].renumbered(), dict[str, LearnedMatcher]()

    def ready(matcher: Matcher) -> Matcher:
        """Fit a matcher on the training split; those that learn alike are fitted once."""
        if not isinstance(matcher, LearnedMatcher):
            return matcher if matcher.fitted else matcher.fit(train, silent)
        learnt = {k: str(v) for k, v in matcher.settings.items() if k not in AFTER_TRAINING}
        key = f"{type(matcher)} {learnt}"
        fitted[key] = known = fitted.get(key) or matcher.fit(train, silent)
        for name in ("network", "inputs", "num_classes"):
            setattr(matcher, name, getattr(known, name))
        return matcher

    rows = {}
    for title in titles or ROWS:
        method = title.split(",")[0]
        settings = {**RATIOS.get(method, {}), **ROWS[title]}
        make = partial(make_method, method, seed, settings, ready)
        rows[title] = measured(make, graphs, number, judge, seed)
    return rows


def measured(
    make: Callable[[], Augmentation], graphs: Graphs, number: int, judge: Classifier, seed: int
) -> Row:
    """Measure the mixes of a method; `make` returns it, fresh."""
    mixes = make_mixes(make(), graphs, number, judge, seed)
    pairs = mixes.only_pairs()
    row: Row = {"pairs": len(pairs)}
    row |= {"lam": float(pairs.parents.lam.mean())} if len(pairs) else {}
    row |= label_fidelity(pairs, judge) | drift(mixes) | novelty(mixes)
    return row | alignments(make(), graphs, number, seed) | properties(make, mixes, judge)


def alignments(method: Augmentation, graphs: Graphs, number: int, seed: int) -> Row:
    """Say what a method's matcher does, on the same pairs of one class for every row."""
    if not isinstance(matcher := getattr(method, "matcher", None), Matcher):
        return {}
    places = TripletSampler.of(graphs.labels).draw(number, generator(seed, "audited pairs"))
    left, right = graphs[places[0]], graphs[places[1]]
    M = matcher(left, right)
    row: Row = {"row_sum_deviation": float(M.row_sums().std(correction=0))}
    if graphs.motif is not None:
        row["motif_edges"] = float(motif_kept(M, left, right).mean())
        row["motif_mass"] = motif_mass(M, left, right)
    return row


@torch.no_grad()
def label_fidelity(pairs: Mixes, judge: Classifier) -> Row:
    """Return mean total variations from `lam p(G1) + (1 - lam) p(G2)`, of pairs in two classes: of
    the mix; of G1 untouched (null); of mixed representations (floor).
    """
    if pairs.parents is None or len(pairs) == 0:
        return {}
    h = judge.embed(pairs.originals)
    p = judge.head(h).softmax(1)
    classes = p.argmax(1)
    apart = (classes[pairs.parents.left] != classes[pairs.parents.right]).nonzero().squeeze(1)
    of_mix = pairs.h if pairs.graphs is None else judge.embed(pairs.graphs)
    chosen = pairs.parents[apart]
    seen = {"label": of_mix[apart], "null": h[chosen.left], "floor": chosen.expected(h)}
    promised = chosen.expected(p)
    return {"judged": len(apart)} | {
        name: float((judge.head(each).softmax(1) - promised).abs().sum(1).mean() / 2)
        for name, each in seen.items()
    }


def drift(mixes: Mixes) -> Row:
    """Return ratios of means to what is promised, and mean relative errors; of features, the mean
    distance in standard deviations of a node.
    """
    if mixes.graphs is None or mixes.parents is None or len(mixes) == 0:
        return {}
    promised, row = mixes.parents.expected, Row()
    both = mixes.graphs, mixes.originals
    weights = [graphs.totals(graphs.adj.row_sums()) for graphs in both]
    for name, over in (("degree", lambda n: n), ("density", lambda n: n * (n - 1))):
        made, before = (w / over(g.sizes).clamp(min=1) for w, g in zip(weights, both, strict=True))
        due = promised(before)
        row[name] = float(made.mean() / due.mean())
        row[f"{name}_error"] = float((made[due > 0] / due[due > 0] - 1).abs().mean())
    made, before = (row_means(graphs.floating().x, graphs.ptr) for graphs in both)
    x = mixes.originals.floating().x
    scale = x.var(0, correction=0).sum().sqrt()
    scale = scale if scale > 1e-6 else x.mean(0).norm().clamp(min=1e-12)  # all nodes look alike
    return row | {"features": float((made - promised(before)).norm(dim=1).mean() / scale)}


def novelty(mixes: Mixes) -> Row:
    """Return the shares of nodes with new features, and of mixes that 1-WL cannot tell apart."""
    if mixes.graphs is None:
        return {}
    known, x = mixes.originals.floating().x, mixes.graphs.floating().x
    outside = (x < known.amin(0) - ROUNDING) | (x > known.amax(0) + ROUNDING)
    both, G = Graphs.cat([rounded(mixes.originals), rounded(mixes.graphs)]), len(mixes.originals)
    keys = both.totals(scrambled(stable_colours(both)))
    flags = {"outside": outside.any(1), "duplicates": torch.isin(keys[G:], keys[:G])}
    return {name: float(flag.float().mean()) for name, flag in flags.items()}


def rounded(graphs: Graphs) -> Graphs:
    """Return graphs without attributes, in which rounding errors make no difference."""
    plain = graphs.without_attributes().floating()
    adj = plain.adj.merged()
    adj = replace(adj, weight=adj.weight.round(decimals=DIGITS))
    x = plain.x.round(decimals=DIGITS) + 0.0  # a negative zero becomes a zero
    return plain.replace(x=x, adj=adj.mask_entries(adj.weight != 0))


def properties(make: Callable[[], Augmentation], mixes: Mixes, judge: Classifier) -> Row:
    """Measure what Table 1 asks. Motifs are preserved in the share of mixes of one class that a
    judge finds in that class; size is the Kolmogorov-Smirnov distance.
    """
    graphs = mixes.originals.replace(graph_attrs={})
    row: Row = {"instance_level": mixes.parents is not None, "input_level": False, "size": 0.0}
    if mixes.graphs is None:
        new = mixes.h is not None and is_new(mixes.h, judge.embed(graphs))
        return row | {"mixes_features": new}
    x = torch.randn(graphs.x.shape, generator=generator(0, "properties"))
    featured = make_mixes(make(), graphs.replace(x=x, degree_encoding=None), len(mixes), judge)
    row["mixes_features"] = featured.graphs is not None and is_new(featured.graphs.x, x)
    right: list[bool] = []
    for label in graphs.labels.unique():
        alone = graphs[(graphs.labels == label).nonzero().squeeze(1)].renumbered()
        made = make_mixes(make(), alone, len(alone), judge).graphs
        right += [] if made is None else (judge(made).argmax(1) == label).tolist()
    row["preserves_motif"] = float(np.mean(right)) if right else None
    sizes = ks_2samp(graphs.sizes.numpy(), mixes.graphs.sizes.numpy())
    return row | {"input_level": True, "size": float(sizes.statistic)}


def is_new(rows: Tensor, before: Tensor) -> bool:
    """Return whether most of the rows are none of those before."""
    made = rows.unique(dim=0)
    _, counts = torch.cat([before.unique(dim=0), made]).unique(dim=0, return_counts=True)
    return int((counts > 1).sum()) * 2 < len(made)


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
