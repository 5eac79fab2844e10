"""The learned matcher: a matching network trained on the training split."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor

from smixup.checkpoint import CheckpointFile
from smixup.errors import SmixupError, UsageError, unknown_name
from smixup.graphs import GraphBatch, GraphSet, Operator
from smixup.matching.assignment import NORMALIZATIONS, top_k
from smixup.matching.base import Graphs, Matcher, as_graph_set
from smixup.matching.calibration import calibrate
from smixup.matching.correspondence import CorrespondenceLesson
from smixup.matching.encodings import StructuralEncoding
from smixup.matching.fitting import Schedule, fit_network
from smixup.matching.inputs import NodeInput
from smixup.matching.lesson import Lesson
from smixup.matching.network import MatchingNetwork
from smixup.matching.pairs import PairBlock, Pairs
from smixup.matching.similarity import SIMILARITIES
from smixup.matching.triplet import TripletLesson
from smixup.progress import Report, silent
from smixup.seeding import derive, generator

HELD_OUT = 0.1
CALIBRATION_PAIRS = 128
INPUT_SAMPLE = 512
AFTER_TRAINING = ("normalization", "temperature", "perplexity", "top_k")


@dataclass
class GraphMatcher(Matcher):
    """Soft assignments from a graph matching network (Sec. 3.2).

    The defaults go beyond the paper: besides triplets, the network learns to find the nodes of a
    graph in a shuffled copy of it, and sees where in its graph a node is.
    `GraphMatcher.as_published()` is the paper's.

    Attributes:
        num_layers, hidden_channels: depth and width of the network.
        similarity: of the assignment, Eq. (8): `euclidean`, `cosine` or `dot`.
        attention: the similarity of the cross-graph attention, Eq. (7).
        scale: factor of the similarity; learnt from there on if correspondences are taught.
        normalization: `columns` (paper), `rows` or `sinkhorn`.
        temperature: divides the similarity before it is normalised.
        perplexity: if given, the temperature is set on training pairs so that a node of G2 is
            spread over this many nodes of G1 on average.
        top_k: if given, only so many entries of every column are kept, and M is sparse.
        triplets, correspondences: what the network is taught.
        margin: gamma of Eq. (9).
        max_drop: the largest share of edges that a shuffled copy may lose.
        random_walk, degree: structural encodings of the input, see `StructuralEncoding`.
        batch_size, learning_rate, max_steps, evaluate_every, patience: see `Schedule`.
        epochs: if given, decides the steps in place of `max_steps`: an epoch shows as many examples
            of each lesson as there are training graphs.
        seed: of everything random.
    """

    num_layers: int = 5
    hidden_channels: int = 64
    similarity: str = "euclidean"
    attention: str = "dot"
    scale: float = 8.0
    normalization: str = "columns"
    temperature: float = 1.0
    perplexity: float | None = None
    top_k: int | None = None
    triplets: bool = True
    correspondences: bool = True
    margin: float = 1.0
    max_drop: float = 0.2
    random_walk: int = 8
    degree: bool = True
    batch_size: int = 32
    learning_rate: float = 3e-3
    max_steps: int = 200
    evaluate_every: int = 25
    patience: int = 4
    epochs: int | None = None
    seed: int = 0
    network: MatchingNetwork | None = field(default=None, init=False, repr=False, compare=False)
    inputs: NodeInput | None = field(default=None, init=False, repr=False, compare=False)
    scores: dict[str, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for kind, name, known in (
            ("similarity", self.similarity, SIMILARITIES),
            ("attention", self.attention, SIMILARITIES),
            ("normalization", self.normalization, NORMALIZATIONS),
        ):
            if name not in known:
                raise unknown_name(kind, name, known)
        if not (self.triplets or self.correspondences):
            raise UsageError(
                "a matcher learns from triplets, from correspondences or from both; both are off."
            )

    @classmethod
    def as_published(cls, similarity: str = "cosine", **settings: object) -> Self:
        """Return the paper's matcher (App. C): triplets alone, the data's own features, hidden 256,
        rate 0.001.
        """
        published: dict[str, object] = {
            "hidden_channels": 256,
            "similarity": similarity,
            "scale": 1.0,
            "correspondences": False,
            "random_walk": 0,
            "degree": False,
            "batch_size": 256,
            "learning_rate": 1e-3,
        }
        return cls(**(published | settings))  # type: ignore[arg-type]

    @property
    def settings(self) -> dict[str, Any]:
        """All that the constructor takes; a calibrated temperature in place of the one given."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.init}

    def fit(self, train: Graphs, report: Report = silent, checkpoint: Path | None = None) -> Self:
        """Train a fresh network on the training split, and calibrate its temperature if a
        perplexity is wished.

        Args:
            train: a `GraphSet`, a PyG dataset, or a list of `Data`.
            report: told where training stands.
            checkpoint: a file for the state of training; if it exists, an interrupted fit goes on
                from there.
        """
        train = as_graph_set(train)
        self.num_classes = train.num_classes
        self._begin(train)
        assert self.network is not None
        known, held_out = self._split(train)
        file = None if checkpoint is None else CheckpointFile(checkpoint, self._fingerprint(train))
        lessons = self._lessons(known), self._lessons(held_out)
        self.scores = fit_network(self.network, *lessons, self._schedule(len(known)), report, file)
        if self.perplexity is not None:
            self.temperature = self._calibrated(train, self.perplexity)
        return self

    def save(self, folder: Path | str) -> None:
        """Write `matcher.safetensors` and `matcher.json` to a folder, which appears at once or not
        at all.
        """
        from smixup.matching.storage import save_matcher

        save_matcher(self, Path(folder))

    @classmethod
    def load(cls, folder: Path | str) -> GraphMatcher:
        """Read a matcher that `save` has written; it yields the same assignments."""
        from smixup.matching.storage import load_matcher

        return load_matcher(Path(folder))

    def build(self, num_features: int) -> tuple[MatchingNetwork, NodeInput]:
        """Return a fresh network and its input for data of the given width."""
        inputs = NodeInput(num_features, StructuralEncoding(self.random_walk, self.degree))
        network = MatchingNetwork(
            inputs.width,
            self.hidden_channels,
            self.num_layers,
            self.attention,
            self.similarity,
            self.scale,
        )
        return network, inputs

    def __call__(self, left: GraphBatch, right: GraphBatch) -> Operator:
        pairs = self.pairs(left, right)
        M = pairs.operator([self._assign(block) for block in pairs.blocks()])
        return M if self.top_k is None else top_k(M, self.top_k)

    def pairs(self, left: GraphBatch, right: GraphBatch) -> Pairs:
        """Return the pairs as the network sees them."""
        _, inputs = self.ready_for(left, right)
        return Pairs.of(inputs(left), inputs(right))

    def ready_for(self, left: GraphBatch, right: GraphBatch) -> tuple[MatchingNetwork, NodeInput]:
        """Return the network and its input on the device of the pairs, or say why these cannot be
        matched.
        """
        if self.network is None or self.inputs is None:
            raise SmixupError(
                "this matcher has not learnt anything yet: call fit(train) or load one."
            )
        for side, batch in (("left", left), ("right", right)):
            if batch.x.size(1) != self.inputs.num_features:
                raise SmixupError(
                    f"the {side} graphs have {batch.x.size(1)} node features, but the matcher was "
                    f"fitted on graphs with {self.inputs.num_features}."
                )
        return self.network.to(left.x.device), self.inputs.to(left.x.device)

    def _begin(self, train: GraphSet) -> None:
        with torch.random.fork_rng():
            torch.manual_seed(derive(self.seed, "matcher weights"))
            self.network, self.inputs = self.build(train.num_features)
        self.network.to(train.ptr.device)
        self.inputs.to(train.ptr.device)
        sample = torch.randperm(len(train), generator=generator(self.seed, "matcher inputs"))[
            :INPUT_SAMPLE
        ]
        self.inputs.fit(train[sample])

    def _schedule(self, num_graphs: int) -> Schedule:
        steps = (
            self.max_steps
            if self.epochs is None
            else self.epochs * math.ceil(num_graphs / self.batch_size)
        )
        return Schedule(
            self.batch_size,
            self.learning_rate,
            steps,
            self.evaluate_every,
            self.patience,
            self.seed,
        )

    def _fingerprint(self, train: GraphSet) -> str:
        """Return a text that differs between trainings: by the settings that matter to them, or by
        the graphs.
        """
        settings = {
            name: value for name, value in self.settings.items() if name not in AFTER_TRAINING
        }
        about = json.dumps(settings, sort_keys=True) + train.fingerprint()
        return sha256(about.encode()).hexdigest()[:16]

    @torch.no_grad()
    def _assign(self, block: PairBlock) -> Tensor:
        return NORMALIZATIONS[self.normalization](
            self._scores(block) / self.temperature, block.mask
        )

    @torch.no_grad()
    def _scores(self, block: PairBlock) -> Tensor:
        assert self.network is not None
        return self.network.scores(*self.network(block))

    def _lessons(self, graphs: GraphSet) -> Sequence[Lesson]:
        assert self.inputs is not None
        lessons: list[Lesson] = []
        if self.triplets and graphs.labels.unique().numel() > 1:
            lessons.append(TripletLesson(graphs, self.inputs, self.margin))
        if self.correspondences:
            lessons.append(CorrespondenceLesson(graphs, self.inputs, self.max_drop))
        if not lessons:
            raise SmixupError(
                "triplets need graphs of two classes at least; teach correspondences instead."
            )
        return lessons

    def _split(self, train: GraphSet) -> tuple[GraphSet, GraphSet]:
        order = torch.randperm(len(train), generator=generator(self.seed, "matcher split"))
        count = int(HELD_OUT * len(train))
        held_out = train.subset(order[:count])
        if count == 0 or held_out.labels.unique().numel() < train.labels.unique().numel():
            return train, train
        return train.subset(order[count:]), held_out

    def _calibrated(self, train: GraphSet, perplexity: float) -> float:
        left, right = torch.randint(
            len(train), (2, CALIBRATION_PAIRS), generator=generator(self.seed, "calibration")
        )
        blocks = list(self.pairs(train[left], train[right]).blocks())
        scores = [self._scores(block) for block in blocks]
        return calibrate(
            scores, [block.mask for block in blocks], NORMALIZATIONS[self.normalization], perplexity
        )
