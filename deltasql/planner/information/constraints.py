"""Rows about constraints: primary and foreign keys, which are not enforced, and CHECK constraints, which are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deltasql.catalog.entries import TableEntry
from deltasql.log.configuration.keys import Key, keys_of, primary_key
from deltasql.planner.information.inventory import Inventory, yes_or_no
from deltasql.planner.information.relations import TABLE_PARTS, Row
from deltasql.sql.references import column_references

if TYPE_CHECKING:
    from deltasql.log.replay.snapshot import Snapshot

_CONSTRAINT = ("constraint_catalog", "constraint_schema", "constraint_name")


@dataclass(frozen=True, slots=True)
class _Constraint:
    """A constraint of a table: a key, or a `check` with its SQL."""

    table: TableEntry
    snapshot: Snapshot
    name: str
    key: Key | None
    check: str = ""

    @property
    def kind(self) -> str:
        return "CHECK" if self.key is None else self.key.kind

    @property
    def names(self) -> dict[str, object]:
        """Constraints are named within the schema of their table."""
        return dict(zip(_CONSTRAINT, (self.table.catalog, self.table.schema, self.name), strict=True))

    def referenced(self, inventory: Inventory) -> TableEntry | None:
        """The table that the constraint refers to: the parent of a foreign key, else its own."""
        references = None if self.key is None else self.key.references
        if references is None or references.table is None:
            return self.table
        return inventory.context.catalog.resolve(references.table)

    def referenced_columns(self) -> Sequence[str]:
        """Columns of the table that the constraint refers to."""
        if self.key is not None:
            return self.key.columns if self.key.references is None else self.key.references.columns
        named = {reference.parts[0].lower() for reference in column_references(self.check)}
        return [name for name in self.snapshot.schema.names if name.lower() in named]


def constraint_rows(inventory: Inventory) -> Iterator[Row]:
    for item in _constraints(inventory, TABLE_PARTS):
        yield {
            **item.names,
            **_table(item.table),
            "constraint_type": item.kind,
            "is_deferrable": yes_or_no(item.key is not None),
            "initially_deferred": "NO",
            "enforced": yes_or_no(item.key is None),
        }


def check_rows(inventory: Inventory) -> Iterator[Row]:
    for item in _constraints(inventory):
        if item.key is None:
            yield {**item.names, "check_clause": item.check}


def key_column_rows(inventory: Inventory) -> Iterator[Row]:
    for item in _constraints(inventory, TABLE_PARTS):
        if item.key is None:
            continue
        places = _places_in_parent(item, inventory)
        for position, column in enumerate(item.key.columns, start=1):
            yield {
                **item.names,
                **_table(item.table),
                "column_name": column,
                "ordinal_position": position,
                "position_in_unique_constraint": places[position - 1],
            }


def _places_in_parent(item: _Constraint, inventory: Inventory) -> Sequence[int | None]:
    """The place of each column of a foreign key in the primary key that it refers to; None where that is unknown."""
    assert item.key is not None
    columns = item.referenced_columns() if item.key.references is not None else ()
    parent = _parent_key(item, inventory) if columns else None
    if parent is None:
        return [None] * len(item.key.columns)
    order = [name.lower() for name in parent[1].columns]
    return [order.index(name.lower()) + 1 if name.lower() in order else None for name in columns]


def referential_rows(inventory: Inventory) -> Iterator[Row]:
    for item in _constraints(inventory):
        parent = _parent_key(item, inventory) if item.kind == "FOREIGN KEY" else None
        if parent is None:
            continue
        table, key = parent
        yield {
            **item.names,
            "unique_constraint_catalog": table.catalog,
            "unique_constraint_schema": table.schema,
            "unique_constraint_name": key.name,
            "match_option": "FULL",
            "update_rule": "NO ACTION",
            "delete_rule": "NO ACTION",
        }


def constraint_table_rows(inventory: Inventory) -> Iterator[Row]:
    for item in _constraints(inventory):
        table = item.referenced(inventory)
        if table is not None:
            yield {**_table(table), **item.names}


def constraint_column_rows(inventory: Inventory) -> Iterator[Row]:
    for item in _constraints(inventory):
        table = item.referenced(inventory)
        for column in item.referenced_columns() if table is not None else ():
            assert table is not None
            yield {**_table(table), "column_name": column, **item.names}


def _constraints(inventory: Inventory, columns: tuple[str, str, str] | None = None) -> Iterator[_Constraint]:
    """The constraints of all tables, table by table. `columns` hold the name of the table, if the view has them."""
    # The name of the table is none of the view's columns: a column of no view stands for it.
    parts = columns or ("constraint_catalog", "constraint_schema", "")
    for table, snapshot in inventory.tables(parts):
        for key in keys_of(snapshot.metadata):
            yield _Constraint(table, snapshot, key.name, key)
        for name, check in snapshot.metadata.properties.constraints.items():
            yield _Constraint(table, snapshot, name, None, check)


def _parent_key(item: _Constraint, inventory: Inventory) -> tuple[TableEntry, Key] | None:
    """The table that a foreign key refers to with its primary key; None where either is gone."""
    table = item.referenced(inventory)
    snapshot = None if table is None else inventory.snapshot(table)
    key = None if snapshot is None else primary_key(snapshot.metadata)
    return None if table is None or key is None else (table, key)


def _table(entry: TableEntry) -> Row:
    return dict(zip(TABLE_PARTS, entry.parts, strict=True))
