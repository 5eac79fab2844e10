"""A soft assignment M (Eq. 8) as a heat map, motif nodes marked on both axes."""

from __future__ import annotations

import torch
from matplotlib.axes import Axes
from matplotlib.colorbar import Colorbar
from matplotlib.patches import Rectangle
from torch import Tensor

from smixup.lab.figures import style

STRIP = 0.6


def draw_heat_map(
    axes: Axes,
    assignment: Tensor,
    motif1: Tensor | None = None,
    motif2: Tensor | None = None,
    title: str = "",
) -> Colorbar:
    """Draw M; base nodes come first on both axes, so that motif onto motif is the lower right
    corner.

    Args:
        axes: where; its figure gets a colour bar.
        assignment: `M [n1, n2]`.
        motif1: `[n1]`, the motif of G1, marked at the left.
        motif2: `[n2]`, the motif of G2, marked below.
        title: above the picture.
    """
    rows, columns = (
        motif_last(motif, size)
        for motif, size in zip((motif1, motif2), assignment.shape, strict=True)
    )
    values = assignment.detach().cpu()[rows][:, columns]
    image = axes.imshow(
        values.numpy(), cmap=style.MASS, vmin=0, vmax=1, aspect="auto", interpolation="nearest"
    )
    _mark_rows(axes, motif1, rows)
    _mark_columns(axes, motif2, columns, assignment.size(0))
    axes.set_xlabel("node of G2")
    axes.set_ylabel("node of G1")
    axes.set_title(title)
    style.bare(axes)
    figure = axes.get_figure(root=True)
    assert figure is not None
    bar = figure.colorbar(image, ax=axes, label="share of the G2 node", shrink=0.8)
    bar.outline.set_visible(False)
    return bar


def motif_last(motif: Tensor | None, number: int) -> Tensor:
    """Return an order of the nodes in which those of the motif come last."""
    return torch.arange(number) if motif is None else motif.cpu().long().argsort(stable=True)


def _mark_rows(axes: Axes, motif: Tensor | None, order: Tensor) -> None:
    """Put a strip of colours at the left of the rows."""
    for place, node in enumerate(order.tolist()):
        colour = style.MOTIF if motif is not None and motif[node] else style.BASE
        axes.add_patch(_square(-0.5 - 2 * STRIP, place - 0.5, STRIP, 1.0, colour))
    axes.set_xlim(left=-0.5 - 2 * STRIP)


def _mark_columns(axes: Axes, motif: Tensor | None, order: Tensor, rows: int) -> None:
    """Put a strip of colours below the columns."""
    for place, node in enumerate(order.tolist()):
        colour = style.MOTIF if motif is not None and motif[node] else style.BASE
        axes.add_patch(_square(place - 0.5, rows - 0.5 + STRIP, 1.0, STRIP, colour))
    axes.set_ylim(bottom=rows - 0.5 + 2 * STRIP)


def _square(x: float, y: float, width: float, height: float, colour: str) -> Rectangle:
    return Rectangle((x, y), width, height, facecolor=colour, edgecolor="none")
