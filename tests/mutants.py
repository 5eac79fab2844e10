"""Changes small things in the code, one at a time, and counts which of them the tests notice.

```sh
python tests/mutants.py --sample 120         # a sample of all targets, about half an hour
python tests/mutants.py --only ragged        # all mutants of one module
```

A mutant is one changed comparison, sign, constant, word or statement; it is killed if a mirrored
test fails or does not end. Survivors are printed with their line. The score is the share that is
killed.
"""

from __future__ import annotations

import argparse
import ast
import importlib.abc
import importlib.util
import os
import random
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]
SOURCE, TESTS = ROOT / "src" / "smixup", ROOT / "tests"
GRAPHS = ("graphs", "sparse", "operator", "blocks", "padding", "ragged", "targets")
TARGETS = (
    *(f"graphs/{name}" for name in GRAPHS),
    *("augment/mixing", "augment/transport"),
    *("matching/assignment", "matching/normalization", "matching/rounding"),
    "lab/sweeps/store",
)
SECONDS = 300
SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
RENAMED = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum"}


@dataclass(frozen=True)
class Mutant:
    """One change: `number` counts the places of a module where there is something to change."""

    target: str
    number: int
    line: int
    text: str


def places(tree: ast.Module) -> Iterator[tuple[ast.AST, Callable[[], str]]]:
    """Yield every node that can be changed, and the function that changes it and says how."""
    for node in _code(tree):
        if isinstance(node, ast.Compare | ast.BinOp | ast.BoolOp):
            yield from _operators(node)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
            yield node, _set(node, "op", ast.UAdd() if not isinstance(node.op, ast.Not) else None)
        elif isinstance(node, ast.Constant) and type(node.value) in (bool, int, float):
            yield node, _set(node, "value", _other(node.value))
        elif isinstance(node, ast.Name) and node.id in RENAMED:
            yield node, _set(node, "id", RENAMED[node.id])
        elif isinstance(node, ast.Attribute) and node.attr in RENAMED:
            yield node, _set(node, "attr", RENAMED[node.attr])
        elif isinstance(node, ast.Expr | ast.AugAssign) and not _is_text(node):
            yield node, _gone(node)
        elif isinstance(node, ast.If):
            yield node, _set(node, "test", ast.Constant(False))


def _code(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the nodes inside functions, but for annotations, defaults, decorators and errors."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            waiting: list[ast.AST] = [*function.body]
            while waiting:
                node = waiting.pop(0)
                if isinstance(node, ast.FunctionDef | ast.Raise | ast.Assert | ast.JoinedStr):
                    continue
                yield node
                skipped = [node.annotation] if isinstance(node, ast.AnnAssign) else []
                waiting += [each for each in ast.iter_child_nodes(node) if each not in skipped]


def _operators(
    node: ast.Compare | ast.BinOp | ast.BoolOp,
) -> Iterator[tuple[ast.AST, Callable[[], str]]]:
    if isinstance(node, ast.Compare):
        if type(node.ops[0]) in SWAPPED:
            yield node, _set(node, "ops", [SWAPPED[type(node.ops[0])](), *node.ops[1:]])
    elif type(node.op) in SWAPPED:
        yield node, _set(node, "op", SWAPPED[type(node.op)]())


def _other(value: bool | float) -> bool | float:
    if isinstance(value, bool):
        return not value
    return value - 1 if value else 1


def _set(node: ast.AST, field: str, value: object) -> Callable[[], str]:
    def change() -> str:
        before = ast.unparse(node)
        if value is None:  # `not x` becomes `not not x`
            assert isinstance(node, ast.UnaryOp)
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
        else:
            setattr(node, field, value)
        return f"{before.splitlines()[0]}  ->  {ast.unparse(node).splitlines()[0]}"

    return change


def _gone(node: ast.Expr | ast.AugAssign) -> Callable[[], str]:
    def change() -> str:
        before = ast.unparse(node)
        if isinstance(node, ast.Expr):
            node.value = ast.Constant(None)
        else:
            node.value, node.op = ast.Constant(0), ast.Add()
        return f"{before.splitlines()[0]}  ->  nothing"

    return change


def _is_text(node: ast.Expr | ast.AugAssign) -> bool:
    return isinstance(node.value, ast.Constant) and isinstance(node, ast.Expr)


def mutated(target: str, number: int) -> tuple[ast.Module, int, str]:
    """Return a module with one change, its line, and the change in words."""
    tree = ast.parse((SOURCE / f"{target}.py").read_text(encoding="utf-8"))
    node, change = list(places(tree))[number]
    line = getattr(node, "lineno", 0)
    text = change()
    return ast.fix_missing_locations(tree), line, text


def mutants(target: str) -> list[Mutant]:
    """Return all mutants of a module."""
    number = len(list(places(ast.parse((SOURCE / f"{target}.py").read_text(encoding="utf-8")))))
    return [Mutant(target, each, *mutated(target, each)[1:]) for each in range(number)]


class Instead(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports a mutant in the place of its module."""

    def __init__(self, mutant: Mutant) -> None:
        self.name = "smixup." + mutant.target.replace("/", ".")
        self.path = str(SOURCE / f"{mutant.target}.py")
        self.code = compile(mutated(mutant.target, mutant.number)[0], self.path, "exec")

    def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code, vars(module))


def is_killed(mutant: Mutant) -> bool:
    """Run the mirrored tests on a mutant in a process of its own."""
    child = os.fork()
    if not child:
        os._exit(_judged(mutant))
    return os.waitpid(child, 0)[1] != 0


def _judged(mutant: Mutant) -> int:
    import pytest

    os.setpgrp()
    signal.alarm(SECONDS)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    sys.meta_path.insert(0, Instead(mutant))
    folder, _, name = mutant.target.rpartition("/")
    test = TESTS / folder / f"test_{name}.py"
    options = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not slow and not ray and not browser"]
    return int(pytest.main([str(test), *options]))


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Try mutants and print the score."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sample", type=int, default=120, help="how many mutants to try")
    options.add_argument("--only", default="", help="targets whose name holds this")
    options.add_argument("--seed", type=int, default=0, help="of the sample")
    chosen = options.parse_args()
    found = [each for name in TARGETS if chosen.only in name for each in mutants(name)]
    sample = random.Random(chosen.seed).sample(found, min(chosen.sample, len(found)))
    for package in ("torch", "torch_geometric", "pytest", "scipy.sparse", "networkx"):
        importlib.import_module(package)  # once, for all processes
    killed = 0
    for done, mutant in enumerate(sample, 1):
        dead = is_killed(mutant)
        killed += dead
        verdict = "killed  " if dead else "SURVIVED"
        say(f"{done:4} {verdict} {mutant.target}:{mutant.line}  {mutant.text}")
    say(f"{killed} of {len(sample)} killed ({killed / len(sample):.0%}), of {len(found)} mutants")


if __name__ == "__main__":
    main()
