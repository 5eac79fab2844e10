"""Comparing from Python: real runs of one's own graphs, a page, a model, a matcher's quality."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from torch_geometric.data import Data

import smixup
from smixup.models import load_model


def circle_or_path(number: int, closed: bool) -> Data:
    forth = torch.arange(number - 1)
    edges = torch.stack([forth, forth + 1])
    if closed:
        edges = torch.cat([edges, torch.tensor([[number - 1], [0]])], 1)
    both = torch.cat([edges, edges.flip(0)], 1)
    return Data(x=torch.ones(number, 1), edge_index=both, y=torch.tensor([int(closed)]))


@pytest.mark.slow
def test_graphs_of_ones_own(tmp_path: Path) -> None:
    """From a list in memory to a verdict, a page and a model; the same call again without a run."""
    graphs = [circle_or_path(4 + place % 3, place % 2 == 0) for place in range(40)]
    asked: dict[str, Any] = {"seeds": 2, "num_folds": 4, "epochs": 2, "root": tmp_path}
    threads = torch.get_num_threads()
    page, model, seen = tmp_path / "compare.html", tmp_path / "model", set[int]()
    found = smixup.compare(
        graphs,
        ["drop-edge", "m-mixup"],
        out=page,
        model=model,
        watch=lambda pairs: seen.add(pairs.pairs(pairs.methods[0])),
        **asked,
    )
    assert torch.get_num_threads() == threads
    assert [found.pairs.pairs(arm) for arm in found.pairs.methods] == [2, 2]
    assert (found.recommended, found.pairs.facts.graphs, seen) == ("vanilla", 40, {0, 1, 2})
    again = smixup.compare(graphs, ["drop-edge", "m-mixup"], **asked)
    assert again.rows() == found.rows()
    folders = [
        path for path in (tmp_path / "compare").iterdir() if (path / "packed.json").is_file()
    ]
    assert len(folders) == 1
    assert str(folders[0]) in found.command
    cost = found.verdicts[0]
    assert cost is not None and not math.isnan(cost.ratio)
    html = page.read_text(encoding="utf-8")
    assert "The recommended model was trained" in html and "To train the recommended" not in html
    assert load_model(model).about["command"] == found.command.replace("model/", str(model))
