"""The table of conditions: rows are complete and used, its stub is current, and one condition has related classes."""

from __future__ import annotations

import ast
import json
import string
from collections import Counter, defaultdict
from pathlib import Path

import pytest

import deltasql
from deltasql.base import errors
from deltasql.base.errors import conditions
from deltasql.base.stubs import stubs

PACKAGE = Path(deltasql.__file__).parent
ERRORS = PACKAGE / "base" / "errors"

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
    "DELTA_OPERATION_NOT_ALLOWED": "Delta's one condition for whatever is not supported",
    "DELTA_UNIVERSAL_FORMAT_CONVERSION_FAILED": "what is logged, and why",
    "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP": "to another type, or of something that has nothing but a type",
    "DELTA_UNSUPPORTED_DATA_TYPES": "in a new schema, in a log, in a name of a type, or a collation",
    "DELTA_ZORDERING_ON_COLUMN_WITHOUT_STATS": "no statistics of a column, or no order of its values",
    "DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS": "of a stream, or of a view",
    "EXPECT_PERMANENT_VIEW_NOT_TEMP": "SHOW CREATE TABLE, or ALTER VIEW",
    "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE": "SHOW PARTITIONS, or any statement",
    "INVALID_PARAMETER_VALUE": "all arguments, or one",
    "INVALID_TEMP_OBJ_REFERENCE": "what a text that lasts names, or what stands there for a version",
    "PARSE_SYNTAX_ERROR": "text that is no statement, or clauses that do not go together",
    "INVALID_SQL_SYNTAX.CREATE_ROUTINE_WITH_IF_NOT_EXISTS_AND_REPLACE": "a function, or a procedure",
    "ROUTINE_ALREADY_EXISTS": "a function, a procedure, or one that has the name of the other",
    "ROUTINE_NOT_FOUND": "a function, or a procedure",
    "TRANSACTION_NOT_SUPPORTED.IN_ATOMIC_BLOCK": "a statement about transactions, or CALL",
    "TABLE_OR_VIEW_NOT_FOUND": "a table, or a view",
    "UNRESOLVED_COLUMN.WITH_SUGGESTION": "a column, or a measure",
    "UNBOUND_SQL_PARAMETER": "a value that is passed to session.sql, or behind USING",
    "TABLE_OR_VIEW_ALREADY_EXISTS": "a table, or a view, that is to have the name",
}
"""Conditions that several unrelated classes share → what tells these apart."""


def test_no_two_classes_have_one_name() -> None:
    families = json.loads((ERRORS / "conditions.json").read_text(encoding="utf-8")).values()
    twice = [name for name, number in Counter(name for family in families for name in family).items() if number > 1]
    assert not twice, f"a class is looked up by its name alone: {twice}"
    assert len(conditions.names()) == len(set(conditions.names()))


def test_no_two_classes_say_the_same() -> None:
    """Classes of one condition are related, so that a caller can catch both, or TWINS says what tells them apart."""
    by_condition = defaultdict(list)
    for kind in (getattr(errors, name) for name in conditions.names()):
        if kind.template:
            by_condition[kind.condition].append(kind)
    shared = {name for name, kinds in by_condition.items() if not _related(kinds)}
    new, gone = sorted(shared - set(TWINS)), sorted(set(TWINS) - shared)
    assert not new, f"merge the classes of each condition, or say in TWINS what tells them apart: {new}"
    assert not gone, f"take out of TWINS: {gone}"


def _related(kinds: list[type[errors.DeltaSqlError]]) -> bool:
    return any(all(issubclass(kind, other) for kind in kinds) for other in kinds)


def test_every_row_is_used() -> None:
    used = set()
    for path in PACKAGE.rglob("*.py"):
        if path.parent != ERRORS or path.name == "written.py":
            tree = ast.parse(path.read_text(encoding="utf-8"))
            used |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
            used |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    bases = {row.get("base") for row in conditions.rows().values()}
    dead = sorted(conditions.rows().keys() - used - bases)
    assert not dead, f"nothing raises these: delete their rows: {dead}"


def test_messages_have_their_fields() -> None:
    """A field without a place in the message would be lost, and a place without a field is a KeyError in a refusal."""
    for name in conditions.rows():
        kind = getattr(errors, name)
        places = {part.split(":")[0] for _, part, _, _ in string.Formatter().parse(kind.template) if part}
        fields = {item for base in kind.__mro__ for item in vars(base).get("__annotations__", {})}
        assert places <= fields, f"{name}: the message has {sorted(places - fields)}"


def test_a_class_is_made_once() -> None:
    assert errors.TableNotFoundError is deltasql.errors.TableNotFoundError
    assert errors.TableNotFoundError.__module__ == "deltasql.base.errors"


def test_other_names_are_refused() -> None:
    for name in ("NoSuchError", "_Hidden", "DuplicatePlace"):
        with pytest.raises(AttributeError, match=name):
            getattr(errors, name)


def test_stubs_are_current() -> None:
    old = [str(path) for path, text in stubs() if not path.exists() or path.read_text(encoding="utf-8") != text]
    assert not old, f"run: python -m deltasql.base.stubs, for {old}"
