"""An arm is its name, its method and its settings, and every combination of those to try."""

from __future__ import annotations

from smixup.app.tables.arm import Arm


def test_arms_with_other_settings_differ() -> None:
    assert Arm("a", "vanilla") == Arm("a", "vanilla", {})
    assert Arm("a", "s-mixup", {"alpha": 1.0}) != Arm("a", "s-mixup", {"alpha": 0.2})
    assert Arm("a", "s-mixup", search={"alpha": (1.0, 0.2)}) != Arm("a", "s-mixup")
    assert Arm("a", "s-mixup", changes={"teachers": 1}) != Arm("a", "s-mixup")


def test_every_combination_is_a_choice() -> None:
    arm = Arm(
        "a",
        "s-mixup",
        search={"alpha": (0.2, 1.0, 5.0), "matcher.similarity": ("cosine", "euclidean")},
    )
    expected = [
        {"alpha": alpha, "matcher.similarity": kind}
        for alpha in (0.2, 1.0, 5.0)
        for kind in ("cosine", "euclidean")
    ]
    assert list(arm.choices()) == expected
    assert list(arm.choices()) == expected, "they can be had again"


def test_without_a_grid_there_is_one_choice() -> None:
    assert list(Arm("a", "s-mixup", {"alpha": 1.0}).choices()) == [{}]


def test_settings_may_differ_by_backbone() -> None:
    arm = Arm("a", "s-mixup", {"alpha": 1.0}, by_backbone={"gin": {"edges": "binary"}})
    assert arm.settings_under("gcn") == {"alpha": 1.0}
    assert arm.settings_under("gin") == {"alpha": 1.0, "edges": "binary"}
