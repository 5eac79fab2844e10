"""Matchers that learn: a network that is trained on the training split, saved and loaded."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Self

import torch
from torch import Tensor

from smixup.errors import SmixupError, UsageError, unknown_name
from smixup.graphs import AnyGraphs, Graphs, SparseOperator, require_labels
from smixup.matching import large, lessons
from smixup.matching.assign import Normalization, NormalizedMatcher
from smixup.matching.fitting import Schedule, fit_network, split_held_out
from smixup.matching.inputs import NodeInput
from smixup.matching.network import SIMILARITIES, MatchingNetwork
from smixup.matching.pairs import Pairs, require_pairs
from smixup.precision import single_precision
from smixup.progress import Progress, Report, on_terminal
from smixup.seeding import derive, generator, random_state_kept
from smixup.settings import Count, Natural, NotNegative, Positive

INPUT_SAMPLE = 512
EMBEDDING = "embedding"
"""Name under which a Siamese matcher attaches the representations of nodes."""
PUBLISHED: MappingProxyType[str, Any] = MappingProxyType(
    {
        "num_layers": 5,
        "hidden_channels": 256,
        "similarity": "cosine",
        "scale": 1.0,
        "normalization": "columns",
        "correspondences": False,
        "random_walk": 0,
        "degree": False,
        "batch_size": 256,
        "learning_rate": 1e-3,
        "max_steps": 200,
    }
)
"""Where the paper's matcher (App. C) differs from the defaults of `GraphMatcher`. Table 9 adds
depth, batch size and epochs, which depend on the dataset.
"""


@dataclass
class LearnedMatcher(NormalizedMatcher):
    """What the learned matchers share: what they learn, how they learn it, and what becomes of it.

    Attributes:
        num_layers, hidden_channels: depth and width of the network.
        similarity: how alike two nodes are, Eq. (8): `euclidean` or `cosine`.
        scale: factor of the similarity; learnt from there on if correspondences are taught.
        normalization, encode: see `NormalizedMatcher`.
        temperature: divides the similarity before it is normalised.
        triplets: learn which graphs are alike, from their classes, or from labels and values that
            are near and far.
        correspondences: learn which nodes are alike, from shuffled copies; needs no labels.
        margin: gamma of Eq. (9).
        random_walk, degree: see `NodeInput`.
        batch_size: examples of each objective in a step.
        learning_rate: the largest step of Adam; it rises over the first steps and falls to zero at
            the last.
        max_steps: when to stop at the latest.
        evaluate_every: steps between two looks at the held-out graphs.
        patience: looks without improvement after which training has converged.
        epochs: if given, decides the steps in place of `max_steps`: an epoch shows as many examples
            of each objective as there are training graphs.
        seed: the seed of everything random.

    Learnt by `fit`, which changes none of the above:

    - `network`, `inputs`: the weights, and the scale of the nodes' input.
    - `codes`: how many values each column of `x` may take, where `encode` says it holds codes.
    - `fit_scores`: how well it does what it was trained for, on training graphs that were kept
      apart; of too few graphs, none are.
    """

    num_layers: Count = 4
    hidden_channels: Count = 64
    similarity: str = "euclidean"
    scale: Positive = 8.0
    normalization: str | Normalization = field(default="one-to-one", kw_only=True)
    temperature: Positive = 1.0
    triplets: bool = True
    correspondences: bool = True
    margin: NotNegative = 1.0
    random_walk: Natural = 8
    degree: bool = True
    batch_size: Count = 20
    learning_rate: Positive = 3e-3
    max_steps: Count = 120
    evaluate_every: Count = 25
    patience: Count = 4
    epochs: Count | None = None
    seed: Natural = 0
    network: MatchingNetwork | None = field(default=None, init=False, repr=False, compare=False)
    inputs: NodeInput | None = field(default=None, init=False, repr=False, compare=False)
    fit_scores: dict[str, float] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    kind: ClassVar[str]
    """Name of the class in saved files."""
    attention: ClassVar[bool]
    """Whether the nodes of a graph see those of its partner."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.similarity not in SIMILARITIES:
            raise unknown_name("similarity", self.similarity, SIMILARITIES)
        if not (self.triplets or self.correspondences):
            raise UsageError(
                "a matcher learns from triplets, from correspondences or from both; both are off."
            )

    @abstractmethod
    def pairs(self, left: Graphs, right: Graphs) -> Pairs:
        """Return pairs of prepared graphs as they are matched."""

    @abstractmethod
    def represented(self, pairs: Pairs) -> Tensor:
        """Return the representations of the nodes of pairs, left graphs first, `[n1 + n2, H]`."""

    def scores(self, pairs: Pairs) -> Iterable[Tensor]:
        assert self.network is not None
        scores = self.network.pair_scores(self.represented(pairs), pairs)
        return (score / self.temperature for score in scores)

    @property
    def fitted(self) -> bool:
        return self.network is not None

    @property
    def settings(self) -> dict[str, Any]:
        """All that the constructor takes, ready for JSON."""
        own = {each.name: getattr(self, each.name) for each in fields(self) if each.init}
        encode = None if self.encode is None else str(self.encode)
        return own | {"normalization": str(self.normalization), "encode": encode}

    def build(self, num_features: int) -> tuple[MatchingNetwork, NodeInput]:
        """Return a fresh network and its input for data of the given width."""
        inputs = NodeInput(num_features, self.random_walk, self.degree)
        network = MatchingNetwork(
            inputs.width,
            self.hidden_channels,
            self.num_layers,
            self.attention,
            self.similarity,
            self.scale,
        )
        return network, inputs

    @single_precision()
    def fit(self, train: AnyGraphs, report: Report = on_terminal) -> Self:
        """Train a fresh network on the training split.

        Args:
            train: `Graphs`, a PyG dataset, or a list of `Data`; labels are needed for triplets.
            report: told where training stands; by default a bar. `smixup.silent` tells nobody.
        """
        train = self.learn_from(train)
        if self.triplets:
            require_labels(train)
        if not self.correspondences and lessons.triplets_of(train, self.seed) is None:
            raise SmixupError(
                "these targets tell no graph from another: they are all the same, or not known; "
                "teach correspondences instead."
            )
        self.num_classes = train.num_classes or None if train.has_classes else None
        report(Progress("matcher", 0, self._schedule(len(train)).max_steps))
        network, inputs = self._begin(train)
        known, held_out = split_held_out(inputs.prepare(train), self.seed, self.triplets)
        objectives = self._objectives(known, inputs), self._objectives(held_out, inputs)
        self.fit_scores = fit_network(network, *objectives, self._schedule(len(known)), report)
        return self

    def save(self, folder: Path | str) -> None:
        """Write `matcher.safetensors` and `matcher.json` to a folder, at once or not at all."""
        from smixup.matching.storage import save_matcher

        save_matcher(self, Path(folder))

    @staticmethod
    def load(folder: Path | str) -> LearnedMatcher:
        """Read a matcher that `save` has written; it yields the same assignments."""
        from smixup.matching.storage import load_matcher

        return load_matcher(Path(folder))

    def __call__(self, left: Graphs, right: Graphs) -> SparseOperator:
        require_pairs(left, right)
        return self._assigned(self.prepare(left), self.prepare(right))

    @single_precision()
    def prepare(self, graphs: Graphs) -> Graphs:
        """Attach what the network sees of a node's place in its graph."""
        return self.ready_for(graphs)[1].prepare(graphs)

    def assign(self, prepared: Graphs, left: Tensor, right: Tensor) -> SparseOperator:
        return self._assigned(prepared[left], prepared[right])

    @torch.no_grad()
    @single_precision()
    def _assigned(self, left: Graphs, right: Graphs) -> SparseOperator:
        too_large = large.are_large(left, right)
        if not too_large.any():
            return self.assigned(self.pairs(left, right))
        pairs = too_large.nonzero().squeeze(1).split(1)
        parts = [(pair, self._by_candidates(left[pair], right[pair])) for pair in pairs]
        small = (~too_large).nonzero().squeeze(1)
        if len(small):
            parts.append((small, self.assigned(self.pairs(left[small], right[small]))))
        return large.joined(parts, left, right)

    def _by_candidates(self, left: Graphs, right: Graphs) -> SparseOperator:
        """Return the assignment of one large pair, from the scores of the nearest nodes."""
        (network, _), pairs = self.ready_for(left), self.pairs(left, right)
        h1, h2 = self.represented(pairs).split([left.num_nodes, right.num_nodes])
        factor = float(network.log_scale.exp()) / self.temperature
        near = large.Candidates.of(left, right, (h1, h2), network.similarity, factor)
        return large.as_operator(self.normalize.on_candidates(near), left.device)

    def ready_for(self, graphs: Graphs) -> tuple[MatchingNetwork, NodeInput]:
        """Return the network and its input where the graphs are, or say why it cannot be asked."""
        if self.network is None or self.inputs is None:
            raise SmixupError("this matcher has not learnt anything yet: call fit(train) or load.")
        if graphs.num_features != self.inputs.num_features:
            raise SmixupError(
                f"the graphs have {graphs.num_features} node features, but the matcher was fitted "
                f"on graphs with {self.inputs.num_features}."
            )
        return self.network.to(graphs.device), self.inputs.to(graphs.device)

    def _begin(self, train: Graphs) -> tuple[MatchingNetwork, NodeInput]:
        with random_state_kept():
            torch.manual_seed(derive(self.seed, "matcher weights"))
            network, inputs = self.build(train.num_features)
        self.network, self.inputs = network.to(train.device), inputs.to(train.device)
        order = torch.randperm(len(train), generator=generator(self.seed, "matcher inputs"))
        self.inputs.fit(train[order[:INPUT_SAMPLE]])
        return self.network, self.inputs

    def _schedule(self, num_graphs: int) -> Schedule:
        steps = self.max_steps
        if self.epochs is not None:
            steps = self.epochs * math.ceil(num_graphs / self.batch_size)
        pace = self.batch_size, self.learning_rate, steps
        return Schedule(*pace, self.evaluate_every, self.patience, self.seed)

    def _objectives(self, graphs: Graphs, inputs: NodeInput) -> list[lessons.Objective]:
        objectives: list[lessons.Objective] = []
        if self.triplets and (triplets := lessons.triplets_of(graphs, self.seed)) is not None:
            objectives.append(lessons.TripletObjective(graphs, inputs, self.margin, triplets))
        if self.correspondences:
            objectives.append(lessons.CorrespondenceObjective(graphs, inputs))
        return objectives


@dataclass
class GraphMatcher(LearnedMatcher):
    """Assignments from a graph matching network (Sec. 3.2), in which two graphs exchange messages.

    The defaults go beyond the paper: the network also learns to find the nodes of a graph in a
    shuffled copy of it, sees where in its graph a node is, and matches nodes one-to-one.
    `GraphMatcher.as_published()` is the paper's, whose assignments are soft.

    Example::

        matcher = GraphMatcher(triplets=False).fit(dataset)      # no labels needed
        M = matcher.match(data1, data2)                          # a tensor [n1, n2]
    """

    kind: ClassVar[str] = "smixup-matcher"
    attention: ClassVar[bool] = True

    @classmethod
    def as_published(cls, **changes: object) -> Self:
        """Return the paper's matcher (App. C), with some settings changed."""
        return cls(**(PUBLISHED | changes))  # type: ignore[arg-type]

    def pairs(self, left: Graphs, right: Graphs) -> Pairs:
        """Return pairs as the network sees them."""
        (_, inputs), _ = self.ready_for(left), self.ready_for(right)
        return Pairs.of(inputs(left), inputs(right))

    def represented(self, pairs: Pairs) -> Tensor:
        assert self.network is not None
        h: Tensor = self.network(pairs)
        return h


@dataclass
class SiameseMatcher(LearnedMatcher):
    """A matcher whose network sees one graph at a time: it is embedded once, however many partners
    it has.
    """

    kind: ClassVar[str] = "smixup-siamese-matcher"
    attention: ClassVar[bool] = False

    @torch.no_grad()
    @single_precision()
    def prepare(self, graphs: Graphs) -> Graphs:
        """Attach the representations of the nodes, which do not depend on a partner."""
        network, inputs = self.ready_for(graphs)
        plain = inputs(inputs.prepare(graphs))
        return graphs.replace(node_attrs={EMBEDDING: network.embed(plain.x, plain.adj)})

    def pairs(self, left: Graphs, right: Graphs) -> Pairs:
        return Pairs.of(left, right)

    def represented(self, pairs: Pairs) -> Tensor:
        return torch.cat([side.node_attrs[EMBEDDING] for side in (pairs.left, pairs.right)])
