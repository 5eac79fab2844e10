"""`smixup compare` from end to end on tiny data."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from typer.testing import Result

from smixup.models import load_model

Run = Callable[..., Result]
TINY = ["compare", "MOTIF", "--data", "num_graphs=36", "--set", "num_folds=3", "--epochs", "1"]
TINY += ["--seeds", "2", "--workers", "1", "--method", "drop-edge"]


def test_verdict_page_model_and_json(fine: Run) -> None:
    result = fine(*TINY, "--out", "compare.html", "--model", "model")
    assert "Train without augmentation" in result.stdout and "drop-edge" in result.stdout
    assert "paired runs 2/2" in result.stderr
    assert "model: model, accuracy" in result.stderr
    page = Path("compare.html").read_text(encoding="utf-8")
    assert "<h1>Train without augmentation" in page and "speaks most" in page
    assert load_model("model").about["command"].endswith("--out model")
    Path("more.toml").write_text("control = false\nmargin = 0.05\nnum_layers = 2\n")
    found = json.loads(fine(*TINY, "--config", "more.toml", "--json").stdout)
    assert (found["recommended"], found["dataset"]) == ("vanilla", "MOTIF")
    assert "--set num_layers=2" in found["command"]


WRONG = [
    (["--budget", "soon"], "30m"),
    (["--method", "nothing"], "unknown method 'nothing'"),
    (["--set", "margin=-1"], "margin of a run must be above 0"),
    (["--set", "alpha=1"], "'alpha' is no setting of a comparison"),
    (["--config", "run.json"], "'method' is no setting of a comparison"),
    (["--data", "size=3"], "has no option 'size'"),
    (["--open"], "--open shows a page: name one by --out compare.html"),
    (["--model", "full"], "full exists and holds thesis.tex"),
]


def test_what_is_wrong_is_said_before_anything_is_run(refused: Callable[..., None]) -> None:
    Path("run.json").write_text('{"method": "vanilla"}')
    Path("full").mkdir()
    Path("full", "thesis.tex").touch()
    for words, message in WRONG:
        refused(message, *TINY, *words)
    assert {file.name for file in Path().iterdir()} == {"full", "run.json"}
