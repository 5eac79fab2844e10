"""What a method makes of graphs: mixes, with the graphs that they were made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import torch
from torch import Tensor

from smixup.analysis.parents import TAG, Parents, tagged
from smixup.augment import Augmentation
from smixup.classifiers import Classifier
from smixup.graphs import Graphs
from smixup.progress import silent
from smixup.seeding import generator

BATCH_SIZE = 64
IDLE_BATCHES = 16
"""After so many batches of which it made nothing, a method is taken to make no graphs."""


@dataclass(frozen=True)
class Mixes:
    """B mixes of G graphs.

    Attributes:
        originals: the graphs that they were made of, tagged.
        graphs: the mixes; None if the method mixes representations alone, or nothing.
        h: their representations `[B, H]`, where there are no graphs.
        parents: None where a method does not make its graphs of some of the originals.
    """

    originals: Graphs
    graphs: Graphs | None = None
    h: Tensor | None = None
    parents: Parents | None = None

    def __len__(self) -> int:
        found = self.h if self.graphs is None else self.graphs
        return 0 if found is None else len(found)

    def only_pairs(self, most: int | None = None) -> Mixes:
        """Return the mixes of two graphs, at most so many."""
        if self.parents is None:
            return Mixes(self.originals)
        index = self.parents.pairs[:most]
        return Mixes(
            self.originals,
            None if self.graphs is None else self.graphs[index],
            None if self.h is None else self.h[index],
            self.parents[index],
        )


@torch.no_grad()
def make_mixes(
    method: Augmentation, graphs: Graphs, number: int, judge: Classifier, seed: int = 0
) -> Mixes:
    """Let a method work on graphs as on a training split, and return what it has made.

    Args:
        method: fresh; it is fitted on the graphs, save a matcher that is fitted already.
        graphs: G originals.
        number: of mixes; fewer come from a method that makes fewer.
        judge: a classifier, for methods that ask one, and for those that mix representations; in
            evaluation mode afterwards.
        seed: of the order of the graphs.
    """
    originals = tagged(graphs)
    longer = method.fit_extend(originals, silent)
    method.bind(judge.eval())
    if len(longer) > len(originals):
        parts = [longer[len(originals) :]]
    else:
        parts = list(_of_batches(method, originals, number, seed))
    if not parts:
        return _of_representations(method, originals, number, judge, seed)
    made = Graphs.cat([_plain(each) for each in parts])[:number]
    return Mixes(originals, made, parents=Parents.of(made))


def made_of(method: Augmentation, batch: Graphs) -> Graphs | None:
    """Return what a method makes of a batch, without the originals if these stand before it; None
    if it makes nothing.
    """
    found = method.on_batch(batch)
    if found is batch:
        return None
    first = found[: len(batch)]
    kept = len(found) > len(batch) and first.fingerprint() == batch.fingerprint()
    return found[len(batch) :] if kept else found


def _of_batches(
    method: Augmentation, originals: Graphs, number: int, seed: int
) -> Iterator[Graphs]:
    made = idle = 0
    for batch in _batches(originals, seed):
        found = made_of(method, batch)
        if found is None:
            idle += 1
        else:
            made, idle = made + len(found), 0
            yield found
        if made >= number or idle == IDLE_BATCHES:
            return


def _of_representations(
    method: Augmentation, originals: Graphs, number: int, judge: Classifier, seed: int
) -> Mixes:
    """Mix what the judge sees after the readout; tags take the place of targets."""
    rounds = -(-number // len(originals)) * -(-len(originals) // BATCH_SIZE)
    found: list[tuple[Tensor, Tensor, Tensor]] = []
    for batch in islice(_batches(originals, seed), rounds):
        before = judge.embed(batch)
        h, tags = method.on_embedding(before, batch.graph_attrs[TAG])
        if h is not before:
            found.append((h, tags, batch.ids))
    if not found:
        return Mixes(originals)
    h, tags, left = (torch.cat(each)[:number] for each in zip(*found, strict=True))
    return Mixes(originals, h=h, parents=Parents(tags, left))


def _batches(originals: Graphs, seed: int) -> Iterator[Graphs]:
    """Go through the originals again and again, in random order."""
    random = generator(seed, "audit")
    while True:
        yield from originals.batches(BATCH_SIZE, random)


def _plain(graphs: Graphs) -> Graphs:
    """Return graphs with sparse edges, each in one piece, and no attributes but tags."""
    tags = {name: value for name, value in graphs.graph_attrs.items() if name == TAG}
    plain = graphs.without_attributes().replace(graph_attrs=tags)
    return plain.map_edges(lambda edges: edges.to_sparse().merged()).floating()
