"""Alignments kept on disk by pair, for training sets that are on disk themselves: the memory that
they take does not grow with the number of graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from smixup.augment.alignments import (
    PAIRS_AT_ONCE,
    Align,
    Aligned,
    Drawn,
    Partners,
    aligned_cost,
    compact,
    require_numbered,
    typical_weight,
)
from smixup.files import TemporaryFolder
from smixup.graphs import Graphs, PackedGraphs, PackedWriter, open_packed
from smixup.matching import Matcher
from smixup.progress import Progress, Report, silent

DISTORTION, ARRIVED, PARTNER = "distortion", "arrived", "partner"
OWN = (DISTORTION, ARRIVED, PARTNER)

Draw = Callable[[], Tensor]
"""Returns a partner for every training graph, `[G]`."""


@dataclass(frozen=True, eq=False)
class PackedAlignments(Partners):
    """K partners of every training graph, carried onto it and written to disk.

    Attributes:
        stored: G2' of all pairs; pair `k * G + g` is graph g with its k-th partner.
        train: the training graphs, G of them, on disk.
        folder: holds the files, and is removed when nobody asks for them any more.
    """

    stored: PackedGraphs
    train: PackedGraphs
    folder: TemporaryFolder | None

    def attributes(self, kind: str) -> Collection[str]:
        names: Collection[str] = self.stored.columns.manifest[kind]
        return names

    def draw(self, ids: Tensor, generator: torch.Generator) -> Drawn:
        """Read one of K partners for every graph in `ids [B]`."""
        found = self.stored[self.choose(ids.cpu(), generator)].floating()
        own = [found.graph_attrs[_hidden(name)] for name in OWN]
        others = {
            name: value
            for name, value in found.graph_attrs.items()
            if name not in map(_hidden, OWN)
        }
        distortion, arrived, partner = own
        aligned = Aligned(found.replace(graph_attrs=others), distortion, arrived)
        return Drawn(aligned, self.train, partner)

    def to(self, device: torch.device | str) -> PackedAlignments:
        """Return them so that what is drawn goes to `device`."""
        return replace(self, stored=self.stored.to(device))

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"folder": None}  # it stays with the process that made it


def _hidden(name: str) -> str:
    """Return the name under which a number of a pair stands beside attributes of users."""
    return f"{name} of a pair"


def align_packed(
    graphs: PackedGraphs,
    matcher: Matcher,
    draw: Draw,
    partners: int,
    tries: int,
    carry: Align,
    threshold: float,
    report: Report = silent,
) -> PackedAlignments:
    """Match every graph with its partners, a few hundred pairs at a time, and write the transformed
    graphs to a temporary folder.

    Args:
        graphs: the training split, G graphs.
        matcher: fitted.
        draw: draws partners.
        partners: K, to keep of each graph.
        tries: partners that are aligned for each that is kept, the one at the least cost.
        carry: makes G2' from an assignment.
        threshold: weights of A2' below this share of a typical weight are left out.
        report: told after every few hundred pairs.
    """
    total = partners * len(graphs)
    report(Progress("aligning", 0, total, unit="pairs"))
    require_numbered(graphs)
    folder = TemporaryFolder("smixup-alignments-")
    path, done = folder.path / "pairs", 0
    small = threshold * typical_weight(graphs)
    with PackedWriter(path, indicators_in_bytes=True) as writer:
        for kept, partner in _rounds(graphs, matcher, draw, partners, tries, carry):
            moved = compact(kept.graphs, small, graphs.symmetric)
            writer.add(_with_numbers(moved, kept, partner))
            done += len(kept)
            report(Progress("aligning", done, total, unit="pairs"))
    return PackedAlignments(open_packed(path), graphs, folder)


def _with_numbers(moved: Graphs, kept: Aligned, partner: Tensor) -> Graphs:
    """Return G2' as it is written, with what is known of each pair."""
    numbers = dict(zip(OWN, (kept.distortion, kept.arrived, partner), strict=True))
    numbers = {_hidden(name): value.cpu() for name, value in numbers.items()}
    return moved.replace(graph_attrs={**moved.graph_attrs, **numbers}, degree_encoding=None)


def _rounds(
    graphs: PackedGraphs, matcher: Matcher, draw: Draw, partners: int, tries: int, carry: Align
) -> Iterator[tuple[Aligned, Tensor]]:
    """Yield pairs in order, a few hundred at a time, and the partners in them."""
    every = torch.arange(len(graphs))
    for _ in range(partners):
        candidates = torch.stack([draw().cpu() for _ in range(tries)])
        for place in every.split(PAIRS_AT_ONCE):
            yield _cheapest(graphs, matcher, place, candidates[:, place], carry)


def _cheapest(
    graphs: PackedGraphs, matcher: Matcher, place: Tensor, candidates: Tensor, carry: Align
) -> tuple[Aligned, Tensor]:
    """Return the graphs at `place [b]`, each with the one of its candidates `[R, b]` that aligns at
    the least cost.
    """
    if len(candidates) == 1:
        return _aligned(graphs, matcher, place, candidates[0], carry), candidates[0]
    left = graphs[place]
    found = [_aligned(graphs, matcher, place, each, carry) for each in candidates]
    costs = torch.stack([aligned_cost(left, each.graphs).cpu() for each in found])
    best = costs.argmin(0)
    pairs = best * place.numel() + torch.arange(place.numel())
    return Aligned.cat(found)[pairs], candidates.flatten()[pairs]


def _aligned(graphs: PackedGraphs, matcher: Matcher, i: Tensor, j: Tensor, carry: Align) -> Aligned:
    """Match pairs and carry the second graphs onto the first."""
    both = graphs[torch.cat([i, j])]
    first, second = torch.arange(2 * i.numel(), device=both.device).split(i.numel())
    M = matcher.assign(matcher.prepare(both), first, second)
    return carry(M, both[first], both[second])
