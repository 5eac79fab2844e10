"""Result tables as text for a terminal, Markdown, LaTeX, JSON and CSV: the same cells, the same
words.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from smixup.app.runs.words import finite, plus_minus, signed, signed_interval
from smixup.app.tables.cell import FilledCell, Published
from smixup.app.tables.comparison import Difference
from smixup.app.tables.result import ResultTable
from smixup.app.tables.score import SCORES

NOT_RUN = "not run"
GRID = "grid incomplete"
NO_SCORE = "no such score"
PLACE_FIELDS = ("backbone", "row", "column")
SUMMARY_FIELDS = ("number", "mean", "deviation")
DIFFERENCE_FIELDS = {
    "mean": "difference",
    "low": "low",
    "high": "high",
    "number": "pairs",
    "detectable": "detectable",
}
LATEX_SPECIAL = str.maketrans(
    {each: rf"\{each}" for each in "%&_#${}"}
    | {
        "±": r"$\pm$",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
    }
)


@dataclass(frozen=True)
class CellText:
    """What a cell says, piece by piece.

    Attributes:
        ours: mean, deviation and number of runs, or that there is none.
        paper: the paper's value, empty if it has none.
        difference: to the reference with its interval, empty for the reference.
        detects: the difference that the runs could have shown, empty for the reference.
        best: whether to set it in bold.
    """

    ours: str
    paper: str
    difference: str
    detects: str
    best: bool

    def lines(self, bold: str = "{}", escape: Callable[[str], str] = str) -> list[str]:
        """Return the pieces that are not empty; the first is put into `bold` if it is the best."""
        pieces = (self.ours, self.difference, self.detects, self.paper)
        first, *others = (escape(each) for each in pieces if each)
        return [bold.format(first) if self.best else first, *others]


def cell_text(table: ResultTable, cell: FilledCell, score: str = "test") -> CellText:
    """Put a cell into words; the paper reports test scores alone."""
    digits = cell.score(score).digits
    paper, difference = _published(cell, score), table.difference(cell, score)
    return CellText(
        _ours(cell, score, digits),
        f"{table.published_by} {plus_minus(paper.mean, paper.deviation, 2)}" if paper else "",
        _paired(difference, digits),
        _detects(difference, digits),
        table.is_best(cell, score),
    )


def row_text(
    table: ResultTable, backbone: str, row: str, columns: Sequence[str], score: str
) -> list[CellText]:
    """Put some cells of a row into words."""
    return [cell_text(table, table.cell(backbone, row, column), score) for column in columns]


def _published(cell: FilledCell, score: str) -> Published | None:
    return cell.published if score == "test" else None


def _ours(cell: FilledCell, score: str, digits: int) -> str:
    summary = cell.summary(score)
    if summary is None:
        return NO_SCORE if cell.runs else f"{cell.failed} failed" if cell.failed else NOT_RUN
    seeds = len(cell.chosen.configs)
    number = f"n = {summary.number}" + ("" if summary.number == seeds else f" of {seeds}")
    grid = _unfinished(cell)
    return f"{plus_minus(summary.mean, summary.deviation, digits)} ({number}{grid})"


def _unfinished(cell: FilledCell) -> str:
    """Say that settings of a grid were not run, if that is so."""
    return "" if cell.complete or len(cell.candidates) == 1 else f", {GRID}"


def _paired(difference: Difference | None, digits: int) -> str:
    if difference is None:
        return ""
    mean = signed(difference.mean, digits)
    if not math.isfinite(difference.low):
        return mean
    return f"{mean} {signed_interval(difference.low, difference.high, digits)}"


def _detects(difference: Difference | None, digits: int) -> str:
    if difference is None or not math.isfinite(difference.detectable):
        return ""
    return f"detects {difference.detectable:.{digits}f}"


def headline(table: ResultTable, score: str = "test") -> str:
    """Return the title, which says what is shown and whether it is a rehearsal."""
    rehearsal = f"; REHEARSAL, {table.scope.epochs} epochs" if table.scope.rehearsal else ""
    grid = "" if table.scope.search else "; defaults only, no grid"
    first = f"; seeds from {table.scope.first_seed}" if table.scope.first_seed else ""
    return f"{table.title}: {score_title(table.cells, score)}{grid}{first}{rehearsal}"


def score_title(cells: Sequence[FilledCell], score: str) -> str:
    """Return what is shown: one title, or those of several metrics."""
    titles = (cell.score(score).title for cell in cells if cell.runs)
    return "; ".join(dict.fromkeys(titles)) or SCORES[score].title


def footnotes(table: ResultTable, marked: str = "Bold") -> list[str]:
    """Return what a reader needs to read the numbers, and how the best are marked."""
    chosen = "chosen by mean validation score" if table.scope.search else "defaults"
    words = (
        f"Mean ± standard deviation over n runs; then the paired difference to {table.reference} "
        "on the same splits and initial weights with its 95 % interval; then the difference that "
        "so many pairs, as far apart as these, would show in four of five sweeps; then the "
        f"value of the {table.published_by}. "
        f"{marked}: the best of its column, where the interval leaves zero out. Settings: "
        f"{chosen}."
    )
    if any(GRID in _unfinished(cell) for cell in table.cells if cell.runs):
        words += f" {GRID.capitalize()}: of the settings of its grid, only some were run."
    return [words, *([table.note] if table.note else [])]


def markdown(table: ResultTable, score: str = "test") -> str:
    """Return one Markdown table per backbone."""
    parts = [f"**{headline(table, score)}**"]
    for backbone in table.backbones:
        columns = table.columns(backbone)
        rule = "|---" * (len(columns) + 1) + "|"
        lines = [_markdown_row([backbone.upper(), *columns]), rule]
        for row in table.rows:
            cells = row_text(table, backbone, row, columns, score)
            words = ("<br>".join(cell.lines("**{}**")) for cell in cells)
            lines.append(_markdown_row([row, *words]))
        parts.append("\n".join(lines))
    return "\n\n".join([*parts, *footnotes(table)])


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def text(table: ResultTable, score: str = "test") -> str:
    """Return tables for a terminal of any width; a column that does not fit stands in a table
    below.
    """
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=False)
    with console.capture() as capture:
        console.print(headline(table, score), style="bold", markup=False)
        for backbone in table.backbones:
            for columns in _windows(table, backbone, console.width):
                console.print(_terminal_table(table, backbone, columns, score))
        for note in footnotes(table, "Bold and starred"):
            console.print(note, style="dim", markup=False)
    return capture.get().rstrip()


def _windows(table: ResultTable, backbone: str, width: int) -> list[list[str]]:
    """Cut the columns into as many tables as a terminal needs."""
    columns = table.columns(backbone)
    first = max(len(row) for row in table.rows) + 4
    number = max((width - first) // 30, 1)
    return [columns[start : start + number] for start in range(0, len(columns), number)]


def _terminal_table(table: ResultTable, backbone: str, columns: list[str], score: str) -> Any:
    from rich.markup import escape
    from rich.table import Table

    drawn = Table(backbone.upper(), *(escape(column) for column in columns), show_lines=True)
    for row in table.rows:
        cells = row_text(table, backbone, row, columns, score)
        bold = "[bold]{} *[/bold]"  # a file or a pipe knows no bold, so there is a star, too
        drawn.add_row(escape(row), *("\n".join(cell.lines(bold, escape)) for cell in cells))
    return drawn


def latex(table: ResultTable, score: str = "test") -> str:
    r"""Return one `table*` per backbone; it needs the package booktabs."""
    return "\n\n".join(_latex_table(table, backbone, score) for backbone in table.backbones)


def _latex_table(table: ResultTable, backbone: str, score: str) -> str:
    columns = table.columns(backbone)
    header = " & ".join(map(_latex, (backbone.upper(), *columns)))
    lines = [
        r"\begin{table*}",
        r"\centering",
        rf"\begin{{tabular}}{{l{'c' * len(columns)}}}",
        r"\toprule",
        rf"{header} \\ \midrule",
    ]
    for row in table.rows:
        cells = row_text(table, backbone, row, columns, score)
        lines.append(f"{_latex(row)} & " + " & ".join(_latex_cell(cell) for cell in cells) + r" \\")
    caption = _latex(" ".join([f"{headline(table, score)}.", *footnotes(table)]))
    end = (r"\bottomrule", r"\end{tabular}", rf"\caption{{{caption}}}", r"\end{table*}")
    return "\n".join([*lines, *end])


def _latex_cell(cell: CellText) -> str:
    pieces = cell.lines(r"\textbf{{{}}}", _latex)
    stacked = r" \\ ".join(pieces)
    return stacked if len(pieces) == 1 else rf"\shortstack{{{stacked}}}"


def _latex(words: str) -> str:
    """Escape words; a bracket in front would be the argument of the line break before it."""
    escaped = words.translate(LATEX_SPECIAL)
    return f"{{}}{escaped}" if escaped.startswith("[") else escaped


def as_json(table: ResultTable, score: str = "test") -> str:
    """Return everything behind the table: every cell with its runs, its grid and the choice."""
    cells = [_json_cell(table, cell, score) for cell in table.cells]
    about = {"experiment": table.name, "title": table.title, "note": table.note, "score": score}
    return json.dumps(
        about | {"scope": table.scope.to_dict(), "reference": table.reference, "cells": cells}
    )


def _json_cell(table: ResultTable, cell: FilledCell, score: str) -> dict[str, Any]:
    published, scores = _published(cell, score), cell.scores(score)
    summary, difference = cell.summary(score), table.difference(cell, score)
    return {
        "backbone": cell.backbone,
        "row": cell.row,
        "column": cell.column,
        "scores": finite(scores),
        "summary": None if summary is None else finite(vars(summary)),
        "difference": None if difference is None else finite(vars(difference)),
        "best": table.is_best(cell, score),
        "paper": None if published is None else vars(published),
        "grid": [dict(candidate.settings) for candidate in cell.candidates],
        "chosen": dict(cell.chosen.settings) if scores else None,
        "complete": cell.complete,
        "failed": cell.failed,
        "runs": [record.id for record in cell.runs.values()],
    }


def as_csv(table: ResultTable, score: str = "test") -> str:
    """Return one line per cell: what was measured, and how it compares with the reference; numbers
    that are not there are empty, or nan and inf.
    """
    text = io.StringIO()
    fields = ("what", *PLACE_FIELDS, *SUMMARY_FIELDS, *DIFFERENCE_FIELDS.values())
    writer = csv.DictWriter(text, fields, lineterminator="\n")
    writer.writeheader()
    for cell in table.cells:
        summary, difference = cell.summary(score), table.difference(cell, score)
        line: dict[str, Any] = {"what": headline(table, score)}
        line |= {name: getattr(cell, name) for name in PLACE_FIELDS}
        line |= {name: getattr(summary, name, None) for name in SUMMARY_FIELDS}
        line |= {to: getattr(difference, name, None) for name, to in DIFFERENCE_FIELDS.items()}
        writer.writerow(line)
    return text.getvalue().rstrip()


FORMATS: dict[str, Callable[[ResultTable, str], str]] = {
    "text": text,
    "markdown": markdown,
    "latex": latex,
    "json": as_json,
    "csv": as_csv,
}
