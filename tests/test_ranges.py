"""Every number that a user can set has a range, and a value outside is refused in one sentence."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from importlib import import_module
from pkgutil import walk_packages
from typing import Annotated, Any, get_args, get_origin

import pytest
import torch
from torch_geometric.data import Data

import smixup
from smixup.app.runs.config import configure
from smixup.app.runs.registry import BACKBONES, MATCHERS, METHODS, checked_options
from smixup.augment import Augmentation, DropEdge, OneOf, SMixup
from smixup.classifiers import Classifier
from smixup.datasets.sources import SOURCES
from smixup.errors import UsageError
from smixup.field_types import plain_kinds
from smixup.hints import field_type
from smixup.matching import GraphMatcher
from smixup.matching.network import MatchingNetwork
from smixup.models.estimator import SMixupClassifier, SMixupRegressor
from smixup.ranges import SEVERAL, Count, Range, RangedFields, Share, in_range, ranges_of

# They can be made without arguments, and hold counts or findings that nobody sets.
TALLIES = {
    *("History", "FitState", "Agreement", "Merged", "MeanTime", "PairedRuns", "Survey"),
    "Seen",  # in a stack of matrices
    *("Changes", "Part"),  # options of the command line, each of which ends in a class with ranges
    "Range",
}
WRONG = (
    0,
    -1,
    -0.5,
    0.5,
    1.5,
    2,
    float("nan"),
    float("inf"),
    -1e30,
    1e30,
    2**70,
    10**400,
    "x",
    True,
)


def classes() -> Iterator[type]:
    """Yield the dataclasses of the package whose numbers are settings."""
    for module in walk_packages(smixup.__path__, "smixup."):
        if module.name.endswith("__main__"):
            continue
        for name, each in vars(import_module(module.name)).items():
            ours = isinstance(each, type) and each.__module__ == module.name and name[0] != "_"
            if ours and is_dataclass(each) and is_settings(each):
                yield each


def is_settings(kind: type) -> bool:
    """Tell settings from results, which cannot be made of nothing."""
    defaults = [each.default is not each.default_factory for each in fields(kind) if each.init]
    made_of_nothing = bool(defaults) and all(defaults)
    return issubclass(kind, RangedFields) or (made_of_nothing and kind.__name__ not in TALLIES)


def numbers(factory: Any) -> list[str]:
    """Return the keywords of a class or function that hold numbers."""
    if is_dataclass(factory):
        names = [each.name for each in fields(factory) if each.init]
    else:
        names = [*inspect.signature(factory).parameters]
    return [name for name in names if holds_numbers(field_type(factory, name))]


def holds_numbers(hint: Any) -> bool:
    kinds = plain_kinds(hint)
    inner = [part for kind in kinds if get_origin(kind) in SEVERAL for part in get_args(kind)]
    return any(kind is number for kind in [*kinds, *inner] for number in (int, float))


SETTINGS = sorted({*classes()}, key=lambda kind: (kind.__module__, kind.__name__))
RANGED = [each for each in SETTINGS if ranges_of(each) and not inspect.isabstract(each)]
FUNCTIONS: list[Any] = [
    *(SMixupClassifier, SMixupRegressor, MatchingNetwork),
    *(SOURCES.factory(name) for name in SOURCES),
    *(BACKBONES.factory(name) for name in BACKBONES),
]


def test_the_classes_that_people_set_are_found() -> None:
    names = {kind.__name__ for kind in SETTINGS}
    assert names >= {"SMixup", "GraphMatcher", "Sinkhorn", "SimilarPartner", "TrainSettings"}
    assert names >= {"RunConfig", "CompareSettings", "Scope", "Schedule", "Plan", "EditSolver"}


@pytest.mark.parametrize("factory", [*SETTINGS, *FUNCTIONS], ids=lambda each: each.__name__)
def test_every_number_has_a_range(factory: Any) -> None:
    assert {*numbers(factory)} <= {*ranges_of(factory)}


@pytest.mark.parametrize("kind", RANGED, ids=lambda kind: kind.__name__)
def test_a_number_outside_its_range_is_refused(kind: type) -> None:
    for name, declared in ranges_of(kind).items():
        refused = 0
        for value in WRONG:
            given = (value,) if declared.several else value
            try:
                declared.require(name, given)
            except UsageError as error:
                refused += 1
                with pytest.raises(UsageError) as raised:
                    make(kind, **{name: given})
                assert str(raised.value) == str(error)
                assert name in str(error)
                assert_names_the_range(str(error), declared.range)
                assert len(str(error)) < 200
        assert refused >= 4


def assert_names_the_range(said: str, allowed: Range) -> None:
    limit = str(Range(at_most=allowed.limit))
    assert str(allowed) in said or (limit and f"must be {limit}," in said)


def make(kind: type, **changes: Any) -> Any:
    """Return an object, with something in place of what has no default."""
    needed = [
        each.name
        for each in fields(kind)
        if each.init and each.default is each.default_factory is MISSING
    ]
    return kind(**({name: lowest(kind, name) for name in needed} | changes))


def lowest(kind: type, name: str) -> Any:
    """Return a value that is in the range of a field, or anything for one that has none."""
    declared = ranges_of(kind).get(name)
    if declared is None:
        return [Augmentation()] if name == "parts" else ("a", "b")
    return declared.range.at_least if declared.range.at_least is not None else 1


@dataclass
class Own(RangedFields):
    share: Share = 0.5
    number: Count | None = 3
    rows: Sequence[Share] | None = None
    near: Annotated[float, Range(above=-1, below=1)] = 0.0
    name: str = ""


@dataclass
class Longer(Own):
    further: Share = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.name = "longer"


def test_a_dataclass_checks_its_numbers() -> None:
    Own(0, 1, (0.0, 1), near=0.99)
    Own(number=None, rows=None)
    for wrong, said in [
        ({"share": 1.1}, "share must be between 0 and 1, not 1.1."),
        ({"number": 0}, "number must be 1 or more or None, not 0."),
        (
            {"number": 1.0},
            "number must be a whole number, 1 or more or None, not 1.0.",
        ),
        ({"rows": [0, 2]}, "a number in rows must be between 0 and 1, not 2."),
        ({"rows": 3}, "rows must be between 0 and 1 or None, not 3."),
        ({"number": 10**10}, "number must be at most 1,000,000,000, not 10000000000."),
        ({"near": -1}, "near must be above -1 and below 1, not -1."),
        ({"share": None}, "share must be a finite number between 0 and 1, not None."),
    ]:
        with pytest.raises(UsageError) as raised:
            Own(**wrong)  # type: ignore[arg-type]
        assert str(raised.value) == said


def test_fields_are_inherited_with_their_ranges() -> None:
    assert Longer().name == "longer"
    assert [*ranges_of(Longer)] == ["share", "number", "rows", "near", "further"]
    with pytest.raises(UsageError, match=r"^share must be"):
        Longer(share=2)
    with pytest.raises(UsageError, match=r"^further must be"):
        Longer(further=2)


def test_a_function_checks_its_numbers() -> None:
    @in_range
    def rings(number: Count, share: Share = 0.5, *, free: float = 0.0) -> float:
        """Return something."""
        return number * share + free

    assert rings(2) == 1.0
    assert rings(2, share=1, free=-7.0) == -5.0
    assert rings.__doc__ == "Return something."
    assert [*inspect.signature(rings).parameters] == ["number", "share", "free"]
    for call in (lambda: rings(0), lambda: rings(1, 2), lambda: rings(1, share=float("nan"))):
        with pytest.raises(UsageError, match="must be"):
            call()
    with pytest.raises(TypeError):
        rings()  # type: ignore[call-arg]


@pytest.mark.parametrize("name", [*METHODS])
def test_the_command_line_and_files_of_runs_ask_the_same_ranges(name: str) -> None:
    for setting, declared in ranges_of(METHODS.factory(name)).items():
        if not declared.several:
            with pytest.raises(UsageError, match=rf"^{setting} of method {name} must be .*, not "):
                configure("MOTIF", method=name, method_settings={setting: "-1000000000000"})


@pytest.mark.parametrize("name", [*MATCHERS])
def test_so_do_settings_of_matchers(name: str) -> None:
    for setting in ranges_of(MATCHERS.factory(name)):
        wrong = {"matcher": name, f"matcher.{setting}": "-1000000000000"}
        with pytest.raises(UsageError, match=rf"^{setting} of matcher {name} must be .*, not "):
            configure("MOTIF", method="s-mixup", method_settings=wrong)


def test_so_do_texts_of_parts_pipelines_and_data() -> None:
    with pytest.raises(UsageError, match=r"^rounds must be 1 or more, not 0\.$"):
        GraphMatcher(normalization="sinkhorn(rounds=0)")
    with pytest.raises(UsageError, match=r"^candidates must be 1 or more, not 0\.$"):
        SMixup(pairing="similar(candidates=0)")
    with pytest.raises(UsageError, match=r"^p must be between 0 and 1, not 7\.$"):
        smixup.from_json('{"class": "Compose", "parts": [{"class": "DropEdge", "p": 7}]}')
    with pytest.raises(UsageError, match=r"^num_graphs of .* must be 1 or more, not 0\.$"):
        checked_options("dataset MOTIF", SOURCES.factory("MOTIF"), {"num_graphs": "0"})


@pytest.mark.parametrize("kind", [SMixupClassifier, SMixupRegressor])
def test_estimators_refuse_when_they_are_fitted(kind: Callable[..., Any]) -> None:
    graphs = [torch_geometric_path(3), torch_geometric_path(4)]
    for name, value in {"epochs": 0, "dropout": 1, "validation": 0, "num_layers": 10**9}.items():
        with pytest.raises(ValueError, match=rf"^{name} must be .*, not {value}\.$"):
            kind(**{name: value}).fit(graphs, [0, 1])


def torch_geometric_path(n: int) -> Data:
    line = torch.arange(n - 1)
    return Data(torch.ones(n, 1), torch.stack([line, line + 1]), num_nodes=n)


def test_networks_refuse_sizes_before_they_take_memory() -> None:
    for name in BACKBONES:
        kind: type[Classifier] = BACKBONES.factory(name)  # type: ignore[assignment]
        with pytest.raises(UsageError, match=r"^num_layers must be at most 1,000, not"):
            kind(3, 2, num_layers=10**9)
    with pytest.raises(UsageError, match=r"^hidden_channels must be at most 65,536, not"):
        MatchingNetwork(3, 2**40, 2)


def test_a_row_may_be_given_as_an_iterator() -> None:
    assert OneOf([DropEdge(), DropEdge()], p=iter([1, 3])).p == [1, 3]
    with pytest.raises(UsageError, match=r"^a number in p must be 0 or more, not -1\.$"):
        OneOf([DropEdge(), DropEdge()], p=iter([1, -1]))
