"""An assignment M (Eq. 8) as a heat map, its nodes marked along both sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.colorbar import Colorbar
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle
from numpy.typing import NDArray
from torch import Tensor

from smixup.app.pictures import style
from smixup.app.pictures.graph_drawing import Colours, node_colours
from smixup.app.studies.alignment import Alignment

Order = NDArray[np.int64]
STRIP = 0.04
STRIP_FROM = 0.015
SEAM = 0.3
LABEL_PAD = 18.0


def draw_heat_map(
    axes: Axes,
    assignment: Tensor,
    motif1: Tensor | None = None,
    motif2: Tensor | None = None,
    title: str = "",
) -> Colorbar:
    """Draw M; base nodes come first on both axes, so that motif onto motif is the lower right
    corner. Where nodes are matched as a whole, those of G2 stand in the order of their
    counterparts.

    Args:
        axes: where; its figure gets a colour bar.
        assignment: `M [n1, n2]`.
        motif1: `[n1]`, the motif of G1, marked at the left.
        motif2: `[n2]`, the motif of G2, marked below.
        title: above the picture.
    """
    sides = list(zip((motif1, motif2), assignment.shape, strict=True))
    rows, columns = (motif_last(motif, size).numpy() for motif, size in sides)
    if (alignment := Alignment(assignment)).whole:
        rows, columns = matched_orders(alignment, motif1, motif2)
    colours = (node_colours(size, motif) for motif, size in sides)
    image = draw_cells(axes, assignment.detach().cpu().numpy(), rows, columns, *colours)
    axes.set_xlabel("node of G2", labelpad=LABEL_PAD)
    axes.set_ylabel("node of G1", labelpad=LABEL_PAD)
    axes.set_title(title)
    figure = axes.get_figure(root=True)
    assert figure is not None
    bar = figure.colorbar(image, ax=axes, label="share of the node of G2", shrink=0.8)
    bar.outline.set_visible(False)
    return bar


def motif_last(motif: Tensor | None, number: int) -> Tensor:
    """Return an order of the nodes in which those of the motif come last."""
    return torch.arange(number) if motif is None else motif.cpu().long().argsort(stable=True)


def matched_orders(
    alignment: Alignment, motif1: Tensor | None, motif2: Tensor | None
) -> tuple[Order, Order]:
    """Return an order of the nodes of G1 and one of those of G2 in which counterparts have like
    ranks: motif nodes come last, and before them those without counterpart.

    Args:
        alignment: in which a node of G2 goes to one node of G1 or to none.
        motif1, motif2: ground truth, where the data has it.
    """
    n1, n2 = alignment.M.shape
    alone = ~alignment.matched1.cpu().numpy()
    rows = np.lexsort((np.arange(n1), alone, _marked(motif1, n1)))
    rank, counterpart = rows.argsort(), alignment.counterpart.cpu().numpy()
    wanted = np.where(counterpart < 0, n1, np.append(rank, n1)[counterpart])
    return rows, np.lexsort((np.arange(n2), wanted, _marked(motif2, n2)))


def _marked(motif: Tensor | None, number: int) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (
        np.zeros(number, dtype=np.bool_) if motif is None else motif.cpu().numpy().astype(bool)
    )
    return found


def draw_cells(
    axes: Axes,
    M: NDArray[Any],
    rows: Order,
    columns: Order,
    colours1: Sequence[str] | Colours,
    colours2: Sequence[str] | Colours,
) -> AxesImage:
    """Draw the entries of M, and along its sides the colours of its nodes.

    Args:
        axes: where.
        M: `[n1, n2]`.
        rows, columns: the nodes of G1 and G2 in the order in which to draw them.
        colours1, colours2: of the nodes of G1 and G2.
    """
    image = axes.imshow(M[rows][:, columns], style.MASS, aspect="auto", vmin=0, vmax=1)
    image.set_interpolation("nearest")
    beside, below, near = axes.get_yaxis_transform(), axes.get_xaxis_transform(), -STRIP_FROM
    marks = [
        Rectangle((near, place - 0.5), -STRIP, 1, transform=beside, color=colours1[node])
        for place, node in enumerate(rows)
    ]
    marks += [
        Rectangle((place - 0.5, near), 1, -STRIP, transform=below, color=colours2[node])
        for place, node in enumerate(columns)
    ]
    for mark in marks:
        mark.set(linewidth=SEAM, clip_on=False)
        axes.add_patch(mark)
    style.bare(axes)
    return image
