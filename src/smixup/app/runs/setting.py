"""Until all rooms have moved: see `registry`."""

from smixup.app.runs.registry import Setting as Setting
from smixup.app.runs.registry import settings_of as settings_of
