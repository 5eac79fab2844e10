"""Predictions under names of classes, with sets that hold the truth as often as they say."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from pyarrow import parquet

from smixup.datasets import Dataset
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.models import Calibration, Model, Predictions
from smixup.models.calibration import best_label_temperature, class_scores, rank_of, threshold
from smixup.models.fitting import held_out
from smixup.models.model import plain, score_of, together
from smixup.models.predictions import require_place, write_columns
from smixup.tasks import Classes, Labels, Task, Values
from smixup.training.evaluation import Outputs


def test_classes(classes: Model, motif: Graphs) -> None:
    found = classes.predict(motif[:10], level=0.8)
    assert len(found) == 10
    np.testing.assert_allclose(found.probabilities.sum(1), 1, rtol=1e-5)
    places = found.probabilities.argmax(1)
    assert list(found.predicted) == [("cycle", "house", 3)[place] for place in places]
    columns = found.columns()
    assert list(columns) == ["graph", "prediction", "p_cycle", "p_house", "p_3", "set_0.8"]
    for names, text in zip(found.sets, columns["set_0.8"], strict=True):
        assert text == " | ".join(map(str, names))
    table = {"name": ("x", "y"), "prediction": ("old", "older")}
    beside = replace(classes.predict(motif[:2]), table=table).columns()
    assert list(beside)[:3] == ["name", "prediction", "prediction (2)"]
    assert beside["prediction"] == ["old", "older"], "columns of the input are not lost"
    numbered = replace(classes.predict(motif[:2]), task=Classes((3, 5, 7)))
    assert numbered.predicted.dtype.kind == "i"


def test_labels_and_values(labels: Model, values: Model, motif: Graphs) -> None:
    found = labels.predict(motif[:5], level=0.8)
    assert found.predicted.shape == (5, 2)
    assert ((found.probabilities > 0.5) == found.predicted).all()
    columns = found.columns()
    assert list(columns)[1:4] == ["prediction_ring", "p_ring", "set_0.8_ring"]
    assert set(columns["set_0.8_ring"]) <= {"", "0", "1", "0 | 1"}
    found = values.predict(motif[:5], level=0.8)
    low, high = found.intervals
    torch.testing.assert_close((low + high) / 2, torch.from_numpy(found.predicted).double())
    assert (high > low).all()
    names = ["prediction_nodes", "low_0.8_nodes", "high_0.8_nodes", "prediction_energy"]
    assert list(found.columns())[1:5] == names


@pytest.mark.parametrize("number", [1, 9, 18, 100])
@pytest.mark.parametrize("level", [0.5, 0.9])
def test_the_threshold_is_numpys_quantile_of_one_graph_more(number: int, level: float) -> None:
    scores = torch.rand(number, dtype=torch.double, generator=torch.Generator().manual_seed(number))
    # the smallest score that at least a share `level` of n + 1 does not exceed
    with_one_more = np.append(scores.numpy(), np.inf)
    assert threshold(scores, level) == np.quantile(with_one_more, level, method="inverted_cdf")
    assert rank_of(number / (number + 1), number) == number
    assert rank_of(number / (number + 1) + 1e-6, number) == number + 1
    assert threshold(torch.rand(8), 0.9) == threshold(torch.rand(0), 0.1) == math.inf
    assert threshold(torch.tensor([math.nan, 2.0, 1.0, math.nan]), 0.5) == 2.0
    logits = torch.tensor([[40.0, 0.0], [41.0, 0.0]])
    assert class_scores(logits)[0, 0] > class_scores(logits)[1, 0] > 0


def drawn(task: Task, number: int, random: torch.Generator) -> Outputs:
    """Outputs of a model that is somewhat too sure, and a truth that they are right about."""
    logits = 2 * torch.randn(number, task.width, generator=random)
    if isinstance(task, Classes):
        truth = torch.multinomial((logits / 2).softmax(1), 1, generator=random).squeeze(1)
        return Outputs(logits, torch.nn.functional.one_hot(truth, task.width).float())
    if isinstance(task, Labels):
        y = torch.bernoulli((logits / 2).sigmoid(), generator=random)
        return Outputs(
            logits, torch.where(torch.rand(y.shape, generator=random) < 0.3, math.nan, y)
        )
    noise = torch.randn(number, task.width, generator=random).exp()
    return Outputs(logits, task.predicted(logits) + noise)


def covered(task: Task, number: int, level: float, random: torch.Generator) -> float:
    calibration = Calibration.of(drawn(task, number, random), task)
    new = drawn(task, 2000, random)
    found = Predictions(task, new.logits / calibration.temperature, calibration, level)
    known = ~new.y.isnan()
    if isinstance(task, Classes):
        return float(found.inside[new.y.bool()].double().mean())
    if isinstance(task, Labels):
        held = found.inside.gather(2, new.y.nan_to_num().long().unsqueeze(2)).squeeze(2)
        return float(held[known].double().mean())
    low, high = found.intervals
    return float(((low <= new.y) & (new.y <= high)).double().mean())


@pytest.mark.parametrize(
    ("task", "level"),
    [(Classes.numbered(4), 0.8), (Labels(("a", "b")), 0.9), (Values(("a", "b")), 0.8)],
    ids=lambda each: getattr(each, "kind", each),
)
def test_sets_hold_the_truth_as_often_as_they_say(task: Task, level: float) -> None:
    """Over 150 calibrations by 99 graphs the mean has a standard error of 0.003 to 0.004."""
    random = torch.Generator().manual_seed(0)
    found = float(np.mean([covered(task, 99, level, random) for _ in range(150)]))
    assert abs(found - level) < 0.01


def test_temperatures() -> None:
    random = torch.Generator().manual_seed(0)
    outputs = Outputs(torch.randn(50, 3, generator=random), torch.eye(3)[torch.arange(50) % 3])
    found = Calibration.of(outputs, Classes.numbered(3))
    own = (outputs.logits / found.temperature).log_softmax(1)[outputs.y.bool()]
    torch.testing.assert_close(found.scores.flatten().float(), -own)
    honest = torch.randn(20000, 2, generator=random) * 2
    y = torch.bernoulli(honest.sigmoid(), generator=random)
    y[::3, 1] = math.nan
    assert best_label_temperature(3 * honest, y) == pytest.approx(3, rel=0.05)
    assert best_label_temperature(honest[:0], y[:0]) == 1.0
    task = Values(("a",), mean=(10.0,), deviation=(2.0,))
    values = Calibration.of(Outputs(torch.tensor([[1.0]]), torch.tensor([[15.0]])), task)
    assert (values.temperature, values.scores.tolist()) == (1.0, [[3.0]])


def test_levels_that_a_calibration_can() -> None:
    y = torch.tensor([[1.0, math.nan]] * 9 + [[0.0, 1.0]])
    found = Calibration.of(Outputs(torch.zeros(10, 2), y), Labels(("a", "b")))
    assert found.numbers == [10, 1] and found.can(0.5) and not found.can(0.6)
    with pytest.raises(UsageError, match="need 9 validation graphs, and this model has 1: ask"):
        found.require(0.9)
    with pytest.raises(UsageError, match="level must be above 0 and below 1, not 1"):
        found.require(1)


@pytest.mark.parametrize("task", [Classes.numbered(3), Labels(("a", "b", "c"))])
def test_probabilities_of_an_ensemble_are_averaged(task: Task) -> None:
    members = list(torch.randn(4, 5, 3, generator=torch.Generator().manual_seed(0)) * 5)
    expected = torch.stack([task.predicted(each) for each in members]).mean(0)
    torch.testing.assert_close(task.predicted(together(task, members)), expected)
    assert together(task, [torch.tensor([[200.0, -200.0, 0.0]])] * 2).isfinite().all()
    values, one = Values(("a",)), torch.tensor([[0.1]])
    assert together(values, [one]) is one
    assert together(values, [one, one + 2]).item() == pytest.approx(1.1)


def test_scores_where_there_is_truth_under_the_names_of_classes(
    classes: Model, motif: Graphs
) -> None:
    predicted = classes.predict(motif)
    right = (predicted.outputs.argmax(1) == motif.labels).double().mean()
    text = score_of(classes, Dataset("new", motif), predicted)
    assert text == f"accuracy {right:.4f}, going by the targets that are known"
    unknown = motif.replace(y=motif.y * torch.nan)
    assert score_of(classes, Dataset("new", unknown), predicted) == ""
    names = predicted.task.names
    turned = Dataset("new", motif.replace(y=motif.y.flip(1)), task=Classes(names[::-1]))
    assert score_of(classes, turned, predicted) == text
    few = motif[(motif.labels == 1).nonzero().squeeze(1)]
    about = classes.predict(few)
    right = (about.outputs.argmax(1) == 1).double().mean()
    single = Dataset("new", few.replace(y=few.y[:, 1:2]), task=Classes((names[1],)))
    assert f"accuracy {right:.4f}" in score_of(classes, single, about)
    foreign = Dataset("new", motif, task=Classes(("a", "b", "c")))
    assert score_of(classes, foreign, predicted) == ""


COLUMNS = {
    "name": ['a "b", c', "ü\nnew"],
    "prediction": ["x", 3],
    "p_x": list(np.array([0.1, 1 / 3], dtype=np.float32)),
    "high": [np.float32("inf"), np.float32(2)],
}


def test_every_kind_of_file_holds_the_same_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_columns(COLUMNS, str(tmp_path / "new" / "p.csv"))
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows[0] == {"name": 'a "b", c', "prediction": "x", "p_x": "0.1", "high": "inf"}
    assert rows[1]["name"] == "ü\nnew"
    assert np.float32(rows[1]["p_x"]) == np.float32(1 / 3), "all digits that count"
    found = parquet.read_table(write_columns(COLUMNS, str(tmp_path / "p.parquet"))).to_pydict()
    assert found["prediction"] == ["x", "3"] and found["p_x"] == pytest.approx([0.1, 1 / 3])
    assert write_columns({"graph": [0], "prediction": ["a"]}, "-") is None
    assert capsys.readouterr().out == "graph,prediction\n0,a\n"
    given = {"a": np.float32(0.5), 1: (np.int64(3), True, None), "nan": np.nan, "p": Path("x/y")}
    assert plain(given) == {"a": 0.5, "1": [3, True, None], "nan": None, "p": "x/y"}


def test_other_files_and_the_data_itself_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"are written to .csv, .tsv, .parquet or -, not"):
        write_columns(COLUMNS, "p.xlsx")
    data, folder = tmp_path / "new.csv", tmp_path / "mails"
    folder.mkdir()
    for path in (data, folder / "graphs.csv"):
        path.touch()
    (tmp_path / "folder.csv").mkdir()
    for path in (data / "p.csv", tmp_path / "folder.csv"):
        with pytest.raises(SmixupError, match="cannot write the predictions"):
            require_place(str(path), str(folder))
    require_place(str(tmp_path / "a" / "b.csv"), str(data))
    assert not (tmp_path / "a").exists()
    for path, source in ((data, data), (folder / "graphs.csv", folder)):
        with pytest.raises(UsageError, match="is data that is read: name another file"):
            require_place(str(path), str(source))
    for path, source in (("-", data), (folder / "p.csv", folder), (data, folder)):
        require_place(str(path), str(source))


@pytest.mark.parametrize("share", [0.01, 0.33, 0.9])
def test_graphs_are_held_out_evenly(share: float) -> None:
    strata = torch.tensor([0] * 150 + [1] * 40 + [2] * 10)
    train, held = held_out(strata, share, seed=0)
    assert sorted([*train.tolist(), *held.tolist()]) == list(range(200))
    assert len(held) == max(round(share * 200), 1)
    for stratum, count in enumerate((150, 40, 10)):
        assert abs(int((strata[held] == stratum).sum()) - share * count) <= 1
    assert not torch.equal(held, held_out(strata, share, seed=1)[1])
    with pytest.raises(UsageError, match="share of validation graphs must be above 0 and below 1"):
        held_out(strata, 1.0, seed=0)
    with pytest.raises(SmixupError, match="two graphs at least"):
        held_out(strata[:1], 0.5, seed=0)
