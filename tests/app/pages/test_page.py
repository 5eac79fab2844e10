"""Pages are whole, fetch nothing, and are safe whatever the text; their colours can be read."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files

import pytest
import torch
from app.contrast import contrast

from smixup.app.explain import LOW, SURE, Explained, ExplainedGraphs, explain_held_out
from smixup.app.pages.explanation import explanation_page
from smixup.app.runs.config import configure
from smixup.app.runs.model import train
from smixup.models import Model
from smixup.models.explanation import Explanation

VOID = {"meta", "link", "input"}
EDGES = torch.tensor([[0, 1], [1, 2]])


class Reader(HTMLParser):
    """Collects tags, attributes and text, and insists that every tag is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attributes)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attributes

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def explained(scores: list[float], labels: tuple[str, ...], unit: str = "log odds") -> Explained:
    found = Explanation(0, 1.5, torch.tensor(scores), EDGES, torch.tensor([0.5, -0.2]))
    adj = torch.zeros(3, 3)
    adj[EDGES[0], EDGES[1]] = adj[EDGES[1], EDGES[0]] = 1
    thing = "node" if labels[0].isdigit() else "atom"
    return Explained(7, "<active>", "class '<active>'", unit, 0.5, adj, found, labels, thing)


@pytest.fixture(scope="module")
def model() -> Model:
    sizes = {"hidden_channels": 8, "num_layers": 2, "epochs": 2}
    return train(configure("MOTIF", dataset_options={"num_graphs": 40}, **sizes)).model


def test_an_explained_molecule_on_a_page_that_fetches_nothing(model: Model) -> None:
    graph = explained([2.0, 0.25, -1.0], ("C", "N", "O"))
    graph = replace(graph, predicted=0.875, about="smiles: C<NO")
    page = Reader(
        explanation_page(model, "</script>", ExplainedGraphs({SURE: [graph]}, 9, 2), "a & b")
    )
    assert "</script> on a & b; 1 of 9 graphs, 2 of which cannot be explained" in page.text
    assert "The probability of class '<active>' is 0.875." in page.text
    assert "Atom 0 (C) speaks most for it: log odds would be 2.00 lower without it" in page.text
    assert "atom 2 (O) speaks most against it: log odds would be 1.00 higher" in page.text
    assert "smiles: C<NO." in page.text
    places = [page.text.index(number) for number in ("+2.000", "-1.000", "+0.250")]
    assert places == sorted(places), "the largest effect first"
    assert page.tags.count("svg") == 1
    assert not {"iframe", "img"} & set(page.tags)
    links = [value for name, value in page.attributes if name in ("href", "xlink:href", "src")]
    assert all(value is not None and value.startswith(("#", "data:")) for value in links)
    assert "@import" not in page.text


def test_values_of_graphs_that_are_no_molecules(model: Model) -> None:
    graph = explained([0.0, 0.0, 0.0], ("0", "1", "2"), "the value")
    graph = replace(graph, predicted=12.34567)
    page = Reader(explanation_page(model, "m", ExplainedGraphs({LOW: [graph]}, 1), "d"))
    assert "The prediction for '<active>' is 12.35. No node makes a" in page.text
    assert "atom" not in page.text
    assert "among those with the lowest predictions" in page.text


def test_the_page_says_what_the_model_is(model: Model) -> None:
    page = Reader(explanation_page(model, "my model/", explain_held_out(model), "MOTIF"))
    for words in ("MOTIF, 40 graphs", "vanilla", "accuracy, test", "'my model/' NEW --out"):
        assert words in page.text
    assert f"{model.about['scores']['test']:.4f}" in page.text
    assert page.tags.count("svg") == 4
    assert page.text.count("Most sure: graph") == page.text.count("Least sure: graph") == 2


def test_colours_can_be_read_light_and_dark() -> None:
    css = files("smixup.app.pages").joinpath("colours.css").read_text()
    palettes = re.findall(r"color-scheme: \w+;([^}]*)}", css)
    light, dark, chosen = (dict(re.findall(r"--([\w-]+): (#\w+)", each)) for each in palettes)
    assert dark == chosen
    for palette in (light, dark):
        for text in set(palette) - {"ground", "box", "line"}:
            for ground in ("ground", "box"):
                assert contrast(palette[text], palette[ground]) >= 4.5, (text, ground)
