"""Table 1 as Markdown: what each method does to the graphs it is given."""

from __future__ import annotations

from collections.abc import Mapping

from smixup.lab.studies.properties import Properties

HEAD = """\
| method | instance level | preserves motif | mixes features | input level | preserves size |
|---|---|---|---|---|---|"""


def markdown(table: Mapping[str, Properties]) -> str:
    """Return the measured Table 1: a tick, and the number behind it where there is one."""
    lines = [HEAD]
    for name, found in table.items():
        motif = "" if found.motif is None else _ticked(found.preserves_motif, f"{found.motif:.0%}")
        cells = (
            _ticked(found.instance_level),
            motif,
            _ticked(found.mixes_features),
            _ticked(found.input_level),
            _ticked(found.preserves_size, f"{found.size:.2f}"),
        )
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _ticked(flag: bool, number: str = "") -> str:
    return f"✓ {number}".strip() if flag else number
