"""`smixup methods` shows methods; what both listings share is tested in `test_parts.py`."""

from __future__ import annotations

from typer.testing import CliRunner

from smixup.app.cli.main import app


def test_a_method_is_told_with_its_settings() -> None:
    result = CliRunner().invoke(app, ["methods", "drop-edge"])
    assert result.exit_code == 0
    assert "Removes random edges" in result.stdout
