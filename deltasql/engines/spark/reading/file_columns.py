"""Files of other formats with declared or merged columns, and a column for data that no column takes.

Source: Databricks, read_files and the rescued data column.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

from deltasql.base import F, errors
from deltasql.engines.spark.reading.source_rows import by_header, has_header, read_group, reader_options
from deltasql.engines.spark.session.local_rows import frame_schema, spark_schema
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.engines.spark.session.tuning import FOR_SCANS
from deltasql.plan import METADATA, FileColumns, SourceFiles, hidden
from deltasql.schema import (
    DATE,
    STRING,
    TIMESTAMP,
    DataType,
    StructField,
    StructType,
    common_of_values,
    find_path,
    quote_name,
    replace_type,
    schema_ddl,
    sql_text,
    text_sql,
)

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_LINE = hidden("line")
"""Column with the text of a record: that of a line of JSON, or of a record of CSV that does not fit its columns."""

_BROKEN = "_corrupt_record"
"""The key of a whole record among the rescued data."""


def rows_with_columns(spark: SparkHandle, operator: SourceFiles, retain: Callable[[object], None]) -> DataFrame:
    """The rows of files whose `columns` are set. Raises RescuedLinesError, and what `source_rows` raises."""
    columns = operator.columns
    assert columns is not None
    if not operator.files:
        return _without_files(spark, operator, columns)
    described = operator.described or (columns.rescued is not None and spark.capabilities.metadata)
    reading = _Reading(spark, replace(operator, described=described), columns, retain)
    with spark.needing(FOR_SCANS):
        rows = reading.rows()
    return rows if operator.described or not described else rows.drop(METADATA)


def _without_files(spark: SparkHandle, operator: SourceFiles, columns: FileColumns) -> DataFrame:
    """No rows of the declared columns."""
    fields = (*(columns.declared or ()), *([StructField(columns.rescued, STRING)] if columns.rescued else []))
    rows = spark.session.createDataFrame([], spark_schema(StructType(fields)))
    if not operator.described:
        return rows
    file = "file_path STRING, file_name STRING, file_size BIGINT, file_modification_time TIMESTAMP"
    return rows.withColumn(METADATA, F.expr(f"CAST(NULL AS STRUCT<{file}>)"))


@dataclass(frozen=True, slots=True)
class _Reading:
    """The reading of one source. `operator` is described where the rescued data need the paths of files."""

    spark: SparkHandle
    operator: SourceFiles
    columns: FileColumns
    retain: Callable[[object], None]

    def rows(self) -> DataFrame:
        """The rows, the rescued data column behind all others but METADATA."""
        columns = self.columns
        is_inferred = columns.declared is None and not columns.hints
        if is_inferred and (self.operator.format != "csv" or columns.rescued is None):
            return self.with_nothing_rescued(self.inferred())
        declared = columns.declared or self.hinted(_plain(frame_schema(self.inferred())))
        if self.operator.format == "csv":
            return self.csv(declared)
        if self.operator.format == "json" and columns.rescued is not None:
            return self.json(declared)
        return self.with_nothing_rescued(self.read(self.operator.files, declared))

    def read(
        self, files: Sequence[str], columns: StructType | None = None, options: Mapping[str, str] | None = None
    ) -> DataFrame:
        """The rows of some of the files, with METADATA if the source is described."""
        own = {**reader_options(self.spark, self.operator), **(options or {})}
        return read_group(self.spark, self.operator, files, own, self.retain, columns)

    @property
    def options(self) -> dict[str, str]:
        """The options of the reader by their names in lower case."""
        return {key.lower(): value for key, value in self.operator.options.items()}

    def groups(self) -> list[tuple[str, ...]]:
        """The files by what they call their columns."""
        is_headed = self.operator.format == "csv" and has_header(self.options)
        return by_header(self.spark, self.operator) if is_headed else [self.operator.files]

    def inferred(self) -> DataFrame:
        """The rows with the columns of all files, each of a type that takes the values of all."""
        groups = self.groups()
        frames = [self.read(group) for group in groups]
        if len(frames) == 1:
            return frames[0]
        schemas = [_plain(frame_schema(frame)) for frame in frames]
        merged = _merged(schemas)
        for index, (group, schema) in enumerate(zip(groups, schemas, strict=True)):
            typed = StructType(tuple(merged.find(field.name) or field for field in schema))
            if typed != schema:
                frames[index] = self.read(group, typed)
        return _union(frames, (*merged.names, *self.metadata))

    @property
    def metadata(self) -> tuple[str, ...]:
        return (METADATA,) if self.operator.described else ()

    def hinted(self, schema: StructType) -> StructType:
        """A schema with the types of the hints; hints of fields that are not there are new columns."""
        for path, kind in self.columns.hints:
            found = find_path(schema, path)
            if found is not None:
                changed = replace_type(schema, found.path, lambda _, kind=kind: kind)  # type: ignore[misc]
                assert isinstance(changed, StructType)
                schema = changed
            elif len(path) == 1:
                schema = StructType((*schema, StructField(path[0], kind)))
        return schema

    def with_nothing_rescued(self, rows: DataFrame) -> DataFrame:
        """The rows with a rescued data column that is always NULL: the columns are those of the files."""
        return rows if self.columns.rescued is None else self.arranged(rows, F.lit(None).cast("string"))

    def arranged(self, rows: DataFrame, rescued: Column | None) -> DataFrame:
        """The rows with the rescued data column behind all others but METADATA."""
        names = [F.col(quote_name(name)) for name in rows.columns if name != METADATA]
        added = [] if rescued is None or self.columns.rescued is None else [rescued.alias(self.columns.rescued)]
        return rows.select(*names, *added, *(F.col(name) for name in self.metadata))

    # CSV

    def csv(self, declared: StructType) -> DataFrame:
        """The declared columns; where files have a header, by their names."""
        if not has_header(self.options):
            return self.csv_group(self.operator.files, declared, declared)
        frames = []
        for group in self.groups():
            names = _plain(frame_schema(self.read(group, options={"inferSchema": "false"}))).names
            typed = (StructField(name, _type_of(declared, name)) for name in names)
            frames.append(self.csv_group(group, StructType(tuple(typed)), declared))
        return _union(frames, frames[0].columns)

    def csv_group(self, files: Sequence[str], stored: StructType, declared: StructType) -> DataFrame:
        """The rows of files whose columns in order are `stored`, as the `declared` ones."""
        rescues = self.columns.rescued is not None
        line = StructType((*stored, StructField(_LINE, STRING))) if rescues else stored
        rows = self.read(files, line, {"columnNameOfCorruptRecord": _LINE} if rescues else None)
        columns = [
            F.col(quote_name(found.name)).alias(field.name)
            if (found := stored.find(field.name)) is not None
            else F.lit(None).cast(sql_text(field.type)).alias(field.name)
            for field in declared
        ]
        known = {*stored.names, _LINE, METADATA}
        # Columns from the names of folders.
        columns += [F.col(quote_name(name)) for name in rows.columns if name not in known and not declared.find(name)]
        if not rescues:
            return rows.select(*columns, *(F.col(name) for name in self.metadata))
        rescued = self.rescued_csv(stored, declared).alias(str(self.columns.rescued))
        return rows.select(*columns, rescued, *(F.col(name) for name in self.metadata))

    def rescued_csv(self, stored: StructType, declared: StructType) -> Column:
        """The values in columns that are not declared, and the texts of values of another type, as JSON."""
        texts = StructType(tuple(StructField(f"c{number}", STRING) for number in range(len(stored) + _MORE)))
        options = {key: value for key, value in self.operator.options.items() if key.lower() not in _NOT_FOR_LINES}
        line = F.from_csv(F.col(_LINE), schema_ddl(texts), options)
        entries = []
        for number, field in enumerate(stored):
            value = F.col(quote_name(field.name))
            if declared.find(field.name) is None:
                entries.append((field.name, value.cast("string")))
            elif field.type != STRING:
                entries.append((field.name, F.when(value.isNull(), line[f"c{number}"])))
        more = F.coalesce(*(line[f"c{len(stored) + number}"] for number in range(_MORE)))
        if stored.find(_BROKEN) is None:
            entries.append((_BROKEN, F.when(more.isNotNull(), F.col(_LINE))))
        return self.blob(F.create_map(*(part for name, text in entries for part in (F.lit(name), text))))

    # JSON

    def json(self, declared: StructType) -> DataFrame:
        """The declared columns of lines of JSON, with the fields that are not declared, or of another type."""
        if self.options.get("multiline", "").lower() == "true":
            raise errors.RescuedLinesError(str(self.columns.rescued))
        lines = self.lines()
        options = {key: value for key, value in self.operator.options.items() if key.lower() not in _NOT_FOR_LINES}
        folders = [name for name in lines.columns if name not in {_LINE, METADATA} and not declared.find(name)]
        kinds = schema_ddl(declared)
        lines = lines.select(
            "*",
            F.from_json(F.col(_LINE), kinds, options).alias("typed"),
            F.from_json(F.col(_LINE), "MAP<STRING, STRING>", options).alias("fields"),
        )
        mode = self.options.get("mode", "PERMISSIVE").upper()
        if mode == "DROPMALFORMED":
            lines = lines.where(F.col("fields").isNotNull())
        names = F.expr(f"map_filter(fields, (key, value) -> value IS NOT NULL AND NOT ({_condition(declared)}))")
        broken = F.create_map(F.lit(_BROKEN), F.col(_LINE))
        rescued = self.blob(F.when(F.col("fields").isNull(), broken).otherwise(names))
        return lines.select(
            *(F.col(f"typed.{quote_name(field.name)}") for field in declared),
            *(F.col(quote_name(name)) for name in folders),
            rescued.alias(str(self.columns.rescued)),
            *(F.col(name) for name in self.metadata),
        )

    def lines(self) -> DataFrame:
        """The lines of the files that are not blank, as _LINE."""
        own = {key: value for key, value in self.operator.options.items() if key.lower() in {"encoding", "linesep"}}
        text = _Reading(self.spark, replace(self.operator, format="text", options=own), self.columns, self.retain)
        rows = text.read(self.operator.files)
        rows = rows.withColumnRenamed("value", _LINE)
        return rows.where(F.length(F.trim(F.col(_LINE))) > 0)

    def blob(self, found: Column) -> Column:
        """Rescued values as JSON with the path of their file; NULL where there are none."""
        present = F.map_filter(found, lambda _, value: value.isNotNull())
        path = F.col(f"{METADATA}.file_path") if self.metadata else F.lit(None).cast("string")
        return F.when(F.size(present) > 0, F.to_json(F.map_concat(present, F.create_map(F.lit("_file_path"), path))))


_MORE = 8
"""How many values behind the last column are looked at, to tell a record with more values than columns."""
_NOT_FOR_LINES = frozenset(
    {
        *("header", "inferschema", "mergeschema", "enforceschema", "mode", "multiline", "samplingratio", "compression"),
        *("columnnameofcorruptrecord", "primitivesasstring", "dropfieldifallnull", "encoding", "charset", "linesep"),
    }
)
"""Options of readers, in lower case, that functions of one line do not have."""


def _condition(declared: StructType) -> str:
    """Whether the field `key` of a record is in a declared column."""
    tests = (f"key = {text_sql(field.name)} AND typed.{quote_name(field.name)} IS NOT NULL" for field in declared)
    return " OR ".join(f"({test})" for test in tests) or "FALSE"


def _plain(schema: StructType) -> StructType:
    """The columns without METADATA."""
    return StructType(tuple(replace(field, nullable=True) for field in schema if field.name != METADATA))


def _type_of(declared: StructType, name: str) -> DataType:
    found = declared.find(name)
    return STRING if found is None else found.type


def _merged(schemas: Sequence[StructType]) -> StructType:
    """The columns of all schemas, each of a type that takes the values of all."""
    fields: dict[str, StructField] = {}
    for field in (field for schema in schemas for field in schema):
        earlier = fields.setdefault(field.name.lower(), field)
        if earlier.type != field.type:
            fields[field.name.lower()] = replace(earlier, type=_wider(earlier.type, field.type))
    return StructType(tuple(fields.values()))


def _wider(left: DataType, right: DataType) -> DataType:
    if {left, right} == {DATE, TIMESTAMP}:
        return TIMESTAMP
    return common_of_values([left, right]) or STRING


def _union(frames: Sequence[DataFrame], names: Sequence[str]) -> DataFrame:
    rows = reduce(lambda above, below: above.unionByName(below, allowMissingColumns=True), frames)
    return rows.select(*(F.col(quote_name(name)) for name in names))
