"""What the mixes of every method look like: `python -m experiments.audit --help`.

What learns, judge and matchers, learns from the training split; what is mixed are held-out graphs.
"""

from __future__ import annotations

import math
import time
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import torch
from scipy.stats import ks_2samp
from torch import Tensor

from experiments.matchers import Row, paper_settings, text_table
from experiments.mixes import Mixes, make_mixes
from experiments.theorem import epsilon
from smixup.app.runs.config import configure
from smixup.app.runs.data import Opened, open_dataset
from smixup.app.runs.registry import make_method
from smixup.app.runs.run import initial_model
from smixup.augment import Augmentation
from smixup.classifiers import Classifier
from smixup.edits.edit_costs import METRIC
from smixup.edits.edit_distance import edit_distance
from smixup.edits.weighted_graph import WeightedGraph
from smixup.errors import unknown_name
from smixup.graphs import Graphs, MeanReadout, Operator, SparseOperator
from smixup.graphs.hashing import scrambled
from smixup.matching import LearnedMatcher, Matcher
from smixup.matching.learned import AFTER_TRAINING
from smixup.matching.quality import motif_kept, motif_mass, stable_colours
from smixup.matching.triplet import TripletSampler
from smixup.progress import silent
from smixup.seeding import generator
from smixup.training import Splits, fit

Settings = Mapping[str, Any]
OTHERS = ("m-mixup", "g-mixup", "submix", "graph-transplant", "if-mixup", "fgw-mixup", "geomix")
SOFT = {"transport": "paper", "norm_from_originals": False}
BALANCED = {"transport": "balanced", "matcher.normalization": "sinkhorn(rounds=50)"}
ROWS: Mapping[str, Settings] = {name: {} for name in (*OTHERS, "ged-mixup", "s-mixup")} | {
    "s-mixup, label arrived": {"label": "arrived"},
    "s-mixup, soft consensus": {"matcher.normalization": "consensus"},
    "s-mixup, columns": SOFT | {"matcher.normalization": "columns"},
    "s-mixup, balanced": SOFT | BALANCED,
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
"""Settings that spread ratios evenly over the range of each method. At one half, a mix that is far
from both of its graphs would be as good as right.
"""
PARTS = {
    "where mixes lie, by edit distances": "pairs lam error detour exact",
    "what a judge says of their labels": "judged label null floor",
    "what a network sees": "degree degree_error density density_error features outside duplicates",
    "alignments": "row_sum_deviation motif_edges motif_mass",
    "Table 1": "instance_level preserves_motif mixes_features input_level size seconds",
}
DIGITS, ROUNDING = 4, 1e-4


@dataclass(frozen=True)
class Effort:
    """Mixes of every row, originals and their largest size, mixes whose edit distances are taken
    and the size of their graphs, epochs of the judge.
    """

    mixes: int = 200
    graphs: int = 200
    max_nodes: int = 150
    distances: int = 60
    small_nodes: int = 16
    judge_epochs: int = 100


def audit(
    dataset: str,
    titles: Sequence[str] = (),
    seed: int = 0,
    effort: Effort | None = None,
    options: Settings | None = None,
) -> dict[str, Row]:
    """Measure the rows of these titles, or all; `PARTS` names the numbers."""
    for title in titles:
        if title not in ROWS:
            raise unknown_name("row", title, ROWS)
    effort = effort or Effort()
    opened = open_dataset(dataset, seed, options=options)
    order = torch.randperm(len(opened.held_out), generator=generator(seed, "audited graphs"))
    order = order[opened.held_out.sizes[order] <= effort.max_nodes][: effort.graphs]
    judge = trained_judge(opened, effort.judge_epochs)
    auditor = Auditor(opened, opened.held_out[order].renumbered(), judge, effort)
    return {title: auditor.row(title) for title in titles or ROWS}


def trained_judge(opened: Opened, epochs: int) -> Classifier:
    """Train a GIN without augmentation, at the settings of a run on the dataset."""
    config = configure(opened.dataset, "gin", "vanilla", opened.seed)
    config = replace(config, epochs=min(config.epochs, epochs))
    judge = initial_model(opened.train, config)
    splits = Splits(opened.train, opened.validation, opened.test)
    fit(judge, splits, Augmentation(), config.train_settings(), silent)
    return judge.eval()


@dataclass
class Auditor:
    """What the rows share; matchers that learn alike are fitted once."""

    opened: Opened
    graphs: Graphs
    judge: Classifier
    effort: Effort
    fitted: dict[str, LearnedMatcher] = field(default_factory=dict)

    def row(self, title: str) -> Row:
        """Measure one method."""
        started, seed, few = time.perf_counter(), self.opened.seed, self.effort.distances
        method = title.split(",")[0]
        settings = {**RATIOS.get(method, {}), **ROWS[title]}
        make = partial(make_method, method, seed, settings, self.ready)
        mixes = make_mixes(make(), self.graphs, self.effort.mixes, self.judge, seed)
        pairs = mixes.only_pairs()
        row: Row = {"pairs": len(pairs)}
        row |= {"lam": float(pairs.parents.lam.mean())} if len(pairs) else {}
        small = self.graphs[(self.graphs.sizes <= self.effort.small_nodes).nonzero().squeeze(1)]
        if len(small) > 1:
            of_small = make_mixes(make(), small, 2 * few, self.judge, seed)
            row |= interpolation(of_small.only_pairs(few))
        row |= label_fidelity(pairs, self.judge) | drift(mixes) | novelty(mixes)
        row |= self._alignment(make()) | properties(make, mixes, self.judge)
        return row | {"seconds": time.perf_counter() - started}

    def ready(self, matcher: Matcher) -> Matcher:
        """Return a matcher fitted on the training split."""
        if not isinstance(matcher, LearnedMatcher):
            return matcher if matcher.fitted else matcher.fit(self.opened.train, silent)
        learnt = {k: str(v) for k, v in matcher.settings.items() if k not in AFTER_TRAINING}
        known = self.fitted.get(f"{type(matcher)} {learnt}")
        if known is None:
            known = self.fitted[f"{type(matcher)} {learnt}"] = matcher.fit(
                self.opened.train, silent
            )
        for name in ("network", "inputs", "num_classes"):
            setattr(matcher, name, getattr(known, name))
        return matcher

    def _alignment(self, method: Augmentation) -> Row:
        matcher = getattr(method, "matcher", None)
        if not isinstance(matcher, Matcher):
            return {}
        random = generator(self.opened.seed, "audited pairs")
        places = TripletSampler.of(self.graphs.labels).draw(self.effort.mixes, random)
        left, right = self.graphs[places[0]], self.graphs[places[1]]
        M = matcher(left, right)
        row: Row = {"row_sum_deviation": float(M.row_sums().std(correction=0))}
        if self.graphs.motif is not None:
            row["motif_edges"] = float(motif_kept(M, left, right).mean())
            row["motif_mass"] = motif_mass(M, left, right)
        return row


def interpolation(mixes: Mixes) -> Row:
    """Say how far mixes of two graphs are from where their ratios put them: the mean of `|epsilon -
    lam|`, and the way over the mix over the shortest way from G1 to G2.
    """
    if mixes.graphs is None or mixes.parents is None:
        return {}
    errors, exact, ways, straight, of = [], [], 0.0, 0.0, WeightedGraph.from_batch
    parents = torch.stack([mixes.parents.left, mixes.parents.right], 1).tolist()
    for place, (i, j) in enumerate(parents):
        left, right = of(mixes.originals[[i]]), of(mixes.originals[[j]])
        mix, lam = of(mixes.graphs[[place]]), float(mixes.parents.lam[place])
        # Most mixes stand on the nodes of G1: their order is worth a try.
        same = [range(len(mix))] if len(mix) == len(left) else []
        to_left = edit_distance(mix, left, METRIC, same)
        to_right = edit_distance(mix, right, METRIC)
        if to_left.upper + to_right.upper > 0:
            errors.append(abs(epsilon(to_left.upper, to_right.upper) - lam))
            exact.append(to_left.exact and to_right.exact)
            ways += to_left.upper + to_right.upper
            straight += edit_distance(left, right, METRIC).upper
    if not errors:
        return {}
    numbers = float(np.mean(errors)), ways / max(straight, 1e-12), float(np.mean(exact))
    return dict(zip(("error", "detour", "exact"), numbers, strict=True))


@torch.no_grad()
def label_fidelity(pairs: Mixes, judge: Classifier) -> Row:
    """Return mean total variations from `lam p(G1) + (1 - lam) p(G2)`, over pairs that the judge
    puts in different classes: of the mix; of G1 untouched (null); of mixed representations (floor).
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
    """Compare degrees, density and features with what ratios promise: the ratio of means and the
    mean relative error; features by their distance, in standard deviations of a node.
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
    made, before = (MeanReadout(graphs.ptr) @ graphs.floating().x for graphs in both)
    x = mixes.originals.floating().x
    scale, length = x.var(0, correction=0).sum().sqrt(), x.mean(0).norm().clamp(min=1e-12)
    scale = scale if scale > 1e-6 * length else length  # all nodes may look alike
    return row | {"features": float((made - promised(before)).norm(dim=1).mean() / scale)}


def novelty(mixes: Mixes) -> Row:
    """Return shares of nodes with features outside the originals' range, and of mixes that equal an
    original: 1-WL cannot tell them apart.
    """
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

    def edges(adj: Operator) -> SparseOperator:
        merged = adj.to_sparse().merged()
        merged = replace(merged, weight=merged.weight.round(decimals=DIGITS))
        return merged.mask_entries(merged.weight != 0)

    plain = graphs.without_attributes().floating()
    x = plain.x.round(decimals=DIGITS) + 0.0  # a negative zero becomes a zero
    return plain.map_edges(edges).replace(x=x)


def properties(make: Callable[[], Augmentation], mixes: Mixes, judge: Classifier) -> Row:
    """Measure what Table 1 asks: whether mixes are made of single graphs; the share of mixes of one
    class that a judge finds in that class; whether features appear that no node had; whether graphs
    are made; the largest difference between distributions of sizes (Kolmogorov-Smirnov).
    """
    graphs = mixes.originals.replace(graph_attrs={})
    row: Row = {"instance_level": mixes.parents is not None, "input_level": False, "size": 0.0}
    if mixes.graphs is None:
        new = mixes.h is not None and is_new(mixes.h, judge.embed(graphs))
        return row | {"mixes_features": new}
    x = torch.randn(graphs.x.shape, generator=generator(0, "properties"))
    featured = make_mixes(make(), graphs.replace(x=x, degree_encoding=None), len(mixes), judge)
    right: list[Tensor] = []
    for label in graphs.labels.unique():
        alone = graphs[(graphs.labels == label).nonzero().squeeze(1)].renumbered()
        made = make_mixes(make(), alone, len(alone), judge).graphs
        right += [] if made is None else [judge(made).argmax(1) == label]
    sizes = ks_2samp(graphs.sizes.numpy(), mixes.graphs.sizes.numpy())
    return row | {
        "preserves_motif": float(torch.cat(right).float().mean()) if right else math.nan,
        "mixes_features": featured.graphs is not None and is_new(featured.graphs.x, x),
        "input_level": True,
        "size": float(sizes.statistic),
    }


def is_new(rows: Tensor, before: Tensor) -> bool:
    """Return whether most of the rows are none of those before."""
    known, made = before.unique(dim=0), rows.unique(dim=0)
    _, counts = torch.cat([known, made]).unique(dim=0, return_counts=True)
    return int((counts > 1).sum()) * 2 < len(made)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the audit of a dataset."""
    parser = ArgumentParser(prog="python -m experiments.audit", description=__doc__)
    parser.add_argument("row", nargs="*", help=f"all, or any of: {'; '.join(ROWS)}")
    parser.add_argument("--data", default="MOTIF")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mixes", type=int, default=200, help="of every row")
    chosen = parser.parse_args(arguments)
    rows = audit(chosen.data, chosen.row, chosen.seed, Effort(mixes=chosen.mixes))
    for title, columns in PARTS.items():
        print(f"\n{chosen.data}: {title}\n{text_table(rows, columns.split())}")


if __name__ == "__main__":
    main()
