"""The Python of functions: its syntax tree, checked without running it."""

from __future__ import annotations

import ast
import keyword
import textwrap
from collections.abc import Sequence
from types import CodeType

BODY = "handler"
"""The name of the function that is made of a body without a handler."""


def file_name(function: str) -> str:
    """The name of the file that tracebacks have for the code of a function."""
    return f"<function {function}>"


def compiled(code: str, handler: str | None, parameters: Sequence[str], function: str) -> CodeType:
    """A module with the handler of a function; without a handler the code is the body of one, called BODY.

    Lines are those of `code`. Raises SyntaxError, ValueError for a NUL.
    """
    return compile(syntax_tree(code, handler, parameters, function), file_name(function), "exec")


def syntax_tree(code: str, handler: str | None, parameters: Sequence[str], function: str) -> ast.Module:
    """The tree of what `compiled` compiles. Raises SyntaxError, ValueError, and RecursionError for deep nesting."""
    try:
        tree = ast.parse(_dedented(code), file_name(function))
    except MemoryError:
        # What Python raises where its parser's stack is full.
        raise RecursionError from None
    if handler is not None:
        return tree
    module = ast.parse(f"def {BODY}({', '.join(parameters)}): pass")
    (definition,) = module.body
    assert isinstance(definition, ast.FunctionDef)
    definition.body = tree.body or definition.body
    return module


def handler_problem(code: str, handler: str, function: str, *, is_table: bool) -> str:
    """The reason why the code has no such handler; "" where it has one, or may have one. Raises SyntaxError."""
    tree = syntax_tree(code, handler, (), function)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    found = next((node for node in reversed(tree.body) if isinstance(node, kinds) and node.name == handler), None)
    if found is None:
        return "" if handler in _bound_names(tree) else f"its code defines no {handler}"
    if is_table:
        return _class_problem(found, handler)
    return f"{handler} is a class, and a value comes from a function" if isinstance(found, ast.ClassDef) else ""


def _class_problem(found: ast.stmt, handler: str) -> str:
    if not isinstance(found, ast.ClassDef):
        return f"{handler} is no class"
    methods = {node.name for node in found.body if isinstance(node, ast.FunctionDef)}
    return "" if "eval" in methods or found.bases else f"the class {handler} has no method eval"


def _bound_names(tree: ast.Module) -> set[str]:
    """Names that assignments and imports bind."""
    stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    aliases = (node for node in ast.walk(tree) if isinstance(node, ast.alias))
    return stored | {alias.asname or alias.name for alias in aliases}


def is_python_name(name: str) -> bool:
    """Whether a parameter of this name can be a variable of Python."""
    return name.isidentifier() and not keyword.iskeyword(name)


def _dedented(code: str) -> str:
    """The code without its common indentation; its first line may stand beside the opening `$$`."""
    first, newline, rest = code.partition("\n")
    if not first.strip():
        return newline + textwrap.dedent(rest)
    # The lines below the first may belong to it: class F: …
    whole = first.lstrip() + newline + rest
    return whole if _is_python(whole) else first.lstrip() + newline + textwrap.dedent(rest)


def _is_python(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError):
        return False
    return True
