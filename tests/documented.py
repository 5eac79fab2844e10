"""The fenced blocks of README.md, CONTRIBUTING.md and docs, and the commands in them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import typer

from smixup.app.cli.main import app

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^( *)```(\S*)[^\n]*\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
SHELL = ("sh", "bash")
COMMENT = re.compile(r"(?:^|\s+)#.*")


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        document: its file.
        number: counted from 0 in its file.
        language: behind the fence.
        text: what it holds.
    """

    document: str
    number: int
    language: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.document}#{self.number}"

    def commands(self) -> Iterator[str]:
        """Yield the lines without comments, one that goes on in the next as one."""
        for line in self.text.replace("\\\n", " ").splitlines():
            if found := " ".join(COMMENT.sub("", line).split()):
                yield found


@cache
def blocks() -> list[Block]:
    """Return all blocks, but for directives of Sphinx."""
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    found = []
    for file in files:
        document = file.relative_to(ROOT).as_posix()
        fenced = BLOCK.findall(file.read_text(encoding="utf-8"))
        found += [Block(document, n, kind, text) for n, (_, kind, text) in enumerate(fenced)]
    return [block for block in found if not block.language.startswith("{")]


def is_shell(block: Block) -> bool:
    """Tell whether a block holds commands."""
    return block.language in SHELL


def commands() -> dict[str, list[str]]:
    """Return every command with the documents that name it."""
    found: dict[str, list[str]] = {}
    for block in filter(is_shell, blocks()):
        for command in block.commands():
            found.setdefault(command, []).append(block.document)
    return found


def understood(command: str) -> None:
    """Fail unless a `smixup` command has verbs and options that there are; nothing is run."""
    verb, words = typer.main.get_command(app), words_of(command)
    context = verb.make_context("smixup", [*words], resilient_parsing=True)
    while hasattr(verb, "resolve_command"):
        name, verb, words = verb.resolve_command(context, words)
        leaf = not hasattr(verb, "resolve_command")
        context = verb.make_context(name, [*words], parent=context, resilient_parsing=not leaf)


def words_of(command: str) -> list[str]:
    """Return the arguments of a `smixup` command; what it is written to stays out."""
    words = shlex.split(command)
    return words[1 : words.index(">") if ">" in words else None]
