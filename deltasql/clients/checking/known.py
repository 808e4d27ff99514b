"""The names of a warehouse in a scratch one: tables without rows, views, functions, volumes, schemas and catalogs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from deltasql.base.errors.base import DeltaSqlError
from deltasql.catalog.definitions import RefreshDefinition
from deltasql.catalog.entries import FunctionEntry, TableEntry, ViewEntry
from deltasql.clients.checking.planning import EngineNeededError, PlanningSession
from deltasql.plan.base import TableName, quote
from deltasql.schema.text import schema_ddl
from deltasql.session.session import Session
from deltasql.sql.cursor import TokenCursor
from deltasql.sql.statement_words import declared_variables
from deltasql.sql.tokens import tokenize

Name = tuple[str, str, str]


class KnownNames:
    """Brings the tables that a statement names from a warehouse into the scratch warehouse, each once.

    Tables whose columns only an engine knows are there with a column that stands for them: see `mentions_incomplete`.
    """

    def __init__(self, scratch: PlanningSession, warehouse: Session | None) -> None:
        self._scratch, self._warehouse = scratch, warehouse
        self._seen: set[Name] = set()
        self._incomplete: set[Name] = set()
        self._has_volumes = False
        if warehouse is not None:
            self._bring_schemas(warehouse)

    def bring(self, sql: str) -> None:
        """Brings what the statement names, as far as the warehouse has it."""
        if self._warehouse is not None:
            if not self._has_volumes and "volume" in sql.lower():
                self._bring_volumes(self._warehouse)
            for parts in _names(sql):
                self._bring(self._warehouse, parts)

    def leave_incomplete(self, name: Name) -> None:
        """Notes that the columns of a new table or view are not known."""
        self._incomplete.add(name)
        with suppress(DeltaSqlError, EngineNeededError):
            self._scratch.create_empty(f"CREATE OR REPLACE TABLE {TableName(name)} (columns_that_are_not_known INT)")

    def leave_unknown(self, name: Name) -> None:
        """Notes that a name stands for something about which no more is known, such as a function."""
        self._incomplete.add(name)

    def declare(self, sql: str) -> None:
        """Notes the variables of DECLARE: their names may be anything in later statements."""
        for variable in declared_variables(sql):
            for parts in ((variable,), ("session", variable), ("system", "session", variable)):
                self.leave_unknown(self._scratch.catalog.full_name(parts))

    def mentions_incomplete(self, sql: str) -> bool:
        """Whether a statement names something whose columns are not known."""
        return bool(self._incomplete) and any(
            self._scratch.catalog.full_name(parts) in self._incomplete for parts in _names(sql)
        )

    def _bring_schemas(self, warehouse: Session) -> None:
        for catalog in warehouse.catalog.catalogs():
            self._run(f"CREATE CATALOG IF NOT EXISTS {quote(catalog)}")
            for schema in warehouse.catalog.schemas(catalog=catalog):
                self._run(f"CREATE SCHEMA IF NOT EXISTS {quote(catalog)}.{quote(schema.name)}")
        self._run(f"USE {quote(warehouse.catalog.current_catalog)}.{quote(warehouse.catalog.current_schema)}")

    def _bring_volumes(self, warehouse: Session) -> None:
        """All volumes: paths name them as well. Their folders are those of the scratch warehouse, and empty."""
        self._has_volumes = True
        for catalog in warehouse.catalog.catalogs():
            for schema in warehouse.catalog.schemas(catalog=catalog):
                with suppress(DeltaSqlError):
                    for volume in warehouse.catalog.volumes((catalog, schema.name)):
                        self._scratch.catalog.create_volume((catalog, schema.name, volume.name), volume.comment)

    def _bring(self, warehouse: Session, parts: tuple[str, ...]) -> None:
        name = self._scratch.catalog.full_name(parts)
        if name in self._seen:
            return
        self._seen.add(name)
        with suppress(DeltaSqlError):
            function = warehouse.catalog.function(name)
            if function is not None:
                self._bring_function(function)
            entry = warehouse.catalog.find(name)
            if isinstance(entry, ViewEntry):
                self._bring_view(entry)
            elif isinstance(entry, TableEntry) and entry.refreshed is not None:
                self._bring_refreshed(name, entry.refreshed)
            elif entry is not None:
                self._bring_table(warehouse, name)

    def _bring_function(self, entry: FunctionEntry) -> None:
        self._scratch.catalog.change_function(entry.parts, lambda _: entry.definition)

    def _bring_view(self, entry: ViewEntry) -> None:
        self.bring(entry.definition.query)
        self._scratch.catalog.change_view(entry.parts, lambda _: entry.definition)

    def _bring_refreshed(self, name: Name, definition: RefreshDefinition) -> None:
        """A materialized view or streaming table, which statements about tables do not create."""
        self.bring(definition.view.query)
        self._scratch.create_empty(f"CREATE TABLE {TableName(name)} ({schema_ddl(definition.view.schema)})")
        self._scratch.catalog.define(name, definition)

    def _bring_table(self, warehouse: Session, name: Name) -> None:
        table = str(TableName(name))
        try:
            definition = str(warehouse.sql(f"SHOW CREATE TABLE {table}").collect()[0][0])
            self._scratch.create_empty(definition)
        except (DeltaSqlError, EngineNeededError):
            self.leave_incomplete(name)

    def _run(self, sql: str) -> None:
        self._scratch.check(sql)


def _names(sql: str) -> Iterator[tuple[str, ...]]:
    """Whatever in a statement may be the name of a table."""
    cursor = TokenCursor(tokenize(sql))
    while cursor.left:
        if not cursor.is_name:
            cursor.at += 1
            continue
        parts = tuple(token.name for token in cursor.dotted())[:3]
        yield from (parts[:length] for length in range(len(parts), 0, -1))
