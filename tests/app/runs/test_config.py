"""A configuration is a preset with changes, checked before anything runs; settings get the types of
their fields, and every name is built.
"""

from __future__ import annotations

import re
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import pytest

from smixup.app.runs.config import (
    OTHER,
    PAPER,
    configure,
    preset_for,
    published_matcher,
    settings_of_words,
)
from smixup.app.runs.registry import (
    MATCHERS,
    METHODS,
    make_matcher,
    make_method,
    method_settings,
    takes_edge_features,
)
from smixup.augment import Augmentation, SMixup
from smixup.augment.mixing import Partial
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Codes, Graphs
from smixup.matching import GraphMatcher, Matcher, RandomOrder, Uniform
from smixup.models import Backbone
from smixup.settings import split_pairs

TABLES_8_AND_9 = {
    "IMDB-BINARY": (0.001, 300, 256, 6, 256, 4, 32, "random"),
    "PROTEINS": (0.001, 300, 256, 5, 256, 4, 32, "random"),
    "NCI1": (0.01, 500, 256, 5, 256, 4, 32, "random"),
    "REDDIT-BINARY": (0.01, 500, 16, 4, 8, 4, 32, "random"),
    "IMDB-MULTI": (0.001, 300, 256, 5, 256, 4, 32, "random"),
    "REDDIT-MULTI-5K": (0.01, 500, 16, 4, 8, 4, 32, "random"),
    "ogbg-molhiv": (0.001, 200, 512, 5, 512, 5, 300, "official"),
}


def test_the_papers_tables() -> None:
    assert {name: astuple(preset) for name, preset in PAPER.items()} == TABLES_8_AND_9
    for name, preset in PAPER.items():
        config, matcher = configure(name), GraphMatcher(**published_matcher(name))
        assert (config.epochs, config.split) == (preset.epochs, preset.split)
        assert (matcher.num_layers, matcher.batch_size) == astuple(preset)[3:5]
        assert (matcher.learning_rate, matcher.epochs, matcher.hidden_channels) == (0.001, 500, 256)
    assert preset_for("MUTAG") == OTHER


def test_presets_and_changes() -> None:
    config = configure("imdb-b", "gcn", epochs=7, dropout=None)
    assert (config.dataset, config.epochs, config.batch_size) == ("IMDB-BINARY", 7, 256)
    names = [("NCI1", "gin"), ("NCI1", "gcn"), ("MOTIF", "gcn")]
    assert [configure(*each).batch_norm for each in names] == [True, False, True]
    assert configure("MUTAG", "gin", batch_norm=False).batch_norm is False


WRONG: list[tuple[dict[str, Any], str]] = [  # and those of `test_train.py`
    ({"dropout": 1.0}, "dropout must be at least 0 and below 1"),
    ({"split": "few"}, "train_graphs must be a number for the split few"),
    ({"fold": 10}, "fold must be from 0 to 9"),
    ({"num_folds": 2}, "num_folds must be 3 or more"),
    ({"seed": -1}, "seed must be 0 or more"),
    ({"method": "vanila"}, "Did you mean 'vanilla'"),
    ({"method": "s-mixup", "method_settings": {"paper": "yes please"}}, "must be true or false"),
]


def test_wrong_values() -> None:
    for changes, words in WRONG:
        with pytest.raises(UsageError) as refusal:
            configure("MOTIF", **changes)
        assert words in str(refusal.value)


def test_the_paper_is_asked_for_by_one_setting() -> None:
    def settings(**method: Any) -> dict[str, Any]:
        return dict(configure("IMDB-B", method="s-mixup", method_settings=method).method_settings)

    matcher = settings(**{"matcher.paper": "true", "matcher.epochs": "3"})
    assert (matcher["matcher.num_layers"], matcher["matcher.epochs"]) == (6, 3)
    assert matcher["matcher.correspondences"] is False
    whole = settings(paper=True)
    assert (whole["transport"], whole["amount"], whole["matcher.num_layers"]) == ("paper", None, 6)
    assert settings(**{"matcher.paper": False, "alpha": "2"}) == {"alpha": 2.0}


def test_the_fingerprint_tells_configurations_and_own_files_apart(tmp_path: Path) -> None:
    config = configure("MOTIF", dataset_options={"num_graphs": 30})
    same = configure("motif", dataset_options={"num_graphs": 30})
    others = [replace(config, seed=1), replace(config, dataset_options={"num_graphs": 31})]
    assert config.fingerprint() == same.fingerprint()
    assert len({each.fingerprint() for each in (config, *others)}) == 3
    file = tmp_path / "molecules.csv"
    file.write_text("smiles,y\nC,1\n", encoding="utf-8")
    own = configure(str(file))
    assert (own.split, own.num_folds, own.fold) == ("fold", 10, 0)
    before = own.fingerprint()
    file.write_text("smiles,y\nCC,1\n", encoding="utf-8")
    assert own.fingerprint() != before


def test_words_are_settings_of_the_run_or_of_the_method() -> None:
    found = settings_of_words(["alpha=1", "seed=5", "dropout=0.5"])
    assert found == {"seed": 5, "dropout": 0.5, "method_settings": {"alpha": "1"}}


def test_every_name_is_built(graphs: Graphs) -> None:
    for name in METHODS:
        assert isinstance(make_method(name, 0, {}), Augmentation)
    for name in MATCHERS:
        method = make_method("s-mixup", 0, {"matcher": name})
        assert isinstance(method, SMixup) and isinstance(method.matcher, Matcher)
    for name, plain in (("gine", "gin"), ("gcn-edge", "gcn")):
        assert takes_edge_features(name) and not takes_edge_features(plain)
        with pytest.raises(SmixupError, match=rf"use the backbone {plain}\.$"):
            Backbone.of(name, graphs).build()


def test_the_seed_of_the_run_reaches_the_matcher_unless_it_has_its_own() -> None:
    assert make_matcher("random-order", 4, {}) == RandomOrder(seed=4)
    assert make_matcher("uniform", 4, {}) == Uniform()
    for settings, seed in (({}, 4), ({"matcher.seed": 9}, 9)):
        method = make_method("s-mixup", 4, settings)
        assert isinstance(method, SMixup)
        assert (method.seed, getattr(method.matcher, "seed", None)) == (4, seed)


def test_settings_of_a_matcher_within_a_method() -> None:
    settings = {
        "alpha": "2",
        "partners": "none",
        "transport": "partial",
        "encode": "codes(nodes=28 4, edges=4)",
        "matcher.normalization": "columns",
        "matcher.hidden_channels": "16",
    }
    checked = method_settings("s-mixup", settings)
    others = {"alpha": 2.0, "partners": None, "matcher.hidden_channels": 16}
    assert checked == settings | others
    assert method_settings("s-mixup", checked) == checked, "checking twice is checking once"
    method = make_method("s-mixup", 7, settings)
    matcher = GraphMatcher(hidden_channels=16, normalization="columns", seed=7)
    assert isinstance(method, SMixup)
    assert (method.matcher, method.alpha, method.partners) == (matcher, 2.0, None)
    assert (method.transport, method.codes) == (Partial(), Codes((28, 4), (4,)))


WRONG_OPTIONS = [
    ("alpha=big", "alpha of method s-mixup must be a number, not 'big'"),
    ("partners=1.5", "partners of method s-mixup must be an integer or none"),
    ("edges=some", "edges of method s-mixup must be one of auto, weighted"),
    ("alpa=1", "unknown setting of method s-mixup 'alpa'. Did you mean 'alpha'"),
    ("=1", "must have the form name=value"),
    ("matcher=unifrom", "unknown matcher 'unifrom'. Did you mean 'uniform'"),
    ("matcher.scale=big", "scale of matcher graph-matcher must be a number"),
]


def test_wrong_options() -> None:
    for word, words in WRONG_OPTIONS:
        with pytest.raises(UsageError, match=re.escape(words)):
            method_settings("s-mixup", split_pairs([word]))
