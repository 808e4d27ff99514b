"""Statements over tables of rows (id, v, p): each as SQL, and as what it does to the rows when nobody else writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple


class Row(NamedTuple):
    """`origin` is the id that the row had in the table as set up; None for a row that came later."""

    id: int
    v: int
    p: int | None
    origin: int | None = None


Rows = tuple[Row, ...]
Effect = Callable[[Rows], Rows]


def unchanged(rows: Rows) -> Rows:
    return rows


@dataclass(frozen=True, slots=True)
class Statement:
    """`sql` has {t} for the table, {v} for its version as set up, {o} for another table with k = 6.

    A late one begins only when it is to commit.
    `meddle` is done to the table's directory in place of a statement, or after it.
    """

    sql: str
    effect: Effect = field(default=unchanged, compare=False)
    late: bool = False
    meddle: Callable[[Path], None] | None = None

    def __str__(self) -> str:
        return self.sql.replace("{t}", "t").replace("{o}", "o") or "files are deleted"


def late(statement: Statement) -> Statement:
    return replace(statement, late=True)


def partition_of(id_: int) -> int:
    return id_ // 10 % 2


def insert(*ids: int, p: int | None = -1) -> Statement:
    """INSERT of rows (id, id, p); p is that of their ids where none is given."""
    rows = [Row(id_, id_, partition_of(id_) if p == -1 else p) for id_ in ids]
    if len(ids) > 3:
        # As a range, so that one task writes one file.
        listed = ", ".join(map(str, set(range(min(ids), max(ids) + 1)) - set(ids)))
        columns = "CAST(id AS INT), CAST(id AS INT), CAST(id DIV 10 % 2 AS INT)"
        source = f"SELECT /*+ COALESCE(1) */ {columns} FROM range({min(ids)}, {max(ids) + 1})"
        sql = f"{source} WHERE id NOT IN ({listed})" if listed else source
    else:
        sql = "VALUES " + ", ".join(f"({row.id}, {row.v}, {'NULL' if row.p is None else row.p})" for row in rows)
    return Statement(f"INSERT INTO {{t}} {sql}", lambda old: (*old, *rows))


def update(id_: int, p: int | None = None) -> Statement:
    """UPDATE of one row, by its id, and by its partition where one is given."""
    return update_where(f"id = {id_}{_and_p(p)}", lambda row: row.id == id_ and p in {None, row.p})


def update_where(condition: str, matches: Callable[[Row], bool]) -> Statement:
    return update_set("v = v + 1000", condition, matches, lambda row: row._replace(v=row.v + 1000))


def update_set(
    assignment: str, condition: str, matches: Callable[[Row], bool], change: Callable[[Row], Row]
) -> Statement:
    def effect(rows: Rows) -> Rows:
        return tuple(change(row) if matches(row) else row for row in rows)

    return Statement(f"UPDATE {{t}} SET {assignment} WHERE {condition}", effect)


def delete(id_: int, p: int | None = None) -> Statement:
    return delete_where(f"id = {id_}{_and_p(p)}", lambda row: row.id == id_ and p in {None, row.p})


def delete_where(condition: str, matches: Callable[[Row], bool]) -> Statement:
    def effect(rows: Rows) -> Rows:
        return tuple(row for row in rows if not matches(row))

    return Statement(f"DELETE FROM {{t}} WHERE {condition}", effect)


BOTH = "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"


def merge(id_: int, p: int | None = None) -> Statement:
    """MERGE of one source row: v becomes 7 where the id is there, else the row is inserted."""

    def effect(rows: Rows) -> Rows:
        changed = tuple(row._replace(v=7) if row.id == id_ else row for row in rows)
        return changed if any(row.id == id_ for row in rows) else (*rows, Row(id_, 7, partition_of(id_)))

    return merge_by("" if p is None else f" AND t.p = {p}", BOTH, id_, effect)


def merge_by(more: str, clauses: str, id_: int, effect: Effect, evolution: str = "", columns: str = "") -> Statement:
    source = f"SELECT {id_} AS id, 7 AS v, {partition_of(id_)} AS p{columns}"
    sql = f"MERGE {evolution}INTO {{t}} AS t USING ({source}) AS s ON t.id = s.id{more} {clauses}"
    return Statement(sql, effect)


def insert_self(id_: int, p: str = "p") -> Statement:
    """INSERT of a copy of one row of the table itself, whose id is 1000 higher. `p` is the copy's, as SQL."""

    def effect(rows: Rows) -> Rows:
        own = {"NULL": None}
        copies = [row._replace(id=row.id + 1000, p=own.get(p, row.p), origin=None) for row in rows if row.id == id_]
        return (*rows, *copies)

    return Statement(f"INSERT INTO {{t}} SELECT id + 1000, v, {p} FROM {{t}} WHERE id = {id_}", effect)


def overwrite(*ids: int, where: str = "", gone: Callable[[Row], bool] = lambda _: True) -> Statement:
    """INSERT that takes the place of all rows, or of those that are `gone`; `where` is what SQL says of it."""
    rows = [Row(id_, id_, partition_of(id_)) for id_ in ids]
    values = ", ".join(f"({row.id}, {row.v}, {row.p})" for row in rows)
    verb = f"INTO {{t}} REPLACE WHERE {where}" if where else "OVERWRITE {t}"
    return Statement(f"INSERT {verb} VALUES {values}", lambda old: (*(row for row in old if not gone(row)), *rows))


def _and_p(p: int | None) -> str:
    return "" if p is None else f" AND p = {p}"


BASE_ROWS = tuple(Row(id_, id_, partition_of(id_), id_) for id_ in range(20))
RESTORE = Statement("RESTORE {t} TO VERSION AS OF {v}", lambda _: BASE_ROWS)
OPTIMIZE = Statement("OPTIMIZE {t}")
ZORDER = Statement("OPTIMIZE {t} ZORDER BY (id)")
PURGE = Statement("REORG TABLE {t} APPLY (PURGE)")
OPTIMIZE_P0, OPTIMIZE_P1 = (Statement(f"OPTIMIZE {{t}} WHERE p = {p}") for p in (0, 1))
ZORDER_P1 = Statement("OPTIMIZE {t} WHERE p = 1 ZORDER BY (id)")
DELETE_FIRST_FILE = delete_where("id < 10", lambda row: row.id < 10)
DELETE_ALL = Statement("DELETE FROM {t}", lambda _: ())
DELETE_P0 = delete_where("p = 0", lambda row: row.p == 0)
