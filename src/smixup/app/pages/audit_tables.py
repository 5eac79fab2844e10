"""An audit as tables: where mixes lie, what a judge says and a network sees of them, alignments,
Table 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from smixup.app.pages import properties_table
from smixup.app.runs.words import counted, decimal
from smixup.app.studies.audit_report import Audited, AuditReport

NONE = "-"
RATIOS = {
    "uniform": "ratios even over each method's range",
    "half": "ratios near one half",
    "own": "each method's own ratios",
}


@dataclass(frozen=True)
class AuditTable:
    """One table.

    Attributes:
        title: above it.
        columns: their headings; the first is that of the methods.
        rows: their cells.
        caption: what the numbers are.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str


def tables(report: AuditReport) -> list[AuditTable]:
    """Return the five tables; that of alignments is left out where no method has any."""
    found = [_positions(report), _opinions(report), _sight(report)]
    if any(row.alignment for row in report.rows):
        found.append(_alignments(report))
    return [*found, _properties(report)]


def markdown(report: AuditReport) -> str:
    """Return all tables as Markdown."""
    parts = []
    for table in tables(report):
        columns = (each.replace("-\n", "").replace("\n", " ") for each in table.columns)
        lines = [f"**{table.title}**", "", f"| {' | '.join(columns)} |"]
        lines.append("|---" * len(table.columns) + "|")
        lines += [f"| {' | '.join(row)} |" for row in table.rows]
        parts.append("\n".join([*lines, "", table.caption]))
    return "\n\n".join(parts)


def _positions(report: AuditReport) -> AuditTable:
    effort = report.effort
    columns = (
        *("method", "pairs", "λ", "GED\nerror", "proved", "exact", "detour"),
        *("FGW\nerror", "detour"),
    )
    caption = (
        f"Seed {report.seed}, {RATIOS[report.ratios]}. Up to {effort.distances} pairs by edit "
        f"distances, among {counted(report.small, 'graph')} up to {effort.small_nodes} nodes, and "
        f"as many by fused Gromov-Wasserstein, among {counted(report.graphs, 'held-out graph')} up "
        f"to {effort.max_nodes} nodes. Error: mean |ε - λ|; detour: way from G1 over the mix to G2 "
        "over the shortest way."
    )
    title = f"{report.dataset}: where mixes lie"
    return AuditTable(title, columns, [_position(row) for row in report.rows], caption)


def _position(row: Audited) -> list[str]:
    edit, transport = row.edit, row.transport
    pairs = NONE if row.pairs is None else str(round(row.pairs * row.mixes))
    by_edits, by_transport = [NONE] * 4, [NONE] * 2
    if edit is not None:
        proved = f"{edit.least:.2f}-{edit.most:.2f}"
        by_edits = [
            *(decimal(edit.error, 3), proved),
            *(f"{edit.exact:.0%}", decimal(edit.detour, 2)),
        ]
    if transport is not None:
        by_transport = [decimal(transport.error, 3), decimal(transport.detour, 2)]
    return [row.title, pairs, decimal(row.lam, 2), *by_edits, *by_transport]


def _opinions(report: AuditReport) -> AuditTable:
    columns = ("method", "pairs", "label", "null", "floor", "label / null")
    caption = (
        f"Total variation to λ p(G1) + (1 - λ) p(G2) by a {report.backbone.upper()} that is right "
        f"on {report.accuracy:.0%} of the graphs, over pairs that it puts in different classes. "
        "Null: of G1 untouched; floor: of its representations of G1 and G2, mixed."
    )
    title = f"{report.dataset}: what a judge says of their labels"
    return AuditTable(title, columns, [_opinion(row) for row in report.rows], caption)


def _opinion(row: Audited) -> list[str]:
    label = row.label
    if label is None:
        return [row.title, *[NONE] * 5]
    numbers = (decimal(each, 3) for each in (label.mix, label.null, label.floor))
    ratio = decimal(label.mix / label.null, 2) if label.null > 0 else NONE
    return [row.title, str(label.pairs), *numbers, ratio]


def _sight(report: AuditReport) -> AuditTable:
    columns = (
        *("method", "degree", "error", "density", "error", "features"),
        *("outside", "dupli-\ncates", "std of\noriginals"),
    )
    caption = (
        "Degree and density over what λ promises (1 is right on average), and the mean relative "
        "error of a mix; features: distance of the means in standard deviations; outside: nodes "
        "with features beyond the originals' range; duplicates: mixes that equal an original; "
        "std of originals: behind the batch norm farthest from 1, with as many mixes in the batch."
    )
    title = f"{report.dataset}: what a network sees"
    return AuditTable(title, columns, [_seen(row) for row in report.rows], caption)


def _seen(row: Audited) -> list[str]:
    drift = row.drift
    drifted = (
        [NONE] * 5
        if drift is None
        else [
            decimal(each, 2)
            for each in (
                *(drift.degree, drift.degree_error, drift.density, drift.density_error),
                drift.features,
            )
        ]
    )
    shares = [NONE if each is None else f"{each:.1%}" for each in (row.outside, row.duplicates)]
    return [row.title, *drifted, *shares, decimal(row.originals_std, 2)]


def _alignments(report: AuditReport) -> AuditTable:
    columns = ("method", "row sums", "deviation", "largest", "motif edges", "motif mass")
    rows = [
        [
            row.title,
            *(
                decimal(each, 2)
                for each in (
                    row.alignment.row_sums.mean,
                    row.alignment.row_sums.deviation,
                    row.alignment.row_sums.largest,
                    row.alignment.motif_edges,
                    row.alignment.motif_mass,
                )
            ),
        ]
        for row in report.rows
        if row.alignment is not None
    ]
    caption = (
        f"Row sums of M over {report.effort.mixes} pairs; share of the motif's edges, and of its "
        "nodes, that arrive, over as many pairs of one class."
    )
    return AuditTable(f"{report.dataset}: alignments", columns, rows, caption)


def _properties(report: AuditReport) -> AuditTable:
    rows = [properties_table.cells(row.title, row.properties) for row in report.rows]
    caption = (
        "Table 1 of the paper, measured. Preserves motif: share of mixes of one class that the "
        "judge puts in that class; preserves size: Kolmogorov-Smirnov distance."
    )
    return AuditTable(f"{report.dataset}: properties", properties_table.COLUMNS, rows, caption)
