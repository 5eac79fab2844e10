"""How the paired runs of a column share the graphs of a dataset."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

from smixup.errors import require

SPLIT_FIELDS = ("split", "split_seed", "num_folds", "fold", "train_graphs", "validation_graphs")


def repeated_folds(
    num_folds: int = 10, initialisations: int = 1, **changes: Any
) -> Callable[[int], Mapping[str, Any]]:
    """Return the changes of repeated stratified k-fold: every graph is tested once in `num_folds`
    seeds, with so many initialisations of every fold, and again on other folds after that.

    Seeds 0 to k - 1 test the k folds of the first shuffle, the next k the same folds with other
    initial weights, and so on; after `k * initialisations` seeds the graphs are shuffled anew.

    ```python
    Column("MUTAG", "MUTAG", repeated_folds(10, initialisations=3, selection="smoothed-loss"))
    ```
    """
    require(num_folds >= 3, "number of folds", num_folds, "3 or more")
    require(initialisations >= 1, "number of initialisations", initialisations, "1 or more")

    def at(seed: int) -> Mapping[str, Any]:
        place = {"fold": seed % num_folds, "split_seed": seed // (num_folds * initialisations)}
        return {"split": "fold", "num_folds": num_folds, **place, **changes}

    return at


def split_of(config: Mapping[str, Any]) -> Hashable:
    """Return what tells the split of a run from others: runs with equal ones train and test on the
    same graphs of a dataset.

    Args:
        config: the fields of a `RunConfig`.
    """
    fields = {name: config.get(name) for name in SPLIT_FIELDS}
    if fields["split_seed"] is None:
        fields["split_seed"] = config["seed"]
    return tuple(fields.values())
