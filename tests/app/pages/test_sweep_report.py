"""The page of a store shows every table, curve and command, and fetches nothing."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest

from smixup.app.pages.formats import cell_text
from smixup.app.pages.sweep_report import sweep_report
from smixup.app.runs.command import train_command
from smixup.app.runs.presets import GRIDS, OPEN_SETTINGS
from smixup.app.sweeps.store import Store
from smixup.app.tables.arm import Arm
from smixup.app.tables.experiment import Experiment
from smixup.app.tables.ran_part import not_run, ran_parts
from smixup.app.tables.registry import experiment_named
from smixup.app.tables.scope import Scope
from smixup.app.tables.score import REPORTED, SCORES

SCOPE = Scope(("MOTIF",), ("gin",), seeds=3, epochs=2)


@pytest.fixture
def page(toy: Experiment, keep: Callable[..., str], store: Store) -> str:
    """Two rows run, M-Mixup surely better, and one row not."""
    vanilla, mixup, _ = toy.grid(SCOPE)
    for seed in range(3):
        keep(vanilla.configs[seed], test=0.4 + 0.1 * seed, seconds=1800)
        for candidate in mixup.candidates:
            chosen = candidate.settings == {"alpha": 0.2}
            keep(
                candidate.configs[seed],
                test=0.8 + 0.1 * seed,
                validation=0.75 if chosen else 0.25,
                seconds=1800,
            )
    return sweep_report([toy.render(SCOPE, store.records())], store.curves()).html()


class Tags(HTMLParser):
    """Counts tags and collects what they would fetch."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.targets: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.targets += [
            value or ""
            for name, value in attributes
            if name in ("src", "href", "xlink:href", "data")
        ]


def test_it_needs_nothing_but_itself(page: str) -> None:
    tags = Tags(page)
    assert not {"link", "iframe", "img", "object"} & set(tags.tags)
    assert all(target.startswith("#") for target in tags.targets)
    assert "@import" not in page
    assert "url(http" not in page


def test_every_score_has_its_table(page: str, toy: Experiment, store: Store) -> None:
    table = toy.render(SCOPE, store.records())
    words = unescape(page)
    for score in REPORTED:
        name = SCORES[score].title
        assert f"A toy (Table 0): {name}; REHEARSAL, 2 epochs</caption>" in words
        for row in table.rows:
            for piece in cell_text(table, table.cell("gin", row, "MOTIF, 20 %"), score).lines():
                assert piece in words
    assert "<b>90.00 ± 10.00 (n = 3)</b>" in page
    assert "not run" in page
    assert Tags(page).tags.count("b") == 1
    assert toy.note in words


def test_curves_of_what_was_run(page: str) -> None:
    assert page.count("<svg") == 2, "differences, and curves"
    name = 'aria-label="test loss per epoch, MOTIF, 20 %, GIN"'
    assert name in page
    legend = page[page.index(name) :]
    legend = legend[: legend.index("</svg>")]
    assert "Vanilla" in legend
    assert "no alignment" not in legend


def test_without_runs_there_are_no_curves_and_the_page_is_whole(toy: Experiment) -> None:
    empty = sweep_report([toy.render(SCOPE, {})], {}).html()
    assert "<svg" not in empty
    assert "not run" in empty
    assert empty.rstrip().endswith("</html>")


def test_the_answer_and_its_picture_come_first(page: str) -> None:
    words = "A toy (Table 0): no alignment beside Vanilla"
    first = page[: page.index("<section")]
    assert "smixup results</h1>" in first
    assert first.count("<svg") == 1
    assert 'aria-label="MOTIF, 20 %, GIN: difference of test score, points"' in first
    assert words in unescape(first) or "nothing can be compared yet" in first
    assert '<a href="#protocol">Protocol</a>' in first
    assert '<section id="protocol">' in page


def test_the_choice_and_its_grid_are_told(page: str) -> None:
    cells = [re.findall(r"<td.*?>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", page)]
    assert ["GIN, Vanilla, MOTIF, 20 %", "none", "defaults", "50.00"] in cells
    assert ["GIN, M-Mixup, MOTIF, 20 %", "2 settings", "alpha 0.2", "75.00"] in cells


def test_every_run_of_a_cell_has_its_command(page: str, toy: Experiment) -> None:
    commands = [
        unescape(block) for block in re.findall(r"<pre><code>(.*?)</code></pre>", page, re.DOTALL)
    ]
    vanilla, mixup, other = toy.grid(SCOPE)
    chosen = next(each for each in mixup.candidates if each.settings == {"alpha": 0.2})
    assert "\n".join(map(train_command, vanilla.configs)) in commands
    assert "\n".join(map(train_command, chosen.configs)) in commands
    assert not any(
        train_command(config) in command for config in other.configs for command in commands
    )
    assert commands[0] == "smixup sweep run toy --dataset MOTIF --backbone gin --seeds 3 --epochs 2"


def test_the_sweeps_command_names_any_row(toy: Experiment) -> None:
    experiment = replace(toy, arms=[*toy.arms, Arm("another's $mixup", "s-mixup")])
    scope = Scope(("MOTIF, 20 %",), methods=("another's $mixup", "M-Mixup"), search=False, seeds=1)
    scope = replace(scope, first_seed=100)
    page = sweep_report([experiment.render(scope, {})], {}).html()
    found = re.search(r"<pre><code>(smixup sweep run .*?)</code></pre>", page)
    assert found is not None
    words = shlex.split(unescape(found[1]))
    expected = ["--dataset", "MOTIF, 20 %", "--method", "another's $mixup", "--method", "M-Mixup"]
    numbers = ["--seeds", "1", "--first-seed", "100"]
    assert words == ["smixup", "sweep", "run", "toy", *expected, *numbers, "--no-grid"]


def test_settings_and_environment_are_told(page: str) -> None:
    words = unescape(page)
    for choice in OPEN_SETTINGS.values():
        assert choice.reason in words
    for grid in GRIDS.values():
        for search in grid.values():
            assert search.reason in words
    rows = [re.findall(r"<td.*?>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", page)]
    assert ["torch", "2"] in rows
    assert ["runs shown", "6"] in rows
    assert ["hours of computation", "3.00"] in rows


def test_several_experiments_on_one_page(toy: Experiment) -> None:
    quick = experiment_named("quick")
    page = sweep_report([toy.render(SCOPE, {}), quick.render(Scope(), {})], {}).html()
    assert page.index(toy.title) < page.index(quick.title) < page.index("<h2>Protocol</h2>")


def test_errors_of_values_are_not_in_percent(
    toy: Experiment, keep: Callable[..., str], store: Store
) -> None:
    vanilla, mixup, _ = toy.grid(SCOPE)
    nothing = {"calibration_error": math.nan}
    for seed in range(3):
        keep(vanilla.configs[seed], metric="mae", test=4.0 + 0.1 * seed, validation=4.0, **nothing)
        for candidate in mixup.candidates:
            low = candidate.settings == {"alpha": 0.2}
            test = (2.0 if low else 3.0) + 0.2 * seed
            keep(candidate.configs[seed], metric="mae", test=test, validation=test, **nothing)
    page = unescape(sweep_report([toy.render(SCOPE, store.records())], store.curves()).html())
    assert "A toy (Table 0): test mae; REHEARSAL, 2 epochs</caption>" in page
    assert "<b>2.200 ± 0.200 (n = 3)</b>" in page
    assert "-1.900" in page
    assert "mean validation mae" in page
    assert "calibration error" not in page
    assert "%</caption>" not in page
    cells = [re.findall(r"<td.*?>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", page)]
    assert ["GIN, M-Mixup, MOTIF, 20 %", "2 settings", "alpha 0.2", "2.200"] in cells


def test_what_was_not_run_is_a_sentence(
    toy: Experiment, keep: Callable[..., str], store: Store
) -> None:
    scope = Scope(seeds=1, epochs=2)
    ran = next(cell for cell in toy.grid(scope) if cell.backbone == "gin")
    keep(ran.configs[0], test=0.5)
    table = toy.render(scope, store.records())
    page = sweep_report([table], {}).html()
    assert not_run(table, ran_parts(table)) in re.sub("<[^>]*>", "", unescape(page))
    assert ">not run<" not in page, "no cell says so"
