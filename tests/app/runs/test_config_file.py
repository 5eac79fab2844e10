"""Settings from files: what they say counts, what they must not say is refused in a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from smixup.app.runs.config import configure
from smixup.app.runs.config_file import prevailing, read_settings
from smixup.errors import UsageError

TOML = """
dataset = "MOTIF"
method = "s-mixup"
epochs = 7
[method_settings]
alpha = 0.5
"matcher.max_steps" = 3
"""


def test_toml(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text(TOML)
    config = configure(**read_settings(path))
    assert (config.method, config.epochs) == ("s-mixup", 7)
    assert config.method_settings == {"alpha": 0.5, "matcher.max_steps": 3}


def test_a_configuration_in_json_comes_back_the_same(tmp_path: Path) -> None:
    config = configure("MOTIF", "gcn", "s-mixup", 3, method_settings={"alpha": "0.7"}, epochs=2)
    plain, printed = tmp_path / "plain.json", tmp_path / "printed.json"
    plain.write_text(json.dumps(config.to_dict()))
    printed.write_text(json.dumps({"test": 0.9, "seed": 3, "config": config.to_dict()}))
    assert configure(**read_settings(plain)) == config
    assert configure(**read_settings(printed)) == config


def test_the_command_line_prevails_setting_by_setting() -> None:
    file = {"epochs": 7, "seed": 2, "method_settings": {"alpha": 0.5, "partners": 2}}
    said = {"epochs": None, "seed": 5, "method_settings": {"alpha": "1"}, "dataset_options": {}}
    assert prevailing(file, said) == {
        "epochs": 7,
        "seed": 5,
        "method_settings": {"alpha": "1", "partners": 2},
        "dataset_options": {},
    }


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("run.toml", "epochs = ", "run.toml is no TOML"),
        ("run.json", "{", "run.json is no JSON"),
        ("run.json", "[" * 100_000, "run.json is no JSON"),
        ("run.json", "[1, 2]", "holds no settings"),
        ("run.json", '{"config": 3}', "holds no settings"),
        ("run.toml", "epoch = 3", "epochs"),
        ("run.toml", "method_settings = 3", "method_settings in .* must be a table"),
        ("run.toml", "a = 1\n" * (1 << 18), "too large"),
    ],
)
def test_one_sentence(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        read_settings(path)


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read the settings"):
        read_settings(tmp_path / "none.toml")
    path = tmp_path / "bytes.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="cannot read the settings"):
        read_settings(path)
