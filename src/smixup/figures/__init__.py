"""Pictures and pages: graphs, assignments, mixed pairs, learning curves, and the report that shows them.

Every picture is a `matplotlib.figure.Figure` of its own, without global state, and is written as SVG into the page.
"""

from smixup.figures.learning_curves import Series, draw_curve
from smixup.figures.mixed_pair import MixedPair, draw_assignment, draw_mixed_pair
from smixup.figures.report import Code, Picture, Prose, Report, Section, Table

__all__ = [
    "Code",
    "MixedPair",
    "Picture",
    "Prose",
    "Report",
    "Section",
    "Series",
    "Table",
    "draw_assignment",
    "draw_curve",
    "draw_mixed_pair",
]
