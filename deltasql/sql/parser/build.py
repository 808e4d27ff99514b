"""The parser's entry point, and the builders that turn its trees into statement nodes.

A rule is a list (`x_list`), or a function is registered for it by `builds`, or it has the name of a node in its
family's module of deltasql.statements, whose fields are then the rule's children in order.

This module builds the values that all families share: names, flags, numbers, data types with the lengths of CHAR and
VARCHAR, clauses in any order (each at most once), and time travel. Source of types: Spark's names and their synonyms.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import re
from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Any, NamedTuple, NoReturn, TypeVar

from deltasql.base import Caret, closest, errors, skip_blanks
from deltasql.plan import ColumnPath, SqlText, TableName, Temporal
from deltasql.schema import (
    ArrayType,
    DataType,
    DecimalType,
    Length,
    MapType,
    StructField,
    StructType,
    known_systems,
    shape_type,
    types,
)
from deltasql.sql.constants import unquote, unquote_name
from deltasql.sql.expression_types import spelled_collation
from deltasql.sql.parser.automaton import RUNS, Automaton, GrammarToken, NoParseError, Tree, grammar_tables
from deltasql.sql.parser.diagnosis import foreign_form, syntax_error
from deltasql.sql.parser.unsupported import unsupported

Rule = Callable[[list[Any], Tree, str], Any]
_Rule = TypeVar("_Rule", bound=Rule)
_RULES: dict[str, Rule] = {}
_FAMILIES = "deltasql.statements"
"""A package with a module per family of the grammar, loaded by name: statements stand above the parser."""


def builds(*names: str) -> Callable[[_Rule], _Rule]:
    """Decorator: the function makes the value of the rules called `names` from (values of children, tree, text)."""

    def register(function: _Rule) -> _Rule:
        _RULES.update(dict.fromkeys(names, function))
        return function

    return register


def build(tree: Tree | GrammarToken | None, text: str) -> Any:
    """The value of a tree: a node, a part of one, or a Python value for a token."""
    if tree is None:
        return None
    if isinstance(tree, GrammarToken):
        return _token(tree, text)
    children = [build(child, text) for child in tree.children]
    if tree.name.endswith("_list"):
        return tuple(children)
    family = grammar_tables().families[tree.origin]
    rule = _rules(family).get(tree.name)
    if rule is not None:
        return rule(children, tree, text)
    return _nodes(family)[tree.name](*children)


def caret(tree: Tree | GrammarToken, text: str) -> Caret:
    """The place of a tree, for an error."""
    return Caret(text, tree.start, tree.end)


def sql_text(tree: Tree | GrammarToken, text: str) -> SqlText:
    return SqlText(text[tree.start : tree.end], tree.start)


def _token(token: GrammarToken, text: str) -> str | int | SqlText:
    written = text[token.start : token.end]
    if token.name in RUNS:
        return SqlText(written, token.start)
    if token.name == "STRING":
        return unquote(written)
    if token.name == "INTEGER":
        return int(written)
    return unquote_name(written)


@functools.cache
def _rules(family: str) -> dict[str, Rule]:
    """All rules with a function, once those of `family` are loaded; those of shared files, as 10_names, are here."""
    if not family[0].isdecimal() and importlib.util.find_spec(f"{_FAMILIES}.{family}") is not None:
        importlib.import_module(f"{_FAMILIES}.{family}")
    return _RULES


@functools.cache
def _nodes(family: str) -> dict[str, type]:
    """The classes of one family by the snake-case form of their names."""
    module = importlib.import_module(f"{_FAMILIES}.{family}")
    classes = [value for value in vars(module).values() if isinstance(value, type) and is_dataclass(value)]
    return {_snake(node.__name__): node for node in classes}


def _snake(name: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name).lstrip("_")


def read(text: str, start: str) -> Any:
    """The node or type in `text`, read by the rule `start`. Raises EmptyStatementError, ParseSyntaxError, refusals."""
    if text[skip_blanks(text, 0) :].strip("; \t\r\n") == "":
        raise errors.EmptyStatementError
    automaton = Automaton(text, start)
    try:
        tree = automaton.parse()
    except NoParseError as error:
        raise unsupported(text, error.stuck.position) or syntax_error(text, error.stuck) from None
    foreign = foreign_form(text)
    if foreign is not None:
        raise foreign
    return build(tree, text)


_PATH_SUFFIX = re.compile(r"@(?:[vV](\d+)|(\d{17}))$")


@builds("yes")
def _yes(children: list[Any], tree: Tree, text: str) -> bool:
    return True


@builds("no", "by_position")
def _no(children: list[Any], tree: Tree, text: str) -> bool:
    return False


@builds("nothing")
def _nothing(children: list[Any], tree: Tree, text: str) -> None:
    return None


@builds("name", "positive", "table_or_path", "statement", "start")
def _only_child(children: list[Any], tree: Tree, text: str) -> Any:
    return children[0]


@builds("negative")
def _negative(children: list[Any], tree: Tree, text: str) -> int:
    return -int(children[0])


@builds("column_path")
def _column_path(children: list[Any], tree: Tree, text: str) -> ColumnPath:
    return ColumnPath(tuple(children), tree.start, tree.end)


@builds("table_name")
def _table_name(children: list[Any], tree: Tree, text: str) -> TableName:
    *parts, _ = children
    if len(parts) > 3:
        reason = "A table name has at most three parts: catalog.schema.table."
        raise errors.ParseSyntaxError(reason, text[tree.start : tree.end]).at(caret(tree, text))
    suffix = tree.children[-1]
    if suffix is not None:
        return TableName(tuple(parts), tree.start, tree.end, _suffix_temporal(suffix, text))
    if len(parts) == 2 and parts[0].lower() == "delta":
        return _path_table(parts[1], tree, text)
    return TableName(tuple(parts), tree.start, tree.end)


@builds("path_table")
def _string_table(children: list[Any], tree: Tree, text: str) -> TableName:
    return _path_table(children[0], tree, text)


def _suffix_temporal(suffix: GrammarToken, text: str) -> Temporal:
    if suffix.name == "AT_VERSION":
        return Temporal(version=int(text[suffix.start + 2 : suffix.end]))
    return Temporal(timestamp=SqlText(text[suffix.start + 1 : suffix.end], suffix.start + 1))


def _path_table(path: str, tree: Tree, text: str) -> TableName:
    """The table at `path`, whose suffix @v3 or @20240131000000000 says which version."""
    suffix = _PATH_SUFFIX.search(path)
    if suffix is None:
        return TableName(("delta", path), tree.start, tree.end)
    version, timestamp = suffix.groups()
    temporal = Temporal(version=int(version)) if version else None
    if timestamp:
        temporal = Temporal(timestamp=SqlText(timestamp, text.rindex(timestamp, tree.start, tree.end)))
    return TableName(("delta", path[: suffix.start()]), tree.start, tree.end, temporal)


_PLAIN = {
    "BOOLEAN": types.BOOLEAN,
    "TINYINT": types.BYTE,
    "BYTE": types.BYTE,
    "SMALLINT": types.SHORT,
    "SHORT": types.SHORT,
    "INT": types.INTEGER,
    "INTEGER": types.INTEGER,
    "BIGINT": types.LONG,
    "LONG": types.LONG,
    "FLOAT": types.FLOAT,
    "REAL": types.FLOAT,
    "DOUBLE": types.DOUBLE,
    "STRING": types.STRING,
    "BINARY": types.BINARY,
    "DATE": types.DATE,
    "TIMESTAMP": types.TIMESTAMP,
    "TIMESTAMP_LTZ": types.TIMESTAMP,
    "TIMESTAMP_NTZ": types.TIMESTAMP_NTZ,
    "VARIANT": types.VARIANT,
    "VOID": types.VOID,
}
_DECIMALS = frozenset({"DECIMAL", "DEC", "NUMERIC"})
_SIZED_TEXT = {"CHAR": "char", "CHARACTER": "char", "VARCHAR": "varchar"}
_SHAPES = ("GEOMETRY", "GEOGRAPHY")
_SYNONYMS = frozenset({"BYTE", "SHORT", "INTEGER", "LONG", "REAL", "TIMESTAMP_LTZ"})
SUPPORTED = (
    *(name for name in _PLAIN if name not in _SYNONYMS),
    "DECIMAL(p, s)",
    "CHAR(n)",
    "VARCHAR(n)",
    "GEOMETRY(srid)",
    "GEOGRAPHY(4326)",
    "ARRAY<type>",
    "MAP<type, type>",
    "STRUCT<name: type, …>",
)
# What other databases call them.
_ELSEWHERE = {
    **dict.fromkeys(("TEXT", "UUID", "NVARCHAR", "CLOB", "VARCHAR2", "TINYTEXT", "LONGTEXT", "ENUM"), "STRING"),
    **dict.fromkeys(("DATETIME", "TIMESTAMPTZ", "DATETIME2", "SMALLDATETIME"), "TIMESTAMP"),
    **dict.fromkeys(("NUMBER", "MONEY", "BIGNUMERIC"), "DECIMAL(p, s)"),
    **dict.fromkeys(("INT8", "INT64", "SERIAL8"), "BIGINT"),
    **dict.fromkeys(("INT4", "INT32", "MEDIUMINT"), "INT"),
    **dict.fromkeys(("INT2", "INT16"), "SMALLINT"),
    **dict.fromkeys(("FLOAT8", "FLOAT64"), "DOUBLE"),
    **dict.fromkeys(("FLOAT4", "FLOAT32"), "FLOAT"),
    **dict.fromkeys(("BLOB", "BYTEA", "BYTES", "VARBINARY", "IMAGE"), "BINARY"),
    **dict.fromkeys(("JSON", "JSONB", "OBJECT", "SUPER"), "VARIANT"),
    **dict.fromkeys(("SERIAL", "BIGSERIAL"), "BIGINT GENERATED ALWAYS AS IDENTITY"),
    **dict.fromkeys(("BOOL", "BIT"), "BOOLEAN"),
    **dict.fromkeys(("ROW", "RECORD"), "STRUCT<name: type, …>"),
    "LIST": "ARRAY<type>",
    # Types of Spark and Databricks that no table of Delta's protocol has, and what can hold their values.
    "TIME": "STRING or TIMESTAMP_NTZ",
    "INTERVAL": "BIGINT",
    **{name: f"{name}(4326)" for name in _SHAPES},
}
_NESTED_TYPES = ("DECIMAL", "NUMERIC", "CHAR", "VARCHAR", "ARRAY", "MAP", "STRUCT")
TYPE_NAMES = (*_PLAIN, *_NESTED_TYPES)


@builds("named_type")
def _named(children: list[Any], tree: Tree, text: str) -> DataType:
    name, *arguments, collation = children
    upper, sizes = name.upper(), [size for size in arguments if size is not None]
    if collation is not None and (upper != "STRING" or sizes):
        raise errors.CollatedTypeError(_written(upper, sizes)).at(caret(tree, text))
    if collation is not None:
        return types.WRITTEN_BINARY if collation == types.BINARY_COLLATION else types.collated(collation)
    return _atomic(upper, sizes, tree, text)


def _written(name: str, sizes: list[int]) -> str:
    return f"{name}({', '.join(map(str, sizes))})" if sizes else name


def _atomic(upper: str, sizes: list[int], tree: Tree, text: str) -> DataType:
    if upper in _PLAIN and not sizes:
        return _PLAIN[upper]
    if upper in _DECIMALS and len(sizes) <= 2:
        return _decimal(sizes, tree, text)
    if upper in _SIZED_TEXT and len(sizes) == 1:
        return Length(_SIZED_TEXT[upper], sizes[0]).type
    if upper in _SIZED_TEXT and not sizes:
        raise errors.DatatypeMissingSizeError(upper).at(caret(tree, text))
    if upper in _SHAPES and len(sizes) == 1:
        return _shape(upper, sizes[0], tree, text)
    return _unsupported(tree, text)


def _shape(upper: str, srid: int, tree: Tree, text: str) -> DataType:
    kind = shape_type(upper, srid)
    if kind is None:
        raise errors.InvalidSridError(str(srid), upper, known_systems(upper)).at(caret(tree, text))
    return kind


@builds("collation_name")
def _collation(children: list[Any], tree: Tree, text: str) -> str:
    """The collation's name as Spark spells it."""
    try:
        return spelled_collation(children[0])
    except errors.CollationNameError as error:
        raise error.at(caret(tree, text)) from None


def _decimal(sizes: list[int], tree: Tree, text: str) -> DecimalType:
    precision, scale = (*sizes, 0, 0)[:2] if sizes else (10, 0)
    if not 1 <= precision <= 38 or scale > precision:
        raise errors.DecimalPrecisionError(text[tree.start : tree.end].upper()).at(caret(tree, text))
    return DecimalType(precision, scale)


@builds("interval_type")
def _unsupported_rule(children: list[Any], tree: Tree, text: str) -> NoReturn:
    _unsupported(tree, text)


def _unsupported(tree: Tree, text: str) -> NoReturn:
    written = text[tree.start : tree.end].upper()
    raise errors.UnsupportedDatatypeError(written, SUPPORTED, _meant(written)).at(caret(tree, text))


def _meant(written: str) -> str:
    """The type that another database calls so, or the only one that is spelt much like it."""
    name = written.split("(", maxsplit=1)[0].strip()
    if name.split()[:1] == ["INTERVAL"]:
        name = "INTERVAL"
    if name in _ELSEWHERE:
        return _ELSEWHERE[name]
    if name in _PLAIN:
        return name
    return closest(name, TYPE_NAMES)


@builds("array_type")
def _array(children: list[Any], tree: Tree, text: str) -> ArrayType:
    return ArrayType(children[0])


@builds("map_type")
def _map(children: list[Any], tree: Tree, text: str) -> MapType:
    """Values of keys that are equal by a collation would be lost: neither Spark nor Databricks has such maps."""
    if types.has_collations(children[0]):
        raise errors.CollatedKeyError(text[tree.children[0].start : tree.children[0].end]).at(
            caret(tree.children[0], text)
        )
    return MapType(children[0], children[1])


@builds("struct_type")
def _struct(children: list[Any], tree: Tree, text: str) -> StructType:
    return StructType(tuple(children))


@builds("struct_field")
def _field(children: list[Any], tree: Tree, text: str) -> StructField:
    name, data_type, not_null, comment = children
    return StructField(name, data_type, not not_null, {} if comment is None else {"comment": comment})


class Clause(NamedTuple):
    """A clause by the field of the node that it sets."""

    field: str
    value: Any


def collect(clauses: list[Clause], trees: list[Tree], text: str) -> dict[str, Any]:
    """Values by field. Raises DuplicateClausesError, at the second, when a field is set twice."""
    values: dict[str, Any] = {}
    for clause, tree in zip(clauses, trees, strict=True):
        if clause.field in values:
            raise errors.DuplicateClausesError(_title(tree, text)).at(caret(tree, text))
        values[clause.field] = clause.value
    return values


def _title(tree: Tree, text: str) -> str:
    """The clause's leading keyword as the user wrote it, in capitals."""
    return re.split(r"[\s=(]", text[tree.start : tree.end], maxsplit=1)[0].upper()


@builds("version_as_of")
def _version(children: list[Any], tree: Tree, text: str) -> Temporal:
    try:
        return Temporal(version=int(children[0]))
    except ValueError:
        reason = f"VERSION AS OF needs a whole number, not {children[0]!r}."
        raise errors.ParseSyntaxError(reason, str(children[0])).at(caret(tree.children[0], text)) from None


@builds("timestamp_as_of")
def _timestamp(children: list[Any], tree: Tree, text: str) -> Temporal:
    return Temporal(timestamp=children[0])
