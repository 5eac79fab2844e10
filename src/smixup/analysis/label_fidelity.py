"""Does a mix look like its label? What a judge, trained without mixing, says of it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.analysis.mixes import Mixes
from smixup.classifiers import Classifier
from smixup.graphs import Graphs
from smixup.training.evaluation import evaluation_batches


@dataclass(frozen=True)
class LabelFidelity:
    """Mean total variation between a prediction and `lam p(G1) + (1 - lam) p(G2)`, over mixes of
    graphs that the judge puts in different classes.

    Attributes:
        mix: of what the judge says of the mix.
        null: of what it says of G1 untouched: mixing the label alone.
        floor: of what it says of `lam h1 + (1 - lam) h2`, its representations of the two graphs
            mixed after the readout, as M-Mixup does.
        pairs: how many mixes.
    """

    mix: float
    null: float
    floor: float
    pairs: int


@torch.no_grad()
def label_fidelity(mixes: Mixes, judge: Classifier) -> LabelFidelity | None:
    """Measure all mixes of two graphs; None if the judge finds no two of different classes.

    The judge is in evaluation mode afterwards.
    """
    mixes = mixes.only_pairs()
    if mixes.parents is None or len(mixes) == 0:
        return None
    judge.eval()
    h = _embedded(judge, mixes.originals)
    p = judge.head(h).softmax(1)
    left, right = mixes.parents.left, mixes.parents.right
    apart = (p[left].argmax(1) != p[right].argmax(1)).nonzero().squeeze(1)
    if apart.numel() == 0:
        return None
    parents = mixes.parents[apart]
    promised = parents.expected(p)
    of_mix = mixes.h if mixes.graphs is None else _embedded(judge, mixes.graphs)
    assert of_mix is not None
    said = (of_mix[apart], h[left[apart]], parents.expected(h))
    mix, null, floor = (
        float(total_variation(judge.head(each).softmax(1), promised).mean()) for each in said
    )
    return LabelFidelity(mix, null, floor, len(apart))


def total_variation(p: Tensor, q: Tensor) -> Tensor:
    """Return half of `sum_c |p_c - q_c|`, `[B]`."""
    return (p - q).abs().sum(1) / 2


def _embedded(judge: Classifier, graphs: Graphs) -> Tensor:
    return torch.cat([judge.embed(batch) for batch in evaluation_batches(graphs)])
