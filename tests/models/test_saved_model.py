"""A model is read as it was written, to the bit, or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import torch

from smixup import load_model
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.models import Model
from smixup.models.saved_model import ABOUT, CARD, WEIGHTS, is_model, require_place, save_model
from smixup.sealed import seal


@pytest.fixture
def folder(classes: Model, tmp_path: Path) -> Path:
    return classes.save(tmp_path / "model")


@pytest.mark.parametrize("kind", ["classes", "labels", "values"])
def test_reloading_is_equal_to_the_bit(
    kind: str, motif: Graphs, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    model: Model = request.getfixturevalue(kind)
    again = load_model(model.save(tmp_path / "model"))
    assert (again.task, again.encoder, again.backbone) == (
        model.task,
        model.encoder,
        model.backbone,
    )
    assert again.calibration.temperature == model.calibration.temperature
    assert torch.equal(again.logits(motif), model.logits(motif))
    before, after = model.predict(motif, level=0.8), again.predict(motif, level=0.8)
    assert after.columns() == before.columns()
    assert again.card == model.card == (tmp_path / "model" / CARD).read_text(encoding="utf-8")


def test_an_ensemble_is_read_with_all_members(
    classes: Model, motif: Graphs, tmp_path: Path
) -> None:
    from dataclasses import replace

    other = classes.backbone.build().eval()
    model = replace(classes, members=(*classes.members, other))
    again = load_model(model.save(tmp_path / "model"))
    assert len(again.members) == 2
    assert torch.equal(again.logits(motif), model.logits(motif))
    assert not torch.equal(again.logits(motif), classes.logits(motif))


@pytest.mark.parametrize("name", [WEIGHTS, ABOUT])
def test_a_missing_file(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(SmixupError, match=rf"there is no model in .*: {name} is missing\."):
        load_model(folder)


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(SmixupError, match="there is no such folder"):
        load_model(tmp_path / "nowhere")
    (tmp_path / "new.csv").touch()
    with pytest.raises(
        SmixupError, match=r"new\.csv: it is a file; name the folder of the model\."
    ):
        load_model(tmp_path / "new.csv")


@pytest.mark.parametrize("place", [0, 9, 100, 0.3, 0.6, -1])
def test_any_flipped_byte_of_the_weights_is_seen(folder: Path, place: float) -> None:
    path = folder / WEIGHTS
    content = bytearray(path.read_bytes())
    content[int(place * len(content)) if isinstance(place, float) else place] ^= 1
    path.write_bytes(content)
    with pytest.raises(SmixupError, match="is damaged, or belongs to another model"):
        load_model(folder)


def test_changed_words_are_seen_and_other_spaces_are_not(folder: Path) -> None:
    path = folder / ABOUT
    about = json.loads(path.read_text())
    path.write_text(json.dumps(about))
    load_model(folder)
    about["temperature"] = 2.0
    path.write_text(json.dumps(about))
    with pytest.raises(SmixupError, match="was changed after it was written"):
        load_model(folder)
    for wrong in ("{", "[" * 100_000):
        path.write_text(wrong)
        with pytest.raises(SmixupError, match="cannot be read as JSON"):
            load_model(folder)


def signed(folder: Path, **changes: object) -> None:
    """Change a model as somebody would who knows how digests are made."""
    about = {**json.loads((folder / ABOUT).read_text()), **changes}
    (folder / ABOUT).write_text(json.dumps(seal(about)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "smixup-model-2"}, "has the format smixup-model-2, and this version of smixu"),
        ({"format": "other"}, "does not describe a model of smixup"),
        ({"members": 2}, "do not describe one model"),
        ({"task": {"kind": "eval"}}, "do not describe one model"),
        ({"backbone": {"class": "os.system", "settings": {}}}, "knows no backbone os.system"),
        ({"encoder": {"kind": "given"}}, "do not describe one model"),
        ({"reading": {"reader": "a", "more": 1}}, "do not describe one model"),
    ],
)
def test_what_does_not_describe_a_model_is_refused_in_a_sentence(
    folder: Path, changes: dict[str, object], message: str
) -> None:
    signed(folder, **changes)
    with pytest.raises(SmixupError, match=message):
        load_model(folder)


def test_an_earlier_model_is_replaced_and_nothing_else(
    classes: Model, values: Model, folder: Path, tmp_path: Path
) -> None:
    assert is_model(folder)
    assert load_model(save_model(values, folder)).task == values.task
    (folder / "predictions.csv").touch()
    with pytest.raises(SmixupError, match=r"exists and holds predictions\.csv: name a new folder"):
        save_model(classes, folder)
    assert load_model(folder).task == values.task
    (tmp_path / "file").touch()
    with pytest.raises(SmixupError, match="is a file"):
        save_model(classes, tmp_path / "file")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / CARD).touch()
    with pytest.raises(SmixupError, match="holds no model of smixup"):
        save_model(classes, tmp_path / "other")


def test_a_place_is_tried_and_left_as_it_was(tmp_path: Path) -> None:
    require_place(tmp_path / "a" / "b")
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").touch()
    with pytest.raises(SmixupError, match=r"cannot write the model .*Not a directory"):
        require_place(tmp_path / "file" / "model")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_place_where_nothing_may_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(SmixupError, match=r"cannot write the model .*: Permission denied"):
        require_place(tmp_path / "model")


@pytest.mark.parametrize("fails", [1, 2, 3])
def test_a_write_that_fails_leaves_the_earlier_model(
    classes: Model, values: Model, folder: Path, fails: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, real = [], Path.write_bytes

    def write(self: Path, content: bytes) -> int:
        written.append(self)
        if len(written) == fails:
            raise OSError(28, "No space left on device")
        return real(self, content)

    monkeypatch.setattr(Path, "write_bytes", write)
    with pytest.raises(SmixupError, match=r"cannot write the model .*: No space left on device"):
        save_model(values, folder)
    assert load_model(folder).task == classes.task
    assert [each.name for each in folder.parent.iterdir()] == ["model"]
