"""`spark.catalog` of a session with deltasql installed, answered from the catalog of deltasql."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from deltasql.base.errors.base import DeltaSqlError
from deltasql.clients.spark.recorded_calls import DELTA, pyspark_errors
from deltasql.plan.base import TableName, quote
from deltasql.schema.json import schema_from_json
from deltasql.schema.text import quote_text, schema_ddl
from deltasql.sql.parser.parameters import table_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.catalog import CatalogMetadata, Column, Database, Table, TablePartition

    from deltasql.clients.spark.home import Home
    from deltasql.files.result import Result, Row


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
