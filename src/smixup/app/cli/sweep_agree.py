"""`smixup sweep agree`: do old records still stand?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smixup.shown import sentence

if TYPE_CHECKING:
    from smixup.app.sweeps.agreement import Disagreement
    from smixup.app.sweeps.record import Record

UNKNOWN = "an unknown commit"


def agree(
    file: Annotated[Path, typer.Argument(help="Store or export.", metavar="FILE")],
    other: Annotated[Path, typer.Argument(help="Another one.", metavar="OTHER")],
) -> None:
    """Compare the runs that two stores or exports share, to the bit, whatever code ran them.

    The exit code is 1 if any of them differs, or if they share none.
    """
    from smixup.app.runs.words import counted
    from smixup.app.sweeps.agreement import compare
    from smixup.app.sweeps.merging import read_source
    from smixup.errors import SmixupError

    found = compare(read_source(file), read_source(other))
    if not found.common:
        raise SmixupError(f"{file} and {other} have no run in common: nothing was compared.")
    failed = f", {found.failed} failed in both" if found.failed else ""
    foreign = f" {found.foreign} cannot be run by this code." if found.foreign else ""
    typer.echo(
        f"{counted(found.common, 'run')} in both: {found.agreeing} agree to the bit, "
        f"{len(found.differing)} differ{failed}. Only in {file}: {found.only[0]}, only in "
        f"{other}: {found.only[1]}.{foreign}"
    )
    for each in found.differing:
        typer.echo(_told(each), err=True)
    if found.differing:
        raise typer.Exit(1)


def _told(found: Disagreement) -> str:
    from smixup.app.runs.config import NAMING_FIELDS

    dataset, backbone, method, seed = (found.one.config[name] for name in NAMING_FIELDS)
    settings = found.one.config.get("method_settings") or {}
    with_ = f" {json.dumps(settings)}" if settings else ""
    commits = f"commits {_commit(found.one)} and {_commit(found.other)}"
    return (
        f"{dataset}, {backbone}, {method}{with_}, seed {seed} (run {found.one.id}): "
        f"{_values(found)}; {commits}."
    )


def _values(found: Disagreement) -> str:
    if found.score is not None:
        name, old, new = found.score
        return f"{name} {old!r}, not {new!r}"
    done, error = ("other", found.one.error) if found.other.done else ("first", found.other.error)
    return f"a result in the {done} alone, elsewhere {sentence(str(error))}".rstrip(".")


def _commit(record: Record) -> str:
    versions = record.result.versions if record.result else {}
    return str(versions.get("commit") or UNKNOWN)
