"""Learning curves from a store: a panel for what was run, nothing for what was not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from smixup.app.pictures.stored_curves import curves_of, draw_stored_curves
from smixup.app.sweeps.store import Store
from smixup.app.tables.arm import Arm
from smixup.app.tables.experiment import Column, Experiment, always
from smixup.app.tables.registry import experiment_named
from smixup.app.tables.result import ResultTable
from smixup.app.tables.scope import Scope
from smixup.errors import SmixupError, UsageError

NAMES = ("train_loss", "validation", "validation_loss", "test", "test_loss")
EXPERIMENT = Experiment(
    name="little",
    title="Little",
    backbones=("gcn", "gin"),
    arms=[Arm("Vanilla", "vanilla"), Arm("M-Mixup", "m-mixup"), Arm("DropEdge", "drop-edge")],
    columns=[Column("one", "MOTIF"), Column("two", "MOTIF", always(label_corruption=0.1))],
    seeds=2,
)


@pytest.fixture
def table(store: Store, keep: Callable[..., str]) -> ResultTable:
    """Two of three methods, run on one of two conditions with one of two backbones."""
    for config in EXPERIMENT.runs(Scope(backbones=("gin",), methods=("M-Mixup",))):
        if config.label_corruption == 0:
            level = 1.0 + config.seed
            keep(config, curves={name: [level, level / 2, level / 4] for name in NAMES})
    return EXPERIMENT.render(Scope(), store.records())


def test_the_curves_are_those_of_the_chosen_runs(table: ResultTable, store: Store) -> None:
    vanilla, mixup = curves_of(table, "gin", "one", store.curves())
    assert (vanilla.name, mixup.name) == ("Vanilla", "M-Mixup")
    assert vanilla.values("test_loss").tolist() == [[1.0, 0.5, 0.25], [2.0, 1.0, 0.5]]
    assert curves_of(table, "gcn", "one", store.curves()) == []


def test_a_panel_for_what_was_run_and_one_legend(table: ResultTable, store: Store) -> None:
    figure = draw_stored_curves(table, store.curves(), "test_loss")
    (axes,) = [each for each in figure.axes if each.get_visible()]
    assert axes.get_title() == "one, GIN"
    assert axes.get_yscale() == "log"
    assert [line.get_ydata().tolist() for line in axes.lines] == [[1.5, 0.75, 0.375]] * 2
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["Vanilla", "M-Mixup"]


def test_the_legend_of_a_single_panel_fits(store: Store, keep: Callable[..., str]) -> None:
    scope = Scope(datasets=("MOTIF",), backbones=("gin",), seeds=1, search=False)
    controls = experiment_named("controls")
    for config in controls.runs(scope):
        keep(config, curves={name: [1.0, 0.5] for name in NAMES})
    figure = draw_stored_curves(controls.render(scope, store.records()), store.curves(), "test")
    assert len(figure.legends[0].get_texts()) == 7
    figure.canvas.draw()
    legend = figure.legends[0].get_window_extent()
    assert figure.bbox.x0 <= legend.x0 < legend.x1 <= figure.bbox.x1


def test_wrong_names_and_nothing_to_draw(table: ResultTable) -> None:
    with pytest.raises(UsageError, match="unknown curve 'loss'"):
        draw_stored_curves(table, {}, "loss")
    with pytest.raises(SmixupError, match="nothing of little was run yet"):
        draw_stored_curves(table, {}, "test_loss")
