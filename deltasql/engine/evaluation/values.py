"""The values of expressions over rows in memory, as Spark would have them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

from typing_extensions import assert_never

from deltasql.engine.reading.literal_rows import literal_table
from deltasql.plan.operators import Literals
from deltasql.schema.types import StructField, StructType
from deltasql.sql.constants import Constant
from deltasql.sql.cursor import LeftToSparkError
from deltasql.sql.evaluated.expressions import ColumnOf, Compared, Denied, IsNull, Joined, RowExpression, Sum, Widened

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Numbers = np.ndarray[Any, Any]

_COMPARE = {
    "=": "equal",
    "<>": "not_equal",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
}
"""Arrow's names of operators, which give NULL where Spark's do."""


@dataclass(frozen=True, eq=False, slots=True)
class Rows:
    """So many rows, each made of one row of each of several tables, which go by their aliases."""

    tables: Mapping[str, pa.Table]
    count: int

    def column(self, alias: str, name: str) -> pa.ChunkedArray:
        return self.tables[alias].column(name)

    def at(self, places: Numbers) -> Rows:
        """The rows at some places."""
        return Rows({alias: table.take(places) for alias, table in self.tables.items()}, len(places))


def rows_of(alias: str, table: pa.Table) -> Rows:
    """The rows of one table."""
    return Rows({alias: table}, table.num_rows)


def values(expression: RowExpression, rows: Rows) -> pa.Array | pa.ChunkedArray:
    """The value for each row. Raises LeftToSparkError for a sum that its type cannot hold."""
    import pyarrow.compute as pc

    from deltasql.result_arrow import arrow_type

    match expression:
        case ColumnOf(alias, name):
            return rows.column(alias, name)
        case Constant():
            return _repeated(expression, rows.count)
        case Widened(value, kind):
            return values(value, rows).cast(arrow_type(kind))
        case Compared(operator, left, right):
            return _compared(operator, values(left, rows), values(right, rows))
        case Joined(operator, parts):
            how = partial(_joined, f"{operator.lower()}_kleene")
            return reduce(how, (values(part, rows) for part in parts))
        case Denied(value):
            return pc.invert(values(value, rows))
        case IsNull(value):
            return pc.is_null(values(value, rows))
        case Sum(operator, left, right):
            return _sum(operator, values(left, rows), values(right, rows))
        case _:
            assert_never(expression)


def places_where(condition: RowExpression | None, rows: Rows) -> Numbers:
    """Where a condition is TRUE, in order; everywhere where there is none."""
    import numpy as np
    import pyarrow.compute as pc

    if condition is None:
        return np.arange(rows.count)
    holds = pc.fill_null(values(condition, rows), fill_value=False)
    return np.flatnonzero(holds.to_numpy(zero_copy_only=False))


def _joined(
    how: str, left: pa.Array | pa.ChunkedArray, right: pa.Array | pa.ChunkedArray
) -> pa.Array | pa.ChunkedArray:
    import pyarrow.compute as pc

    return pc.call_function(how, [left, right])


def _compared(
    operator: str, left: pa.Array | pa.ChunkedArray, right: pa.Array | pa.ChunkedArray
) -> pa.Array | pa.ChunkedArray:
    import pyarrow.compute as pc

    if operator != "<=>":
        return pc.call_function(_COMPARE[operator], [left, right])
    both = pc.and_(pc.is_null(left), pc.is_null(right))
    return pc.or_(both, pc.fill_null(pc.equal(left, right), fill_value=False))


def _sum(
    operator: str, left: pa.Array | pa.ChunkedArray, right: pa.Array | pa.ChunkedArray
) -> pa.Array | pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return pc.add_checked(left, right) if operator == "+" else pc.subtract_checked(left, right)
    except pa.ArrowInvalid:
        # What becomes of it, a setting of Spark's says.
        raise LeftToSparkError from None


def _repeated(constant: Constant, count: int) -> pa.Array:
    import pyarrow as pa

    one = literal_table(Literals(StructType((StructField("value", constant.type),)), ((constant.value,),)))
    return pa.repeat(one.column(0)[0], count)
