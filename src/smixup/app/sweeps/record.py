"""One run as a store keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from smixup.app.runs.config import RunConfig
from smixup.app.runs.run import RunResult
from smixup.app.sweeps.identity import run_id
from smixup.errors import SmixupError


@dataclass(frozen=True)
class Record:
    """What was run, what came of it, and where and when.

    Attributes:
        id: the identity that the run had when it was run.
        config: the fields of its `RunConfig`; of an old run perhaps not those of today's.
        result: without its curves as a store reads it; None if the run failed.
        error: why it failed.
        seconds: from start to end, loading and fitting included.
        host: the name of the machine.
        finished: date and time, in UTC.
        data: fingerprint of the data that was read, see `datasets.fingerprint`; empty where the
            configuration says it all, and in records of earlier versions, which are taken as of the
            data of that name.
    """

    id: str
    config: dict[str, Any]
    result: RunResult | None
    error: str | None
    seconds: float
    host: str
    finished: str
    data: str = ""

    @property
    def done(self) -> bool:
        """Whether there is a result."""
        return self.result is not None

    def current_id(self) -> str | None:
        """Return the identity that the run would have today; None if it could not be run."""
        try:
            return run_id(RunConfig(**self.config))
        except (SmixupError, TypeError):
            return None
