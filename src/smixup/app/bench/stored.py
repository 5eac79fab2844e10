"""What stored alignments take: one-to-one matches beside the paper's columns, from the same
scores.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from smixup.app.bench.settings import Settings
from smixup.app.bench.timing import Comparison
from smixup.augment import SMixup
from smixup.augment.alignments import Alignments
from smixup.augment.transport import Paper, Partial, Transport
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher
from smixup.matching.consensus import OneToOne
from smixup.matching.normalization import Columns, Normalization
from smixup.progress import silent

MEGABYTE = 1e6
PAIRS = 200
MAX_NODES = 400
FIT_STEPS = 40


def compare_stored(settings: Settings) -> Iterator[Comparison]:
    """Compare how many G2' fit into a megabyte as `SMixup` stores them: whole, and their edges
    alone.

    Every graph of a sample is paired with one other. The matcher is fitted shortly, because the
    sharper its scores, the fewer weights of columns exceed the threshold.
    """
    for dataset in settings.loaded():
        number = settings.size or PAIRS
        graphs = sample(dataset.graphs, number)
        if int(dataset.graphs.sizes.max()) > MAX_NODES:
            settings.note(f"{dataset.name}: graphs of more than {MAX_NODES} nodes are left out.")
        matcher = GraphMatcher(max_steps=FIT_STEPS).fit(graphs, silent)
        ours = stored_bytes(graphs, matcher, OneToOne(), Partial())
        reference = stored_bytes(graphs, matcher, Columns(), Paper())
        for what, one, other in zip(("G2'", "edges of G2'"), ours, reference, strict=True):
            case = f"{what}, one-to-one : columns"
            rates = MEGABYTE / one, MEGABYTE / other
            yield Comparison("stored", dataset.name, case, "pairs/MB", *rates)


def sample(graphs: Graphs, number: int) -> Graphs:
    """Return so many graphs, drawn among those that a dense matcher has room for."""
    fitting = (graphs.sizes <= MAX_NODES).nonzero().squeeze(1)
    order = torch.randperm(fitting.numel(), generator=torch.Generator().manual_seed(0))
    return graphs[fitting[order[:number]]].renumbered()


def stored_bytes(
    graphs: Graphs, matcher: GraphMatcher, normalization: Normalization, transport: Transport
) -> tuple[float, float]:
    """Return the bytes of G2' of one pair on average, and those of its edges; one partner per
    graph, and the same at every call.
    """
    matcher.normalization = normalization
    mix = SMixup(matcher, transport=transport, partners=1, seed=0).fit(graphs, silent)
    alignments = mix.alignments
    assert isinstance(alignments, Alignments)
    x, number = alignments.stored.graphs.x, len(alignments.stored)
    features = x.numel() * x.element_size()
    return alignments.num_bytes / number, (alignments.num_bytes - features) / number
