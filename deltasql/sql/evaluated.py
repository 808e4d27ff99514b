"""Expressions and queries over one relation, parsed for in-process evaluation with Spark's results.

Covers names, literals, comparisons and sums in conditions and assignments, SELECT … FROM r WHERE … ORDER BY … LIMIT …,
and ``parquet.`/a/path` `` as the relation. Anything else raises LeftToEngineError: results must be right, and coverage
may be small.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TypeAlias, Union

from deltasql.base import LeftToEngineError, Token, require_value, tokenize
from deltasql.schema import (
    BINARY,
    BITS,
    BOOLEAN,
    DATE,
    DOUBLE,
    HIDDEN_PREFIX,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    DataType,
    DecimalType,
    StructField,
    StructType,
    as_decimal,
    case_matters,
    common_of_values,
    has_collations,
    is_integral,
    sql_text,
)
from deltasql.schema import quote_name as quote
from deltasql.sql.constants import Constant, whole_number
from deltasql.sql.expression_types import arithmetic
from deltasql.sql.expressions import (
    Binary,
    Brackets,
    CallNode,
    CaseNode,
    CastTo,
    ColumnNode,
    ComparisonNode,
    IsWord,
    Logic,
    Member,
    Node,
    Not,
    Written,
    expression_tree,
)
from deltasql.sql.queries.query_parts import NO_ALIAS, PlainSelect, inner_query
from deltasql.sql.row_literals import CURRENT, LiteralReader, as_type, current_time, is_special

_ORDERED = frozenset({STRING, DATE, TIMESTAMP, TIMESTAMP_NTZ})
_EQUAL_BYTES = frozenset({STRING, BINARY})
_SAME = frozenset({"=", "<>", "<=>"})
_COMPUTED_BY = frozenset({"+", "-", "*", "/", "%"})
_COMPUTED = frozenset({INTEGER, LONG, DOUBLE})
"""Operand types whose sums and products keep the type: that of narrower ones depends on the column they go into."""
_MOST_COMPARED = 200
"""Items of IN that are compared with each value one by one."""
_ASSIGNED = re.compile(r"CAST\((.*) AS [\w(), ]+\)", re.DOTALL)
_MOST_SHOWN = 80
"""Most characters of an expression in a reason."""


@dataclass(frozen=True, slots=True)
class ColumnOf:
    """A column of the rows with an alias."""

    alias: str
    name: str
    type: DataType


@dataclass(frozen=True, slots=True)
class Widened:
    """A whole number cast to a wider type or to DOUBLE, or an exact number to a decimal of no fewer digits behind the
    point, in which it need not fit.
    """

    value: RowExpression
    type: DataType


@dataclass(frozen=True, slots=True)
class Compared:
    """`operator` is one of = <> < <= > >= <=>; both sides are of one type."""

    operator: str
    left: RowExpression
    right: RowExpression
    type: DataType = BOOLEAN


@dataclass(frozen=True, slots=True)
class Joined:
    """The conjunction (AND) or disjunction (OR) of several conditions."""

    operator: str
    parts: tuple[RowExpression, ...]
    type: DataType = BOOLEAN


@dataclass(frozen=True, slots=True)
class Denied:
    """The negation (NOT) of a condition."""

    value: RowExpression
    type: DataType = BOOLEAN


@dataclass(frozen=True, slots=True)
class IsNull:
    """Whether a value is NULL."""

    value: RowExpression
    type: DataType = BOOLEAN


@dataclass(frozen=True, slots=True)
class InList:
    """`value IN (constants)`, all of one type, which has one way of being equal."""

    value: RowExpression
    constants: tuple[Constant, ...]
    type: DataType = BOOLEAN


@dataclass(frozen=True, slots=True)
class NullIf:
    """`nullif(value, other)`: NULL where both are equal. They are of one type, which has one way of being equal."""

    value: RowExpression
    other: RowExpression
    type: DataType


@dataclass(frozen=True, slots=True)
class Computed:
    """`operator` is one of + - * / %; both sides are of this type, which the result may exceed, or are decimals, and
    the type has all results.

    A divisor is a constant other than 0, for a remainder a whole number above it.
    """

    operator: str
    left: RowExpression
    right: RowExpression
    type: DataType


@dataclass(frozen=True, slots=True)
class Recased:
    """`lower(value)` or `upper(value)`, as `function` says, of a text of ASCII characters."""

    function: str
    value: RowExpression
    type: DataType = STRING


@dataclass(frozen=True, slots=True)
class LikePattern:
    """Whether a text is like a pattern, in which `%` is any text and `_` any character, and nothing is escaped."""

    value: RowExpression
    pattern: str
    type: DataType = BOOLEAN


@dataclass(frozen=True, slots=True)
class FirstOf:
    """`coalesce(…)`: the first value that is not NULL. All are of one type."""

    parts: tuple[RowExpression, ...]
    type: DataType


@dataclass(frozen=True, slots=True)
class Case:
    """The value of the first branch, a condition and a value each, whose condition is TRUE; else `otherwise`.

    All values are of one type.
    """

    branches: tuple[tuple[RowExpression, RowExpression], ...]
    otherwise: RowExpression
    type: DataType


RowExpression: TypeAlias = Union[
    ColumnOf,
    Constant,
    Widened,
    Compared,
    Joined,
    Denied,
    IsNull,
    InList,
    NullIf,
    Computed,
    Recased,
    LikePattern,
    FirstOf,
    Case,
]


@dataclass(frozen=True, slots=True)
class RowScope:
    """The columns that an expression may name: the schema of the rows by each alias.

    `now` is the time of the statement, in microseconds since 1970, UTC. Without it, current_timestamp() is not read.
    `calls` enables the functions and CASE that queries of metadata have.
    """

    schemas: Mapping[str, StructType] = field(default_factory=dict)
    now: int | None = None
    calls: bool = False

    def column(self, parts: Sequence[str]) -> ColumnOf:
        """The column of a name. Raises LeftToEngineError for one that is missing or ambiguous."""
        candidates = list(self._meant(parts))
        if len(candidates) != 1:
            raise LeftToEngineError
        return candidates[0]

    def _meant(self, parts: Sequence[str]) -> Iterator[ColumnOf]:
        if len(parts) > 2:
            raise LeftToEngineError
        for alias, schema in self.schemas.items():
            holder = schema.find(parts[0]) if len(parts) == 2 else None
            if holder is not None and isinstance(holder.type, StructType) and holder.type.find(parts[1]) is not None:
                # A field of a struct, or a column of the rows with that name.
                raise LeftToEngineError
            if len(parts) == 1 or is_called(alias, parts[0]):
                item = schema.find(parts[-1])
                if item is not None:
                    yield ColumnOf(alias, item.name, _type_of(item))


def is_called(alias: str, name: str) -> bool:
    """Whether `name` is the alias, under the statement's setting of letter case."""
    return alias == name or (not case_matters() and alias.lower() == name.lower())


def row_expression(text: str, scope: RowScope) -> RowExpression:
    """`text` parsed over the columns of a scope. Raises LeftToEngineError if this process cannot evaluate it."""
    try:
        return _row_expression(text, scope)
    except LeftToEngineError as left:
        raise LeftToEngineError(left.reason or not_evaluated(text)) from None


def not_evaluated(text: str) -> str:
    """The reason why an engine must compute an expression."""
    # The cast to the column's type is the planner's.
    inner = _ASSIGNED.fullmatch(text)
    shown = " ".join((text if inner is None else inner[1]).split())
    shown = shown if len(shown) <= _MOST_SHOWN else f"{shown[: _MOST_SHOWN - 1]}…"
    return f"{shown} is not evaluated in this process"


def _row_expression(text: str, scope: RowScope) -> RowExpression:
    if is_special(text):
        raise LeftToEngineError
    try:
        return _Evaluation(scope)(expression_tree(text))
    except (RecursionError, ValueError):
        raise LeftToEngineError from None


def row_condition(text: str, scope: RowScope) -> RowExpression:
    """As `row_expression`, for a condition: its type is BOOLEAN. Raises LeftToEngineError for any other text."""
    expression = row_expression(text, scope)
    if expression.type != BOOLEAN:
        raise LeftToEngineError(not_evaluated(text))
    return expression


def value_of(text: str, kind: DataType, scope: RowScope) -> RowExpression:
    """As `row_expression`, for the value of a column of this type. Raises LeftToEngineError for another type."""
    if text == f"CAST(NULL AS {sql_text(kind)})":
        return Constant(kind, None)
    expression = row_expression(text, scope)
    if expression.type != kind:
        raise LeftToEngineError(f"{not_evaluated(text)} as {sql_text(kind)}")
    return expression


def is_ordered(kind: DataType) -> bool:
    """Whether Arrow orders values of a type as Spark does."""
    return kind in _ORDERED or is_integral(kind) or isinstance(kind, DecimalType)


def columns_of(expression: RowExpression) -> Iterator[ColumnOf]:
    """The columns that an expression reads."""
    match expression:
        case ColumnOf():
            yield expression
        case Widened(value) | Denied(value) | IsNull(value) | InList(value) | Recased(_, value) | LikePattern(value):
            yield from columns_of(value)
        case Compared(_, left, right) | Computed(_, left, right) | NullIf(left, right):
            yield from columns_of(left)
            yield from columns_of(right)
        case Joined(_, parts) | FirstOf(parts):
            for part in parts:
                yield from columns_of(part)
        case Case(branches, otherwise):
            for part in (*(part for branch in branches for part in branch), otherwise):
                yield from columns_of(part)


def may_be_null(expression: RowExpression, scope: RowScope) -> bool:
    """Whether Spark takes the value of an expression for one that may be NULL.

    Raises LeftToEngineError where that is not certain.
    """
    match expression:
        case ColumnOf(alias, name):
            return require_value(scope.schemas[alias].find(name)).nullable
        case Constant():
            return expression.value is None
        case IsNull() | Compared("<=>"):
            return False
        case FirstOf(parts):
            return all(may_be_null(part, scope) for part in parts)
        case _:
            return any(may_be_null(part, scope) for part in _parts_of_null(expression))


def _parts_of_null(expression: RowExpression) -> Sequence[RowExpression]:
    """The parts of which one that may be NULL makes the whole such. Raises LeftToEngineError where that is unknown."""
    match expression:
        case Denied(value) | Recased(_, value) | LikePattern(value):
            return (value,)
        case Compared(_, left, right):
            return (left, right)
        case InList(value, constants):
            return (value, *constants)
        case Joined(_, parts):
            return parts
        case Case(branches, otherwise):
            return (*(value for _, value in branches), otherwise)
        case _:
            raise LeftToEngineError


def _type_of(item: StructField) -> DataType:
    if has_collations(item.type):
        raise LeftToEngineError
    return item.type


class _Evaluation:
    """Makes the tree of an expression one that this process evaluates, over the columns of a scope.

    Raises LeftToEngineError for a node that it does not evaluate.
    """

    def __init__(self, scope: RowScope) -> None:
        self.scope = scope

    def __call__(self, node: Node) -> RowExpression:
        match node:
            case Brackets(value):
                return self(value)
            case Written(tokens):
                return LiteralReader(tokens, zone=None, now=self.scope.now).literal()
            case ColumnNode():
                return self.scope.column(node.names)
            case Logic(operator, parts):
                return _joined(operator, [*map(self, parts)])
            case Not(value):
                return Denied(_truth(self(value)))
            case IsWord(value, "NULL", denied):
                found: RowExpression = IsNull(self(value))
                return Denied(found) if denied else found
            case ComparisonNode(operator, left, right):
                return _compared(operator, self(left), self(right))
            case Member(value, word, others, denied):
                found = self.member(self(value), word, [*map(self, others)])
                return Denied(found) if denied else found
            case _:
                return self.computed(node)

    def computed(self, node: Node) -> RowExpression:
        """Operators with values, functions and casts."""
        match node:
            case Binary(operator, left, right) if operator in _COMPUTED_BY:
                return _computed(operator, self(left), self(right))
            case CastTo(value, kind):
                return _cast(self(value), kind)
            case CallNode():
                return self.call(node)
            case CaseNode() if self.scope.calls:
                return self.case(node)
            case _:
                raise LeftToEngineError

    def member(self, value: RowExpression, word: str, others: Sequence[RowExpression]) -> RowExpression:
        match word:
            case "IN":
                # Spark brings a list to one type.
                if len({item.type for item in others}) > 1:
                    raise LeftToEngineError
                return _one_of(value, others)
            case "BETWEEN":
                low, high = others
                return _joined("AND", [_compared(">=", value, low), _compared("<=", value, high)])
            case "LIKE" if self.scope.calls:
                return _like(value, others[0])
            case _:
                raise LeftToEngineError

    def call(self, node: CallNode) -> RowExpression:
        function = node.function.key
        if function in CURRENT and not (node.arguments or node.star):
            return current_time(function, require_value(self.scope.now), None)
        if not self._takes(node):
            raise LeftToEngineError
        parts = [*map(self, node.arguments)]
        match function:
            case "NULLIF":
                return _nullif(*parts)
            case "LOWER" | "LCASE":
                return _recased("lower", parts[0])
            case "UPPER" | "UCASE":
                return _recased("upper", parts[0])
            case "IF":
                return _case([(parts[0], parts[1])], parts[2])
            case _:
                parts = _of_one_type(parts)
                return FirstOf(tuple(parts), parts[0].type)

    def _takes(self, node: CallNode) -> bool:
        """Whether this process evaluates a call with so many arguments."""
        function, number = node.function.key, len(node.arguments)
        if node.star or node.distinct or function not in _CALLS or not (self.scope.calls or function == "NULLIF"):
            return False
        least, most = _CALLS[function]
        return least <= number <= (most or number)

    def case(self, node: CaseNode) -> RowExpression:
        subject = None if node.subject is None else self(node.subject)
        branches = [
            (self(when) if subject is None else _compared("=", subject, self(when)), self(then))
            for when, then in node.branches
        ]
        return _case(branches, Constant(VOID, None) if node.otherwise is None else self(node.otherwise))


_CALLS = {
    **dict.fromkeys(("LOWER", "LCASE", "UPPER", "UCASE"), (1, 1)),
    "IF": (3, 3),
    "NULLIF": (2, 2),
    "COALESCE": (1, None),
    **dict.fromkeys(("NVL", "IFNULL"), (2, 2)),
}
"""Functions with the least and the greatest number of their arguments."""


def _recased(function: str, value: RowExpression) -> RowExpression:
    if value.type != STRING:
        raise LeftToEngineError
    return Recased(function, value)


def _nullif(value: RowExpression, other: RowExpression) -> RowExpression:
    if value.type not in _EQUAL_BYTES or value.type != other.type:
        raise LeftToEngineError
    return NullIf(value, other, value.type)


def _like(value: RowExpression, pattern: RowExpression) -> RowExpression:
    if not (isinstance(pattern, Constant) and value.type == pattern.type == STRING):
        raise LeftToEngineError
    text = pattern.value
    if not isinstance(text, str) or "\\" in text:
        raise LeftToEngineError
    return LikePattern(value, text)


def _cast(value: RowExpression, target: DataType) -> RowExpression:
    if isinstance(value, Constant):
        return Constant(target, as_type(value.value, value.type, target, None))
    return _widened(value, target)


def _case(branches: Sequence[tuple[RowExpression, RowExpression]], otherwise: RowExpression) -> RowExpression:
    conditions = [_truth(condition) for condition, _ in branches]
    *parts, last = _of_one_type([*(value for _, value in branches), otherwise])
    return Case(tuple(zip(conditions, parts, strict=True)), last, last.type)


def _of_one_type(parts: Sequence[RowExpression]) -> list[RowExpression]:
    """The values, with NULL as a value of the type that all others have. Raises LeftToEngineError for several types."""
    kinds = {part.type for part in parts if part.type != VOID}
    if len(kinds) != 1:
        # Spark brings values to one type.
        raise LeftToEngineError
    (kind,) = kinds
    return [Constant(kind, None) if part.type == VOID else part for part in parts]


def _truth(value: RowExpression) -> RowExpression:
    if value.type != BOOLEAN:
        raise LeftToEngineError
    return value


def _joined(operator: str, parts: Sequence[RowExpression]) -> RowExpression:
    return parts[0] if len(parts) == 1 else Joined(operator, tuple(map(_truth, parts)))


def _widened(value: RowExpression, target: DataType) -> RowExpression:
    """`value` cast to `target`, which has all values of the type of `value`, or is DOUBLE."""
    if value.type == target:
        return value
    if value.type == VOID:
        return Constant(target, None)
    is_wider = is_integral(value.type) and is_integral(target) and BITS[value.type] < BITS[target]
    if not (is_wider or _is_exact(value.type, target) or (target == DOUBLE and _is_known_as_double(value))):
        raise LeftToEngineError
    if isinstance(value, Constant):
        return Constant(target, as_type(value.value, value.type, target, None))
    return Widened(value, target)


def _is_exact(source: DataType, target: DataType) -> bool:
    """Whether no digit behind the point is lost in the decimal `target`."""
    decimal = as_decimal(source)
    return isinstance(target, DecimalType) and decimal is not None and decimal.scale <= target.scale


def _is_known_as_double(value: RowExpression) -> bool:
    return is_integral(value.type) or (isinstance(value, Constant) and isinstance(value.type, DecimalType))


def _alike(left: RowExpression, right: RowExpression) -> tuple[RowExpression, RowExpression]:
    """Both operands, cast to the wider one of their types."""
    if is_integral(left.type) and is_integral(right.type):
        wider = max(left.type, right.type, key=BITS.__getitem__)
        return _widened(left, wider), _widened(right, wider)
    if DOUBLE in {left.type, right.type}:
        return _widened(left, DOUBLE), _widened(right, DOUBLE)
    if _has_decimal(left, right):
        left, right = _as_decimal(left), _as_decimal(right)
        common = common_of_values([left.type, right.type])
        if common is None:
            raise LeftToEngineError
        return _widened(left, common), _widened(right, common)
    if left.type != right.type:
        raise LeftToEngineError
    return left, right


def _compared(operator: str, left: RowExpression, right: RowExpression) -> RowExpression:
    left, right = _alike(left, right)
    kind = left.type
    if not (is_ordered(kind) or kind == DOUBLE or (kind == BOOLEAN and operator in _SAME)):
        raise LeftToEngineError
    return Compared(operator, left, right)


def _one_of(value: RowExpression, items: Sequence[RowExpression]) -> RowExpression:
    """`value IN (items)`: looked up where the items are constants of a type that allows it, else compared."""
    pairs = [_alike(value, item) for item in items]
    kind = pairs[0][0].type
    constants = tuple(item for _, item in pairs if isinstance(item, Constant) and item.type == kind)
    if len(constants) == len(items) and is_ordered(kind) and all(left.type == kind for left, _ in pairs):
        return InList(pairs[0][0], constants)
    if len(items) > _MOST_COMPARED:
        raise LeftToEngineError
    return _joined("OR", [_compared("=", value, item) for item in items])


def _computed(operator: str, left: RowExpression, right: RowExpression) -> RowExpression:
    if operator == "/" and is_integral(left.type) and is_integral(right.type):
        # The quotient of two whole numbers is a DOUBLE as well.
        left, right = _widened(left, DOUBLE), _widened(right, DOUBLE)
    if DOUBLE not in {left.type, right.type} and _has_decimal(left, right):
        return _computed_exactly(operator, _as_decimal(left), _as_decimal(right))
    left, right = _alike(left, right)
    if left.type not in _COMPUTED or not _may_divide(operator, right):
        raise LeftToEngineError
    return Computed(operator, left, right, left.type)


def _computed_exactly(operator: str, left: RowExpression, right: RowExpression) -> RowExpression:
    """A sum, a difference or a product of decimals, whose type has all results."""
    kind = arithmetic(operator, left.type, right.type)
    if kind is None:
        raise LeftToEngineError
    return Computed(operator, left, right, kind)


def _has_decimal(*sides: RowExpression) -> bool:
    return any(isinstance(side.type, DecimalType) for side in sides)


def _as_decimal(value: RowExpression) -> RowExpression:
    """An exact number as a decimal, of as many digits as a whole number has that is written out."""
    number = value.value if isinstance(value, Constant) and is_integral(value.type) else None
    kind = as_decimal(value.type, len(str(abs(number))) if isinstance(number, int) else 0)
    if kind is None:
        raise LeftToEngineError
    return _widened(value, kind)


def _may_divide(operator: str, divisor: RowExpression) -> bool:
    """Whether the divisor is valid, or the operator no division."""
    if operator not in {"/", "%"}:
        return True
    if not isinstance(divisor, Constant) or divisor.value is None:
        return False
    return bool(divisor.value) if operator == "/" else is_integral(divisor.type) and divisor.value > 0  # type: ignore[operator]


@dataclass(frozen=True, slots=True)
class Order:
    """An item of ORDER BY: the name of a column of the result, or its number from 1."""

    column: str | int
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class Selection:
    """`columns` as by `plain_columns`, of a relation with an `alias`; `where` is SQL, None without one.

    `computed` are the columns that are expressions: the name by which `columns` has each, and its SQL.
    """

    columns: tuple[tuple[str, str], ...]
    alias: str
    where: str | None
    order: tuple[Order, ...]
    limit: int | None
    computed: tuple[tuple[str, str], ...] = ()


def selection(sql: str, relation: str, *, computes: bool = False) -> Selection:
    """The parsed query over `relation`; with `computes` its columns may be expressions that have a name.

    Raises LeftToEngineError for any other query.
    """
    sql = inner_query(sql)
    reader = _SelectionReader(sql, computes)
    try:
        columns, alias = reader.columns(relation)
        parsed = Selection(
            columns, alias, reader.where(sql), reader.order(), reader.limit(), tuple(reader.computed.items())
        )
        reader.end()
    except LeftToEngineError:
        raise LeftToEngineError("the query is more than columns, WHERE, ORDER BY and LIMIT of one table") from None
    return parsed


@dataclass(frozen=True, slots=True)
class Counting:
    """SELECT count(*) AS name FROM relation AS alias WHERE where, which is SQL; None is a name that Spark makes."""

    name: str | None
    alias: str
    where: str


def counting(sql: str, relation: str) -> Counting:
    """The parsed query for the number of rows of `relation`. Raises LeftToEngineError for any other query."""
    reader = _SelectionReader(sql)
    parsed = Counting(*reader.count(relation), require_value(reader.where(sql)))
    reader.end()
    return parsed


class _SelectionReader(PlainSelect):
    def __init__(self, sql: str, computes: bool = False) -> None:
        super().__init__(sql)
        self.sql, self.computes = sql, computes
        self.computed: dict[str, str] = {}

    def _item(self) -> tuple[list[str], str]:
        start = self.at
        if not self.computes:
            return super()._item()
        try:
            item = super()._item()
            if self.key in {",", "FROM"}:
                return item
        except LeftToEngineError:
            pass
        self.at = start
        *tokens, last = self.before(",", "FROM")
        if len(tokens) > 1 and tokens[-1].key == "AS":
            tokens.pop()
        elif not tokens or tokens[-1].key not in {")", "END"}:
            # Spark makes a name.
            raise LeftToEngineError
        if not last.is_name or last.key in NO_ALIAS:
            raise LeftToEngineError
        hidden = f"{HIDDEN_PREFIX}computed_{len(self.computed)}"
        self.computed[hidden] = self.sql[tokens[0].start : tokens[-1].end]
        return [hidden], last.name

    def count(self, relation: str) -> tuple[str | None, str]:
        """The name of the column with the number, if it is given one, and the alias of the relation."""
        for word in ("SELECT", "COUNT", "("):
            self.need(word)
        if not self.take("*", "1"):
            raise LeftToEngineError
        self.need(")")
        return None if self.key == "FROM" else self._alias(), self._source(relation)

    def where(self, sql: str) -> str | None:
        if not self.take("WHERE"):
            return None
        found = self.before("ORDER", "LIMIT")
        return sql[found[0].start : found[-1].end]

    def order(self) -> tuple[Order, ...]:
        if not self.take("ORDER"):
            return ()
        self.need("BY")
        return tuple(self.listed(self._ordered))

    def _ordered(self) -> Order:
        column = require_value(whole_number(self.next().text)) if self.kind == "number" else self.name()
        return Order(column, *self.sort_direction())

    def limit(self) -> int | None:
        if not self.take("LIMIT"):
            return None
        token = self.next()
        return require_value(whole_number(token.text) if token.kind == "number" else None)


_SUSPECT = re.compile(r"\bparquet\s*\.\s*`", re.IGNORECASE)


def parquet_paths(sql: str) -> list[tuple[Token, Token]]:
    """The first and the last token of each ``parquet.`path` `` in a text."""
    return list(_path_tokens(tokenize(sql))) if _SUSPECT.search(sql) else []


def _path_tokens(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    for index in range(len(tokens) - 2):
        first, dot, last = tokens[index : index + 3]
        is_whole = index == 0 or tokens[index - 1].key != "."
        if is_whole and first.key == "PARQUET" and dot.key == "." and last.kind == "quoted" and "/" in last.name:
            yield first, last


@dataclass(frozen=True, slots=True)
class PathQuery:
    """A query with `relation`, a name of ours, in place of the ``parquet.`path` `` that it is over."""

    sql: str
    relation: str
    path: str


def without_parquet_path(sql: str) -> PathQuery | None:
    """The query with a view in place of its one path; None for a query with none or several."""
    paths = parquet_paths(sql)
    if len(paths) != 1:
        return None
    ((first, last),) = paths
    view = view_of(last.name)
    return PathQuery(sql[: first.start] + quote(view) + sql[last.end :], view, last.name)


def view_of(path: str) -> str:
    """The name of the view of the files that a path stands for."""
    return f"{HIDDEN_PREFIX}parquet_{sha256(path.encode()).hexdigest()[:16]}"
