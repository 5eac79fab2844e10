"""A matcher is fitted once per training split, and never shared between splits."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from smixup.app.sweeps.matcher_cache import MatcherCache
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher, Uniform
from smixup.progress import Report, silent


def tiny(seed: int = 0) -> GraphMatcher:
    return GraphMatcher(num_layers=1, hidden_channels=4, max_steps=1, seed=seed)


@pytest.fixture
def fits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry per fit."""
    counted: list[int] = []
    original = GraphMatcher.fit

    def fit(self: GraphMatcher, train: Graphs, report: Report = silent) -> GraphMatcher:
        counted.append(1)
        return original(self, train, report)

    monkeypatch.setattr(GraphMatcher, "fit", fit)
    return counted


def test_the_same_split_is_fitted_once(graphs: Graphs, tmp_path: Path, fits: list[int]) -> None:
    cache, split = MatcherCache(tmp_path / "matchers"), graphs[[0, 1, 2, 3]]
    for _ in range(3):
        cache.wrap(tiny()).fit(split)
    assert len(fits) == 1
    cache.wrap(tiny(seed=1)).fit(split)
    assert len(fits) == 2, "other settings are another matcher"
    cache.wrap(tiny()).fit(graphs[[0, 1, 2, 4]])
    assert len(fits) == 3, "another split is another matcher"
    cache.wrap(tiny()).fit(split.replace(y=split.y.flip(1)))
    assert len(fits) == 4, "other labels are another split"
    MatcherCache(tmp_path / "matchers", "other code").wrap(tiny()).fit(split)
    assert len(fits) == 5, "other code is another matcher"


def test_it_assigns_as_the_matcher_inside(graphs: Graphs, tmp_path: Path) -> None:
    cache, left, right = MatcherCache(tmp_path), graphs[[0, 4]], graphs[[3, 5]]
    expected = tiny().fit(graphs)(left, right).to_dense()
    for _ in range(2):  # fitted, then read
        cached = cache.wrap(tiny()).fit(graphs)
        assert torch.equal(cached(left, right).to_dense(), expected)
        assert cached.num_classes == graphs.num_classes


def test_a_damaged_file_is_fitted_again(graphs: Graphs, tmp_path: Path, fits: list[int]) -> None:
    MatcherCache(tmp_path).wrap(tiny()).fit(graphs)
    (weights,) = tmp_path.glob("*/matcher.safetensors")
    weights.write_bytes(weights.read_bytes()[:20])
    MatcherCache(tmp_path).wrap(tiny()).fit(graphs)
    MatcherCache(tmp_path).wrap(tiny()).fit(graphs)
    assert len(fits) == 2


@pytest.mark.parametrize("name", ["matcher.json", "matcher.safetensors"])
def test_half_a_folder_is_made_whole(
    graphs: Graphs, tmp_path: Path, fits: list[int], name: str
) -> None:
    MatcherCache(tmp_path).wrap(tiny()).fit(graphs)
    (file,) = tmp_path.glob(f"*/{name}")
    file.unlink()
    for _ in range(2):
        MatcherCache(tmp_path).wrap(tiny()).fit(graphs)
    assert len(fits) == 2
    assert file.is_file()


def test_a_place_where_nothing_can_be_kept_fits_every_time(
    graphs: Graphs, tmp_path: Path, fits: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    for _ in range(2):
        assert MatcherCache(tmp_path / "file" / "matchers").wrap(tiny()).fit(graphs).fitted

    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.warns(UserWarning, match="the matcher is not kept: cannot write the matcher"):
        assert MatcherCache(tmp_path / "matchers").wrap(tiny()).fit(graphs).fitted
    assert len(fits) == 3
    assert {each.suffix for each in (tmp_path / "matchers").iterdir()} <= {".lock"}


def test_what_has_nothing_to_learn_is_not_kept(graphs: Graphs, tmp_path: Path) -> None:
    uniform = Uniform()
    assert MatcherCache(tmp_path).wrap(uniform) is uniform
