"""Names, types, schemas, paths and values as SQL, and the declared types CHAR(n) and VARCHAR(n).

All data of a table goes into SQL through this module: a table may contain anything. The result is one token, or one
type, whatever is in it. Types also have Spark's type names, and schemas a tree for people.

CHAR(n) and VARCHAR(n) are strings, whose length is in the metadata of their column. Source: Spark. In the log a column
with such a type in it is declared with STRING in its place, and the whole type as it was declared is a text in the
column's metadata. In this module the declared type is a tree like any other, in which CHAR(3) is the primitive type
`char(3)`.

Column paths are `a.b`, `arr.element.x`, `m.key`, `m.value.y`; names match without case by default.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from deltasql.base import did_you_mean, errors, patterns
from deltasql.schema.type_lattice import fits
from deltasql.schema.types import (
    INTEGER,
    LONG,
    STRING,
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
                raise errors.UnknownTypeNameError(name)
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


TYPE_KEY = "__CHAR_VARCHAR_TYPE_STRING"
"""The key of the declared type in a column's metadata."""

_LENGTH = re.compile(r"(char|varchar)\((\d+)\)")
_TOKEN = re.compile(rf"\s*({patterns.QUOTED_NAME}|{patterns.STRING}|[<>(),:]|[^\s<>(),:`'\"]+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Length:
    """char(n) or varchar(n)."""

    kind: str
    length: int

    @property
    def text(self) -> str:
        return f"{self.kind}({self.length})"

    @property
    def type(self) -> PrimitiveType:
        return PrimitiveType(self.text)


def length_of(kind: DataType) -> Length | None:
    """The length of a declared type that is CHAR(n) or VARCHAR(n)."""
    match = _LENGTH.fullmatch(kind.name) if isinstance(kind, PrimitiveType) else None
    return None if match is None else Length(match[1], int(match[2]))


def has_lengths(kind: DataType) -> bool:
    """Whether a declared type is CHAR(n) or VARCHAR(n), or has one inside."""
    match kind:
        case StructType(fields):
            return any(has_lengths(field.type) for field in fields)
        case ArrayType(element):
            return has_lengths(element)
        case MapType(key, value):
            return has_lengths(key) or has_lengths(value)
        case _:
            return length_of(kind) is not None


def declared_length(field: StructField) -> Length | None:
    """The length that a column is declared with; None for a column that is no CHAR or VARCHAR."""
    return length_of(declared_type(field)) if TYPE_KEY in field.metadata else None


def declared_texts(schema: StructType) -> dict[str, str]:
    """The declared types of columns that have lengths, as Spark keeps them in the metadata, by name."""
    declared = ((field.name, declared_type(field)) for field in schema)
    return {name: declared_text(kind) for name, kind in declared if has_lengths(kind)}


def declared_type(field: StructField) -> DataType:
    """The type of a column, or of a field of a struct, with the lengths that it was declared with."""
    text = field.metadata.get(TYPE_KEY)
    return _declared(field.type, None if text is None else parsed_type(str(text)))


def declared_as(kind: DataType, text: str) -> DataType:
    """The declared type of a column of type `kind`, of which its declaration says `text`."""
    return _declared(kind, parsed_type(text))


def plain_type(declared: DataType) -> DataType:
    """A declared type as the log has it, with strings for CHAR and VARCHAR."""
    match declared:
        case StructType(fields):
            return StructType(tuple(replace(field, type=plain_type(field.type)) for field in fields))
        case ArrayType(element):
            return replace(declared, element=plain_type(element))
        case MapType(key, value):
            return replace(declared, key=plain_type(key), value=plain_type(value))
        case _:
            return declared if length_of(declared) is None else STRING


def with_lengths(schema: StructType) -> StructType:
    """`schema` with declared types in place of texts in the metadata, so that it can be edited as any other."""
    return StructType(tuple(_unwritten(replace(field, type=declared_type(field))) for field in schema))


def without_lengths(schema: StructType) -> StructType:
    """`schema` as the log has it: the inverse of `with_lengths`, which leaves other schemas as they are."""
    return StructType(tuple(map(plain_field, schema)))


def plain_field(field: StructField) -> StructField:
    """A column as the log has it, whose type is a declared one."""
    declared = declared_type(field)
    if not has_lengths(declared):
        return _unwritten(field)
    metadata = {**_unwritten(field).metadata, TYPE_KEY: declared_text(declared)}
    return replace(_unwritten(field), type=plain_type(_unwritten(field).type), metadata=metadata)


def declared_text(declared: DataType) -> str:
    """A declared type as Spark keeps it in the metadata: `struct<c:char(3)>`."""
    match declared:
        case StructType(fields):
            return f"struct<{','.join(f'{quote_name(field.name)}:{declared_text(field.type)}' for field in fields)}>"
        case ArrayType(element):
            return f"array<{declared_text(element)}>"
        case MapType(key, value):
            return f"map<{declared_text(key)},{declared_text(value)}>"
        case _:
            return type_text(declared)


def parsed_type(text: str) -> DataType | None:
    """The type that a text in the metadata declares; None for a text that is no type.

    Types without a length are what they are called there, whatever that is: `declared_type` takes the column's own.
    """
    try:
        return _Parser(text).type()
    except (IndexError, ValueError):
        return None


def _declared(kind: DataType, declared: DataType | None) -> DataType:
    """`kind` with the lengths of `declared`, where that fits; the metadata of a field inside come first."""
    match kind, declared:
        case StructType(fields), _:
            struct = declared if isinstance(declared, StructType) else StructType()
            return StructType(tuple(_declared_field(field, struct.find(field.name)) for field in fields))
        case ArrayType(element), ArrayType(inner):
            return replace(kind, element=_declared(element, inner))
        case ArrayType(element), _:
            return replace(kind, element=_declared(element, None))
        case MapType(key, value), MapType(inner_key, inner_value):
            return replace(kind, key=_declared(key, inner_key), value=_declared(value, inner_value))
        case MapType(key, value), _:
            return replace(kind, key=_declared(key, None), value=_declared(value, None))
        case _:
            return kind if declared is None or kind != STRING or length_of(declared) is None else declared


def _declared_field(field: StructField, declared: StructField | None) -> StructField:
    type_text = field.metadata.get(TYPE_KEY)
    inner = declared.type if type_text is None and declared is not None else None
    return replace(field, type=_declared(field.type, inner if type_text is None else parsed_type(str(type_text))))


def _unwritten(field: StructField) -> StructField:
    """`field` without texts of declared types, at any depth."""
    metadata = {key: value for key, value in field.metadata.items() if key != TYPE_KEY}
    same = TYPE_KEY not in field.metadata
    return replace(field, type=_unwritten_type(field.type), metadata=field.metadata if same else metadata)


def _unwritten_type(kind: DataType) -> DataType:
    match kind:
        case StructType(fields):
            return StructType(tuple(map(_unwritten, fields)))
        case ArrayType(element):
            return replace(kind, element=_unwritten_type(element))
        case MapType(key, value):
            return replace(kind, key=_unwritten_type(key), value=_unwritten_type(value))
        case _:
            return kind


class _Parser:
    """Parses the text of a type from left to right. Raises ValueError or IndexError for other texts."""

    def __init__(self, text: str) -> None:
        self.tokens = _TOKEN.findall(text)
        self.at = 0

    def type(self) -> DataType:
        name = self.next().lower()
        if name == "array":
            (element,) = self.inside()
            return ArrayType(element)
        if name == "map":
            key, value = self.inside()
            return MapType(key, value)
        if name == "struct":
            return StructType(tuple(self.fields()))
        name = "char" if name == "character" else name
        return PrimitiveType(name + "".join(self.arguments()))

    def inside(self) -> list[DataType]:
        self.expect("<")
        types = [self.type()]
        while self.next() == ",":
            types.append(self.type())
        return types

    def fields(self) -> Iterator[StructField]:
        self.expect("<")
        while self.peek() != ">":
            name = self.next()
            if self.peek() == ":":
                self.next()
            yield StructField(name[1:-1].replace("``", "`") if name.startswith("`") else name, self.type())
            while self.peek() not in {",", ">"}:  # NOT NULL, COMMENT 'text'
                self.next()
            if self.peek() == ",":
                self.next()
        self.next()

    def arguments(self) -> Iterator[str]:
        if self.at < len(self.tokens) and self.peek() == "(":
            while self.peek() != ")":
                yield self.next()
            yield self.next()

    def peek(self) -> str:
        return str(self.tokens[self.at])

    def next(self) -> str:
        self.at += 1
        return str(self.tokens[self.at - 1])

    def expect(self, token: str) -> None:
        if self.next() != token:
            raise ValueError(token)


Path = tuple[str, ...]

_MOST_CANDIDATES = 20


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """A path resolved to a field.

    `path` is spelled as in the schema. `field` is the struct field, or for an array's element and a map's key or value
    a field of that name without metadata. `parent` is the type that contains it.
    """

    path: Path
    field: StructField
    parent: StructType | ArrayType | MapType

    @property
    def nested_in_collection(self) -> bool:
        """Whether the path ends in an array's element or a map's key or value, as opposed to a struct field."""
        return not isinstance(self.parent, StructType)


def folded(names: Iterable[str]) -> Path:
    """Names, or a path, in lower case, for comparison without case."""
    return tuple(name.lower() for name in names)


def resolve(
    schema: StructType, path: Path, *, where: str = "the table", case_sensitive: bool | None = None
) -> ResolvedPath:
    """The field that a non-empty `path` names.

    Raises ColumnNotFoundError for its first name, FieldNotFoundError for a later one, ArrayAccessByNameError and
    MapAccessByNameError for a name below a collection that skips `element`, `key` or `value`, NotAStructError below
    an atomic type. `where` names the table in the messages.
    """
    resolved: ResolvedPath | None = None
    for name in path:
        resolved = _step(schema, resolved, name, where, case_sensitive)
    if resolved is None:
        raise ValueError("a column path has at least one name")
    return resolved


def find_path(schema: StructType, path: Path, *, case_sensitive: bool | None = None) -> ResolvedPath | None:
    """Like `resolve`, but None where there is no such field."""
    resolved: ResolvedPath | None = None
    for name in path:
        holder = schema if resolved is None else resolved.field.type
        field = child(holder, name, case_sensitive=case_sensitive)
        if field is None:
            return None
        assert not isinstance(holder, (PrimitiveType, DecimalType))
        resolved = ResolvedPath((*(resolved.path if resolved else ()), field.name), field, holder)
    return resolved


def fields_at(schema: StructType, names: Sequence[str]) -> list[StructField] | None:
    """The fields that a name like a.b.c goes through, the outermost first; None if one is missing, or in no struct."""
    fields: list[StructField] = []
    current: DataType = schema
    for name in names:
        field = current.find(name) if isinstance(current, StructType) else None
        if field is None:
            return None
        fields.append(field)
        current = field.type
    return fields


def child(data_type: DataType, name: str, *, case_sensitive: bool | None = None) -> StructField | None:
    """The child `name` of a type: a struct's field, an array's `element`, a map's `key` or `value`; else None."""
    if isinstance(data_type, StructType):
        return data_type.find(name, case_sensitive)
    return next((field for field in _parts(data_type) if field.name == name.lower()), None)


def walk(schema: StructType) -> Iterator[tuple[Path, StructField]]:
    """Every struct field at any depth with its path, parents first; paths go through `element`, `key` and `value`."""
    for field in schema:
        yield (field.name,), field
        for path, below in _walk_type(field.type):
            yield (field.name, *path), below


def leaves(schema: StructType) -> Iterator[tuple[Path, StructField]]:
    """Fields that are not structs, at any depth of structs, with paths, in schema order: columns with statistics."""
    for field in schema:
        if isinstance(field.type, StructType):
            yield from (((field.name, *path), leaf) for path, leaf in leaves(field.type))
        else:
            yield (field.name,), field


def collated_paths(data_type: DataType) -> Iterator[Path]:
    """The paths of texts with a collation, at any depth, in schema order."""
    if collation_of(data_type) is not None:
        yield ()
    for part in data_type if isinstance(data_type, StructType) else _parts(data_type):
        yield from ((part.name, *path) for path in collated_paths(part.type))


def replace_type(data_type: DataType, path: Path, change: Callable[[DataType], DataType]) -> DataType:
    """`data_type` with the type at `path` replaced by `change(type)`. `path` is spelled as in the schema."""
    if not path:
        return change(data_type)
    name, rest = path[0], path[1:]
    match data_type:
        case StructType(fields):
            changed = (replace(f, type=replace_type(f.type, rest, change)) if f.name == name else f for f in fields)
            return StructType(tuple(changed))
        case ArrayType(element):
            return replace(data_type, element=replace_type(element, rest, change))
        case MapType(key, value) if name == "key":
            return replace(data_type, key=replace_type(key, rest, change))
        case MapType(key, value):
            return replace(data_type, value=replace_type(value, rest, change))
        case _:
            raise ValueError(f"no type at {path_text(path)}")


def replace_struct(schema: StructType, path: Path, change: Callable[[StructType], StructType]) -> StructType:
    """`schema` with the struct at `path` (() for itself) replaced by `change(struct)`."""

    def narrowed(data_type: DataType) -> DataType:
        assert isinstance(data_type, StructType)
        return change(data_type)

    changed = replace_type(schema, path, narrowed)
    assert isinstance(changed, StructType)
    return changed


def suggestion(name: str, candidates: Iterable[str]) -> str:
    """A sentence, with a leading blank, that suggests the closest of `candidates` in an error; "" if none is close."""
    return did_you_mean(name, candidates, shown=lambda close: path_text((close,)))


def candidates(struct: StructType) -> list[str]:
    """The names of a struct's fields for an error message; a long list is truncated."""
    names = [path_text((name,)) for name in struct.names]
    rest = len(names) - _MOST_CANDIDATES
    return names if rest <= 0 else [*names[:_MOST_CANDIDATES], f"… and {rest} more"]


def _step(
    schema: StructType, parent: ResolvedPath | None, name: str, where: str, case_sensitive: bool | None
) -> ResolvedPath:
    holder: DataType = schema if parent is None else parent.field.type
    path = parent.path if parent else ()
    field = child(holder, name, case_sensitive=case_sensitive)
    match holder:
        case StructType() | ArrayType() | MapType() if field is not None:
            return ResolvedPath((*path, field.name), field, holder)
        case StructType(fields) if not path:
            hint = suggestion(name, holder.names)
            raise errors.ColumnNotFoundError(path_text((name,)), where, hint, candidates(holder))
        case StructType(fields):
            hint = suggestion(name, [f.name for f in fields])
            raise errors.FieldNotFoundError(path_text((name,)), path_text(path), hint, candidates(holder))
        case _:
            raise _wrong_access(path, holder, name)


def _wrong_access(path: Path, holder: DataType, name: str) -> Exception:
    column, field = path_text(path), path_text((name,))
    match holder:
        case ArrayType(element):
            below = (name,) if isinstance(element, StructType) else ()
            return errors.ArrayAccessByNameError(column, field, path_text((*path, "element", *below)))
        case MapType():
            return errors.MapAccessByNameError(column, field, path_text((*path, "key")), path_text((*path, "value")))
        case _:
            return errors.NotAStructError(field, column, type_text(holder))


def _parts(data_type: DataType) -> tuple[StructField, ...]:
    match data_type:
        case ArrayType(element, contains_null):
            return (StructField("element", element, contains_null),)
        case MapType(key, value, contains_null):
            return StructField("key", key, False), StructField("value", value, contains_null)
        case _:
            return ()


def _walk_type(data_type: DataType) -> Iterator[tuple[Path, StructField]]:
    if isinstance(data_type, StructType):
        yield from walk(data_type)
    for part in _parts(data_type):
        for path, field in _walk_type(part.type):
            yield (part.name, *path), field
