"""Evaluation sees every graph once, whatever the batches, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from weakref import ref

import pytest
import torch
import torch.nn.functional as F

from smixup.classifiers import GIN
from smixup.graphs import Graphs, pack
from smixup.memory import set_budget
from smixup.tasks import Classes
from smixup.training import evaluation
from smixup.training.evaluation import evaluate, evaluation_batches, predict
from smixup.training.metrics import metric_named


def test_many_batches_equal_one(
    make_graphs: Callable[..., Graphs], monkeypatch: pytest.MonkeyPatch
) -> None:
    graphs = make_graphs([3, 5, 1, 7, 4, 6, 2])
    model = GIN(3, 2, hidden_channels=8, num_layers=2)
    model.nodes(graphs[range(7)])
    model.eval()
    logits = model(graphs[range(7)]).detach()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    monkeypatch.setattr(evaluation, "NODES_PER_BATCH", 9)
    batches = evaluation_batches(graphs)
    assert len(batches) > 2
    found = evaluate(model.train(), batches, metric_named("accuracy"), Classes.numbered(2))
    assert found.loss == pytest.approx(float(F.cross_entropy(logits, graphs.y)), abs=1e-6)
    assert found.score == pytest.approx(
        float((logits.argmax(1) == graphs.labels).float().mean()), abs=1e-6
    )
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


def test_graphs_on_disk_are_read_batch_by_batch(
    make_graphs: Callable[..., Graphs], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "NODES_PER_BATCH", 9)
    graphs = make_graphs([3, 5, 1, 7, 4, 6, 2])
    model = GIN(3, 2, hidden_channels=8, num_layers=2)
    batches = evaluation_batches(pack(graphs, tmp_path / "set"))
    first, again = list(batches), list(batches)
    assert [len(batch) for batch in first] == [len(batch) for batch in again] == [2, 2, 2, 1]
    expected = evaluate(
        model, evaluation_batches(graphs), metric_named("accuracy"), Classes.numbered(2)
    )
    assert evaluate(model, batches, metric_named("accuracy"), Classes.numbered(2)) == expected
    living = 0

    def counted(batch: Graphs) -> torch.Tensor:
        nonlocal living
        living = max(living, sum(each() is not None for each in held))
        held.append(ref(batch))
        return model(batch)

    held: list[ref[Graphs]] = []
    counted.eval = lambda: None  # type: ignore[attr-defined]
    predict(counted, batches)  # type: ignore[arg-type]
    assert len(held) == 4
    assert living <= 1, "one batch at a time is in memory"


def test_batches_that_take_much_memory_are_made_one_at_a_time(
    make_graphs: Callable[..., Graphs],
) -> None:
    graphs = make_graphs([3, 5, 1, 7, 4])
    set_budget(4 * graphs.num_nodes * graphs.num_features)
    try:
        batches = evaluation_batches(graphs)
    finally:
        set_budget(None)
    assert not isinstance(batches, list)
    first, again = (torch.cat([batch.y for batch in batches]) for _ in range(2))
    assert torch.equal(first, graphs.y) and torch.equal(again, graphs.y)
