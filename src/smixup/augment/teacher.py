"""Labels of new graphs from teachers: models that were trained without mixing on the same split."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn

from smixup.augment.base import Augmentation
from smixup.augment.compose import Several
from smixup.errors import UsageError, require
from smixup.graphs import Graphs

Teacher = Callable[[Graphs], Tensor]
"""Returns logits `[B, C]`."""


@dataclass
class Taught(Several):
    """Augments as another method does, and has new graphs labelled by teachers.

    Example::

        augment = Taught(SMixup(), teachers)            # models that were trained without mixing
        control = Taught(Augmentation(), teachers)      # the same, unmixed

    The target of a new graph is the mean of the teachers' probabilities, or of the values that they
    predict; originals keep theirs. A method that puts new graphs in the place of the originals has
    all of them labelled. One that makes none, such as Vanilla, has the originals repeated with the
    teachers' labels: what the teachers bring without any mixing.

    Attributes:
        method: makes the graphs.
        teachers: return logits of `Graphs`. Modules are asked as in evaluation. A model for PyG can
            be asked by `lambda graphs: model(to_pyg(graphs))`.
    """

    method: Augmentation
    teachers: Sequence[Teacher]

    def __post_init__(self) -> None:
        super().__post_init__()
        require(len(self.teachers) > 0, "teachers", self.teachers, "one at least")

    @property
    def parts(self) -> Sequence[Augmentation]:  # type: ignore[override]
        """The one method."""
        return [self.method]

    def on_batch(self, batch: Graphs) -> Graphs:
        if type(self.method).on_batch is Augmentation.on_batch:
            return Graphs.cat([batch, batch.replace(y=self.labels(batch))])
        found = self.method.on_batch(batch)
        if found is batch:
            return batch
        kept = len(batch) if len(found) > len(batch) else 0
        return found.replace(y=torch.cat([found.y[:kept], self.labels(found[kept:])]))

    def on_embedding(self, h: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return self.method.on_embedding(h, y)

    @torch.no_grad()
    def labels(self, graphs: Graphs) -> Tensor:
        """Return the mean of the teachers' predictions, `[B, C]`."""
        predicted = self._predicted(graphs)
        found = [predicted(_logits(teacher, graphs).float()) for teacher in self.teachers]
        return torch.stack(found).mean(0)

    def _predicted(self, graphs: Graphs) -> Callable[[Tensor], Tensor]:
        """Return what turns a teacher's outputs into targets."""
        if self.task is not None:
            return self.task.predicted
        if graphs.has_classes:
            return partial(torch.softmax, dim=1)
        raise UsageError(
            "teachers' outputs are logits of classes if nobody says otherwise, and these targets "
            "are not classes: say what is asked, set_task(Values(names).fitted(y)) for example."
        )


def _logits(teacher: Teacher, graphs: Graphs) -> Tensor:
    """Ask a teacher; a module as in evaluation, where the graphs are, and left as it was."""
    if not isinstance(teacher, nn.Module):
        return teacher(graphs)
    training = teacher.training
    teacher.to(graphs.device).eval()
    try:
        logits: Tensor = teacher(graphs)
    finally:
        teacher.train(training)
    return logits
