"""The workflows of GitHub do what `.ci/run` does, and publish only what was checked."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".github" / "workflows"
MAKE = re.compile(r"^make (.+)$", re.MULTILINE)
CITATION = ROOT / "CITATION.cff"


def workflow(name: str) -> dict[str, Any]:
    """A workflow; YAML 1.1 reads its key `on` as true."""
    found: dict[str, Any] = yaml.safe_load((FOLDER / f"{name}.yml").read_text(encoding="utf-8"))
    return found


def commands(job: dict[str, Any]) -> str:
    return "\n".join(step["run"] for step in job["steps"] if "run" in step)


def targets(text: str) -> list[str]:
    """What a script lets make do; options, variables and files are no targets."""
    return [word for words in MAKE.findall(text) for word in words.split() if word.isalpha()]


def test_ci_makes_what_the_script_makes() -> None:
    script = targets((ROOT / ".ci" / "run").read_text())
    jobs = workflow("ci")["jobs"].values()
    assert sorted(each for job in jobs for each in targets(commands(job))) == sorted(script)
    assert script == ["test", "lint", "docs", "package"]


@pytest.mark.parametrize("target", ["test", "lint", "docs", "package", "check", "demo"])
def test_the_targets_are_there(target: str) -> None:
    done = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_python_that_the_package_names_is_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    matrix = workflow("ci")["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python"] == named
    assert project["requires-python"] == f">={named[0]}"
    assert {"python": named[0], "constraints": "constraints-lowest.txt"} in matrix["include"]


@pytest.mark.parametrize("name", ["ci", "release"])
def test_workflows_may_do_no_more_than_they_need(name: str) -> None:
    found = workflow(name)
    assert found["permissions"] == {"contents": "read"}
    own = {key: job["permissions"] for key, job in found["jobs"].items() if "permissions" in job}
    assert own == ({"publish": {"id-token": "write"}} if name == "release" else {})


def test_a_release_is_built_and_checked_before_it_is_published() -> None:
    found = workflow("release")
    assert found[True] == {"push": {"tags": ["v*"]}}
    build, publish = found["jobs"]["build"], found["jobs"]["publish"]
    assert targets(commands(build)) == ["package"]
    assert publish["needs"] == "build"
    assert not commands(publish), "it publishes what was built, and runs nothing"


def test_hooks_run_the_tools_of_lint() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    makefile = (ROOT / "Makefile").read_text()
    lint = makefile.partition("\nlint:")[2].partition("\n\n")[0]
    tools = set(re.findall(r"\$\(BIN\)/(\w+)", lint))
    assert {hook["entry"].split()[0].rpartition("/")[2] for hook in hooks} == tools


def test_the_citation_says_what_is_needed() -> None:
    found = yaml.safe_load(CITATION.read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert found["cff-version"] == "1.2.0"
    assert {"message", "title", "authors", "version", "date-released", "license"} <= set(found)
    assert found["license"] == project["license"]
    assert found["keywords"] == project["keywords"]
    paper = found["preferred-citation"]
    assert len(paper["authors"]) == 5
    assert {"title", "year", "volume", "start", "end", "publisher", "url"} <= set(paper)
