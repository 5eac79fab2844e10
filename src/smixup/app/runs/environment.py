"""Until all rooms have moved: see `run`."""

from smixup.app.runs.run import commit as commit
from smixup.app.runs.run import installed as installed
from smixup.app.runs.run import versions as versions
