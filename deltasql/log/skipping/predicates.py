"""Parser of predicates to conditions on columns for file skipping. Unsupported parts become UNKNOWN."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from deltasql.base.lazy import exp
from deltasql.base.timezone import zone as session_zone
from deltasql.log.skipping.comparisons import FLIPPED, NEGATED, compare, compare_constants
from deltasql.log.skipping.conditions import (
    ALWAYS,
    INTEGRAL,
    NEVER,
    UNKNOWN,
    AllOf,
    AnyOf,
    BoundedColumn,
    Comparison,
    Condition,
    Like,
    NullTest,
    OneOf,
)
from deltasql.log.skipping.current_time import least
from deltasql.log.skipping.monotonic_terms import (
    Plain,
    Term,
)
from deltasql.log.skipping.term_functions import FUNCTIONS
from deltasql.schema.column_mapping import physical_name
from deltasql.schema.lengths import TYPE_KEY
from deltasql.schema.paths import fields_at
from deltasql.schema.types import DecimalType, StructField, StructType, collation_of
from deltasql.schema.widening import TYPE_CHANGES
from deltasql.sql.literals import NULL, Literal, is_plain, literal
from deltasql.sql.references import parse_expression
from deltasql.sql.tokens import tokenize

_CASTS = {"TINYINT": 0, "SMALLINT": 1, "INT": 2, "BIGINT": 3}


def condition(
    predicate: str,
    schema: StructType,
    partition_columns: Sequence[str],
    alias: str | None = None,
    timezone: str | None = None,
) -> Condition:
    """The condition for `predicate`. Column names are matched without case, and may be qualified by `alias`.

    `timezone` is the session's; without it, timestamps without a zone are UNKNOWN.
    """
    tree = parse_expression(predicate)
    if tree is None:
        return UNKNOWN
    # sqlglot and Spark differ in escapes, and which literals held one cannot be seen in the tree.
    has_escape = any(token.kind == "string" and "\\" in token.text for token in tokenize(predicate))
    zone = None if timezone is None else session_zone(timezone)
    partitions = {name.lower() for name in partition_columns}
    return _Reader(schema, partitions, alias, zone, has_escape).condition(tree, negated=False)


def find_column(parts: tuple[str, ...], schema: StructType, partition_columns: Sequence[str]) -> BoundedColumn | None:
    """The column of an unqualified name; None if there is none, or if its values need special comparison rules."""
    return _Reader(schema, {name.lower() for name in partition_columns}, None, None, has_escape=False).walk(parts)


@dataclass(frozen=True, slots=True)
class _Reader:
    schema: StructType
    partitions: set[str]
    alias: str | None
    zone: tzinfo | None
    has_escape: bool

    def condition(self, node: exp.Expression, negated: bool) -> Condition:
        """The condition under which `node` is TRUE, or FALSE if `negated`."""
        if not is_plain(node):
            return UNKNOWN
        match node:
            case exp.Paren():
                return self.condition(node.this, negated)
            case exp.Not():
                return self.condition(node.this, not negated)
            case exp.And() | exp.Or():
                # Chains of thousands, as programs write them, are no deep trees of ours.
                parts = tuple(self.condition(side, negated) for side in node.flatten(unnest=False))
                return AllOf(parts) if isinstance(node, exp.And) != negated else AnyOf(parts)
            case exp.Boolean():
                return ALWAYS if bool(node.this) != negated else NEVER
            case exp.Null():
                return NEVER
        # sqlglot has NOT LIKE as an option of LIKE.
        return self.leaf(node, negated != bool(node.args.get("negate")))

    def leaf(self, node: exp.Expression, negated: bool) -> Condition:
        match node:
            case exp.Column() | exp.Dot():
                return self.flag(node, negated)
            case exp.EQ() | exp.NEQ() | exp.LT() | exp.LTE() | exp.GT() | exp.GTE():
                op = _OPS[type(node).__name__]
                return self.comparison(node, NEGATED[op] if negated else op)
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
            case exp.Anonymous():
                return self.null_function(node, negated)
        return UNKNOWN

    def null_function(self, node: exp.Expression, negated: bool) -> Condition:
        """ISNULL(c), ISNOTNULL(c)"""
        name = str(node.this).lower()
        column = self.column(node.expressions[0]) if len(node.expressions) == 1 else None
        if column is None or name not in {"isnull", "isnotnull"}:
            return UNKNOWN
        return NullTest(column, (name == "isnotnull") != negated)

    def flag(self, node: exp.Expression, negated: bool) -> Condition:
        column = self.column(node)
        is_boolean = column is not None and column.kind == "boolean"
        return Comparison(column, "=", not negated) if column is not None and is_boolean else UNKNOWN

    def comparison(self, node: exp.Expression, op: str) -> Condition:
        left, right = self.literal(node.this), self.literal(node.expression)
        if NULL in {left, right}:
            return NEVER
        if left is not None and right is not None:
            return compare_constants(left, op, right)
        if right is not None:
            return self.compared(node.this, op, right)
        return self.recent(node, op) if left is None else self.compared(node.expression, FLIPPED[op], left)

    def compared(self, node: exp.Expression, op: str, value: Literal) -> Condition:
        """The condition for `node op value`."""
        if value == TRUE and is_predicate(node):
            # A comparison is TRUE where (p) = TRUE is.
            return self.condition(node, negated=op == "<>") if op in {"=", "<>"} else UNKNOWN
        term = self.term(node)
        return UNKNOWN if term is None else term.compare(op, value, self.zone)

    def recent(self, node: exp.Expression, op: str) -> Condition:
        """The condition for a comparison with the current time, by its lower bound until the query runs."""
        for one, other, direction in ((node.this, node.expression, op), (node.expression, node.this, FLIPPED[op])):
            term, value = self.term(one), least(other, self.zone)
            if term is not None and value is not None and direction in {"=", ">", ">="}:
                return AllOf((term.compare(">=", value, self.zone), UNKNOWN))
        return UNKNOWN

    def null_safe(self, node: exp.Expression, negated: bool) -> Condition:
        for one, other in ((node.this, node.expression), (node.expression, node.this)):
            column, value = self.column(one), self.literal(other)
            if column is None or value is None:
                continue
            if value == NULL:
                return NullTest(column, negated)
            if not negated:
                return compare(column, "=", value, self.zone)
            return AnyOf((NullTest(column, negated=False), compare(column, "<>", value, self.zone)))
        return UNKNOWN

    def is_test(self, node: exp.Expression, negated: bool) -> Condition:
        if isinstance(node.expression, exp.Boolean) and is_predicate(node.this):
            # IS NOT TRUE is TRUE for NULL as well, which conditions do not cover.
            return UNKNOWN if negated else self.condition(node.this, negated=not node.expression.this)
        column, value = self.column(node.this), self.literal(node.expression)
        if column is None or value is None:
            return UNKNOWN
        if value == NULL:
            return NullTest(column, negated)
        if value.kind != "bool" or column.kind != "boolean":
            return UNKNOWN
        if not negated:
            return Comparison(column, "=", value.value)
        return AnyOf((NullTest(column, negated=False), Comparison(column, "<>", value.value)))

    def one_of(self, node: exp.Expression, negated: bool) -> Condition:
        term = self.term(node.this)
        values = [self.literal(item) for item in node.expressions]
        if term is None or not values:
            return UNKNOWN
        if negated and NULL in values:
            return NEVER
        parts = [
            UNKNOWN if value is None else term.compare("<>" if negated else "=", value, self.zone)
            for value in values
            if value != NULL
        ]
        if isinstance(term, Plain):
            return _joined(term.column, parts, negated)
        return AllOf(tuple(parts)) if negated else AnyOf(tuple(parts))

    def between(self, node: exp.Expression, negated: bool) -> Condition:
        term = self.term(node.this)
        low, high = self.literal(node.args["low"]), self.literal(node.args["high"])
        if term is None:
            return UNKNOWN
        parts = tuple(
            UNKNOWN if value is None else term.compare(NEGATED[op] if negated else op, value, self.zone)
            for op, value in ((">=", low), ("<=", high))
        )
        return AnyOf(parts) if negated else AllOf(parts)

    def like(self, node: exp.Expression, negated: bool) -> Condition:
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
        value = literal(node, self.zone)
        is_safe = value is None or not self.has_escape or value.kind in {"null", "bool", "number", "double", "float"}
        return value if is_safe else None

    def term(self, node: exp.Expression) -> Term | None:
        """The term of a column, or of a supported function of one; None for any other expression."""
        if isinstance(node, exp.Paren):
            return self.term(node.this)
        column = self.column(node)
        if column is not None:
            return Plain(column)
        read = FUNCTIONS.get(type(node).__name__)
        return read(self, node) if read is not None else None

    def column(self, node: exp.Expression) -> BoundedColumn | None:
        """The column that `node` refers to, through casts that keep all values; None for any other expression."""
        if isinstance(node, exp.Paren):
            return self.column(node.this)
        if type(node) is exp.Cast:
            column = self.column(node.this)
            return column if column is not None and is_plain(node) and _preserves_values(column, node.to) else None
        parts = _parts(node)
        return None if parts is None else self.resolve(parts)

    def resolve(self, parts: tuple[str, ...]) -> BoundedColumn | None:
        qualified = self.alias is not None and len(parts) > 1 and parts[0].lower() == self.alias.lower()
        return (self.walk(parts[1:]) if qualified else None) or self.walk(parts)

    def walk(self, parts: tuple[str, ...]) -> BoundedColumn | None:
        fields = fields_at(self.schema, parts)
        if not fields:
            return None
        # Values of such columns compare by other rules than those of their bytes.
        if collation_of(fields[-1].type) is not None or _is_char(fields[-1]) or _was_float(fields[-1]):
            return None
        name = fields[0].name
        path = tuple(physical_name(item) for item in fields)
        return BoundedColumn(path, fields[-1].type, name if name.lower() in self.partitions else None)


_OPS = {"EQ": "=", "NEQ": "<>", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}


def _is_char(item: StructField) -> bool:
    return str(item.metadata.get(TYPE_KEY, "")).lower().startswith("char")


def _was_float(item: StructField) -> bool:
    # Old files hold singles: 0.1 in their statistics is 0.10000000149011612 as a double.
    return any(change.get("fromType") == "float" for change in item.metadata.get(TYPE_CHANGES, ()))


def _parts(node: exp.Expression) -> tuple[str, ...] | None:
    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
        below = _parts(node.this)
        return None if below is None else (*below, node.expression.name)
    if isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier):
        return tuple(part.name for part in node.parts)
    return None


def _joined(column: BoundedColumn, parts: list[Condition], negated: bool) -> Condition:
    """The conditions of an IN list combined: one OneOf for plain comparisons, and the other parts.

    A list without usable values becomes NEVER or IS NOT NULL.
    """
    plain = tuple(part.value for part in parts if isinstance(part, Comparison) and part.op in {"=", "<>"})
    others = [part for part in parts if not isinstance(part, Comparison)]
    lists: list[Condition] = [OneOf(column, plain, negated)] if plain else []
    return AllOf((*lists, *others)) if negated else AnyOf((*lists, *others))


TRUE = Literal("bool", value=True)


def is_predicate(node: exp.Expression) -> bool:
    """Whether `node` is a comparison or a logical combination of comparisons, also in brackets."""
    if isinstance(node, exp.Paren):
        return is_predicate(node.this)
    return isinstance(node, (exp.Predicate, exp.Connector, exp.Not))


def _preserves_values(column: BoundedColumn, target: exp.DataType) -> bool:
    """Whether a cast of the column preserves all values, so that it changes no comparison."""
    name = str(target.this.value)
    if column.kind in INTEGRAL:
        return INTEGRAL.index(column.kind) <= _CASTS.get(name, -1)
    if isinstance(column.type, DecimalType):
        precision, scale = [int(item.name) for item in target.expressions] if len(target.expressions) == 2 else (0, 0)
        whole = column.type.precision - column.type.scale
        return name == "DECIMAL" and scale >= column.type.scale and precision - scale >= whole
    return (column.kind, name) in {("date", "DATE"), ("string", "TEXT"), ("float", "DOUBLE"), ("double", "DOUBLE")}
