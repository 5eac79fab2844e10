"""Damaged files for every reader: refused in one sentence or read, never anything else."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import own_files
import pytest
from tiny_methods import matcher

from smixup import GraphMatcher, load_dataset, load_model, open_packed, pack
from smixup.augment import Augmentation
from smixup.datasets import import_archive
from smixup.errors import SmixupError
from smixup.models.fitting import fit_model
from smixup.tasks import Classes
from smixup.training import TrainSettings

INPUTS = 300
SECONDS = 20.0
CELLS = (
    *("", " ", "-1", "0", "2", "99", "+1", "01", "1.5", "1e3", "nan", "-inf", "1e39", "1e309"),
    *("0x10", "1_0", "true", "x", "#", ";", "../x", '"', str(2**31), str(2**63), str(2**64)),
    *("\u0663", "\uff11", "\x1b[31m", "\x00", "\u202e", "\ufeff", "x" * 300, "9" * 5000),
)
LINES = ("", " ", "\t", ",", "1", "1,2", "1, 2, 3", "\x0c", "\x85", "\u2028")
JSON: tuple[Any, ...] = (None, True, -1, 1.5, 2**70, float("nan"), "", "x" * 5000, [], {}, [[]])


def raw(random: Random, content: bytes) -> bytes:
    """Flip, cut, insert or repeat bytes."""
    at, to = sorted(random.randrange(len(content) + 1) for _ in range(2))
    flipped = bytes([content[at] ^ (1 << random.randrange(8))]) if at < len(content) else b"x"
    return random.choice(
        (
            content[:at] + flipped + content[at + 1 :],
            content[:at],
            content[:at] + content[to:],
            content[:at] + random.randbytes(random.choice((1, 4, 64))) + content[at:],
            content[:to] + content[at:],
        )
    )


def text(random: Random, content: bytes) -> bytes:
    """Exchange a cell or a line, or write all in another way."""
    lines = content.decode("utf-8", "replace").split("\n")
    at = random.randrange(len(lines))
    if random.random() < 0.6:
        cells = re.split("([,;\t >])", lines[at])
        cells[random.randrange(len(cells))] = random.choice(CELLS)
        lines[at] = "".join(cells)
    else:
        lines[at : at + random.randrange(2)] = [random.choice((*LINES, *lines))]
    whole = "\n".join(lines)
    ways = (whole.encode("utf-8", "replace"),) * 6 + (whole.encode("utf-16", "replace"),)
    return random.choice((*ways, whole.replace("\n", "\r\n").encode("utf-8", "replace")))


def as_json(random: Random, content: bytes) -> bytes:
    def changed(value: Any) -> Any:
        if isinstance(value, dict) and value and random.random() < 0.9:
            key = random.choice(sorted(value))
            return {**value, key: changed(value[key])}
        if isinstance(value, list) and value and random.random() < 0.8:
            at = random.randrange(len(value))
            return [*value[:at], changed(value[at]), *value[at + 1 :]]
        return random.choice(JSON)

    try:
        return json.dumps(changed(json.loads(content))).encode()
    except ValueError:  # it was damaged before
        return raw(random, content)


def damage(random: Random, path: Path) -> None:
    content, way = path.read_bytes(), raw
    if path.suffix == ".json" and random.random() < 0.8:
        way = as_json
    elif path.suffix in (".csv", ".txt", ".graphml") and random.random() < 0.8:
        way = text
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text(random, gzip.decompress(content)), 1))
    else:
        path.write_bytes(way(random, content))


def tu(folder: Path) -> Path:
    own = own_files.tu(folder)
    return Path(shutil.make_archive(str(folder / "OWN"), "zip", own.parent, "OWN"))


def a_model(folder: Path) -> Path:
    graphs = load_dataset("MOTIF", num_graphs=30).graphs
    settings = TrainSettings(epochs=1, learning_rate=0.01, batch_size=16)
    sizes = {"hidden_channels": 4, "num_layers": 1}
    fitted, _ = fit_model(
        graphs, Classes.numbered(3), "gin", Augmentation(), settings, 0.3, **sizes
    )
    return fitted.save(folder / "model")


def a_matcher(folder: Path) -> Path:
    matcher().fit(load_dataset("MOTIF", num_graphs=12).graphs).save(folder / "matcher")
    return folder / "matcher"


def a_packed_set(folder: Path) -> Path:
    pack(load_dataset("MOTIF", num_graphs=6).graphs, folder / "packed")
    return folder / "packed"


def loaded(path: Path) -> Any:
    return load_dataset(path, target="kind", task="classes")


def imported(path: Path) -> Any:
    return load_dataset(import_archive(path, path.parent / "root"), path.parent / "root")


READERS: dict[str, tuple[Callable[[Path], Path], Callable[[Path], Any]]] = {
    "molecules": (own_files.molecules, loaded),
    "GraphML": (own_files.graphml, loaded),
    "edge lists": (own_files.edge_list, loaded),
    "matrices": (own_files.matrices, lambda path: load_dataset(path)),
    "saved lists": (own_files.saved_list, lambda path: load_dataset(path)),
    "TU text": (own_files.tu, imported),
    "archives": (tu, imported),
    "packed sets": (a_packed_set, lambda path: open_packed(path)[:]),
    "models": (a_model, load_model),
    "matchers": (a_matcher, GraphMatcher.load),
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", READERS)
def test_damaged_files_are_refused_in_a_sentence_or_read(name: str, tmp_path: Path) -> None:
    make, read = READERS[name]
    good = tmp_path / "good"
    good.mkdir()
    path = make(good)
    read(path)
    random = Random(name)
    for number in range(INPUTS):
        folder = tmp_path / "input"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(good, folder, ignore=shutil.ignore_patterns("root"))
        copy = folder / path.relative_to(good)
        files = (
            [copy] if copy.is_file() else sorted(each for each in copy.rglob("*") if each.is_file())
        )
        for _ in range(random.choice((1, 1, 2))):
            damage(random, random.choice(files))
        began = time.monotonic()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                read(copy)
        except SmixupError as error:
            sentence = str(error)
            fine = sentence.isprintable() and 10 <= len(sentence) <= 1500
            assert fine and sentence.rstrip()[-1] in ".?!)", f"input {number}: {sentence!r}"
            assert not (folder / "root").exists(), f"input {number} left something behind"
        assert time.monotonic() - began < SECONDS, f"input {number} is slow"
