"""The objects that one information schema describes: those of its catalog, or of all catalogs for `system`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, TypeVar

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.catalog import CatalogNotFoundError, SchemaNotFoundError
from deltasql.catalog.entries import Entry, FunctionEntry, SchemaEntry, TableEntry, VolumeEntry
from deltasql.catalog.information import INFORMATION_SCHEMA, SYSTEM
from deltasql.log.skipping.pruning import prune
from deltasql.plan.base import TableName
from deltasql.planner.foreign.snapshots import has_certain_columns, source_snapshot
from deltasql.schema.types import STRING, StructField, StructType

if TYPE_CHECKING:
    from deltasql.log.replay.snapshot import Snapshot
    from deltasql.planner.context import Context

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asked:
    """The use that a query makes of a view: `predicate` holds for all rows that count, by the view's `alias`.

    `columns` are those that the query names, in lower case; None stands for all.
    """

    predicate: str | None = None
    alias: str | None = None
    columns: frozenset[str] | None = None

    def names(self, *columns: str) -> bool:
        """Whether the query names one of these columns."""
        return self.columns is None or not self.columns.isdisjoint(columns)


@dataclass(frozen=True, slots=True)
class Inventory:
    """Catalogs, schemas, tables, views and functions, in the order of their names.

    Objects whose names the query's predicate excludes are left out; the predicate is about the columns of the view, so
    each method takes the columns that hold the parts of the names.
    """

    context: Context
    catalog: str
    asked: Asked

    def catalogs(self, column: str) -> list[str]:
        """Names of catalogs; `column` of the view holds them."""
        known = self.context.catalog.catalogs() if self.catalog == SYSTEM else [self.catalog]
        return self._chosen(known, (column,), lambda name: (name,))

    def schemas(self, columns: tuple[str, str]) -> Iterator[SchemaEntry]:
        """Schemas, among them the information schemas."""
        for catalog in self.catalogs(columns[0]):
            names = [entry.name for entry in self.context.catalog.schemas(catalog=catalog)]
            parts = [(catalog, name) for name in sorted({*names, INFORMATION_SCHEMA})]
            for key in self._chosen(parts, columns, tuple):
                # A schema may be dropped by others meanwhile.
                found = _unless_missing(lambda key=key: self.context.catalog.schema(key))  # type: ignore[misc]
                if found is not None:
                    yield found

    def entries(self, columns: tuple[str, str, str]) -> Iterator[Entry]:
        """Tables and views, among them those of the information schemas."""
        for schema in self.schemas(columns[:2]):
            key = (schema.catalog, schema.name)
            found = _unless_missing(lambda key=key: self.context.catalog.entries(key))  # type: ignore[misc]
            yield from self._chosen(found or (), columns, lambda entry: entry.parts)

    def tables(self, columns: tuple[str, str, str]) -> Iterator[tuple[TableEntry, Snapshot]]:
        """Tables with their snapshots; a table that cannot be read is left out."""
        for entry in self.entries(columns):
            snapshot = self.snapshot(entry) if isinstance(entry, TableEntry) else None
            if snapshot is not None:
                assert isinstance(entry, TableEntry)
                yield entry, snapshot

    def functions(self, columns: tuple[str, str, str]) -> Iterator[FunctionEntry]:
        """Functions of the catalog."""
        for schema in self.schemas(columns[:2]):
            found = self.context.catalog.functions((schema.catalog, schema.name))
            yield from self._chosen(found, columns, lambda entry: entry.parts)

    def volumes(self, columns: tuple[str, str, str]) -> Iterator[VolumeEntry]:
        """Volumes of the catalog."""
        for schema in self.schemas(columns[:2]):
            if schema.name != INFORMATION_SCHEMA:
                found = self.context.catalog.volumes((schema.catalog, schema.name))
                yield from self._chosen(found, columns, lambda entry: entry.parts)

    def snapshot(self, entry: TableEntry) -> Snapshot | None:
        """The snapshot of a table; None for one whose log cannot be read."""
        with suppress(DeltaSqlError, OSError):
            if entry.source is not None and not has_certain_columns(entry.source):
                return None
            if entry.source is not None:
                return source_snapshot(self.context, entry, str(TableName(entry.parts)), with_files=False)
            found = self.context.snapshot(TableName(entry.parts), entry.location)
            # A snapshot is lazy: the log is read now.
            return found if found.metadata else None
        return None

    def _chosen(self, items: Iterable[T], columns: Sequence[str], parts: Callable[[T], Sequence[str]]) -> list[T]:
        """Those of `items` that the predicate may select, by the parts of their names."""
        found = list(items)
        if self.asked.predicate is None or not found:
            return found
        import pyarrow as pa

        values = [dict(zip(columns, parts(item), strict=True)) for item in found]
        # The parts of a name are to the predicate what partition values are to that of a scan.
        fields = pa.struct([pa.field(column, pa.string()) for column in columns])
        files = pa.table(
            {
                "partitionValues": pa.array(values, fields),
                "stats": pa.nulls(len(found), pa.string()),
                "index": pa.array(range(len(found)), pa.int32()),
            }
        )
        schema = StructType(tuple(StructField(column, STRING) for column in columns))
        kept = prune(files, self.asked.predicate, schema, columns, self.asked.alias)
        return [found[index] for index in kept["index"].to_pylist()]


def moment(milliseconds: int | None) -> datetime | None:
    """A point in time of the catalog or a log as a TIMESTAMP."""
    return None if milliseconds is None else datetime.fromtimestamp(milliseconds / 1000, timezone.utc)


def yes_or_no(value: bool) -> str:
    """A truth value as the information schema has it."""
    return "YES" if value else "NO"


def _unless_missing(look: Callable[[], T]) -> T | None:
    try:
        return look()
    except (SchemaNotFoundError, CatalogNotFoundError):
        return None
