"""The checks of scikit-learn, run on the estimators, and the table of them in `docs/models.md`.

```sh
PYTHONPATH=src:tests python -m models.estimator_checks        # writes the table again
```
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
import torch
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted, validate_data
from torch_geometric.data import Data

from smixup import SMixupClassifier, SMixupRegressor

PAGE = Path(__file__).parents[2] / "docs" / "models.md"
BEGIN, END = "<!-- checks of scikit-learn -->", "<!-- end of checks -->"
QUICK: dict[str, Any] = {
    "method": "vanilla",
    "backbone": "gcn",
    "epochs": 3,
    "learning_rate": 0.01,
    "hidden_channels": 8,
    "num_layers": 1,
    "random_state": 0,
}
"""Settings that train in no time, and learn little."""


def as_graphs(X: Any) -> list[Data]:
    """Every row as a path: a node for each column, with its value as feature."""
    found = []
    for row in np.asarray(X, dtype=np.float32):
        ends = torch.arange(len(row) - 1)
        edges = torch.stack([torch.cat([ends, ends + 1]), torch.cat([ends + 1, ends])])
        found.append(Data(x=torch.from_numpy(row.copy()).unsqueeze(1), edge_index=edges))
    return found


class OfRows:
    """An estimator for the rows of a table, so that scikit-learn's checks can be run: rows become
    graphs, and everything else is the estimator's own.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.two_d_array = True
        tags.target_tags.required = True
        tags.no_validation = False
        return tags

    def fit(self, X: Any, y: Any = None) -> Any:
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        X, y = validate_data(self, X, y, multi_output=np.asarray(y).ndim == 2)
        width = self.n_features_in_  # type: ignore[has-type]
        super().fit(as_graphs(X), y)  # type: ignore[misc]
        self.n_features_in_ = width
        return self

    def _predicted(self, X: Any) -> Any:
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        return super()._predicted(as_graphs(X))  # type: ignore[misc]


class ClassifierOfRows(OfRows, SMixupClassifier):
    pass


class RegressorOfRows(OfRows, SMixupRegressor):
    pass


KINDS = {"classifier": ClassifierOfRows, "regressor": RegressorOfRows}

OF_TABLES = frozenset(
    {
        "check_complex_data",
        "check_dtype_object",
        "check_estimator_sparse_array",
        "check_estimator_sparse_matrix",
        "check_estimator_sparse_tag",
        "check_estimators_dtypes",
        "check_estimators_empty_data_messages",
        "check_estimators_nan_inf",
        "check_estimators_partial_fit_n_features",
        "check_f_contiguous_array_estimator",
        "check_fit1d",
        "check_fit2d_1feature",
        "check_fit2d_1sample",
        "check_fit2d_predict1d",
        "check_n_features_in",
        "check_n_features_in_after_fitting",
        "check_positive_only_tag_during_fit",
        "check_readonly_memmap_input",
        "check_requires_y_none",
        "check_supervised_y_no_nan",
    }
)
"""Checks of how tables are validated, which `OfRows` does; they say nothing of graphs."""

OPTIONAL = frozenset(
    {
        "check_array_api_input",
        "check_classifier_data_not_an_array",
        "check_regressor_data_not_an_array",
    }
)
"""Checks that scikit-learn leaves out unless pandas is installed, or `SCIPY_ARRAY_API` is set."""

LEARNS = (
    "they want a good score after three epochs, which is all that the test allows; other tests "
    "show that it learns"
)
NOT_PASSED: Mapping[str, str] = {
    "check_classifiers_train": LEARNS,
    "check_regressors_train": LEARNS,
}
"""Checks that are not passed, and why."""


@dataclass(frozen=True)
class Checks:
    """What came of the checks: names by their outcome, over both estimators.

    Attributes:
        passed: those that passed wherever they were run.
        failed: those that failed anywhere.
        skipped: those that scikit-learn left out, for want of a package or a setting.
    """

    passed: frozenset[str]
    failed: frozenset[str]
    skipped: frozenset[str]

    @classmethod
    def of(cls, found: Iterable[Mapping[str, Any]]) -> Checks:
        """Sort what `check_estimator` returns."""
        names: dict[str, set[str]] = {"passed": set(), "failed": set(), "skipped": set()}
        for each in found:
            names[each["status"]].add(each["check_name"])
        failed, skipped = names["failed"], names["skipped"] - names["failed"]
        return cls(
            frozenset(names["passed"] - failed - skipped), frozenset(failed), frozenset(skipped)
        )


def run(kind: type[Any]) -> list[dict[str, Any]]:
    """Run all checks on an estimator."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks do
        return list(check_estimator(kind(**QUICK), on_fail=None, on_skip=None))


def table(checks: Checks) -> str:
    """Return the table of the page. It is the same whether optional checks were run or not, as long
    as they do not fail.
    """
    optional = (checks.passed | checks.skipped) & OPTIONAL
    rows = {
        "passed by the estimators themselves": checks.passed - OF_TABLES - OPTIONAL,
        "passed by the wrapper of the test, which validates tables; lists of graphs are no "
        "tables": checks.passed & OF_TABLES,
        "left out by scikit-learn without pandas or `SCIPY_ARRAY_API`; also about tables": optional,
        "left out by scikit-learn for another reason": checks.skipped - OPTIONAL,
    }
    for why in sorted(set(map(_reason, checks.failed))):
        alike = frozenset(name for name in checks.failed if _reason(name) == why)
        rows[f"not passed: {why}"] = alike
    lines = [
        f"| scikit-learn {sklearn.__version__} | number | checks |",
        "|---|---|---|",
        *(f"| {what} | {len(names)} | {_listed(names)} |" for what, names in rows.items() if names),
    ]
    return "\n".join(lines)


def _reason(name: str) -> str:
    return NOT_PASSED.get(name, "nobody has looked why")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name.removeprefix('check_')}`" for name in sorted(names))


def on_page() -> str:
    """Return the table that the page has."""
    text = PAGE.read_text(encoding="utf-8")
    return text.partition(BEGIN)[2].partition(END)[0].strip()


def main() -> None:
    """Run the checks, and write the table."""
    found = Checks.of(each for kind in KINDS.values() for each in run(kind))
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n\n{table(found)}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
