"""CHAR(n) and VARCHAR(n): strings, whose length the metadata of their column tells. Source: Spark.

In the log a column with such a type in it is declared with STRING in its place, and the whole type as it was declared
is a text in the column's metadata. Here the declared type is a tree like any other, in which CHAR(3) is the primitive
type `char(3)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from deltasql.base import patterns
from deltasql.schema.text import quote_name, type_text
from deltasql.schema.types import STRING, ArrayType, DataType, MapType, PrimitiveType, StructField, StructType

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
