"""What there is: `smixup methods` and `smixup doctor`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

import typer

from smixup.app.cli import options
from smixup.app.cli.output import print_json, print_table
from smixup.app.runs.registry import MATCHERS
from smixup.documented import summary, summary_unimported
from smixup.errors import unknown_name
from smixup.names import METHODS

EXTRAS = {"matching": ("pot", "pygmtools"), "chem": ("rdkit",), "cluster": ("ray",)}
"""The extras of pyproject.toml, with their packages."""
NEEDS = {
    "matching": "the matchers fgw, spectral and ipfp, FGWMixup and GeoMix",
    "chem": "molecules from SMILES",
    "cluster": "comparisons on a Ray cluster",
}
LEAST_MEMORY, LEAST_DISK = 2 << 30, 1 << 30


def methods(name: options.Part = None, as_json: options.AsJson = False) -> None:
    """List augmentations and matchers, or the settings of one."""
    if name is None:
        _list_all(as_json)
        return
    registry = METHODS if name in METHODS else MATCHERS
    if name not in registry:
        raise unknown_name("method or matcher", name, [*METHODS, *MATCHERS])
    from smixup.app.runs.registry import settings_of

    factory = registry.factory(name)
    does, settings = summary(factory), settings_of(factory)
    if as_json:
        print_json({"name": name, "does": does, "settings": settings})
        return
    typer.echo(does if settings else f"{does}\nThe {registry.kind} {name} has no settings.")
    rows = [[each["name"], _shown(each["default"]), each["meaning"]] for each in settings]
    if rows:
        print_table(["setting", "default", "meaning"], rows, words=3)


def _list_all(as_json: bool) -> None:
    listed = {
        f"{registry.kind}s": {
            name: summary_unimported(entry) if isinstance(entry, str) else summary(entry)
            for name, entry in registry.entries.items()
        }
        for registry in (METHODS, MATCHERS)
    }
    if as_json:
        print_json(listed)
        return
    for kind, rows in listed.items():
        print_table([kind, "what they do"], rows.items(), words=2)


def _shown(value: Any) -> str:
    """Write a value as `--set` takes it."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def doctor(root: options.Root = None, as_json: options.AsJson = False) -> None:
    """Show versions, devices and data, and say whether all is ready.

    The exit code is 1 if something is missing that smixup cannot work without.
    """
    import torch

    from smixup.app.runs.run import versions
    from smixup.datasets.sources import data_root, present_names

    folder = data_root(root)
    devices = range(torch.cuda.device_count())
    problems = [*_unfit_packages(), *_unfit_places(folder)]
    extras = {extra: {name: installed(name) for name in EXTRAS[extra]} for extra in EXTRAS}
    facts: dict[str, Any] = {
        "devices": ["cpu", *(f"cuda:{i} {torch.cuda.get_device_name(i)}" for i in devices)],
        "cores": os.cpu_count(),
        "data_root": str(folder),
        "datasets": ["MOTIF", *sorted(present_names(folder))],
    }
    if as_json:
        print_json({"versions": versions(), **facts, "extras": extras, "problems": problems})
    else:
        rows = {**versions(), **facts}
        rows |= {name: ", ".join(facts[name]) for name in ("devices", "datasets")}
        for extra, packages in extras.items():
            states = (f"{name} {version or 'missing'}" for name, version in packages.items())
            rows[f"extra {extra}"] = ", ".join(states)
        cells = [(name.replace("_", " "), str(row)) for name, row in rows.items()]
        print_table(["what", "found"], cells, words=2)
        missing = [extra for extra, packages in extras.items() if not all(packages.values())]
        lines = [f"  for {NEEDS[extra]}: pip install 'smixup[{extra}]'." for extra in missing]
        ready = ["Ready. `smixup demo` is a first look."]
        problem_lines = ["Not ready:", *(f"  {problem}" for problem in problems)]
        lines = ["To be installed if you need it:", *lines] if lines else []
        typer.echo("\n".join([*(problem_lines if problems else ready), *lines]))
    if problems:
        raise typer.Exit(1)


def installed(package: str) -> str | None:
    """Return the version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _unfit_packages() -> Iterator[str]:
    """Yield packages that are not installed, or in a version that was never tried."""
    from packaging.requirements import Requirement

    for requirement in map(Requirement, requires("smixup") or []):
        name, wanted = requirement.name, requirement.specifier
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        here = installed(name)
        if here is None or not wanted.contains(here, prereleases=True):
            state = f"is {here}, not {wanted}" if here else "is not installed"
            yield f"{name} {state}: pip install '{name}{wanted}'."


def _unfit_places(root: Path) -> Iterator[str]:
    """Yield what memory and disk lack."""
    from smixup.memory import free_memory, in_words

    if (free := free_memory()) < LEAST_MEMORY:
        yield f"{in_words(free)} of memory is free; close other programs."
    there = next(folder for folder in (root, *root.parents) if folder.exists())
    if not root.exists() and not os.access(there, os.W_OK):
        yield f"nothing can be written to the data root {root}; name another by SMIXUP_ROOT."
    if (left := shutil.disk_usage(there).free) < LEAST_DISK:
        yield f"{in_words(left)} of the disk of {root} is free; make room."
