"""`smixup sweep page`: the page of results, from the records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from smixup.lab.cli.options import option

PAGE, RECORDS = Path("docs") / "results.md", Path("docs") / "results"


def page(
    file: Annotated[Path, option("Page with marked parts, written anew.", "--page")] = PAGE,
    records: Annotated[
        Path, option("Folder with the exports (.csv.gz) of sweeps.", "--records")
    ] = RECORDS,
) -> None:
    """Write every number, table and picture of the page of results anew from the records."""
    from smixup.errors import UsageError
    from smixup.lab.pages.results.page import write_results

    if not file.is_file():
        raise UsageError(f"there is no page {file}; --page names one.")
    write_results(file, records)
    typer.echo(f"page: {file}", err=True)
