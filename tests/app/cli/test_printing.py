"""A table shows all its cells: words on the left, numbers on the right."""

from __future__ import annotations

import pytest

from smixup.app.cli.printing import print_table


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


def test_words_break_only_if_there_is_no_room(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = ("random-alignment", "cannot tell yet", "-0.017 to +0.090", "1.8x + 44 s")
    words = {word for cell in row for word in cell.split()}
    header = ("method", "verdict", "bounds", "cost")
    for width in range(41, 70):
        monkeypatch.setenv("COLUMNS", str(width))
        print_table(header, [row], narrow=True)
        lines = capsys.readouterr().out.splitlines()
        assert words <= {word for line in lines for word in line.split()}, width
        assert max(map(len, lines)) <= width
    assert any(all(cell in line for cell in row) for line in lines), "on one line if it fits"
    monkeypatch.setenv("COLUMNS", "40")
    print_table(header, [row], narrow=True)
    assert "random-alignment" not in capsys.readouterr().out.split()


def test_a_table_without_rows(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("name", "n"), [], narrow=True)
    assert "name" in capsys.readouterr().out
