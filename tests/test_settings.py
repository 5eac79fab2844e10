"""Numbers have ranges, words are known, texts make parts: what is wrong is said in one sentence."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from inspect import getdoc
from typing import Any, ClassVar, Literal

import numpy as np
import pytest
import torch
from torch_geometric.data import Batch, Data

from smixup import (
    RRWM,
    AlignedCut,
    DropEdge,
    GraphMatcher,
    OneOf,
    SiameseMatcher,
    SMixup,
    SMixupClassifier,
    SMixupRegressor,
    Uniform,
    Until,
    from_json,
)
from smixup.app.runs.config import configure
from smixup.app.runs.registry import BACKBONES, MATCHERS, METHODS
from smixup.augment.mixing import Partial, Transport
from smixup.datasets.sources import SOURCES
from smixup.errors import SmixupError, UsageError, import_optional, unknown_name
from smixup.matching import Matcher
from smixup.names import Registry
from smixup.settings import (
    Choice,
    Choices,
    Count,
    Natural,
    RangedFields,
    Share,
    described,
    fits,
    hints_of,
    literal,
    number_of,
    plain_kinds,
    ranges_of,
)
from smixup.training import TrainSettings

WRONG = (0, -1, -0.5, 1.5, math.nan, math.inf, -1e30, 1e30, 2**70, 10**400, "x", True)
SETTABLE: list[Any] = [
    TrainSettings,
    *(METHODS.factory(name) for name in METHODS),
    *(MATCHERS.factory(name) for name in MATCHERS),
]


@pytest.mark.parametrize("kind", SETTABLE, ids=lambda kind: kind.__name__)
def test_a_number_outside_its_range_is_refused_wherever_it_is_set(kind: Any) -> None:
    needed = {"epochs": 1, "learning_rate": 0.1, "batch_size": 4} if kind is TrainSettings else {}
    for name, declared in ranges_of(kind).items():
        refused = 0
        for value in WRONG:
            given = (value,) if declared.several else value
            try:
                declared.require(name, given)
            except UsageError as error:
                refused += 1
                with pytest.raises(UsageError) as raised:
                    kind(**(needed | {name: given}))
                assert str(raised.value) == str(error)
                assert name in str(error) and "must be" in str(error) and len(str(error)) < 200
        assert refused >= 4
    for name, hint in hints_of(kind).items():
        if plain_kinds(hint)[0] in (int, float):
            assert name in ranges_of(kind), f"{name} has no range"


@pytest.mark.parametrize("registry", [METHODS, MATCHERS], ids=["methods", "matchers"])
def test_the_command_line_asks_the_same_ranges(
    registry: Registry[Any],
) -> None:
    for name in registry:
        factory = registry.factory(name)
        assert f"{factory.__module__}:{factory.__name__}" == registry.entries[name]
        assert registry.summary(name) == " ".join(getdoc(factory).partition("\n\n")[0].split())
        for setting, declared in ranges_of(factory).items():
            settings = {setting: "-1000000000000"}
            method, owner = (name, f"method {name}") if registry is METHODS else ("s-mixup", "")
            if registry is MATCHERS:
                settings = {"matcher": name, f"matcher.{setting}": "-1000000000000"}
                owner = f"matcher {name}"
            if not declared.several:
                with pytest.raises(UsageError, match=rf"^{setting} of {owner} must be .*, not "):
                    configure("MOTIF", method=method, method_settings=settings)


MISTAKES: list[tuple[Callable[[], object], str]] = [
    (lambda: SMixup(alpha=math.inf), "alpha must be a finite number, 0 or more, not inf."),
    (lambda: SMixup(partners=2.5), "partners must be a whole number, 1 or more or None, not 2.5."),
    (lambda: SMixup(0.2), "matcher must be an object such as GraphMatcher(), not 0.2."),
    (
        lambda: AlignedCut(GraphMatcher),
        "matcher must be an object such as GraphMatcher(), not <class",
    ),
    (lambda: SMixup(edges="whole"), "edges must be one of"),
    (lambda: SMixup(transport="air"), "unknown transport 'air'"),
    (lambda: SMixup(encode="obg"), "unknown encoding 'obg'. Did you mean 'ogb'"),
    (
        lambda: GraphMatcher(normalization="sinkhorn(rounds=0)"),
        "sinkhorn must be 1 or more",
    ),
    (lambda: GraphMatcher(temperature=0), "temperature must be above 0, not 0."),
    (lambda: SiameseMatcher(epochs=0), "epochs must be 1 or more or None, not 0."),
    (lambda: DropEdge(p="0.1"), "p must be a finite number, between 0 and 1, not '0.1'."),
    (lambda: OneOf([]), "parts must be one augmentation at least"),
    (lambda: OneOf([DropEdge()], p=[0.5, 0.5]), "p must be one"),
    (lambda: OneOf([DropEdge(), DropEdge()], p=iter([1, -1])), "p must be 0 or more, not -1."),
    (lambda: from_json('{"class": "DropEdge", "p": 7}'), "p must be between 0 and 1, not 7."),
    (lambda: BACKBONES.factory("gin")(3, 2, num_layers=-1), "num_layers must be 0 or more"),
    (lambda: SOURCES.factory("MOTIF")(num_graphs=0), "num_graphs must be 1 or more, not 0"),
]


def test_mistakes_are_answered_where_they_are_made() -> None:
    for mistake, words in MISTAKES:
        with pytest.raises(UsageError) as raised:
            mistake()
        assert words in str(raised.value)
    assert OneOf([DropEdge(), DropEdge()], p=iter([1, 3])).p == [1, 3]
    for name, value in (("transport", "paper"), ("edges", "sampled")):
        with pytest.raises(TypeError, match=name):  # a cut averages nothing
            AlignedCut(Uniform(), **{name: value})
    graphs = [Data(torch.ones(3, 1), torch.tensor([[0, 1], [1, 2]])) for _ in range(2)]
    batch = Batch.from_data_list(graphs)
    for matcher in (GraphMatcher(), RRWM(), Uniform()):
        with pytest.raises(SmixupError, match=r"use matcher\.match\(data1, data2\)"):
            matcher(batch, batch)
    for kind in (SMixupClassifier, SMixupRegressor):  # when they are fitted, as scikit-learn wants
        for name, value in {"epochs": 0, "dropout": 1, "validation": 0}.items():
            with pytest.raises(ValueError, match=rf"^{name} must be .*, not {value}\.$"):
                kind(**{name: value}).fit(graphs, [0, 1])


@dataclass
class Own(RangedFields):
    share: Share = 0.5
    number: Count | None = 3
    rows: Sequence[Share] | None = None
    name: str = ""


@dataclass
class Longer(Own):
    further: Share = 0.0


def test_dataclasses_check_their_numbers() -> None:
    Own(np.float32(0.5), np.int64(1), (0.0, 1))
    for wrong, words in [
        ({"share": 1.1}, "share must be between 0 and 1, not 1.1."),
        ({"share": None}, "share must be a finite number, between 0 and 1, not None."),
        ({"number": 0}, "number must be 1 or more or None, not 0."),
        ({"number": 1.0}, "number must be a whole number, 1 or more or None, not 1.0."),
        ({"rows": [0, 2]}, "a number in rows must be between 0 and 1, not 2."),
        ({"rows": 3}, "rows must be between 0 and 1 or None, not 3."),
        ({"further": 2}, "further must be between 0 and 1, not 2."),
    ]:
        with pytest.raises(UsageError) as raised:
            Longer(**wrong)
        assert str(raised.value).endswith(words)


@dataclass(frozen=True)
class Plain(Choice):
    name: ClassVar[str] = "plain"


@dataclass(frozen=True)
class Rich(Choice):
    rounds: int = 3
    noise: float = 0.5
    edges: bool = False
    sizes: tuple[int, ...] = ()
    name: ClassVar[str] = "rich-one"


CHOICES: Choices[Choice] = Choices("way", Plain, Rich)


def test_texts_and_objects_are_made_from_each_other() -> None:
    for choice, text in (
        (Plain(), "plain"),
        (Rich(noise=1e-05), "rich-one(noise=1e-05)"),
        (Rich(rounds=4, edges=True), "rich-one(rounds=4, edges=true)"),
        (Rich(noise=1.0, sizes=(12, 0, 7)), "rich-one(noise=1.0, sizes=12 0 7)"),
    ):
        assert str(choice) == text
        assert CHOICES.of(text) == CHOICES.of(choice) == choice
    assert CHOICES.of("  rich-one ( rounds = 7,edges=FALSE ,) ") == Rich(rounds=7)
    for text, words in (
        ("plan", "unknown way 'plan'. Did you mean 'plain'?"),
        ("plain(noise=1)", "unknown setting of way plain 'noise'"),
        ("rich-one(noise)", "'noise' must have the form name=value."),
        ("rich-one(rounds=1.5)", "rounds of way rich-one must be an integer, not '1.5'."),
        ("rich-one(noise=much)", "noise of way rich-one must be a number, not 'much'."),
        ("rich-one(sizes=1 b)", "sizes of way rich-one must be integers with spaces between"),
        ("rich-one(edges=1)", "edges of way rich-one must be true or false, not '1'."),
        ("rich-one(", "'rich-one(' is no way: write name or name(field=value)."),
    ):
        with pytest.raises(UsageError) as raised:
            CHOICES.of(text)
        assert words in str(raised.value)


def test_types_of_fields_are_found_and_values_held_against_them() -> None:
    assert hints_of(AlignedCut)["seed"] == Natural | None
    assert hints_of(SMixup)["matcher"] is Matcher
    assert hints_of(Until)["share"] is Share
    for hint, good, bad in (
        (int, [0, 3], [True, 1.0, "1", None]),
        (float, [0, 0.5], [True, "1"]),
        (bool, [True], [1, "true"]),
        (int | None, [None, 1], [1.5]),
        (Literal["a", "b"], ["a"], ["c", 1, ["a"]]),
        (str | Transport, ["paper", Partial()], [3, None]),
    ):
        assert all(fits(value, hint) for value in good)
        assert not any(fits(value, hint) for value in bad)
    assert described(float | None) == "a number or none"
    assert described(Literal["a", "b"]) == "one of a, b"


def test_numbers_are_read_as_they_are_meant() -> None:
    for text in ("", "1_0", "1e1_0", "\uff11\uff10", "\u0663", "0x10", "1,5", "a"):
        assert number_of(text) is None and literal(text) == text
    for text, expected in (("+10", 10.0), (" .5\n", 0.5), ("1.", 1.0), ("1E-3", 0.001)):
        assert number_of(text) == expected
    assert (number_of("-infinity"), number_of("1e400")) == (-math.inf, math.inf)
    for text, value in (
        ("007", 7),
        (" 12 ", 12),
        ("1.0", 1.0),
        ("yes", True),
        ("9" * 5000, math.inf),
    ):
        assert literal(text) == value and type(literal(text)) is type(value)


NUMBERS: Registry[Fraction] = Registry("number", {"half": "fractions:Fraction"})


def test_names_are_imported_when_asked_for_and_near_ones_suggested() -> None:
    assert NUMBERS.factory("half") is Fraction
    with pytest.raises(UsageError, match=r"unknown number 'hal'\. Did you mean 'half'"):
        NUMBERS.factory("hal")
    message = str(unknown_name("dataset", "imdb-binry", iter(["NCI1", "IMDB-BINARY", "MOTIF"])))
    assert "Did you mean 'IMDB-BINARY'?" in message and "IMDB-BINARY, MOTIF, NCI1" in message
    assert "Did you mean" not in str(unknown_name("method", 0.5, ["vanilla"]))  # type: ignore[arg-type]
    code = "import sys, smixup.datasets as d; d.known_datasets(); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    with pytest.raises(SmixupError) as raised:
        import_optional("no_such_module_anywhere", "Nothing", "matching")
    words = "this needs Nothing, which is missing: pip install 'smixup[matching]'."
    assert str(raised.value) == words
    assert import_optional("torch.nn", "PyTorch", "chem") is torch.nn
