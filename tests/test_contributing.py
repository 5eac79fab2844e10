"""The exercises of CONTRIBUTING.md, done as they are written: one file and one line each."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import torch

from smixup.app.runs.config import configure
from smixup.app.runs.registry import MATCHERS, METHODS, make_matcher, make_method
from smixup.app.runs.run import run
from smixup.datasets.sources import SOURCES
from smixup.graphs import Graphs

TEXT = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```python\n# src/(smixup/[\w/]+)\.py\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINE = re.compile(r'`"([\w-]+)": "([\w.]+:\w+)",`')


def test_an_augmentation_a_matcher_and_a_dataset(
    graphs: Graphs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    files = [path.replace("/", ".") for path, _ in BLOCK.findall(TEXT)]
    assert [entry.partition(":")[0] for _, entry in LINE.findall(TEXT)] == files
    for path, code in BLOCK.findall(TEXT):
        name = f"exercise_{Path(path).name}"
        (tmp_path / f"{name}.py").write_text(code)
        monkeypatch.delitem(sys.modules, name, raising=False)
    for registry, (name, entry) in zip(
        (METHODS, MATCHERS, SOURCES), LINE.findall(TEXT), strict=True
    ):
        monkeypatch.setitem(registry.entries, name, f"exercise_{entry.rpartition('.')[2]}")
    tiny = {"dataset_options": {"num_graphs": 30}, "epochs": 2}
    for method, settings in (
        ("feature-noise", {"scale": "0.2"}),
        ("s-mixup", {"matcher": "by-degree", "matcher.sharpness": "5"}),
    ):
        config = configure("MOTIF", method=method, method_settings=settings, **tiny)
        assert run(config).epochs == 2
    assert run(configure("rings", "gin", "vanilla", **tiny)).epochs == 2
    noisy = make_method("feature-noise", 0, {}).on_batch(graphs[[4] * 20])
    assert float((noisy.x - graphs[[4] * 20].x).std()) == pytest.approx(0.1, rel=0.2)
    M = make_matcher("by-degree", 0, {})(graphs[[0, 4]], graphs[[4, 5]]).to_dense()
    torch.testing.assert_close(M.sum(0), torch.ones(14))
