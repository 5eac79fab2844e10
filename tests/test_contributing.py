"""The exercises of CONTRIBUTING.md, done as they are written: one file and one line each."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Batch, Data

from smixup.app.runs.config import configure
from smixup.app.runs.registry import MATCHERS, METHODS, make_matcher, make_method
from smixup.app.runs.run import run
from smixup.augment import Augmentation
from smixup.datasets.sources import SOURCES
from smixup.graphs import Graphs
from smixup.registry import Registry

TEXT = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```python\n# src/(smixup/[\w/]+)\.py\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINE = re.compile(r'`"([\w-]+)": "([\w.]+:\w+)",`')
TINY = {"dataset_options": {"num_graphs": 30}, "epochs": 2}


@pytest.fixture(autouse=True)
def done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Write each file, elsewhere than in the package, and add each line to its registry."""
    monkeypatch.syspath_prepend(tmp_path)
    for path, code in BLOCK.findall(TEXT):
        (tmp_path / f"{Path(path).name}.py").write_text(code)
    registries: list[Registry] = [METHODS, MATCHERS, SOURCES]
    for registry, (name, entry) in zip(registries, LINE.findall(TEXT), strict=True):
        monkeypatch.setitem(registry.entries, name, entry.rpartition(".")[2])
    yield
    for path, _ in BLOCK.findall(TEXT):
        sys.modules.pop(Path(path).name, None)


def test_there_are_three_and_each_line_names_its_file() -> None:
    files = [path.replace("/", ".") for path, _ in BLOCK.findall(TEXT)]
    assert [entry.partition(":")[0] for _, entry in LINE.findall(TEXT)] == files
    assert len(files) == 3


def test_the_augmentation_trains_and_is_a_transform(graphs: Graphs) -> None:
    config = configure("MOTIF", method="feature-noise", method_settings={"scale": "0.2"}, **TINY)
    assert run(config).epochs == 2
    method = make_method("feature-noise", 0, {})
    assert isinstance(method, Augmentation)
    nothing = torch.empty(2, 0, dtype=torch.long)
    data = Data(x=torch.zeros(50, 3), edge_index=nothing, y=torch.tensor([1]))
    batch = Batch.from_data_list([data] * 2)
    found = method(batch)
    assert float(found.x.std()) == pytest.approx(0.1, rel=0.2)
    assert torch.equal(found.y, batch.y)


def test_the_matcher_aligns_and_trains(graphs: Graphs) -> None:
    settings = {"matcher": "by-degree", "matcher.sharpness": "5"}
    assert run(configure("MOTIF", method="s-mixup", method_settings=settings, **TINY)).epochs == 2
    M = make_matcher("by-degree", 0, {})(graphs[[0, 4]], graphs[[4, 5]]).to_dense()
    torch.testing.assert_close(M.sum(0), torch.ones(14))


def test_the_dataset_trains() -> None:
    result = run(configure("rings", "gin", "vanilla", **TINY))
    assert result.epochs == 2
