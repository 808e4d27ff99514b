"""In-process evaluation of expressions over Arrow tables, with Spark's semantics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

from typing_extensions import assert_never

from deltasql.base.errors.base import LeftToEngineError
from deltasql.base.lazy import Numbers, np, pa, pc
from deltasql.files.reading.file_tables import literal_table
from deltasql.plan.operators import Literals
from deltasql.schema.type_lattice import DIGITS_OF_LONG, MOST_DIGITS
from deltasql.schema.types import DOUBLE, VOID, DataType, DecimalType, StructField, StructType
from deltasql.sql.constants import Constant
from deltasql.sql.evaluated.expressions import (
    ColumnOf,
    Compared,
    Computed,
    Denied,
    IsNull,
    Joined,
    NullIf,
    RowExpression,
    Widened,
)

_COMPARE = {
    "=": "equal",
    "<>": "not_equal",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
}
"""Arrow's functions for comparison operators; they return NULL where Spark's do."""
_CHECKED = {"+": "add_checked", "-": "subtract_checked", "*": "multiply_checked"}
_OF_DOUBLES = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}


@dataclass(frozen=True, eq=False, slots=True)
class BoundRows:
    """`count` joined rows: row n consists of row n of each table, by alias."""

    tables: Mapping[str, pa.Table]
    count: int

    def column(self, alias: str, name: str) -> pa.ChunkedArray:
        return self.tables[alias].column(name)

    def at(self, row_indexes: Numbers) -> BoundRows:
        """The rows with some row indexes."""
        return BoundRows({alias: table.take(row_indexes) for alias, table in self.tables.items()}, len(row_indexes))


def rows_of(alias: str, table: pa.Table) -> BoundRows:
    """The rows of one table."""
    return BoundRows({alias: table}, table.num_rows)


def values(expression: RowExpression, rows: BoundRows) -> pa.Array | pa.ChunkedArray:
    """The expression's value for each row. Raises LeftToEngineError for arithmetic that overflows."""
    result = _values(expression, rows)
    return _repeated(result, rows.count) if isinstance(expression, Constant) else result


def _values(expression: RowExpression, rows: BoundRows) -> Any:
    """As `values`, but a constant yields an Arrow scalar."""
    match expression:
        case ColumnOf(alias, name):
            return rows.column(alias, name)
        case Constant():
            return _scalar(expression)
        case Widened(value, kind):
            return _cast(values(value, rows), kind)
        case Compared(operator, left, right):
            return _compared(operator, left.type, *_sides(left, right, rows))
        case Joined(operator, parts):
            how = partial(_joined, f"{operator.lower()}_kleene")
            return reduce(how, (values(part, rows) for part in parts))
        case Denied(value):
            return pc.invert(values(value, rows))
        case IsNull(value):
            return pc.is_null(values(value, rows))
        case NullIf(value, other):
            of_rows = values(value, rows)
            equal = pc.fill_null(pc.equal(of_rows, _values(other, rows)), fill_value=False)
            return pc.if_else(equal, pa.scalar(None, of_rows.type), of_rows)
        case Computed(operator, left, right, kind):
            return _computed(operator, kind, *_sides(left, right, rows))
        case _:
            assert_never(expression)


def _sides(left: RowExpression, right: RowExpression, rows: BoundRows) -> tuple[Any, Any]:
    """The values of both sides; one constant side stays an Arrow scalar."""
    return values(left, rows) if isinstance(right, Constant) else _values(left, rows), _values(right, rows)


def computed_table(expressions: Iterable[RowExpression], rows: BoundRows, schema: pa.Schema) -> pa.Table:
    """A table of `schema` with the values of expressions, one per column."""
    return pa.Table.from_arrays([values(item, rows) for item in expressions], names=schema.names).cast(schema)


def indexes_where(condition: RowExpression | None, rows: BoundRows) -> Numbers:
    """Ascending indexes of the rows for which a condition is TRUE; all rows if there is no condition."""
    return np.arange(rows.count) if condition is None else np.flatnonzero(true_mask(condition, rows))


def true_mask(condition: RowExpression, rows: BoundRows) -> Numbers:
    """Boolean array: for each row, whether a condition is TRUE."""
    mask: Numbers = pc.fill_null(values(condition, rows), fill_value=False).to_numpy(zero_copy_only=False)
    return mask


def _joined(
    how: str, left: pa.Array | pa.ChunkedArray, right: pa.Array | pa.ChunkedArray
) -> pa.Array | pa.ChunkedArray:
    return pc.call_function(how, [left, right])


def _compared(operator: str, kind: DataType, left: Any, right: Any) -> pa.Array | pa.ChunkedArray:
    if operator == "<=>":
        both = pc.and_(pc.is_null(left), pc.is_null(right))
        return pc.or_(both, pc.fill_null(_compared("=", kind, left, right), fill_value=False))
    mask = pc.call_function(_COMPARE[operator], [left, right])
    return mask if kind != DOUBLE else _with_nan(operator, left, right, mask)


def _with_nan(operator: str, left: Any, right: Any, mask: Any) -> pa.Array | pa.ChunkedArray:
    """Arrow's comparison result `mask` for DOUBLEs, corrected to Spark's rules: NaN = NaN, and NaN is the greatest."""
    if operator[0] == ">":
        return _with_nan(operator.replace(">", "<"), right, left, mask)
    mine, others = pc.is_nan(left), pc.is_nan(right)
    match operator:
        case "=":
            return pc.or_(mask, pc.and_(mine, others))
        case "<>":
            return pc.and_not(mask, pc.and_(mine, others))
        case "<":
            return pc.or_(mask, pc.and_not(others, mine))
        case _:
            return pc.or_(mask, others)


def _computed(operator: str, kind: DataType, left: Any, right: Any) -> pa.Array | pa.ChunkedArray:
    if operator == "%":
        # With the sign of the dividend, as in Spark.
        return pc.subtract(left, pc.multiply(pc.divide(left, right), right))
    try:
        return pc.call_function((_OF_DOUBLES if kind == DOUBLE else _CHECKED)[operator], [left, right])
    except pa.ArrowInvalid:
        # A setting of Spark decides between an error and NULL.
        raise LeftToEngineError("the result of an expression is beyond its type") from None


def _cast(values: pa.Array | pa.ChunkedArray, kind: DataType) -> pa.Array | pa.ChunkedArray:
    """Values as a wider type. Raises LeftToEngineError for one that has too many digits for a decimal."""
    from deltasql.schema.result_arrow import arrow_type

    try:
        if isinstance(kind, DecimalType) and pa.types.is_integer(values.type):
            # First to a type that has any number of the source: Arrow wants that.
            values = values.cast(pa.decimal128(min(MOST_DIGITS, DIGITS_OF_LONG + kind.scale), kind.scale))
        # Of a DOUBLE the nearest one.
        return values.cast(arrow_type(kind), safe=isinstance(kind, DecimalType))
    except pa.ArrowInvalid:
        # A setting of Spark decides between an error and NULL.
        raise LeftToEngineError("a value has too many digits for its type") from None


def _scalar(constant: Constant) -> pa.Scalar:
    if constant.type == VOID:
        return pa.scalar(None)
    column = StructType((StructField("value", constant.type),))
    return literal_table(Literals(column, ((constant.value,),))).column(0)[0]


def _repeated(scalar: pa.Scalar, count: int) -> pa.Array:
    return pa.repeat(scalar, count)
