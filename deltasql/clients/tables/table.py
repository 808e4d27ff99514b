"""`DeltaTable`: one table, by its name or path, and the statements on it as methods.

OPTIMIZE has a builder: `table.optimize().where("day = 3").executeCompaction()`. The exceptions of Delta's Python
package are names of the errors that deltasql raises for a lost race.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from deltasql.base import DeltaSqlError, errors
from deltasql.base.errors import ConcurrentAppendError as ConcurrentAppendException
from deltasql.base.errors import ConcurrentDeleteDeleteError as ConcurrentDeleteDeleteException
from deltasql.base.errors import ConcurrentDeleteReadError as ConcurrentDeleteReadException
from deltasql.base.errors import ConcurrentModificationError as DeltaConcurrentModificationException
from deltasql.base.errors import ConcurrentTransactionError as ConcurrentTransactionException
from deltasql.base.errors import ConcurrentWriteError as ConcurrentWriteException
from deltasql.base.errors import MetadataChangedError as MetadataChangedException
from deltasql.base.errors import ProtocolChangedError as ProtocolChangedException
from deltasql.clients.tables.definition import (
    FOREIGN,
    DeltaColumnBuilder,
    DeltaMergeBuilder,
    DeltaTableBuilder,
    MergeTarget,
    StatementRunner,
    assignments,
    checked,
    column_names,
    exact_name,
    expression,
    given,
    property_list,
    runner_of,
    type_text,
)
from deltasql.plan import TableName
from deltasql.schema import quote_text
from deltasql.session import at, name_parts, one_expression, origins, rows_to_write

_PATH = re.compile(r"/|\w+:/")


class DeltaTable:
    """A Delta table. Where delta-spark gives a DataFrame, a Spark session that deltasql is installed in gets one too;
    a session of deltasql gets a Result, whose rows need no Spark.

    `sparkSession`, the first argument of the class methods, is either of these.
    """

    def __init__(
        self, runner: StatementRunner, name: TableName, alias: str | None = None, frames: list[Any] | None = None
    ) -> None:
        self._runner, self._name, self._alias = runner, name, alias
        self._frames: list[Any] = [] if frames is None else frames

    @classmethod
    def forPath(cls, sparkSession: Any, path: str, hadoopConf: Mapping[str, str] | None = None) -> DeltaTable:
        """The table at a path or URL. Access to object stores is configured per session: see `storage_options`.

        Raises NotADeltaTableError, and ArgumentValueError for a `hadoopConf`.
        """
        if hadoopConf:
            reason = (
                "a session has the options of object stores: connect(storage_options=…), install(storage_options=…)"
            )
            raise errors.ArgumentValueError("hadoopConf", "given for one table", reason)
        return cls._found(runner_of(sparkSession), at(given(path, str, "'path'")))

    @classmethod
    def forName(cls, sparkSession: Any, tableOrViewName: str) -> DeltaTable:
        """The table of a name in the catalog, or of ``delta.`path` ``. Raises TableNotFoundError."""
        return cls._found(runner_of(sparkSession), _named(tableOrViewName, "'tableOrViewName'"))

    @classmethod
    def isDeltaTable(cls, sparkSession: Any, identifier: str) -> bool:
        """Whether a path has a table."""
        return runner_of(sparkSession).session.log(at(given(identifier, str, "'identifier'"))).exists()

    @classmethod
    def create(cls, sparkSession: Any = None) -> DeltaTableBuilder[DeltaTable]:
        """A new table; an existing one is an error. Without a session it is the latest one that was installed."""
        return DeltaTableBuilder(runner_of(sparkSession), "CREATE TABLE", cls)

    @classmethod
    def createIfNotExists(cls, sparkSession: Any = None) -> DeltaTableBuilder[DeltaTable]:
        return DeltaTableBuilder(runner_of(sparkSession), "CREATE TABLE IF NOT EXISTS", cls)

    @classmethod
    def replace(cls, sparkSession: Any = None) -> DeltaTableBuilder[DeltaTable]:
        """Another definition, without rows, for an existing table."""
        return DeltaTableBuilder(runner_of(sparkSession), "REPLACE TABLE", cls)

    @classmethod
    def createOrReplace(cls, sparkSession: Any = None) -> DeltaTableBuilder[DeltaTable]:
        return DeltaTableBuilder(runner_of(sparkSession), "CREATE OR REPLACE TABLE", cls)

    @classmethod
    def columnBuilder(cls, sparkSession: Any, colName: str) -> DeltaColumnBuilder:
        """The definition of a column for `addColumn`."""
        runner_of(sparkSession)
        return DeltaColumnBuilder(given(colName, str, "Column name"))

    @classmethod
    def convertToDelta(cls, sparkSession: Any, identifier: str, partitionSchema: Any = None) -> DeltaTable:
        """The Parquet files in the folder of ``parquet.`path` `` become a table.

        `partitionSchema` has the columns of its partitions, as text in SQL or as a StructType.
        """
        runner, name = runner_of(sparkSession), _named(identifier, "'identifier'")
        columns = "" if partitionSchema is None else f" PARTITIONED BY ({_columns(partitionSchema)})"
        runner.run(f"CONVERT TO DELTA {exact_name(name.parts)}{columns}")
        is_files = len(name.parts) == 2 and name.parts[0].lower() in {"parquet", "iceberg"}
        return cls(runner, at(name.parts[1]) if is_files else name)

    def toDF(self) -> Any:
        """The rows as a Spark DataFrame, lazily."""
        frame = self._runner.frame(f"SELECT * FROM {self._sql}")
        frame = frame if self._alias is None else frame.alias(self._alias)
        self._frames.append(frame)
        return frame

    def alias(self, aliasName: str) -> DeltaTable:
        """The table under an alias that conditions and values may name."""
        return DeltaTable(self._runner, self._name, given(aliasName, str, "'aliasName'"), self._frames)

    def delete(self, condition: Any = None) -> None:
        """Deletes the rows for which a condition is TRUE; all without one."""
        with self._runner.working():
            self._runner.run(f"DELETE FROM {self._target}{self._where(condition)}")

    def update(self, condition: Any = None, set: Any = None) -> None:
        """Gives columns new values, in the rows for which a condition is TRUE, or in all."""
        with self._runner.working():
            where = "" if set is None else self._where(condition)
            values = ", ".join(f"{name} = {value}" for name, value in assignments(set, "'set'", self._owner))
            self._runner.run(f"UPDATE {self._target} SET {values}{where}")

    def merge(self, source: Any, condition: Any) -> DeltaMergeBuilder:
        """A MERGE of rows into this table. The alias of `source` is that of the DataFrame.

        `source` may also be rows in memory of pandas, polars or Arrow, which are called `source`. Raises
        ArgumentTypeError for anything else.
        """
        for argument, value in (("'source'", source), ("'condition'", condition)):
            if value is None:
                raise errors.ArgumentValueError(argument, "None", "a merge needs a source and a condition")
        try:
            rows_to_write(source)
        except errors.NotADataFrameError as error:
            raise errors.ArgumentTypeError(_SOURCE, _FRAME, type(source).__name__) from error
        with self._runner.working():
            expression(condition, _CONDITION)
        target = MergeTarget(self._sql, self._alias, self._alias or self._name.parts[-1], tuple(self._frames))
        return DeltaMergeBuilder(self._runner, target, source, condition)

    def history(self, limit: int | None = None) -> Any:
        """The commits, the latest first; at most `limit`."""
        end = "" if limit is None else f" LIMIT {given(limit, int, _LIMIT)}"
        return self._runner.rows(f"DESCRIBE HISTORY {self._sql}{end}")

    def detail(self) -> Any:
        """One row about the table: format, id, name, location, columns, files, size, properties, protocol."""
        return self._runner.rows(f"DESCRIBE DETAIL {self._sql}")

    def vacuum(self, retentionHours: float | None = None) -> Any:
        """Removes files that no version of the last `retentionHours` needs (7 days by default); gives no rows."""
        retained = ""
        if retentionHours is not None:
            if isinstance(retentionHours, bool) or not isinstance(retentionHours, (int, float)):
                raise errors.ArgumentTypeError("'retentionHours'", "a number", type(retentionHours).__name__)
            retained = f" RETAIN {retentionHours:.6f}".rstrip("0").rstrip(".") + " HOURS"
        self._runner.run(f"VACUUM {self._sql}{retained}")
        return self._runner.nothing()

    def generate(self, mode: str) -> None:
        """Writes manifests; the mode is symlink_format_manifest."""
        self._runner.run(f"GENERATE {exact_name(name_parts(given(mode, str, _MODE)))} FOR TABLE {self._sql}")

    def restoreToVersion(self, version: int) -> Any:
        """The table gets the rows and columns of an earlier version; one row with the metrics."""
        return self._runner.rows(f"RESTORE TABLE {self._sql} TO VERSION AS OF {checked(version, int, _VERSION)}")

    def restoreToTimestamp(self, timestamp: str) -> Any:
        text = quote_text(checked(timestamp, str, _TIMESTAMP))
        return self._runner.rows(f"RESTORE TABLE {self._sql} TO TIMESTAMP AS OF {text}")

    def clone(
        self, target: str, isShallow: bool = False, replace: bool = False, properties: dict[str, str] | None = None
    ) -> DeltaTable:
        """A copy at a path or under a name. A shallow one refers to the files of this table."""
        return self._cloned(target, isShallow, replace, properties)

    def cloneAtVersion(
        self,
        version: int,
        target: str,
        isShallow: bool = False,
        replace: bool = False,
        properties: dict[str, str] | None = None,
    ) -> DeltaTable:
        """A copy of an earlier version: see `clone`."""
        time = f" VERSION AS OF {checked(version, int, _VERSION)}"
        return self._cloned(target, isShallow, replace, properties, time)

    def cloneAtTimestamp(
        self,
        timestamp: str,
        target: str,
        isShallow: bool = False,
        replace: bool = False,
        properties: dict[str, str] | None = None,
    ) -> DeltaTable:
        """A copy of the version at a time: see `clone`."""
        time = f" TIMESTAMP AS OF {quote_text(checked(timestamp, str, _TIMESTAMP))}"
        return self._cloned(target, isShallow, replace, properties, time)

    def optimize(self) -> DeltaOptimizeBuilder:
        return DeltaOptimizeBuilder(self._runner, self._sql)

    def upgradeTableProtocol(self, readerVersion: int, writerVersion: int) -> None:
        """Raises the protocol. Raises ProtocolDowngradeError for one that is lower than the table's."""
        reader = checked(readerVersion, int, "The readerVersion")
        writer = checked(writerVersion, int, "The writerVersion")
        with self._runner.working():
            before = self._runner.session.log(self._name).snapshot().protocol
            if reader < before.min_reader_version or writer < before.min_writer_version:
                old = before.min_reader_version, before.min_writer_version
                raise errors.ProtocolDowngradeError(self._sql, *old, reader, writer)
        self._set({"delta.minReaderVersion": str(reader), "delta.minWriterVersion": str(writer)})

    def addFeatureSupport(self, featureName: str) -> None:
        """Lets the table use a feature: the protocol has it from now on."""
        self._set({f"delta.feature.{checked(featureName, str, _FEATURE)}": "supported"})

    def dropFeatureSupport(self, featureName: str, truncateHistory: bool | None = None) -> None:
        """Takes a feature out of the protocol, with `truncateHistory` also out of the history."""
        feature = quote_text(checked(featureName, str, _FEATURE))
        truncates = truncateHistory is not None and checked(truncateHistory, bool, "truncateHistory")
        self._runner.run(f"ALTER TABLE {self._sql} DROP FEATURE {feature}{' TRUNCATE HISTORY' if truncates else ''}")

    def __repr__(self) -> str:
        return f"DeltaTable({self._name})"

    @classmethod
    def _found(cls, runner: StatementRunner, name: TableName) -> DeltaTable:
        """The table of a name. Raises TableNotFoundError, NotADeltaTableError."""
        try:
            with runner.working():
                runner.session.log(name).snapshot()
        except DeltaSqlError as error:
            # There is no statement in which it would have a place.
            error.caret = None
            raise
        return cls(runner, name)

    def _cloned(
        self, target: str, shallow: bool, replace: bool, properties: Mapping[str, str] | None, time: str = ""
    ) -> DeltaTable:
        text = checked(target, str, "target")
        name = at(text) if _PATH.match(text) else _named(text, "'target'")
        kind = "SHALLOW" if checked(shallow, bool, "isShallow") else "DEEP"
        verb = "CREATE OR REPLACE" if checked(replace, bool, "replace") else "CREATE"
        set_properties = ""
        if properties:
            set_properties = f" TBLPROPERTIES ({property_list(checked(properties, dict, _PROPERTIES))})"
        self._runner.run(f"{verb} TABLE {exact_name(name.parts)} {kind} CLONE {self._sql}{time}{set_properties}")
        return DeltaTable(self._runner, name)

    def _set(self, properties: Mapping[str, str]) -> None:
        self._runner.run(f"ALTER TABLE {self._sql} SET TBLPROPERTIES ({property_list(properties)})")

    @property
    def _sql(self) -> str:
        return exact_name(self._name.parts)

    @property
    def _target(self) -> str:
        return self._sql if self._alias is None else f"{self._sql} AS {exact_name((self._alias,))}"

    def _where(self, condition: Any) -> str:
        return "" if condition is None else f" WHERE {expression(condition, _CONDITION, self._owner)}"

    def _owner(self, origin: int) -> None:
        """Columns that are bound to a DataFrame of this table are called by their names alone."""
        if not any(origin in origins(frame) for frame in self._frames):
            raise LookupError(FOREIGN)


_VERSION, _TIMESTAMP, _FEATURE, _PROPERTIES = "version", "timestamp", "featureName", "properties"
_LIMIT, _MODE, _CONDITION = "'limit'", "'mode'", "'condition'"
_SOURCE, _FRAME = "Type of 'source' in merge", "DataFrame, or rows in memory of pandas, polars or Arrow"


def _named(text: str, argument: str) -> TableName:
    return TableName(name_parts(given(text, str, argument)))


def _columns(schema: Any) -> str:
    """The columns of a StructType, or of a text in SQL, as SQL. Raises ArgumentTypeError."""
    if isinstance(schema, str):
        return schema
    if not hasattr(schema, "fields"):
        raise errors.ArgumentTypeError("'partitionSchema'", "a string or a StructType", type(schema).__name__)
    return ", ".join(f"{exact_name((field.name,))} {type_text(field.dataType)}" for field in schema.fields)


class DeltaOptimizeBuilder:
    """An OPTIMIZE of all partitions, or of those that `where` chooses."""

    def __init__(self, runner: StatementRunner, table: str) -> None:
        self._runner, self._table = runner, table
        self._filters: list[str] = []

    def where(self, partitionFilter: str) -> DeltaOptimizeBuilder:
        """Only partitions for which the condition is TRUE; of several calls all must be."""
        with self._runner.working():
            self._filters.append(one_expression(given(partitionFilter, str, "'partitionFilter'")))
        return self

    def executeCompaction(self) -> Any:
        """Rewrites small files as larger ones; one row with the metrics."""
        return self._run("")

    def executeZOrderBy(self, *cols: Any) -> Any:
        """Rewrites files so that rows with near values of the columns lie together; one row with the metrics."""
        return self._run(f" ZORDER BY ({column_names(cols, 'A Z-order column')})")

    def _run(self, order: str) -> Any:
        filters = self._filters if len(self._filters) == 1 else [f"({text})" for text in self._filters]
        where = f" WHERE {' AND '.join(filters)}" if filters else ""
        return self._runner.rows(f"OPTIMIZE {self._table}{where}{order}")


__all__ = [
    "ConcurrentAppendException",
    "ConcurrentDeleteDeleteException",
    "ConcurrentDeleteReadException",
    "ConcurrentTransactionException",
    "ConcurrentWriteException",
    "DeltaConcurrentModificationException",
    "MetadataChangedException",
    "ProtocolChangedException",
]
