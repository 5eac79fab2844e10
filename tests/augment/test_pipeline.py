"""What is written as JSON comes back the same; what is wrong in a text is said in a sentence."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny_methods import METHODS, matcher, method

import smixup
from smixup import (
    IPFP,
    RRWM,
    AlignedCut,
    Augmentation,
    Codes,
    Compose,
    DropEdge,
    DropNode,
    GMixup,
    GraphMatcher,
    Identity,
    LabelSmoothing,
    OneOf,
    RandomOrder,
    SiameseMatcher,
    SMixup,
    SubMix,
    Uniform,
    Until,
    from_json,
    to_json,
)
from smixup.augment.mixing import Paper, Partial
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.matching.assign import OneToOne

ADDRESS = re.compile(" at 0x[0-9a-f]+")


def read_back(augmentation: Augmentation) -> Augmentation:
    found = from_json(to_json(augmentation))
    assert type(found) is type(augmentation)
    assert ADDRESS.sub("", repr(found)) == ADDRESS.sub("", repr(augmentation))
    assert to_json(found) == to_json(augmentation)
    return found


def test_every_method_and_matcher_comes_back() -> None:
    for name in METHODS:
        augmentation = method(name)
        read_back(augmentation)
        bare = type(augmentation)()
        assert set(json.loads(to_json(bare))) == {"smixup", "class"}, "defaults are left out"
    for each in (RRWM(steps=3), IPFP(), SiameseMatcher(), RandomOrder(seed=1), Uniform()):
        found = read_back(SMixup(each))
        assert isinstance(found, SMixup) and found.matcher == each


def test_settings_come_back() -> None:
    mix = SMixup(
        GraphMatcher(normalization=OneToOne(noise=0.2), encode="one-hot"),
        alpha=0.3,
        transport=Partial(edges=False),
        pairing="same-class",
        partners=None,
        amount=2,
        edges="sampled",
        seed=7,
        num_classes=5,
    )
    assert read_back(mix) == mix
    written = json.loads(to_json(mix))
    assert (written["transport"], written["partners"]) == ("partial", None)
    inner = {"normalization": "one-to-one(noise=0.2)", "encode": "one-hot"}
    assert written["matcher"] == {"class": "GraphMatcher", **inner}
    assert "ratio" not in written
    codes = SMixup(encode=Codes(nodes=(28, 4), edges=(3,)))
    assert read_back(codes) == codes
    assert json.loads(to_json(SMixup())) == {"smixup": smixup.__version__, "class": "SMixup"}


def test_nested_pipelines_come_back() -> None:
    inner = Until(AlignedCut(Uniform(), alpha=0.5), share=0.5)
    mix = SMixup(Identity(partial=True), transport=Paper(), partners=None)
    read_back(Compose([DropEdge(p=0.1), OneOf([mix, inner], p=[1, 2.5], seed=1), Augmentation()]))
    read_back(Compose([Compose([]), GMixup(positions=4), LabelSmoothing()]))


def test_a_fitted_matcher_goes_as_settings_or_by_its_folder(graphs: Graphs, tmp_path: Path) -> None:
    fitted = matcher(normalization="columns").fit(graphs)
    both = Compose([SMixup(fitted), AlignedCut(fitted), SMixup(matcher())])
    assert not from_json(to_json(both)).parts[0].matcher.fitted
    written = json.loads(text := to_json(both, matchers=tmp_path / "kept"))
    folders = [part["matcher"] for part in written["parts"][:2]]
    assert folders == [str(tmp_path / "kept" / f"matcher-{number}") for number in (1, 2)]
    assert written["parts"][2]["matcher"]["class"] == "GraphMatcher", "nothing to save"
    found, (left, right) = from_json(text).parts[0].matcher, (graphs[[0, 1]], graphs[[4, 5]])
    assert torch.equal(found(left, right).to_dense(), fitted(left, right).to_dense())


@dataclass
class Mine(DropEdge):
    """A method of somebody else."""


UNWRITTEN: list[tuple[Any, str]] = [
    (lambda: Mine(), "Mine is no class that smixup exports"),
    (lambda: Compose([DropEdge(), torch.ones(2)]), "a setting is a Tensor, which JSON"),
]


@pytest.mark.parametrize(("make", "words"), UNWRITTEN)
def test_what_no_text_could_bring_back_is_refused(make: Any, words: str) -> None:
    with pytest.raises(UsageError, match="^" + words):
        to_json(make())


def one(name: str, **fields: object) -> str:
    return json.dumps({"class": name, **fields})


WRONG = {
    "pipeline.json": "the pipeline is no JSON",
    "[" * 100_000: "the pipeline is no JSON",
    "[1, 2]": r'the pipeline must be an object with a "class", not \[1, 2\]',
    '{"class": "SMixup", "alpha": NaN}': "finite numbers, not NaN",
    one("Smixup"): "unknown augmentation 'Smixup'. Did you mean 'SMixup'?",
    one("os.system"): "unknown augmentation 'os.system'",
    one("SMixup", alfa=1): "unknown field of SMixup 'alfa'. Did you mean 'alpha'?",
    one("SMixup", alpha="1"): 'alpha of SMixup must be a number, not "1"',
    one("SMixup", alpha=-1): "alpha must be 0 or more, not -1",
    one("SMixup", ratio=1): "ratio of SMixup must be one of per-pair, per-batch, unfolded, not 1",
    one("SMixup", partners=1.5): "partners of SMixup must be an integer or null, not 1.5",
    one("SMixup", edges="x"): "edges of SMixup must be one of auto, weighted, sampled",
    one("SMixup", transport="papr"): "unknown transport 'papr'. Did you mean 'paper'?",
    one("SMixup", matcher="GraphMatcher"): 'matcher of SMixup must be an object with a "class"',
    one("SMixup", matcher={"class": "RWM"}): "unknown matcher 'RWM'. Did you mean 'RRWM'?",
    one("AlignedCut", transport="paper"): "unknown field of AlignedCut 'transport'",
    one("Augmentation", p=1): "unknown field of Augmentation 'p'",
    one("Compose"): "Compose needs 'parts', which is missing",
    one("Compose", parts={"class": "SMixup"}): "parts of Compose must be a list",
    one("Compose", parts=["SMixup"]): r"parts of Compose, number 0, must be an object with a",
    one(
        "OneOf", parts=[{"class": "SubMix"}], p=["a"]
    ): 'p of OneOf, number 0, must be a number, not "a"',
    one(
        "Until", augmentation={"class": "SMixup", "matcher": {"class": "RRWM", "steps": 1.5}}
    ): "steps of RRWM must be an integer, not 1.5",
    json.dumps({"smixup": "99.0", "class": "SMixup", "magic": True}): r"'magic'.*\(The text is of "
    "smixup 99.0, this is",
}


@pytest.mark.parametrize("text", WRONG, ids=lambda text: text[:50])
def test_what_is_wrong_is_said(text: str) -> None:
    with pytest.raises(UsageError, match=WRONG[text].replace("?", r"\?")):
        from_json(text)


def test_the_version_is_not_needed() -> None:
    assert from_json(one("DropNode", p=0.5)) == DropNode(p=0.5)
    assert from_json(json.dumps({"smixup": "99.0", "class": "SubMix"})) == SubMix()
