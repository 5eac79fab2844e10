"""Table 1 as Markdown: what each method does to the graphs it is given."""

from __future__ import annotations

from collections.abc import Mapping

from smixup.app.studies.properties import Properties

COLUMNS = (
    *("method", "instance level", "preserves motif", "mixes features"),
    *("input level", "preserves size"),
)


def markdown(table: Mapping[str, Properties]) -> str:
    """Return the measured Table 1: a tick, and the number behind it where there is one."""
    lines = [f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
    lines += [f"| {' | '.join(cells(name, found))} |" for name, found in table.items()]
    return "\n".join(lines)


def cells(name: str, found: Properties) -> list[str]:
    """Return one line of the table."""
    motif = "" if found.motif is None else _ticked(found.preserves_motif, f"{found.motif:.0%}")
    return [
        name,
        _ticked(found.instance_level),
        motif,
        _ticked(found.mixes_features),
        _ticked(found.input_level),
        _ticked(found.preserves_size, f"{found.size:.2f}"),
    ]


def _ticked(flag: bool, number: str = "") -> str:
    return f"✓ {number}".strip() if flag else number
