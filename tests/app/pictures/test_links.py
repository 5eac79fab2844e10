"""Links join matched nodes, wherever the two graphs are drawn."""

from __future__ import annotations

import numpy as np
import torch
from matplotlib.figure import Figure
from matplotlib.patches import ConnectionPatch

from smixup.app.pictures import style
from smixup.app.pictures.links import draw_links, link_kinds, links_of
from smixup.app.studies.alignment import Alignment

PARTIAL = Alignment(torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))
SOFT = Alignment(torch.full((3, 3), 1 / 3))
PLACES1 = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 3.0]])
PLACES2 = np.array([[5.0, 5.0], [6.0, 7.0], [8.0, 8.0]])


def drawn(alignment: Alignment) -> tuple[Figure, list[ConnectionPatch]]:
    figure = style.new_figure(4, 2)
    first, second = figure.subplots(1, 2)
    for axes, places in ((first, PLACES1), (second, PLACES2)):
        axes.scatter(*places.T)
    draw_links(first, PLACES1, second, PLACES2, alignment)
    return figure, [each for each in figure.artists if isinstance(each, ConnectionPatch)]


def test_links_end_at_both_nodes_on_the_picture() -> None:
    figure, links = drawn(PARTIAL)
    figure.canvas.draw()
    first, second = figure.axes
    for link, (node, counterpart) in zip(links, [(0, 2), (1, 0)], strict=True):
        ends = link.get_transform().transform_path(link.get_path()).vertices[[0, -1]]
        wanted = [
            first.transData.transform(PLACES1[counterpart]),
            second.transData.transform(PLACES2[node]),
        ]
        assert np.abs(np.asarray(ends) - wanted).max() < 3, "in pixels; a line ends at a node's rim"
        assert link.get_zorder() < first.get_zorder(), "behind the graphs"


def test_a_soft_alignment_has_no_links() -> None:
    assert drawn(SOFT)[1] == []
    assert links_of(SOFT) == link_kinds(SOFT) == []
    assert links_of(PARTIAL) == [(0, 2), (1, 0)]
    assert [str(each.get_label()) for each in link_kinds(PARTIAL)] == ["matched nodes"]
