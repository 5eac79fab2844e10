"""What people write by mistake is answered by one sentence, where they wrote it."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch_geometric.data import Batch, Data

from smixup import (
    RRWM,
    AlignedCut,
    DropEdge,
    DropNode,
    GMixup,
    GraphMatcher,
    GraphTransplant,
    IfMixup,
    LabelSmoothing,
    MMixup,
    SiameseMatcher,
    SMixup,
    SmixupError,
    Subgraph,
    SubMix,
    Uniform,
)
from smixup.errors import UsageError

NO_MATCHER = "matcher must be an object such as GraphMatcher(), not "


@pytest.mark.parametrize(
    ("mistake", "answer"),
    [
        (lambda: SMixup(alpha=math.inf), "alpha must be a finite number, 0 or more, not inf."),
        (lambda: SMixup(alpha=math.nan), "alpha must be a finite number, 0 or more, not nan."),
        (lambda: SMixup(alpha="0.2"), "alpha must be a finite number, 0 or more, not '0.2'."),
        (
            lambda: SMixup(partners=2.5),
            "partners must be a whole number, 1 or more or None, not 2.5.",
        ),
        (
            lambda: SMixup(partners=True),
            "partners must be a whole number, 1 or more or None, not True.",
        ),
        (
            lambda: SMixup(amount="all"),
            "amount must be a finite number, 0 or more or None, not 'all'.",
        ),
        (lambda: SMixup(0.2), f"{NO_MATCHER}0.2."),
        (lambda: SMixup("graph-matcher"), f"{NO_MATCHER}'graph-matcher'."),
        (lambda: SMixup(None), f"{NO_MATCHER}None."),
        (lambda: SMixup(GraphMatcher), f"{NO_MATCHER}the class GraphMatcher."),
        (lambda: AlignedCut(GraphMatcher), f"{NO_MATCHER}the class GraphMatcher."),
        (lambda: GraphMatcher(temperature=-1), "temperature must be above 0, not -1."),
        (lambda: GraphMatcher(temperature=0), "temperature must be above 0, not 0."),
        (lambda: GraphMatcher(top_k=0), "top_k must be 1 or more or None, not 0."),
        (lambda: GraphMatcher(max_steps=0), "max_steps must be 1 or more, not 0."),
        (lambda: GraphMatcher(epochs=0), "epochs must be 1 or more or None, not 0."),
        (lambda: GraphMatcher(hidden_channels=0), "hidden_channels must be 1 or more, not 0."),
        (
            lambda: GraphMatcher(num_layers=2.5),
            "num_layers must be a whole number, 1 or more, not 2.5.",
        ),
        (lambda: GraphMatcher(learning_rate=-1), "learning_rate must be above 0, not -1."),
        (lambda: GraphMatcher(batch_size=0), "batch_size must be 1 or more, not 0."),
        (lambda: GraphMatcher(evaluate_every=0), "evaluate_every must be 1 or more, not 0."),
        (lambda: GraphMatcher(patience=0), "patience must be 1 or more, not 0."),
        (lambda: GraphMatcher(random_walk=-1), "random_walk must be 0 or more, not -1."),
        (lambda: GraphMatcher(max_drop=2), "max_drop must be between 0 and 1, not 2."),
        (lambda: GraphMatcher(scale=0), "scale must be above 0, not 0."),
        (lambda: GraphMatcher(seed="0"), "seed must be a whole number, 0 or more, not '0'."),
        (
            lambda: SiameseMatcher(perplexity=0.5, normalization="columns"),
            "perplexity must be 1 or more or None, not 0.5.",
        ),
        (lambda: SiameseMatcher(max_steps=0), "max_steps must be 1 or more, not 0."),
        (lambda: MMixup(alpha="0.2"), "alpha must be a finite number, 0 or more, not '0.2'."),
        (lambda: MMixup(alpha=math.inf), "alpha must be a finite number, 0 or more, not inf."),
        (lambda: IfMixup(a=math.inf), "a must be a finite number above 0, not inf."),
        (lambda: GraphTransplant(hops=1.5), "hops must be a whole number, 1 or more, not 1.5."),
        (lambda: DropEdge(p="0.1"), "p must be a finite number between 0 and 1, not '0.1'."),
        (lambda: DropNode(p=None), "p must be a finite number at least 0 and below 1, not None."),
        (lambda: Subgraph(keep=0), "keep must be above 0 and at most 1, not 0."),
        (lambda: SubMix(steps=0), "steps must be 1 or more, not 0."),
        (lambda: GMixup(positions=0), "positions must be 1 or more or None, not 0."),
        (lambda: LabelSmoothing(epsilon=2), "epsilon must be between 0 and 1, not 2."),
    ],
)
def test_wrong_values_of_fields(mistake: Callable[[], object], answer: str) -> None:
    with pytest.raises(UsageError) as raised:
        mistake()
    assert str(raised.value) == answer


@pytest.mark.parametrize("matcher", [GraphMatcher(), RRWM(), Uniform()])
def test_a_matcher_called_with_a_batch_of_pyg(matcher: GraphMatcher | RRWM | Uniform) -> None:
    edge = torch.tensor([[0, 1], [1, 0]])
    batch = Batch.from_data_list([Data(x=torch.ones(2, 1), edge_index=edge)])
    with pytest.raises(SmixupError, match=r"use matcher\.match\(data1, data2\)"):
        matcher(batch, batch)
