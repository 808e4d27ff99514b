"""`spark.catalog` of a session with deltasql installed, answered from the catalog of deltasql."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from deltasql.errors.base import DeltaSqlError
from deltasql.integrations.spark.recorded_calls import DELTA
from deltasql.parser.identifiers import table_name
from deltasql.plan.base import TableName, quote
from deltasql.schema.json import schema_from_json
from deltasql.schema.text import quote_text, schema_ddl

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.catalog import Column, Database, Table

    from deltasql.integrations.spark.home import Home
    from deltasql.result import Result, Row


class DeltaSqlCatalog:
    """PySpark's Catalog over deltasql's; methods that are not overridden are Spark's own, and see only its tables."""

    def __init__(self, home: Home) -> None:
        self._home, self._sparks = home, home.plain.catalog

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sparks, name)

    def _run(self, sql: str) -> Result:
        with self._home.at_work():
            return self._home.session.sql(sql)

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
        return [
            Column(row["col_name"], row["comment"], row["data_type"], True, row["col_name"] in partitions, False, False)
            for row in columns
        ]

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


def _table(row: Row) -> Table:
    from pyspark.sql.catalog import Table

    information = dict(re.findall(r"^(Catalog|Type|Comment): (.*)$", row["information"], re.MULTILINE))
    temporary = bool(row["isTemporary"])
    kind = "TEMPORARY" if temporary else information.get("Type", "MANAGED")
    namespace = [row["namespace"]] if row["namespace"] else []
    return Table(row["tableName"], information.get("Catalog"), namespace, information.get("Comment"), kind, temporary)
