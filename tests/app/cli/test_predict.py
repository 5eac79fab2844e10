"""From data to a model to predictions, in two commands."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from smixup.app.cli.main import app

TRAIN = [
    *("train", "MOTIF", "--data", "num_graphs=60", "--epochs", "2", "--batch-size", "16"),
    *("--hidden-channels", "8", "--num-layers", "1"),
]

TINY = ("--backbone", "gine", "--epochs", "1", "--num-layers", "1", "--hidden-channels", "4")


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "model"
    options = ("--split", "few", "--train-graphs", "20", "--out", str(folder))
    found = invoke(*TRAIN, *options)
    assert found.exit_code == 0, found.stderr
    assert f"smixup predict {folder} NEW --out predictions.csv" in found.stdout
    assert {each.name for each in folder.iterdir()} == {
        "model.json",
        "model.safetensors",
        "README.md",
    }
    return folder


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_predictions_go_to_standard_output_and_words_do_not(model: Path) -> None:
    found = invoke("predict", str(model), "MOTIF", "--data", "num_graphs=5")
    assert found.exit_code == 0, found.stderr
    rows = list(csv.DictReader(io.StringIO(found.stdout)))
    assert len(rows) == 5
    assert list(rows[0]) == ["graph", "prediction", "p_0", "p_1", "p_2", "set_0.9"]
    assert found.stderr.startswith("Predictions for 5 graphs; accuracy ")


def test_a_file_and_a_level(model: Path, tmp_path: Path) -> None:
    found = invoke("predict", str(model), "MOTIF", "--level", "0.8", "--out", "new/p.jsonl")
    assert found.exit_code == 0, found.stderr
    rows = [json.loads(line) for line in Path("new/p.jsonl").read_text().splitlines()]
    assert len(rows) == 60, "as many as it was trained on, if nothing else is said"
    assert "set_0.8" in rows[0]
    assert found.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nowhere", "MOTIF"], 1, "there is no model in nowhere: there is no such folder."),
        (["MODEL", "MOTIF", "--level", "0.99"], 2, "sets at the level 0.99 need 99 validation"),
        (["MODEL", "MOTIF", "--level", "2"], 2, "level must be above 0 and below 1, not 2.0."),
        (["MODEL", "MOTIF", "--out", "p.xlsx"], 2, "predictions are written to .csv"),
        (["MODEL", "MOTIF", "--data", "features=degree"], 1, "node features, and the model was"),
        (["MODEL", "./gone.csv"], 2, "there is no such file or folder"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    model: Path, arguments: list[str], code: int, message: str
) -> None:
    found = invoke("predict", *(str(model) if each == "MODEL" else each for each in arguments))
    assert found.exit_code == code, found.stderr
    assert message in found.stderr
    assert len(found.stderr.splitlines()) == 1


def test_what_would_fail_after_training_fails_before(tmp_path: Path) -> None:
    Path("full").mkdir()
    Path("full", "thesis.tex").touch()
    for arguments, message in (
        (["--out", "full"], "full exists and holds thesis.tex: name a new folder for the model."),
        (["--out", "full/thesis.tex/model"], "cannot write the model full/thesis.tex/model"),
        (["--ensemble", "2"], "--ensemble keeps several models: name a folder"),
        (["--out", "m", "--ensemble", "0"], "ensemble must be 1 or more, not 0"),
        (["--dataset", "MUTAG"], "data is named twice, MOTIF and --dataset MUTAG"),
        (["--target", "y"], "MOTIF has no option 'target'"),
        (["--target", "y", "--data", "target=z"], "--target and --data target=... say the same"),
        (["--metric", "mae"], "mae is no score of classes"),
    ):
        found = invoke(*TRAIN, *arguments)
        assert found.exit_code in (1, 2)
        assert message in found.stderr
        assert "training 1/" not in found.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["full"]


def test_an_ensemble_replaces_an_earlier_model_and_tells(tmp_path: Path) -> None:
    assert invoke(*TRAIN, "--out", "m").exit_code == 0
    found = invoke(*TRAIN, "--out", "m", "--ensemble", "2", "--json")
    assert found.exit_code == 0, found.stderr
    assert "m holds an earlier model, which is replaced when this one is ready." in found.stderr
    told = json.loads(found.stdout)
    assert [each["seed"] for each in told["members"]] == [0, 1]
    assert told["model"] == "m"
    assert json.loads(Path("m", "model.json").read_text())["members"] == 2
    assert [each.name for each in tmp_path.iterdir()] == ["m"], "checkpoints are gone"
    said = invoke("predict", "m", "MOTIF")
    assert "too few validation graphs for sets at the level 0.9" in said.stderr
    assert "set_" not in said.stdout


def test_rows_without_a_molecule_stay_where_they_were(tmp_path: Path) -> None:
    rows = [f"m{place},{'C' * (1 + place % 7)},{place % 2}" for place in range(20)]
    Path("known.csv").write_text("\n".join(["id,smiles,y", *rows]) + "\n", encoding="utf-8")
    Path("new.csv").write_text("id,smiles\na,odd\nb,CC\nc,?\nd,CCO\n", encoding="utf-8")
    small = ("--target", "y", *TINY)
    assert invoke("train", "known.csv", *small, "--out", "m").exit_code == 0
    assert "invalid=skip" in invoke("predict", "m", "new.csv").stderr
    for name in ("p.csv", "p.jsonl", "p.parquet"):
        found = invoke("predict", "m", "new.csv", "--data", "invalid=skip", "--out", name)
        assert "Predictions for 2 graphs" in found.stderr
        assert "2 rows without a molecule have no prediction." in found.stderr
    written = list(csv.DictReader(io.StringIO(Path("p.csv").read_text(encoding="utf-8"))))
    assert [row["id"] for row in written] == ["a", "b", "c", "d"]
    assert [bool(row["p_0"]) for row in written] == [False, True, False, True]
    lines = [json.loads(line) for line in Path("p.jsonl").read_text().splitlines()]
    assert [line["prediction"] is None for line in lines] == [True, False, True, False]
    parquet = pytest.importorskip("pyarrow.parquet").read_table("p.parquet").to_pylist()
    assert parquet[1]["p_0"] == pytest.approx(float(written[1]["p_0"]), abs=1e-6)
    assert parquet[0]["p_0"] is None


def test_files_of_another_kind(tmp_path: Path) -> None:
    rows = [f"{'C' * (1 + place % 7)},{place % 2}" for place in range(12)]
    Path("known.csv").write_text("\n".join(["smiles,y", *rows]) + "\n", encoding="utf-8")
    assert invoke("train", "known.csv", *TINY, "--out", "m").exit_code == 0
    Path("mails").mkdir()
    Path("mails/edges.csv").write_text("graph,source,target\n1,2,3\n", encoding="utf-8")
    before = Path("known.csv").read_bytes()
    over = invoke("predict", "m", "known.csv", "--out", "known.csv")
    assert over.exit_code == 2
    assert "known.csv is data that is read" in over.stderr
    assert Path("known.csv").read_bytes() == before
    own = invoke("predict", "m", "m")
    assert own.exit_code == 2
    assert "m is the folder of a model: name the data to predict for." in own.stderr
    found = invoke("predict", "m", "mails")
    assert found.exit_code == 2
    said = "holds data of the kind edge-list, and the model was trained on data of the kind smiles"
    assert said in found.stderr
