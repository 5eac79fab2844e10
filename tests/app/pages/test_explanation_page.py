"""The page of explanations says what the numbers say, and needs nothing else."""

from __future__ import annotations

import torch

from smixup.analysis.explanation import Explanation
from smixup.app.pages.explanation_page import explanation_page
from smixup.app.studies.explained import Explained
from smixup.app.studies.explained_graphs import LOW, SURE, ExplainedGraph, ExplainedGraphs

EDGES = torch.tensor([[0, 1], [1, 2]])


def explained(scores: list[float], labels: tuple[str, ...], unit: str = "log odds") -> Explained:
    found = Explanation(0, 1.5, torch.tensor(scores), EDGES, torch.tensor([0.5, -0.2]))
    adj = torch.zeros(3, 3)
    adj[EDGES[0], EDGES[1]] = adj[EDGES[1], EDGES[0]] = 1
    of_atoms = not labels[0].isdigit()
    return Explained(7, "<active>", unit, adj, found, labels, of_atoms)


def test_a_molecule_in_words_and_numbers() -> None:
    graph = ExplainedGraph(explained([2.0, 0.25, -1.0], ("C", "N", "O")), 0.875, "smiles: CNO")
    html = explanation_page(ExplainedGraphs({SURE: [graph]}, 9, 2), "model", "new.csv").html()
    assert "The probability of class &#x27;&lt;active&gt;&#x27; is 0.875." in html
    assert "Atom 0 (C) speaks most for it: log odds would be 2.00 lower without it" in html
    assert "atom 2 (O) speaks most against it: log odds would be 1.00 higher without it." in html
    assert "1 of 9 graphs, 2 of which cannot be explained" in html
    assert "smiles: CNO" in html
    assert html.index("+2.000") < html.index("-1.000") < html.index("+0.250")
    assert html.count("<svg") == 1
    assert "<script" not in html and "<link" not in html and "src=" not in html


def test_values_of_graphs_that_are_no_molecules() -> None:
    graph = ExplainedGraph(explained([0.0, 0.0, 0.0], ("0", "1", "2"), "the value"), 12.34567)
    html = explanation_page(ExplainedGraphs({LOW: [graph]}, 1), "m", "d").html()
    assert "The prediction for &#x27;&lt;active&gt;&#x27; is 12.35. No node makes any" in html
    assert "atom" not in html
    assert "among those with the lowest predictions" in html
