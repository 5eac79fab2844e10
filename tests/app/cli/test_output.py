"""Progress is a bar on a terminal and few lines elsewhere; threads follow the work."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import torch

from smixup.app.cli import output
from smixup.app.cli.output import ProgressDisplay, cores, print_table, set_threads
from smixup.errors import UsageError
from smixup.progress import Progress


def test_lines_are_few_and_begin_with_the_first_step(capsys: pytest.CaptureFixture[str]) -> None:
    with closing(ProgressDisplay()) as report:
        assert capsys.readouterr().err == "", "wrong use is answered with one line"
        report(Progress("matcher", 0, 120))
        assert capsys.readouterr().err == "matcher 0/120\n"
        for stage in ("training", "again"):
            for done in range(1, 502):
                report(Progress(stage, done, 501, {"loss": 1 / done}))
            lines = capsys.readouterr().err.splitlines()
            assert len(lines) == 10 and lines[-1] == f"{stage} 501/501  loss 0.0020"
    token = output.quiet.set(True)
    try:
        with closing(ProgressDisplay()) as report:
            report(Progress("matcher", 120, 120))
    finally:
        output.quiet.reset(token)
    assert capsys.readouterr() == ("", "")


def test_tables_align_words_and_numbers_and_fold_what_does_not_fit(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    print_table(("name", "n"), [("a [b]", "1"), ("longer", "10.5")], title="A title")
    lines = capsys.readouterr().out.splitlines()
    first, second = (next(line for line in lines if cell in line) for cell in ("a [b]", "10.5"))
    assert first.index("a") == second.index("longer") and first.rindex("1") == second.rindex("5")
    monkeypatch.setenv("COLUMNS", "16")
    print_table(("name", "n"), [("abcdefghijklmnop", "123456789")])
    shown = capsys.readouterr().out
    assert "…" not in shown and set("abcdefghijklmnop123456789") <= set(shown)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Eight cores, of which one is busy, and no variables."""
    for name in ("SMIXUP_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "")  # so that it is as before afterwards
        monkeypatch.delenv(name)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)
    monkeypatch.setattr(os, "getloadavg", lambda: (1.2, 9.0, 9.0))
    before = torch.get_num_threads()
    yield monkeypatch
    torch.set_num_threads(before)


def test_threads_follow_the_work_unless_somebody_says_a_number(
    machine: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for dataset, number in (("", 1), ("MOTIF", 1), ("NCI1", 1), ("reddit-b", 7), ("no such", 1)):
        set_threads(dataset)
        assert torch.get_num_threads() == number, dataset
    assert cores() == 8 and os.environ["OPENBLAS_NUM_THREADS"] == "1"
    set_threads("ogbg-molhiv", tmp_path, 512 * 300)
    assert torch.get_num_threads() == 7, "batches are large"
    machine.setenv("SMIXUP_THREADS", "3")
    set_threads("REDDIT-BINARY")
    assert torch.get_num_threads() == 3
    for wrong in ("0", "-1", "two", "1.5"):
        machine.setenv("SMIXUP_THREADS", wrong)
        with pytest.raises(UsageError, match=f"SMIXUP_THREADS must be .* not '{wrong}'"):
            set_threads()
