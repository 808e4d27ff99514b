"""The rows of an operator that this process has without an engine: constants, rows in memory, small tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from deltasql.engine.reading.literal_rows import literal_table
from deltasql.engine.reading.plain_scans import plain_scan
from deltasql.engine.reading.scans import scan_size
from deltasql.engine.session.spark import SparkHandle
from deltasql.engine.session.tuning import FEW_BYTES
from deltasql.plan.operators import HeldRows, Literals, Operator, Query, Scan, Supplied
from deltasql.schema.types import StructType
from deltasql.sql.cursor import LeftToSparkError
from deltasql.sql.evaluated.queries import constant_rows

if TYPE_CHECKING:
    import pyarrow as pa

MOST_FILES = 64


@dataclass(frozen=True, eq=False, slots=True)
class HereRows:
    """Columns, and how to read the rows. Raises what `PlainScan.table` raises."""

    schema: StructType
    read: Callable[[], pa.Table]


def here_rows(spark: SparkHandle, operator: Operator) -> HereRows:
    """The rows of `operator`. Raises LeftToSparkError where they are many, or not certain without an engine."""
    if isinstance(operator, Supplied) and isinstance(operator.frame, HeldRows) and not operator.names:
        operator = operator.frame
    if isinstance(operator, HeldRows):
        held = operator.table
        return HereRows(operator.schema, lambda: held)
    constants = constants_of(operator)
    if constants is not None:
        return HereRows(constants.schema, partial(literal_table, constants))
    plain = plain_scan(spark, operator)
    if plain is None or not is_small(plain.scan):
        raise LeftToSparkError
    return HereRows(plain.schema, partial(plain.table, spark))


def known_schema(spark: SparkHandle, operator: Operator) -> StructType | None:
    """The columns of `operator` where no engine need be asked."""
    if not spark.leaves_computing_to_us:
        return None
    known = constants_of(operator) or plain_scan(spark, operator)
    return None if known is None else known.schema


def constants_of(operator: Operator) -> Literals | None:
    """The rows of a query of constants alone; None for anything else."""
    if isinstance(operator, Literals):
        return operator
    if not isinstance(operator, Query) or operator.relations or operator.settings or operator.view or operator.renames:
        return None
    return constant_rows(operator.sql)


def is_small(scan: Scan) -> bool:
    """Whether the rows of a scan cost less to be read whole than an engine to be asked."""
    return scan_size(scan) <= FEW_BYTES and scan.files.num_rows <= MOST_FILES
