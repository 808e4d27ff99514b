"""Words of the package: names of classes and functions, and docstrings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.source_trees import PACKAGE, ROOT, refuse, trees

SAME_NAMES = {
    "Connection": "PEP 249's name, in dbapi and in the surface of the Databricks connector on it",
    "Cursor": "PEP 249's name, in dbapi and in the surface of the Databricks connector on it",
}
"""Public classes of two modules that have one name, with the reason."""


def test_public_classes_have_names_of_their_own() -> None:
    found: dict[str, list[str]] = {}
    for file, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(file)
    twice = {name: files for name, files in found.items() if len(files) > 1}
    refuse([f"{name} is in {' and in '.join(files)}" for name, files in twice.items() if name not in SAME_NAMES])
    refuse([f"{name} stands once: take it out of SAME_NAMES" for name in SAME_NAMES.keys() - twice.keys()])


RIDDLES = ("What", "That", "Who", "Whose", "The same")
"""Docstrings do not begin with these words: a sentence names its subject in the terms of the glossary."""


def test_docstrings_name_their_subject() -> None:
    refuse(
        [
            f"{file}:{line}: {text.splitlines()[0]}"
            for file, tree in trees().items()
            for line, text in _docstrings(tree)
            if text.startswith(tuple(f"{word} " for word in RIDDLES))
        ]
    )


def _docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The docstrings of a module, with their lines, also those below constants and attributes."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        held = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        for before, item in zip([None, *body], body, strict=False):
            match item:
                case ast.Expr(value=ast.Constant(value=str(text))) if isinstance(
                    before, (ast.Assign, ast.AnnAssign)
                ) or (held and before is None):
                    yield item.lineno, text.strip()


def test_public_names_are_those_of_the_glossary() -> None:
    """Words of the last column of its table are in no public name of a module."""
    table = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    banned = {word for row in re.findall(r"\|([^|]*)\|\n", table) for word in re.findall(r"[a-z]+", row)}
    banned.remove("not")  # the head of the column
    assert {"here", "place"} <= banned
    refuse(
        [
            f"{file}: {node.name} (see docs/glossary.md)"
            for file, tree in trees().items()
            for node in tree.body
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_")
            if banned & {part.lower() for part in re.findall(r"[A-Z]?[a-z]+", node.name)}
            and node.name not in OTHER_SENSE
        ]
    )


OTHER_SENSE = {
    "InPlaceCommit": "files are committed in place: nothing is renamed",
    "in_place_commit": "files are committed in place: nothing is renamed",
    "ViewInPlaceOfTableError": "a view where a table is needed",
    "ViewInPlaceError": "a view where a table is needed",
    "VariablePlaceError": "where a declaration may stand in a script",
    "ConditionPlaceError": "where a declaration may stand in a script",
    "CursorPlaceError": "where a declaration may stand in a script",
    "HandlerPlaceError": "where a declaration may stand in a script",
}
"""Public names with a word of the glossary's last column in another sense, with that sense."""


def test_each_folder_says_what_belongs_there_and_what_does_not() -> None:
    wrong = []
    for folder in sorted({path.parent for path in PACKAGE.rglob("*.py")}):
        package = folder / "__init__.py"
        text = ast.get_docstring(ast.parse(package.read_text(encoding="utf-8"))) if package.exists() else None
        if len(re.findall(r"\.(?=\s|$)", text or "")) < 2:
            wrong.append(f"{package.relative_to(ROOT)} needs a docstring of two sentences: what it holds, and what not")
    refuse(wrong)
