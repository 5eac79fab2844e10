"""Fits come first, one per matcher and split, and nothing else changes place."""

from __future__ import annotations

from smixup.app.runs.config import RunConfig, configure
from smixup.app.sweeps.order import fits_first, matcher_key


def run(
    method: str = "s-mixup", seed: int = 0, backbone: str = "gin", **settings: object
) -> RunConfig:
    return configure("MOTIF", backbone, method, seed, method_settings=settings)


def test_runs_share_a_matcher_if_split_and_settings_agree() -> None:
    key = matcher_key(run())
    assert key is not None
    assert key == matcher_key(run(alpha=2.0, backbone="gcn"))
    others = [run(seed=1), run(**{"matcher.scale": 2.0}), run(matcher="siamese")]
    others.append(configure("MOTIF", "gin", "s-mixup", label_corruption=0.2))
    others.append(configure("MOTIF", "gin", "s-mixup", dataset_options={"seed": 3}))
    assert len({key, *map(matcher_key, others)}) == 6


def test_runs_without_a_matcher_that_learns_have_none() -> None:
    assert matcher_key(run("vanilla")) is matcher_key(run(matcher="rrwm")) is None


def test_the_first_of_each_comes_first() -> None:
    runs = [
        run("vanilla"),
        run(seed=0),
        run(seed=1),
        run(seed=0, alpha=1.0),
        run(seed=2),
        run("drop-edge"),
        run(seed=2, alpha=1.0),
    ]
    assert fits_first(runs) == [runs[place] for place in (1, 2, 4, 0, 3, 5, 6)]
    assert fits_first([]) == []
