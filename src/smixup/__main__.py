"""The command `smixup`, also as `python -m smixup`; what it runs comes with the extra `lab`."""

from __future__ import annotations

import sys
from importlib import import_module

from smixup.optional import missing_package


def main() -> None:
    """Run the command line, or say in one sentence how to install it."""
    try:
        import_module("rich")  # some versions of typer would do without; what we print would not
        from smixup.app.cli.main import app

        app()
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("smixup"):
            raise
        sys.exit(f"smixup: {missing_package(error.name, 'lab', 'the command line')}")


if __name__ == "__main__":
    main()
