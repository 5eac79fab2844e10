"""`smixup methods` and `smixup matchers` list what the registries have, with their settings."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from smixup.app.cli.main import app
from smixup.app.runs.registry import MATCHERS, METHODS
from smixup.augment.smixup import SMixup


@pytest.mark.parametrize(("verb", "registry"), [("methods", METHODS), ("matchers", MATCHERS)])
def test_all_are_listed(verb: str, registry: object) -> None:
    told = json.loads(CliRunner().invoke(app, [verb, "--json"]).stdout)
    assert list(told) == list(registry)  # type: ignore[call-overload]
    assert all(told.values())
    text = CliRunner().invoke(app, [verb], env={"COLUMNS": "80"}).stdout
    assert all(name in text for name in told)
    assert max(map(len, text.splitlines())) <= 80


def test_settings_have_their_defaults_and_meanings() -> None:
    told = json.loads(CliRunner().invoke(app, ["methods", "s-mixup", "--json"]).stdout)
    settings = {each["name"]: each for each in told["settings"]}
    assert settings["alpha"]["default"] == SMixup().alpha
    assert settings["alpha"]["kind"] == "a number"
    assert settings["transport"]["default"] == str(SMixup().transport)
    assert settings["seed"]["default"] is None
    assert all(each["meaning"] for each in settings.values())


def test_settings_are_shown_as_they_are_set() -> None:
    text = CliRunner().invoke(app, ["methods", "s-mixup"], env={"COLUMNS": "100"}).stdout
    line = next(line for line in text.splitlines() if line.strip().startswith("fold_ratio"))
    assert line.split()[:2] == ["fold_ratio", "true"]


def test_one_without_settings_and_one_that_is_not_there() -> None:
    assert "vanilla has no settings" in CliRunner().invoke(app, ["methods", "vanilla"]).stdout
    wrong = CliRunner().invoke(app, ["methods", "s-mixpu"])
    assert wrong.exit_code == 2 and "s-mixup" in wrong.stderr


def test_a_listing_does_not_wait_for_torch() -> None:
    code = (
        "import sys; from smixup.app.cli.main import app; "
        "app(['methods'], standalone_mode=False); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
