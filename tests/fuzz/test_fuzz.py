"""A few damaged files for every reader, and a look at the judge itself."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fuzz import harness
from fuzz.harness import REFUSED, RIGHT, Fuzzer, Malformed, Subject
from fuzz.mutators import Files, damaged
from fuzz.subjects import SUBJECTS
from smixup.errors import SmixupError

INPUTS = 30


@pytest.mark.slow
@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda each: each.name)
def test_damaged_files_are_refused_in_a_sentence_or_read_right(
    subject: type[Subject], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    fuzzer = Fuzzer(subject(tmp_path), seed=0)
    verdicts = [fuzzer.judged(files)[0] for files in fuzzer.good]
    assert verdicts[0] == RIGHT
    assert set(verdicts) <= {RIGHT, REFUSED}
    fuzzer.run(seconds=5, inputs=INPUTS)
    assert fuzzer.tally.inputs
    assert not fuzzer.tally.findings


class Odd(Subject):
    """Reads as it is told to."""

    name = "odd"

    def good(self) -> Sequence[Files]:
        return [{"a.txt": b"1\n2\n"}]

    def read(self, folder: Path) -> Any:
        text = (folder / "a.txt").read_text()
        if text == "refuse":
            raise SmixupError("a.txt holds no numbers.")
        if text == "words":
            raise SmixupError("no")
        if text == "leave":
            (folder / "left").write_text("")
            raise SmixupError("a.txt holds no numbers.")
        if text == "sleep":
            time.sleep(5)
        return [int(line) for line in text.split()]

    def plain(self, files: Files) -> Any:
        if files["a.txt"] == b"7\n":
            raise Malformed("seven")
        return [1, 2]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("1\n2\n", RIGHT),
        ("refuse", REFUSED),
        ("words", "refused in no sentence"),
        ("leave", "left something behind"),
        ("sleep", "slow"),
        ("x", "another exception"),
        ("7\n", "accepted what is malformed"),
        ("1\n3\n", "silently wrong"),
    ],
)
def test_the_judge_sees_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, verdict: str
) -> None:
    monkeypatch.setattr(harness, "SECONDS", 0.2)
    found, kind = Fuzzer(Odd(tmp_path), 0).judged({"a.txt": text.encode()})
    assert found == verdict
    assert bool(kind) == (verdict not in (RIGHT, REFUSED))


def test_findings_are_written_down_and_can_be_repeated(tmp_path: Path) -> None:
    first = Fuzzer(Odd(tmp_path / "a"), 3, tmp_path / "findings")
    first.run(inputs=50)
    second = Fuzzer(Odd(tmp_path / "b"), 3)
    second.run(inputs=50)
    assert first.tally.counts == second.tally.counts
    assert first.tally.found > 0
    assert (tmp_path / "findings" / "findings.jsonl").read_text().count("\n") >= 1


def test_findings_are_forgotten_when_they_were_mended(tmp_path: Path) -> None:
    fuzzer = Fuzzer(Odd(tmp_path), 3)
    fuzzer.run(inputs=50)
    before = fuzzer.tally.found
    fuzzer.again()
    assert fuzzer.tally.found == before > 0
    fuzzer.subject.read = lambda folder: [1, 2]  # type: ignore[method-assign]
    fuzzer.subject.plain = lambda files: [1, 2]  # type: ignore[method-assign]
    fuzzer.again()
    assert fuzzer.tally.findings == {}
    assert fuzzer.tally.inputs == 50


def test_damages_are_the_same_for_the_same_seed_and_differ_for_others() -> None:
    files = {"a.txt": b"1, 2\n3, 4\n" * 9, "b.json": b'{"a": [1, 2, {"b": "c"}]}'}
    made = [damaged(Random(seed), files) for seed in range(50)]
    assert made == [damaged(Random(seed), files) for seed in range(50)]
    assert sum(each != files for each in made) > 40
