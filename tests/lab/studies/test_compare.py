"""The verdict of a comparison: words, table, recommendation and the next command."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from lab.studies.pretended_runs import DATA, Pretended
from torch_geometric.data import Data

import smixup
from smixup.errors import SmixupError
from smixup.lab.runs.words import finite
from smixup.lab.studies import compare as module
from smixup.lab.studies.compare import compare_dataset
from smixup.lab.studies.compare_settings import CompareSettings
from smixup.lab.studies.comparison import HEADER, Comparison
from smixup.lab.sweeps.in_process import InProcess

EQUAL = {"vanilla": 0.5, "s-mixup": 0.5, "drop-edge": 0.5, "random-order": 0.5}


def compared(
    tmp_path: Path, *methods: str, right: dict[str, float], seeds: int = 30, **others: Any
) -> Comparison:
    settings = CompareSettings("MOTIF", methods, dataset_options=DATA, seeds=seeds)
    engine = InProcess(Pretended(EQUAL | right, **others))
    return compare_dataset(settings, tmp_path / "runs.db", engine=engine)


def test_what_helps_is_recommended(tmp_path: Path) -> None:
    found = compared(tmp_path, "s-mixup", "drop-edge", right={"s-mixup": 0.95}, seeds=10)
    assert found.recommended == "s-mixup"
    assert found.headline == "Train with s-mixup: it helps on MOTIF."
    helps, cannot, *losses = found.sentences()
    assert helps.startswith("s-mixup helps: accuracy +") and helps.endswith("after 10 paired runs.")
    assert cannot.startswith("cannot tell yet whether drop-edge helps: accuracy ")
    assert all("log loss" in each for each in losses) and len(losses) == 2
    assert "--method s-mixup" in found.command and found.command.endswith(" --out model/")


def test_of_two_that_help_the_one_that_gains_more(tmp_path: Path) -> None:
    right = {"s-mixup": 0.8, "drop-edge": 0.97}
    found = compared(tmp_path, "s-mixup", "drop-edge", right=right)
    assert all(each.helps for each in found.verdicts)
    assert found.recommended == "drop-edge"


def test_what_hurts_or_makes_no_difference_is_not_recommended(tmp_path: Path) -> None:
    found = compared(tmp_path, "s-mixup", right={"s-mixup": 0.1})
    assert found.recommended == "vanilla"
    assert found.headline == "Train without augmentation: none that was tried helps on MOTIF."
    assert found.sentences()[0].startswith("s-mixup hurts: accuracy -")
    assert "--method vanilla" in found.command


def test_too_few_runs_recommend_nothing_for_now(tmp_path: Path) -> None:
    found = compared(tmp_path, "s-mixup", right={}, seeds=2)
    assert found.headline.startswith("Train without augmentation for now")
    assert found.sentences()[0].endswith("after 2 paired runs; needs about 8 more paired runs.")
    assert found.recommended == "vanilla"


def test_no_difference_is_told_with_its_size(tmp_path: Path) -> None:
    settings = CompareSettings(
        "MOTIF", ("s-mixup",), dataset_options=DATA, seeds=30, margin=0.4, loss_margin=5.0
    )
    engine = InProcess(Pretended(EQUAL))
    found = compare_dataset(settings, tmp_path / "runs.db", engine=engine)
    score, loss = found.sentences()
    assert score.startswith("s-mixup makes no difference larger than 40 points: accuracy ")
    assert loss.startswith("s-mixup makes no difference larger than 5: log loss ")
    assert "within 40 points" in str(found)


def test_the_table_has_a_row_per_method_and_outcome(tmp_path: Path) -> None:
    found = compared(tmp_path, "s-mixup", "drop-edge", right={}, seeds=3)
    rows = found.rows()
    assert {len(row) for row in rows} == {len(HEADER)}
    assert [row[:2] for row in rows] == [
        *(("vanilla", "accuracy"), ("", "log loss")),
        *(("s-mixup", "accuracy"), ("", "log loss")),
        *(("drop-edge", "accuracy"), ("", "log loss")),
    ]
    text = str(found)
    assert all(row[2] in text for row in rows)
    assert "3 paired runs, all paired runs that were asked for are done." in text


def test_means_are_of_the_same_runs(tmp_path: Path) -> None:
    found = compared(tmp_path, "s-mixup", right={}, seeds=3)
    vanilla, method = float(found.rows()[0][2]), float(found.rows()[2][2])
    assert method - vanilla == pytest.approx(float(found.rows()[2][3]), abs=0.11)


def test_the_cost_is_told_beside_vanilla(tmp_path: Path) -> None:
    found = compared(
        tmp_path, "s-mixup", right={}, seeds=3, seconds={"vanilla": 2.0, "s-mixup": 5.0}
    )
    cost = found.verdicts[0].cost
    assert cost is not None
    assert (cost.ratio, cost.preparation, str(cost)) == (2.5, 0.0, "2.5x + 0 s")


def test_a_method_that_failed_is_told(tmp_path: Path) -> None:
    found = compared(
        tmp_path, "s-mixup", "drop-edge", right={}, seeds=2, errors={"drop-edge": "no edges."}
    )
    assert "drop-edge could not be run: no edges." in found.sentences()
    assert found.rows()[-1][5] == "failed"
    assert "cannot tell whether s-mixup helps" in found.headline


def test_it_can_be_written_as_json(tmp_path: Path) -> None:
    found = compared(tmp_path, "s-mixup", right={}, seeds=2)
    told = json.loads(json.dumps(finite(found.to_dict())))
    assert told["recommended"] == "vanilla"
    score = told["methods"]["s-mixup"]["score"]
    assert (score["verdict"], score["more_runs_needed"], score["low"]) == (
        "cannot tell yet",
        8,
        None,
    )
    assert len(score["differences"]) == 2


def circle_or_path(number: int, closed: bool) -> Data:
    forth = torch.arange(number - 1)
    edges = torch.stack([forth, forth + 1])
    if closed:
        edges = torch.cat([edges, torch.tensor([[number - 1], [0]])], 1)
    both = torch.cat([edges, edges.flip(0)], 1)
    return Data(x=torch.ones(number, 1), edge_index=both, y=torch.tensor([int(closed)]))


@pytest.mark.slow
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
