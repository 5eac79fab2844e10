"""Meanings of labels are those that the archives tell."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from smixup.datasets.published_labels import NODE_LABELS


@pytest.mark.parametrize("name", NODE_LABELS)
def test_the_archive_says_so(name: str, archive: Callable[[str], Path]) -> None:
    with zipfile.ZipFile(archive(f"{name}.zip")) as files:
        text = files.read(f"{name}/README.txt").decode()
    part = re.search(r"Node labels:\s+((?:\d+\s+\w+\s+)+)", text)
    assert part is not None
    told = dict(line.split() for line in part[1].splitlines() if line.strip())
    assert told == {str(label): word for label, word in enumerate(NODE_LABELS[name])}
