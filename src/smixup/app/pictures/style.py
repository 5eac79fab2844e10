"""Colours and sizes that all pictures share, and pictures as files.

The colours are those of Okabe and Ito, which people with any of the common colour deficiencies can
tell apart. Pictures have a transparent ground and grey writing; no grey is read well on a light and
on a dark page, so a browser that is set to dark shows the writing of an SVG in a lighter one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from smixup.errors import UsageError
from smixup.files import require_writable, write_whole

MOTIF, BASE, LINK = "#d55e00", "#4a90c4", "#009e73"
INK, INK_ON_DARK = "#6a7079", "#a0a7b0"
EDGE, HOLLOW = "#6f757e", "#f7f8f9"
PALETTE = ("#8c9199", "#cc79a7", "#009e73", "#e69f00", "#56b4e9", "#d55e00", "#0072b2", "#b8a800")
AGAINST, NEITHER = PALETTE[6], "#d3d7dc"
"""Of what speaks against a prediction, and of what does neither; what speaks for it is `MOTIF`."""
MASS = LinearSegmentedColormap.from_list("mass", ["#009e7314", "#009e73b0", "#00a87b"])
FONT_SIZE, NODE_SIZE, EDGE_WIDTH = 9.0, 46.0, 1.8
DOTS_PER_INCH = 144
KINDS = (".svg", ".png")


@contextmanager
def styled() -> Iterator[None]:
    """Draw in the common style; matplotlib's own settings are as before afterwards."""
    settings: dict[Any, Any] = {
        "font.size": FONT_SIZE,
        "axes.titlesize": FONT_SIZE + 1,
        "axes.facecolor": "none",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "figure.facecolor": "none",
        "legend.frameon": False,
        "savefig.facecolor": "none",
        "svg.fonttype": "path",
        "svg.hashsalt": "smixup",
    }
    written = ("axes.edgecolor", "axes.labelcolor", "axes.titlecolor", "legend.labelcolor")
    inks = dict.fromkeys((*written, "text.color", "xtick.color", "ytick.color"), INK)
    with mpl.rc_context(settings | inks):
        yield


def new_figure(width: float, height: float) -> Figure:
    """Return an empty picture of so many inches, drawn without a screen."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def bare(axes: Axes, title: str = "") -> None:
    """Show a graph without ticks and frame, as wide as it is high."""
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.08)
    axes.set_title(title)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)


def to_svg(figure: Figure, themed: bool = False) -> str:
    """Return a picture as an `<svg>` element, the same text for the same picture; if `themed`, its
    writing has the colour of the page around it.
    """
    text = StringIO()
    with styled():
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    if themed:
        return svg.replace(INK, "currentColor")
    dark = " ".join(
        f'[style*="{kind}: {INK}"] {{ {kind}: {INK_ON_DARK} !important; }}'
        for kind in ("fill", "stroke")
    )
    end = svg.index(">") + 1
    style = f"<style>@media (prefers-color-scheme: dark) {{ {dark} }}</style>"
    return f"{svg[:end]}\n {style}{svg[end:]}"


def require_kind(path: Path) -> None:
    """Refuse a name under which no picture can be written; to be asked before long work."""
    if path.suffix.lower() not in KINDS:
        raise UsageError(f"a picture's name must end with {' or '.join(KINDS)}: {path} does not.")
    require_writable(path, "the picture")


def write_picture(figure: Figure, path: Path) -> Path:
    """Write a picture; it appears at `path` whole or not at all."""
    require_kind(path)
    if path.suffix.lower() == ".svg":
        text = f'<?xml version="1.0" encoding="utf-8"?>\n{to_svg(figure)}'
        return write_whole(path, text.encode(), "the picture")
    data = BytesIO()
    with styled():
        figure.savefig(data, format="png", dpi=DOTS_PER_INCH)
    return write_whole(path, data.getvalue(), "the picture")
