"""Rearrangement of rows (OPTIMIZE) in new files: in file order or along a space-filling curve, in one Spark job.

See `engines.curves`. Everything is Spark SQL over plain columns, so that no row leaves the JVM.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from deltasql.base import F, LeftToEngineError, np, pa, pc
from deltasql.engines.curves import SAMPLED_ROWS, SEED, Line, boundaries, range_bits
from deltasql.engines.rewriting import bin_numbers, bin_sizes, data_schema, may_copy_rows, united
from deltasql.engines.spark.reading.scans import file_key, file_rows, partition_value
from deltasql.engines.spark.session.local_rows import lookup
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.engines.spark.writing import SparkStage
from deltasql.files import ORIGIN, Staged, count_live_rows
from deltasql.plan import Rearrange, hidden, hidden_names
from deltasql.schema import DataType, DecimalType, Path, PrimitiveType, StructField, StructType, resolve
from deltasql.schema import quote_name as quote

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def search_steps(bits: int) -> Iterator[int]:
    """The steps of a binary search among 2^bits - 1 boundaries."""
    return (1 << level for level in reversed(range(bits)))


def search_sql(value: str, at_or_below: str, bounds: str, step: int) -> str:
    """One step of the search: `at_or_below` boundaries are at or below `value` for sure; the next sum of them."""
    return f"{at_or_below} + IF({value} >= get({bounds}, {at_or_below} + {step - 1}), {step}, 0)"


def digit_sql(line: Line, ranges: Sequence[str], level: int) -> str:
    """The bits of one level, the first column's highest."""
    bits = (f"shiftleft(shiftright({name}, {level}) & 1, {line.columns - 1 - at})" for at, name in enumerate(ranges))
    return f"CAST({' | '.join(bits)} AS INT)"


_LONGEST = (1 << 63) - 1


def _stored_partitions(operator: Rearrange) -> tuple[StructField, ...]:
    """The partition columns that the new files contain, too; none unless the operator `stores_partitions`."""
    if not operator.stores_partitions:
        return ()
    fields = (operator.target.schema.find(name) for name in operator.target.partition_columns)
    return tuple(field for field in fields if field is not None)


def arranged(spark: SparkHandle, operator: Rearrange, stage: SparkStage) -> tuple[Staged, tuple[int, ...]]:
    """Stages the new files; the `origin` of each is a number, and the tuple has the bin of each number."""
    plain = operator.curve is None and not _stored_partitions(operator)
    if plain and may_copy_rows(spark, operator.target, stage, bin_sizes(operator)):
        with suppress(LeftToEngineError):
            return united(spark, operator, stage), bin_numbers(operator)
        stage.discard()
    rows = _numbered(spark, operator)
    if operator.curve is None:
        bins = bin_numbers(operator)
        rows, order = rows.withColumn(ORIGIN, rows[hidden_names.BIN]), [hidden_names.FILE_NUMBER, hidden_names.FILE_ROW]
    else:
        bins = tuple(number for number, slices in enumerate(operator.slices) for _ in range(slices))
        rows, order = (
            _OnCurve(spark, operator, rows, count_live_rows(spark.stores, operator.target.files)).placed(),
            [hidden_names.PLACE],
        )
    if spark.capabilities.repartition_by_id:
        # The task number is the file number, so that each file is written whole and in order by one task.
        rows = rows.repartitionById(len(bins), rows[ORIGIN]).sortWithinPartitions(ORIGIN, *order)
    else:
        rows = rows.orderBy(ORIGIN, *order)
    partitions = _stored_partitions(operator)
    schema = StructType((*data_schema(operator), *partitions))
    ids = [] if operator.target.row_ids is None else [hidden_names.ROW_ID, hidden_names.ROW_VERSION]
    rows = rows.select(*(quote(field.name) for field in schema), *ids, ORIGIN)
    unindexed = [field.name for field in partitions]
    return stage.write(rows, schema, origins=True, row_ids=operator.target.row_ids, unindexed=unindexed), bins


def _numbered(spark: SparkHandle, operator: Rearrange) -> DataFrame:
    """The live rows with BIN, FILE_NUMBER (index of the file in the target's file list) and FILE_ROW (row index).

    Also with the partition columns, where they are to be stored.
    """
    paths = operator.target.files.column("location").to_pylist()
    key, key_of = file_key(spark, operator.target, paths)
    rows = file_rows(
        spark,
        operator.target,
        data_schema(operator),
        {hidden_names.ARRANGED_FILE: key, hidden_names.FILE_ROW: "_metadata.row_index"},
    )
    files = pa.table(
        {
            hidden_names.ARRANGED_FILE: pa.array([key_of(path) for path in paths], pa.string()),
            hidden_names.BIN: operator.bins,
            hidden_names.FILE_NUMBER: pa.array(range(len(paths)), pa.int32()),
        }
    )
    texts = {hidden(f"p{index}"): field.name for index, field in enumerate(_stored_partitions(operator))}
    for text, name in texts.items():
        values = pc.struct_field(operator.target.files.column("partitionValues"), name)
        files = files.append_column(text, values.cast(pa.string()))
    numbers = spark.session.createDataFrame(files).select(
        hidden_names.ARRANGED_FILE,
        hidden_names.BIN,
        hidden_names.FILE_NUMBER,
        *(partition_value(operator.target, name, F.col(text)) for text, name in texts.items()),
    )
    return rows.join(F.broadcast(numbers), hidden_names.ARRANGED_FILE).drop(hidden_names.ARRANGED_FILE)


class _OnCurve:
    """Computes for each row its index on the space-filling curve, and the file for that interval of the curve."""

    def __init__(self, spark: SparkHandle, operator: Rearrange, rows: DataFrame, count: int) -> None:
        assert operator.curve is not None
        self._spark, self._operator = spark, operator
        names = [hidden(f"k{index}") for index in range(len(operator.columns))]
        keys = [_key_sql(operator.target.schema, path) for path in operator.columns]
        self._rows = rows.selectExpr("*", *(f"{sql} AS {name}" for sql, name in zip(keys, names, strict=True)))
        self._keys = names
        sample = self._sample(count)
        self._line = Line(operator.curve, len(names), range_bits(len(names), sample.num_rows))
        self._cut_bits = (max(operator.slices) - 1).bit_length()
        self._limits = self._by_bin(sample)

    def placed(self) -> DataFrame:
        """The rows with ORIGIN, the number of their file, and PLACE, their index on the curve."""
        rows = self._rows.join(F.broadcast(self._limits), hidden_names.BIN)
        for key in self._keys:
            rows = _searched(rows, key, f"{key}_n", f"{key}_b", self._line.bits)
        rows = self._placed(rows)
        return _searched(
            rows, hidden_names.PLACE, ORIGIN, hidden_names.CUT, self._cut_bits, first=hidden_names.FIRST_FILE
        )

    def _placed(self, rows: DataFrame) -> DataFrame:
        """The rows with PLACE, computed by one projection per digit: nested, the expressions would double in size."""
        ranges, turns = [f"{key}_n" for key in self._keys], self._line.turns
        levels = [digit_sql(self._line, ranges, level) for level in reversed(range(self._line.bits))]
        if turns is None:
            return rows.withColumn(hidden_names.PLACE, _sum_sql(levels, self._line.columns))
        digits, states = (", ".join(map(str, values)) for values in (turns.digits, turns.states))

        rows = rows.withColumns({hidden_names.PLACE: F.lit(0).cast("bigint"), hidden_names.STATE: F.lit(0)})
        for digit in levels:
            rows = rows.withColumn(
                hidden_names.DIGIT, F.expr(f"shiftleft({hidden_names.STATE}, {self._line.columns}) | {digit}")
            )
            position = (
                f"shiftleft({hidden_names.PLACE}, {self._line.columns}) | get(array({digits}), {hidden_names.DIGIT})"
            )
            rows = rows.withColumns(
                {
                    hidden_names.PLACE: F.expr(position),
                    hidden_names.STATE: F.expr(f"get(array({states}), {hidden_names.DIGIT})"),
                }
            )
        return rows

    def _sample(self, count: int) -> pa.Table:
        rows = self._rows.select(hidden_names.BIN, *self._keys)
        if count > SAMPLED_ROWS:
            rows = rows.sample(min(1.0, SAMPLED_ROWS / count), SEED)
        return rows.toArrow()

    def _by_bin(self, sample: pa.Table) -> DataFrame:
        """One row per bin: the boundaries of each key's ranges, the bin's first file number, and its file cuts."""
        bins = sample.column(hidden_names.BIN).to_numpy()
        firsts = [0, *accumulate(self._operator.slices)]
        rows = []
        for number, slices in enumerate(self._operator.slices):
            part = sample.take(np.flatnonzero(bins == number))
            values = [part.column(key).to_pylist() for key in self._keys]
            bounds = [boundaries(column, self._line.bits) for column in values]
            positions = self._line.positions([_ranges(*pair) for pair in zip(values, bounds, strict=True)])
            rows.append((number, firsts[number], *bounds, self._cuts(positions, slices)))
        kinds = {f"{key}_b": pa.list_(sample.schema.field(key).type) for key in self._keys}
        kinds = {
            hidden_names.BIN: pa.int32(),
            hidden_names.FIRST_FILE: pa.int32(),
            **kinds,
            hidden_names.CUT: pa.list_(pa.int64()),
        }
        columns = zip(*rows, strict=True)
        return lookup(self._spark, {name: (kinds[name], values) for name, values in zip(kinds, columns, strict=True)})

    def _cuts(self, positions: Any, slices: int) -> list[int]:
        """Curve indexes at which a bin's files begin, except the first; padded to one length for the binary search."""
        ordered = sorted(positions.tolist())
        cuts = [ordered[index * len(ordered) // slices] for index in range(1, slices)] if ordered else []
        return cuts + [_LONGEST] * ((1 << self._cut_bits) - 1 - len(cuts))


def _searched(rows: DataFrame, value: str, name: str, bounds: str, bits: int, first: str | None = None) -> DataFrame:
    """`rows` with the column `name`: the number of `bounds` at or below `value`, plus `first`."""
    rows = rows.withColumn(name, F.lit(0))
    for step in search_steps(bits):
        rows = rows.withColumn(name, F.expr(search_sql(value, name, bounds, step)))
    return rows if first is None else rows.withColumn(name, F.expr(f"{name} + {first}"))


def _sum_sql(levels: Sequence[str], columns: int) -> Any:
    shifted = (
        f"shiftleft(CAST({digit} AS BIGINT), {columns * (len(levels) - 1 - index)})"
        for index, digit in enumerate(levels)
    )
    return F.expr(" | ".join(shifted))


def _ranges(values: Sequence[Any], bounds: Sequence[Any]) -> Any:
    return np.array([0 if value is None else bisect_right(bounds, value) for value in values], np.int64)


def _key_sql(schema: StructType, path: Path) -> str:
    """SQL of a column as DOUBLE or STRING in about the same order, which suffices for clustering rows."""
    kind, column = resolve(schema, path).field.type, ".".join(quote(name) for name in path)
    number = _number_sql(kind, column)
    if number is not None:
        return f"nanvl(CAST({number} AS DOUBLE), CAST('Infinity' AS DOUBLE))"
    text = column if kind == PrimitiveType("string") else _text_sql(kind, column)
    return f"left({text}, 64)"


def _number_sql(kind: DataType, column: str) -> str | None:
    match kind:
        case DecimalType() | PrimitiveType("byte" | "short" | "integer" | "long" | "float" | "double" | "boolean"):
            return column
        case PrimitiveType("date"):
            return f"unix_date({column})"
        case PrimitiveType("timestamp" | "timestamp_ntz"):
            return f"unix_micros(CAST({column} AS TIMESTAMP))"
        case _:
            return None


def _text_sql(kind: DataType, column: str) -> str:
    match kind:
        case PrimitiveType("binary"):
            return f"hex({column})"
        case PrimitiveType("void"):
            return "CAST(NULL AS STRING)"
        case _:
            return f"to_json(struct({column}))"
