"""Comparing from Python: graphs of one's own, a budget in words."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from torch_geometric.data import Data

import smixup
from smixup.app.studies import compare as module
from smixup.app.studies.compare_settings import CompareSettings
from smixup.errors import SmixupError


@pytest.mark.slow
def circle_or_path(number: int, closed: bool) -> Data:
    forth = torch.arange(number - 1)
    edges = torch.stack([forth, forth + 1])
    if closed:
        edges = torch.cat([edges, torch.tensor([[number - 1], [0]])], 1)
    both = torch.cat([edges, edges.flip(0)], 1)
    return Data(x=torch.ones(number, 1), edge_index=both, y=torch.tensor([int(closed)]))


def test_graphs_of_ones_own(tmp_path: Path) -> None:
    """From a list in memory to a verdict, and the same call again without a run."""
    graphs = [circle_or_path(4 + place % 3, place % 2 == 0) for place in range(40)]
    asked: dict[str, Any] = {"seeds": 2, "num_folds": 4, "epochs": 2, "root": tmp_path}
    threads = torch.get_num_threads()
    found = smixup.compare(graphs, ["drop-edge", "m-mixup"], **asked)
    assert torch.get_num_threads() == threads
    assert [found.pairs.pairs(arm) for arm in found.pairs.methods] == [2, 2]
    assert found.recommended == "vanilla"
    assert found.pairs.facts.graphs == 40
    again = smixup.compare(graphs, ["drop-edge", "m-mixup"], **asked)
    assert again.rows() == found.rows()
    finished = tmp_path / "compare"
    folders = [each for each in finished.iterdir() if (each / "packed.json").is_file()]
    assert len(folders) == 1
    assert str(folders[0]) in found.command
    cost = found.verdicts[0].cost
    assert cost is not None and not math.isnan(cost.ratio)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError("No module named 'filelock'", name="filelock")

    monkeypatch.setattr(smixup, "import_module", missing)
    with pytest.raises(SmixupError, match=r"smixup.compare needs filelock.*smixup\[lab\]"):
        smixup.compare  # noqa: B018


def test_a_budget_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[CompareSettings] = []
    monkeypatch.setattr(module, "compare_dataset", lambda settings, *others: asked.append(settings))
    smixup.compare("MOTIF", budget="2m", root=tmp_path)
    smixup.compare("MOTIF", budget=30, root=tmp_path)
    assert [each.budget for each in asked] == [120, 30]
