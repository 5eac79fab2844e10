"""The page that `smixup report` writes: every experiment of a store, with what one needs to trust
and to repeat it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice

from smixup.app.pages.differences import answer, dot_plots
from smixup.app.pages.formats import CellText, cell_text, footnotes, headline, score_title
from smixup.app.pages.report import (
    Code,
    Folded,
    Picture,
    Prose,
    Report,
    Section,
    Table,
    Words,
    labelled,
    running,
)
from smixup.app.pictures.learning_curves import draw_curve
from smixup.app.pictures.method_look import title_of
from smixup.app.pictures.stored_curves import Curves, panels
from smixup.app.runs.command import train_command
from smixup.app.runs.presets import GRIDS, OPEN_SETTINGS
from smixup.app.tables.cell import FilledCell
from smixup.app.tables.ran_part import RanPart, not_run, ran_parts
from smixup.app.tables.result import ResultTable
from smixup.app.tables.scope import Scope
from smixup.app.tables.score import REPORTED

CURVE = "test_loss"
ACROSS, FEW = 5, 2
"""So many columns fit on a screen, and so few on half of one."""
FIRST_PLOTS = 2
"""So many conditions of an experiment are seen first, the others in a section of their own."""
DOTS = (
    "Differences from {reference}. A dot is one paired run, on the same split and from the same "
    "initial weights; the diamond is the mean, the bar its 95 % interval over runs, which stands "
    "for itself and is not corrected for the others. Intervals that go graph by graph, as on the "
    "page of results of the documentation, may differ a little."
)


@dataclass(frozen=True)
class ResultBlock:
    """One backbone's part of a result table, as far as it was run; the best cells in bold."""

    table: ResultTable
    part: RanPart
    score: str

    def html(self) -> str:
        columns = self.part.columns
        parts = [columns[first : first + ACROSS] for first in range(0, len(columns), ACROSS)]
        return "".join(self._part(part) for part in parts)

    def _part(self, columns: Sequence[str]) -> str:
        """Return some columns as a table that fits a screen."""
        head = "".join(
            f'<th scope="col">{escape(name)}</th>' for name in (self._backbone, *columns)
        )
        rows = "".join(self._row(row, columns) for row in self.part.rows)
        body = f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
        caption = running(f"{self._backbone}. {headline(self.table, self.score)}")
        kind = "wide many" if len(columns) > FEW else "wide"
        return f'<div class="{kind}"><table><caption>{caption}</caption>{body}</table></div>'

    @property
    def _backbone(self) -> str:
        return self.part.backbone.upper()

    def _row(self, row: str, columns: Sequence[str]) -> str:
        found = (self.table.cell(self.part.backbone, row, column) for column in columns)
        texts = (cell_text(self.table, cell, self.score) for cell in found)
        cells = "".join(
            labelled(column, f"<div>{_cell(text)}</div>")
            for column, text in zip(columns, texts, strict=True)
        )
        return f'<tr><th scope="row">{escape(title_of(row))}</th>{cells}</tr>'


def sweep_report(tables: Sequence[ResultTable], curves: Curves) -> Report:
    """Return the page of some experiments.

    Args:
        tables: the experiments.
        curves: of the runs, by identity.
    """
    sections = [section for table in tables for section in _experiment(table, curves)]
    subtitle = "Every number comes from stored runs, and every cell can be repeated."
    sections = [*sections, _protocol(), _grids(), _versions(tables)]
    return Report("smixup results", subtitle, sections, list(_lead(tables)), contents=True)


def _lead(tables: Sequence[ResultTable]) -> Iterator[Prose | Picture]:
    """Yield the answer of every experiment, and the first of its dot plots."""
    for table in tables:
        yield Prose(answer(table))
        shown = dict(islice(dot_plots(table), FIRST_PLOTS))
        if shown:
            yield Picture(shown, _dots_caption(table))


def _dots_caption(table: ResultTable) -> str:
    return DOTS.format(reference=title_of(table.reference))


def _cell(cell: CellText) -> str:
    first, *others = (escape(piece) for piece in cell.lines())
    return "<br>".join(
        [f"<b>{first}</b>" if cell.best else first, *(f"<small>{each}</small>" for each in others)]
    )


def _experiment(table: ResultTable, curves: Curves) -> Iterator[Section]:
    parts = ran_parts(table)
    blocks = [
        ResultBlock(table, part, score)
        for score in REPORTED
        if _is_there(table, score)
        for part in parts
    ]
    notes = [note for note in (not_run(table, parts), *footnotes(table)) if note]
    yield Section(table.title, [*blocks, *map(Prose, notes)])
    others = dict(islice(dot_plots(table), FIRST_PLOTS, None))
    if others:
        yield Section(
            f"{table.title}: differences in other conditions",
            [Picture(others, _dots_caption(table))],
        )
    pictures = {
        f"test loss per epoch, {title}": draw_curve(series, CURVE, f"{title}: test loss", "log")
        for title, series in panels(table, curves)
    }
    if pictures:
        caption = (
            "Mean over the seeds that were run; the band reaches from the lowest to the highest. "
            "Where the test split was not evaluated in every epoch, it is the loss of the best "
            "model so far. Runs whose curves are not in this store, such as imported ones, are "
            "left out."
        )
        yield Section(f"{table.title}: test loss per epoch", [Picture(pictures, caption)])
    yield Section(f"{table.title}: how to repeat it", list(_repeat(table)))


def _is_there(table: ResultTable, score: str) -> bool:
    """Whether any run has a score; those of values have no calibration error, for example."""
    ran = [cell for cell in table.cells if cell.runs]
    return not ran or any(cell.scores(score) for cell in ran)


def _repeat(table: ResultTable) -> Iterator[Prose | Table | Code | Folded]:
    yield Code(shlex.join(["smixup", "sweep", "run", table.name, *_options(table.scope)]))
    done = [cell for cell in table.cells if cell.runs]
    mean = f"mean {score_title(done, 'validation')}"
    yield Table(("cell", "grid", "chosen", mean), [_settings(cell) for cell in done])
    for cell in done:
        commands = "\n".join(
            train_command(config) for config in cell.chosen.configs if config.seed in cell.runs
        )
        yield Folded(f"{_name(cell)}: its runs one by one", commands)


def _options(scope: Scope) -> Iterator[str]:
    """Yield the words that name a scope on the command line."""
    lists = {"--dataset": scope.datasets, "--backbone": scope.backbones, "--method": scope.methods}
    for flag, values in lists.items():
        for value in values:
            yield from (flag, value)
    first = scope.first_seed or None
    numbers = {"--seeds": scope.seeds, "--first-seed": first, "--epochs": scope.epochs}
    for flag, number in numbers.items():
        if number is not None:
            yield from (flag, str(number))
    if not scope.search:
        yield "--no-grid"


def _settings(cell: FilledCell) -> tuple[str, str, str, str]:
    validation = cell.summary("validation")
    chosen = ", ".join(f"{name} {value}" for name, value in cell.chosen.settings.items())
    searched = f"{len(cell.candidates)} settings" if len(cell.candidates) > 1 else "none"
    digits = cell.score("validation").digits
    score = "" if validation is None else f"{validation.mean:.{digits}f}"
    return _name(cell), searched, chosen or "defaults", score


def _name(cell: FilledCell) -> str:
    return f"{cell.backbone.upper()}, {title_of(cell.row)}, {cell.column}"


def _protocol() -> Section:
    words = (
        "At one seed all methods share the split, the initial weights and the order of batches. "
        "The best epoch and the best settings are those with the best validation score; the "
        "test split chooses nothing. It is read for the table, and for curves where these were "
        "asked for."
    )
    choices = [(name, str(each.value), each.reason) for name, each in OPEN_SETTINGS.items()]
    return Section(
        "Protocol", [Prose(words), Words(("left open by the paper", "value", "reason"), choices)]
    )


def _grids() -> Section:
    rows = [
        (f"{method}: {field}", ", ".join(map(str, each.values)), each.reason)
        for method, grid in GRIDS.items()
        for field, each in grid.items()
    ]
    return Section("Grids", [Words(("setting", "values tried", "reason"), rows)])


def _versions(tables: Sequence[ResultTable]) -> Section:
    runs = {run.id: run for table in tables for cell in table.cells for run in cell.runs.values()}
    versions = [run.result.versions for run in runs.values() if run.result is not None]
    names = dict.fromkeys(name for each in versions for name in each)
    rows = [(name, ", ".join(sorted({str(each.get(name)) for each in versions}))) for name in names]
    hours = sum(run.seconds for run in runs.values()) / 3600
    rows += [("runs shown", str(len(runs))), ("hours of computation", f"{hours:.2f}")]
    return Section("Environment", [Table(("what", "value"), rows)])
