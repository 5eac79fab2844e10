"""`smixup sweep page`: the page of results, from the records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from smixup.app.cli.options import option

PAGES = [Path("docs") / "results.md", Path("README.md")]
RECORDS = Path("docs") / "results"


def page(
    files: Annotated[
        list[Path], option("Page with marked parts, written anew. May be repeated.", "--page")
    ] = PAGES,
    records: Annotated[
        Path, option("Folder with the exports (.csv.gz) of sweeps.", "--records")
    ] = RECORDS,
) -> None:
    """Write every number, table and picture of the pages of results anew from the records."""
    from smixup.app.pages.results.page import write_results
    from smixup.errors import UsageError

    for file in files:
        if not file.is_file():
            raise UsageError(f"there is no page {file}; --page names one.")
    write_results(files, records)
    for file in files:
        typer.echo(f"page: {file}", err=True)
