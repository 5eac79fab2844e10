"""Wrong values say what is allowed."""

from __future__ import annotations

from typing import Any

import pytest

from smixup.errors import UsageError
from smixup.training import TrainSettings


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epochs": 0}, "epochs must be 1 or more, not 0"),
        ({"learning_rate": 0.0}, "learning_rate must be above 0, not 0.0"),
        ({"learning_rate": float("nan")}, "learning_rate"),
        ({"batch_size": -1}, "batch_size must be 1 or more"),
        ({"weight_decay": -0.1}, "weight_decay must be 0 or more"),
        ({"devices": 0}, "devices must be 1 or more"),
        ({"accelerator": "gpux"}, "accelerator must be one of cpu, cuda, auto"),
        ({"precision": "8"}, "precision must be one of 32-true, bf16-mixed"),
    ],
)
def test_wrong_values(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        TrainSettings(**({"epochs": 1, "learning_rate": 0.1, "batch_size": 2} | changes))
