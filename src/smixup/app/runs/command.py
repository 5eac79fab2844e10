"""Until all rooms have moved: see `config`."""

from smixup.app.runs.config import train_command as train_command
