"""Names, texts, types and schemas as SQL, and as Spark's own type names; a tree for people.

Whatever comes from a table goes into SQL through here, or as a value through schema.literals: a table is data, and may
hold anything. What both of them give is one token, or one type, whatever is in it.

Python values as SQL that Spark parses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from deltasql.base.errors.schema import UnknownTypeNameError
from deltasql.schema.type_lattice import fits
from deltasql.schema.types import (
    INTEGER,
    LONG,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    collation_of,
)

# Delta's types, and those that only Spark has: a query may give them.
_TYPE_NAME = re.compile(
    r"""boolean|byte|short|integer|long|float|double|string|binary|date|timestamp|timestamp_ntz|void|variant
    |interval(\ (year|month|day|hour|minute|second)(\ to\ (month|hour|minute|second))?)?
    |string\ collate\ \w+|(char|varchar|time)\(\d+\)|(geometry|geography)\(\w+(,\ ?\w+)?\)""",
    re.VERBOSE | re.ASCII,
)
_SHORT_NAMES = {"byte": "tinyint", "short": "smallint", "integer": "int", "long": "bigint"}


def type_text(data_type: DataType) -> str:
    """A type as Spark's catalogString names it: `int`, `decimal(10,2)`, `struct<a:int,b:array<string>>`."""
    match data_type:
        case PrimitiveType(name):
            return _SHORT_NAMES.get(name, name)
        case DecimalType(precision, scale):
            return f"decimal({precision},{scale})"
        case ArrayType(element):
            return f"array<{type_text(element)}>"
        case MapType(key, value):
            return f"map<{type_text(key)},{type_text(value)}>"
        case StructType(fields):
            return f"struct<{','.join(f'{field.name}:{type_text(field.type)}' for field in fields)}>"


def sql_text(data_type: DataType, *, constraints: bool = False) -> str:
    """A type as SQL that Spark parses in a CAST or a column list: ``STRUCT<a: INT, `x y`: STRING>``.

    With `constraints`, struct fields carry their NOT NULL and COMMENT. Raises UnknownTypeNameError.
    """
    match data_type:
        case PrimitiveType(name):
            # Nothing but the name of a type is ever made part of SQL.
            if not _TYPE_NAME.fullmatch(name):
                raise UnknownTypeNameError(name)
            collation = collation_of(data_type)
            return _SHORT_NAMES.get(name, name).upper() if collation is None else f"STRING COLLATE {collation}"
        case DecimalType(precision, scale):
            return f"DECIMAL({precision},{scale})"
        case ArrayType(element):
            return f"ARRAY<{sql_text(element, constraints=constraints)}>"
        case MapType(key, value):
            return f"MAP<{sql_text(key, constraints=constraints)}, {sql_text(value, constraints=constraints)}>"
        case StructType(fields):
            return f"STRUCT<{', '.join(_field_sql(field, ':', constraints) for field in fields)}>"


def schema_ddl(schema: StructType, *, constraints: bool = False) -> str:
    """A schema as a column list for `spark.read.schema(…)` and CREATE TABLE: ``a INT, `x y` STRUCT<b: STRING>``.

    With `constraints`, columns and fields carry their NOT NULL and COMMENT.
    """
    return ", ".join(_field_sql(field, "", constraints) for field in schema)


def tree_text(schema: StructType, *, log_names: bool = False) -> str:
    """A schema as a tree, one line per column, element, key and value: ` |-- a: int (nullable = true)`.

    With `log_names` types are called as in the log, which is how Spark prints its trees: `integer`.
    """
    return "\n".join(["root", *_fields_lines(schema, " ", log_name if log_names else kind_text)])


_NO_BARE_NAMES = frozenset(
    {
        # These Spark reads as something else where a column is meant: NULL as the literal, VALUES as a query …
        *("ALL", "CURRENT_PATH", "DISTINCT", "FALSE", "FROM", "NOT", "NULL", "SELECT", "TRUE", "VALUES"),
        # These are no names with spark.sql.ansi.enforceReservedKeywords.
        *("AND", "ANY", "AS", "AUTHORIZATION", "BOTH", "CALL", "CASE", "CAST", "CHECK", "COLLATE", "COLLATION"),
        *("COLLATIONS", "COLUMN", "CONSTRAINT", "CREATE", "CROSS", "CURRENT_DATE", "CURRENT_SCHEMA", "CURRENT_TIME"),
        *("CURRENT_TIMESTAMP", "CURRENT_USER", "ELSE", "END", "ESCAPE", "EXCEPT", "EXECUTE", "FETCH", "FILTER", "FOR"),
        *("FOREIGN", "FULL", "GRANT", "GROUP", "HAVING", "IN", "INNER", "INTERSECT", "INTO", "IS", "JOIN", "LATERAL"),
        *("LEADING", "LEFT", "LOCALTIMESTAMP", "NATURAL", "OFFSET", "ON", "ONLY", "OR", "ORDER", "OUTER", "OVERLAPS"),
        *("PRIMARY", "RECURSIVE", "REFERENCES", "RIGHT", "SESSION_USER", "SOME", "SQL", "TABLE", "THEN", "TIME", "TO"),
        *("TRAILING", "UNION", "UNIQUE", "UNKNOWN", "USER", "USING", "WHEN", "WHERE", "WITH", "WITHIN"),
    }
)
"""Words that need back-ticks to be the name of a column, in any mode of Spark's parser; a test asks Spark for them."""


def quote_name(name: str) -> str:
    """`name` as an SQL identifier: bare where that surely is one, in back-ticks otherwise."""
    plain = name.isascii() and name.replace("_", "a").isalnum() and not name[0].isdigit()
    if plain and name.upper() not in _NO_BARE_NAMES:
        return name
    return "`" + name.replace("`", "``") + "`"


def path_text(path: tuple[str, ...]) -> str:
    """A column path as SQL: ``a.`x y`.c``."""
    return ".".join(quote_name(part) for part in path)


def quote_text(text: str) -> str:
    """`text` as a string literal for people, and for our own parser. What Spark parses is made by `text_sql`."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def text_sql(text: str) -> str:
    """`text` as an SQL expression that is this text in every session of Spark.

    What a backslash means and how a quote is written depends on spark.sql.parser.escapedStringLiterals, and `${…}` is
    replaced by the value of a setting or an environment variable, so such texts are given by their bytes.
    """
    if "\\" in text or "'" in text or "${" in text:
        return f"CAST(X'{text.encode(errors='surrogatepass').hex()}' AS STRING)"
    return f"'{text}'"


def _field_sql(field: StructField, separator: str, constraints: bool) -> str:
    text = f"{quote_name(field.name)}{separator} {sql_text(field.type, constraints=constraints)}"
    if constraints and not field.nullable:
        text += " NOT NULL"
    if constraints and field.comment is not None:
        text += f" COMMENT {quote_text(field.comment)}"
    return text


def _fields_lines(schema: StructType, indent: str, called: Callable[[DataType], str]) -> Iterator[str]:
    for field in schema:
        yield from _node_lines(field.name, field.type, f"nullable = {_flag(field.nullable)}", indent, called)


def _node_lines(
    name: str, data_type: DataType, note: str, indent: str, called: Callable[[DataType], str]
) -> Iterator[str]:
    label = called(data_type)
    yield f"{indent}|-- {name}: {label} ({note})" if note else f"{indent}|-- {name}: {label}"
    below = f"{indent}|    "
    match data_type:
        case StructType():
            yield from _fields_lines(data_type, below, called)
        case ArrayType(element, contains_null):
            yield from _node_lines("element", element, f"containsNull = {_flag(contains_null)}", below, called)
        case MapType(key, value, contains_null):
            yield from _node_lines("key", key, "", below, called)
            yield from _node_lines("value", value, f"valueContainsNull = {_flag(contains_null)}", below, called)


def kind_text(data_type: DataType) -> str:
    """The name of a type without what is inside it: `struct`, `array`, `map`, or the whole atomic type."""
    match data_type:
        case StructType():
            return "struct"
        case ArrayType():
            return "array"
        case MapType():
            return "map"
        case _:
            return type_text(data_type)


def log_name(data_type: DataType) -> str:
    """The name of a type without what is inside it, as schemas in the log have it: `integer`, `long`, `struct`."""
    return data_type.name if isinstance(data_type, PrimitiveType) else kind_text(data_type)


def _flag(value: bool) -> str:
    return "true" if value else "false"


def sql_literal(value: Any) -> str:
    """SQL of a value. Raises TypeError for one that has no literal."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return _integer(value)
        case float():
            # NaN and the infinities have no literal of their own.
            return f"{value!r}D" if value - value == 0 else f"CAST('{value}' AS DOUBLE)"
        case Decimal():
            return f"{value:f}BD"
        case str():
            return text_sql(value)
        case bytes():
            return f"X'{value.hex()}'"
        case datetime():
            return f"TIMESTAMP{'' if value.tzinfo else '_NTZ'} '{value.isoformat(sep=' ')}'"
        case date():
            return f"DATE '{value.isoformat()}'"
        case list() | tuple():
            return f"array({', '.join(sql_literal(item) for item in value)})"
        case dict():
            return f"map({', '.join(sql_literal(item) for pair in value.items() for item in pair)})"
        case _:
            raise TypeError(type(value).__name__)


def _integer(value: int) -> str:
    """As short a type as Spark gives the number itself: INT, BIGINT, then DECIMAL."""
    if fits(value, INTEGER):
        return str(value)
    return f"{value}L" if fits(value, LONG) else f"{value}BD"
