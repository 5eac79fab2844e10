"""`smixup match` fits, saves, measures and prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from smixup.analysis.matcher_quality import Quality
from smixup.app.cli.main import app
from smixup.app.cli.match import _print_table
from smixup.app.studies.look import QUICK_STEPS
from smixup.app.studies.match_quality import MatcherQuality, MatchReport

DATA = ["--data", "num_graphs=60"]
SMALL = [
    "--set",
    "num_layers=1",
    "--set",
    "hidden_channels=8",
    "--set",
    "max_steps=4",
    "--set",
    "evaluate_every=2",
]


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["match", *map(str, arguments)])


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    assert invoke("fit", "--out", tmp_path / "m", *DATA, *SMALL).exit_code == 0
    return tmp_path / "m"


def test_fit_saves_a_matcher_and_says_so(tmp_path: Path) -> None:
    result = invoke(
        "fit", "--dataset", "motif", "--out", tmp_path / "m", "--seed", 2, *DATA, *SMALL
    )
    assert result.exit_code == 0, result.stderr
    assert "holds a matcher for motif" in result.stdout
    assert "triplet accuracy" in result.stdout
    assert "matcher 4/4" in result.stderr
    assert "s; held out: triplet accuracy" in result.stdout
    about = json.loads((tmp_path / "m" / "matcher.json").read_text())
    assert (about["settings"]["seed"], about["dataset"]) == (2, "MOTIF")


def test_scores_of_training_graphs_are_not_called_held_out(tmp_path: Path) -> None:
    """Of so few graphs none can be kept apart."""
    few = ["--out", tmp_path / "m", "--data", "num_graphs=12", *SMALL]
    words = invoke("fit", *few).stdout
    assert "s; on its own training graphs: triplet accuracy" in words
    assert "held out" not in words
    assert json.loads(invoke("fit", *few, "--json").stdout)["held_out"] is False


def test_fit_as_json_with_a_checkpoint(tmp_path: Path) -> None:
    arguments = [
        "fit",
        "--out",
        tmp_path / "m",
        "--checkpoint",
        tmp_path / "state",
        "--json",
        *DATA,
        *SMALL,
    ]
    found = json.loads(invoke(*arguments).stdout)
    assert found["path"] == str(tmp_path / "m")
    assert set(found["scores"]) == {"triplet accuracy", "copies found"}
    assert (tmp_path / "state").is_file()


def test_either_matcher_that_learns_is_fitted_and_measured_under_its_name(tmp_path: Path) -> None:
    arguments = ["fit", "--matcher", "siamese", "--out", tmp_path / "s", "--json", *DATA, *SMALL]
    assert json.loads(invoke(*arguments).stdout)["matcher"] == "siamese"
    assert (
        json.loads((tmp_path / "s" / "matcher.json").read_text())["kind"]
        == "smixup-siamese-matcher"
    )
    arguments = [
        "evaluate",
        "--matcher-dir",
        tmp_path / "s",
        "--pairs",
        20,
        "--no-paper",
        "--json",
        *DATA,
    ]
    rows = json.loads(invoke(*arguments).stdout)["matchers"]
    assert [row["matcher"] for row in rows] == ["siamese", "uniform", "random-order"]
    assert rows[0]["fit_seconds"] is None


def test_evaluate_prints_one_json_object(saved: Path) -> None:
    result = invoke(
        "evaluate", "--matcher-dir", saved, "--pairs", 20, "--no-paper", "--json", *DATA
    )
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["dataset"] == "MOTIF"
    assert [row["matcher"] for row in found["matchers"]] == [
        "graph-matcher",
        "uniform",
        "random-order",
    ]


def test_evaluate_says_that_its_fit_was_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    quality = Quality(0.9, 12.0, 0.6, 0.35, 0.9, 5)
    asked: dict[str, object] = {}

    def study(*arguments: object) -> MatchReport:
        asked["paper"], asked["fit"] = arguments[5], arguments[9]
        row = MatcherQuality("graph-matcher", quality, 1.0, 1.0, {}, str(asked["fit"]))
        return MatchReport("MOTIF", 0, 0.35, 5, 1, [row])

    monkeypatch.setattr("smixup.app.studies.match_quality.match_quality", study)
    monkeypatch.setenv("COLUMNS", "120")
    words = invoke("evaluate").stdout
    assert asked == {"fit": "quick", "paper": False}
    assert "graph-matcher (quick fit)" in words
    assert f"quick fit: {QUICK_STEPS} steps; --fit full takes all" in " ".join(words.split())
    assert "quick" not in invoke("evaluate", "--fit", "full").stdout
    assert asked == {"fit": "full", "paper": True}
    invoke("evaluate", "--fit", "full", "--no-paper")
    assert asked == {"fit": "full", "paper": False}
    invoke("evaluate", "--paper")
    assert asked == {"fit": "quick", "paper": True}


def test_evaluate_prints_a_table(saved: Path) -> None:
    result = invoke("evaluate", "--matcher-dir", saved, "--pairs", 20, "--no-paper", *DATA)
    assert result.exit_code == 0, result.stderr
    for word in ("graph-matcher", "uniform", "random-order", "chance", "perplexity"):
        assert word in result.stdout


def test_evaluate_refuses_a_matcher_of_other_graphs(saved: Path) -> None:
    arguments = ["evaluate", "--matcher-dir", saved, "--pairs", 20, "--no-paper"]
    result = invoke(*arguments, "--data", "num_graphs=70")
    assert result.exit_code == 1
    assert "may have seen held-out ones" in result.stderr
    assert result.stderr.count("\n") == 1


def test_evaluate_compares_the_matchers_that_are_named() -> None:
    arguments = [
        "evaluate",
        "--pairs",
        5,
        "--data",
        "num_graphs=30",
        "--matcher",
        "rrwm",
        "--matcher",
        "identity",
    ]
    found = json.loads(invoke(*arguments, "--json").stdout)
    assert [row["matcher"] for row in found["matchers"]] == ["rrwm", "identity"]
    assert all(row["milliseconds_per_pair"] > 0 for row in found["matchers"])


def test_the_table_fits_a_terminal_of_eighty_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    quality = Quality(0.912, 12.291, 0.597, 0.35, 0.998, 500)
    names = ["graph-matcher", "paper (cosine, temperature 1)"]
    rows = [MatcherQuality(name, quality, 1234.5, 3210.75, {}) for name in names]
    _print_table(MatchReport("MOTIF", 0, 0.35, 500, 1, rows))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    for name in ("graph-matcher", "paper"):
        (line,) = (line for line in lines if name in line)
        assert line.split()[-6:] == ["0.597", "0.912", "12.291", "0.998", "1234.5", "3210.75"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["fit", "--out", "x", "--set", "depth=3"],
            2,
            "unknown setting of matcher graph-matcher 'depth'",
        ),
        (["fit", "--out", "x", "--matcher", "rrwm"], 2, "matcher rrwm has nothing to fit"),
        (
            ["fit", "--out", "x", "--matcher", "siamse"],
            2,
            "unknown matcher 'siamse'. Did you mean 'siamese'",
        ),
        (
            ["fit", "--out", "x", "--matcher", "siamese", "--set", "depth=3"],
            2,
            "unknown setting of matcher siamese",
        ),
        (["fit", "--out", "x", "--threads", "0"], 2, "threads must be 1 or more"),
        (["evaluate", "--fit", "quik"], 2, "unknown fit 'quik'. Did you mean 'quick'"),
        (["evaluate", "--pairs", "0"], 2, "number of pairs must be 1 or more"),
        (["evaluate", "--matcher", "rwm"], 2, "unknown matcher 'rwm'. Did you mean 'rrwm'"),
        (["evaluate", "--matcher-dir", "nowhere"], 1, "there is no saved matcher in nowhere"),
    ],
)
def test_wrong_use_is_one_line(arguments: list[str], code: int, message: str) -> None:
    result = invoke(*arguments)
    assert result.exit_code == code
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_train_takes_a_saved_matcher(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ["train", "--method", "s-mixup", "--epochs", "2", *DATA, "--set", "partners=2"]
    arguments += ["--json", "--set", f"matcher={saved.name}"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.stderr
    assert "matcher 4/4" not in result.stderr, "it is fitted already"
    settings = json.loads(result.stdout)["config"]["method_settings"]
    assert settings == {"partners": 2, "matcher": "m"}
    result = CliRunner().invoke(app, [*arguments, "--seed", "1"])
    assert result.exit_code == 1
    assert "fitted on other graphs" in result.stderr
    assert result.stderr.count("\n") == 1


def test_train_takes_s_mixup_with_settings_of_its_matcher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    small = [
        part.replace("max_steps", "matcher.max_steps") for part in SMALL if "max_steps" in part
    ]
    arguments = ["train", "--method", "s-mixup", "--epochs", "2", "--json", *DATA, "--set", *small]
    arguments += ["--set", "matcher.hidden_channels=8", "--set", "partners=2"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.stderr
    assert "matcher 4/4" in result.stderr
    assert "aligning" in result.stderr
    settings = json.loads(result.stdout)["config"]["method_settings"]
    assert settings == {"partners": 2, "matcher.max_steps": 4, "matcher.hidden_channels": 8}
