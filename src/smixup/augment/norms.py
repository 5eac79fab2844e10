"""Batch norm that mixes cannot spoil: statistics of the originals, applied to all graphs.

A mix has other means and variances than the graphs that are tested. Where both are in a batch, a
batch norm that sees all of them normalises the originals by numbers that hold for neither: on
PROTEINS, with a quarter of mixes by columns in the batch, their activations shrank to a seventh
behind one norm of a GIN, and at test they have their full size again. So mean and variance are
taken from the originals, and mixes are scaled like them; in training as at test.

A norm sees rows and nothing else. Of nodes, edges and graphs it is known how many come first, for
originals stand before mixes in a batch. Behind a pooling layer there are other rows; the layer
returns a vector `batch` with them, which says the graph of each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.utils.hooks import RemovableHandle

from smixup.augment.normalize import Originals, normalize_by
from smixup.augment.weights import caller, tensors_in
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.seeding import random_state_kept
from smixup.warning import warn_user

if TYPE_CHECKING:
    from torch_geometric.data import Batch

MARK = "_smixup_originals"
"""Where a batch keeps how many of its first graphs are originals; it goes with a copy, to another
device, and from a worker to the main process.
"""
REMEMBERED = 256
"""Batches that are remembered by their size: a loader may be some of them ahead of the model."""

Rows = dict[str, tuple[int, Originals]]
"""How many rows there are of a kind, such as `nodes`, and which of them are originals'; empty if
there are no mixes."""


def rows_of(batch: Graphs, originals: int) -> Rows:
    """Return the rows of a batch whose first graphs are originals."""
    if len(batch) == originals:
        return {}
    nodes = int(batch.ptr[originals])
    return {"graphs": (len(batch), originals), "nodes": (batch.num_nodes, nodes)}


def rows_of_pyg(batch: Batch, originals: int) -> Rows:
    """Return the rows of PyG's batch whose first graphs are originals."""
    if batch.num_graphs == originals:
        return {}
    nodes = int(batch.ptr[originals])
    rows: Rows = {"graphs": (batch.num_graphs, originals), "nodes": (batch.num_nodes, nodes)}
    if batch.edge_index is None:
        return rows
    return {"edges": (batch.num_edges, int((batch.edge_index[1] < nodes).sum()))} | rows


class NormGuard:
    """Keeps mixes out of the statistics of a model's batch norms, from `install` to `remove`.

    Example::

        guard = mix.guard(model)        # or `with mix.training(model):`
        ...
        guard.remove()

    The augmentation tells it of every batch. Where the model is called with one that was made
    earlier or in a worker of a loader, or with its tensors, it goes by that one.

    Args:
        model: any module; norms are found wherever they are in it.
        active: whether to do anything.
        listens: whether to find out which batch the model is given; a loop that sets `rows` itself
            needs no hooks.

    Attributes:
        rows: those of the batch that the model sees, the latest knowledge last.
    """

    def __init__(self, model: nn.Module, active: bool = True, listens: bool = True) -> None:
        modules = dict(model.named_modules()) if active else {}
        self.norms = {name: module for name, module in modules.items() if _is_norm(module)}
        pooling = {name: module for name, module in modules.items() if _may_pool(module)}
        self.modules = pooling if listens else {}
        for name, norm in self.norms.items():
            if isinstance(norm, nn.SyncBatchNorm):
                raise UsageError(
                    f"'{name}' is a SyncBatchNorm, and which rows are mixes is not known across "
                    "processes: use BatchNorm, or train without mix.training(model)."
                )
        self.installed = False
        self.rows: Rows = {}
        self.graphs = self.originals = 0
        self.recent: dict[tuple[int, int], tuple[Rows, int, int]] = {}
        self.handles: list[RemovableHandle] = []
        self.warned: set[str] = set()

    def __reduce__(self) -> tuple[type[NormGuard], tuple[nn.Module, bool]]:
        """A copy of a model, with its hooks, is not guarded."""
        return NormGuard, (nn.Identity(), False)

    def install(self) -> Self:
        """Take the norms over, until `remove`."""
        if self.installed or not self.norms:
            return self
        self.installed = True
        _leave_uncompiled(ByOriginals, "__call__")
        _leave_uncompiled(NormGuard, "_learn")
        for name, norm in self.norms.items():
            norm.forward = ByOriginals(self, name, norm)
        for name, module in self.modules.items():
            enter = module.register_forward_pre_hook(self._recognise, with_kwargs=True)
            leave = module.register_forward_hook(partial(self._leave, name))
            self.handles += [enter, leave]
        return self

    def remove(self) -> None:
        """Give the norms back what they did before."""
        self.installed = False
        self.forget()
        self.recent.clear()
        for norm in self.norms.values():
            forward = vars(norm).get("forward")
            while isinstance(forward, ByOriginals) and not forward.guard.installed:
                forward = forward.own
                if forward is None:
                    del norm.forward  # the class's own comes back
                else:
                    norm.forward = forward
        for handle in self.handles:
            handle.remove()
        self.handles = []

    def __enter__(self) -> Self:
        return self.install()

    def __exit__(self, *error: object) -> None:
        self.remove()

    def forget(self) -> None:
        """Take what comes next for originals alone."""
        self.rows = {}

    def tell(self, batch: Batch, originals: int) -> None:
        """Hear of the next batch, the first graphs of which are originals."""
        rows, key = rows_of_pyg(batch, originals), (batch.num_nodes, batch.num_edges)
        self.recent.pop(key, None)
        self.recent[key] = rows, batch.num_graphs, originals
        if len(self.recent) > REMEMBERED:
            del self.recent[next(iter(self.recent))]
        self._go_by(rows, batch.num_graphs, originals)

    def _go_by(self, rows: Rows, graphs: int, originals: int) -> None:
        self.rows, self.graphs, self.originals = dict(rows), graphs, originals

    def _recognise(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """See which batch a module is given: a marked one, or one that was told of."""
        if torch.compiler.is_compiling() or not module.training:
            return
        from torch_geometric.data import Batch

        given = [*args, *kwargs.values()]
        batch = next((value for value in given if isinstance(value, Batch)), None)
        if batch is not None:
            originals = getattr(batch, MARK, None)
            if originals is None and self.graphs == batch.num_graphs:
                originals = self.originals  # transformed since it was made
            if originals is None:
                self.forget()
            else:
                self._go_by(rows_of_pyg(batch, originals), batch.num_graphs, originals)
            return
        tensors = [value for value in given if isinstance(value, Tensor) and value.dim() > 0]
        nodes = {tensor.size(0) for tensor in tensors}
        edges = {tensor.size(1) for tensor in tensors if tensor.dim() == 2 and len(tensor) == 2}
        known = [told for (n, m), told in self.recent.items() if n in nodes and m in edges]
        if known and known[-1][0].get("nodes") != self.rows.get("nodes"):
            self._go_by(*known[-1])

    def _leave(self, name: str, module: nn.Module, args: tuple[Any, ...], output: object) -> None:
        """Learn from a vector `batch` among what a module returns, and from dense graphs."""
        if module.training and (not isinstance(output, Tensor) or output.dim() > 2):
            self._learn(name, output)

    def _learn(self, name: str, output: object) -> None:
        if not self.rows:
            return
        pooled = pooled_rows(list(tensors_in(output)), self.graphs, self.originals)
        if pooled is not None and pooled[0] != self.rows["nodes"][0]:
            kind = f"rows behind '{name}'"
            self.rows.pop(kind, None)
            self.rows[kind] = pooled

    def warn(self, name: str, rows: int) -> None:
        """Say once of a norm that it sees rows of unknown origin."""
        if name not in self.warned:
            self.warned.add(name)
            warn_user(
                f"batch norm '{name}' sees {rows} rows, which are neither the nodes nor the graphs "
                "nor the edges of the batch, so that originals and mixes cannot be told apart "
                "there: it is normalised over both."
            )


class ByOriginals:
    """What stands in the place of a norm's `forward`.

    A copy of the norm, by `deepcopy` or pickle, has the ordinary forward again. A compiled model
    calls this as it is: which rows are originals' is new in every batch, and compiled code would be
    compiled again for each.
    """

    def __init__(self, guard: NormGuard, name: str, norm: _BatchNorm) -> None:
        self.guard, self.name, self.norm = guard, name, norm
        self.own: Callable[[Tensor], Tensor] | None = vars(norm).get("forward")
        self.usual: Callable[[Tensor], Tensor] = norm.forward
        self.kind = ""

    def __call__(self, x: Tensor) -> Tensor:
        if not self.norm.training or not self.guard.rows:
            return self.usual(x)
        originals = self._originals(len(x))
        if originals is None:
            if not isinstance(self.usual, ByOriginals):  # another guard may know
                self.guard.warn(self.name, len(x))
            return self.usual(x)
        number = originals if isinstance(originals, int) else int(originals.sum())
        if number * math.prod(x.shape[2:]) < 2:
            return self.usual(x)
        return normalize_by(self.norm, x, originals)

    def _originals(self, rows: int) -> Originals | None:
        """Return which of the rows before the norm are originals'; None if nobody knows.

        Where two kinds happen to have as many rows, it takes the one that it has had when there was
        no doubt, else the one that was learnt last.
        """
        fitting = {kind: which for kind, (total, which) in self.guard.rows.items() if total == rows}
        if not fitting:
            return None
        if len(fitting) == 1:
            (self.kind,) = fitting
        return fitting.get(self.kind, list(fitting.values())[-1])

    def __reduce__(self) -> tuple[Callable[[Any], Any], tuple[Any]]:
        return _itself, (self.usual,)


def _itself(forward: Any) -> Any:
    return forward


def _leave_uncompiled(owner: type, name: str) -> None:
    """Let a method run as it is written in compiled models, too: `torch.compiler.disable`, which
    loads torch's compiler, and so not before it is needed.
    """
    method = vars(owner)[name]
    if not getattr(method, "_torchdynamo_disable", False):
        setattr(owner, name, torch.compiler.disable(method))


def _is_norm(module: nn.Module) -> bool:
    return isinstance(module, _BatchNorm)


def _may_pool(module: nn.Module) -> bool:
    """Whether a module may be given a batch, or change its rows: not a layer of torch itself."""
    return any(True for _ in module.children()) or not type(module).__module__.startswith("torch.")


def pooled_rows(tensors: list[Tensor], graphs: int, originals: int) -> tuple[int, Originals] | None:
    """Return how many rows a module has left of a batch, and which are originals'; None if what it
    returns does not say.

    A vector `batch` has whole numbers, one per row of features that come with it, and names every
    graph; a list of kept nodes, which looks like it, does not. Dense graphs `[B, N, H]` may be
    flattened to `B * N` rows.
    """
    features = [each for each in tensors if each.is_floating_point() and each.dim() > 1]
    lengths = {len(each) for each in features}
    for vector in tensors:
        whole = vector.dtype in (torch.int64, torch.int32)
        if not (whole and vector.dim() == 1 and len(vector) in lengths and len(vector)):
            continue
        if torch.equal(vector.unique(), torch.arange(graphs).to(vector)):
            mask = vector < originals
            number = int(mask.sum())
            return len(vector), number if bool(mask[:number].all()) else mask
    for dense in features:
        if dense.dim() > 2 and len(dense) == graphs:
            return len(dense) * dense.size(1), originals * dense.size(1)
    return None


def refresh_batch_norm(
    model: nn.Module,
    loader: Iterable[Any],
    forward: Callable[..., object] | None = None,
) -> None:
    """Take the statistics of all batch norms of a model again, from original graphs.

    For a model that was trained on mixes without `mix.training(model)`, or that learnt faster than
    running averages follow. Compare fairly: refresh a model that was trained without mixing, too.

    Example::

        refresh_batch_norm(model, train_loader)
        refresh_batch_norm(model, train_loader, lambda b: model(b.x, b.edge_index, b.batch))

    Mean and variance become the averages of those of the batches, whatever the norms' momentum.
    Weights, modes and torch's random state are left as they were.

    Args:
        model: any module; without batch norm nothing happens.
        loader: batches of original graphs, such as a `DataLoader` of the training split.
        forward: calls the model: `forward(batch)` or `forward(model, batch)`; `model(batch)` if
            there is none.
    """
    norms = list(batch_norms(model))
    if not norms:
        return
    kept = [{name: buffer.clone() for name, buffer in norm.named_buffers()} for norm in norms]
    device = next((parameter.device for parameter in model.parameters()), torch.device("cpu"))
    call, number = caller(model, forward), 0
    try:
        with torch.no_grad(), random_state_kept(), statistics_anew(model):
            for batch in loader:
                call(batch.to(device) if hasattr(batch, "to") else batch)
                number += 1
        if not number:
            raise SmixupError("batch norm cannot be refreshed: the loader has no batches.")
    except BaseException:
        for norm, buffers in zip(norms, kept, strict=True):
            for name, value in buffers.items():
                norm.get_buffer(name).copy_(value)
        raise


@contextmanager
def statistics_anew(model: nn.Module) -> Iterator[None]:
    """Let the batch norms of a model average what they see in the block; they are in training mode
    there, as is all of the model.
    """
    norms = list(batch_norms(model))
    momenta = [norm.momentum for norm in norms]
    modes = {module: module.training for module in model.modules()}
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
        forward = vars(norm).get("forward")
        while isinstance(forward, ByOriginals):
            forward.guard.forget()
            forward = forward.own
    model.train()
    try:
        yield
    finally:
        for module, training in modes.items():
            module.training = training
        for norm, momentum in zip(norms, momenta, strict=True):
            norm.momentum = momentum


def batch_norms(model: nn.Module) -> Iterator[_BatchNorm]:
    """Yield the batch norms of a model, of any kind."""
    return (module for module in model.modules() if isinstance(module, _BatchNorm))
