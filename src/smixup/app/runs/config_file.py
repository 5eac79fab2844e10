"""Until all rooms have moved: see `config`."""

from smixup.app.runs.config import prevailing as prevailing
from smixup.app.runs.config import read_settings as read_settings
