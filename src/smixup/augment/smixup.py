"""S-Mixup: mixing graphs along alignments of their nodes (Sec. 3, Alg. 2)."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import torch
from torch import Tensor

from smixup.augment.alignments import Drawn, align, typical_weight
from smixup.augment.base import RandomAugmentation
from smixup.augment.mixing import (
    TRANSPORTS,
    Transport,
    draw_nodes,
    draw_ratio,
    interpolate,
    sample_edges,
)
from smixup.augment.pairing import Pairing, draw_partners
from smixup.errors import UsageError, require
from smixup.graphs import AnyGraphs, Graphs, PackedGraphs, SparseOperator
from smixup.graphs.codes import Codes, Layout, OneHot, layout_of, learn_codes, require_learnt
from smixup.matching import GraphMatcher, Matcher
from smixup.memory import share_of_budget
from smixup.progress import Report
from smixup.settings import Count, NotNegative

if TYPE_CHECKING:
    from smixup.augment.replay import Replay

MOST_STORED = 2**30  # bytes of alignments, or a quarter of the budget if that is less
Ratio = Literal["per-pair", "per-batch", "unfolded"]
Edges = Literal["auto", "weighted", "sampled"]
PUBLISHED_METHOD: dict[str, Any] = {
    "alpha": 0.2,
    "ratio": "per-batch",
    "transport": "paper",
    "partners": None,
    "amount": None,
}
"""Where the paper (Alg. 2, App. C) differs from the defaults, and alpha, which it searches."""


@dataclass(frozen=True)
class Mixes:
    """Mixes, and what they were made of; nothing is copied."""

    graphs: Graphs
    batch: Graphs  # the originals
    chosen: Tensor | slice  # which of them are G1
    left: Graphs  # G1 of each mix
    drawn: Drawn  # its partners
    lam: Tensor  # [B]


@dataclass
class AlignedMixing(RandomAugmentation):
    """Joins graphs with partners along alignments of their nodes, in one way or another.

    Attributes:
        matcher: yields the assignments; `fit` fits it on the training split, unless it is fitted.
        alpha: the ratio lambda is drawn from Beta(alpha, alpha); the paper tries 0.1 to 10. The
            larger, the more of a partner is in a mix: more to gain, and more to lose.
        ratio: `per-pair` draws a lambda in [0.5, 1] for every pair, `per-batch` one for the batch
            (paper), `unfolded` one in [0, 1] for every pair (Table 4).
        pairing: who is mixed with whom: `any`, or `same-class` (Table 4).
        partners: K alignments per training graph are computed once and drawn from, fewer where
            memory does not hold them; None pairs the graphs of each batch afresh (paper).
        amount: mixes per original graph, which stand beside the originals; None puts a mix in the
            place of every original (paper).
        encode: how to read `x` and `edge_attr` that are codes of categories, as in OGB's molecules:
            `one-hot`, `ogb`, `from-smiles`, or an object such as `Codes(nodes=(28,))`; see
            `graphs/codes.py`. Then each node of a mix has the features of one of its two, drawn by
            lambda, and what comes out are codes again.
        seed: the seed of everything random; None takes one from torch's own generator.
    """

    matcher: Matcher = field(default_factory=GraphMatcher)
    alpha: NotNegative = 0.2
    ratio: Ratio = "per-pair"
    pairing: Pairing = "any"
    partners: Count | None = 8
    amount: NotNegative | None = 1.0
    encode: str | Layout | None = field(default=None, kw_only=True)
    last: Mixes | None = field(default=None, init=False, repr=False, compare=False)

    norm_from_originals: ClassVar[bool] = True
    mixes_targets: ClassVar[bool] = True
    reads_features: ClassVar[bool] = True
    learns_from_disk: ClassVar[bool] = True
    threshold: ClassVar[float] = 0.0
    """Weights of A2' below this are left out, in units of the originals' mean weight."""

    def __post_init__(self) -> None:
        super().__post_init__()
        known = isinstance(self.matcher, Matcher)
        require(known, "matcher", self.matcher, "an object such as GraphMatcher()")
        self.encode = layout_of(self.encode)
        self.num_classes = self.num_classes or self.matcher.num_classes
        self.fitted = replace(self.fitted, codes=None if self.encode is None else self.encode.known)
        own, its = self.encode, self.matcher.codes or self.matcher.encode
        learnt = own == OneHot() and self.matcher.codes is not None
        if own and its and its not in (own, self.fitted.codes) and not learnt:
            raise UsageError(
                f'encode="{own}" says how to read codes, but the matcher reads them by "{its}": '
                "leave encode out."
            )

    # How graphs are joined.

    @abstractmethod
    def carry(self, M: SparseOperator, left: Graphs, right: Graphs) -> Graphs:
        """Return G2' of pairs."""

    @abstractmethod
    def mix(self, left: Graphs, moved: Graphs, lam: Tensor) -> Graphs:
        """Return the mixes of G1 and G2' at the ratios `lam [B]`."""

    def assignment(self, left: Graphs, right: Graphs) -> SparseOperator:
        """Return M along which pairs are mixed."""
        return self.matcher(left, right)

    # What is learnt.

    @property
    def codes(self) -> Codes | None:  # type: ignore[override]
        """How codes are read: as the matcher reads them, if it does."""
        if self.matcher.codes is not None:
            return self.matcher.codes
        return require_learnt(self.encode or self.matcher.encode, self.fitted.codes)

    @property
    def needs_classes(self) -> str:  # type: ignore[override]
        same = self.pairing == "same-class"
        return "with pairing=same-class mixes graphs of one class" if same else ""

    def learn_codes(self, train: AnyGraphs) -> None:
        known = isinstance(train, Graphs) and self.fitted.codes is not None
        if self.matcher.codes is None and not known:
            codes = learn_codes(self.encode or self.matcher.encode, train)
            self.fitted = replace(self.fitted, codes=codes)

    def on_fit(self, train: Graphs | PackedGraphs, report: Report) -> None:
        """Train the matcher (Alg. 1) unless it is fitted, and align every graph with its partners,
        to be drawn from in training. Alignments of graphs on disk go to a temporary folder.
        """
        if not self.matcher.fitted and isinstance(train, PackedGraphs):
            self.matcher.fit(self.sample_of(train), report)
        elif not self.matcher.fitted:
            self.matcher.codes = self.codes  # saved with it
            self.matcher.fit(train, report)
        kept, rounds = None, range(self.partners or 0)
        if rounds:
            drawn = [draw_partners(self.pairing, train, train, self.random) for _ in rounds]
            how = self.carry, self.threshold, share_of_budget(0.25, MOST_STORED), report
            kept = align(train, self.matcher, torch.cat(drawn), *how)
        self.fitted = replace(self.fitted, alignments=kept)

    # What is done to a batch.

    def beside(self, batch: Graphs) -> Graphs | None:
        return None if self.amount is None else self._mixed(batch)

    def on_batch(self, batch: Graphs) -> Graphs:
        """Mix graphs of the batch with partners (Alg. 2)."""
        if self.amount is not None:
            return super().on_batch(batch)
        mixed = self._mixed(batch)
        return batch if mixed is None else mixed

    def _mixed(self, batch: Graphs) -> Graphs | None:
        self.last = self.mixes(batch)
        return None if self.last is None else self.last.graphs

    def mixes(self, batch: Graphs) -> Mixes | None:
        """Mix graphs of a batch with partners; None if there is nothing to mix."""
        chosen = self._chosen(batch)
        left = batch if self.amount is None else batch[chosen]
        if len(left) == 0:
            return None
        drawn = self._partners(left, batch)
        number = 1 if self.ratio == "per-batch" else len(left)
        lam = draw_ratio(number, self.alpha, self.ratio != "unfolded", self.random)
        lam = lam.expand(len(left)).to(left.device)
        return Mixes(self.mix(left, drawn.moved, lam), batch, chosen, left, drawn, lam)

    def _chosen(self, batch: Graphs) -> Tensor | slice:
        """Return the places of graphs to mix; of some, a window, as their order is random."""
        if self.amount is None:
            return slice(len(batch))
        number = math.ceil(self.amount * len(batch))
        if number <= len(batch):
            first = int(torch.randint(len(batch) - number + 1, (), generator=self.random))
            return slice(first, first + number)
        return torch.arange(number, device=batch.device) % len(batch)

    def _partners(self, left: Graphs, batch: Graphs) -> Drawn:
        """Return a partner for every graph, and its G2'."""
        kept = self.fitted.alignments
        if kept is not None and kept.covers(batch):
            if kept.partner.device != left.device:
                kept = kept.to(left.device)
                self.fitted = replace(self.fitted, alignments=kept)
            return kept.draw(left.ids, self.random)
        partner = draw_partners(self.pairing, left, batch, self.random)
        right = batch[partner]
        moved = self.carry(self.assignment(left, right), left, right)
        small = self.threshold * typical_weight(batch)
        return Drawn(moved.with_adj(moved.adj.without_small(small)), batch, partner)

    def replay(self, i: int) -> Replay:
        """Tell how mix `i` of the last batch was made, counted from 0: of which two graphs, at
        which ratio, along which alignment.

        Example::

            batch = mix(batch)
            mix.replay(0)        # graph 17 with graph 4 of the training set, lambda 0.73, ...
        """
        from smixup.augment.replay import replayed  # looks at mixes, makes none

        return replayed(self, i)

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"last": None}  # a batch, which others need not have


@dataclass
class SMixup(AlignedMixing):
    """Mixes graphs with partners along alignments of their nodes, one-to-one by default, soft in
    the paper.

    Example::

        mix = SMixup().fit(train_dataset)
        with mix.training(model):            # keeps mixes out of the statistics of batch norm
            for batch in DataLoader(train_dataset, 256, shuffle=True):
                batch = mix(batch)           # originals first, then mixes; y is soft, [B', C]
                logits = model(batch.x, batch.edge_index, batch.edge_weight, batch.batch)
                loss = F.cross_entropy(logits, batch.y)

    A model must use `edge_weight`, or it takes a mix for a complete graph.

    Attributes:
        transport: from M to G2': `partial` or `paper`, see `augment/mixing.py`.
        edges: `weighted` keeps the edges of a mix with their weights (paper); `sampled` keeps each
            with its weight as probability, and gives it the weight one, for models that take no
            weights; `auto` is weighted, and mixes nothing for such a model.
    """

    transport: str | Transport = "partial(edges=true)"
    edges: Edges = "auto"
    deaf: bool = field(default=False, init=False, repr=False, compare=False)

    purpose: ClassVar[str] = "s-mixup"
    averages_edges: ClassVar[bool] = True
    threshold: ClassVar[float] = 1e-3
    """Of a one-to-one alignment no weight is that small; of columns, at least 99.8 % of the weight
    is kept on IMDB-BINARY, NCI1 and PROTEINS, in a sixth to a half of the entries.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.transport = TRANSPORTS.of(self.transport)

    @classmethod
    def as_published(cls, matcher: Matcher | None = None, **changes: Any) -> Self:
        """Return the paper's method, with its matcher unless another is given, and with some
        settings changed.
        """
        settings = PUBLISHED_METHOD | changes
        return cls(GraphMatcher.as_published() if matcher is None else matcher, **settings)

    def on_deaf_model(self) -> bool:
        """Stop mixing with `edges="auto"`: such a model would see every edge of a mix in full, and
        be worse for it.
        """
        self.deaf = True
        return self.edges == "auto"

    def mixes(self, batch: Graphs) -> Mixes | None:
        return None if self.deaf and self.edges == "auto" else super().mixes(batch)

    def carry(self, M: SparseOperator, left: Graphs, right: Graphs) -> Graphs:
        return TRANSPORTS.of(self.transport)(M, left, right)

    def mix(self, left: Graphs, moved: Graphs, lam: Tensor) -> Graphs:
        """Return the mixes of G1 and G2' at the ratios `lam [B]`, Eq. (5); features that are codes
        are drawn instead of averaged.
        """
        mixed = interpolate(left, moved, lam)
        if self.codes is not None and self.codes.are_features_of(left):
            mixed = mixed.replace(x=draw_nodes(left, moved, lam, self.random))
        return sample_edges(mixed, self.random) if self.edges == "sampled" else mixed
