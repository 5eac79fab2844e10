"""What an augmentation is: hooks that speak of `Graphs`, and one face for all methods in a foreign
PyG loop. The base class itself is Vanilla.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.data import get_worker_info

from smixup.augment.weights import MARK, ModelGuard
from smixup.errors import SmixupError, UsageError, require, warn_user
from smixup.graphs import AnyGraphs, Codes, Graphs, PackedGraphs, as_graphs
from smixup.graphs.content import KnownGraphs
from smixup.precision import single_precision
from smixup.progress import Report, on_terminal
from smixup.seeding import RandomSource, generator
from smixup.settings import Count, Natural, RangedFields
from smixup.tasks import Task

if TYPE_CHECKING:
    from torch_geometric.data import Batch, Data

    from smixup.augment.alignments import Alignments
    from smixup.augment.replay import Replay

SAMPLE_GRAPHS, SAMPLE_NODES = 5000, 500_000  # of a split on disk, to learn from in memory
Train = TypeVar("Train", bound="Graphs | PackedGraphs | Iterable[Data]")


class UnguardedModel(UserWarning):
    """Mixes are made, and no model is known to which they go."""


@dataclass(frozen=True)
class Fitted:
    """What `fit` has learnt of the training graphs."""

    has_classes: bool | None = None  # whether targets are classes or values
    width: int | None = None  # columns of the targets
    set_id: str = ""
    known: KnownGraphs | None = None  # by which batches of a foreign loader are recognised
    codes: Codes | None = None  # how `x` and `edge_attr` that are codes of categories are read
    alignments: Alignments | None = None  # with partners


class Augmentation(RangedFields):
    """Vanilla: no augmentation, and the contract of all others.

    In a PyG loop::

        augment = SubMix().fit(train_dataset)
        for batch in DataLoader(train_dataset, 64, shuffle=True):
            batch = augment(batch)                # an ordinary Batch; y is soft where it was mixed

    A method overrides the hooks that it needs. The training loop of this package calls `set_task`,
    `fit_extend` and `bind` once, `set_epoch` in every epoch, then `on_batch` for every batch and,
    after the readout, `on_embedding`. None of them changes its argument.
    """

    norm_from_originals: ClassVar[bool] = False  # where new graphs stand behind them
    averages_edges: ClassVar[bool] = False  # an edge of a new graph may come from several
    mixes_targets: ClassVar[bool] = False  # they are soft in every batch, mixed or not
    reads_features: ClassVar[bool] = False  # codes of categories must be read before
    needs_classes: ClassVar[str] = ""  # for what, if it cannot do without them
    learns_from_disk: ClassVar[bool] = False  # `on_fit` takes graphs on disk, instead of a sample

    fitted: Fitted = Fitted()
    task: Task | None = None  # what is asked of a graph; not known in a foreign loop
    codes: Codes | None = None  # how `x` and `edge_attr` that are codes of categories are read
    num_classes: int | None = None  # how wide integer labels become; learnt by `fit`
    guards: tuple[ModelGuard, ...] = ()  # models that are watched over
    _unguarded: bool = False

    # Hooks.

    def learn_codes(self, train: AnyGraphs) -> None:
        """Find out how codes of categories are to be read."""

    def on_fit(self, train: Any, report: Report) -> None:
        """Learn from the training split: `Graphs`, or `PackedGraphs` too if it says so."""

    def on_dataset(self, train: Graphs) -> Graphs:
        """Return what to train on in place of the training split: it, and new graphs behind it."""
        return train

    def set_task(self, task: Task) -> None:
        """Take note of what is asked of a graph, and by which loss the model learns it."""
        self.task = task

    def bind(self, model: nn.Module) -> None:
        """Get to know the classifier, for methods that ask it what matters in a graph."""

    def set_epoch(self, epoch: int, epochs: int) -> None:
        """Called when epoch `epoch` of `epochs` begins, counted from 1."""

    def beside(self, batch: Graphs) -> Graphs | None:
        """Return new graphs to stand behind those of `batch`, which stay; None if there are none,
        or if the method changes the batch as a whole.
        """
        return None

    def on_batch(self, batch: Graphs) -> Graphs:
        """Return the graphs to train on in place of `batch`; `batch` itself if nothing is done."""
        new = self.beside(batch)
        return batch if new is None else Graphs.cat([batch, new])

    def on_embedding(self, h: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Return graph representations `[B, H]` and targets `[B, C]` in place of `h` and `y`."""
        return h, y

    def on_deaf_model(self) -> bool:
        """Called when the model ignores edge weights; returns True to stop mixing."""
        return False

    def replay(self, i: int) -> Replay:
        """Return how mix `i` of the last batch was made, for methods that align graphs."""
        raise UsageError(
            f"{type(self).__name__} aligns no graphs, so it has no mix to replay: SMixup and "
            "AlignedCut do."
        )

    def state_dict(self) -> dict[str, Tensor]:
        """Return what changes from batch to batch, such as the random state."""
        return {}

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        """Go back to a state of `state_dict`, after `fit`."""

    @property
    def grows(self) -> bool:
        """Whether the method may put new graphs behind the training split, before training."""
        return type(self).on_dataset is not Augmentation.on_dataset

    def require_kind(self, has_classes: bool) -> None:
        """Refuse targets that are values, where classes are needed."""
        if self.needs_classes and not has_classes:
            raise UsageError(
                f"{type(self).__name__} {self.needs_classes}, and these targets are not classes: "
                "make y integer if they are class numbers, or choose another method."
            )

    # The face in a loop of one's own.

    @single_precision()
    def fit(self, train: AnyGraphs | PackedGraphs, report: Report = on_terminal) -> Self:
        """Learn from the training split: a PyG dataset, a list of `Data`, `Graphs`, or graphs on
        disk, of which a sample is held in memory. `report` is told how far it is: by default a bar
        on a terminal; `smixup.silent` tells nobody.
        """
        known = None
        if not isinstance(train, PackedGraphs):
            data = train if hasattr(train, "__len__") else list(train)
            self.learn_codes(data)
            train = as_graphs(data, self.codes, keep_codes=not self.reads_features)
            if not isinstance(data, Graphs):
                train = train.renumbered()
                known = KnownGraphs.of(train)
        self.require_kind(train.has_classes)
        if isinstance(train, PackedGraphs) and self.grows:
            raise UsageError(
                f"{type(self).__name__} puts new graphs behind the training split, which cannot "
                "grow on disk: load it into memory, load_dataset(FOLDER), or choose another method."
            )
        kind = train.has_classes, train.num_classes
        self.fitted = Fitted(*kind, train.set_id, known, self.fitted.codes)
        if train.has_classes:
            self.num_classes = train.num_classes or self.num_classes
        if isinstance(train, PackedGraphs) and not self.learns_from_disk:
            train = self.sample_of(train)
        self.on_fit(train, report)
        return self

    def sample_of(self, train: PackedGraphs) -> Graphs:
        """Return graphs to learn from that fit into memory."""
        seed = getattr(self, "seed", None) or 0
        return train.sample(SAMPLE_GRAPHS, SAMPLE_NODES, generator(seed, "sample to learn from"))

    @single_precision()
    def extend(self, train: Train) -> Train:
        """Return the training graphs, with new ones behind them if the method makes such.

        What comes out is of the kind that went in. Where there are new graphs of PyG, all have
        soft targets and an `edge_weight`, so that they can be batched.
        """
        if isinstance(train, Graphs):
            return self.on_dataset(train)  # type: ignore[return-value]
        if isinstance(train, PackedGraphs) or not self.grows:
            return train
        from smixup.graphs.pyg import PLACE, append, attribute_kinds, require_mixable, sound_batch

        data = list(train)
        batch = sound_batch(data)
        require_mixable(batch)
        graphs = self._read(batch)
        new = self.on_dataset(graphs)[len(graphs) :]
        if not len(new):
            return data  # type: ignore[return-value]
        if PLACE not in new.graph_attrs and (lost := attribute_kinds(batch)):
            raise SmixupError(
                f"{type(self).__name__} makes graphs that have no '{min(lost)}': remove it from "
                "the training graphs before."
            )
        return append(batch, graphs, new, averaged=True).to_data_list()  # type: ignore[no-any-return]

    def fit_extend(self, train: Train, report: Report = on_terminal) -> Train:
        """Do both, in this order; a training set that has grown is numbered anew."""
        longer = self.fit(train, report).extend(train)
        if longer is train or not isinstance(longer, Graphs):
            return longer
        return longer.renumbered()  # type: ignore[return-value]

    @single_precision()
    def __call__(self, batch: Batch) -> Batch:
        """Return a new `Batch` in place of one.

        Graphs that a method keeps stay as they are, edge by edge, and so do targets, unless the
        method changes them. Further attributes come along; of a mix, those that cannot be averaged
        are its first graph's. Codes come out as codes. What cannot come along is refused by name.
        """
        from smixup.graphs.codes import restored
        from smixup.graphs.pyg import append, require_batch, require_mixable, soft, to_pyg

        require_batch(batch)
        given = batch if self.codes is None else self.codes.encode(batch)
        if self.averages_edges:
            require_mixable(given)
        graphs = self._read(given)
        self.require_kind(graphs.has_classes)
        self._require_same_targets(graphs)
        if (new := self.beside(graphs)) is not None:
            self._require_known_width(batch.y)
            out = restored(append(given, graphs, new, self.averages_edges), batch, self.codes)
        elif (changed := self.on_batch(graphs)) is graphs:
            out = soft(batch, graphs) if self.mixes_targets else batch
        else:
            out = restored(to_pyg(changed, given, self.averages_edges), batch, self.codes)
            if changed.y is graphs.y:
                out.y = batch.y
            else:
                self._require_known_width(batch.y)
        self._tell_guards(out, len(graphs))
        return out

    def _read(self, batch: Batch) -> Graphs:
        """Return the graphs of a foreign loader, with their numbers if they are training graphs."""
        from smixup.graphs.pyg import from_pyg_batch, placed

        fitted, as_codes = self.fitted, (self.codes, not self.reads_features)
        graphs = from_pyg_batch(batch, self.num_classes, *as_codes, fitted.has_classes)
        graphs = placed(graphs)
        return graphs.renumbered() if fitted.known is None else fitted.known.recognised(graphs)

    def _require_same_targets(self, graphs: Graphs) -> None:
        fitted, here = self.fitted, graphs.num_classes
        same = (fitted.width, fitted.has_classes) == (here, graphs.has_classes)
        if fitted.width and here and not same:
            kind = "classes" if fitted.has_classes else "values"
            raise SmixupError(
                f"y of this batch has {here} column{'s' * (here > 1)}, but fit saw {fitted.width} "
                f"{kind}: give all graphs targets of one kind."
            )

    def _require_known_width(self, y: Tensor | None) -> None:
        """Refuse to guess the number of classes from one batch."""
        if y is not None and self.num_classes is None and not _is_soft(y):
            raise SmixupError(
                f"{type(self).__name__} makes soft targets and must know how many classes there "
                "are: call fit(train) before, or set num_classes."
            )

    def soft_targets(self, y: Tensor) -> Tensor:
        """Return integer labels `[B]` as one-hot targets `[B, C]`; float targets stay."""
        if _is_soft(y):
            return y.float()
        self._require_known_width(y)
        assert self.num_classes is not None
        return F.one_hot(y.reshape(-1).long(), self.num_classes).float()

    def training(self, model: nn.Module) -> ModelGuard:
        """Watch over a model in a `with` block: mixes stay out of the statistics of its batch
        norms, and on the first mixed batch it is checked whether it uses the weights of edges.

        Example::

            with mix.training(model):
                for batch in loader:
                    batch = mix(batch)
                    loss = F.cross_entropy(model(batch), batch.y)

        Around `trainer.fit(model)` of Lightning it does the same. Where workers of a loader mix,
        the model must be called with the batch itself, not with its tensors.
        """
        return ModelGuard(self, model)

    def guard(self, model: nn.Module) -> ModelGuard:
        """Do what `training` does, until `remove()` is called on what is returned."""
        return self.training(model).__enter__()

    def loader(self, loader: Iterable[Batch], model: nn.Module) -> AugmentedLoader:
        """Return a loader that augments its batches while `model` trains, and guards it; after
        `model.eval()` it yields what the loader does. Nothing else of a script has to know.

        Example::

            train_loader = SMixup().fit(train_dataset).loader(train_loader, model)
        """
        return AugmentedLoader(self, loader, model)

    def _tell_guards(self, batch: Batch, originals: int) -> None:
        """Say which graphs of the next forward pass are originals."""
        mixes = batch.num_graphs > originals
        if mixes:
            setattr(batch, MARK, originals)
        for guard in self.guards:
            guard.tell(batch, originals)
        if mixes and not (self.guards or self._unguarded or get_worker_info()):
            self._unguarded = True
            warn_user(
                "no model is guarded: batch norms would see mixes beside originals, and a model "
                "that ignores edge weights would see every edge in full. Put the training loop "
                "into `with mix.training(model):`, or call `mix.guard(model)` before it.",
                UnguardedModel,
            )

    def __getstate__(self) -> dict[str, Any]:
        """A copy, in a worker or another process, guards no model."""
        return {name: value for name, value in vars(self).items() if name != "guards"}


def _is_soft(y: Tensor) -> bool:
    """Return whether targets need no number of classes: floats, and rows of several."""
    return y.is_floating_point() or (y.dim() == 2 and y.size(1) > 1)


class AugmentedLoader:
    """Stands in the place of a PyG loader, made by `Augmentation.loader`; `dataset`, `len` and all
    else is the loader's own. The model is guarded from the first batch on.
    """

    def __init__(
        self, augmentation: Augmentation, loader: Iterable[Batch], model: nn.Module
    ) -> None:
        require(isinstance(model, nn.Module), "model", type(model).__name__, "a torch.nn.Module")
        self.augmentation, self.loader, self.model = augmentation, loader, model

    def __iter__(self) -> Iterator[Batch]:
        if not any(guard.model is self.model for guard in self.augmentation.guards):
            self.augmentation.guard(self.model)  # for good: trainers load ahead of the model
        for batch in self.loader:
            yield self.augmentation(batch) if self.model.training else batch

    def __len__(self) -> int:
        return len(self.loader)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "loader" not in vars(self):
            raise AttributeError(name)
        return getattr(self.loader, name)


# What many methods share.


@dataclass
class RandomAugmentation(Augmentation):
    """A method with a source of randomness of its own, which a checkpoint keeps. Workers of a data
    loader and ranks of a distributed run draw different numbers, whatever the seed.

    Attributes:
        seed: the seed of everything random; None takes one from torch's own generator at the first
            draw, so that `torch.manual_seed` decides.
        num_classes: how wide integer labels become in a PyG loop; learnt by `fit`.
    """

    seed: Natural | None = field(default=None, kw_only=True)
    num_classes: Count | None = field(default=None, kw_only=True)
    _source: RandomSource | None = field(default=None, init=False, repr=False, compare=False)

    purpose: ClassVar[str]
    """Name of the method among those who draw from the run's seed."""

    @property
    def random(self) -> torch.Generator:
        """The source of randomness of this process."""
        if self._source is None:
            self._source = RandomSource(self.seed, self.purpose)
        return self._source.generator

    def state_dict(self) -> dict[str, Tensor]:
        return {"random": self.random.get_state()}

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        self.random.set_state(state["random"])
