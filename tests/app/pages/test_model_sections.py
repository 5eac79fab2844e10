"""A kept model on a page: what it is, and what its predictions rest on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from smixup.app.pages.model_sections import model_sections
from smixup.app.runs.config import configure
from smixup.app.runs.kept_model import train_model
from smixup.models import Model

OPTIONS = {"num_graphs": 40}


@pytest.fixture(scope="module")
def model() -> Model:
    sizes = {"hidden_channels": 8, "num_layers": 2, "epochs": 2}
    return train_model(configure("MOTIF", dataset_options=OPTIONS, **sizes)).model


def test_what_it_is_and_what_it_rests_on(model: Model) -> None:
    first, reading, *graphs = model_sections(model, "my model/")
    assert first.heading == "The model in the folder my model/"
    html = first.html()
    assert "MOTIF, 40 graphs" in html and "vanilla" in html and "accuracy, test" in html
    assert f"{model.about['scores']['test']:.4f}" in html
    assert "smixup predict &#x27;my model/&#x27; NEW" in html
    assert "rest on, for 4 graphs of the test split" in html
    assert reading.heading == "How to read the pictures"
    assert [each.heading.split(":")[0] for each in graphs] == ["Most sure"] * 2 + ["Least sure"] * 2
    assert all(each.html().count("<svg") == 1 for each in graphs)


def test_where_nothing_can_be_explained_it_says_why(model: Model) -> None:
    about = {name: told for name, told in model.about.items() if name != "training"}
    (section,) = model_sections(replace(model, about=about), "model/")
    assert "are not explained here: the model does not tell" in section.html()
