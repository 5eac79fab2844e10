"""A kept model is explained on test graphs of its own data, or says why not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from smixup.app.runs.config import configure
from smixup.app.runs.kept_model import train_model
from smixup.app.runs.opened import choose_split
from smixup.app.studies.explained_graphs import SURE, UNSURE
from smixup.app.studies.kept_explained import explain_held_out
from smixup.datasets import load_dataset
from smixup.errors import SmixupError
from smixup.models import Model, load_model

OPTIONS = {"num_graphs": 40}
CONFIG = configure("MOTIF", epochs=2, hidden_channels=8, num_layers=2, dataset_options=OPTIONS)


@pytest.fixture(scope="module")
def model() -> Model:
    return train_model(CONFIG).model


def test_test_graphs_alone_are_explained(model: Model, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    found = explain_held_out(load_model(tmp_path / "model"), number=1)
    test = choose_split(load_dataset("MOTIF", **OPTIONS), CONFIG).test.tolist()
    assert list(found.groups) == [SURE, UNSURE]
    places = [each.explained.place for group in found.groups.values() for each in group]
    assert len(places) == 2 and set(places) <= set(test)
    everywhere = model.predict("MOTIF").probabilities.max(1)
    assert everywhere[places[0]] == max(everywhere[test])


def test_a_model_without_a_story_is_refused(model: Model) -> None:
    with pytest.raises(SmixupError, match="does not tell from which data it comes: `smixup exp"):
        explain_held_out(replace(model, about={}))


def test_other_data_under_the_name_is_refused(model: Model) -> None:
    about = {**model.about, "data": {**model.about["data"], "fingerprint": "0"}}
    with pytest.raises(SmixupError, match="MOTIF has changed since the model was trained on it"):
        explain_held_out(replace(model, about=about))


def test_another_split_is_refused(model: Model) -> None:
    split = {**model.about["split"], "sha256": {"test": "0"}}
    with pytest.raises(SmixupError, match="test graphs of the model are no longer known"):
        explain_held_out(replace(model, about={**model.about, "split": split}))
