"""Every sentence with which the package refuses something, found in its source.

A message is a literal, an f-string, or one of the functions of `smixup.errors` that write common
sentences. What is filled in when it is raised is shown as ‹name›.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from smixup.errors import SmixupError, require_number

BASE = "SmixupError"
USAGE = "UsageError"
ANYTHING = "…"
FAR = (-(10**18), 10**18)
SLUG_WORDS = 9
FEWEST_WORDS = 2
GAPS = re.compile("‹[^›]*›|…")
CODE = re.compile("(`[^`]+`)")


@dataclass(frozen=True)
class Message:
    """One sentence.

    Attributes:
        text: with ‹name› where something is filled in.
        module: the file it comes from, relative to the package.
        usage: whether it is wrong use, which ends with code 2, or work that failed.
    """

    text: str
    module: str
    usage: bool

    @property
    def package(self) -> str:
        """The package that it comes from, two levels deep in the laboratory."""
        parts = self.module.split("/")[:-1]
        return ".".join(["smixup", *parts[: 2 if parts[:1] == ["lab"] else 1]])


@dataclass(frozen=True)
class Source:
    """One file, with what its messages are looked up in."""

    module: str
    tree: ast.Module
    errors: frozenset[str]
    usages: frozenset[str]
    constants: Mapping[str, str]

    def messages(self) -> Iterator[Message]:
        """Yield the messages of all calls that make an error, in the order of the file."""
        calls = [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)]
        for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
            name = _called(call)
            if name in self.errors and call.args:
                usage = name in self.usages
                yield from (Message(text, self.module, usage) for text in self._texts(call.args[0]))
            elif name in COMMON and self.module != "errors.py":
                yield from (Message(text, self.module, True) for text in COMMON[name](call))

    def _texts(self, node: ast.expr) -> Iterator[str]:
        """Yield what an expression may say: both sides of a choice, all returns of a function."""
        if isinstance(node, ast.IfExp):
            yield from self._texts(node.body)
            yield from self._texts(node.orelse)
        elif isinstance(node, ast.Call):
            yield from self._returned(_called(node))
        elif (text := pattern(node)) != ANYTHING:
            yield self._with_constants(text)

    def _with_constants(self, text: str) -> str:
        """Return a text in which constants are what they are."""
        for name, value in self.constants.items():
            text = text.replace(gap(name), value)
        return text

    def _returned(self, function: str) -> Iterator[str]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef) and node.name == function:
                returns = (each for each in ast.walk(node) if isinstance(each, ast.Return))
                yield from (pattern(each.value) for each in returns if each.value is not None)


def pattern(node: ast.expr | None) -> str:
    """Return an expression as text: what is filled in becomes ‹name›."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(
            pattern(part) if isinstance(part, ast.Constant) else filled_in(part)
            for part in node.values
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return pattern(node.left) + pattern(node.right)
    return ANYTHING


def filled_in(part: ast.expr) -> str:
    """Return what stands in a gap, by the name that the source gives it."""
    value = part.value if isinstance(part, ast.FormattedValue) else part
    if isinstance(value, ast.Name):
        return gap(value.id)
    if isinstance(value, ast.Attribute):
        return gap(value.attr)
    if isinstance(value, ast.Call) and _called(value) == "len":
        return "‹number›"
    return ANYTHING


def gap(name: str) -> str:
    """Return what stands for something that is filled in."""
    return f"‹{name.strip('_').replace('_', ' ')}›"


def constants(tree: ast.Module) -> dict[str, str]:
    """Return the plain values that a file gives to names, as messages show them."""
    given = (node for node in tree.body if isinstance(node, ast.Assign))
    pairs = (pair for node in given for pair in _assigned(node.targets[0], node.value))
    return {
        name.id: str(value.value)
        for name, value in pairs
        if isinstance(name, ast.Name) and isinstance(value, ast.Constant)
    }


def _assigned(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield which expression each name gets, of one or of several."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        yield from zip(target.elts, value.elts, strict=True)
    else:
        yield target, value


def taken(tree: ast.Module, known: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the constants that a file takes from others of the package.

    Args:
        tree: the file.
        known: the constants of every file.
    """
    found: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            theirs = known.get(node.module.removeprefix("smixup.").replace(".", "/") + ".py", {})
            found |= {each.name: theirs[each.name] for each in node.names if each.name in theirs}
    return found


def _called(call: ast.Call) -> str:
    function = call.func
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def _argument(call: ast.Call, place: int) -> str:
    node = call.args[place] if place < len(call.args) else None
    return (
        pattern(node)
        if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp)
        else (filled_in(node) if node is not None else ANYTHING)
    )


def of_unknown_name(call: ast.Call) -> Iterator[str]:
    """Yield the sentence of `unknown_name`."""
    yield f"unknown {_argument(call, 0)} ‹name›. Did you mean {ANYTHING}? Known: {ANYTHING}."


def of_require(call: ast.Call) -> Iterator[str]:
    """Yield the sentence of `require`; methods of the same name have fewer arguments."""
    if len(call.args) == 4:
        yield f"{_argument(call, 1)} must be {_argument(call, 3)}, not ‹value›."


def of_require_number(call: ast.Call) -> Iterator[str]:
    """Yield the sentences of `require_number`: for what is no number, and for one out of bounds."""
    name = _argument(call, 0)
    try:
        bounds = {each.arg: ast.literal_eval(each.value) for each in call.keywords if each.arg}
    except ValueError:  # a bound that is known when it runs
        yield f"{name} must be {ANYTHING}, not ‹value›."
        return
    for value in (float("nan"), *FAR):
        try:
            require_number(name, value, **bounds)
        except SmixupError as error:
            yield str(error).replace(repr(value), "‹value›")
            if value in FAR:
                return


COMMON: dict[str, Callable[[ast.Call], Iterator[str]]] = {
    "unknown_name": of_unknown_name,
    "require": of_require,
    "require_number": of_require_number,
}


def subclasses(trees: Sequence[ast.Module], base: str) -> frozenset[str]:
    """Return the names of all classes that are derived from one, and of itself."""
    found = {base}
    while True:
        more = {
            node.name
            for tree in trees
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
            and any(getattr(each, "id", "") in found for each in node.bases)
        }
        if more <= found:
            return frozenset(found)
        found |= more


def all_messages(package: Path) -> list[Message]:
    """Return all messages of a package, each once per file, in the order of files and lines."""
    trees = {
        path.relative_to(package).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(package.rglob("*.py"))
    }
    every = list(trees.values())
    errors, usages = subclasses(every, BASE), subclasses(every, USAGE)
    known = {module: constants(tree) for module, tree in trees.items()}
    sources = (
        Source(module, tree, errors, usages, taken(tree, known) | known[module])
        for module, tree in trees.items()
    )
    found = dict.fromkeys(message for source in sources for message in source.messages())
    return [message for message in found if has_words(message.text)]


def has_words(text: str) -> bool:
    """Tell whether a reader could look for a message: two words of it are known."""
    return len(re.findall(r"[A-Za-z]{2,}", GAPS.sub(" ", text))) >= FEWEST_WORDS


def anchors(texts: Sequence[str]) -> list[str]:
    """Return a name for every text, made of its first words; a second one gets a number."""
    taken: dict[str, int] = {}
    found = []
    for text in texts:
        words = re.findall(r"[a-z0-9]+", text.lower())
        slug = "-".join(words[:SLUG_WORDS]) or "message"
        taken[slug] = taken.get(slug, 0) + 1
        found.append(slug if taken[slug] == 1 else f"{slug}-{taken[slug]}")
    return found


def page(package: Path, ranges: Sequence[Message] = ()) -> str:
    """Return all messages in Markdown, under a heading for every package.

    Args:
        package: the folder of the source.
        ranges: sentences about numbers outside their range. Many fields share a name and a range:
            each sentence stands once, with all its files.
    """
    messages = sorted(all_messages(package), key=lambda each: each.package)
    told: dict[str, list[str]] = {}
    for each in ranges:
        told.setdefault(each.text, []).append(each.module)
    names = iter(anchors([each.text for each in messages] + list(told)))
    parts: list[str] = []
    for place, group in groupby(messages, key=lambda each: each.package):
        parts.append(f"\n## {place}\n\n")
        parts += [_line(each.text, [each.module], next(names)) for each in group]
    if told:
        parts.append("\n## Numbers outside their range\n\n")
    parts += [_line(text, modules, next(names)) for text, modules in told.items()]
    return "".join(parts)


def _line(text: str, modules: Sequence[str], anchor: str) -> str:
    """Return a sentence with where it comes from, which is a link to the sentence itself."""
    files = " ".join(f"[`{module}`](#{anchor}){{.where}}" for module in modules)
    return f"- [{_escaped(text)}]{{#{anchor}}} {files}\n"


def _escaped(text: str) -> str:
    """Return text that Markdown shows as it is, and what stands between backquotes as code."""
    parts = CODE.split(" ".join(text.split()))
    return "".join(
        part if CODE.fullmatch(part) else re.sub(r"([\\`*_{}\[\]<>$|#~])", r"\\\1", part)
        for part in parts
    )
