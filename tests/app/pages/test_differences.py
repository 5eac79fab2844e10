"""What the page of a sweep shows first says no more than intervals do."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from matplotlib.colors import to_hex

from smixup.app.pages.differences import answer, dot_plots
from smixup.app.pictures.method_look import LOOKS
from smixup.app.sweeps.store import Store
from smixup.app.tables.experiment import Experiment
from smixup.app.tables.result import ResultTable
from smixup.app.tables.scope import Scope

SCOPE = Scope(("MOTIF",), ("gin",), seeds=3, epochs=2, methods=("Vanilla", "M-Mixup"))


@pytest.fixture
def run(toy: Experiment, keep: Callable[..., str], store: Store) -> Callable[..., ResultTable]:
    """Fill the table: Vanilla has 0.4, 0.5, 0.6; M-Mixup what is given."""

    def fill(*scores: float) -> ResultTable:
        vanilla, mixup = toy.grid(SCOPE)
        for seed, score in enumerate(scores):
            keep(vanilla.configs[seed], test=0.4 + 0.1 * seed)
            for candidate in mixup.candidates:
                keep(candidate.configs[seed], test=score)
        return toy.render(SCOPE, store.records())

    return fill


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ((0.8, 0.9, 1.0), "M-Mixup beside Vanilla is better."),
        ((0.1, 0.2, 0.31), "M-Mixup beside Vanilla is worse."),
        ((0.1, 0.9, 0.6), "these runs do not decide between M-Mixup and Vanilla."),
        ((0.8, 0.9), "these runs do not decide between M-Mixup and Vanilla."),
        ((), "nothing can be compared yet."),
    ],
)
def test_the_answer_follows_the_interval(
    run: Callable[..., ResultTable], scores: tuple[float, ...], words: str
) -> None:
    assert answer(run(*scores)).endswith(words)


def test_a_dot_per_paired_run(run: Callable[..., ResultTable]) -> None:
    [(title, figure)] = dot_plots(run(0.8, 0.9, 1.0))
    assert title == "MOTIF, 20 %, GIN: difference of test score, points"
    axes = figure.axes[0]
    dots, mean = axes.collections
    assert sorted(dots.get_offsets()[:, 0].tolist()) == pytest.approx([40, 40, 40])
    assert mean.get_offsets()[:, 0].tolist() == pytest.approx([40])
    assert to_hex(dots.get_facecolor()[0]) == LOOKS["M-Mixup"].colour
    assert [label.get_text() for label in axes.get_yticklabels()] == ["M-Mixup\nn = 3"]


def test_two_runs_have_no_interval(run: Callable[..., ResultTable]) -> None:
    [(_, figure)] = dot_plots(run(0.8, 0.7))
    assert len(figure.axes[0].lines) == 1, "the line at zero alone"


def test_nothing_is_drawn_of_nothing(run: Callable[..., ResultTable]) -> None:
    assert list(dot_plots(run())) == []
