"""GED-Mixup ("Is Graph Mixup Beneficial?", ICML 2026): graphs on edit paths between two graphs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

from smixup.augment.added_mixes import small_graphs
from smixup.augment.alignments import require_numbered
from smixup.augment.base import RandomAugmentation
from smixup.augment.edits import EditMaps, EditPaths, find_maps, map_pairs
from smixup.augment.mixing import draw_ratio, with_degrees
from smixup.augment.pairing import draw_any
from smixup.graphs import Graphs, PackedGraphs
from smixup.progress import Report
from smixup.settings import Count, NotNegative


@dataclass
class GEDMixup(RandomAugmentation):
    """Puts beside every graph one that lies on an edit path from it to another.

    Example::

        mix = GEDMixup().fit(train_dataset)      # finds the maps of nodes, once
        for batch in DataLoader(train_dataset, 64, shuffle=True):
            batch = mix(batch)                   # originals first, then mixes; y is soft, [B', C]

    Every node and every edge of a mix is that of one of the two graphs: no edge has a part of its
    weight, and no feature lies between two others. Graphs on the path that cost lambda of it to
    reach from the other side, `GED(G', G2) = lam GED(G1, G2)`, have the share lambda of the first.
    Nodes cost one to insert or to change, edges by weight. A mix that is torn into more connected
    parts than either of its graphs has, in all orders of the edits that were tried, is left out.

    Attributes:
        alpha: of the Beta distribution of the ratio lambda, which is in [0, 1].
        partners: K graphs with which each training graph is mixed, whose maps are found once; None
            pairs the graphs of each batch afresh, which takes some milliseconds for every mix.
        amount: mixes per original graph, which stand beside the originals.
        max_nodes: larger graphs are not mixed: a search needs time of the cube of their size.
    """

    alpha: NotNegative = 1.0
    partners: Count | None = 8
    amount: NotNegative = 1.0
    max_nodes: Count = 100
    maps: EditMaps | None = field(default=None, init=False, repr=False, compare=False)

    purpose: ClassVar[str] = "ged-mixup"
    learns_from_disk: ClassVar[bool] = True
    mixes_targets: ClassVar[bool] = True

    def on_fit(self, train: Graphs | PackedGraphs, report: Report) -> None:
        """Find maps of graphs in memory; graphs on disk are paired afresh in every batch."""
        self.maps = None
        if isinstance(train, PackedGraphs):
            return
        chosen = small_graphs(self, train, self.max_nodes)
        if self.partners is not None:
            require_numbered(train)
            how = _featured(train), self.random, report
            self.maps = find_maps(train, chosen, self.partners, *how)

    def beside(self, batch: Graphs) -> Graphs | None:
        number = math.ceil(self.amount * len(batch))
        places = draw_any(number, len(batch), self.random).to(batch.device)
        places = places[batch.sizes[places] <= self.max_nodes]
        if not len(places):
            return None
        paths = self._paths(batch[places], batch)
        lam = draw_ratio(len(places), self.alpha, False, self.random).to(batch.device)
        done, torn = paths.walked(lam, self.random)
        whole = (~torn).nonzero().squeeze(1)
        return with_degrees(paths.graphs(done, lam))[whole] if len(whole) else None

    def _paths(self, left: Graphs, batch: Graphs) -> EditPaths:
        if self.maps is not None and self.maps.covers(batch):
            self.maps = self.maps.to(left.device)
            right, number = self.maps.draw(left, self.random)
        else:
            pool = (batch.sizes <= self.max_nodes).nonzero().squeeze(1)
            right = batch[pool[draw_any(len(left), len(pool), self.random).to(pool.device)]]
            number = map_pairs(left, right, _featured(batch))
        return EditPaths.along(left, right, number, _featured(batch))


def _featured(graphs: Graphs) -> bool:
    """Tell whether features tell nodes apart; degrees change with the edges, and do not count."""
    return graphs.degree_encoding is None
