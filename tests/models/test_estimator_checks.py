"""The table of scikit-learn's checks in `docs/models.md` says what comes of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sklearn
from models.estimator_checks import (
    KINDS,
    NOT_PASSED,
    OF_TABLES,
    OPTIONAL,
    QUICK,
    Checks,
    on_page,
    run,
    table,
)
from sklearn.utils.estimator_checks import estimator_checks_generator

CONSTRAINTS = Path(__file__).parents[2] / "constraints.txt"
HOW = "write the table again: PYTHONPATH=src:tests python -m models.estimator_checks"
same_version = pytest.mark.skipif(
    f"scikit-learn {sklearn.__version__} " not in on_page(),
    reason="the page is about another version of scikit-learn",
)


def test_the_page_is_about_the_version_that_is_pinned() -> None:
    (pinned,) = re.findall(r"^scikit-learn==(\S+)$", CONSTRAINTS.read_text(), re.MULTILINE)
    assert on_page().startswith(f"| scikit-learn {pinned} |"), HOW


@same_version
def test_the_page_names_every_check_that_there_is() -> None:
    """Without running them: which there are, scikit-learn tells at once."""
    there = {
        getattr(check, "func", check).__name__
        for kind in KINDS.values()
        for _, check in estimator_checks_generator(kind(**QUICK))
    }
    named = {f"check_{name}" for row in on_page().splitlines() for name in _names(row)}
    assert named == there, HOW


def _names(row: str) -> list[str]:
    return re.findall("`(\\w+)`", row.split(" | ")[-1])


@pytest.fixture(scope="module")
def checks() -> Checks:
    return Checks.of(each for kind in KINDS.values() for each in run(kind))


@pytest.mark.slow
def test_all_pass_but_those_that_cannot(checks: Checks) -> None:
    assert checks.failed <= NOT_PASSED.keys()
    assert checks.skipped <= OPTIONAL
    assert len(checks.passed - OF_TABLES) > 30


@pytest.mark.slow
@same_version
def test_the_page_says_what_comes_of_them(checks: Checks) -> None:
    assert on_page() == table(checks), HOW


def test_every_outcome_has_its_row() -> None:
    found = [
        {"check_name": name, "status": status}
        for name, status in (
            ("check_fit1d", "passed"),
            ("check_set_params", "passed"),
            ("check_array_api_input", "skipped"),
            ("check_new", "skipped"),
            ("check_classifiers_train", "passed"),
            ("check_classifiers_train", "failed"),  # once is enough
            ("check_odd", "failed"),
        )
    ]
    checks = Checks.of(found)
    assert checks.passed == {"check_fit1d", "check_set_params"}
    rows = table(checks).splitlines()[2:]
    assert [_names(row) for row in rows] == [
        ["set_params"],
        ["fit1d"],
        ["array_api_input"],
        ["new"],
        ["odd"],
        ["classifiers_train"],
    ]
    assert "nobody has looked why" in rows[4]
    assert "good score" in rows[5]
