"""Where error classes live: one home for each. What one family of statements raises is in errors/statements/."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import deltasql

PACKAGE = Path(deltasql.__file__).parent
ERRORS = PACKAGE / "base" / "errors"
OF_STATEMENTS = Path("statements")
"""Its folder for errors of one family."""
STATEMENTS = PACKAGE / "statements"
MOST_LINES = 800

TWINS = {
    "DELTA_CLONE_UNSUPPORTED_SOURCE": "what has no files to clone, or a folder that is to be named otherwise",
    "DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME": "of CONVERT, which can name them, or of CLONE",
    "COPY_INTO_CREDENTIALS_NOT_ALLOWED_ON": "keys of a credential, or the name of one",
    "COPY_INTO_FEATURE_INCOMPATIBLE_SETTING": "files whose columns have names, or a column that the table computes",
    "COPY_INTO_SOURCE_FILE_FORMAT_NOT_SUPPORTED": "a format, or the folder of a table",
    "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE": "of a table that is there, or of a clone, which takes its source's",
    "DELTA_FILE_NOT_FOUND": "what is lost, a data file or a vector, and whether its table is known",
    "DELTA_INVALID_LOG_JSON": "the file that is damaged, with its own advice",
    "DELTA_METADATA_CHANGED": "another schema, or another table in its place",
    "DELTA_METADATA_MISMATCH.SCHEMA_MISMATCH": "a column too many, or a value for a VOID one",
    "UNSUPPORTED_DATATYPE": "a word that is no type, or COLLATE behind a type other than STRING",
    "DELTA_CONSTRAINT_DOES_NOT_EXIST": "by its name, or as the key that it is",
    "DELTA_CONSTRAINT_ALREADY_EXISTS": "a name that the table has, or that the statement has twice",
    "DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED": "in a condition, or in a value that others are computed from",
    "DELTA_TABLE_ONLY_OPERATION": "a format of CREATE TABLE, or a statement on a table of another format",
    "UNSUPPORTED_FEATURE.TABLE_OPERATION": "a clause of a table of another format, or UNIQUE",
    "DELTA_OPERATION_NOT_ALLOWED": "Delta's one condition for whatever is not supported",
    "DELTA_UNIVERSAL_FORMAT_CONVERSION_FAILED": "what is logged, and why",
    "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP": "to another type, or of something that has nothing but a type",
    "DELTA_UNSUPPORTED_DATA_TYPES": "in a new schema, in a log, in a name of a type, or a collation",
    "DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS": "of a stream, or of a view",
    "EXPECT_PERMANENT_VIEW_NOT_TEMP": "SHOW CREATE TABLE, or ALTER VIEW",
    "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE": "SHOW PARTITIONS, or any statement",
    "INVALID_PARAMETER_VALUE": "all arguments, or one",
    "INVALID_TEMP_OBJ_REFERENCE": "what a text that lasts names, or what stands there for a version",
    "PARSE_SYNTAX_ERROR": "text that is no statement, or clauses that do not go together",
    "TABLE_OR_VIEW_NOT_FOUND": "a table, or a view",
    "UNBOUND_SQL_PARAMETER": "a value that is passed to session.sql, or behind USING",
    "TABLE_OR_VIEW_ALREADY_EXISTS": "a table, or a view, that is to have the name",
}
"""Conditions that several unrelated classes share → what tells these apart."""


class Error(NamedTuple):
    """A class of errors/: `file` is told from there, `condition` is its name, None where it differs per instance."""

    name: str
    file: Path
    bases: frozenset[str]
    condition: str | None


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def declared() -> Iterator[Error]:
    for path in sorted(ERRORS.rglob("*.py")):
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef) and node.name.endswith("Error"):
                bases = frozenset(ast.unparse(base) for base in node.bases)
                yield Error(node.name, path.relative_to(ERRORS), bases, _condition(node))


def _condition(node: ast.ClassDef) -> str | None:
    for call in node.decorator_list:
        if isinstance(call, ast.Call) and isinstance(call.args[0], ast.Constant):
            return str(call.args[0].value)
    return None


ALL = tuple(declared())


def users() -> dict[str, set[Path]]:
    """The modules outside of errors/ that name each class in code: to raise it, or to catch it."""
    names, found = {error.name for error in ALL}, defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        if ERRORS not in path.parents:
            for node in ast.walk(parsed(path)):
                if isinstance(node, ast.Name) and node.id in names:
                    found[node.id].add(path)
    return found


def test_no_two_classes_have_one_name() -> None:
    twice = [name for name, number in Counter(error.name for error in ALL).items() if number > 1]
    assert not twice, f"catching one of these misses the other: keep one, in the file of its family: {twice}"


def test_no_two_classes_say_the_same() -> None:
    """Classes of one condition are related, so that a caller can catch both, or TWINS says what tells them apart."""
    by_condition = defaultdict(list)
    for error in ALL:
        if error.condition is not None:
            by_condition[error.condition].append(error)
    shared = {name for name, errors in by_condition.items() if not _related(errors)}
    new, gone = sorted(shared - set(TWINS)), sorted(set(TWINS) - shared)
    assert not new, f"merge the classes of each condition, or say in TWINS what tells them apart: {new}"
    assert not gone, f"take out of TWINS: {gone}"


def _related(errors: list[Error]) -> bool:
    """True if all descend from the first by way of each other."""
    return all(error.bases & {other.name for other in errors} for error in errors[1:])


def test_every_class_is_used() -> None:
    used, bases = users(), {base for error in ALL for base in error.bases}
    dead = [f"errors/{error.file} {error.name}" for error in ALL if error.name not in {*used, *bases}]
    assert not dead, "nothing raises these: delete them\n" + "\n".join(dead)


@pytest.mark.parametrize("path", sorted(ERRORS.rglob("*.py")), ids=lambda path: path.relative_to(ERRORS).as_posix())
def test_files_are_short(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= MOST_LINES, f"{path.name} has {lines} lines: split it along the families of statements/"


def test_classes_are_written_down() -> None:
    """A class made by type() is found by no search, no type checker and no reader."""
    made = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in ERRORS.rglob("*.py")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call)
        and (ast.unparse(node.func) == "globals" or (ast.unparse(node.func) == "type" and len(node.args) > 1))
    ]
    assert not made, f"write these classes out, or make one class with a field: {made}"
