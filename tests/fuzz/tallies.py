"""Tallies on disk: a long run may end at any moment, and goes on where it was.

```python
kept = read_tallies(Path("tally.json"), seed=1)      # nothing yet: {}
write_tallies(Path("tally.json"), 1, {"stores": fuzzer.tally})
```
"""

from __future__ import annotations

import json
import resource
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from .harness import REFUSED, RIGHT, Tally

FIELDS = ("counts", "findings", "slowest")


def read_tallies(path: Path, seed: int) -> dict[str, Tally]:
    """Return the tallies of a file by reader; none if there is no file."""
    if not path.exists():
        return {}
    kept = json.loads(path.read_text())
    if kept["seed"] != seed:
        sys.exit(f"{path} has the tally of seed {kept['seed']}, not of {seed}: name another file.")
    return {
        name: Tally(Counter(each["counts"]), each["findings"], each["slowest"])
        for name, each in kept["readers"].items()
    }


def write_tallies(path: Path, seed: int, tallies: Mapping[str, Tally]) -> None:
    """Write the tallies of all readers, all of them or none."""
    readers = {
        name: {field: getattr(each, field) for field in FIELDS} for name, each in tallies.items()
    }
    part = path.with_name(f"{path.name}.part")
    part.write_text(json.dumps({"seed": seed, "readers": readers}, indent=1))
    part.replace(path)


def peak() -> float:
    """Return the most megabytes that this process had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def told(tallies: Mapping[str, Tally]) -> str:
    """Return a table of tallies, a line for all of them, and the kinds of findings."""
    whole = Tally()
    for each in tallies.values():
        whole.counts += each.counts
        whole.slowest = max(whole.slowest, each.slowest)
        for kind, numbers in each.findings.items():
            whole.findings.setdefault(kind, []).extend(numbers)
    lines = [
        f"{'reader':<16} {'inputs':>9} {'refused':>9} {'right':>9} {'findings':>9} {'slowest':>9}"
    ]
    for name, tally in [*tallies.items(), ("all", whole)]:
        numbers = (tally.inputs, tally.counts[REFUSED], tally.counts[RIGHT])
        cells = " ".join(f"{number:>9,}" for number in (*numbers, tally.found))
        lines.append(f"{name:<16} {cells} {tally.slowest:>7.2f} s")
    kinds = sorted(whole.findings.items(), key=lambda each: -len(each[1]))
    return "\n".join([*lines, *(f"  {len(numbers):>7,}  {kind}" for kind, numbers in kinds)])
