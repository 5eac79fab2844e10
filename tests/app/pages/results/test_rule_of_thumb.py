"""A rule is found where there is one, and none where there is none."""

from __future__ import annotations

import json

import numpy as np

from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.rule_of_thumb import (
    FILE,
    Case,
    described_datasets,
    foretelling,
    rule_of_thumb,
)

SIZES = (25, 50, 100, 200)


def cases(gain: float, noise: float) -> list[Case]:
    """Gains that fall with the number of labels, and noise."""
    random = np.random.default_rng(5)
    return [
        Case(
            f"set {place}",
            (float(np.log2(size)), random.uniform(5, 40), float(random.integers(2))),
            gain * (6.2 - float(np.log2(size))) + noise * random.standard_normal(),
        )
        for place in range(6)
        for size in SIZES
    ]


def test_a_rule_that_holds_on_every_dataset_is_found() -> None:
    text = foretelling(cases(gain=1.0, noise=0.1))
    assert "in 100 % of 24 cells" in text
    assert "It foretells the sign" in text
    assert "| the number of labels (log2) | -1." in text


def test_in_noise_there_is_none() -> None:
    assert "There is no rule yet" in foretelling(cases(gain=0.0, noise=1.0))


def test_one_feature_among_several() -> None:
    """A feature that tells all, beside two that tell nothing."""
    text = foretelling(cases(gain=1.0, noise=0.1))
    lines = {line.split(" | ")[0]: line for line in text.splitlines() if line.startswith("| ")}
    assert "| 100 % | 0 % |" in lines["| the number of labels (log2)"]
    assert "| 38 % |" in lines["| the error of Vanilla (%)"]


def test_datasets_are_described_by_a_file(committed: CommittedRecords) -> None:
    assert rule_of_thumb(committed) == "Too few datasets were run to ask."
    lines = [
        {"dataset": name, "nodes": 5.0, "self_match": 90, "separation": 70, "distortion": 3}
        for name in ("PROTEINS", "MUTAG")
    ]
    file = committed.folder / FILE
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert described_datasets(file) == dict.fromkeys(("PROTEINS", "MUTAG"), (5.0, 90, 70, 3))


def test_two_datasets_are_too_few_to_ask() -> None:
    assert foretelling(cases(1.0, 0.1)[:8]) == "Too few datasets were run to ask."
