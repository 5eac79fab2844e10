"""Several processes that train one model as one process would (lightning-fabric carries them)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from importlib import import_module
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import torch
from torch import Tensor, nn

from smixup.errors import SmixupError
from smixup.training.settings import TrainSettings

if TYPE_CHECKING:
    from lightning_fabric import Fabric

T = TypeVar("T")


class SingleProcess:
    """What the loop asks of a fabric, for one process on the CPU: lightning-fabric alone takes
    seconds to import.
    """

    device = torch.device("cpu")
    global_rank, world_size, is_global_zero = 0, 1, True

    def autocast(self) -> AbstractContextManager[None]:
        """Compute in full precision."""
        return nullcontext()

    def launch(self, function: Callable[[Any], T]) -> T:
        """Call the function here."""
        return function(self)

    def all_reduce(self, tensor: Tensor, reduce_op: str) -> Tensor:
        """Return what one process has: all there is."""
        return tensor


Processes: TypeAlias = "Fabric | SingleProcess"


def make_fabric(settings: TrainSettings) -> Processes:
    """Return the fabric for the devices and precision asked for."""
    accelerator = settings.accelerator
    if accelerator == "auto":
        accelerator = "cuda" if torch.cuda.is_available() else "cpu"
    if (accelerator, settings.devices, settings.precision) == ("cpu", 1, "32-true"):
        return SingleProcess()
    package = import_module("lightning_fabric")
    make: Callable[..., Fabric] = package.Fabric
    strategy = "ddp_spawn" if settings.devices > 1 else "auto"
    try:
        return make(
            accelerator=accelerator,
            strategy=strategy,
            devices=settings.devices,
            precision=settings.precision,
        )
    except (
        RuntimeError,
        ValueError,
    ) as error:  # fabric raises either for devices that do not exist
        wanted = f"{settings.devices} x {accelerator}"
        raise SmixupError(
            f"cannot train on {wanted}: {error} `smixup doctor` lists what is there."
        ) from error


def launch(fabric: Processes, function: Callable[[Processes], T]) -> T:
    """Call `function` in every process and return what the first one returns; an error of ours
    stays what it is.
    """
    ForkingPickler.register(torch.Generator, _packed)
    outcome: T | SmixupError = fabric.launch(partial(_outcome, function))
    if isinstance(outcome, SmixupError):
        raise outcome
    return outcome


def _packed(generator: torch.Generator) -> tuple[Callable[[bytes], torch.Generator], tuple[bytes]]:
    """Send a generator's state by value: torch would share the memory of a tensor that is gone when
    it is read.
    """
    return _unpacked, (bytes(generator.get_state().tolist()),)


def _unpacked(state: bytes) -> torch.Generator:
    generator = torch.Generator()
    generator.set_state(torch.tensor(list(state), dtype=torch.uint8))
    return generator


def _outcome(function: Callable[[Processes], T], fabric: Processes) -> T | SmixupError:
    """Return an error instead of raising it: raised, it would lose its kind on the way to the
    parent process.
    """
    try:
        return function(fabric)
    except SmixupError as error:
        return error


def share_of(fabric: Processes, index: Tensor) -> Tensor:
    """Return this process's part of a batch's graphs."""
    return index[fabric.global_rank :: fabric.world_size]


def average_gradients(fabric: Processes, model: nn.Module, loss: Tensor, count: int) -> Tensor:
    """Make each gradient the one of the whole batch, and return the loss of the whole batch.

    Every process has the gradient of the mean over its own `count` graphs. Weighted with the
    counts, unequal shares weigh what they would in one process. One flat message carries gradients,
    loss and count.
    """
    if fabric.world_size == 1:
        return loss
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
    mine = (
        torch.cat(
            [*(gradient.flatten() for gradient in gradients), loss.reshape(1), loss.new_ones(1)]
        )
        * count
    )
    total = _reduced(fabric, mine, "sum")
    *parts, loss_sum, counts = total.split([*(p.numel() for p in parameters), 1, 1])
    for parameter, part in zip(parameters, parts, strict=True):
        parameter.grad = (part / counts).view_as(parameter)
    whole: Tensor = (loss_sum / counts).squeeze(0)
    return whole


@torch.no_grad()
def average_buffers(fabric: Processes, model: nn.Module) -> None:
    """Make the running statistics of all processes their mean, so that all of them evaluate one
    model.
    """
    if fabric.world_size == 1:
        return
    for buffer in model.buffers():
        if buffer.is_floating_point():
            buffer.copy_(_reduced(fabric, buffer.clone(), "mean"))


def _reduced(fabric: Processes, tensor: Tensor, how: str) -> Tensor:
    reduced = fabric.all_reduce(tensor, reduce_op=how)
    assert isinstance(reduced, Tensor)
    return reduced
