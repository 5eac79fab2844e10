"""The account of few labels says what its tables say."""

from __future__ import annotations

from smixup.app.pages.results import few_labels
from smixup.app.pages.results.committed_records import CommittedRecords


def test_sentences_count_both_ways(committed: CommittedRecords) -> None:
    cells = "PROTEINS-25 GCN, PROTEINS-25 GIN, MUTAG-25 GCN and MUTAG-25 GIN"
    counted = f"4 cells; better with an interval in 4 ({cells}), worse in 0;"
    assert f"*S-Mixup less Vanilla*: {counted}" in few_labels.accuracy(committed)
    assert "*S-Mixup less random one-to-one*: 4 cells; better" in few_labels.alignment(committed)


def test_of_losses_lower_is_better(committed: CommittedRecords) -> None:
    text = few_labels.scaled_loss(committed)
    assert "*S-Mixup less Vanilla*: 4 cells; better with an interval in 4 (" in text


def test_the_picture_has_a_panel_for_every_dataset_that_was_run(
    committed: CommittedRecords,
) -> None:
    titles = [axes.get_title() for axes in few_labels.gains(committed).axes if axes.axison]
    assert titles == ["PROTEINS", "MUTAG"]


def test_later_peers_are_told_as_far_as_they_were_run(committed: CommittedRecords) -> None:
    names = [name for name, _ in few_labels.PEERS]
    assert names == ["FGWMixup", "GeoMix", "GED-Mixup"]
    runs = [cell for cell in committed.table("few-labels").cells if cell.row in names]
    assert runs and (not any(cell.runs for cell in runs))
    assert few_labels.later_peers(committed) == "Not run yet."
