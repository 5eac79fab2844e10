"""Four formats of one table: nothing cut, nothing unescaped, nothing claimed that was not run."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from scipy.stats import ttest_rel

from smixup.app.pages.formats import (
    FORMATS,
    as_csv,
    as_json,
    cell_text,
    footnotes,
    headline,
    latex,
    markdown,
    text,
)
from smixup.app.sweeps.store import Store
from smixup.app.tables.arm import Arm
from smixup.app.tables.comparison import Summary, detectable_difference
from smixup.app.tables.experiment import Column, Experiment, always
from smixup.app.tables.registry import NAMES, experiment_named
from smixup.app.tables.result import ResultTable
from smixup.app.tables.scope import Scope
from smixup.app.tables.score import SCORES

VANILLA, MIXUP, OTHER = "Vanilla", "M-Mixup", "no alignment, lambda in [0, 1]"
MOTIF, MUTAG = "MOTIF, 20 %", "MUTAG"
BASE, BETTER = [0.50, 0.60, 0.55, 0.70], [0.56, 0.65, 0.61, 0.75]
ANSI = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def filled(toy: Experiment, keep: Callable[..., str], store: Store) -> ResultTable:
    """Under GIN on MOTIF everything; on MUTAG two seeds of Vanilla, half a grid, and failures;
    under GCN nothing.
    """
    cells = {(cell.row, cell.column): cell for cell in toy.grid(Scope(backbones=("gin",)))}
    for seed in range(4):
        keep(cells[VANILLA, MOTIF].configs[seed], test=BASE[seed], test_loss=1.0 + BASE[seed])
        for candidate in cells[MIXUP, MOTIF].candidates:
            chosen = candidate.settings == {"alpha": 1.0}
            scores = (
                {"test": BETTER[seed], "validation": 0.9}
                if chosen
                else {"test": 1.0, "validation": 0.1}
            )
            keep(candidate.configs[seed], test_loss=1.1 + BASE[seed], **scores)
        keep(cells[OTHER, MOTIF].configs[seed], test=0.4, test_loss=0.5 + BASE[seed] + 0.01 * seed)
    for seed in range(2):
        keep(cells[VANILLA, MUTAG].configs[seed], test=0.8)
    keep(cells[MIXUP, MUTAG].candidates[0].configs[1], test=0.85)
    for seed in range(3):
        keep(cells[OTHER, MUTAG].configs[seed], error="no memory")
    return toy.render(Scope(), store.records())


def shown(table: ResultTable, row: str, column: str, score: str = "test") -> list[str]:
    return cell_text(table, table.cell("gin", row, column), score).lines()


def test_what_a_cell_says(filled: ResultTable) -> None:
    interval = ttest_rel(BETTER, BASE).confidence_interval(0.95)
    paired = f"+5.50 [+{100 * interval.low:.2f}, +{100 * interval.high:.2f}]"
    assert shown(filled, VANILLA, MOTIF) == ["58.75 ± 8.54 (n = 4)"]
    spread = Summary.of([100 * (a - b) for a, b in zip(BETTER, BASE, strict=True)]).deviation
    detects = f"detects {detectable_difference(spread, 4):.2f}"
    assert shown(filled, MIXUP, MOTIF) == ["64.25 ± 8.06 (n = 4)", paired, detects]
    assert cell_text(filled, filled.cell("gin", MIXUP, MOTIF)).best
    assert shown(filled, VANILLA, MUTAG) == ["80.00 ± 0.00 (n = 2 of 4)", "paper 88.00"]
    assert "Grid incomplete: of the settings of its grid, only some" in footnotes(filled)[0]
    assert shown(filled, MIXUP, MUTAG) == ["85.00 (n = 1 of 4, grid incomplete)", "+5.00"], (
        "one pair has no interval and detects nothing"
    )
    assert shown(filled, OTHER, MUTAG) == ["3 failed"]


def test_losses_have_three_digits_and_no_value_of_the_paper(filled: ResultTable) -> None:
    assert shown(filled, VANILLA, MOTIF, "test_loss") == ["1.587 ± 0.085 (n = 4)"]
    assert shown(filled, VANILLA, MUTAG, "test_loss") == ["1.000 ± 0.000 (n = 2 of 4)"]
    assert cell_text(filled, filled.cell("gin", OTHER, MOTIF), "test_loss").best, (
        "the lowest loss is best"
    )
    assert not cell_text(filled, filled.cell("gin", MIXUP, MOTIF), "test_loss").best


def test_what_was_not_run_says_so_beside_the_papers_value(filled: ResultTable) -> None:
    vanilla, mixup = (filled.cell("gcn", row, MOTIF) for row in (VANILLA, MIXUP))
    assert cell_text(filled, vanilla).lines() == ["not run"]
    assert cell_text(filled, mixup).lines() == ["not run", "paper 71.25 ± 3.50"]


def test_the_headline_names_what_is_special(toy: Experiment) -> None:
    assert headline(toy.render(Scope(), {})) == "A toy (Table 0): test score, %"
    rehearsal = toy.render(Scope(epochs=3, search=False), {})
    for form in FORMATS.values():
        assert (
            "REHEARSAL, 3 epochs" in form(rehearsal, "test")
            or json.loads(form(rehearsal, "test"))["scope"]["epochs"]
        )
    assert headline(rehearsal, "test_loss").endswith(
        "test loss; defaults only, no grid; REHEARSAL, 3 epochs"
    )
    assert footnotes(rehearsal)[-1] == toy.note
    assert headline(toy.render(Scope(first_seed=100), {})).endswith("%; seeds from 100")


def test_markdown_is_a_table(filled: ResultTable) -> None:
    found = markdown(filled)
    blocks = [block.splitlines() for block in found.split("\n\n") if block.startswith("|")]
    assert len(blocks) == 2
    for block, backbone in zip(blocks, ("GCN", "GIN"), strict=True):
        assert [line.count("|") for line in block] == [4] * 5
        assert re.fullmatch(r"(\|-{3,})+\|", block[1])
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in block]
        assert cells[0] == [backbone, MOTIF, MUTAG]
        assert [row[0] for row in cells[2:]] == [VANILLA, MIXUP, OTHER]
    assert found.count("**64.25 ± 8.06 (n = 4)**<br>+5.50 [") == 1
    assert len(re.findall(r"\*\*\d", found)) == 1, "one cell is bold"
    assert found.rstrip().endswith("true & tested.")


def test_a_bar_in_a_name_does_not_break_a_markdown_table() -> None:
    columns = [Column("P(a|b)", "MOTIF")]
    experiment = Experiment("bars", "Bars", ("gin",), [Arm("x|y", "vanilla")], columns, seeds=1)
    lines = [
        line
        for line in markdown(experiment.render(Scope(), {})).splitlines()
        if line.startswith("|")
    ]
    assert [len(re.findall(r"(?<!\\)\|", line)) for line in lines] == [3, 3, 3]


@pytest.mark.parametrize("width", [60, 80, 200])
def test_a_terminal_shows_everything_uncut(
    filled: ResultTable, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    found = ANSI.sub("", text(filled))
    assert max(map(len, found.splitlines())) <= width
    assert "…" not in found
    words = set(re.findall(r"[^\s│┃┡┩╇]+", found))
    for backbone in filled.backbones:
        for row in filled.rows:
            for column in filled.columns(backbone):
                pieces = [
                    row,
                    column,
                    backbone.upper(),
                    *cell_text(filled, filled.cell(backbone, row, column)).lines(),
                ]
                assert set(" ".join(pieces).split()) <= words


@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_fits_a_terminal(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    table = experiment_named(name).render(Scope(seeds=1, search=False), {})
    found = ANSI.sub("", text(table))
    assert max(map(len, found.splitlines())) <= 80
    assert "…" not in found
    words = set(re.findall(r"[^\s│┃]+", found))
    columns = [column.name for column in experiment_named(name).columns]
    assert {word for row in (*table.rows, *columns) for word in row.split()} <= words


def test_bold_is_bold_on_a_terminal(filled: ResultTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert re.search(r"\x1b\[[0-9;]*1m64\.25 ± 8\.06 \(n = 4\)", text(filled))
    assert not re.search(r"\x1b\[[0-9;]*1m58\.75", text(filled))


def test_a_file_has_stars_for_bold(filled: ResultTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    found = ANSI.sub("", text(filled))
    assert re.findall(r"\S+ ± \S+ \(n = \d\) \*", found) == ["64.25 ± 8.06 (n = 4) *"]
    assert "Bold and starred: the best of its column" in " ".join(found.split())


def balanced(found: str) -> bool:
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", found):
        depth += 1 if brace == "{" else -1
        assert depth >= 0
    return depth == 0


def test_latex_is_safe_to_compile(filled: ResultTable) -> None:
    found = latex(filled)
    assert balanced(found)
    assert found.isascii()
    assert not re.search(r"(?<!\\)[%#_]", found)
    for environment in ("table*", "tabular"):
        assert (
            found.count(rf"\begin{{{environment}}}") == found.count(rf"\end{{{environment}}}") == 2
        )
    bodies = [part.split(r"\bottomrule")[0] for part in found.split(r"\toprule")[1:]]
    for body in bodies:
        rows = [line for line in body.splitlines() if line.strip()]
        assert [len(re.findall(r"(?<!\\)&", row)) for row in rows] == [2] * 4
        assert all(row.endswith((r"\\", r"\\ \midrule")) for row in rows)
    assert re.findall(r"\\textbf\{([^{}]*)\}", found) == [r"64.25 $\pm$ 8.06 (n = 4)"]
    assert not re.search(r"\\\\\s*\[", found), "a bracket after a line break would be its argument"
    assert r"Only 5 \% of it is true \& tested." in found


def test_latex_escapes_every_special_character() -> None:
    evil = r"a_b & 50 % #1 $x$ {y} ~ ^ \z"
    experiment = Experiment(
        "evil",
        evil,
        ("gin",),
        [Arm("Vanilla", "vanilla"), Arm("[0, 1]", "m-mixup")],
        [Column(evil, "MOTIF")],
        seeds=1,
    )
    found = latex(experiment.render(Scope(), {}))
    assert balanced(found)
    expected = (
        r"a\_b \& 50 \% \#1 \$x\$ \{y\} \textasciitilde{} \textasciicircum{} \textbackslash{}z"
    )
    assert found.count(expected) == 2
    assert not re.search(r"\\\\\s*\[", found)


@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_is_safe_latex_and_json(name: str) -> None:
    table = experiment_named(name).render(Scope(seeds=1, search=False), {})
    for score in SCORES:
        found = latex(table, score)
        assert balanced(found)
        assert found.isascii()
        assert not re.search(r"(?<!\\)[%#_]", found)
        assert len(json.loads(as_json(table, score))["cells"]) == len(table.cells)


def strict(found: str) -> Any:
    return json.loads(found, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


def test_json_holds_grid_choice_and_runs(filled: ResultTable, store: Store) -> None:
    found = strict(as_json(filled))
    assert (found["experiment"], found["score"], found["reference"]) == ("toy", "test", VANILLA)
    assert Scope.from_dict(found["scope"]) == Scope()
    cells = {(cell["backbone"], cell["row"], cell["column"]): cell for cell in found["cells"]}
    assert len(cells) == len(found["cells"]) == 12
    mixed = cells["gin", MIXUP, MOTIF]
    assert mixed["grid"] == [{"alpha": 0.2}, {"alpha": 1.0}]
    assert mixed["chosen"] == {"alpha": 1.0}
    assert mixed["scores"] == pytest.approx(
        {str(seed): 100 * value for seed, value in enumerate(BETTER)}
    )
    assert [store.records()[id].result.test for id in mixed["runs"]] == BETTER
    assert (mixed["best"], mixed["complete"], mixed["failed"], mixed["paper"]) == (
        True,
        True,
        0,
        None,
    )
    assert mixed["difference"]["mean"] == pytest.approx(5.5)
    assert 0 < mixed["difference"]["detectable"] < 5.5
    assert cells["gcn", MIXUP, MOTIF]["paper"] == {"mean": 71.25, "deviation": 3.5}
    assert cells["gcn", MIXUP, MOTIF]["chosen"] is None
    single = cells["gin", MIXUP, MUTAG]
    assert (single["summary"]["deviation"], single["difference"]["low"], single["complete"]) == (
        None,
        None,
        False,
    )
    failed = cells["gin", OTHER, MUTAG]
    assert (failed["summary"], failed["failed"], failed["runs"]) == (None, 3, [])


def test_json_of_losses_does_not_show_the_papers_accuracy(filled: ResultTable) -> None:
    assert all(cell["paper"] is None for cell in strict(as_json(filled, "test_loss"))["cells"])


def test_a_loss_that_ran_away_is_shown_in_every_format(
    toy: Experiment, keep: Callable[..., str], store: Store
) -> None:
    vanilla, mixup, _ = toy.grid(Scope(backbones=("gin",), datasets=("MUTAG",)))
    for seed in range(4):
        keep(vanilla.configs[seed], test_loss=1.0)
        keep(mixup.configs[seed], test_loss=float("inf") if seed else 1.0)
    table = toy.render(Scope(), store.records())
    for name, form in FORMATS.items():
        found = form(table, "test_loss")
        infinite = ",4,inf,nan," if name == "csv" else "inf (n = 4"
        assert strict(found) if name == "json" else infinite in found


def test_csv_has_a_line_per_cell(filled: ResultTable) -> None:
    lines = list(csv.DictReader(io.StringIO(as_csv(filled, "test"))))
    assert len(lines) == len(filled.cells)
    cells = {(line["backbone"], line["row"], line["column"]): line for line in lines}
    mixed, difference = (
        cells["gin", MIXUP, MOTIF],
        filled.difference(filled.cell("gin", MIXUP, MOTIF)),
    )
    assert difference is not None
    assert (mixed["number"], mixed["pairs"]) == ("4", "4")
    shown = {name: float(mixed[name]) for name in ("difference", "low", "high", "detectable")}
    assert list(shown.values()) == pytest.approx(
        [difference.mean, difference.low, difference.high, difference.detectable]
    )
    assert cells["gin", VANILLA, MOTIF]["difference"] == ""
    assert cells["gcn", VANILLA, MOTIF]["mean"] == "", "not run"
    assert cells["gin", MIXUP, MUTAG]["low"] == "-inf", "one pair has no interval"
    assert {line["what"] for line in lines} == {headline(filled)}


def test_a_column_of_one_backbone_is_in_its_table_alone(toy: Experiment) -> None:
    extra = Column("with norm", "MUTAG", always(batch_norm=True), backbones=("gcn",))
    table = replace(toy, columns=[*toy.columns, extra]).render(Scope(seeds=1), {})
    blocks = [block for block in markdown(table).split("\n\n") if block.startswith("|")]
    assert ["with norm" in block for block in blocks] == [True, False]
    for form in FORMATS.values():
        assert "with norm" in form(table, "test")
