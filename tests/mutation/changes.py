"""Small changes of code, one at a time: a comparison, a sign, a constant, a word or a statement.

```python
for mutant in mutants("graphs/ragged"):
    print(mutant.line, mutant.text)          # 41 n < 0  ->  n <= 0
```
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "smixup"
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
    """One change.

    Attributes:
        target: the module, as a path below the package.
        number: of the place among those of the module where there is something to change.
        line: where it begins.
        last: where it ends.
        text: what was there, and what is there instead.
    """

    target: str
    number: int
    line: int
    last: int
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


def source_of(target: str) -> Path:
    """Return the file of a module."""
    return SOURCE / f"{target}.py"


def mutated(target: str, number: int) -> tuple[ast.Module, Mutant]:
    """Return a module with one change, and what that is."""
    tree = ast.parse(source_of(target).read_text(encoding="utf-8"))
    node, change = list(places(tree))[number]
    shown = node.test if isinstance(node, ast.If) else node
    lines = getattr(shown, "lineno", 0), getattr(shown, "end_lineno", None) or 0
    mutant = Mutant(target, number, *lines, change())
    return ast.fix_missing_locations(tree), mutant


def mutants(target: str) -> list[Mutant]:
    """Return all mutants of a module."""
    tree = ast.parse(source_of(target).read_text(encoding="utf-8"))
    return [mutated(target, number)[1] for number, _ in enumerate(places(tree))]
