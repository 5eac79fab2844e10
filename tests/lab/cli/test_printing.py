"""A table shows all its cells: words on the left, numbers on the right."""

from __future__ import annotations

import pytest

from smixup.lab.cli.printing import print_table


@pytest.mark.parametrize("narrow", [False, True])
def test_words_start_on_the_left_and_numbers_end_on_the_right(
    narrow: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [("a", "1"), ("longer", "10.5")]
    print_table(("name", "n"), rows, narrow=narrow, title="A title", caption="and what it means")
    lines = capsys.readouterr().out.splitlines()
    first, second = (next(line for line in lines if row[1] in line) for row in rows)
    assert first.index("a") == second.index("longer")
    assert first.rindex("1") == second.rindex("5")
    assert "A title" in lines[0]
    assert "what it" in " ".join(lines[-2:])
    assert any("│" in line for line in lines) is not narrow


@pytest.mark.parametrize("narrow", [False, True])
def test_a_narrow_table_folds_what_does_not_fit_and_cuts_nothing(
    narrow: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "16")
    print_table(("name", "n"), [("abcdefghijklmnop", "123456789")], narrow=narrow)
    shown = set(capsys.readouterr().out)
    assert ("…" in shown) is not narrow
    assert (set("abcdefghijklmnop123456789") <= shown) is narrow
