"""What matters is seen: colours by sign and size, words on nodes."""

from __future__ import annotations

import matplotlib.collections as mc
import networkx as nx
import numpy as np
import torch
from conftest import set_of
from matplotlib.colors import to_rgb

from smixup.analysis.explanation import Explanation
from smixup.app.pictures import style
from smixup.app.pictures.explained_graph import draw_explanation

ADJ = set_of([nx.path_graph(4)]).adj.to_dense()
EDGES = torch.tensor([[0, 1, 2], [1, 2, 3]])


def found(nodes: list[float], edges: list[float]) -> Explanation:
    return Explanation(1, 2.0, torch.tensor(nodes), EDGES, torch.tensor(edges))


def test_for_is_orange_and_against_is_blue() -> None:
    figure = draw_explanation(ADJ, found([4.0, -4.0, 0.0, 1.0], [4.0, 0.0, 0.0]), list("CNOF"))
    axes = figure.axes[0]
    dots = next(each for each in axes.collections if isinstance(each, mc.PathCollection))
    lines = next(each for each in axes.collections if isinstance(each, mc.LineCollection))
    colours = np.asarray(dots.get_facecolor())[:, :3]
    np.testing.assert_allclose(colours[0], to_rgb(style.MOTIF), atol=0.01)
    np.testing.assert_allclose(colours[1], to_rgb(style.PALETTE[6]), atol=0.01)
    assert len(lines.get_segments()) == 3
    assert max(lines.get_linewidths()) > 3 * min(lines.get_linewidths())
    assert [text.get_text() for text in axes.texts] == list("CNOF")
    assert [text.get_color() for text in axes.texts] == ["black", "white", "black", "black"]


def test_nodes_that_words_speak_of_have_their_numbers() -> None:
    figure = draw_explanation(
        ADJ, found([4.0, -4.0, 0.0, 1.0], [0.0] * 3), list("CNOF"), "", [1, 3]
    )
    texts = figure.axes[0].texts
    assert [text.get_text() for text in texts] == [*"CNOF", "1", "3"]
    end, neighbour = (np.array(texts[node].get_position()) for node in (3, 2))
    aside = np.array(texts[5].xyann)
    along = (end - neighbour) / np.linalg.norm(end - neighbour)
    assert aside @ along / np.linalg.norm(aside) > 0.99, "away from its only neighbour"


def test_nothing_matters() -> None:
    figure = draw_explanation(ADJ, found([0.0] * 4, [0.0] * 3), title="none")
    assert figure.axes[0].get_title() == "none" and not figure.axes[0].texts
