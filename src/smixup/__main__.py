"""The command `smixup`, also as `python -m smixup`."""

from smixup.app.cli.main import app as main

if __name__ == "__main__":
    main()
