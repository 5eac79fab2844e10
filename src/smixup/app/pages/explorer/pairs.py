"""What the explorer's page knows of one pair of graphs: all that Eq. (5) needs at any lambda and
along several alignments, and where to draw it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from smixup.app.explain import Explained, symbols_of
from smixup.app.pages.explorer.entries import Entries, dense, short
from smixup.app.pages.explorer.ways import ALIGNED, SHARE_DIGITS, Way
from smixup.app.pictures.layouts import Positions, pair_layouts
from smixup.app.studies.alignment import Alignment
from smixup.app.studies.mixed_pair import TRANSPORT
from smixup.app.studies.pair_figures import distance_between
from smixup.app.studies.pair_source import require_drawable
from smixup.augment.transport import Transport
from smixup.graphs import Graphs
from smixup.matching import Matcher

PLACE_DIGITS = 3
SMALLEST = 0.5
"""The smaller of two graphs fills such a part of its frame at least, even if its edges are then
longer than those of the other.
"""


@dataclass(frozen=True)
class Side:
    """One graph of a pair.

    Attributes:
        graph: its position in the dataset.
        places: two numbers between -1 and 1 for every node `[n][2]`.
        y: its target `[C]`.
        motif: `[n]`, which nodes matter, where the data has it.
        edges: its adjacency above the diagonal; datasets are undirected.
        features: X.
        symbols: `[n]`, of its atoms, if it is a molecule.
        importance: `[n]`, by how much a model's output falls without each node, if one is given and
            there are two nodes at least.
        predicted: what that model says of the graph.
    """

    graph: int
    places: list[list[float]]
    y: list[float]
    motif: list[int] | None
    edges: Entries
    features: Entries
    symbols: list[str] | None = None
    importance: list[float] | None = None
    predicted: str = ""


@dataclass(frozen=True)
class ExplorerPair:
    """A pair.

    Attributes:
        left, right: G1 and G2.
        ways: its alignments, in the order of the switch; the first is what the page opens with.
    """

    left: Side
    right: Side
    ways: list[Way]

    @classmethod
    def of(
        cls,
        matcher: Matcher,
        left: Graphs,
        right: Graphs,
        transport: str | Transport = TRANSPORT,
        explain: Callable[[int], Explained] | None = None,
        others: Mapping[str, Matcher] | None = None,
        measured: bool = True,
        dataset: str = "",
    ) -> ExplorerPair:
        """Match two graphs, each given as a batch of one, and carry the second onto the first (Eq.
        4).

        Args:
            matcher: whose alignment the page opens with.
            left, right: G1 and G2.
            transport: the way from M to G2'.
            explain: tells what a model's prediction for a graph rests on, by its position.
            others: further matchers, by a name of `ways.METHODS`.
            measured: whether to measure what needs edit distances, which takes most of the time.
            dataset: of the graphs, which may tell what their labels mean.
        """
        for batch in (left, right):
            require_drawable(batch.num_nodes, f"graph {int(batch.ids[0])}")
        between = distance_between(left, right) if measured else None
        found = {
            name: each(left, right) for name, each in {ALIGNED: matcher, **(others or {})}.items()
        }
        alignment = Alignment(found[ALIGNED].to_dense())
        places1, places2 = framed(*pair_layouts(left, right, alignment))
        return cls(
            left=_side(left, places1, explain, dataset),
            right=_side(right, places2, explain, dataset),
            ways=[Way.along(name, M, left, right, transport, between) for name, M in found.items()],
        )


def framed(places1: Positions, places2: Positions) -> tuple[Positions, Positions]:
    """Move and scale two layouts into the square from -1 to 1, without changing their shapes: the
    larger fills it, and edges of both are drawn alike, unless the other would be too small.
    """
    sizes = [_extent(each) for each in (places1, places2)]
    scales = [max(1 / max(sizes), SMALLEST / size) for size in sizes]
    first, second = (
        _centred(each, scale) for each, scale in zip((places1, places2), scales, strict=True)
    )
    return first, second


def _extent(places: Positions) -> float:
    return (float((places.max(0) - places.min(0)).max()) if len(places) else 0.0) or 1.0


def _centred(places: Positions, scale: float) -> Positions:
    if len(places) == 0:
        return places
    found: Positions = scale * (2 * places - places.min(0) - places.max(0))
    return found


def _side(
    batch: Graphs, places: Positions, explain: Callable[[int], Explained] | None, dataset: str
) -> Side:
    place, symbols = int(batch.ids[0]), symbols_of(batch.x, dataset)
    found = None if explain is None or batch.num_nodes < 2 else explain(place)
    return Side(
        graph=place,
        places=[short(each) for each in places.round(PLACE_DIGITS)],
        y=short(dense(batch.y[0])),
        motif=None if batch.motif is None else batch.motif.int().tolist(),
        edges=Entries.above(batch.adj.to_dense()),
        features=Entries.of(dense(batch.x)),
        symbols=None if symbols is None else list(symbols),
        importance=None if found is None else short(dense(found.found.nodes).round(SHARE_DIGITS)),
        predicted="" if found is None else found.name,
    )
