"""Looks on as the first mixes pass through a model, and says what would go wrong.

Two things make mixing hurt without a word: batch norms that see mixes, and layers that do not hear
edge weights. Both show when a model is called with a mixed batch, and both can be said then, with
the line to change. Nobody has to ask for it: torch calls global hooks at every call of a module.
They are taken away after the first pass.
"""

from __future__ import annotations

import sys
import warnings
from threading import get_ident
from typing import TYPE_CHECKING, Any
from weakref import finalize

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.module import (
    _global_forward_hooks_with_kwargs,
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from torch.utils.data import get_worker_info
from torch.utils.hooks import RemovableHandle

from smixup.augment.batch_norm import is_guarded
from smixup.augment.edge_weight import (
    CAN_RUN_EAGERLY,
    IgnoredEdgeWeight,
    advice,
    is_compiled,
    output_differs,
    some,
)
from smixup.augment.handed_out import HandedOut, mapped
from smixup.warning import warn_user

if TYPE_CHECKING:
    from torch_geometric.data import Batch

    from smixup.augment.base import Augmentation

TRIES = 3
"""Batches that are followed until one is seen to enter a model."""
PATIENCE = 10_000
"""Calls of modules after which nobody waits any longer."""
ABOUT_HOOKS = r"Using `torch\.compile\(module\)` when there are global hooks"
"""What torch says of a compiled model in the presence of hooks; these do not mind."""


class UnguardedBatchNorm(UserWarning):
    """A model's batch norms take their statistics from mixes, too."""


class FirstPass:
    """What an augmentation knows of the model that its mixes go to.

    A copy, in another process or of another augmentation, begins anew.
    """

    def __init__(self) -> None:
        self.tries = 0
        self.weights_known = self.norms_known = False
        self.watch: Watch | None = None

    def __reduce__(self) -> tuple[type[FirstPass], tuple[()]]:
        return FirstPass, ()

    def expect(self, augmentation: Augmentation, batch: Batch, originals: int) -> None:
        """Follow a batch to the model, unless all is known; what was followed before is given up.

        A worker of a loader has no model.
        """
        if self.watch is not None:
            self.watch.stop()
            if compiled_frames() > self.watch.frames:
                # A model that is compiled in its place shows nothing, and is compiled again for
                # every hook.
                self.tries = TRIES
            self.watch = None
        if self.tries == TRIES or get_worker_info() is not None:
            return
        normed = augmentation.norm_from_originals and batch.num_graphs > originals
        weighted = augmentation.averages_edges and batch.edge_weight is not None
        normed = normed and not self.norms_known
        weighted = weighted and not self.weights_known and bool((batch.edge_weight != 1).any())
        if normed or weighted:
            self.tries += 1
            self.watch = Watch(self, augmentation, batch, originals, normed, weighted)


class Watch:
    """Follows one batch: looks at every module that is called from outside, until one is given the
    edges of the batch, or until the batch is deleted.
    """

    def __init__(
        self,
        known: FirstPass,
        augmentation: Augmentation,
        batch: Batch,
        originals: int,
        normed: bool,
        weighted: bool,
    ) -> None:
        self.known, self.augmentation = known, augmentation
        self.num_graphs, self.originals = int(batch.num_graphs), originals
        self.normed, self.weighted = normed, weighted
        self.batch = HandedOut(batch)
        self.calls, self.thread, self.in_layers = 0, get_ident(), False
        self.frames = compiled_frames()
        self.ends = [finalize(each, self._lose) for each in (batch, batch.edge_index)]
        for end in self.ends:
            end.atexit = False
        self.stack: list[tuple[Any, ...]] = []
        self.handles: list[RemovableHandle] = []
        self._install()
        warnings.filterwarnings("ignore", ABOUT_HOOKS, UserWarning)
        self.filter = warnings.filters[0]

    def _install(self) -> None:
        self.handles = [
            register_module_forward_pre_hook(self._enter),
            register_module_forward_hook(
                self._leave,  # type: ignore[arg-type]  # torch takes what a hook returns
                with_kwargs=True,
                always_call=True,
            ),
        ]

    def _remove(self) -> None:
        for handle in self.handles:
            handle.remove()
            # torch forgets to delete its note that a global hook takes keyword arguments.
            _global_forward_hooks_with_kwargs.pop(handle.id, None)
        self.handles = []

    def stop(self) -> None:
        """Take the hooks away, and let go of the batch."""
        for end in self.ends:
            end.detach()
        self._remove()
        if self.filter in warnings.filters:
            warnings.filters.remove(self.filter)  # type: ignore[attr-defined]

    def _lose(self) -> None:
        """Nobody can call a model with a batch that is deleted, and its edges with it."""
        if not any(end.alive for end in self.ends):
            self.stop()

    def _enter(self, module: nn.Module, args: tuple[Any, ...]) -> None:
        """Keep what the outermost call is given, for a model may write on its batch."""
        if torch.compiler.is_compiling() or get_ident() != self.thread:
            return
        self.stack.append(() if self.stack else mapped(args, lambda each: each))
        if hasattr(module, "_orig_mod"):
            self._wait_for(module)

    def _wait_for(self, module: nn.Module) -> None:
        """See a compiled model from outside only: global hooks would have it compiled for them,
        and once more without them.
        """
        self._remove()

        def leave(*call: Any) -> Tensor | None:
            self._remove()
            self._install()
            return self._leave(*call)

        hook = module.register_forward_hook(leave, with_kwargs=True, always_call=True)
        self.handles = [hook]

    def _leave(self, module: nn.Module, args: tuple[Any, ...], *rest: Any) -> Tensor | None:
        """Look at the outermost call when it ends; return its output if that is to be another.

        If the model has failed, torch tells neither its keyword arguments nor an output. A module
        that was not seen to be entered was running when the batch was made.
        """
        if torch.compiler.is_compiling() or get_ident() != self.thread or not self.stack:
            return None
        given = self.stack.pop()
        self.calls += 1
        if self.calls > PATIENCE:
            self.stop()
        elif not self.stack and module.training and len(rest) == 2:
            deaf = self._look(unwrapped(module), given, rest[0])
            return self._without_mixes(rest[1]) if deaf else None
        return None

    def _without_mixes(self, output: object) -> Tensor | None:
        """Return an output that passes no gradient to mixes: what a deaf model makes of them is far
        off, and one step on it would stay in the averages of an optimizer for a long time.
        """
        fits = isinstance(output, Tensor) and len(output) == self.num_graphs > self.originals
        if not fits or not output.requires_grad:  # type: ignore[attr-defined]
            return None
        assert isinstance(output, Tensor)
        return torch.cat([output[: self.originals], output[self.originals :].detach()])

    def _look(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Find out about weights and norms; tell whether the model is deaf and mixing has stopped.

        A layer that is called outside of any model says nothing of the norms: they may be called
        after it.
        """
        given = args, kwargs
        has_edges = self.batch.has_edges(given)
        if not has_edges and not (self.in_layers and self.batch.has_rows(given)):
            return False
        self.in_layers = self.in_layers or _is_layer(module)
        weighted, norms = self.weighted and has_edges, unguarded(module) if self.normed else []
        if weighted:
            self.weighted, self.known.weights_known = False, True
        if self.normed and (norms or not self.in_layers):
            self.normed, self.known.norms_known = False, True
        if not self.normed and not self.weighted:
            self.stop()
        stack, self.stack = self.stack, [()]  # the model may be called again here, unseen
        try:
            deaf = weighted and self._is_deaf(module, args, kwargs)
        finally:
            self.stack = stack
        stopped = deaf and self.augmentation.on_deaf_model()
        if norms:
            self._warn_of_norms(norms)
        if deaf:
            self._warn_of_weights(module, stopped)
        return stopped

    def _is_deaf(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Tell whether a model certainly takes no notice of weights.

        Nothing that goes wrong here may stop a training, and processes that wait for each other
        must not be made to.
        """
        given = args, kwargs
        if self.batch.something_else(given):
            return False
        if not self.batch.is_given(given):
            return True
        if is_sharded(module) or (is_compiled(module) and not CAN_RUN_EAGERLY):
            return False
        try:
            return not output_differs(
                module, lambda: _called(module, given), lambda: _called(module, self._plain(given))
            )
        except Exception:
            return False

    def _plain(self, given: Any) -> Any:
        return self.batch.with_ones(given)

    def _warn_of_norms(self, norms: list[str]) -> None:
        warn_user(
            f"batch norms see mixes beside originals, and will be wrong when originals are tested "
            f"alone: {some(norms)}; put the training loop into `with mix.training(model):`, or "
            f"call `mix.guard(model)` before it, where `mix` is the "
            f"{type(self.augmentation).__name__}.",
            UnguardedBatchNorm,
        )

    def _warn_of_weights(self, module: nn.Module, stopped: bool) -> None:
        until = "; until then, nothing is mixed" if stopped else ""
        warn_user(
            "the model takes no notice of edge weights, so it sees every edge of a mix in full, "
            f"however small its weight: {advice(module)}; or mix without weights, by "
            f'SMixup(edges="sampled"){until}.',
            IgnoredEdgeWeight,
        )


def _called(module: nn.Module, given: tuple[tuple[Any, ...], dict[str, Any]]) -> object:
    args, kwargs = mapped(given, lambda each: each)
    return module(*args, **kwargs)


def _is_layer(module: nn.Module) -> bool:
    from torch_geometric.nn import MessagePassing

    return isinstance(module, MessagePassing)


def unguarded(module: nn.Module) -> list[str]:
    """Return the names of batch norms in training that take what comes."""
    return [
        f"{name} ({type(each).__name__})" if name else type(each).__name__
        for name, each in module.named_modules()
        if isinstance(each, _BatchNorm) and each.training and not is_guarded(each)
    ]


def unwrapped(module: nn.Module) -> nn.Module:
    """Return the model itself, out of what compiles or distributes it."""
    wrappers = (nn.parallel.DistributedDataParallel, nn.DataParallel)
    while True:
        inner = getattr(module, "_orig_mod", None)
        if inner is None and isinstance(module, wrappers):
            inner = module.module
        if not isinstance(inner, nn.Module):
            return module
        module = inner


def is_sharded(module: nn.Module) -> bool:
    """Tell whether processes must meet when the model is called."""
    kinds = {kind.__name__ for each in module.modules() for kind in type(each).__mro__}
    return any("FullySharded" in kind or "FSDP" in kind for kind in kinds)


def compiled_frames() -> int:
    """Return how many pieces of code torch has compiled so far."""
    utils = sys.modules.get("torch._dynamo.utils")
    return utils.counters["frames"]["total"] if utils is not None else 0
