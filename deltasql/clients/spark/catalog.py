"""`spark.catalog` of a session with deltasql installed, and the two Python objects of such an installation.

Catalog calls are answered from the catalog of deltasql. The engine's calls of Spark must not be intercepted again. So
it uses an unmodified copy of the session's Python object, on the user's session of the JVM or the server, and
DataFrames are converted between the two objects.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from deltasql.base import DeltaSqlError, errors
from deltasql.catalog import Catalogs
from deltasql.clients.spark.recorded_calls import (
    DELTA,
    READER,
    STREAM_READER,
    STREAM_WRITER,
    WRITER,
    RecordedCalls,
    pyspark_errors,
    writer_to,
)
from deltasql.files import Result
from deltasql.plan import TableName
from deltasql.schema import quote_name as quote
from deltasql.schema import quote_text, schema_ddl, schema_from_json
from deltasql.session import Session
from deltasql.sql import parse, table_name
from deltasql.statements import CreateTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.catalog import CatalogMetadata, Column, Database, Table, TablePartition

    from deltasql.files import Row


_OF_THE_OBJECT = {"catalog", "_catalog", "_sqm"}
"""Attributes of a session that refer to the session itself, and are not copied."""


def copied(spark: Any) -> Any:
    """Another object for the same Spark session. Not by copy(): a session of Spark Connect pickles as itself."""
    other = object.__new__(type(spark))
    vars(other).update({key: value for key, value in vars(spark).items() if key not in _OF_THE_OBJECT})
    return other


class _ClosedByUser(Session):
    """A session that says when it is closed, which is once."""

    when_closed: Callable[[], None] | None = None

    def close(self) -> None:
        super().close()
        call, self.when_closed = self.when_closed, None
        if call is not None:
            call()


class Home:
    """An installation: `spark` is the user's session, `plain` its unmodified copy for the engine, `session` deltasql's.

    `kind` is the original class of `spark`, `frames` the class of its DataFrames.
    """

    def __init__(
        self,
        spark: SparkSession,
        warehouse: str,
        storage_options: Mapping[str, str] | None,
        catalogs: Catalogs | None = None,
        when_closed: Callable[[Home], None] = lambda home: None,
        session: Session | None = None,
    ) -> None:
        """With `session`, which has `spark`, no other session is opened."""
        self.spark: Any = spark
        self.kind: Any = type(spark)
        self.plain: Any = copied(spark) if session is None else session.spark
        self.frames = type(self.plain.range(0))
        if session is not None:
            self.session: Session = session
            return
        opened = _ClosedByUser(warehouse, self.plain, storage_options, catalogs=catalogs)
        opened.when_closed = partial(when_closed, self)
        self.session = opened

    def sql(self, text: str, args: Mapping[str, Any] | Sequence[Any] | None, values: Mapping[str, Any]) -> DataFrame:
        """`spark.sql`: runs a statement in deltasql, or in Spark if it is on a table of another format."""
        formatter = _Formatter()
        if values:
            text = formatter.vformat(text, (), values)
        if _creates_other_format(text):
            return cast("DataFrame", self.kind.sql(self.spark, text, args))
        try:
            with self.at_work():
                return cast("DataFrame", self.handed(self.session.sql(text, args or None).df))
        except (errors.NotADeltaProviderError, errors.TableNotFoundError) as error:
            if isinstance(error, errors.TableNotFoundError) and not self.is_foreign(str(error.table)):
                raise
            return cast("DataFrame", self.kind.sql(self.spark, text, args))
        finally:
            if not _is_connect(self.kind):
                # A DataFrame of Spark Connect needs its views as long as it lives.
                for view in formatter.views:
                    self.plain.catalog.dropTempView(view)

    def reader(self, sparks: Any) -> RecordedCalls:
        """`spark.read`."""
        return RecordedCalls(self, READER, lambda: self.session.read, lambda: sparks)

    def stream_reader(self, sparks: Any) -> RecordedCalls:
        """`spark.readStream`."""
        return RecordedCalls(self, STREAM_READER, lambda: self.session.readStream, lambda: sparks)

    def writer(self, frame: DataFrame, sparks: Any) -> RecordedCalls:
        """`df.write`."""
        return RecordedCalls(self, WRITER, lambda: self.session.write(self.taken(frame)), lambda: sparks)

    def stream_writer(self, frame: DataFrame, sparks: Any) -> RecordedCalls:
        """`df.writeStream`."""
        return RecordedCalls(self, STREAM_WRITER, lambda: self.session.writeStream(self.taken(frame)), lambda: sparks)

    def writer_to(self, frame: DataFrame, table: str, sparks: Any) -> RecordedCalls:
        """`df.writeTo(table)`."""
        return RecordedCalls(
            self, writer_to(table), lambda: self.session.writeTo(self.taken(frame), table), lambda: sparks
        )

    def is_foreign(self, name: str) -> bool:
        """Whether Spark has a table of this name, and deltasql has none."""
        with suppress(DeltaSqlError):
            if self.session.catalog.find(table_name(name).parts) is not None:
                return False
        from pyspark.errors import PySparkException

        try:
            return bool(self.plain.catalog.tableExists(name))
        except PySparkException:
            # Not a valid name in Spark.
            return False

    def taken(self, frame: DataFrame) -> DataFrame:
        """A DataFrame of the user's session as one of the engine's."""
        return _moved(frame, self.plain)

    def handed(self, outcome: Any) -> Any:
        """A return value of deltasql as PySpark's: DataFrames of the user's session; None for a Result."""
        if isinstance(outcome, Result):
            return None
        return _moved(outcome, self.spark) if hasattr(outcome, "sparkSession") else outcome

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Context: errors are PySpark's too. Afterwards the active session is the user's where it is the engine's."""
        try:
            with pyspark_errors():
                yield
        finally:
            if getattr(self.kind, "_activeSession", None) is self.plain:
                self.kind._activeSession = self.spark


def _creates_other_format(text: str) -> bool:
    """Whether a statement creates a table of another format than Delta, which belongs into Spark's own catalog."""
    if "using" not in text.lower():
        return False
    try:
        statement = parse(text)
    except DeltaSqlError:
        return False
    return isinstance(statement, CreateTable) and (statement.provider or "delta").lower() != "delta"


def _moved(frame: Any, spark: Any) -> Any:
    plan = frame._plan if _is_connect(type(frame)) else frame._jdf
    return type(frame)(plan, spark)


def _is_connect(kind: type) -> bool:
    return kind.__module__.startswith("pyspark.sql.connect")


class _Formatter(string.Formatter):
    """Formats `{name}` in SQL as PySpark does: DataFrames as temporary `views`, columns by name, texts as literals."""

    def __init__(self) -> None:
        self.views: list[str] = []

    def format_field(self, value: Any, format_spec: str) -> str:
        if hasattr(value, "createOrReplaceTempView"):
            self.views.append(f"_deltasql_{uuid4().hex}")
            value.createOrReplaceTempView(self.views[-1])
            return self.views[-1]
        if isinstance(value, str):
            return quote_text(value)
        column = re.fullmatch(r"Column<'(.+)'>", str(value))
        return str(value) if column is None else quote(column[1].strip("`"))


class DeltaSqlCatalog:
    """PySpark's Catalog over deltasql's; methods that are not overridden are Spark's own, and see only its tables."""

    def __init__(self, home: Home) -> None:
        self._home, self._sparks = home, home.plain.catalog

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sparks, name)

    def _run(self, sql: str) -> Result:
        with self._home.at_work():
            return self._home.session.sql(sql)

    def currentCatalog(self) -> str:
        return self._home.session.catalog.current_catalog

    def setCurrentCatalog(self, catalogName: str) -> None:
        self._run(f"USE CATALOG {quote(catalogName)}")

    def listCatalogs(self, pattern: str | None = None) -> list[CatalogMetadata]:
        from pyspark.sql.catalog import CatalogMetadata

        return [CatalogMetadata(name, None) for name in self._home.session.catalog.catalogs(pattern)]

    def currentDatabase(self) -> str:
        return self._home.session.catalog.current_schema

    def setCurrentDatabase(self, dbName: str) -> None:
        self._run(f"USE SCHEMA {dbName}")

    def databaseExists(self, dbName: str) -> bool:
        return self._home.session.catalog.has_schema(table_name(dbName).parts)

    def listDatabases(self, pattern: str | None = None) -> list[Database]:
        from pyspark.sql.catalog import Database

        schemas = self._home.session.catalog.schemas(pattern)
        return [Database(item.name, item.catalog, item.comment, item.location) for item in schemas]

    def getDatabase(self, dbName: str) -> Database:
        from pyspark.sql.catalog import Database

        with pyspark_errors():
            found = self._home.session.catalog.schema(table_name(dbName).parts)
        return Database(found.name, found.catalog, found.comment, found.location)

    def createDatabase(self, dbName: str, ifNotExists: bool = False, properties: dict[str, str] | None = None) -> None:
        """A new schema. The properties `comment` and `location` are clauses of CREATE SCHEMA, as in Spark."""
        others = dict(properties or {})
        special = [(word, others.pop(word.lower(), None)) for word in ("COMMENT", "LOCATION")]
        clauses = [f" {word} {quote_text(text)}" for word, text in special if text is not None]
        pairs = ", ".join(f"{quote_text(key)} = {quote_text(value)}" for key, value in others.items())
        clauses += [f" WITH DBPROPERTIES ({pairs})"] if pairs else []
        self._run(f"CREATE SCHEMA {'IF NOT EXISTS ' if ifNotExists else ''}{dbName}{''.join(clauses)}")

    def dropDatabase(self, dbName: str, ifExists: bool = False, cascade: bool = False) -> None:
        self._run(f"DROP SCHEMA {_if_exists(ifExists)}{dbName}{' CASCADE' if cascade else ''}")

    def tableExists(self, tableName: str, dbName: str | None = None) -> bool:
        """Whether there is a table or a view, also one that only Spark knows."""
        name = tableName if dbName is None else f"{quote(dbName)}.{tableName}"
        try:
            self._run(f"DESCRIBE TABLE {name}")
        except DeltaSqlError:
            return self._home.is_foreign(name)
        return True

    def listTables(self, dbName: str | None = None, pattern: str | None = None) -> list[Table]:
        schema = dbName or quote(self.currentDatabase())
        return [
            _table(row)
            for row in self._run(f"SHOW TABLE EXTENDED IN {schema} LIKE '*'").collect()
            if pattern is None or re.fullmatch(pattern.replace("*", ".*"), row["tableName"], re.IGNORECASE)
        ]

    def getTable(self, tableName: str) -> Table:
        name = table_name(tableName)
        schema = f" IN {TableName(name.parts[:-1])}" if len(name.parts) > 1 else ""
        rows = self._run(f"SHOW TABLE EXTENDED{schema} LIKE '*'").collect()
        tables = [_table(row) for row in rows if row["tableName"].lower() == name.parts[-1].lower()]
        return tables[0] if tables else self._sparks.getTable(tableName)

    def listColumns(self, tableName: str, dbName: str | None = None) -> list[Column]:
        from pyspark.sql.catalog import Column

        name = tableName if dbName is None else f"{quote(dbName)}.{tableName}"
        if self._home.is_foreign(name):
            return list(self._sparks.listColumns(name))
        rows = self._run(f"DESCRIBE TABLE {name}").collect()
        texts = [str(row["col_name"]) for row in rows]
        ends = [number for number, text in enumerate(texts) if not text or text.startswith("#")]
        partitions = {text for text in texts[ends[0] :] if text} if ends else set()
        columns = rows[: ends[0]] if ends else rows
        required = self._required(name)
        return [
            Column(text, row["comment"], row["data_type"], text not in required, text in partitions, False, False)
            for text, row in zip(texts, columns, strict=False)
        ]

    def _required(self, name: str) -> set[str]:
        """The columns of a table or view that are never NULL; none of a view that cannot be read."""
        try:
            return {field.name for field in self._run(f"SELECT * FROM {name}").schema if not field.nullable}
        except DeltaSqlError:
            return set()

    def createTable(
        self,
        tableName: str,
        path: str | None = None,
        source: str | None = None,
        schema: Any = None,
        description: str | None = None,
        **options: str,
    ) -> DataFrame:
        """A new Delta table, unless `source` names another format; gives the table as a DataFrame."""
        if (source or DELTA).lower() != DELTA:
            arguments = {"path": path, "source": source, "schema": schema, "description": description}
            return cast("DataFrame", self._sparks.createTable(tableName, **arguments, **options))
        # Without columns they are those of the table at `path`.
        columns = "" if schema is None else f" ({schema_ddl(schema_from_json(schema.json()), constraints=True)})"
        location = path or options.get("path")
        clauses = ["USING DELTA"]
        clauses += [f"COMMENT {quote_text(description)}"] if description is not None else []
        clauses += [f"LOCATION {quote_text(location)}"] if location is not None else []
        self._run(f"CREATE TABLE {tableName}{columns} {' '.join(clauses)}")
        return self._home.spark.table(tableName)

    def createExternalTable(
        self, tableName: str, path: str | None = None, source: str | None = None, schema: Any = None, **options: str
    ) -> DataFrame:
        return self.createTable(tableName, path, source, schema, **options)

    def dropTable(self, tableName: str, ifExists: bool = False, purge: bool = False) -> None:
        """Of a table that Spark alone knows it is Spark's."""
        if self._home.is_foreign(tableName):
            self._sparks.dropTable(tableName, ifExists, purge)
        else:
            self._run(f"DROP TABLE {_if_exists(ifExists)}{tableName}{' PURGE' if purge else ''}")

    def dropView(self, viewName: str, ifExists: bool = False) -> None:
        if self._home.is_foreign(viewName):
            self._sparks.dropView(viewName, ifExists)
        else:
            self._run(f"DROP VIEW {_if_exists(ifExists)}{viewName}")

    def truncateTable(self, tableName: str) -> None:
        if self._home.is_foreign(tableName):
            self._sparks.truncateTable(tableName)
        else:
            self._run(f"TRUNCATE TABLE {tableName}")

    def analyzeTable(self, tableName: str, noScan: bool = False) -> None:
        if self._home.is_foreign(tableName):
            self._sparks.analyzeTable(tableName, noScan)
        else:
            self._run(f"ANALYZE TABLE {tableName} COMPUTE STATISTICS{' NOSCAN' if noScan else ''}")

    def recoverPartitions(self, tableName: str) -> None:
        if self._home.is_foreign(tableName):
            self._sparks.recoverPartitions(tableName)
        else:
            self._run(f"MSCK REPAIR TABLE {tableName}")

    def getCreateTableString(self, tableName: str, asSerde: bool = False) -> str:
        if self._home.is_foreign(tableName):
            return str(self._sparks.getCreateTableString(tableName, asSerde))
        return str(self._run(f"SHOW CREATE TABLE {tableName}").collect()[0][0])

    def getTableProperties(self, tableName: str) -> dict[str, str]:
        if self._home.is_foreign(tableName):
            return dict(self._sparks.getTableProperties(tableName))
        return {row["key"]: row["value"] for row in self._run(f"SHOW TBLPROPERTIES {tableName}").collect()}

    def listPartitions(self, tableName: str) -> list[TablePartition]:
        """The values of each partition, as in `day=2024-05-01/region=north`."""
        from pyspark.sql.catalog import TablePartition

        if self._home.is_foreign(tableName):
            return list(self._sparks.listPartitions(tableName))
        rows = self._run(f"SHOW PARTITIONS {tableName}").collect()
        names = [] if not rows else list(rows[0].asDict())
        return [TablePartition("/".join(f"{name}={row[name]}" for name in names)) for row in rows]

    def listViews(self, dbName: str | None = None, pattern: str | None = None) -> list[Table]:
        schema = dbName or quote(self.currentDatabase())
        like = "" if pattern is None else f" LIKE {quote_text(pattern)}"
        names = {row["viewName"].lower() for row in self._run(f"SHOW VIEWS IN {schema}{like}").collect()}
        return [table for table in self.listTables(dbName) if table.name.lower() in names]

    def functionExists(self, functionName: str, dbName: str | None = None) -> bool:
        """Whether the warehouse has such a function, or Spark."""
        name = functionName if dbName is None else f"{quote(dbName)}.{functionName}"
        try:
            self._run(f"DESCRIBE FUNCTION {name}").collect()
        except DeltaSqlError:
            return bool(self._sparks.functionExists(functionName, dbName))
        return True

    def cacheTable(self, tableName: str, storageLevel: Any = None) -> None:
        """Of a table of the warehouse only a check that it is there, as CACHE TABLE."""
        if self._home.is_foreign(tableName):
            self._sparks.cacheTable(tableName, storageLevel)
        else:
            self._run(f"CACHE TABLE {tableName}")

    def uncacheTable(self, tableName: str) -> None:
        if self._home.is_foreign(tableName):
            self._sparks.uncacheTable(tableName)
        else:
            self._run(f"UNCACHE TABLE {tableName}")

    def isCached(self, tableName: str) -> bool:
        """False for tables of the warehouse, which are read as they are."""
        if self._home.is_foreign(tableName):
            return bool(self._sparks.isCached(tableName))
        self._run(f"DESCRIBE TABLE {tableName}")
        return False

    def dropTempView(self, viewName: str) -> bool:
        """Whether there was one, of either kind."""
        if viewName.lower() in self._home.session.views:
            self._run(f"DROP VIEW {quote(viewName)}")
            return True
        return bool(self._sparks.dropTempView(viewName))

    def refreshTable(self, tableName: str) -> None:
        """Our tables are read as they are."""
        if self._home.is_foreign(tableName):
            self._sparks.refreshTable(tableName)


def _if_exists(said: bool) -> str:
    return "IF EXISTS " if said else ""


def _table(row: Row) -> Table:
    from pyspark.sql.catalog import Table

    information = dict(re.findall(r"^(Catalog|Type|Comment): (.*)$", row["information"], re.MULTILINE))
    temporary = bool(row["isTemporary"])
    kind = "TEMPORARY" if temporary else information.get("Type", "MANAGED")
    namespace = [row["namespace"]] if row["namespace"] else []
    return Table(row["tableName"], information.get("Catalog"), namespace, information.get("Comment"), kind, temporary)
