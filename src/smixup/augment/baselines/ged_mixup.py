"""GED-Mixup ("Is Graph Mixup Beneficial?", ICML 2026): graphs on edit paths between two graphs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import torch
from torch import Tensor

from smixup.augment.alignments import require_numbered
from smixup.augment.base import StructuralAugmentation
from smixup.augment.edits import EditMaps, EditPaths, MapSearch, find_maps, map_pairs
from smixup.augment.mixing import draw_ratio
from smixup.augment.pairing import draw_any
from smixup.errors import SmixupError, warn_user
from smixup.graphs import Graphs, PackedGraphs
from smixup.progress import Report
from smixup.settings import Count, Natural, NotNegative, Rounds, Steps

Label = Literal["lambda", "cost"]
Costs = Literal["unit", "features"]


@dataclass
class GEDMixup(StructuralAugmentation):
    """Puts beside every graph one that lies on an edit path from it to another.

    Example::

        mix = GEDMixup().fit(train_dataset)      # finds the maps of nodes, once
        for batch in DataLoader(train_dataset, 64, shuffle=True):
            batch = mix(batch)                   # originals first, then mixes; y is soft, [B', C]

    Every node and every edge of a mix is that of one of the two graphs: no edge has a part of its
    weight, and no feature lies between two others. Graphs on the path that cost lambda of it to
    reach from the other side, `GED(G', G2) = lam GED(G1, G2)`, have the share lambda of the first.

    Attributes:
        alpha: of the Beta distribution of the ratio lambda, which is in [0, 1].
        label: `lambda` weighs the targets by the ratio (the study); `cost` by the edits that were
            really made, which are whole ones.
        costs: `unit` counts the nodes and edges that change (the study); `features` takes for nodes
            the length of the difference of their features. Edges cost by weight.
        partners: K graphs with which each training graph is mixed, whose maps are found once; None
            pairs the graphs of each batch afresh, which takes some milliseconds for every mix.
        amount: mixes per original graph, which stand beside the originals; None puts a mix in the
            place of every original.
        tries: orders of the edits that are drawn until a mix is not torn, that is, has no more
            connected parts than either of its graphs; a pair that is torn in all of them is not
            mixed.
        starts: random starts of the search for a map, beside two that are not; more are slower and
            find shorter paths.
        exact_nodes: between graphs of at most so many nodes all maps are gone through, which up to
            9 always ends with a shortest path; with more, some searches are given up as too long.
        max_nodes: larger graphs are not mixed: a search needs time of the cube of their size.
        seed: the seed of everything random.
    """

    alpha: NotNegative = 1.0
    label: Label = "lambda"
    costs: Costs = "unit"
    partners: Count | None = 8
    amount: NotNegative | None = 1.0
    tries: Steps = 6
    starts: Rounds = 4
    exact_nodes: Natural = 9
    max_nodes: Count = 100
    maps: EditMaps | None = field(default=None, init=False, repr=False, compare=False)

    purpose: ClassVar[str] = "ged-mixup"
    learns_from_disk: ClassVar[bool] = True
    mixes_targets: ClassVar[bool] = True

    @classmethod
    def as_published(cls, **changes: Any) -> Self:
        """Return what the study fixes, with some settings changed; it searches alpha from 0.1 to 5,
        and the number of mixes.
        """
        fixed: dict[str, Any] = {"alpha": 1.0, "label": "lambda", "costs": "unit", "tries": 6}
        return cls(**fixed | changes)

    @property
    def reads_features(self) -> bool:  # type: ignore[override]
        """Whether features are numbers to compute with; otherwise they are the same or not."""
        return self.costs == "features"

    def on_fit(self, train: Graphs | PackedGraphs, report: Report) -> None:
        """Find maps of graphs in memory; graphs on disk are paired afresh in every batch."""
        self.maps = None
        if isinstance(train, PackedGraphs):
            return super().on_fit(self.sample_of(train), report)
        super().on_fit(train, report)
        chosen = self._small(train)
        self._tell_large(train, chosen)
        if self.partners is not None:
            require_numbered(train)
            self.maps = find_maps(train, chosen, self.partners, self._search, self.random, report)
        return None

    def _small(self, graphs: Graphs) -> Tensor:
        """Return the places of graphs that can be mixed."""
        return (graphs.sizes <= self.max_nodes).nonzero().squeeze(1)

    def _tell_large(self, train: Graphs, chosen: Tensor) -> None:
        """Say how many graphs are too large, and refuse if all are."""
        most, large = int(train.sizes.max()), len(train) - len(chosen)
        if large == len(train):
            raise SmixupError(
                f"GED-Mixup mixes graphs of up to {self.max_nodes} nodes, and the smallest here "
                f"has {int(train.sizes.min())}: raise max_nodes, or choose another method."
            )
        if large:
            warn_user(
                f"GED-Mixup leaves {large} of {len(train)} graphs unmixed: they have more than "
                f"{self.max_nodes} nodes, up to {most}; max_nodes={most} mixes them, slowly."
            )

    @property
    def _search(self) -> MapSearch:
        exponent = 0.0 if self.costs == "unit" else 1.0
        known = exponent if self.degree_encoding is None else None
        return MapSearch(known, self.starts, self.exact_nodes)

    def beside(self, batch: Graphs) -> Graphs | None:
        if self.amount is None:
            return None
        number = math.ceil(self.amount * len(batch))
        places = draw_any(number, len(batch), self.random).to(batch.device)
        mixes, _ = self._mixes(batch, places[batch.sizes[places] <= self.max_nodes])
        return mixes if len(mixes) else None

    def on_batch(self, batch: Graphs) -> Graphs:
        if self.amount is not None:
            return super().on_batch(batch)
        mixes, mixed = self._mixes(batch, self._small(batch))
        others = torch.ones_like(batch.sizes, dtype=torch.bool)
        others[mixed] = False
        others = others.nonzero().squeeze(1)
        both = Graphs.cat([mixes, batch[others].floating()])
        return both[torch.cat([mixed, others]).argsort()]

    def _mixes(self, batch: Graphs, places: Tensor) -> tuple[Graphs, Tensor]:
        """Mix the graphs at some places with partners; return those that are not torn, and where
        the first graph of each is.
        """
        if len(places) == 0:
            return batch[places], places
        paths = self._paths(batch[places], batch)
        lam = draw_ratio(len(places), self.alpha, False, self.random).to(batch.device)
        walked = paths.walked(lam, self.random, self.tries)
        share = walked.share.to(lam.dtype) if self.label == "cost" else lam
        mixes = self.encoded(walked.graphs(torch.where(share.isnan(), lam, share)))
        whole = (~walked.torn).nonzero().squeeze(1)
        return mixes[whole], places[whole]

    def _paths(self, left: Graphs, batch: Graphs) -> EditPaths:
        if self.maps is not None and self.maps.covers(batch):
            self.maps = self.maps.to(left.device)
            right, number = self.maps.draw(left, self.random)
        else:
            pool = self._small(batch)
            right = batch[pool[draw_any(len(left), len(pool), self.random).to(pool.device)]]
            number = map_pairs(left, right, self._search)
        return EditPaths.along(left, right, number, self._search.exponent)
