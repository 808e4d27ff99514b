"""Types of the parameters of a prepared statement: those of the columns that they are compared with or assigned to.

The JDBC driver binds values of the announced types only: an INT for an announced text is an error. So types are
inferred where statements of programs have parameters: beside a comparison, in IN and BETWEEN, in SET, in the rows of
INSERT, after LIMIT. Any other parameter is text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from deltasql.base.errors.base import DeltaSqlError
from deltasql.schema.result_arrow import arrow_type
from deltasql.schema.types import DataType, DecimalType, PrimitiveType, StructType
from deltasql.session.reflection import described
from deltasql.session.session import Session
from deltasql.sql.parser.parameters import markers, parameter_names
from deltasql.sql.queries.relations import table_references
from deltasql.sql.tokens import Token, tokenize

_COMPARISONS = frozenset({"=", "==", "<=>", "<>", "!=", "<", "<=", ">", ">="})
_NUMBERED = frozenset({"LIMIT", "OFFSET"})
_TARGETS = (("INSERT", "INTO"), ("INSERT", "OVERWRITE"), ("DELETE", "FROM"), ("MERGE", "INTO"), ("UPDATE",))
_EXACT_DIGITS = 15
"""Decimal digits that a DOUBLE represents exactly."""
_PARAMETER = "?"

Values = Mapping[str, Any] | Sequence[Any]


def parameter_types(session: Session, sql: str) -> dict[str, DataType]:
    """The type of each parameter with an inferred type, by its name or, of a `?`, by its number from 0 on."""
    extents = list(markers(sql))
    if not extents:
        return {}
    types: dict[str, DataType] = {}
    for number, kind in enumerate(_Finder(session, sql, extents).types()):
        start, end = extents[number]
        name = sql[start + 1 : end] or str(number)
        if kind is not None:
            # A name with several inferred types is text.
            types[name] = kind if types.get(name, kind) == kind else PrimitiveType("string")
    return types


def parameter_schema(sql: str, types: Mapping[str, DataType]) -> pa.Schema:
    """One column per parameter, in the Arrow types that the JDBC driver can fill."""
    names = [name or str(number) for number, name in enumerate(parameter_names(sql))]
    return pa.schema([pa.field(name, _bound_as(types.get(name))) for name in names])


def _bound_as(kind: DataType | None) -> pa.DataType:
    """The Arrow type to announce for a parameter of this type.

    The JDBC driver puts milliseconds into timestamps of any unit, and accepts only a DECIMAL of exactly the announced
    scale. A time without a zone is in the session's zone, as in a text.
    """
    match kind:
        case PrimitiveType(name="timestamp" | "timestamp_ntz"):
            return pa.timestamp("ms")
        case DecimalType(precision=precision) if precision <= _EXACT_DIGITS:
            return pa.float64()
        case PrimitiveType() | DecimalType():
            return arrow_type(kind)
        case _:
            return pa.string()


def exact(name: str, value: Any, types: Mapping[str, DataType]) -> Any:
    """The value of a parameter: a float for a DECIMAL becomes the decimal of its shortest representation."""
    if isinstance(value, float) and isinstance(types.get(name), DecimalType):
        number = Decimal(repr(value))
        return Decimal(f"{number:f}") if number.is_finite() else value
    return value


class _Finder:
    """Infers types from the tokens around each parameter, which is one token."""

    def __init__(self, session: Session, sql: str, extents: Sequence[tuple[int, int]]) -> None:
        self._session = session
        ends = dict(extents)
        self._tokens: list[Token] = []
        until = -1
        for token in tokenize(sql):
            if token.start in ends:
                until = ends[token.start]
                self._tokens.append(Token("symbol", sql[token.start : until], _PARAMETER, token.start))
            elif token.start >= until:
                self._tokens.append(token)
        self._keys = [token.key for token in self._tokens]
        self._tables = list(self._catalog_tables(sql))

    def types(self) -> Iterator[DataType | None]:
        """The type of each parameter, in order; None if unknown."""
        inserted = self._inserted()
        for at, key in enumerate(self._keys):
            if key == _PARAMETER:
                yield inserted.get(at) or self._type(at)

    def _type(self, at: int) -> DataType | None:
        before = self._key(at - 1)
        if before in _NUMBERED:
            return PrimitiveType("integer")
        if before in _COMPARISONS:
            return self._column_until(at - 2)
        if self._key(at + 1) in _COMPARISONS:
            return self._column_from(at + 2)
        if before == "BETWEEN":
            return self._column_until(self._without_not(at - 2))
        if before == "AND" and self._key(at - 3) == "BETWEEN":
            return self._column_until(self._without_not(at - 4))
        return self._column_of_list(at)

    def _column_of_list(self, at: int) -> DataType | None:
        """The type of the column before IN, for a parameter in its list; else None."""
        start = at
        while self._key(start - 1) == "," and self._key(start - 2) not in {"", ")"}:
            start -= 2
        if self._key(start - 1) == "(" and self._key(start - 2) == "IN":
            return self._column_until(self._without_not(start - 3))
        return None

    def _without_not(self, at: int) -> int:
        return at - 1 if self._key(at) == "NOT" else at

    def _key(self, at: int) -> str:
        return self._keys[at] if 0 <= at < len(self._keys) else ""

    def _column_until(self, at: int) -> DataType | None:
        """The type of the column whose name ends at token `at`."""
        end = at
        while self._key(at - 1) == "." and at > 1:
            at -= 2
        return self._column_named(self._tokens[max(at, 0) : end + 1 : 2])

    def _column_from(self, at: int) -> DataType | None:
        """The type of the column whose name begins at token `at`; None for a function."""
        end = at
        while self._key(end + 1) == ".":
            end += 2
        return None if self._key(end + 1) == "(" else self._column_named(self._tokens[at : end + 1 : 2])

    def _column_named(self, tokens: Sequence[Token]) -> DataType | None:
        if not tokens or not all(token.is_name for token in tokens):
            return None
        path = [token.name for token in tokens]
        kinds = [kind for columns in self._tables if (kind := _field(columns, path)) is not None]
        return kinds[0] if kinds and all(kind == kinds[0] for kind in kinds) else None

    def _catalog_tables(self, sql: str) -> Iterator[StructType]:
        """The columns of each table of the statement that is in the catalog."""
        target = self._target()
        parts = [reference.parts for reference in table_references(sql)]
        for name in dict.fromkeys([*parts, *([target[0]] if target is not None else [])]):
            columns = self._columns(name)
            if columns is not None:
                yield columns

    def _columns(self, parts: tuple[str, ...]) -> StructType | None:
        try:
            return described(self._session, parts).columns
        except DeltaSqlError:
            # Errors of a table are raised when the statement runs.
            return None

    def _target(self) -> tuple[tuple[str, ...], int] | None:
        """The target table of a statement, and the token index after its name; None for a query."""
        for words in _TARGETS:
            if tuple(self._keys[: len(words)]) == words:
                at = len(words) + (self._key(len(words)) == "TABLE")
                end = at
                while self._key(end + 1) == ".":
                    end += 2
                return tuple(token.name for token in self._tokens[at : end + 1 : 2]), end + 1
        return None

    def _inserted(self) -> dict[int, DataType]:
        """The types of the parameters in INSERT … VALUES, by token index."""
        target = self._target()
        if target is None or self._key(0) != "INSERT" or "VALUES" not in self._keys:
            return {}
        columns, at = self._columns(target[0]), target[1]
        values = self._keys.index("VALUES")
        if columns is None:
            return {}
        listed = self._tokens[at + 1 : values - 1 : 2] if self._key(at) == "(" else []
        names = [token.name for token in listed] or columns.names
        types = [_field(columns, [name]) for name in names]
        return dict(self._in_rows(values + 1, types))

    def _in_rows(self, at: int, types: Sequence[DataType | None]) -> Iterator[tuple[int, DataType]]:
        depth = number = 0
        for index in range(at, len(self._keys)):
            key = self._key(index)
            depth += (key == "(") - (key == ")")
            number = 0 if key == "(" and depth == 1 else number + (key == "," and depth == 1)
            alone = self._key(index - 1) in {"(", ","} and self._key(index + 1) in {")", ","}
            if key == _PARAMETER and depth == 1 and alone and number < len(types):
                kind = types[number]
                if kind is not None:
                    yield index, kind


def _field(columns: StructType, path: Sequence[str]) -> DataType | None:
    """The type of a column, or of a field in it, whose name may be qualified by its table; None if there is none."""
    for start in range(len(path)):
        kind: DataType | None = columns
        for name in path[start:]:
            fields = kind if isinstance(kind, StructType) else ()
            kind = next((item.type for item in fields if item.name.lower() == name.lower()), None)
        if kind is not None:
            return kind
    return None
