"""What the reader of the command line refuses, in one line like every other error."""

from __future__ import annotations

from typing import Any

PARSED = "Input should be "


def says_itself(error: Exception) -> bool:
    """Tell whether an error is one of the reader of options, such as a name that it does not know;
    a group without a verb answers with its help instead.
    """
    return hasattr(error, "format_message") and type(error).__name__ != "NoArgsIsHelpError"


def in_one_line(error: Any) -> str:
    """Return what is wrong, and the command that tells what is allowed."""
    words = " ".join(str(error.format_message()).split()).rstrip(".")
    if PARSED in words:  # Invalid value for '--seeds': Input should be ..., unable to parse ...
        words = words.partition(", unable to parse")[0].replace(PARSED, "it should be ")
    end = "" if words.endswith("?") else "."
    told = f"{words[:1].lower()}{words[1:]}{end}"
    return f"{told} `{command_of(error.ctx)} -h` tells what is allowed."


def command_of(context: Any) -> str:
    """Return the command as one types it, however the program was started."""
    names: list[str] = []
    while context is not None and context.parent is not None:
        names.insert(0, str(context.info_name))
        context = context.parent
    return " ".join(["smixup", *names])
