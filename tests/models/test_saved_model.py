"""A model is read as it was written, to the bit, or not at all; new graphs as those of training."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch_geometric.data import Data

from smixup import load_model
from smixup.datasets import Dataset, load_dataset
from smixup.datasets.base import Reading
from smixup.datasets.sources import SOURCES
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.graphs.pyg import to_pyg
from smixup.models import Backbone, Model
from smixup.models.model import CARD, saved_model
from smixup.models.new_data import graphs_of, open_new
from smixup.saved import seal
from smixup.tasks import Classes


@pytest.fixture
def folder(classes: Model, tmp_path: Path) -> Path:
    return classes.save(tmp_path / "model")


@pytest.mark.parametrize("kind", ["classes", "labels", "values"])
def test_reloading_is_equal_to_the_bit(
    kind: str, motif: Graphs, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    model: Model = request.getfixturevalue(kind)
    other = model.backbone.build().eval()
    for written in (model, replace(model, members=(*model.members, other))):
        again = load_model(written.save(tmp_path / f"model{len(written.members)}"))
        for name in ("task", "encoder", "backbone"):
            assert getattr(again, name) == getattr(model, name)
        assert again.calibration.temperature == model.calibration.temperature
        assert len(again.members) == len(written.members)
        assert torch.equal(again.logits(motif), written.logits(motif))
        before, after = written.predict(motif, level=0.8), again.predict(motif, level=0.8)
        assert after.columns() == before.columns()
        card = tmp_path / f"model{len(written.members)}" / CARD
        assert again.card == written.card == card.read_text(encoding="utf-8")
    listed = to_pyg(motif).to_data_list()
    assert torch.equal(model.logits(graphs_of(listed)), model.logits(motif))


def test_files_that_are_missing_or_changed(folder: Path, tmp_path: Path) -> None:
    saved = saved_model(folder)
    whole, words = saved.weights.read_bytes(), saved.about.read_text()
    for place in (0, 9, 100, len(whole) // 2, -1):
        content = bytearray(whole)
        content[place] ^= 1
        saved.weights.write_bytes(content)
        with pytest.raises(SmixupError, match=r"is damaged"):
            load_model(folder)
    saved.weights.write_bytes(whole)
    saved.about.write_text(json.dumps(json.loads(words)))  # other spaces are no change
    load_model(folder)
    for text in (json.dumps(json.loads(words) | {"temperature": 2.0}), "[" * 100_000):
        saved.about.write_text(text)
        with pytest.raises(SmixupError, match=r"is damaged"):
            load_model(folder)
    for place in (tmp_path / "nowhere", saved.about):
        with pytest.raises(SmixupError, match=r"there is no model in .*: model\.json is missing"):
            load_model(place)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "smixup-model-3"}, "has the format smixup-model-3, and this version of smixu"),
        ({"members": 2}, "is damaged or does not fit"),
        ({"task": {"kind": "eval"}}, "is damaged or does not fit"),
        ({"backbone": {"class": "os.system", "settings": {}}}, "knows no backbone os.system"),
        ({"backbone": {"class": "GIN", "settings": {"colour": 7}}}, "is damaged or does not fit"),
        ({"encoder": {"kind": "given"}}, "is damaged or does not fit"),
        ({"reading": {"reader": "a", "more": 1}}, "is damaged or does not fit"),
    ],
)
def test_what_does_not_describe_a_model_is_refused_in_a_sentence(
    folder: Path, changes: dict[str, Any], message: str
) -> None:
    """Changed as by somebody who knows how digests are made."""
    path = folder / "model.json"
    about = {**json.loads(path.read_text()), **changes}
    path.write_text(json.dumps(seal(about, load_file(folder / "model.safetensors"))))
    with pytest.raises(SmixupError, match=message):
        load_model(folder)


def test_an_earlier_model_is_replaced_and_nothing_else(
    classes: Model, values: Model, folder: Path, tmp_path: Path
) -> None:
    assert load_model(values.save(folder)).task == values.task
    (folder / "predictions.csv").touch()
    (tmp_path / "file").touch()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / CARD).touch()
    for place, words in (
        (folder, r"exists and holds predictions\.csv: name a new folder"),
        (tmp_path / "file", "file exists and is no model"),
        (tmp_path / "other", "exists and is no model"),
    ):
        with pytest.raises(SmixupError, match=words):
            classes.save(place)
    assert load_model(folder).task == values.task
    saved_model(tmp_path / "a" / "b").require_place()
    assert not (tmp_path / "a").exists(), "a place is tried and left as it was"
    with pytest.raises(SmixupError, match=r"cannot write the model .*Not a directory"):
        saved_model(tmp_path / "file" / "model").require_place()


def test_the_card_tells_what_is_known_and_nothing_else(classes: Model, values: Model) -> None:
    scores = {"metric": "accuracy", "test": 0.81234, "validation": 0.9}
    about = {
        **classes.about,
        "scores": scores,
        "split": {"kind": "random", "train": 10, "validation": 5, "test": 7},
        "command": "smixup train MUTAG --out model",
        "notes": ["3 molecules were left out."],
    }
    card = replace(classes, about=about).card
    told = "| test | 0.8123 | 7 |", "- 3 molecules were"
    for text in (*told, about["command"], "the split was drawn at random", "by 18 graphs"):
        assert text in card
    bare = replace(values, about={}).card
    assert bare.startswith("# A model of graphs\n\nIt predicts values of graphs: nodes, energy.")
    assert "Scores" not in bare and "temperature" not in bare
    balanced = replace(classes, task=Classes(("a", "b"), balanced=True)).card
    assert ("Not how frequent classes are" in balanced) > ("Not how frequent" in classes.card)


def test_backbones_are_built_for_graphs(motif: Graphs) -> None:
    found = Backbone.of("gcn", motif, hidden_channels=4, num_layers=1)
    assert (found.kind, found.name) == ("GCN", "gcn")
    assert found.build()(motif[:2]).shape == (2, motif.num_classes)
    with pytest.raises(UsageError, match=r"unknown backbone 'gni'\. Did you mean 'gin'"):
        Backbone.of("gni", motif)


def test_own_files_are_read_by_the_reader_of_the_training_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = Reading("mine", {"target": "a"}, {"columns": ["x"]})

    def read(path: Path, like: Reading | None = None, target: str = "") -> Dataset:
        assert like == reading and path.is_absolute()
        graphs = load_dataset("MOTIF", num_graphs=2).graphs
        return Dataset(path.name, graphs.replace(y=torch.zeros(2, 0)), table={"id": (target, "b")})

    monkeypatch.setattr(sys.modules[__name__], "read", read, raising=False)
    monkeypatch.setitem(SOURCES.entries, "mine", f"{__name__}:read")
    (tmp_path / "new.mine").touch()
    found = open_new(tmp_path / "new.mine", reading, None, {"target": "other"})
    assert found.table == {"id": ("other", "b")}
    with pytest.raises(UsageError, match=r"there is no file or folder .* for the reader mine"):
        open_new(str(tmp_path / "gone.mine"), reading, None, {})


def test_a_dataset_by_name_has_the_options_of_the_training_data(motif: Graphs) -> None:
    trained: dict[str, Any] = {"source": "MOTIF", "options": {"num_graphs": 7, "seed": 3}}
    found = open_new("motif", None, None, {}, trained)
    assert len(found.graphs) == 7
    assert len(open_new("MOTIF", None, None, {"num_graphs": 9}, trained).graphs) == 9
    assert open_new(motif, None, None, {}).graphs is motif
    with pytest.raises(UsageError, match="graphs in memory have no option 'target'"):
        open_new(motif, None, None, {"target": "a"})


def test_graphs_of_pyg_in_every_wrapping_keep_their_targets_to_themselves(
    motif: Graphs, classes: Model
) -> None:
    batch = to_pyg(motif[:3])
    batch.y = torch.tensor([-5, 7, 99])  # no classes that anybody knows
    several = batch.to_data_list()
    for source in (batch, several, tuple(several), iter(several)):
        found = graphs_of(source)
        assert torch.equal(found.x, motif[:3].x) and found.num_classes == 0
    assert len(graphs_of(several[0])) == 1 and several[0].y is not None
    bare = Data(edge_index=torch.zeros(2, 0, dtype=torch.long))
    needed = "a list of torch_geometric.data.Data is needed, with one graph at least"
    for source, words in (([], needed), (3, "a list of graphs is needed"), ([bare, "C"], needed)):
        with pytest.raises(SmixupError, match=words):
            graphs_of(source)
    before = {name: each.clone() for name, each in classes.members[0].state_dict().items()}
    classes.predict(motif, level=0.5)
    torch.testing.assert_close(dict(classes.members[0].state_dict()), before)
    wide = motif.replace(x=torch.ones(motif.num_nodes, 9))
    for graphs, level, words in (
        (wide, None, "these graphs have 9 node features"),
        (motif[:0], None, "there is no graph to predict for"),
        (motif, 0.99, "the level 0.99 need 99 validation graphs"),
    ):
        with pytest.raises(SmixupError, match=words):
            classes.predict(graphs, level=level)
