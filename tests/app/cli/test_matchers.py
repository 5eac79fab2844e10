"""`smixup matchers` shows matchers; what both listings share is tested in `test_parts.py`."""

from __future__ import annotations

from typer.testing import CliRunner

from smixup.app.cli.main import app


def test_a_matcher_is_told_with_its_settings() -> None:
    result = CliRunner().invoke(app, ["matchers", "uniform"])
    assert result.exit_code == 0
    assert "All nodes score alike" in result.stdout
