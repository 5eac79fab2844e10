"""What watches over a model in a foreign loop while it trains on mixes.

Its batch norms go by the originals, and the first mixed batch shows whether it uses the weights of
edges. Which batch a model sees is known from the batch itself, which says how many of its graphs
are originals, or from the sizes of the tensors that the model is given: a loader may be some
batches ahead. Behind a pooling layer there are other rows; the layer returns a vector `batch` with
them, which says the graph of each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from smixup.augment.norms import ByOriginals, NormGuard, Rows
from smixup.augment.weights import (
    IgnoredEdgeWeight,
    advice,
    has_edges_of,
    ignores_weights,
    is_weighted,
    leaves,
)
from smixup.errors import warn_user

if TYPE_CHECKING:
    from torch_geometric.data import Batch

    from smixup.augment.base import Augmentation

MARK = "_smixup_originals"
"""Where a batch keeps how many of its first graphs are originals; it goes with a copy, to another
device, and from a worker to the main process.
"""
REMEMBERED = 256
"""Batches that are remembered by their size."""


class Seen(NamedTuple):
    """What is known of a batch: its rows, its graphs, and how many of these are originals."""

    rows: Rows
    graphs: int
    originals: int


class ModelGuard:
    """Watches over a model from now on, until `remove`.

    Example::

        guard = mix.guard(model)        # or `with mix.training(model):`
        ...
        guard.remove()
    """

    def __init__(self, augmentation: Augmentation, model: nn.Module) -> None:
        self.augmentation, self.active = augmentation, True
        self.asks = augmentation.averages_edges
        self.norms = NormGuard(model if augmentation.norm_from_originals else nn.Identity())
        self.latest: Batch | None = None
        self.deaf: nn.Module | None = None
        self.seen = Seen({}, 0, 0)
        self.recent: dict[tuple[int, int], Seen] = {}
        self.handles: list[RemovableHandle] = []
        if not (self.asks or self.norms.names):
            return
        _leave_uncompiled(ByOriginals, "__call__")
        _leave_uncompiled(ModelGuard, "_learn")
        for module in model.modules():
            own = not type(module).__module__.startswith("torch.")  # not a layer of torch itself
            if own or any(True for _ in module.children()):
                enter = module.register_forward_pre_hook(self._enter, with_kwargs=True)
                self.handles += [enter, module.register_forward_hook(self._leave)]

    def __reduce__(self) -> tuple[type[ModelGuard], tuple[Augmentation, nn.Module]]:
        """A copy of a model, with its hooks, is not guarded."""
        from smixup.augment.base import Augmentation

        return ModelGuard, (Augmentation(), nn.Identity())

    def remove(self) -> None:
        """Leave the model as it was."""
        self.active = False
        self.norms.remove()
        self.recent.clear()
        self.latest = None
        for handle in self.handles:
            handle.remove()

    def tell(self, batch: Batch, originals: int) -> None:
        """Hear of the next batch, the first graphs of which are originals."""
        key, seen = (batch.num_nodes, batch.num_edges), _seen(batch, originals)
        self.recent.pop(key, None)
        self.recent[key] = seen
        if len(self.recent) > REMEMBERED:
            del self.recent[next(iter(self.recent))]
        self.latest = batch if self.asks else None
        self._go_by(seen)

    def _go_by(self, seen: Seen) -> None:
        self.seen, self.norms.rows = seen, dict(seen.rows)

    def _enter(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """See which batch a module is given, and ask the outermost one with edges once."""
        if torch.compiler.is_compiling() or not module.training:
            return
        from torch_geometric.data import Batch

        given = [*args, *kwargs.values()]
        batch = next((value for value in given if isinstance(value, Batch)), None)
        if batch is not None:
            known = self.recent.get((batch.num_nodes, batch.num_edges))
            originals = batch.num_graphs if known is None else known.originals
            self._go_by(_seen(batch, getattr(batch, MARK, originals)))
        else:
            tensors = [value for value in given if isinstance(value, Tensor) and value.dim() > 0]
            nodes = {len(tensor) for tensor in tensors}
            edges = {tensor.size(1) for tensor in tensors if tensor.dim() == 2 and len(tensor) == 2}
            fitting = [seen for (n, m), seen in self.recent.items() if n in nodes and m in edges]
            if fitting and fitting[-1] is not self.seen:
                self._go_by(fitting[-1])
        batch = batch or self.latest
        if self.asks and batch is not None and is_weighted(batch) and has_edges_of(batch, given):
            self.asks, self.latest = False, None
            if ignores_weights(module, args, kwargs, batch):
                stopped = self.augmentation.on_deaf_model()
                self.deaf = module if stopped else None
                self._warn(module, stopped)

    def _warn(self, module: nn.Module, stopped: bool) -> None:
        until = "; until then, nothing is mixed" if stopped else ""
        warn_user(
            "the model takes no notice of edge weights, so it sees every edge of a mix in full, "
            f"however small its weight: {advice(module)}; or mix without weights, by "
            f'SMixup(edges="sampled"){until}.',
            IgnoredEdgeWeight,
        )

    def _leave(self, module: nn.Module, args: tuple[Any, ...], output: object) -> Tensor | None:
        if module is self.deaf:  # it takes no step on mixes: they would stay in Adam's averages
            (_, graphs, k), self.deaf = self.seen, None
            if isinstance(output, Tensor) and len(output) == graphs:
                return torch.cat([output[:k], output[k:].detach()])
        if module.training and (not isinstance(output, Tensor) or output.dim() > 2):
            self._learn(output)
        return None

    def _learn(self, output: object) -> None:
        """Learn from a vector `batch` among what a module returns, and from dense graphs."""
        if self.norms.rows:
            tensors = [value for value in leaves(output) if isinstance(value, Tensor)]
            pooled = pooled_rows(tensors, self.seen.graphs, self.seen.originals)
            self.norms.rows |= pooled | self.seen.rows


def _seen(batch: Batch, originals: int) -> Seen:
    """Return what is known of a batch whose first graphs are originals."""
    rows: Rows = {}
    if batch.num_graphs > originals:
        nodes = int(batch.ptr[originals])
        if batch.edge_index is not None:
            rows[batch.num_edges] = int((batch.edge_index[1] < nodes).sum())
        rows |= {batch.num_graphs: originals, batch.num_nodes: nodes}
    return Seen(rows, batch.num_graphs, originals)


def pooled_rows(tensors: list[Tensor], graphs: int, originals: int) -> Rows:
    """Return the rows that a module has left of a batch, as far as what it returns says so.

    A vector `batch` has whole numbers, one per row of features that come with it, and names every
    graph; a list of kept nodes, which looks like it, does not. Dense graphs `[B, N, H]` may be
    flattened to `B * N` rows.
    """
    features = [each for each in tensors if each.is_floating_point() and each.dim() > 1]
    lengths = {len(each) for each in features}
    for vector in tensors:
        whole = vector.dtype in (torch.int64, torch.int32) and vector.dim() == 1
        if not (whole and len(vector) in lengths and len(vector)):
            continue
        if torch.equal(vector.unique(), torch.arange(graphs).to(vector)):
            mask = vector < originals
            number = int(mask.sum())
            return {len(vector): number if bool(mask[:number].all()) else mask}
    return {
        graphs * dense.size(1): originals * dense.size(1)
        for dense in features
        if dense.dim() > 2 and len(dense) == graphs
    }


def _leave_uncompiled(owner: type, name: str) -> None:
    """Let a method run as it is written in compiled models, too: which rows are originals' is new
    in every batch. `torch.compiler.disable` loads torch's compiler, and so not before it is needed.
    """
    method = vars(owner)[name]
    if not getattr(method, "_torchdynamo_disable", False):
        setattr(owner, name, torch.compiler.disable(method))
