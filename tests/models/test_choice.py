"""The choice among models: nobody is judged on graphs it saw, and a blend is what it says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from smixup import load_dataset, load_model
from smixup.datasets.splits import fold_split
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.models.choice import FOLDS, Choice, Trial, Tried, choose_model, greedy_blend
from smixup.progress import Progress, silent
from smixup.seeding import derive
from smixup.tasks import Classes, Labels, Task, Values
from smixup.training.metrics import metric_named

QUICK = {"forest": ("forest", "vanilla"), "wl-svm": ("wl-svm", "vanilla")}
ACCURACY = metric_named("accuracy")


@pytest.fixture(scope="module", autouse=True)
def small_forests() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("smixup.classical.forest.TREES", 20)
        yield


@pytest.fixture(scope="module")
def motif() -> Graphs:
    return load_dataset("MOTIF", num_graphs=160).graphs


@pytest.fixture(scope="module")
def choice(motif: Graphs) -> Choice:
    return choose_model(motif[:60], Classes.numbered(3), ACCURACY, candidates=QUICK)


def test_every_graph_is_judged_by_a_model_that_did_not_see_it(motif: Graphs) -> None:
    graphs = motif[:60]
    trial = Trial(graphs, Classes.numbered(3), ACCURACY, 0, float("inf"), silent)
    tried = Tried(*QUICK["wl-svm"])
    assert trial.run("wl-svm", tried, 0)
    said = torch.stack([model(trial.graphs) for model in tried.models])
    by = (said == tried.outputs[0]).all(2)
    assert bool(by.any(0).all()), "each is the answer of one of the models"
    fold = by.float().argmax(0)
    for place in range(FOLDS):
        held = (fold == place).nonzero()[:, 0]
        assert len(held) == 12 and len(graphs[held].labels.unique()) == 3
        split = fold_split(graphs.labels, FOLDS, place, derive(0, "folds 0"))
        rest = torch.cat([split.train, split.validation])
        again, _ = trial.fitted(tried, rest, held, place)
        assert torch.equal(again(trial.graphs), said[place])


def test_what_is_kept_is_as_good_as_was_said(choice: Choice, motif: Graphs, tmp_path: Path) -> None:
    assert [*choice.tried] == [*QUICK] and not choice.left_out
    assert choice.score >= max(each.score for each in choice.tried.values()) > 0.5
    assert 0 < choice.sure <= 1
    assert all(each.low <= each.score <= each.high for each in choice.tried.values())
    fresh = motif[60:]
    predicted = choice.model.predict(fresh)
    right = (predicted.predicted == fresh.labels.numpy()).mean()
    assert right > choice.score - 0.2
    choice.model.save(tmp_path / "m")
    again = load_model(tmp_path / "m").predict(fresh)
    assert np.array_equal(again.probabilities, predicted.probabilities)
    assert again.calibration.numbers == [60]


def test_a_blend_is_the_weighted_mean(choice: Choice, motif: Graphs) -> None:
    trial = Trial(motif[:60], Classes.numbered(3), ACCURACY, 0, float("inf"), silent)
    weights = {"forest": 0.25, "wl-svm": 0.75}
    model = trial.kept(weights, choice.tried, torch.zeros(60, 3))
    batch = model.encoder(motif[60:70])
    parts = [choice.tried[name] for name in weights]
    mean = sum(
        weight * (part.models[0](batch) / part.temperature).softmax(1)
        for part, weight in zip(parts, weights.values(), strict=True)
    )
    torch.testing.assert_close(model.outputs(batch).softmax(1), mean)


def test_weights_lower_the_loss() -> None:
    y = torch.eye(2)[torch.tensor([0, 0, 1, 1])]
    right = torch.tensor([[2.0, 0], [0, 1], [0, 2], [0, 2]])
    other = torch.tensor([[0.0, 1], [2, 0], [0, 2], [0, 2]])
    bad = -right
    weights = greedy_blend({"a": right, "b": other, "c": bad}, y, Classes.numbered(2))
    assert weights == {"b": pytest.approx(0.5, abs=0.2), "a": pytest.approx(0.5, abs=0.2)}
    assert greedy_blend({"a": right, "c": bad}, y, Classes.numbered(2)) == {"a": 1.0}


@pytest.mark.parametrize(
    ("task", "metric"), [(Values(("size",)), "rmse"), (Labels(("large", "third")), "rocauc")]
)
def test_values_and_labels(motif: Graphs, task: Task, metric: str) -> None:
    sizes = motif.sizes.float()
    y = torch.stack([(sizes > sizes.median()).float(), torch.arange(160) % 3 / 2 // 1], 1)
    graphs = motif.replace(y=sizes[:, None] if task.width == 1 else y, has_classes=False)[:50]
    choice = choose_model(graphs, task, metric_named(metric), candidates=QUICK)
    assert choice.model.predict(motif[50:60]).probabilities.shape == (10, task.width)
    if metric == "rmse":
        assert choice.score < float(sizes.std()) / 2


def test_networks_take_part_as_far_as_there_is_time(
    motif: Graphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smixup.training.settings.MOST_STEPS", 5)
    seen = list[Progress]()
    none = choose_model(motif[:30], Classes.numbered(3), ACCURACY, budget=0.0, report=seen.append)
    assert none.left_out == ["wl-svm", "network", "network, s-mixup"] and len(seen) == FOLDS
    some = {"network": ("wide", "vanilla")}
    found = choose_model(motif[:30], Classes.numbered(3), ACCURACY, budget=1e9, candidates=some)
    assert len(found.tried["network"].outputs) == 3 and found.weights == {"network": 1.0}
    assert len(found.model.members[0].parts) == FOLDS  # type: ignore[arg-type]


def test_scores_may_be_negative_and_some_sets_of_graphs_have_none(motif: Graphs) -> None:
    noise = torch.randn(40, 1, generator=torch.Generator().manual_seed(0))
    graphs = motif[:40].replace(y=noise, has_classes=False)
    forest = {"forest": QUICK["forest"]}
    found = choose_model(graphs, Values(("noise",)), metric_named("r2"), candidates=forest)
    tried = found.tried["forest"]
    assert tried.low < tried.score < tried.high and tried.low < 0
    rare = motif[:40].replace(y=torch.eye(2)[(torch.arange(40) == 7).long()])
    sure = choose_model(rare, Classes.numbered(2), metric_named("rocauc"), candidates=forest).sure
    assert sure == 1, "a third of all resampled sets lack the rare class, and say nothing"
    with pytest.raises(SmixupError, match="needs graphs of every class"):
        same = motif[:40].replace(y=torch.eye(2)[torch.zeros(40, dtype=torch.long)])
        choose_model(same, Classes.numbered(2), metric_named("rocauc"), candidates=forest)
    with pytest.raises(UsageError, match="graphs must be 10 or more to choose a model"):
        choose_model(motif[:9], Classes.numbered(3), ACCURACY)
