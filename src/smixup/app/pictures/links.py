"""Matched nodes of two graphs that are drawn side by side, joined by thin lines."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import ConnectionPatch

from smixup.app.pictures import style
from smixup.app.pictures.layouts import Positions
from smixup.app.studies.alignment import Alignment

WIDTH = 0.9
STRENGTH = 0.8


def draw_links(
    first: Axes, places1: Positions, second: Axes, places2: Positions, alignment: Alignment
) -> None:
    """Draw a line from every node of G2 to its counterpart, behind both graphs; none if the
    alignment is soft.

    Args:
        first: where G1 is drawn, at `places1 [n1, 2]`.
        places1: see above.
        second: where G2 is drawn, at `places2 [n2, 2]`.
        places2: see above.
        alignment: of the two.
    """
    figure = first.get_figure(root=True)
    assert figure is not None
    for node, counterpart in links_of(alignment):
        link = ConnectionPatch(
            xyA=tuple(places1[counterpart]),
            xyB=tuple(places2[node]),
            coordsA="data",
            coordsB="data",
            axesA=first,
            axesB=second,
            color=style.LINK,
            linewidth=WIDTH,
            alpha=STRENGTH,
            zorder=-1,
        )
        link.set_in_layout(False)
        figure.add_artist(link)


def links_of(alignment: Alignment) -> list[tuple[int, int]]:
    """Return every node of G2 that has a place, with its counterpart in G1; nothing if the
    alignment is soft.
    """
    if not alignment.whole:
        return []
    places = enumerate(alignment.counterpart.tolist())
    return [(node, counterpart) for node, counterpart in places if counterpart >= 0]


def link_kinds(alignment: Alignment) -> list[Line2D]:
    """Return what a legend shows of links, if there are any."""
    if not links_of(alignment):
        return []
    link = Line2D([], [], color=style.LINK, linewidth=WIDTH, alpha=STRENGTH)
    link.set_label("matched nodes")
    return [link]
