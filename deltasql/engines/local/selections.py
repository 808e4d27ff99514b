"""Queries that choose and order rows of one table, a small one, or few rows of any: answered without an engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from deltasql.base.errors.base import LeftToEngineError
from deltasql.base.lazy import np, pa, pc
from deltasql.engines.choice import is_small, require_searching, scan_size
from deltasql.engines.local.plain_scans import (
    PlainScan,
    ScanFilter,
    only_scan,
    plain_pieces,
    plain_rows,
    plain_scan,
    require_plain,
    require_scan_size,
    with_columns,
)
from deltasql.engines.local.values import BoundRows, true_mask
from deltasql.files.memory import CHOSEN_ROWS, FEW_BYTES, SessionFacts
from deltasql.files.reading.file_reader import Piece
from deltasql.plan.operators import Operator, Scan
from deltasql.schema.text import sql_text
from deltasql.schema.types import BOOLEAN, StructField, StructType
from deltasql.sql.constants import current_micros
from deltasql.sql.evaluated.expressions import (
    Order,
    RowExpression,
    RowScope,
    Selection,
    columns_of,
    is_ordered,
    row_condition,
    selection,
)


@dataclass(frozen=True, eq=False, slots=True)
class SelectedRows:
    """Rows of a scan, which goes by an alias, for which `where` is TRUE: in their order, up to a limit."""

    plain: PlainScan
    alias: str
    where: RowExpression | None
    order: tuple[tuple[int, Order], ...]
    limit: int | None

    @property
    def scan(self) -> Scan:
        return self.plain.scan

    @property
    def schema(self) -> StructType:
        return self.plain.schema

    def table(self, session: SessionFacts) -> pa.Table:
        """All rows: see `PlainScan.table`."""
        read = plain_rows(session, self.plain.scan, self._read(), self._row_filter)
        rows = arranged(read.select([item.name for item in self.plain.columns]), self.order, self.limit)
        return rows.rename_columns(list(self.plain.names))

    @property
    def is_streamed(self) -> bool:
        """Whether the rows are neither ordered nor limited, so that `pieces` has them."""
        return not self.order and self.limit is None

    def pieces(self, session: SessionFacts) -> Iterator[Piece]:
        """As `table`, piece by piece."""
        names, renamed = [item.name for item in self.plain.columns], list(self.plain.names)
        read = plain_pieces(session, self.plain.scan, self._read(), self._row_filter)
        return (piece.mapped(lambda rows: rows.select(names).rename_columns(renamed)) for piece in read)

    @property
    def _row_filter(self) -> ScanFilter | None:
        where, alias = self.where, self.alias
        if where is None:
            return None
        named = frozenset(column.name for column in columns_of(where))
        return ScanFilter(named, lambda rows, count: true_mask(where, BoundRows({alias: rows}, count)), CHOSEN_ROWS)

    def _read(self) -> list[StructField]:
        """The columns that are asked for, and those that the condition needs, each once."""
        columns = {item.name: item for item in self.plain.columns}
        used = () if self.where is None else columns_of(self.where)
        for column in used:
            item = self.plain.scan.schema.find(column.name)
            assert item is not None
            columns[item.name] = item
        return list(columns.values())


def local_query(session: SessionFacts, operator: Operator, *, streams: bool = False) -> PlainScan | SelectedRows:
    """A query that this process answers by itself: see `require_scan_size` for `streams`.

    Raises LeftToEngineError for any other.
    """
    with suppress(LeftToEngineError):
        return plain_scan(session, operator, streams=streams)
    return selected_rows(session, operator, streams=streams)


def selected_rows(session: SessionFacts, operator: Operator, *, streams: bool = False) -> SelectedRows:
    """The rows that a query with WHERE, ORDER BY or LIMIT selects from one table.

    Raises LeftToEngineError where it is anything else, or all rows of a table that is not small.
    """
    session.require_computing()
    relation, sql, scan = only_scan(session, operator)
    return selected(session, scan, selection(sql, relation), streams=streams)


def selected(session: SessionFacts, scan: Scan, parsed: Selection, *, streams: bool = False) -> SelectedRows:
    """As `selected_rows`, of a parsed query over a scan."""
    require_scan_size(session, scan, streams=streams and not parsed.order and parsed.limit is None)
    plain = with_columns(scan, parsed.columns)
    if not is_small(scan):
        if not parsed.where:
            raise LeftToEngineError(f"{scan_size(scan):,} bytes are sorted or cut, more than {FEW_BYTES:,}")
        require_searching(session, scan.table.location, scan_size(scan))
    where = None if parsed.where is None else _condition(parsed.where, parsed.alias, plain)
    return SelectedRows(plain, parsed.alias, where, ordered_indexes(plain.schema, parsed.order), parsed.limit)


def _condition(text: str, alias: str, plain: PlainScan) -> RowExpression:
    """A condition on rows of the scan. Raises LeftToEngineError where only an engine can tell."""
    schema = plain.scan.schema
    parsed = row_condition(text, RowScope({alias: schema}, current_micros()))
    used = [item for column in columns_of(parsed) if (item := schema.find(column.name)) is not None]
    require_plain(used, plain.scan.partition_columns)
    return parsed


def ordered_indexes(columns: StructType, order: Sequence[Order]) -> tuple[tuple[int, Order], ...]:
    """The places of the columns that rows are ordered by. Raises LeftToEngineError where one is none of these."""
    return tuple(_ordered(columns, order))


def _ordered(columns: StructType, order: Sequence[Order]) -> Iterator[tuple[int, Order]]:
    names = [item.name.lower() for item in columns]
    for item in order:
        if isinstance(item.column, int):
            indexes = [item.column - 1] if 0 < item.column <= len(names) else []
        else:
            indexes = [index for index, name in enumerate(names) if name == item.column.lower()]
        if len(indexes) != 1:
            raise LeftToEngineError("ORDER BY is of an expression, or of a column that is not selected")
        kind = columns.fields[indexes[0]].type
        if not (is_ordered(kind) or kind == BOOLEAN):
            raise LeftToEngineError(f"ORDER BY of a column of type {sql_text(kind)}")
        yield indexes[0], item


def arranged(rows: pa.Table, order: Sequence[tuple[int, Order]], limit: int | None) -> pa.Table:
    """Rows in the order of some columns, which go by their places, up to a limit; the columns are called by no name."""
    numbered = rows.rename_columns([f"c{number}" for number in range(rows.num_columns)])
    for number, item in reversed(order):
        numbered = numbered.take(_sort_indexes(numbered.column(number), item))
    return numbered if limit is None else numbered.slice(0, limit)


def _sort_indexes(column: pa.ChunkedArray, order: Order) -> Any:
    """Where the values stand in their order; what is equal stays as it is."""
    nulls = np.flatnonzero(pc.is_null(column).to_numpy(zero_copy_only=False))
    valid = np.flatnonzero(pc.is_valid(column).to_numpy(zero_copy_only=False))
    ranks = pc.rank(column.take(valid), sort_keys="ascending", tiebreaker="dense").to_numpy().astype(np.int64)
    indexes = valid[np.argsort(-ranks if order.descending else ranks, kind="stable")]
    return np.concatenate([nulls, indexes] if order.nulls_first else [indexes, nulls])
