"""The docs name only files that exist, and what they call Python compiles."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

import smixup

ROOT = Path(__file__).parents[1]
DOCUMENTS = [
    "README.md",
    "CONTRIBUTING.md",
    *(path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").rglob("*.md"))),
]
FOLDERS = ("src", "tests", "docs", "examples")

LINK = re.compile(r"\]\(([^)\s]+)\)")
IN_CODE = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|md|toml|txt|csv|jsonl)|(?:[\w.-]+/)+)`")
FROM_ROOT = re.compile(rf"\b(?:{'|'.join(FOLDERS)})/[\w./-]*\w")
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
NOT_HERE = {
    "utils.py",  # named to say that there is none
    *("docs/_gallery", "docs/_gallery/"),  # made with the pages
    *("src/smixup/augment/baselines/feature_noise.py", "src/smixup/matching/by_degree.py"),
    *("edges.csv", "graphs.csv", "labels.csv", "nodes.csv"),  # of readers
    "src/smixup/datasets/rings.py",  # exercises, for the reader to write
}


def text_of(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def test_the_first_steps_of_the_readme_are_an_example_that_runs() -> None:
    assert (ROOT / "examples" / "first_steps.py").read_text() in PYTHON.findall(
        text_of("README.md")
    )


def named_files(text: str) -> set[str]:
    return {*IN_CODE.findall(text), *FROM_ROOT.findall(text)} - NOT_HERE


@cache
def our_paths() -> list[str]:
    inner = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))
    return [path.as_posix() for path in (*ROOT.iterdir(), *inner)]


def is_here(name: str) -> bool:
    """Whether a file or folder of ours has this name, or a path that ends with it."""
    return any(path.endswith("/" + name.rstrip("/")) for path in our_paths())


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_link_leads_somewhere(document: str) -> None:
    links = [link.partition("#")[0] for link in LINK.findall(text_of(document))]
    inside = [link for link in links if link and "://" not in link]
    assert [link for link in inside if not (ROOT / document).parent.joinpath(link).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_file_that_is_named_exists(document: str) -> None:
    assert [name for name in sorted(named_files(text_of(document))) if not is_here(name)] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_python_compiles(document: str) -> None:
    for block in PYTHON.findall(text_of(document)):
        compile(block, document, "exec")


def test_the_rules_themselves() -> None:
    text = "See `graphs/no.py` or [this](docs/no.md) in `lab/no/`; run tests/no/test_no.py."
    assert named_files(text) == {"graphs/no.py", "docs/no.md", "lab/no/", "tests/no/test_no.py"}
    assert not any(map(is_here, named_files(text)))
    assert all(map(is_here, ["graphs/pyg.py", "app/runs/", "tests/test_docs.py", "README.md"]))
    assert PYTHON.findall(text_of("README.md"))


def test_the_next_release_has_its_section_first() -> None:
    sections = re.findall(r"^## (.*)", text_of("CHANGELOG.md"), re.MULTILINE)
    assert sections[0].startswith("[Unreleased]")
    assert sections[1].startswith(f"[{smixup.__version__}] - 20")


def test_the_reference_has_every_package_but_the_laboratory() -> None:
    packages = {path.parent.name for path in (ROOT / "src" / "smixup").glob("*/__init__.py")}
    pages = {path.stem for path in (ROOT / "docs" / "api").glob("*.md")}
    assert pages == packages - {"lab"} | {"shared"}
    for page in pages - {"shared"}:
        assert f".. automodule:: smixup.{page}" in text_of(f"docs/api/{page}.md")
        assert f"\napi/{page}\n" in text_of("docs/reference.md")


def test_the_citation_is_of_this_version() -> None:
    assert f"\nversion: {smixup.__version__}\n" in text_of("CITATION.cff")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_no_line_is_taken_for_a_comment(document: str) -> None:
    """MyST leaves out lines that begin with a per cent sign."""
    lines = text_of(document).splitlines()
    assert not [line for line in lines if line.lstrip().startswith("%")]
