"""A loader whose batches are augmented while the model trains, and plain while it is tested."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any
from weakref import finalize

from torch import nn

from smixup.errors import require

if TYPE_CHECKING:
    from torch_geometric.data import Batch

    from smixup.augment.base import Augmentation


class AugmentedLoader:
    """Stands in the place of a PyG loader; made by `Augmentation.loader`.

    Whether the model trains is seen anew for every batch, so that one loader serves for training
    and for the training accuracy after `model.eval()`. Everything else, such as `dataset` and
    `len`, is the loader's own. The model's batch norms are guarded as long as this object lives.
    """

    def __init__(
        self, augmentation: Augmentation, loader: Iterable[Batch], model: nn.Module
    ) -> None:
        require(isinstance(model, nn.Module), "model", type(model).__name__, "a torch.nn.Module")
        batches = hasattr(loader, "__iter__") and not hasattr(loader, "edge_index")
        require(batches, "loader", type(loader).__name__, "a loader of batches")
        self.augmentation, self.loader, self.model = augmentation, loader, model
        self.guard = augmentation.guard(model)
        finalize(self, self.guard.remove).atexit = False

    def __reduce__(self) -> tuple[type[AugmentedLoader], tuple[Any, ...]]:
        """A copy guards the model that is copied with it."""
        return type(self), (self.augmentation, self.loader, self.model)

    def __iter__(self) -> Iterator[Batch]:
        for batch in self.loader:
            yield self.augmentation(batch) if self.model.training else batch

    def __len__(self) -> int:
        return len(self.loader)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "loader" not in vars(self):
            raise AttributeError(name)
        return getattr(self.loader, name)
