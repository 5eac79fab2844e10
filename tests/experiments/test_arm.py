"""An arm is its name, its method and its settings."""

from __future__ import annotations

from smixup.experiments.arm import Arm


def test_arms_with_other_settings_differ() -> None:
    assert Arm("a", "vanilla") == Arm("a", "vanilla", {})
    assert Arm("a", "s-mixup", {"alpha": 1.0}) != Arm("a", "s-mixup", {"alpha": 0.2})
