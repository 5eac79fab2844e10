"""A record is done if it has a result, and knows whether its run could be run today."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from smixup.app.runs.config import configure
from smixup.app.runs.run import RunResult
from smixup.app.sweeps.identity import run_id
from smixup.app.sweeps.record import Record

CONFIG = configure("MOTIF", "gin", "vanilla", epochs=2)


def record(result: RunResult | None = None, **changes: object) -> Record:
    config = CONFIG.to_dict() | changes
    return Record("as-it-was", config, result, "no memory", 2.0, "here", "2026-01-01")


def test_with_a_result_it_is_done(make_result: Callable[..., RunResult]) -> None:
    assert record(make_result()).done
    assert not record().done


def test_its_identity_today_is_that_of_its_configuration() -> None:
    assert record().current_id() == run_id(CONFIG)
    assert record().current_id() != record(seed=1).current_id()


@pytest.mark.parametrize("change", [{"forgotten": 1}, {"method": "nosuch"}, {"epochs": 0}])
def test_a_configuration_that_is_none_today_has_no_identity(change: dict[str, object]) -> None:
    assert record(**change).current_id() is None
