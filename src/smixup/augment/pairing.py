"""Who is mixed with whom: `SMixup(pairing="same-class")`, or `SimilarPartner(candidates=16)`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, ClassVar

import torch
from torch import Tensor

from smixup.graphs import Graphs, PackedGraphs
from smixup.seeding import rand
from smixup.settings import Choice, Choices, Range

AnySet = Graphs | PackedGraphs


def draw_any(number: int, pool: int, generator: torch.Generator) -> Tensor:
    """Draw partners for `number` graphs from a pool, none twice before all were drawn (App. B)."""
    rounds = -(-number // pool)
    return torch.cat([torch.randperm(pool, generator=generator) for _ in range(rounds)])[:number]


def draw_alike(labels: Tensor, pool: Tensor, generator: torch.Generator) -> Tensor:
    """Draw for each graph, whose class is in `labels [B]`, one of the same class in `pool [G]`."""
    order = pool.argsort(stable=True)
    first = torch.searchsorted(pool[order], labels)
    count = torch.searchsorted(pool[order], labels, right=True) - first
    u = rand(labels.numel(), generator=generator, like=labels, dtype=torch.double)
    return order[first + (u * count).long()]


@dataclass(frozen=True)
class Pairing(Choice, ABC):
    """A way to find a partner for every graph."""

    needs_classes: ClassVar[str] = ""
    """What it does with classes, if it cannot do without them."""

    @property
    def tries(self) -> int:
        """How many partners are aligned for each that is kept, where alignments are stored."""
        return 1

    @abstractmethod
    def draw(self, left: AnySet, pool: AnySet, generator: torch.Generator) -> Tensor:
        """Return a graph of `pool` for every graph of `left`, by its place there, `[B]`."""


@dataclass(frozen=True)
class AnyPartner(Pairing):
    """Any graph, none twice before all were drawn (App. B)."""

    name: ClassVar[str] = "any"

    def draw(self, left: AnySet, pool: AnySet, generator: torch.Generator) -> Tensor:
        return draw_any(len(left), len(pool), generator)


@dataclass(frozen=True)
class SameClass(Pairing):
    """A graph of the same class (Table 4, "w/o different classes"): labels are never mixed."""

    name: ClassVar[str] = "same-class"
    needs_classes: ClassVar[str] = "with pairing=same-class mixes graphs of one class"

    def draw(self, left: AnySet, pool: AnySet, generator: torch.Generator) -> Tensor:
        return draw_alike(left.labels.cpu(), pool.labels.cpu(), generator)


@dataclass(frozen=True)
class SimilarPartner(Pairing):
    """A graph of similar size; where alignments are stored, of several candidates those that align
    at the least cost.

    The error of a mix grows with `(A1 - A2')(X1 - X2')`: what cannot be aligned is better not
    mixed. Where no graph of the pool is of similar size, the nearest in size is taken.

    Attributes:
        candidates: number of partners that are aligned for each one that is kept.
        ratio: the larger graph has at most so many times the nodes of the smaller.
    """

    candidates: Annotated[int, Range(1, limit=10_000)] = 8
    ratio: Annotated[float, Range(1, limit=1e9)] = 1.25

    name: ClassVar[str] = "similar"

    @property
    def tries(self) -> int:
        return self.candidates

    def draw(self, left: AnySet, pool: AnySet, generator: torch.Generator) -> Tensor:
        sizes, wanted = pool.sizes.double().cpu(), left.sizes.double().cpu()
        order = sizes.argsort(stable=True)
        ordered = sizes[order]
        first = torch.searchsorted(ordered, wanted / self.ratio - 1e-9)
        end = torch.searchsorted(ordered, wanted * self.ratio + 1e-9)
        above = first.clamp(1, len(pool) - 1) if len(pool) > 1 else torch.zeros_like(first)
        below = (above - 1).clamp(min=0)
        nearer = wanted - ordered[below] <= ordered[above] - wanted
        nearest, empty = torch.where(nearer, below, above), first >= end
        first, end = torch.where(empty, nearest, first), torch.where(empty, nearest + 1, end)
        u = rand(len(left), generator=generator, like=first, dtype=torch.double)
        return order[first + (u * (end - first)).long()]


PAIRINGS: Choices[Pairing] = Choices("pairing", AnyPartner, SameClass, SimilarPartner)
