"""The guard of a model's batch norms in a PyG loop: it learns which rows are originals'.

A norm sees rows and nothing else. Of nodes, edges and graphs it is known how many come first, for
originals stand before mixes in a batch. Behind a pooling layer there are other rows; the layer
returns a vector `batch` with them, which says the graph of each. What no module returns cannot be
known, and the norm says so once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from smixup.augment.batch_norm import OriginalNorms, Rows
from smixup.augment.calling import tensors_in
from smixup.augment.normalize import Originals
from smixup.augment.not_compiled import not_compiled

if TYPE_CHECKING:
    from torch_geometric.data import Batch

MARK = "_smixup_originals"
"""Where a batch keeps how many of its first graphs are originals; it goes with a copy, to another
device, and from a worker to the main process.
"""
REMEMBERED = 256
"""Batches that are remembered by their size: a loader may be some of them ahead of the model."""


@dataclass(frozen=True)
class BatchRows:
    """What is known of a batch: its graphs, its originals, and the rows of each."""

    num_graphs: int
    originals: int
    rows: Rows

    @classmethod
    def of(cls, batch: Batch, originals: int) -> Self:
        """Look at a batch whose first graphs are originals."""
        count = int(batch.num_graphs)
        if count == originals:
            return cls(count, originals, {})
        nodes = int(batch.ptr[originals])
        rows: Rows = {"graphs": (count, originals), "nodes": (int(batch.num_nodes), nodes)}
        if batch.edge_index is not None:
            edges = int((batch.edge_index[1] < nodes).sum())
            rows = {"edges": (int(batch.num_edges), edges)} | rows
        return cls(count, originals, rows)


def mark(batch: Batch, originals: int) -> None:
    """Write on a batch how many of its first graphs are originals."""
    setattr(batch, MARK, originals)


class NormGuard(OriginalNorms):
    """Keeps mixes out of the statistics of a model's batch norms, from `install` to `remove`.

    Example::

        guard = mix.guard(model)        # or `with mix.training(model):`
        ...
        guard.remove()

    The guard is told of every batch by the augmentation that makes it. Where the model is called
    with a batch, or with tensors of a batch, that was made earlier or in a worker of a loader, it
    goes by that one.
    """

    def __init__(self, model: nn.Module, active: bool = True) -> None:
        super().__init__(model, active)
        self.model = model
        self.batch: BatchRows | None = None
        self.recent: dict[tuple[int, int], BatchRows] = {}
        self.inside: nn.Module | None = None
        self.handles: list[RemovableHandle] = []

    def __reduce__(self) -> tuple[type[NormGuard], tuple[nn.Module, bool]]:
        """A copy of an augmentation, in a worker or another process, guards no model."""
        return type(self), (nn.Identity(), False)

    def install(self) -> Self:
        if not self.installed and self.norms:
            not_compiled(NormGuard, "_read")
            for name, module in self.model.named_modules():
                if _has_norms(module):
                    self.handles += self._listen(module)
                if not type(module).__module__.startswith("torch."):
                    learn = partial(self._learn, name)
                    self.handles.append(module.register_forward_hook(learn))
            super().install()
        return self

    def remove(self) -> None:
        super().remove()
        for handle in self.handles:
            handle.remove()
        self.handles, self.batch, self.inside = [], None, None
        self.recent.clear()

    def tell(self, batch: Batch, originals: int) -> None:
        """Hear of the next batch, the first graphs of which are originals."""
        known = BatchRows.of(batch, originals)
        key = int(batch.num_nodes), int(batch.num_edges)
        self.recent.pop(key, None)
        self.recent[key] = known
        if len(self.recent) > REMEMBERED:
            del self.recent[next(iter(self.recent))]
        self.inside = None
        self._go_by(known)

    def forget(self) -> None:
        super().forget()
        self.batch = None

    def _go_by(self, known: BatchRows) -> None:
        self.batch, self.rows = known, dict(known.rows)

    # Which batch is it?

    def _listen(self, module: nn.Module) -> Iterator[RemovableHandle]:
        yield module.register_forward_pre_hook(self._enter, with_kwargs=True)
        yield module.register_forward_hook(self._leave)

    def _enter(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Before the outermost of the model's modules, see which batch it is given."""
        if torch.compiler.is_compiling() or self.inside not in (None, module):
            return
        self.inside = module
        if module.training:
            self._recognise([*args, *kwargs.values()])

    def _leave(self, module: nn.Module, args: tuple[Any, ...], output: object) -> None:
        if not torch.compiler.is_compiling() and self.inside is module:
            self.inside = None

    def _recognise(self, given: Iterable[object]) -> None:
        from torch_geometric.data import Batch

        found = next((each for each in given if isinstance(each, Batch)), None)
        if found is not None:
            self._recognise_batch(found)
            return
        tensors = [each for each in given if isinstance(each, Tensor) and each.dim() > 0]
        nodes = {each.size(0) for each in tensors}
        edges = {each.size(1) for each in tensors if each.dim() == 2 and each.size(0) == 2}
        known = [batch for (n, m), batch in self.recent.items() if n in nodes and m in edges]
        if known and known[-1] is not self.batch:
            self._go_by(known[-1])

    def _recognise_batch(self, batch: Batch) -> None:
        """Go by the mark; without one, it is the batch that was told of, perhaps transformed
        since, if it has as many graphs, and another one if not.
        """
        originals = getattr(batch, MARK, None)
        if originals is None and self.batch and self.batch.num_graphs == batch.num_graphs:
            originals = self.batch.originals
        if originals is None:
            self.forget()
        else:
            self._go_by(BatchRows.of(batch, originals))

    # Which rows are there behind a module?

    def _learn(self, name: str, module: nn.Module, args: tuple[Any, ...], output: object) -> None:
        """Learn from a vector `batch` among what a module returns, and from dense graphs."""
        if module.training and (not isinstance(output, Tensor) or output.dim() > 2):
            self._read(name, output)

    def _read(self, name: str, output: object) -> None:
        if self.batch is None or not self.batch.rows:
            return
        found = pooled_rows(list(tensors_in(output)), self.batch)
        if found is not None and found[0] != self.batch.rows["nodes"][0]:
            kind = f"rows behind '{name}'"
            self.rows.pop(kind, None)
            self.rows[kind] = found


def pooled_rows(tensors: list[Tensor], batch: BatchRows) -> tuple[int, Originals] | None:
    """Return how many rows a module has left of a batch, and which are originals'; None if what it
    returns does not say.

    A vector `batch` has whole numbers, one per row of features that come with it, and names every
    graph; a list of kept nodes, which looks like it, does not. Dense graphs `[B, N, H]` may be
    flattened to `B * N` rows.
    """
    features = [each for each in tensors if each.is_floating_point() and each.dim() > 1]
    lengths = {len(each) for each in features}
    for each in tensors:
        whole = not (each.is_floating_point() or each.is_complex() or each.dtype == torch.bool)
        if whole and each.dim() == 1 and len(each) in lengths and _names_all(each, batch):
            mask = each < batch.originals
            number = int(mask.sum())
            return len(each), number if bool(mask[:number].all()) else mask
    for each in features:
        if each.dim() > 2 and len(each) == batch.num_graphs:
            return len(each) * each.size(1), batch.originals * each.size(1)
    return None


def _names_all(vector: Tensor, batch: BatchRows) -> bool:
    return len(vector) > 0 and torch.equal(
        vector.unique(), torch.arange(batch.num_graphs, dtype=vector.dtype, device=vector.device)
    )


def _has_norms(module: nn.Module) -> bool:
    from torch.nn.modules.batchnorm import _BatchNorm

    inner = (each for each in module.modules() if each is not module)
    return any(isinstance(each, _BatchNorm) for each in inner)
