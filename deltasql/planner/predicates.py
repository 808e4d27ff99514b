"""Predicates as conditions on columns, of which files can be told apart. What cannot be understood is UNKNOWN.

A condition says when a predicate is TRUE; negations are gone, since NOT p is TRUE where p is FALSE, not where it is
NULL: NOT (a < 1) is a >= 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from decimal import ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING, TypeAlias, Union

from deltasql.planner.literals import (
    EXACT,
    NULL,
    Literal,
    Value,
    as_clock_time,
    as_timestamp,
    date_days,
    is_plain,
    literal,
)
from deltasql.planner.references import parse_expression
from deltasql.planner.timezone import zone as session_zone
from deltasql.planner.tokens import tokenize
from deltasql.schema.types import DataType, DecimalType, PrimitiveType, StructField, StructType

if TYPE_CHECKING:
    from sqlglot import exp

PHYSICAL_NAME = "delta.columnMapping.physicalName"
INTEGRAL = ("byte", "short", "integer", "long")
_CASTS = {"TINYINT": 0, "SMALLINT": 1, "INT": 2, "BIGINT": 3}
_NEGATED = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_FLIPPED = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Column:
    """A column or nested field. `path` has physical names; `partition` is the logical name of a partition column."""

    path: tuple[str, ...]
    type: DataType
    partition: str | None

    @property
    def kind(self) -> str:
        """The name of the column's type: integer, decimal, string …"""
        return self.type.name if isinstance(self.type, PrimitiveType) else type(self.type).__name__[:-4].lower()


@dataclass(frozen=True, slots=True)
class Comparison:
    """column op value, with op one of = <> < <= > >="""

    column: Column
    op: str
    value: Value


@dataclass(frozen=True, slots=True)
class OneOf:
    """column [NOT] IN values"""

    column: Column
    values: tuple[Value, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class NullTest:
    """column IS [NOT] NULL"""

    column: Column
    negated: bool


@dataclass(frozen=True, slots=True)
class Like:
    """column [NOT] LIKE pattern, without escapes"""

    column: Column
    pattern: str
    negated: bool

    @property
    def prefix(self) -> str:
        """What each match begins with."""
        return re.split("[%_]", self.pattern, maxsplit=1)[0]


@dataclass(frozen=True, slots=True)
class All:
    """TRUE where each part is; without parts everywhere."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Any:
    """TRUE where one part is; without parts nowhere."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """TRUE in rows that only Spark can tell."""


Leaf: TypeAlias = Union[Comparison, OneOf, NullTest, Like]
Condition: TypeAlias = Union[Leaf, All, Any, Unknown]

UNKNOWN = Unknown()
ALWAYS, NEVER = All(()), Any(())


def leaves(condition: Condition) -> Iterator[Leaf | Unknown]:
    """The conditions on single columns that `condition` is made of."""
    if isinstance(condition, (All, Any)):
        for part in condition.parts:
            yield from leaves(part)
        return
    yield condition


def condition(
    predicate: str,
    schema: StructType,
    partition_columns: Sequence[str],
    alias: str | None = None,
    timezone: str | None = None,
) -> Condition:
    """What `predicate` asks of each row. Column names are matched without case; `alias` may qualify them.

    `timezone` is the session's; without it, timestamps that name no zone are UNKNOWN.
    """
    tree = parse_expression(predicate)
    if tree is None:
        return UNKNOWN
    # sqlglot and Spark differ in escapes, and which literals held one cannot be seen in the tree.
    has_escape = any(token.kind == "string" and "\\" in token.text for token in tokenize(predicate))
    zone = None if timezone is None else session_zone(timezone)
    partitions = {name.lower() for name in partition_columns}
    return _Reader(schema, partitions, alias, zone, has_escape).condition(tree, negated=False)


@dataclass(frozen=True, slots=True)
class _Reader:
    schema: StructType
    partitions: set[str]
    alias: str | None
    zone: tzinfo | None
    has_escape: bool

    def condition(self, node: exp.Expression, negated: bool) -> Condition:
        """Where `node` is TRUE, or FALSE when `negated`."""
        from sqlglot import exp

        if not is_plain(node):
            return UNKNOWN
        match node:
            case exp.Paren():
                return self.condition(node.this, negated)
            case exp.Not():
                return self.condition(node.this, not negated)
            case exp.And() | exp.Or():
                parts = tuple(self.condition(side, negated) for side in (node.this, node.expression))
                return All(parts) if isinstance(node, exp.And) != negated else Any(parts)
            case exp.Boolean():
                return ALWAYS if bool(node.this) != negated else NEVER
            case exp.Null():
                return NEVER
        # sqlglot has NOT LIKE as an option of LIKE.
        return self.leaf(node, negated != bool(node.args.get("negate")))

    def leaf(self, node: exp.Expression, negated: bool) -> Condition:
        from sqlglot import exp

        match node:
            case exp.Column() | exp.Dot():
                return self.flag(node, negated)
            case exp.EQ() | exp.NEQ() | exp.LT() | exp.LTE() | exp.GT() | exp.GTE():
                op = _OPS[type(node).__name__]
                return self.comparison(node, _NEGATED[op] if negated else op)
            case exp.NullSafeEQ() | exp.NullSafeNEQ():
                return self.null_safe(node, isinstance(node, exp.NullSafeNEQ) != negated)
            case exp.Is():
                return self.is_test(node, negated)
            case exp.In():
                return self.one_of(node, negated)
            case exp.Between():
                return self.between(node, negated)
            case exp.Like() | exp.StartsWith():
                return self.like(node, negated)
        return UNKNOWN

    def flag(self, node: exp.Expression, negated: bool) -> Condition:
        column = self.column(node)
        is_boolean = column is not None and column.kind == "boolean"
        return Comparison(column, "=", not negated) if column is not None and is_boolean else UNKNOWN

    def comparison(self, node: exp.Expression, op: str) -> Condition:
        left, right = self.literal(node.this), self.literal(node.expression)
        if NULL in {left, right}:
            return NEVER
        if left is not None and right is not None:
            return _constant(left, op, right)
        column = self.column(node.expression if left is not None else node.this)
        value = left or right
        if column is None or value is None:
            return UNKNOWN
        return compare(column, _FLIPPED[op] if left is not None else op, value, self.zone)

    def null_safe(self, node: exp.Expression, negated: bool) -> Condition:
        for one, other in ((node.this, node.expression), (node.expression, node.this)):
            column, value = self.column(one), self.literal(other)
            if column is None or value is None:
                continue
            if value == NULL:
                return NullTest(column, negated)
            if not negated:
                return compare(column, "=", value, self.zone)
            return Any((NullTest(column, negated=False), compare(column, "<>", value, self.zone)))
        return UNKNOWN

    def is_test(self, node: exp.Expression, negated: bool) -> Condition:
        column, value = self.column(node.this), self.literal(node.expression)
        if column is None or value is None:
            return UNKNOWN
        if value == NULL:
            return NullTest(column, negated)
        if value.kind != "bool" or column.kind != "boolean":
            return UNKNOWN
        if not negated:
            return Comparison(column, "=", value.value)
        return Any((NullTest(column, negated=False), Comparison(column, "<>", value.value)))

    def one_of(self, node: exp.Expression, negated: bool) -> Condition:
        column = self.column(node.this)
        values = [self.literal(item) for item in node.expressions]
        if column is None or not values:
            return UNKNOWN
        if negated and NULL in values:
            return NEVER
        parts = [
            UNKNOWN if value is None else compare(column, "<>" if negated else "=", value, self.zone)
            for value in values
            if value != NULL
        ]
        return _joined(column, parts, negated)

    def between(self, node: exp.Expression, negated: bool) -> Condition:
        column = self.column(node.this)
        low, high = self.literal(node.args["low"]), self.literal(node.args["high"])
        if column is None:
            return UNKNOWN
        parts = tuple(
            UNKNOWN if value is None else compare(column, _NEGATED[op] if negated else op, value, self.zone)
            for op, value in ((">=", low), ("<=", high))
        )
        return Any(parts) if negated else All(parts)

    def like(self, node: exp.Expression, negated: bool) -> Condition:
        from sqlglot import exp

        column, value = self.column(node.this), self.literal(node.expression)
        if column is None or value is None or column.kind != "string":
            return UNKNOWN
        if value == NULL:
            return NEVER
        text = str(value.value)
        if value.kind != "string" or (isinstance(node, exp.StartsWith) and re.search("[%_]", text)):
            return UNKNOWN
        return Like(column, f"{text}%" if isinstance(node, exp.StartsWith) else text, negated)

    def literal(self, node: exp.Expression) -> Literal | None:
        found = literal(node, self.zone)
        is_safe = found is None or not self.has_escape or found.kind in {"null", "bool", "number", "double", "float"}
        return found if is_safe else None

    def column(self, node: exp.Expression) -> Column | None:
        """The column that `node` names; a cast to a wider integer changes no comparison and is looked through."""
        from sqlglot import exp

        if isinstance(node, exp.Paren):
            return self.column(node.this)
        if type(node) is exp.Cast:
            column, width = self.column(node.this), _CASTS.get(node.to.this.value, -1)
            widens = column is not None and column.kind in INTEGRAL and INTEGRAL.index(column.kind) <= width
            return column if widens else None
        parts = _parts(node)
        return None if parts is None else self.resolve(parts)

    def resolve(self, parts: tuple[str, ...]) -> Column | None:
        qualified = self.alias is not None and len(parts) > 1 and parts[0].lower() == self.alias.lower()
        return (self.walk(parts[1:]) if qualified else None) or self.walk(parts)

    def walk(self, parts: tuple[str, ...]) -> Column | None:
        current: DataType = self.schema
        fields: list[StructField] = []
        for part in parts:
            found = current.find(part) if isinstance(current, StructType) else None
            if found is None:
                return None
            fields.append(found)
            current = found.type
        # Values of such columns compare by other rules than those of their bytes.
        if "__COLLATIONS" in fields[0].metadata or _is_char(fields[-1]) or _was_float(fields[-1]):
            return None
        name = fields[0].name
        path = tuple(str(item.metadata.get(PHYSICAL_NAME, item.name)) for item in fields)
        return Column(path, current, name if name.lower() in self.partitions else None)


_OPS = {"EQ": "=", "NEQ": "<>", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}


def _is_char(item: StructField) -> bool:
    return str(item.metadata.get("__CHAR_VARCHAR_TYPE_STRING", "")).lower().startswith("char")


def _was_float(item: StructField) -> bool:
    # Old files hold singles: 0.1 in their statistics is 0.10000000149011612 as a double.
    return any(change.get("fromType") == "float" for change in item.metadata.get("delta.typeChanges", ()))


def _parts(node: exp.Expression) -> tuple[str, ...] | None:
    from sqlglot import exp

    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
        below = _parts(node.this)
        return None if below is None else (*below, node.expression.name)
    if isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier):
        return tuple(part.name for part in node.parts)
    return None


def _constant(left: Literal, op: str, right: Literal) -> Condition:
    if left.kind != right.kind or left.kind not in {"number", "string"}:
        return UNKNOWN
    return ALWAYS if holds(left.value, op, right.value) else NEVER


def holds(left: Value, op: str, right: Value) -> bool:
    """Whether `left op right` holds; both are of one kind and neither is NaN."""
    # Mixed numbers compare exactly in Python.
    if op in {"=", "<>"}:
        return (left == right) == (op == "=")
    is_less, is_same = left < right, left == right  # type: ignore[operator]
    return (is_less if "<" in op else not is_less and not is_same) or (is_same and "=" in op)


def _joined(column: Column, parts: list[Condition], negated: bool) -> Condition:
    """The conditions of an IN list as one; what stays of a list without a usable value is NEVER or IS NOT NULL."""
    plain = tuple(part.value for part in parts if isinstance(part, Comparison) and part.op in {"=", "<>"})
    others = [part for part in parts if not isinstance(part, Comparison)]
    lists: list[Condition] = [OneOf(column, plain, negated)] if plain else []
    return All((*lists, *others)) if negated else Any((*lists, *others))


# Comparison of a column with a constant, by the column's type


def compare(column: Column, op: str, value: Literal, zone: tzinfo | None) -> Condition:
    """column op value as Spark evaluates it; UNKNOWN where its implicit cast is not exact or its rules vary."""
    if value == NULL:
        return NEVER
    if column.kind in INTEGRAL or isinstance(column.type, DecimalType):
        exact = _exact(column, value)
        return UNKNOWN if exact is None else _exact_comparison(column, op, exact)
    same = _same_kind(column.kind, value, zone)
    return UNKNOWN if same is None else Comparison(column, op, same)


def _same_kind(kind: str, value: Literal, zone: tzinfo | None) -> Value | None:
    """The constant as a value of the column's kind, or None."""
    match kind:
        case "float" | "double":
            return _inexact(kind, value)
        case "string":
            return value.value if value.kind == "string" else None
        case "boolean":
            return value.value if value.kind == "bool" else None
        case "date":
            return date_days(str(value.value)) if value.kind == "string" else _of_kind(value, "date")
        case "timestamp":
            return _of_kind(as_timestamp(value, zone), "timestamp")
        case "timestamp_ntz":
            return _of_kind(as_clock_time(value), "timestamp_ntz")
    return None


def _of_kind(value: Literal | None, kind: str) -> Value | None:
    return value.value if value is not None and value.kind == kind else None


def _exact(column: Column, value: Literal) -> Decimal | None:
    """The constant as the exact number that an integer or decimal column is compared with."""
    if isinstance(value.value, Decimal):
        # Beyond 38 digits Spark's common type of two decimals drops some of them.
        _, digits, exponent = value.value.as_tuple()
        scale = max(0, -int(exponent))
        kind = column.type if isinstance(column.type, DecimalType) else DecimalType(20, 0)
        whole = max(len(digits) - scale, kind.precision - kind.scale)
        return value.value if whole + max(scale, kind.scale) <= 38 else None
    if column.kind not in INTEGRAL:
        return None
    if value.kind == "double" and abs(float(value.value)) < 2**53:
        return Decimal(float(value.value))
    is_integer = value.kind == "string" and re.fullmatch(r"-?(?:0|[1-9]\d{0,17})", str(value.value))
    return Decimal(str(value.value)) if is_integer and value.value != "-0" else None


def _inexact(kind: str, value: Literal) -> Value | None:
    """The constant as the double that a float or double column is compared with."""
    if isinstance(value.value, Decimal):
        is_whole = value.value == value.value.to_integral_value()
        # Spark may turn a whole number into a float, which is exact up to 24 bits.
        return float(value.value) if not is_whole or abs(value.value) < (2**24 if kind == "float" else 2**53) else None
    return value.value if value.kind in {"double", "float"} else None


def _exact_comparison(column: Column, op: str, value: Decimal) -> Condition:
    """column op value on the column's own grid: a constant between two of its values or beyond them is rounded."""
    scale = column.type.scale if isinstance(column.type, DecimalType) else 0
    low = value.quantize(Decimal(1).scaleb(-scale), ROUND_FLOOR, EXACT)
    limit = Decimal(10) ** (38 - scale) if isinstance(column.type, DecimalType) else Decimal(2**63)
    if not -limit <= low < limit:
        is_true = op == "<>" or ("<" in op) == (value > 0) if op != "=" else False
        return NullTest(column, negated=True) if is_true else NEVER
    if low != value:
        if op in {"=", "<>"}:
            return NEVER if op == "=" else NullTest(column, negated=True)
        op = "<=" if "<" in op else ">"
    return Comparison(column, op, low if isinstance(column.type, DecimalType) else int(low))
