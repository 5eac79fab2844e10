"""What `smixup bench` measured: its rows, the machine, and how far it came.

In a file it is one JSON object, which is written anew after every row. So a measurement that was
stopped can be read up to there. When it goes on, the benchmark that it was at is run again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from smixup.app.bench.machine import peak_memory
from smixup.app.bench.timing import Comparison
from smixup.errors import SmixupError, UsageError
from smixup.files import require_writable, write_whole

SAME = ("versions", "threads", "settings")
"""What must not change between two parts of one measurement."""


@dataclass
class Measurement:
    """Rows of one version on one machine.

    Attributes:
        about: version, day, threads, settings and machine, as they stand in the file.
        comparisons: the rows.
        finished: names of the benchmarks that came to their ends.
        path: the file that keeps it, if there is one.
    """

    about: dict[str, Any]
    comparisons: list[Comparison] = field(default_factory=list)
    finished: list[str] = field(default_factory=list)
    path: Path | None = None

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read what `smixup bench --out` kept, or what `smixup bench --json` printed."""
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            rows = list(_comparisons(found.pop("comparisons")))
            return cls(found, rows, list(found.pop("finished", ())))
        except OSError as error:
            raise SmixupError(f"{path} cannot be read: {error.strerror}.") from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise SmixupError(
                f"{path} is not what `smixup bench --json` prints; write one by "
                f"`smixup bench --out {path.name}`."
            ) from error

    @classmethod
    def begin(cls, about: dict[str, Any], path: Path | None = None) -> Self:
        """Begin a measurement, or go on with the one that the file has. What another version
        measured, or other settings, is refused; rows of a benchmark that was stopped are dropped,
        since it will be run again as a whole.
        """
        if path is None:
            return cls(about)
        require_writable(path, "the measurement")
        if not path.exists():
            return cls(about, path=path)
        earlier = cls.read(path)
        for name in SAME:
            if earlier.about.get(name) != json.loads(json.dumps(about[name])):
                raise UsageError(
                    f"{path} was measured with other {name}: {earlier.about.get(name)} and not "
                    f"{about[name]}. Name another file."
                )
        rows = [each for each in earlier.comparisons if each.benchmark in earlier.finished]
        return cls(earlier.about, rows, earlier.finished, path)

    def add(self, comparison: Comparison) -> None:
        """Take a row, and keep it with the most memory that the process held up to now."""
        self.comparisons.append(comparison)
        self.about["peak_memory_mb"] = peak_memory()
        self._keep()

    def finish(self, benchmark: str) -> None:
        """Take note that a benchmark came to its end."""
        self.finished.append(benchmark)
        self._keep()

    def _keep(self) -> None:
        if self.path is not None:
            write_whole(self.path, self.to_json(), "the measurement")

    def to_json(self) -> str:
        """Return it as one JSON object, on one line."""
        rows = [each.to_json() for each in self.comparisons]
        return json.dumps({**self.about, "finished": self.finished, "comparisons": rows}) + "\n"

    @property
    def when(self) -> str:
        """Which version was measured, and when."""
        version = (self.about.get("versions") or {}).get("smixup", "of unknown version")
        return f"smixup {version}, {self.about.get('measured', 'day unknown')}"


def _comparisons(rows: Iterable[Mapping[str, Any]]) -> Iterator[Comparison]:
    for row in rows:
        given = {name: value for name, value in row.items() if name != "ratio"}
        if given.get("quartiles"):
            low, high = map(float, given["quartiles"])
            given["quartiles"] = low, high
        yield Comparison(**given)
